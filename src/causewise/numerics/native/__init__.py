"""The compiled loops: plain C beside this file, compiled when the package is installed, called through ctypes.

A loop is declared where it is used, as a Python function without a body under `@native("name of the C function")`; its
annotations say how each argument is passed. ctypes lets other threads run during a call, and an
interrupt waits for its end; a call that could take longer than a fraction of a second is one of several passes.

On x86-64 the library exists twice, for any machine and for those with AVX2, and the one for this machine is loaded.
Both compute the same bits (see `lanes.h`). CAUSEWISE_NATIVE names another library to load, say one built for debugging.
"""

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
SingleArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_F = TypeVar("_F", bound=Callable[..., Any])


def native(name: str) -> Callable[[_F], _F]:
    """The C function of this name, with the arguments and the result that the annotations below say."""

    def found(declared: _F) -> _F:
        annotations = dict(declared.__annotations__)
        result = annotations.pop("return")
        function = getattr(_library, name)
        function.argtypes = [_PASSED[kind] for kind in annotations.values()]
        function.restype = None if result is None else _PASSED[result]

        def call(*given: Any) -> Any:
            try:
                return function(*given)
            except ctypes.ArgumentError as problem:
                # Ctrl-C while an array is made ready comes out as one more wrong argument: ctypes keeps its name alone.
                if ": KeyboardInterrupt:" in str(problem):
                    raise KeyboardInterrupt from None
                raise

        return cast(_F, call)

    return found


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


_PASSED: dict[Any, Any] = {
    FloatArray: _array(np.float64),
    SingleArray: _array(np.float32),
    IntArray: _array(np.int64),
    BoolArray: _array(np.bool_),
    float: ctypes.c_double,
    int: ctypes.c_int64,
    bool: ctypes.c_bool,
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
