"""Description length as a method of its own: the direction with the shorter code for the same rows."""

from whence.baselines.scored import Directional
from whence.combined.readings import description_length


def mdl() -> Directional:
    """Cause and noise coded by mixtures of normals, effect by a location-scale curve."""
    return Directional("mdl", lambda cause, effect: -description_length(cause, effect))
