"""When is the direction identifiable: the differential equation and the known exceptions.

laws         densities of causes and noises, differentiable, with a sampler
model        a location-scale noise model as a law of (x, y), and the moments and marginal of its reverse
equation     the left-hand side of the identifiability equation over a grid, and what it says
families     the two families of Gaussian models that fit both ways, with their backward models
generic      random members of the benchmarks' model classes, which do not
path         ways that lead from a model that fits both ways to one that does not
"""
