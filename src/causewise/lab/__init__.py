"""The laboratory: benchmarks, their data, studies of the estimator, theory; only the command line imports it."""
