"""The gradients of attention: weights are recomputed from the kept logarithms of their sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import attention as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.generated import functions
from rushlight.engine.loops import geometry, maths
from rushlight.engine.loops.expr import select
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.attention.heads import Heads, bands
from rushlight.engine.ops.kinds.elementwise import fill_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    planned,
)
from rushlight.engine.ops.kinds.products import dot_of
from rushlight.engine.ops.kinds.views import composite


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
        kind = self.inputs[1]._dtype_
        chain = ChainBuilder(3, len(self.inputs))
        batch, _, count, width = self.inputs[1]._size_
        groups, length, deep = self.inputs[3]._size_[1:]
        every = bands(count, length, self.causal)
        if every[0].seen < length:
            for k in (1, 2):
                chain.add(fill_loop(_template(targets[k]), 0), [("out", k)])
        heads = Heads(chain, kind, batch, groups)
        d_out, query, key, value, out = (
            heads.given(("in", k), self.inputs[k]._stride_) for k in range(5)
        )
        sums = heads.given(("in", 5), (*self.inputs[5]._stride_, 0))
        d_query, d_key, d_value = (heads.given(("out", k), facts(targets[k])[1]) for k in range(3))
        mask = None
        if len(self.inputs) > 6:
            whole, given = (batch, groups, count, length), self.inputs[6]
            stride = geometry.expanded_strides(whole, given._size_, given._stride_)
            mask = heads.given(("in", 6), stride)
        weights, scores = (heads.scratch(every[-1].rows, length) for _ in range(2))
        mean = heads.scratch(every[-1].rows, 1)
        turned_key = heads.turned(key, length, width, len(every) > 1)
        turned_value = heads.turned(value, length, deep, len(every) > 1)
        for band in every:
            start, rows, seen = band
            adds = band is not every[0]
            own, other = query.at(start), d_out.at(start)
            heads.scores(weights, query, turned_key, mask, band, width, self.scale, self.causal)
            heads.apply(_weight, rows, seen, weights, weights, sums.at(start))
            heads.product(scores, other, turned_value, rows, seen, deep)
            heads.reduce(dot_of(kind.memory), rows, deep, mean, other, out.at(start))
            heads.apply(_turned, rows, seen, scores, scores, weights, mean.over_columns)
            heads.product(d_query.at(start), scores, key, rows, width, seen, self.scale)
            heads.product(d_key, scores.turned, own, seen, width, rows, self.scale, adds)
            heads.product(d_value, weights.turned, other, seen, deep, rows, adds=adds)
        heads.finish()
        return chain.finish()


def _weight(score: Any, sum: Any) -> Any:
    """The weight of a score, given the logarithm of the row's sum; zero where nothing counts."""
    return maths.exp(score - select(sum == -math.inf, math.inf, sum))


def _turned(grad: Any, weight: Any, mean: Any) -> Any:
    """From the gradients of weights to those of scores; ``mean`` is their weighted mean."""
    return (grad - mean) * weight


def _template(target: Target) -> Template:
    return shaped(*facts(target))


@planned("_attention_gradients")
def attention_gradients(
    grad_out: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, logsumexp: Tensor,
    is_causal: bool, scale: float, attn_mask: Tensor | None,
) -> Request:  # fmt: skip
    specs: list[Spec] = []
    for x in (query, key, value):
        _, heads, count, width = x._size_
        # Heads are next to each other, as whatever gave them wants it.
        specs.append((x._size_, (count * heads * width, width, heads * width, 1), x._dtype_))
    given = (grad_out, query, key, value, out, logsumexp)
    masks = () if attn_mask is None else (attn_mask,)
    return Gradients((*given, *masks), is_causal, scale, specs)


def gradients(
    grad: Any, query: Any, key: Any, value: Any, out: Any, logsumexp: Any, causal: bool, mask: Any,
    scale: float | None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The gradients of queries, keys and values."""
    factor = 1 / math.sqrt(query._size_[3]) if scale is None else scale
    kind = query._dtype_
    if kind in (dtypes.float16, dtypes.bfloat16):
        q, k, v = (t.to(dtypes.float32) for t in (query, key, value))
        grad, out = grad.to(dtypes.float32), out.to(dtypes.float32)
        found = gradients(grad, q, k, v, out, logsumexp, causal, mask, scale)
        return tuple(t.to(kind) for t in found)  # type: ignore[return-value]
    if mask is not None:
        mask = mask.to(kind)
    if query._size_[1] != key._size_[1]:
        return _of_shared(gradients, grad, query, key, value, out, logsumexp, causal, mask, scale)
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
        seen = functions.ones(scores._size_[-2:], dtype=dtypes.bool_, device=query.device).tril()
        hidden = seen.logical_not()
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


def library_gradients(
    grad: Any, query: Any, key: Any, value: Any, out: Any, logsumexp: Any, mask: Any, scale: float, causal: bool,
    dropout: float, seed: Any, offset: Any,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The gradients of an attention by a library, which makes them of half precision, and of shared heads, too."""
    if state.thread.grad_enabled:
        if dropout:
            raise RuntimeError(
                "derivative for aten::_cudnn_attention_gradients is not implemented: weights are dropped, and "
                f"dropout_p is {dropout}"
            )
        if query._size_[1] != key._size_[1]:
            return _of_shared(_recorded, grad, query, key, value, causal, mask, scale)
        return _recorded(grad, query, key, value, causal, mask, scale)
    if not grad.is_contiguous():
        grad = grad.contiguous()
    return calls._cudnn_attention_gradients(  # type: ignore[no-any-return]
        grad, query, key, value, out, logsumexp, mask, scale, causal, dropout, seed, offset
    )


def _of_shared(
    function: Callable[..., tuple[Any, Any, Any]], grad: Any, query: Any, key: Any, value: Any, *others: Any
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The gradients where several heads of queries share one of keys and values, by what makes them without that."""
    shared = key._size_[1]
    each = query._size_[1] // shared
    k, v = (t.repeat_interleave(each, 1) for t in (key, value))
    d_query, *found = function(grad, query, k, v, *others)
    d_key, d_value = (t.unflatten(1, (shared, each)).sum(2) for t in found)
    return d_query, d_key, d_value
