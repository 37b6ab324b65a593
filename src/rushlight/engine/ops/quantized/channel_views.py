"""What the numbers of views mean, of tensors with a scale for each channel."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import view as views
from rushlight.engine.core.quantized import PerChannel, PerTensor, Quantizer
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import bridge

# What a rule is given: the tensor's quantizer and sizes, where along the dimension the view begins if
# it is one of several, the view, the other arguments. It tells the view's quantizer, and where the next begins.

Meaning = tuple[Quantizer, int]


def _same(quantizer: PerChannel, size: Any, start: int, view: Tensor, *rest: Any) -> Meaning:
    return quantizer, start


def _wrapped(dim: int, dims: int) -> int:
    return dim + dims if dim < 0 else dim


def _moved(quantizer: PerChannel, axis: int) -> PerChannel:
    return PerChannel(quantizer.scales, quantizer.zero_points, axis)


def _channel(scales: Tensor, zero_points: Tensor, index: int) -> PerTensor:
    """The quantizer of one channel."""
    scale, zero = (bridge.array(t)[index] for t in (scales, zero_points))
    return PerTensor(float(scale), int(zero))


def _select(
    quantizer: PerChannel, size: Any, start: int, view: Tensor, dim: int, index: int
) -> Meaning:
    dim = _wrapped(dim, len(size))
    if dim != quantizer.axis:
        return _moved(quantizer, quantizer.axis - (dim < quantizer.axis)), start
    return _channel(quantizer.scales, quantizer.zero_points, index), start


def _unbind(quantizer: PerChannel, size: Any, start: int, view: Tensor, dim: int) -> Meaning:
    return _select(quantizer, size, start, view, dim, start)[0], start + 1


def _slice(
    quantizer: PerChannel, size: Any, start: int, view: Tensor, dim: int, first: Any, end: Any,
    step: int = 1,
) -> Meaning:  # fmt: skip
    if _wrapped(dim, len(size)) != quantizer.axis:
        return quantizer, start
    scales, zeros = (
        views.slice_Tensor(t, 0, first, end, step)
        for t in (quantizer.scales, quantizer.zero_points)
    )
    if scales._numel_ == 1:
        return _channel(scales, zeros, 0), start
    return PerChannel(scales, zeros, quantizer.axis), start


def _narrow(
    quantizer: PerChannel, size: Any, start: int, view: Tensor, dim: int, first: int, length: int
) -> Meaning:
    return _slice(quantizer, size, start, view, dim, first, first + length)


def _split(
    quantizer: PerChannel, size: Any, start: int, view: Tensor, sections: Any, dim: int
) -> Meaning:
    end = start + view._size_[dim]
    return _slice(quantizer, size, start, view, dim, start, end)[0], end


def _unsqueeze(quantizer: PerChannel, size: Any, start: int, view: Tensor, dim: int) -> Meaning:
    dim = _wrapped(dim, len(size) + 1)
    return _moved(quantizer, quantizer.axis + (dim <= quantizer.axis)), start


def _squeeze(
    quantizer: PerChannel, size: Any, start: int, view: Tensor, dims: Any = None
) -> Meaning:
    given = range(len(size)) if dims is None else (dims,) if isinstance(dims, int) else dims
    gone = {d for d in (_wrapped(d, len(size)) for d in given) if size[d] == 1}
    if quantizer.axis in gone:
        raise RuntimeError(
            "Squeeze is only possible on non-axis dimension for Per-Channel Quantized Tensors."
        )
    return _moved(quantizer, quantizer.axis - sum(d < quantizer.axis for d in gone)), start


RULES: dict[str, Any] = {
    "detach": _same, "detach_": _same, "alias": _same, "lift_fresh": _same, "lift": _same,
    "view": _same, "_unsafe_view": _same, "_reshape_alias": _same, "select.int": _select,
    "slice.Tensor": _slice, "unsqueeze": _unsqueeze, "unsqueeze_": _unsqueeze, "squeeze": _squeeze,
    "squeeze.dim": _squeeze, "squeeze.dims": _squeeze, "narrow": _narrow, "split.Tensor": _split,
    "split_with_sizes": _split, "chunk": _split, "unbind.int": _unbind,
}  # fmt: skip
