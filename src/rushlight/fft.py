"""Discrete Fourier transforms."""

from rushlight._names.namespace import fill_namespace
from rushlight.engine.generated import fft_functions

fill_namespace(globals(), fft_functions, "fft_")
