"""Which version this is, in PyTorch's names."""

from __future__ import annotations

__version__ = "2.13.0+rushlight"
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
git_version = "unknown"

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
