"""
Patients: a column that would mislead
=====================================

442 diabetes patients (Efron et al. 2004, inside scikit-learn): age, sex, body mass index, blood pressure, six serum
values, and how the disease went on.
"""

from sklearn.datasets import load_diabetes

import causewise

patients = load_diabetes(scaled=False, as_frame=True).frame
scan = causewise.scan(patients)
print(scan)

# %%
# One pair of 55 is answered, and wrongly: the course of the disease, a year later, would raise a serum value.

for row in scan:
    if row.status == "oriented":
        print(f"{row.cause} → {row.effect}, {row.confidence:.0%}; neither {row.neither:.0%}")

# %%
# Another column would do worse, if it were let. What is ``s4``?

total, good, ratio = patients["s1"], patients["s3"], patients["s4"]
print(f"correlation of s4 with s1 / s3: {ratio.corr(total / good):.2f}")
print(f"share of whole numbers in s4: {(ratio == ratio.round()).mean():.0%}")

# %%
# It is total cholesterol over HDL, and mostly written down as 2, 3, 4 … Rows on a few point masses look like the simple
# beginning of a story, whichever way the arrow points: ``s4`` would be the cause of everything, even of age. So no
# answer is given, no lean and no confidence either, and the reason is:

decision = causewise.infer(patients, "s4", "age")
print(decision)
print(decision.explanation)

# %%
# The picture shows the point masses.

figure = decision.plot()

# %%
# What helps is to know the table. Leave out what is computed from other columns, and say what comes first and last; the
# numbers stay the data's:

knowledge = {"first": ["age", "sex"], "last": ["target"]}
scan = causewise.scan(patients.drop(columns="s4"), knowledge=knowledge)
print(scan)
figure = scan.plot()
