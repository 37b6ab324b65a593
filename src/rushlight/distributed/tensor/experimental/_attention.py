"""Attention over sequences in parts: each process has some positions of all sequences.

Queries stay where they are; keys and values of all positions are gathered. With a causal mask, early positions have little to
do and late ones much, so each process gets a piece from the front of the sequence and one as far from its end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed._functional_collectives import all_gather_tensor
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.engine.native.records import dataclass
from rushlight.nn import functional as F
from rushlight.overrides import TorchFunctionMode

__all__ = ["context_parallel", "context_parallel_unshard", "set_rotate_method"]


_attention: Any = F.scaled_dot_product_attention


@dataclass
class _ContextParallelOptions:
    """How sequences are cut.

    Args:
        enable_load_balance: whether each process gets a piece from the front and one from the end
    """

    enable_load_balance: bool = True


_cp_options = _ContextParallelOptions()


def _positions(length: int, count: int, device: Any) -> torch.Tensor:
    """The positions of a sequence, process after process."""
    every = torch.arange(length, device=device)
    balanced = _cp_options.enable_load_balance and count > 1
    pieces = 2 * count if balanced else count
    if length % pieces:
        raise ValueError(
            f"context_parallel: a sequence of {length} positions cannot be cut into {pieces} equal pieces for "
            f"{count} processes"
        )
    if not balanced:
        return every
    cut = every.view(pieces, -1)
    return torch.stack([cut[:count], cut[count:].flip(0)], 1).flatten()


class _Attention(TorchFunctionMode):
    """Lets `scaled_dot_product_attention` look at all positions."""

    def __init__(self, mesh: DeviceMesh) -> None:
        super().__init__()
        self.mesh = mesh

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is _attention:
            return self.attend(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def attend(
        self,
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        **options: Any,
    ) -> Any:
        """Attention of this process's queries to all keys."""
        if attn_mask is not None:
            raise NotImplementedError("context_parallel: attention with attn_mask")
        group, count, rank = self.mesh.get_group(), self.mesh.size(), self.mesh.get_local_rank()
        every = [all_gather_tensor(x, x.dim() - 2, group) for x in (key, value)]
        mask = None
        if is_causal:
            own = query.shape[-2]
            order = _positions(own * count, count, query.device)
            mask = order[rank * own : (rank + 1) * own, None] >= order[None]
        return _attention(query, *every, attn_mask=mask, dropout_p=dropout_p, **options)


@contextlib.contextmanager
def context_parallel(
    mesh: DeviceMesh,
    *,
    buffers: list[torch.Tensor] | None = None,
    buffer_seq_dims: list[int] | None = None,
    no_restore_buffers: set[torch.Tensor] | None = None,
) -> Iterator[None]:
    """A block in which each process has some positions of sequences, and attention looks at all of them.

    Args:
        mesh: the processes, in one dimension
        buffers: tensors of whole sequences, which have this process's positions within the block
        buffer_seq_dims: for each of them, the dimension of positions
        no_restore_buffers: those that need not be whole again behind the block
    """
    given, dims = buffers or [], buffer_seq_dims or []
    if len(given) != len(dims):
        raise ValueError("`seq_dims` must have the same number of elements as `buffers`.")
    kept = no_restore_buffers or set()
    if not all(any(one is other for other in given) for one in kept):
        raise ValueError("`no_restore_buffers` must be a subset of `buffers`.")
    wholes = [None if any(b is one for one in kept) else b.clone() for b in given]
    count, rank = mesh.size(), mesh.get_local_rank()
    with torch.no_grad():
        for buffer, dim in zip(given, dims):
            order = _positions(buffer.shape[dim], count, buffer.device)
            _set(buffer, buffer.index_select(dim, order.chunk(count)[rank]))
    try:
        with _Attention(mesh):
            yield
    finally:
        with torch.no_grad():
            for buffer, whole in zip(given, wholes):
                if whole is not None:
                    _set(buffer, whole)


def _set(buffer: Any, value: Any) -> None:
    """Give a tensor another size, and these elements."""
    buffer.resize_(value.shape)
    buffer.copy_(value)


def context_parallel_unshard(
    mesh: DeviceMesh, buffers: Sequence[torch.Tensor], seq_dims: Sequence[int]
) -> list[torch.Tensor]:
    """Whole sequences, of the positions that processes have.

    Args:
        mesh: the processes
        buffers: what this process has
        seq_dims: for each of them, the dimension of positions
    """
    found = []
    for buffer, dim in zip(buffers, seq_dims, strict=True):
        whole = all_gather_tensor(buffer, dim, mesh.get_group())
        order = _positions(whole.shape[dim], mesh.size(), whole.device)
        found.append(whole.index_select(dim, order.argsort()))
    return found


def set_rotate_method(rotate_method: str) -> None:
    """Choose how keys and values come to all processes: only "allgather" is there."""
    if rotate_method != "allgather":
        raise NotImplementedError(
            f"Context Parallel does not support using {rotate_method} for kv shards rotation"
        )
