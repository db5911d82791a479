"""The combined method `whence`: several kinds of evidence about one pair, joined into one calibrated log-odds.

resolution     rows in one order, not too many, ties spread over the cells they were recorded in
fits           location and location-scale splines with as many knots as the rows pay for (BIC)
description    description length: cause, and effect given cause, coded by mixtures of normals
independence   does the residual depend on the presumed cause: HSIC, several residuals
shape          does the shape of effect given cause change with the cause: histograms, quantile surfaces
picture        what three small networks see in histograms of a direction; `windows` and `convolution` compute it
channels       the table of all channels: a pair -> its antisymmetric readings and its symmetric context
trees          the fitted combination: antisymmetric boosted trees, evaluated by compiled code
combined       the method: readings -> log-odds, confidence
doubt          the reasons for doubt, in one sentence
kinds          what a reader calls the channels
controls       three rules that look at the marginals only, to hold every table against

What it has learnt from, and how:

thirds         three thirds of the generated world without a common ingredient; names and weights
ingredients    laws and functions by name
mechanisms     effects of a cause and a noise by name
world          pairs of each third that look like recorded data; the only labels the combination has seen
training       readings of generated pairs
fitting        readings -> trees
"""
