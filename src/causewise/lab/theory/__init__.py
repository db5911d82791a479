"""When is the direction identifiable: the differential equation and the known exceptions.

distributions  densities of causes and noises, differentiable, with a sampler
model          a location-scale noise model of (x, y), and the moments and marginal of its reverse
equation       the left-hand side of the identifiability equation over a grid, and what it says
families       the Gaussian models that fit both ways, random models that do not, and paths between them
"""
