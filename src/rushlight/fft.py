"""Discrete Fourier transforms."""

from rushlight.engine.generated import fft_functions
from rushlight.namespace import fill_namespace

fill_namespace(globals(), fft_functions, "fft_")
