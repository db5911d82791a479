"""
Patients: a graph that finds a formula
======================================

442 diabetes patients (Efron et al. 2004, inside scikit-learn) once more, all columns together, and nothing given. The
cholesterol ratio, which is one column divided by another, is left out, and so is sex, which has two values.
"""

import numpy as np
from sklearn.datasets import load_diabetes

import causewise

names = {"bmi": "body mass", "bp": "pressure", "s1": "cholesterol", "s2": "LDL", "s3": "HDL", "s5": "log triglycerides"}
names |= {"s6": "blood sugar", "target": "progression"}
patients = load_diabetes(scaled=False, as_frame=True).frame.drop(columns="s4").rename(columns=names)
graph = causewise.graph(patients.drop(columns="sex"))
print(graph)
figure = graph.plot()

# %%
# Most lines have no head: the rows do not tell which way they run. What is left are two arrows:

for edge in graph.edges:
    if edge.direction == "->":
        print(f"{edge.parent} → {edge.child}: {edge.direction_probability:.3f}, in {edge.support:.0%} of the halves")

# %%
# They meet in LDL, and they are right. It was not measured but computed from these two and cholesterol, whose line
# stays without a head, as laboratories do (Friedewald et al. 1972): cholesterol less HDL less a fifth of the
# triglycerides.

formula = patients["cholesterol"] - patients["HDL"] - np.exp(patients["log triglycerides"]) / 5
print(f"correlation {np.corrcoef(formula, patients['LDL'])[0, 1]:.7f}")
print(f"largest difference {np.abs(formula - patients['LDL']).max():.2f} of {patients['LDL'].std():.0f}")

# %%
# A pair cannot see this: cholesterol and LDL by themselves get no answer.

print(causewise.infer(patients, "cholesterol", "LDL"))

# %%
# What is known makes more of it: age and sex come first, the progression a year later comes last. Sex may take part
# now, since its place is given; arrows that follow from what is given are no findings.

given = causewise.graph(patients, knowledge={"first": ["age", "sex"], "last": ["progression"]})
for edge in given.edges:
    if edge.direction == "->":
        how = "given" if edge.is_given else f"{edge.direction_probability:.3f}"
        print(f"{edge.parent} → {edge.child}: {how}")

# %%
# What the graph does not say: why the lines without a head are there. Each has its reason, which names how the random
# halves of the rows disagree.

for edge in given.edges[:8]:
    if edge.direction == "--":
        print(f"{edge.parent} — {edge.child}: {edge.reason}")

# %%
# So there is no number for what body mass does to the progression, either, but a sentence that says what it hangs on:

try:
    print(given.effect("body mass", "progression"))
except causewise.InputError as refusal:
    print(refusal)
