"""Which version this is, in PyTorch's names; and rushlight's own.

`rushlight.__version__` is rushlight's own version. Programs that import torch are told PyTorch's.
"""

from __future__ import annotations

own_version = "0.2.0"
# The version of PyTorch that is the specification.
__version__ = "2.13.0+rushlight"
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
git_version = "unknown"

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
