"""Masks in the shape and layout of what they are of, and those of results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor

_LAYOUTS = (rushlight.strided, rushlight.sparse_coo, rushlight.sparse_csr)
_REDUCTIONS = {
    "sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "norm", "var", "std",
    "logsumexp",
}  # fmt: skip
_OF_THE_SAME_SHAPE = {"softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod"}


def input_mask(input: Any, *args: Any, **kwargs: Any) -> Tensor:
    """The mask of a call, of truth values, in the input's shape and layout.

    Args:
        input: the tensor whose elements it says of
        args, kwargs: the other arguments of the call; ``mask`` is one of the latter
    """
    if input.layout not in _LAYOUTS:
        raise ValueError(
            f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {input.layout}"
        )
    mask = kwargs.get("mask")
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.dim() > input.dim():
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the "
            "input)"
        )
    if mask.shape != input.shape:
        mask = _spread(mask, input.shape)
    mask = _laid_out(mask, input)
    return (mask.coalesce() if mask.layout is rushlight.sparse_coo else mask).to(rushlight.bool)


def _spread(mask: Any, size: Any) -> Any:
    if mask.layout is rushlight.strided:
        return mask.expand(size)
    if mask.layout is rushlight.sparse_coo:
        return rushlight._sparse_broadcast_to(mask, size)
    return rushlight._sparse_broadcast_to(mask.to_sparse(), size).to_sparse_csr()


def _laid_out(mask: Any, input: Any) -> Any:
    """The mask in the input's layout."""
    if mask.layout is input.layout:
        return mask
    if input.layout is rushlight.strided:
        return mask.to_dense()
    if input.layout is rushlight.sparse_csr:
        return mask.to_sparse_csr()
    strided = mask.layout is rushlight.strided
    return mask.to_sparse(input.sparse_dim()) if strided else mask.to_sparse()


def output_mask(op: Callable[..., Any], input: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Which elements of a masked operation's result are made of any that count.

    Args:
        op: the operation
        input, args, kwargs: the arguments of its call
    """
    from rushlight.masked.reductions import _dims

    if not callable(op):
        raise ValueError(f"_output_mask expected masked operation (got {type(op).__name__} object)")
    if op.__name__ not in _REDUCTIONS | _OF_THE_SAME_SHAPE:
        raise ValueError(
            f"_output_mask expected masked operation (got callable {op.__module__}.{op.__name__})"
        )
    mask = input_mask(input, *args, **kwargs)
    if op.__name__ in _OF_THE_SAME_SHAPE:
        return mask
    others = args[1:] if op.__name__ == "norm" else args
    dim = others[0] if others else kwargs.get("dim")
    for d in reversed(_dims(dim, input.dim())):
        mask = mask.any(d, keepdim=bool(kwargs.get("keepdim", False)))
    return mask


def reduction_identity(op_name: str, input: Any, *args: Any) -> Tensor | None:
    """What an operation's result does not change with, as a tensor; None if there is no such number.

    Args:
        op_name: the operation
        input: the tensor that it is of
        args: for ``norm``, which one
    """
    from rushlight.masked.reductions import _highest, _lowest

    kind = input.dtype
    op_name = op_name.rpartition(".")[2]
    if op_name in ("mean", "var", "std"):
        return None
    if op_name in ("sum", "cumsum"):
        value: Any = 0
    elif op_name in ("prod", "cumprod"):
        value = 1
    elif op_name in ("amax", "argmax", "logaddexp", "logsumexp"):
        value = _lowest(kind)
    elif op_name in ("amin", "argmin"):
        value = _highest(kind)
    elif op_name == "median":
        kind = kind if kind.is_floating_point else rushlight.float32
        value = math.nan
    elif op_name == "norm":
        order = args[0] if args else 2
        value = _highest(kind) if order == -math.inf else 0
    else:
        raise NotImplementedError(f"identity of {op_name} on {kind} input")
    return rushlight.tensor(value, dtype=kind, device=input.device)
