"""The gradients of attention: weights are computed again from the kept logarithms of their sums.

All is done for one head before the next one's turn, and for a band of its queries at a time, so that
the scores stay in cache; a causal band looks at no key behind its last query.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.generated import functions
from rushlight.engine.generated.calls import attention as calls
from rushlight.engine.loops import geometry, maths
from rushlight.engine.loops.expr import select
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, fill_loop, shaped
from rushlight.engine.ops.kinds.nests import Operand, Steps, Together, facts
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)
from rushlight.engine.ops.kinds.products import dot_of, matrix_loop
from rushlight.engine.ops.kinds.reduction import reduce_into
from rushlight.engine.ops.kinds.views import composite

# A band has about so many scores, and at least so many rows.
BAND, LEAST_ROWS = 1 << 16, 32
# Causal bands have at most so many rows: scores behind a row's place are computed for nothing.
CAUSAL_ROWS = 64


@dataclass
class _Part:
    """An operand of one head: where it is, and its strides along rows and elements."""

    place: Any
    rows: int
    elements: int

    def turned(self) -> _Part:
        return _Part(self.place, self.elements, self.rows)


@dataclass
class Gradients(Request):
    """The gradients of queries, keys and values.

    Args:
        inputs: the gradient of the result, queries, keys, values, the result, the logarithms of the
            sums of exponentials, and perhaps the mask
    """

    inputs: tuple[Tensor, ...]
    causal: bool
    scale: float
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        self.kind = self.inputs[1]._dtype
        steps = Steps(3, len(self.inputs))
        batch, heads, count, width = self.inputs[1]._size
        length, deep = self.inputs[3]._size[2:]
        seen = min(count, length) if self.causal else length
        if seen < length:
            for k in (1, 2):
                steps.add(fill_loop(_template(targets[k]), 0), [("out", k)])
        mean = self._mean(steps)
        dims = (heads, batch) if heads >= batch else (batch, heads)
        group = Together(steps, dims)

        def given(place: Any, stride: Sequence[int], kind: dtype = self.kind) -> _Part:
            outer = [stride[1], stride[0]] if heads >= batch else [stride[0], stride[1]]
            group.add_operand(place, [n * kind.itemsize for n in outer])
            return _Part(place, stride[2], stride[3])

        d_out, query, key, value = (given(("in", k), self.inputs[k]._stride) for k in range(4))
        sums = given(("in", 5), (*self.inputs[5]._stride, 0))
        means = given(*mean)
        results = [given(("out", k), facts(targets[k])[1]) for k in range(3)]
        mask = None
        if len(self.inputs) > 6:
            whole = (batch, heads, count, length)
            mask = given(
                ("in", 6),
                geometry.expanded_strides(whole, self.inputs[6]._size, self.inputs[6]._stride),
            )
        rows = min(count, max(LEAST_ROWS, BAND // length))
        rows = min(rows, CAUSAL_ROWS) if self.causal else rows
        # Rows an odd number of cache lines apart do not compete for the same places in a cache.
        pitch = length // 32 * 32 + 48
        buffers = []
        for _ in range(2):
            _, place = group.add_scratch((rows, pitch), self.kind)
            buffers.append(_Part(place, pitch, 1))
        weights, scores = buffers
        # The longest band comes first: the others are added to a part of what it gives.
        starts = list(reversed(range(0, count, rows)))
        for start in starts:
            high = min(rows, count - start)
            seen = min(start + high, length) if self.causal else length
            first = start == starts[0]

            def product(
                c: _Part, a: _Part, b: _Part, depth: int, size: tuple[int, int], *at: int,
                adds: bool = False,
            ) -> None:  # fmt: skip
                parts = [c, c, a, b] if adds else [c, a, b]
                strides = [
                    *([0, x.elements, x.rows] for x in parts[:-2]),
                    [a.elements, 0, a.rows],
                    [b.rows, b.elements, 0],
                ]
                offsets = [at[0], *at] if adds else at
                loop = matrix_loop(
                    [self.kind] * len(parts), self.kind, [depth, size[1], size[0]], strides,
                    offsets=offsets,
                )  # fmt: skip
                group.add(loop, [*(x.place for x in parts), 0])

            of_query, of_out = start * query.rows, start * d_out.rows
            product(weights, query, key.turned(), width, (high, seen), 0, of_query, 0)
            self._weigh(group, weights, sums, mask, start, high, seen)
            product(scores, d_out, value.turned(), deep, (high, seen), 0, of_out, 0)
            self._turn(group, scores, weights, means, start, high, seen)
            product(results[0], scores, key, seen, (high, width), start * results[0].rows, 0, 0)
            product(
                results[1], scores.turned(), query, high, (seen, width), 0, 0, of_query,
                adds=not first,
            )  # fmt: skip
            product(
                results[2], weights.turned(), d_out, high, (seen, deep), 0, 0, of_out,
                adds=not first,
            )  # fmt: skip
        group.finish()
        return steps.finish()

    def _mean(self, steps: Steps) -> tuple[Any, Sequence[int]]:
        """Of each query, the sum of its result times the result's gradient."""
        size = self.inputs[0]._size
        template, place = steps.add_scratch((*size[:3], 1), self.kind)
        views = [self.inputs[k] for k in (0, 4)]
        item = self.kind.itemsize
        ins = [
            Operand(("in", k), self.kind, [s * item for s in self.inputs[k]._stride])
            for k in (0, 4)
        ]
        outs = [Operand(place, self.kind, [s * item for s in (*template.stride[:3], 0)])]
        reduce_into(steps, dot_of(self.kind.memory), size, (3,), outs, ins, views)
        return place, (*template.stride[:3], 0)

    def _weigh(
        self, group: Together, weights: _Part, sums: _Part, mask: _Part | None, start: int,
        rows: int, seen: int,
    ) -> None:  # fmt: skip
        """Scores become the weights that they had."""
        scale = self.scale

        def weight(score: Any, sum: Any, *added: Any) -> Any:
            score = score * scale
            for x in added:
                score = score + x
            # Where nothing counts, weights are zero.
            if mask is not None:
                sum = select(sum == -math.inf, math.inf, sum)
            return maths.exp(score - sum)

        def part(first: int, last: int, hidden: Tensor | None) -> None:
            size = (rows, last - first)
            operands: list[Any] = [
                shaped(size, (weights.rows, 1), self.kind),
                shaped(size, (weights.rows, 1), self.kind),
                shaped(size, (sums.rows, 0), self.kind),
            ]
            places = [weights.place, weights.place, sums.place]
            offsets = [first, first, start * sums.rows]
            if mask is not None:
                operands.append(shaped(size, (mask.rows, mask.elements), self.kind))
                places.append(mask.place)
                offsets.append(start * mask.rows + first * mask.elements)
            if hidden is not None:
                operands.append(Constant(hidden, self.kind.memory))
                places.append(0)
                offsets.append(0)
            names = [self.kind.memory] * len(operands)
            loop = elementwise_loop(
                weight, operands[:1], operands[1:], names[:1], names[1:], names[1:],
                [n * self.kind.itemsize for n in offsets],
            )  # fmt: skip
            group.add(loop, places)

        if not self.causal or seen <= start:
            part(0, seen, None)
            return
        if start:
            part(0, start, None)
        place = np.arange(rows)
        hidden = np.where(place[:, None] >= np.arange(seen - start), 0.0, -math.inf)
        part(start, seen, bridge.tensor_of(hidden, self.kind))

    def _turn(
        self, group: Together, scores: _Part, weights: _Part, means: _Part, start: int, rows: int,
        seen: int,
    ) -> None:  # fmt: skip
        """From the gradients of weights to those of scores."""
        scale = self.scale
        operands = [
            shaped((rows, seen), strides, self.kind)
            for strides in ((scores.rows, 1), (scores.rows, 1), (weights.rows, 1), (means.rows, 0))
        ]
        names = [self.kind.memory] * 4
        offsets = (0, 0, 0, start * means.rows * self.kind.itemsize)
        loop = elementwise_loop(
            lambda grad, weight, mean: (grad - mean) * weight * scale,
            operands[:1], operands[1:], names[:1], names[1:], names[1:], offsets,
        )  # fmt: skip
        group.add(loop, [scores.place, scores.place, weights.place, means.place])


