"""The ranges of a method's settings, refused in one wording."""

from whence.pair import InputError


def at_least(method: str, least: int, **settings: int) -> None:
    """Refuse a setting below its least sensible value."""
    for name, value in settings.items():
        if value < least:
            raise InputError(f"Got {name}={value!r} for {method}; expected a whole number of at least {least}.")


def positive(method: str, **settings: float) -> None:
    """Refuse a setting that is not a number above zero."""
    for name, value in settings.items():
        if not value > 0:
            raise InputError(f"Got {name}={value!r} for {method}; expected a number above 0.")
