"""Attention by one kernel that never has all scores in memory."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.loops.attention_kernel import attention_ir, spare
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native import machine
from rushlight.engine.ops.attention.sizes import fits
from rushlight.engine.ops.kinds.elementwise import copy_loop, numbers_in_memory, shaped
from rushlight.engine.ops.kinds.nests import Steps, facts
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)
from rushlight.engine.ops.kinds.products import OPERATIONS_PER_BYTE

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
        query, key, value = self.inputs[:3]
        steps = Steps(2, len(self.inputs))
        batch, heads, count, width = query._size
        if not self.specs[0][0] or not math.prod(self.specs[0][0]):
            return steps.finish()
        kind = computed_in(query._dtype)
        shared, length = key._size[1:3]
        deep = value._size[3]
        keys, of_keys = self._keys(steps, kind)
        query_place, of_query = self._given(steps, 0, kind)
        value_place, of_value = self._given(steps, 2, kind)
        out_place, of_out = ("out", 0), facts(targets[0])[1]
        if kind is not query._dtype or (of_out[3] != 1 and deep > 1):
            template, out_place = steps.add_scratch(self.specs[0][0], kind)
            of_out = template.stride
        of_sums = facts(targets[1])[1]
        # Heads that share keys and values come together.
        repeat = heads // shared

        def strides(given: Ints, along: Ints, of_shared: bool = False) -> list[int]:
            """Of the four dimensions of the kernel, then heads in a group, groups, the batch."""
            head = [0, given[1]] if of_shared else [given[1], repeat * given[1]]
            return [n * kind.itemsize for n in (*along, *head, given[0])]

        rows = np.arange(count, dtype=np.int64)
        number = numbers_in_memory(self.scale, kind.memory)
        nests = [
            strides(of_out, [0, 0, 1, of_out[2]]),
            strides(of_sums, [0, 0, 0, of_sums[2]]),
            strides(of_query, [0, of_query[3], 0, of_query[2]]),
            strides(of_keys, [1, of_keys[3], 0, 0], True),
            strides(of_value, [of_value[2], 0, 1, 0], True),
        ]
        places: list[Any] = [out_place, ("out", 1), query_place, keys, value_place]
        masked = len(self.inputs) > 3
        if masked:
            place, of_mask = self._given(steps, 3, kind)
            whole = (batch, heads, count, length)
            of_mask = geometry.expanded_strides(whole, self.inputs[3]._size, tuple(of_mask))
            nests.append(strides(of_mask, [1, 0, 0, of_mask[2]]))
            places.append(place)
        item = kind.itemsize
        kinds = [(objects.TENSOR_OPERAND, item)] * len(places)
        offsets = [0] * len(places)
        for address, stride in ((rows.ctypes.data, 8), (ctypes.addressof(number), 0)):
            nests.append([0, 0, 0, stride, 0, 0, 0])
            places.append(0)
            kinds.append((objects.CONSTANT_OPERAND, item))
            offsets.append(address)
        pairs = batch * heads * count * length // (2 if self.causal else 1)
        loop = Loop(
            machine.address(attention_ir(kind.memory, self.causal, masked)),
            [length, width, deep, count, repeat, shared, batch],
            nests,
            kinds,
            4,
            [3, 4, 5, 6],
            2 * pairs * (width + deep) // OPERATIONS_PER_BYTE,
            offsets,
            (rows, number),
        )
        steps.add(loop, places)
        if out_place != ("out", 0):
            target = shaped(self.specs[0][0], facts(targets[0])[1], query._dtype)
            source = shaped(self.specs[0][0], of_out, kind)
            steps.add(copy_loop(target, source), [("out", 0), out_place])
        return steps.finish()

    def _keys(self, steps: Steps, kind: dtype) -> tuple[Any, Ints]:
        """The keys with their elements apart."""
        key = self.inputs[1]
        batch, heads, length, width = key._size
        # Rows an odd number of cache lines apart do not compete for the same places in a cache.
        pitch = (length + 31) // 32 * 32 + 16
        total = batch * heads * pitch * width
        _, place = steps.add_scratch((total + spare(kind.memory),), kind)
        stride = [heads * width * pitch, width * pitch, 1, pitch]
        if total:
            target = shaped(key._size, stride, kind)
            loop = copy_loop(target, shaped(key._size, key._stride, key._dtype))
            steps.add(loop, [place, ("in", 1)])
        return place, stride

    def _given(self, steps: Steps, k: int, kind: dtype) -> tuple[Any, Ints]:
        """An input in the type that is computed in, contiguous along its last dimension."""
        size, stride, own = facts(self.inputs[k])
        if own is kind and (stride[-1] == 1 or (size[-1] == 1 and k < 3) or k == 0):
            return ("in", k), stride
        template, place = steps.add_scratch(size, kind)
        if math.prod(size):
            steps.add(copy_loop(template, shaped(size, stride, own)), [place, ("in", k)])
        return place, template.stride


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
    batch, heads, count, width = query._size
    deep = value._size[3]
    # Heads are next to each other, as whatever joins them wants it.
    stride = (count * heads * deep, deep, heads * deep, 1)
    kind = query._dtype
    specs: list[Spec] = [
        ((batch, heads, count, deep), stride, kind),
        contiguous_spec((batch, heads, count), computed_in(kind)),
    ]
    given = (query, key, value) if attn_mask is None else (query, key, value, attn_mask)
    factor = 1 / math.sqrt(width) if scale is None else scale
    return Attention(given, is_causal, factor, specs)
