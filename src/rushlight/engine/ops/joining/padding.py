"""Padding with a number, and joining chunks of padded tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import joining as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import formats, numbers
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import copy_loop, fill_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    planned,
)
from rushlight.engine.ops.kinds.views import composite


def padded_size(self: Tensor, pad: Sequence[int]) -> list[int]:
    """The size with the given numbers of elements before and after; the last dimension is first."""
    rank = len(self._size_)
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * rank:
        raise RuntimeError(
            f"Length of pad should be no more than twice the number of dimensions of the input. "
            f"Pad length is {len(pad)} while the input has {rank} dimensions."
        )
    size = list(self._size_)
    for k in range(len(pad) // 2):
        d, before, after = rank - 1 - k, pad[2 * k], pad[2 * k + 1]
        size[d] += before + after
        if size[d] < 0:
            raise RuntimeError(
                f"The input size {self._size_[d]}, plus negative padding {before} and {after}, "
                f"resulted in a negative output size, which is invalid. Check dimension {d} of "
                f"your input."
            )
    return size


@dataclass
class Padded(Request):
    """A number around a tensor; negative padding cuts off."""

    inputs: tuple[Tensor, ...]
    pad: Sequence[int]
    value: Any
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, 1)
        size, stride, kind = facts(self.inputs[0])
        whole, apart, _ = facts(targets[0])
        if not all(whole):
            return chain.finish()
        chain.add(fill_loop(shaped(whole, apart, kind), self.value), [("out", 0)])
        kept, to, start = list(size), 0, 0
        for k in range(len(self.pad) // 2):
            d, before, after = len(size) - 1 - k, self.pad[2 * k], self.pad[2 * k + 1]
            kept[d] += min(before, 0) + min(after, 0)
            to += max(before, 0) * apart[d]
            start += max(-before, 0) * stride[d]
        if all(n > 0 for n in kept):
            loop = copy_loop(shaped(kept, apart, kind), shaped(kept, stride, kind), to, start)
            chain.add(loop, [("out", 0), ("in", 0)])
        return chain.finish()


@planned("constant_pad_nd", exact=True)
def constant_pad_nd(self: Tensor, pad: Sequence[int], value: Any) -> Request:
    size = tuple(padded_size(self, pad))
    # Where nothing is added, nobody asks what with.
    fills = any(n > 0 for n in pad)
    number = numbers.checked_for_filling(value, self._dtype_) if fills else 0
    spec = size, formats.suggested_strides(size, self), self._dtype_
    return Padded((self,), tuple(pad), number, [spec])


@composite("_chunk_cat")
def chunk_cat(given: Sequence[Tensor], dim: int, num_chunks: int) -> Tensor:
    """Each tensor is cut into equal chunks, padded with zeros, and the k-th chunks are joined."""
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if not given:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    d = wrap_dim(dim, len(given[0]._size_))
    first = given[0]
    for t in given:
        if t._dtype_ is not first._dtype_:
            raise RuntimeError("_chunk_cat expects all input tensors to have the same dtype")
        if not t._numel_:
            raise RuntimeError("_chunk_cat expects non-empty tensor")
        if len(t._size_) <= d or t._size_[:d] != first._size_[:d]:
            raise RuntimeError(
                "_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors"
            )
    pieces = [_chunks(t, d, num_chunks) for t in given]
    return calls.cat(pieces, d + 1)


def _chunks(t: Tensor, d: int, count: int) -> Tensor:
    missing = -t._size_[d] % count
    behind = len(t._size_) - 1 - d
    if missing:
        t = calls.constant_pad_nd(t, [0, 0] * behind + [0, missing], 0)
    rest = math.prod(t._size_[d:]) // count
    return views.reshape(t, (*t._size_[:d], count, rest))


@composite("_chunk_cat.out")
def chunk_cat_out(given: Sequence[Tensor], dim: int, num_chunks: int, out: Tensor) -> Tensor:
    made = chunk_cat(given, dim, num_chunks)
    if made._dtype_ is not out._dtype_:
        raise TypeError(
            f"_chunk_cat: expected an out tensor of type {made._dtype_}, but got {out._dtype_}"
        )
    return outputs.copy_result(out, made)
