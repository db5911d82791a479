"""The default method `causewise`: evidence terms, added up and weighed, and three outcomes.

rows         the rows that are scored: not too many, without ties
curve        the location-scale curve, knots by BIC, fitted under the law of its noise
readings     description length and shape of the quantile surface, of columns without ties; their contrasts
recording    how coarsely the columns are recorded, and the regression error of the recorded values
weight       λ: effective rows, distinct values
outcomes     x → y, y → x, neither: probabilities from the score and a prior
constants    the heights and widths of the terms, from `constants.toml`
method       contrasts -> terms -> score -> probabilities
words        the reasons in sentences

The constants come from generated pairs and, for what these cannot teach, from the Tübingen pairs; see `training/`,
which is not installed.
"""
