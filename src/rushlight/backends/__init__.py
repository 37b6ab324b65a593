"""Libraries behind PyTorch's kernels: which are there, and their switches.

Kernels are generated here, so most of these libraries are not there. Their switches can be set and
read, and change nothing.
"""

import importlib
from types import ModuleType

_MODULES = (
    "cpu", "cuda", "cudnn", "cusparselt", "kleidiai", "mha", "miopen", "mkl", "mkldnn", "mps",
    "nnpack", "openmp", "opt_einsum", "quantized", "xeon", "xnnpack",
)  # fmt: skip


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in _MODULES:
        return importlib.import_module(f"rushlight.backends.{name}")
    raise AttributeError(f"module 'rushlight.backends' has no attribute '{name}'")
