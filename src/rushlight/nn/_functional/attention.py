"""`scaled_dot_product_attention` and `multi_head_attention_forward`."""

from __future__ import annotations

import math
from typing import Any

import rushlight
from rushlight.engine.calls import attention
from rushlight.engine.core import library_settings
from rushlight.engine.dispatch import autocasting, layers
from rushlight.engine.dispatch.call_cache import remembered
from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.generated import functions, nn_functions
from rushlight.engine.ops.attention.sizes import fits
from rushlight.nn._functional.masks import added, as_added

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


def _causal_mask(query: Any, key: Any) -> Any:
    """True where a position may look: at itself and before."""
    size = (query.size(-2), key.size(-2))
    return functions.ones(size, dtype=rushlight.bool, device=query.device).tril()  # type: ignore[attr-defined]


def _check_attention(query: Any, key: Any, value: Any, mask: Any, is_causal: bool) -> None:
    if is_causal and mask is not None:
        raise RuntimeError(
            "scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
        )
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead."
        )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if mask is not None and not _fits(mask, query.dtype):
        raise RuntimeError(
            f"Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {mask.dtype} and  query.dtype: {query.dtype} instead."
        )


def _fits(mask: Any, dtype: Any) -> bool:
    return mask.dtype in (rushlight.bool, rushlight.float32, dtype)  # type: ignore[attr-defined]


def _shared_heads(query: Any, given: Any) -> Any:
    """Every head of keys or values for all the query's heads that share it."""
    heads, fewer = query.size(-3), given.size(-3)
    if fewer == 0 or heads % fewer:
        raise RuntimeError(
            "Number of heads in key and value must divide the number of heads in query"
        )
    return given.repeat_interleave(heads // fewer, -3)


def _weights(scores: Any, allowed: Any) -> Any:
    """The softmax of the scores that count; zeros in rows in which none does."""
    if allowed is None:
        return scores.softmax(-1)
    weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
    return weights.masked_fill(~allowed.any(-1, keepdim=True), 0)


def _has_kernel(
    query: Any, key: Any, value: Any, mask: Any, dropout_p: float, shared: bool
) -> bool:
    """Whether one kernel does the whole."""
    if query.is_cuda or dropout_p > 0.0 or not fits(query, key, value):
        return False
    if not shared and query.size(1) != key.size(1):
        return False
    whole = (*query.shape[:3], key.size(2))
    return mask is None or (
        not mask.requires_grad
        and mask.dim() <= 4
        and all(n in (1, of) for n, of in zip(reversed(mask.shape), reversed(whole)))
    )


@remembered
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Means of values, weighted by the softmax of the keys' products with queries."""
    if layers.sees_whole():
        return rushlight.ops.aten.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    query, key, value, attn_mask = autocasting.lowered(query, key, value, attn_mask)
    if query.is_nested or key.is_nested or value.is_nested:
        # Loaded where there are nested tensors.
        from rushlight.engine.transforms.nested import attention as nested_attention

        rest = (attn_mask, dropout_p, is_causal, scale, enable_gqa)
        return nested_attention.attend(scaled_dot_product_attention, query, key, value, *rest)
    _check_attention(query, key, value, attn_mask, is_causal)
    if not library_settings.attention.math:
        # Loaded where programs ask for it.
        from rushlight.nn._functional import attention_choice as choice

        choice.check(choice.Given(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa))
    if _has_kernel(query, key, value, attn_mask, dropout_p, enable_gqa):
        return attention._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, 0.0, is_causal, added(attn_mask, query, key), scale
        )[0]
    if query.is_cuda:
        # Loaded where there is a GPU.
        from rushlight.nn._functional import library_attention

        made = library_attention.attend(
            query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa
        )
        if made is not None:
            return made
    if enable_gqa:
        key, value = _shared_heads(query, key), _shared_heads(query, value)
    if scale is None:
        scale = 1.0 / math.sqrt(query.size(-1)) if query.size(-1) else 1.0
    allowed = _causal_mask(query, key) if is_causal else None
    scores = (query * scale).matmul(key.transpose(-2, -1))
    if attn_mask is not None and attn_mask.dtype is rushlight.bool:  # type: ignore[attr-defined]
        allowed = attn_mask
    elif attn_mask is not None:
        scores = scores + attn_mask.to(query.dtype)
        allowed = (scores != -math.inf) if not attn_mask.requires_grad else None
    weights = _weights(scores, allowed)
    if dropout_p > 0.0:
        weights = functions.dropout(weights, dropout_p, True)
    return weights.matmul(value)


# -- several heads --


def _check_shapes(
    query: Any, key: Any, value: Any, padding: Any, mask: Any, is_causal: bool, heads: int
) -> bool:
    """Whether there is a batch; raise if the arguments don't fit each other."""
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor"
        )
    what = f"{'batched' if dims == 3 else 'unbatched'} ({dims}-D)"
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(
            f"For {what} `query`, expected `key` and `value` to be {dims}-D but found "
            f"{key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if padding is not None and padding.dim() != dims - 1:
        raise AssertionError(
            f"For {what} `query`, expected `key_padding_mask` to be `None` or {dims - 1}-D but "
            f"found {padding.dim()}-D tensor instead"
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {what} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{mask.dim()}-D tensor instead"
        )
    expected = (heads, query.shape[0], key.shape[0])
    if mask is not None and mask.dim() == 3 and dims == 2 and tuple(mask.shape) != expected:
        raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    if is_causal and mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )
    return bool(dims == 3)


