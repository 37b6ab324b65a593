"""Discrete Fourier transforms."""

from rushlight._names.namespace import fill_namespace
from rushlight.engine.generated import fft_functions

_PREFIX = "fft_"
_found: dict[str, object] = {}
fill_namespace(_found, fft_functions)
globals().update({name.removeprefix(_PREFIX): value for name, value in _found.items()})
