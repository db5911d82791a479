"""Description length as a method of its own: the direction with the shorter code for the same rows."""

from whence.combined.readings import description_length
from whence.protocol import Directional


def mdl() -> Directional:
    """Cause and noise coded by mixtures of normals, effect by a location-scale curve."""
    return Directional("mdl", lambda cause, effect: -description_length(cause, effect))
