"""When is the direction identifiable: the differential equation and the known exceptions.

calculus         exact derivatives of formulas in two variables; integrals
model            densities with a sampler; a location-scale noise model of (x, y), and the moments of its reverse
conditions       the left-hand side of the equation over a grid and what it says; families whose answer is known
"""
