"""What attention does with a batch: it joins the batch that attention has anyway."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import attention, view
from rushlight.engine.ops.batching import batched, filled, joined, parted
from rushlight.engine.ops.view.batching import Result, Values


def _joined(size: int, values: Values, dims: Values) -> list[Any]:
    return [joined(filled(x, dim, size), 0) for x, dim in zip(values, dims)]


def _mask(mask: Any, dim: Any, size: int, count: int) -> Any:
    """A mask for each element of both batches."""
    if mask is None:
        return None
    mask = filled(mask, dim, size)
    while len(mask._size_) < 5:
        mask = view.unsqueeze(mask, 1)
    return joined(view.expand(mask, [size, count, *mask._size_[2:]]), 0)


@batched("_scaled_dot_product_flash_attention_for_cpu")
def forward(size: int, values: Values, dims: Values) -> Result:
    given = _joined(size, values[:3], dims[:3])
    mask = _mask(values[5], dims[5], size, given[0]._size_[0] // size)
    found = attention._scaled_dot_product_flash_attention_for_cpu(
        *given, values[3], values[4], mask, values[6]
    )
    return tuple(parted(x, 0, size) for x in found), 0


@batched("_attention_gradients")
def gradients(size: int, values: Values, dims: Values) -> Result:
    given = _joined(size, values[:6], dims[:6])
    mask = _mask(values[8], dims[8], size, given[1]._size_[0] // size)
    found = attention._attention_gradients(*given, values[6], values[7], mask)
    return tuple(parted(x, 0, size) for x in found), 0


@batched("_cudnn_attention")
def library_forward(size: int, values: Values, dims: Values) -> Result:
    _check_dropout(values[6])
    given = _joined(size, values[:3], dims[:3])
    mask = _mask(values[3], dims[3], size, given[0]._size_[0] // size)
    found = attention._cudnn_attention(*given, mask, *values[4:])
    return tuple(parted(x, 0, size) for x in found), 0


@batched("_cudnn_attention_gradients")
def library_gradients(size: int, values: Values, dims: Values) -> Result:
    _check_dropout(values[9])
    given = _joined(size, values[:6], dims[:6])
    mask = _mask(values[6], dims[6], size, given[1]._size_[0] // size)
    found = attention._cudnn_attention_gradients(*given, mask, *values[7:])
    return tuple(parted(x, 0, size) for x in found), 0


def _check_dropout(chance: float) -> None:
    """Which weights are dropped follows from their places in the batch, which joining changes."""
    if chance:
        raise RuntimeError(
            f"vmap: attention by cuDNN with dropout has no rule for batches, and dropout_p is {chance}; "
            "sdpa_kernel(SDPBackend.MATH) chooses another"
        )
