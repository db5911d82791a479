"""
Wines: a whole table, and why nothing is answered
=================================================

178 wines of three growers, 13 chemical measurements (inside scikit-learn).
"""

from sklearn.datasets import load_wine

import causewise

wine = load_wine(as_frame=True).data
scan = causewise.scan(wine)
print(scan)

# %%
# Almost everything is related to everything, since the growers differ in everything, and no pair is answered. That is
# right: growers stand behind all columns, as the species did behind the irises. In the matrix a dot is a
# related pair without an answer. The pale cells are what a scan finds even here: pairs that are *not* related.

figure = scan.plot()

# %%
for row in scan:
    if row.status == "unrelated":
        print(f"{row.x}, {row.y}: p = {row.adjusted_p:.2f}")

# %%
# Leanings can be had by lowering the threshold. Their contradictions are counted, and tell what they are worth: coins
# would close a quarter of all triples to a circle.

leanings = causewise.scan(wine, threshold=0.55)
print(leanings)
quality = leanings.quality()
print(f"{quality.circular} of {quality.triples} triples lean in a circle ({quality.circular / quality.triples:.0%})")
