"""References of the operators of `torch.fft`."""

from rushlight import fft
from rushlight._refs._lookup import reference_in

__getattr__ = reference_in(fft, __name__)
