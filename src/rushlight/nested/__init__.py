"""Nested tensors: batches whose elements differ in size, in one tensor."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.engine.calls import nested as calls
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.nested import Geometry
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.nested import making
from rushlight.nested._internal import nested_tensor as _jagged

__all__ = [
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]

_torch: Any = rushlight


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> Any:
    """Tensors as a nested tensor that knows their history.

    Args:
        ts: a list of tensors, which is copied; a tensor, whose rows are the elements; a nested tensor
        dtype: the element type; the tensors' own if None
        device: where it is; where the tensors are if None
        layout: ``torch.strided`` (if None) or ``torch.jagged``
    """
    is_list = isinstance(ts, (list, tuple)) and all(isinstance(x, Tensor) for x in ts)
    if not isinstance(ts, Tensor) and not is_list:
        raise TypeError(
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors "
        )
    if isinstance(ts, Tensor) and ts.dim() < 2:  # type: ignore[attr-defined]
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if isinstance(ts, Tensor) and ts.is_nested:  # type: ignore[attr-defined]
        if layout is not ts.layout:  # type: ignore[attr-defined]
            raise RuntimeError(
                "as_nested_tensor(): Converting between nested tensor layouts is not supported"
            )
        return ts.to(device=device or ts.device, dtype=dtype or ts.dtype)  # type: ignore[attr-defined]
    if layout in (None, layouts.strided):
        if not isinstance(ts, Tensor):
            return calls._nested_tensor_from_tensor_list(list(ts), dtype, None, device, None)
        buffer = making.to(ts.reshape(-1), dtype, device)  # type: ignore[attr-defined]
        return making.blocks(buffer, Geometry([tuple(ts.shape[1:])] * ts.shape[0]))  # type: ignore[attr-defined]
    if layout is not layouts.jagged:
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
    if not isinstance(ts, Tensor):
        return _jagged.jagged_from_list(list(ts), None, dtype, device)[0]
    values = making.to(_torch.flatten(ts.contiguous(), 0, 1), dtype, device)  # type: ignore[attr-defined]
    batch, length = ts.shape[:2]  # type: ignore[attr-defined]
    offsets = _torch.arange(batch + 1, device=values.device) * length  # type: ignore[attr-defined]
    return _jagged.nested_view_from_values_offsets(
        values, offsets, min_seqlen=length, max_seqlen=length
    )


def nested_tensor(
    tensor_list: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Any:  # fmt: skip
    """Tensors, or what `tensor` makes one of, as a nested tensor without a history.

    Args:
        tensor_list: the elements
        dtype: the element type; that of the first tensor if None
        layout: ``torch.strided`` (if None) or ``torch.jagged``
        device: where it is; where the first tensor is if None
        requires_grad: whether it wants a gradient
        pin_memory: whether it is in memory that devices read
    """
    if layout not in (None, layouts.strided, layouts.jagged):
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
    if not isinstance(tensor_list, (list, tuple)):
        raise TypeError("Only lists (np.array included) are accepted in nested_tensor")
    with _torch.no_grad():
        if layout is layouts.jagged:
            given = [x if isinstance(x, Tensor) else _torch.as_tensor(x) for x in tensor_list]
            made = _jagged.jagged_from_list(given, None, dtype, device)[0]
        else:
            kind = dtype
            if kind is None and tensor_list and isinstance(tensor_list[0], Tensor):
                kind = tensor_list[0].dtype  # type: ignore[attr-defined]
            given = [
                x if isinstance(x, Tensor) else _torch.tensor(x, dtype=dtype) for x in tensor_list
            ]
            made = calls._nested_tensor_from_tensor_list(given, kind, None, device, None)
    if requires_grad and not (made.is_floating_point() or made.is_complex()):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    made.requires_grad_(requires_grad)
    return made.pin_memory() if pin_memory else made


def narrow(tensor: Any, dim: int, start: Any, length: Any, layout: Any = layouts.strided) -> Any:
    """Of each row of a tensor, a part that begins and ends where its own numbers say.

    Args:
        tensor: a dense tensor
        dim: the dimension that is narrowed: 1 for ``torch.jagged``
        start: where each part begins: one number, or a tensor with a number for each row
        length: how long each part is, in the same form
        layout: ``torch.strided``, which copies, or ``torch.jagged``, a view
    """
    for name, given in (("start", start), ("length", length)):
        if not isinstance(given, (int, SymInt, Tensor)):
            raise RuntimeError(f"{name} must be an integer or a tensor")
    if layout is layouts.strided:
        if isinstance(start, Tensor) or isinstance(length, Tensor):
            raise RuntimeError("start and length must be integers for the strided layout NT impl")
        rows = as_nested_tensor(tensor.unbind(), layout=layouts.strided)
        return rows.narrow(dim, start, length)
    if layout is not layouts.jagged:
        raise RuntimeError(f"Specified layout is unsupported for nested narrow: {layout}")
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    start, length = (
        x if isinstance(x, Tensor) else _torch.tensor([x], device=tensor.device)
        for x in (start, length)
    )
    return _jagged.jagged_from_tensor_and_lengths(tensor, start, length)[0]


def nested_tensor_from_jagged(
    values: Any, offsets: Any = None, lengths: Any = None, jagged_dim: int | None = None,
    min_seqlen: int | None = None, max_seqlen: int | None = None,
) -> Any:  # fmt: skip
    """A nested tensor over values in which the elements lie one behind the other.

    Args:
        values: the elements
        offsets: where each begins, and where the last one ends; follows from ``lengths`` if None
        lengths: how long each is; with ``offsets``, there are holes behind those that end early
        jagged_dim: the ragged dimension of the result, counted with the batch; 1 if None
        min_seqlen: the shortest length, if it is known
        max_seqlen: the longest one
    """
    if offsets is None:
        if lengths is None:
            raise RuntimeError(
                "nested_tensor_from_jagged(): At least one of offsets or lengths is required."
            )
        offsets = _torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
        lengths = None
    if jagged_dim is not None and jagged_dim < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {jagged_dim}.")
    return _jagged.nested_view_from_values_offsets_lengths(
        values, offsets, lengths, 1 if jagged_dim is None else jagged_dim, min_seqlen, max_seqlen
    )


def masked_select(tensor: Any, mask: Any) -> Any:
    """What a mask lets through of each row of a tensor, as a jagged tensor.

    Args:
        tensor: a dense tensor
        mask: truth values that broadcast to it
    """
    if tensor.layout is not layouts.strided:
        raise RuntimeError(
            f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}"
        )
    if mask.layout is not layouts.strided:
        raise RuntimeError(
            f"torch.nested.masked_select requires a strided mask, given: {mask.layout}"
        )
    values = tensor.masked_select(mask)
    chosen = mask.expand(tensor.shape).sum(-1)
    offsets = _torch.nn.functional.pad(chosen.reshape(-1).cumsum(0), (1, 0))
    return _jagged.nested_view_from_values_offsets(values, offsets)


def to_padded_tensor(input: Any, padding: float, output_size: Any = None, out: Any = None) -> Any:
    """A nested tensor as a dense one: what elements lack is filled.

    Args:
        input: a nested tensor
        padding: the value to fill with
        output_size: the sizes of the result; the largest of the elements if None
        out: where the result goes
    """
    made = calls.nested_to_padded_tensor(input, padding, output_size)
    return made if out is None else out.copy_(made)