def _template(target: Target) -> Template:
    return shaped(*facts(target))


@planned("_attention_gradients")
def attention_gradients(
    grad_out: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, logsumexp: Tensor,
    is_causal: bool, scale: float, attn_mask: Tensor | None,
) -> Request:  # fmt: skip
    specs: list[Spec] = []
    for x in (query, key, value):
        _, heads, count, width = x._size
        # Heads next to each other stay so.
        apart = x._stride[1] < x._stride[2]
        stride = (count * heads * width, width, heads * width, 1)
        specs.append((x._size, stride, x._dtype) if apart else contiguous_spec(x._size, x._dtype))
    given = (grad_out, query, key, value, out, logsumexp)
    masks = () if attn_mask is None else (attn_mask,)
    return Gradients((*given, *masks), is_causal, scale, specs)


def gradients(
    grad: Any, query: Any, key: Any, value: Any, out: Any, logsumexp: Any, causal: bool, mask: Any,
    scale: float | None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The gradients of queries, keys and values."""
    factor = 1 / math.sqrt(query._size[3]) if scale is None else scale
    kind = query._dtype
    if kind in (dtypes.float16, dtypes.bfloat16):
        q, k, v = (t.to(dtypes.float32) for t in (query, key, value))
        grad, out = grad.to(dtypes.float32), out.to(dtypes.float32)
        found = gradients(grad, q, k, v, out, logsumexp, causal, mask, scale)
        return tuple(t.to(kind) for t in found)  # type: ignore[return-value]
    if mask is not None:
        mask = mask.to(kind)
    heads, shared = query._size[1], key._size[1]
    if heads != shared:
        k, v = (t.repeat_interleave(heads // shared, 1) for t in (key, value))
        d_query, *others = gradients(grad, query, k, v, out, logsumexp, causal, mask, scale)
        d_key, d_value = (t.unflatten(1, (shared, heads // shared)).sum(2) for t in others)
        return d_query, d_key, d_value
    if state.thread.grad_enabled:
        return _recorded(grad, query, key, value, causal, mask, factor)
    return calls._attention_gradients(  # type: ignore[no-any-return]
        grad, query, key, value, out, logsumexp, causal, factor, mask
    )


def _recorded(
    grad: Any, query: Any, key: Any, value: Any, causal: bool, mask: Any, scale: float
) -> tuple[Any, Any, Any]:
    """By operators that differentiate, from the operands alone."""
    scores = query.matmul(key.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores + mask
    if causal:
        hidden = functions.ones(scores._size[-2:], dtype=dtypes.bool_).tril().logical_not()
        scores = scores.masked_fill(hidden, -math.inf)
    weights = scores.softmax(-1)
    if mask is not None:
        none = (scores == -math.inf).all(-1, keepdim=True)
        weights = weights.masked_fill(none, 0)
    of_weights = grad.matmul(value.transpose(-2, -1))
    mean = (of_weights * weights).sum(-1, keepdim=True)
    of_scores = (of_weights - mean) * weights * scale
    return (
        of_scores.matmul(key),
        of_scores.transpose(-2, -1).matmul(query),
        weights.transpose(-2, -1).matmul(grad),
    )


@composite("_scaled_dot_product_flash_attention_for_cpu_backward")
def attention_backward(
    grad_out: Any, query: Any, key: Any, value: Any, out: Any, logsumexp: Any, dropout_p: float,
    is_causal: bool, attn_mask: Any, scale: float | None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    return gradients(grad_out, query, key, value, out, logsumexp, is_causal, attn_mask, scale)
