"""
Irises: the third variable is a group
=====================================

150 flowers of three species (Fisher 1936, inside scikit-learn). Over all flowers there is an answer:
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import causewise

iris = load_iris(as_frame=True)
flowers = iris.frame.rename(columns=lambda name: name.removesuffix(" (cm)"))
print(causewise.infer(flowers, "petal length", "sepal width"))

# %%
# Nothing in a flower lets its petals set the width of its sepals. Colour the points by species, and there are three
# clouds, each with a slope of its own. The species makes both columns.

figure, panel = plt.subplots(figsize=(6, 4), layout="constrained")
for kind, (name, mark) in enumerate(zip(iris.target_names, "os^", strict=True)):
    group = flowers[flowers["target"] == kind]
    panel.plot(group["petal length"], group["sepal width"], mark, alpha=0.7, label=str(name))
panel.set(xlabel="petal length, cm", ylabel="sepal width, cm")
panel.legend()

# %%
# So look at each species alone:

for kind, name in enumerate(iris.target_names):
    group = flowers[flowers["target"] == kind]
    print(f"{name}: {causewise.infer(group, 'petal length', 'sepal width')}")

# %%
# No species has an answer: the arrow belonged to the species. Whenever a table has groups, do this first. A group that
# nobody recorded does the same, and nothing in two columns tells.
