"""The compiled loops: plain C beside this file, compiled when the package is installed, called through ctypes.

A loop is declared where it is used, by its C prototype: `native("double dot(double *a, double *b, int64_t n)")`. ctypes
lets other threads run during a call, and an interrupt waits for its end; a call that could take longer than a fraction
of a second is one of several passes.

On x86-64 the library exists twice, for any machine and for those with AVX2, and the one for this machine is loaded.
Both compute the same bits (see `lanes.h`). CAUSEWISE_NATIVE names another library to load, say one built for debugging.
"""

import ctypes
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def native(prototype: str) -> Callable[..., Any]:
    """The C function with this prototype, in which `const` is left out; a pointer stands for a packed array."""
    head, _, arguments = prototype.rstrip(")").partition("(")
    result, name = head.split()
    function = getattr(_library, name)
    function.argtypes = [_PASSED[re.sub(r"\w+$", "", each)] for each in arguments.split(", ")]
    function.restype = None if result == "void" else _PASSED[result + " "]

    def call(*values: Any) -> Any:
        try:
            return function(*values)
        except ctypes.ArgumentError as problem:
            # Ctrl-C while an array is made ready comes out as one more wrong argument: ctypes keeps its name alone.
            if ": KeyboardInterrupt:" in str(problem):
                raise KeyboardInterrupt from None
            raise

    return call


_ADDRESS = ctypes.c_char * 0


def _array(dtype: type) -> type:
    """How an array is passed: by its address, and only if C would read in it what Python sees."""
    wanted = np.dtype(dtype)

    class Array:
        @staticmethod
        def from_param(array: Any) -> Any:
            if array.dtype == wanted:
                # An array's own `ctypes.data` takes three times as long; it is left to arrays that are read-only.
                try:
                    return _ADDRESS.from_buffer(array)
                except TypeError:
                    if array.flags.c_contiguous:
                        return ctypes.c_void_p(array.ctypes.data)
            raise TypeError(f"a compiled loop got {array.dtype} with strides {array.strides}, not packed {wanted}")

    return Array


_PASSED: dict[str, Any] = {
    "double *": _array(np.float64),
    "float *": _array(np.float32),
    "int64_t *": _array(np.int64),
    "uint8_t *": _array(np.bool_),
    "double ": ctypes.c_double,
    "int64_t ": ctypes.c_int64,
    "bool ": ctypes.c_bool,
}

SUFFIX = ".dll" if os.name == "nt" else ".so"


def has_avx2() -> bool:
    """Whether this machine has the vector units that the wider library is compiled for."""
    _library.has_avx2.restype = ctypes.c_bool
    return _library.has_avx2()


def _load() -> ctypes.CDLL:
    """The library for the vector units of this machine."""
    if chosen := os.environ.get("CAUSEWISE_NATIVE"):
        return ctypes.CDLL(chosen)
    folder = Path(__file__).parent
    plain = folder / f"loops{SUFFIX}"
    if not plain.exists():
        raise ImportError(
            f"causewise found no compiled loops at {plain}; they are built when the package is installed: "
            "run `pip install .` (or `pip install -e .`) in its source folder."
        )
    library = ctypes.CDLL(str(plain))
    library.has_avx2.restype = ctypes.c_bool
    wider = folder / f"loops-avx2{SUFFIX}"
    return ctypes.CDLL(str(wider)) if library.has_avx2() and wider.exists() else library


_library = _load()
