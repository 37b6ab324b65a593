"""Attention over sequences of different lengths: of each by itself, without padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import view as views
from rushlight.engine.core import nested
from rushlight.engine.core.nested import is_nested
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.nested import words
from rushlight.engine.transforms.nested.words import like, rank, values_of


def attend(
    attention: Callable[..., Tensor], query: Tensor, key: Tensor, value: Tensor, mask: Any,
    dropout: float, is_causal: bool, scale: float | None, shared: bool,
) -> Any:  # fmt: skip
    """Attention where some sequences are nested.

    Args:
        attention: the same for dense tensors
        query, key, value: [batch, heads, length, width]
        mask: refused for the layout ``jagged``
        dropout, is_causal, scale, shared: as for dense tensors
    """
    if any(nested.is_jagged(x) for x in (query, key, value)):
        check(query, key, value, mask)
        parts = nested.parts_of(query)
        rest = (dropout, is_causal, scale, shared)
        if parts.ragged == 1 and min(map(rank, (query, key, value))) > 3:
            # The batch is ragged, the sequences are not.
            return like(query, attention(*map(values_of, (query, key, value)), mask, *rest))
    else:
        rest = (dropout, is_causal, scale, shared)
    found = []
    for k, (q, one, other) in enumerate(zip(*map(sequences, (query, key, value)))):
        own = None if mask is None else mask[k] if rank(mask) == rank(query) else mask
        found.append(attention(q, one, other, own, *rest))
    if nested.is_jagged(query):
        # [length, heads, width] lie as the kernel has left them.
        turned = [views.transpose_int(views.squeeze_dim(x, 0), 0, 1) for x in found]
        along = nested.parts_of(query).along
        if along != 1 or rank(query) != 4:
            return words.joined(query, [views.squeeze_dim(x, 0) for x in found], along)
        return views.transpose_int(words.joined(query, turned, 0), 1, 2)
    return words.of_elements([views.squeeze_dim(x, 0) for x in found])


def sequences(x: Tensor) -> list[Tensor]:
    """The elements of a batch, each as a batch of one."""
    parts = words.elements(x) if is_nested(x) else views.unbind_int(x, 0)
    return [views.unsqueeze(e, 0) for e in parts]


def check(query: Tensor, key: Tensor, value: Tensor, mask: Any) -> None:
    """Raise for what cannot attend."""
    given = (query, key, value)
    if not all(nested.is_jagged(x) for x in given):
        raise ValueError(
            "Expected query, key, and value to be nested tensors, but got query.is_nested: "
            f"{is_nested(query)}, key.is_nested: {is_nested(key)}, and value.is_nested: "
            f"{is_nested(value)} instead."
        )
    if len({x._dtype_ for x in given}) != 1:
        raise ValueError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query._dtype_}, key.dtype: {key._dtype_}, and value.dtype: {value._dtype_} instead."
        )
    if min(map(rank, given)) < 3:
        raise ValueError(
            "Expected query, key, and value to all be at least 3 dimensional, but got query.dim: "
            f"{rank(query)}, key.dim: {rank(key)} and value.dim: {rank(value)} instead."
        )
    ragged = [nested.parts_of(x).ragged for x in given]
    if len(set(ragged)) != 1:
        raise ValueError(
            "Expected query, key, and value to all be ragged on the same dimension, but got ragged "
            f"dims {ragged[0]}, {ragged[1]}, and {ragged[2]}, respectively."
        )
    if mask is not None:
        raise ValueError("Masks are not yet supported!")
