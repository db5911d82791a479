"""The default method `causewise`: evidence terms, added up and weighed, and three outcomes.

curve        the location-scale curve, knots by BIC, fitted under the law of its noise
terms        evidence terms: description length, shape of the quantile surface, recording, regression error; their
             heights and widths, from `constants.toml`
outcomes     the reliability weight; probabilities of x → y, y → x, neither from the score and a prior
method       contrasts -> terms -> score -> probabilities
words        the reasons in sentences

The constants come from generated pairs and, for what these cannot teach, from the Tübingen pairs; see `training/`,
which is not installed.
"""
