"""Borders around images."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module

__all__ = [
    f"{kind}Pad{count}d"
    for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero")
    for count in (1, 2, 3)
]


class _Pad(Module):
    """Adds a border; the classes for one to three dimensions follow from ``dims``."""

    dims = 0
    mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        several = isinstance(padding, Iterable)
        self.padding = tuple(padding) if several else (padding,) * (2 * self.dims)

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    """Adds a border of the opposite side's elements."""

    mode = "circular"

    def forward(self, input: Any) -> Any:
        least, most = self.dims + 1, self.dims + 2
        if input.dim() not in (least, most):
            raise ValueError(f"expected {least}D or {most}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self.mode)


class _ReflectionPadNd(_Pad):
    """Adds a border of mirrored elements."""

    mode = "reflect"


class _ReplicationPadNd(_Pad):
    """Adds a border of the outermost elements."""

    mode = "replicate"


class _ConstantPadNd(_Pad):
    """Adds a border of one value."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPadNd):
    """Adds a border of zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


def _with_dims(base: type, count: int) -> type:
    name = f"{base.__name__[1:].removesuffix('Nd')}{count}d"
    return type(name, (base,), {"dims": count, "__doc__": base.__doc__, "__module__": __name__})


for _base in (_CircularPadNd, _ConstantPadNd, _ReflectionPadNd, _ReplicationPadNd, _ZeroPad):
    for _count in (1, 2, 3):
        _made = _with_dims(_base, _count)
        globals()[_made.__name__] = _made
