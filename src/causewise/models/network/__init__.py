"""Location-scale networks, trained many at a time: pairs × directions × restarts are one batch.

    training      settings, the learning rates, one step of Adam, and what training returns
    heads         what a network's outputs mean: densities, gradients, where training starts
    layout        the canonical form of two columns; many fits laid out as one rectangle
    fitting       columns in, trained networks out: chooses the engine and remembers what it has trained
    regressor     the same network as a scikit-learn estimator

Three engines do the same steps: `compiled` loops on the CPU, plain JAX (`xla`) and a `fused` GPU kernel; `jax_runtime`
is the only door to JAX, and `programs` keeps what JAX compiled.
"""
