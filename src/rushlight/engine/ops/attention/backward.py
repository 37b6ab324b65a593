"""The gradients of attention: weights are computed again from the kept logarithms of their sums.

Queries go in bands, so that the scores of all pairs are never in memory together; a causal band
looks at no key behind its last query.
"""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.generated import functions
from rushlight.engine.generated.calls import attention as calls
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value, select
from rushlight.engine.ops.kinds.pointwise import pointwise
from rushlight.engine.ops.kinds.views import composite

# A band has about so many scores, and at least so many rows.
BAND, LEAST_ROWS = 1 << 21, 64
# Causal bands have at most so many rows: scores behind a row's place are computed for nothing.
CAUSAL_ROWS = 128


@pointwise("_attention_weights", promote="float")
def attention_weights(scores: Value, logsumexp: Value, scale: Value) -> Value:
    """The softmax, given the logarithm of the sum of exponentials."""
    return maths.exp(scores * scale - logsumexp)


@pointwise("_masked_attention_weights", promote="float")
def masked_attention_weights(scores: Value, mask: Value, logsumexp: Value, scale: Value) -> Value:
    """The same of scores that a mask is added to; zero in rows in which nothing counts."""
    whole = select(logsumexp == -math.inf, math.inf, logsumexp)
    return maths.exp(scores * scale + mask - whole)


@pointwise("_attention_scores_gradient", promote="float")
def scores_gradient(grad: Value, weights: Value, mean: Value, scale: Value) -> Value:
    """From the gradients of weights to those of scores; ``mean`` is their weighted mean."""
    return (grad - mean) * weights * scale


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
    return _in_bands(grad, query, key, value, out, logsumexp, causal, mask, factor)


def _in_bands(
    grad: Any, query: Any, key: Any, value: Any, out: Any, logsumexp: Any, causal: bool, mask: Any,
    scale: float,
) -> tuple[Any, Any, Any]:  # fmt: skip
    batch, heads, count, _ = query._size
    length = key._size[2]
    rows = max(LEAST_ROWS, BAND // (batch * heads * length))
    rows = min(rows, CAUSAL_ROWS) if causal else rows
    mean = (grad * out).sum(-1, keepdim=True)
    sums = logsumexp.unsqueeze(-1)
    turned_key, turned_value = key.transpose(-2, -1), value.transpose(-2, -1)
    d_queries: list[Any] = []
    d_key: Any = None
    d_value: Any = None
    # The longest band comes first: the others are added to a part of what it gives.
    for start in reversed(range(0, count, rows)):
        stop = min(start + rows, count)
        seen = min(stop, length) if causal else length
        band = [t[:, :, start:stop] for t in (grad, query, mean, sums)]
        d_out, q, m, s = band
        scores = q.matmul(turned_key[..., :seen])
        if mask is None:
            weights = calls._attention_weights(scores, s, scale)
        else:
            part = mask[..., start:stop, :] if mask._size[-2] > 1 else mask
            weights = calls._masked_attention_weights(scores, part, s, scale)
        if causal:
            weights.tril_(start)
        scores = calls._attention_scores_gradient(
            d_out.matmul(turned_value[..., :seen]), weights, m, scale
        )
        d_queries.append(scores.matmul(key[:, :, :seen]))
        of_key = scores.transpose(-2, -1).matmul(q)
        of_value = weights.transpose(-2, -1).matmul(d_out)
        if d_key is None:
            d_key, d_value = _padded(of_key, length), _padded(of_value, length)
        else:
            d_key[:, :, :seen].add_(of_key)
            d_value[:, :, :seen].add_(of_value)
    d_query = functions.cat(d_queries[::-1], 2) if len(d_queries) > 1 else d_queries[0]
    return d_query, d_key, d_value


def _padded(grad: Any, length: int) -> Any:
    """With zeros for the keys that no query has seen."""
    missing = length - grad._size[2]
    return functions.constant_pad_nd(grad, [0, 0, 0, missing]) if missing else grad


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
