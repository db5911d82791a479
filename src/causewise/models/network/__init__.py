"""Location-scale networks, trained many at a time: pairs × directions × restarts are one batch.

    heads         what a network's outputs mean: densities, gradients, where training starts
    training      settings, one step of Adam, the canonical form of two columns; many fits as one rectangle
    fitting       columns in, trained networks out: chooses the engine and caches what it has trained
    regressor     the same network as a scikit-learn estimator

Three engines do the same steps: compiled loops on the CPU (`fitting`), plain JAX and a fused GPU kernel
(`jax_engines`); `jax_runtime` alone imports JAX, and keeps what JAX compiled.
"""