def _in_projection(
    query: Any, key: Any, value: Any, weight: Any, bias: Any
) -> tuple[Any, Any, Any]:
    """Queries, keys and values by one weight; one product if they are of the same input."""
    if key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    linear = nn_functions.linear
    if query is key and key is value:
        return linear(query, weight, bias).chunk(3, -1)  # type: ignore[no-any-return]
    parts = weight.chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(linear(x, w, b) for x, w, b in zip((query, key, value), parts, biases))  # type: ignore[return-value]


def _apart(query: Any, key: Any, value: Any, weights: Any, bias: Any) -> Any:
    """Queries, keys and values by a weight each."""
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    linear = nn_functions.linear
    return (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))


def _one_more(mask: Any) -> Any:
    return None if mask is None else nn_functions.pad(mask, [0, 1])


@asking
def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Any, in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool,
    dropout_p: float, out_proj_weight: Any, out_proj_bias: Any, training: bool = True,
    key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None,
    v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> Any:  # fmt: skip
    """Attention of several heads over time-major sequences; also the weights if needed."""
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, is_causal, num_heads)
    key_padding_mask = as_added(key_padding_mask, "key_padding_mask", query.dtype)
    hidden_mask = is_causal and key_padding_mask is None and not need_weights
    attn_mask = None if hidden_mask else as_added(attn_mask, "attn_mask", query.dtype)
    if not batched:
        same = query is key and key is value
        query = query.unsqueeze(1)
        key, value = (query, query) if same else (key.unsqueeze(1), value.unsqueeze(1))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    each = _width_of_heads(width, embed_dim_to_check, num_heads)
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _apart(query, key, value, weights, in_proj_bias)
    else:
        q, k, v = _in_projection(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        attn_mask = _full_mask(attn_mask, length, key.size(0), batch * num_heads)
    if (bias_k is None) != (bias_v is None):
        raise AssertionError("bias_k and bias_v must be given together")
    if bias_k is not None:
        k = functions.cat([k, bias_k.repeat(1, batch, 1)])
        v = functions.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)

    def heads(x: Any) -> Any:
        return x.reshape(x.size(0), batch * num_heads, each).transpose(0, 1)

    q = heads(q)
    k = heads(k) if static_k is None else static_k
    v = heads(v) if static_v is None else static_v
    if add_zero_attn:
        nothing = k.new_zeros((batch * num_heads, 1, each))
        k, v = functions.cat([k, nothing], 1), functions.cat([v, nothing], 1)
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)
    mask = _with_padding(attn_mask, key_padding_mask, batch, num_heads, k.size(1))
    dropped = dropout_p if training else 0.0
    if need_weights:
        made, found = _attend_with_weights(q, k, v, mask, dropped)
    else:
        made, found = _attend(q, k, v, mask, dropped, hidden_mask, num_heads), None
    made = made.transpose(0, 1).reshape(length * batch, width)
    made = nn_functions.linear(made, out_proj_weight, out_proj_bias)
    made = made.reshape(length, batch, made.size(1))
    if found is not None:
        found = found.reshape(batch, num_heads, length, k.size(1))
        found = found.mean(1) if average_attn_weights else found
    if batched:
        return made, found
    return made.squeeze(1), None if found is None else found.squeeze(0)


def _width_of_heads(width: int, expected: int, heads: int) -> int:
    if width != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {width}")
    if width % heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {heads}")
    return width // heads


def _attend_with_weights(q: Any, k: Any, v: Any, mask: Any, dropped: float) -> tuple[Any, Any]:
    """Attention written out, so that its weights can be given."""
    scores = (q * math.sqrt(1.0 / q.size(-1))).bmm(k.transpose(-2, -1))
    found = (scores if mask is None else scores + mask).softmax(-1)
    if dropped > 0.0:
        found = functions.dropout(found, dropped, True)
    return found.bmm(v), found


def _attend(q: Any, k: Any, v: Any, mask: Any, dropped: float, hidden: bool, heads: int) -> Any:
    """Attention of all heads at once; ``hidden``: what comes later is masked, and no mask says so."""
    rows, length, each = q.shape
    batch = rows // heads
    q, k, v = (x.reshape(batch, heads, x.size(1), each) for x in (q, k, v))
    if mask is not None and mask.size(0) != 1:
        mask = mask.reshape(batch, heads, mask.size(1), k.size(2))
    made = scaled_dot_product_attention(q, k, v, mask, dropped, hidden)
    return made.reshape(rows, length, each)


def _with_padding(mask: Any, padding: Any, batch: int, heads: int, sources: int) -> Any:
    """The mask of attention together with that of padded keys."""
    if padding is None:
        return mask
    if tuple(padding.shape) != (batch, sources):
        raise AssertionError(
            f"expecting key_padding_mask shape of {(batch, sources)}, but got {padding.shape}"
        )
    wide = padding.reshape(batch, 1, 1, sources).expand(-1, heads, -1, -1)
    wide = wide.reshape(batch * heads, 1, sources)
    return wide if mask is None else mask + wide


def _full_mask(mask: Any, length: int, sources: int, rows: int) -> Any:
    """A mask with a dimension for batch and heads, checked."""
    expected = (length, sources) if mask.dim() == 2 else (rows, length, sources)
    if tuple(mask.shape) != expected:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask
