"""Training of the picture networks of `whence` on a GPU; needs PyTorch, which the library itself does not.

    PYTHONPATH=src:scripts python -m picture --without A --seconds 1040 --out out/picture

pieces         random numbers, standardised columns, Gaussian processes and increasing maps, one row per pair
ingredients    laws and functions
mechanisms     effects of a cause and a noise
recipes        published simulators
world          batches of pairs: mechanisms, then what recording does to columns
look           the pictures of a direction, as `whence.evidence.picture` draws them
network        the network, its log-odds, its weights for the library
__main__       the training loop

Every step draws new pairs (the recipes of `whence.evidence.world`, written for batches; two thirds of it, see
`whence.evidence.thirds`) and takes a gradient step on the log-odds g(x, y) − g(y, x). No recorded pair and no benchmark
file is read.
"""
