"""References of the operators of `torch.linalg`."""

from rushlight import linalg
from rushlight._refs._lookup import reference_in

__getattr__ = reference_in(linalg, __name__)
