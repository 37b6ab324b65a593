"""The class of nested tensors of the layout ``jagged``, and how they are made of dense ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.engine.calls import nested as calls
from rushlight.engine.core import nested
from rushlight.engine.ops.nested import making
from rushlight.engine.ops.nested.classes import NestedTensor, _rebuild_njt, as_length
from rushlight.engine.transforms.nested.words import running

__all__ = [
    "NestedTensor",
    "ViewBufferFromNested",
    "ViewNestedFromBuffer",
    "_rebuild_njt",
    "buffer_from_jagged",
    "get_tensor_symint",
    "jagged_from_list",
    "jagged_from_tensor_and_lengths",
    "nested_from_padded",
    "nested_view_from_values_offsets",
    "nested_view_from_values_offsets_lengths",
]  # fmt: skip

torch: Any = rushlight


def get_tensor_symint(tensor: Any, *, coeff: int = 1) -> Any:
    """The nested integer that a tensor of offsets or lengths stands for, or a multiple."""
    return nested.ragged_size(tensor) * coeff


def jagged_from_list(
    tensors: Sequence[Any], offsets: Any, dtype: Any = None, device: Any = None
) -> tuple[Any, Any]:
    """Tensors that differ in one dimension as a nested tensor, and its offsets."""
    if not tensors:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    what = "When constructing a nested tensor, all tensors in list must"
    for same, values in (
        ("have the same dtype", {x.dtype for x in tensors}),
        ("be on the same device", {x.device for x in tensors}),
        ("have the same dim", {x.dim() for x in tensors}),
    ):
        if len(values) != 1:
            raise RuntimeError(f"{what} {same}")
    if not tensors[0].dim():
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    differing = [
        d for d, sizes in enumerate(zip(*(x.shape for x in tensors))) if len(set(sizes)) > 1
    ]
    if len(differing) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that "
            "the jagged layout only allows for a single ragged dimension. For example: "
            "(B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    along = differing[0] if differing else 0
    values = torch.cat(list(tensors), along)
    if dtype is not None or device is not None:
        values = values.to(device=device or values.device, dtype=dtype or values.dtype)
    lengths = [x.shape[along] for x in tensors]
    if offsets is None:
        offsets = torch.tensor(running(lengths), device=values.device)
    made = nested_view_from_values_offsets(
        values, offsets, along + 1, min_seqlen=min(lengths), max_seqlen=max(lengths)
    )
    return made, offsets


def jagged_from_tensor_and_lengths(tensor: Any, starts: Any, lengths: Any) -> tuple[Any, Any, Any]:
    """Of each row of a tensor, so many places from a start: a view, its offsets and its lengths."""
    batch, most = tensor.shape[0], tensor.shape[1]
    for given in (starts, lengths):
        if given.dim() > 1 or (given.dim() == 1 and given.shape[0] not in (1, batch)):
            raise RuntimeError(
                "When constructing a jagged nested tensor using narrow(), your start and length must "
                "be Tensors that broadcast to input.shape[0]"
            )
    counts = lengths.expand(batch)
    begins = (starts.expand(batch) + most * torch.arange(batch, device=tensor.device)).tolist()
    lasting = counts.tolist()
    ends = [*begins, begins[-1] + lasting[-1]]
    values = tensor.view(-1, *tensor.shape[2:])
    bounds = {"min_seqlen": min(lasting), "max_seqlen": max(lasting)}
    # Nothing lies between the elements if each but the last goes on to the end of its row.
    is_whole = all(a + n == b for a, n, b in zip(begins, lasting, ends[1:]))
    if is_whole:
        offsets = torch.tensor([x - begins[0] for x in ends], device=tensor.device)
        made = nested_view_from_values_offsets(values[begins[0] : ends[-1]], offsets, **bounds)
        return made, offsets, None
    offsets = torch.tensor(ends, device=tensor.device)
    made = nested_view_from_values_offsets_lengths(values, offsets, counts, **bounds)
    return made, offsets, counts


def _lengths(least: int | None, most: int | None) -> tuple[Any, Any]:
    return tuple(None if x is None else as_length(x) for x in (least, most))  # type: ignore[return-value]


def nested_view_from_values_offsets(
    values: Any, offsets: Any, ragged_idx: int = 1, min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Any:  # fmt: skip
    """Values as a nested tensor."""
    return nested_view_from_values_offsets_lengths(
        values, offsets, None, ragged_idx, min_seqlen, max_seqlen
    )


def nested_view_from_values_offsets_lengths(
    values: Any, offsets: Any, lengths: Any, ragged_idx: int = 1, min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Any:  # fmt: skip
    """Values as a nested tensor, with holes behind elements that do not reach to the next one."""
    bounds = _lengths(min_seqlen, max_seqlen)
    return calls._nested_view_from_jagged(values, offsets, offsets, lengths, ragged_idx, *bounds)


def nested_from_padded(
    padded: Any, offsets: Any, ragged_idx: int = 1, min_seqlen: int | None = None,
    max_seqlen: int | None = None, sum_S: int | None = None,
) -> Any:  # fmt: skip
    """A padded tensor as a nested one."""
    bounds = _lengths(min_seqlen, max_seqlen)
    return calls._nested_from_padded_tensor(padded, offsets, offsets, ragged_idx, *bounds, sum_S)


class ViewBufferFromNested(torch.autograd.Function):  # type: ignore[misc]
    """The values of a nested tensor; older programs call it."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """The values."""
        ctx.of = x.detach()
        return x._values.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """The gradient as a nested tensor."""
        return NestedTensor(
            grad, ctx.of._offsets, lengths=ctx.of._lengths, _ragged_idx=ctx.of._ragged_idx
        )


class ViewNestedFromBuffer(torch.autograd.Function):  # type: ignore[misc]
    """A nested tensor over values; older programs call it."""

    @staticmethod
    def forward(ctx: Any, values: Any, offsets: Any, cache: Any = None) -> Any:
        """The nested tensor."""
        cache = {
            name: as_length(x) if isinstance(x, int) else x for name, x in (cache or {}).items()
        }
        return NestedTensor(values.detach(), offsets, _metadata_cache=cache)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """The gradient of the values."""
        return grad._values, None, None


def buffer_from_jagged(jagged: Any) -> Any:
    """The values of a nested tensor; older programs call it."""
    return ViewBufferFromNested.apply(jagged)


def _nt_view_dummy() -> Any:
    """A nested tensor that only says that one is wanted."""
    return making.dummy(None)
