"""
Patients: a column that would mislead
=====================================

442 diabetes patients (Efron et al. 2004, inside scikit-learn): age, sex, body mass index, blood pressure, six serum
values, and how the disease went on.
"""

from sklearn.datasets import load_diabetes

import whence

patients = load_diabetes(scaled=False, as_frame=True).frame
scan = whence.scan(patients, jobs=1)  # so small a table is not worth starting processes for
print(scan)

# %%
# No pair is answered. Some lean strongly all the same, and nearly always towards one cause:

for row in scan:
    if row.confidence and row.confidence >= 0.8:
        cause, effect = (row.x, row.y) if row.score > 0 else (row.y, row.x)
        print(f"{row.status}: leans towards {cause} → {effect}, {row.confidence:.0%}")

# %%
# One of them is absurd: no serum value makes anybody older. What is ``s4``?

total, good, ratio = patients["s1"], patients["s3"], patients["s4"]
print(f"correlation of s4 with s1 / s3: {ratio.corr(total / good):.2f}")
print(f"share of whole numbers in s4: {(ratio == ratio.round()).mean():.0%}")

# %%
# It is total cholesterol over HDL, and mostly written down as 2, 3, 4 … Rows heaped on a few values look like the
# simple beginning of a story, whichever way the arrow points. So no answer is given, and the reason is:

decision = whence.infer(patients, "s4", "age")
print(decision)
print(decision.explanation)

# %%
# The picture shows the heaps.

figure = decision.plot()

# %%
# Asking halves of the rows does not help. They share the rounding:

halves = decision.stability()
print(f"{halves.agreement:.0%} of {halves.draws} halves agree")

# %%
# What does help is to know the table: leave out what is computed from other columns.

print(whence.scan(patients.drop(columns="s4"), jobs=1))

# %%
# Or say what you know. Age and sex come first, the course of the disease last; the numbers stay the data's:

known = {"tiers": [["age", "sex"], ["bmi", "bp", "s1", "s2", "s3", "s5", "s6"], ["target"]]}
told = whence.scan(patients.drop(columns="s4"), known=known, jobs=1)
print(told)
figure = told.plot()
