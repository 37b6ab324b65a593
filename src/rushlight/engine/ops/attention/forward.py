"""Attention head by head, and in bands of queries, so that the scores never leave the cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.size import contiguous_strides, is_dense
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry, maths
from rushlight.engine.loops.expr import select
from rushlight.engine.loops.reductions import max_of, sum_of
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import formats
from rushlight.engine.ops.attention.heads import Heads, bands
from rushlight.engine.ops.attention.sizes import fits
from rushlight.engine.ops.kinds.elementwise import copy_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)

Ints = Sequence[int]


def computed_in(kind: dtype) -> dtype:
    """The type that attention computes in."""
    return dtypes.float64 if kind is dtypes.float64 else dtypes.float32


@dataclass
class Attention(Request):
    """Attention of queries, keys, values and perhaps a mask, all of four dimensions."""

    inputs: tuple[Tensor, ...]
    causal: bool
    scale: float
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(2, len(self.inputs))
        size, own, kind = self.specs[0][0], self.specs[0][2], self.specs[1][2]
        batch, count, width = size[0], size[2], self.inputs[0]._size_[3]
        shared, length, deep = self.inputs[2]._size_[1:]
        given = [self._given(chain, k, kind) for k in range(len(self.inputs))]
        out = ("out", 0), facts(targets[0])[1]
        if kind is not own or (out[1][3] != 1 and deep > 1):
            template, place = chain.add_scratch(size, kind)
            out = place, template.stride
        heads = Heads(chain, kind, batch, shared, size[1] // shared)
        query, result = heads.given(*given[0]), heads.given(*out)
        sums = heads.given(("out", 1), (*facts(targets[1])[1], 0))
        key, value = (heads.given(*given[k], shared=True) for k in (1, 2))
        mask = None
        if len(given) > 3:
            place, stride = given[3]
            mask_size = self.inputs[3]._size_
            stride = geometry.expanded_strides((*size[:3], length), mask_size, tuple(stride))
            mask = heads.given(place, stride)
        every = bands(count, length, self.causal)
        scores = heads.scratch(every[-1].rows, length)
        largest, total = (heads.scratch(every[-1].rows, 1) for _ in range(2))
        turned = heads.turned(key, length, width, len(every) > 1)
        for band in every:
            start, rows, seen = band
            heads.scores(scores, query, turned, mask, band, width, self.scale, self.causal)
            heads.reduce(max_of(kind.memory), rows, seen, largest, scores)
            heads.apply(_weight, rows, seen, scores, scores, largest.over_columns)
            heads.reduce(sum_of(kind.memory), rows, seen, total, scores)
            part = result.at(start)
            heads.product(part, scores, value, rows, deep, seen)
            heads.apply(_logarithm, rows, 1, sums.at(start), largest, total)
            heads.apply(_share, rows, 1, total, total)
            heads.apply(lambda x, share: x * share, rows, deep, part, part, total.over_columns)
        heads.finish()
        if out[0] != ("out", 0):
            target = shaped(size, facts(targets[0])[1], own)
            chain.add(copy_loop(target, shaped(size, out[1], kind)), [("out", 0), out[0]])
        return chain.finish()

    def _given(self, chain: ChainBuilder, k: int, kind: dtype) -> tuple[Any, Ints]:
        """An input in the type that is computed in."""
        size, stride, own = facts(self.inputs[k])
        if own is kind:
            return ("in", k), stride
        template, place = chain.add_scratch(size, kind)
        chain.add(copy_loop(template, shaped(size, stride, own)), [place, ("in", k)])
        return place, template.stride


def _weight(score: Any, largest: Any) -> Any:
    """A weight relative to the largest; zero where no score counts."""
    return maths.exp(score - select(largest == -math.inf, 0.0, largest))


def _logarithm(largest: Any, total: Any) -> Any:
    """The logarithm of the sum of exponentials."""
    return select(total == 0.0, -math.inf, largest + maths.log(total))


def _share(total: Any) -> Any:
    return select(total == 0.0, 0.0, 1.0 / total)


def _strides_like(query: Tensor) -> tuple[int, ...]:
    """The query's own strides, also those over one element, if nothing lies between its elements."""
    if is_dense(query._size_, query._stride_):
        return query._stride_
    return formats.strides_like(query, None)


@planned("_scaled_dot_product_flash_attention_for_cpu")
def attention(
    query: Tensor, key: Tensor, value: Tensor, dropout_p: float, is_causal: bool,
    attn_mask: Tensor | None, scale: float | None,
) -> Request:  # fmt: skip
    if not fits(query, key, value):
        raise RuntimeError(
            "_scaled_dot_product_flash_attention_for_cpu: expected queries, keys and values of "
            "four dimensions that fit each other and are not empty"
        )
    if dropout_p > 0:
        raise RuntimeError(
            "_scaled_dot_product_flash_attention_for_cpu: Currently do not support dropout > 0"
        )
    batch, heads, count, width = query._size_
    deep = value._size_[3]
    shape = (batch, heads, count, deep)
    # Queries with heads next to each other give such results.
    is_alike = deep == width and query._stride_[3] == 1
    stride = _strides_like(query) if is_alike else contiguous_strides(shape)
    kind = query._dtype_
    specs: list[Spec] = [
        (shape, stride, kind),
        contiguous_spec((batch, heads, count), computed_in(kind)),
    ]
    given = (query, key, value) if attn_mask is None else (query, key, value, attn_mask)
    factor = 1 / math.sqrt(width) if scale is None else scale
    return Attention(given, is_causal, factor, specs)
