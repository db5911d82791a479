"""
Twenty athletes: too few rows
=============================

Twenty men of a fitness club: chin-ups, sit-ups, jumps, weight, waist, pulse (Linnerud, inside scikit-learn).
"""

from sklearn.datasets import load_linnerud

import causewise

club = load_linnerud(as_frame=True).frame
print(causewise.scan(club))

# %%
# Of twenty rows most relations do not stand out from chance, and are called unrelated; the others stay undecided. The
# weight says how much the rows can tell: with n rows its first factor is n / (n + 12).

decision = causewise.infer(club, "Weight", "Waist")
print(decision)
print({part: round(value, 2) for part, value in decision.weight_parts.items()})
figure = decision.plot()

# %%
# Methods that answer everything answer here, too; they agree, and most halves of the rows agree with them:

for name in ("anm-h", "lingam", "igci-g"):
    answer = causewise.infer(club, "Weight", "Waist", method=name)
    print(f"{name}: {answer.verdict}; {answer.stability().agreement:.0%} of the halves agree")

# %%
# Waist and weight are two measures of one body; neither makes the other. Agreement is not evidence: the methods share
# assumptions, and the halves share rows.
