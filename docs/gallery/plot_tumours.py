"""
Tumours: a formula, and a spread that grows
===========================================

569 tumours, measured under the microscope (inside scikit-learn). Radius, perimeter and area of the same cells:
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import causewise

cells = load_breast_cancer(as_frame=True).data
decision = causewise.infer(cells, "mean radius", "mean area")
print(decision)
print(decision.explanation)

# %%
# Area is π r², up to the shape of the cell. Neither causes the other: both are taken from one outline, and there is
# nearly no noise to learn a direction from. *Undecided* is right.
#
# The regression under every decision is of use by itself. How large is the uncertainty of the area, given the radius? A
# line through the middle cannot say; the location-scale regressor fits mean and spread together.

radius, error = cells["mean radius"].to_numpy(), cells["area error"].to_numpy()
model = causewise.LocationScaleRegressor(n_knots=6).fit(radius[:, None], error)
grid = np.linspace(radius.min(), radius.max(), 200)
low, middle, high = model.predict_quantile(grid[:, None], [0.05, 0.5, 0.95]).T

figure, panel = plt.subplots(figsize=(6, 4), layout="constrained")
panel.plot(radius, error, ".", alpha=0.4)
panel.plot(grid, middle)
panel.fill_between(grid, low, high, alpha=0.25, label="90 % of the cells, says the fit")
panel.set(xlabel="mean radius", ylabel="standard error of the area")
panel.legend()

# %%
# Does the band hold what it says?

low, high = model.predict_quantile(radius[:, None], [0.05, 0.95]).T
inside = np.mean((error >= low) & (error <= high))
print(f"{inside:.0%} of the cells lie inside")
