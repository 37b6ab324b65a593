"""Libraries behind PyTorch's kernels: which are there, and their switches.

Kernels are generated here, so most of these libraries are not there. Their switches can be set and
read, and change nothing.
"""

import importlib
import sys
from types import ModuleType

from rushlight.backends import _precision as _precision_names

_MODULES = (
    "cpu", "cuda", "cudnn", "cusparselt", "kleidiai", "mha", "miopen", "mkl", "mkldnn", "mps",
    "nnpack", "openmp", "opt_einsum", "quantized", "xeon", "xnnpack",
)  # fmt: skip


class _Backends(ModuleType):
    """The module, with how exact float32 is where nothing else is said for products or convolutions."""

    _named = "none"

    @property
    def fp32_precision(self) -> str:
        return self._named

    @fp32_precision.setter
    def fp32_precision(self, name: str) -> None:
        _precision_names.check(name)
        _Backends._named = name
        if name != "none":
            self.cuda.matmul.fp32_precision = self.cudnn.conv.fp32_precision = name


sys.modules[__name__].__class__ = _Backends


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in _MODULES:
        return importlib.import_module(f"rushlight.backends.{name}")
    raise AttributeError(f"module 'rushlight.backends' has no attribute '{name}'")
