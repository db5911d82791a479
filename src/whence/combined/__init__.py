"""The default method `whence`: three kinds of evidence, added up and weighed by how much the rows can say.

rows         the rows that are judged: not too many, without ties
curve        the location-scale curve, knots by BIC, fitted under the law of its noise
readings     description length, independence of the residual, shape of the quantile surface; their contrasts
weight       λ: effective rows, distinct values, whether any direction fits
constants    the heights and widths of the terms, from `constants.toml`
method       readings -> terms -> score, confidence
words        the reasons in sentences

The constants come from generated pairs only; see `training/`, which is not installed.
"""
