"""References of the operators of `torch.special`."""

from rushlight import special
from rushlight._refs._lookup import reference_in

__getattr__ = reference_in(special, __name__)
