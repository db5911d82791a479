"""Parquet, through whichever reader is installed."""

import io
from typing import Any

from whence.pair import InputError


def read_parquet(content: bytes, where: str) -> Any:
    """A data frame of the reader's own kind."""
    for read in (_pyarrow, _polars, _pandas):
        try:
            return read(io.BytesIO(content))
        except ImportError:
            continue
        except Exception as problem:  # each reader raises its own kinds for a damaged file
            reason = str(problem).strip().split("\n")[0][:120]
            raise InputError(
                f"Could not read {where} as Parquet ({reason}); expected a whole Parquet file: write it again."
            ) from None
    raise InputError(
        f"Got the Parquet file {where}, and no reader for it is installed; install one with: "
        "pip install 'whence[tables]'"
    )


def _pyarrow(content: io.BytesIO) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(content)


def _polars(content: io.BytesIO) -> Any:
    import polars

    return polars.read_parquet(content)


def _pandas(content: io.BytesIO) -> Any:
    import pandas

    return pandas.read_parquet(content)
