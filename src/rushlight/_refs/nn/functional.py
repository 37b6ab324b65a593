"""References of the operators of `torch.nn.functional`."""

from rushlight._refs._lookup import reference_in
from rushlight.nn import functional

__getattr__ = reference_in(functional, __name__)
softmin, tanhshrink = functional.softmin, functional.tanhshrink
