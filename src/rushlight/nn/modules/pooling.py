"""Pooling."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.nn import functional as F
from rushlight.nn.modules._settings import OfFunction
from rushlight.nn.modules.module import Module

__all__ = [
    f"{kind}{count}d"
    for kind in ("AdaptiveAvgPool", "AdaptiveMaxPool", "AvgPool", "LPPool", "MaxPool", "MaxUnpool")
    for count in (1, 2, 3)
]


class _MaxPoolNd(Module):
    """The largest element of every window."""

    function = ""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        return getattr(F, self.function)(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class _MaxUnpoolNd(Module):
    """Puts pooled elements back to where they were, among zeros."""

    function = ""
    dims = 0

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = _tuple(kernel_size, self.dims)
        self.stride = _tuple(kernel_size if stride is None else stride, self.dims)
        self.padding = _tuple(padding, self.dims)

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return getattr(F, self.function)(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


def _tuple(value: Any, count: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


class AvgPool1d(Module):
    """The mean of every window of sequences."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = _tuple(kernel_size, 1)
        self.stride = _tuple(kernel_size if stride is None else stride, 1)
        self.padding = _tuple(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Any) -> Any:
        return F.avg_pool1d(  # type: ignore[attr-defined]
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPoolNd(Module):
    """The mean of every window."""

    function = ""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Any) -> Any:
        return getattr(F, self.function)(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _LPPoolNd(Module):
    """The power average of every window."""

    function = ""

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        return getattr(F, self.function)(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class _AdaptiveAvgPoolNd(OfFunction):
    """The means of so many windows."""

    signature = "output_size"


class _AdaptiveMaxPoolNd(OfFunction):
    """The largest elements of so many windows."""

    signature = "output_size, return_indices=False"

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


def _define(base: type, stem: str, count: int) -> None:
    name = f"{base.__name__[1:].removesuffix('Nd')}{count}d"
    members = {"function": f"{stem}{count}d", "dims": count, "__doc__": base.__doc__}
    globals()[name] = type(name, (base,), {**members, "__module__": __name__})


for _count in (1, 2, 3):
    _define(_MaxPoolNd, "max_pool", _count)
    _define(_MaxUnpoolNd, "max_unpool", _count)
    _define(_LPPoolNd, "lp_pool", _count)
    _define(_AdaptiveAvgPoolNd, "adaptive_avg_pool", _count)
    _define(_AdaptiveMaxPoolNd, "adaptive_max_pool", _count)
    if _count > 1:
        _define(_AvgPoolNd, "avg_pool", _count)
