"""Causal masks whose sizes may differ, told apart by the corner in which they begin."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.overrides import DisableTorchFunctionSubclass

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """The corner from which a mask's diagonal starts."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask that `scaled_dot_product_attention` knows.

    As a tensor it is the mask itself: true where a query may look at a key.

    Args:
        variant: where the diagonal starts
        seq_len_q: how many queries there are
        seq_len_kv: how many keys there are
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        shift = seq_len_kv - seq_len_q if variant is CausalVariant.LOWER_RIGHT else 0
        mask = rushlight.ones(seq_len_q, seq_len_kv, dtype=rushlight.bool).tril(shift)
        made: CausalBias = mask.as_subclass(cls)
        made.variant = variant
        made.seq_len_q = seq_len_q
        made.seq_len_kv = seq_len_kv
        return made

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if variant is CausalVariant.LOWER_RIGHT and seq_len_q > seq_len_kv:
            warnings.warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > "
                "seq_len_kv!",
                stacklevel=3,
            )

    def _materialize(self, device: Any = None) -> Tensor:
        """The mask as a plain tensor."""
        with DisableTorchFunctionSubclass():
            plain: Any = self.as_subclass(Tensor)
            return plain if device is None else plain.to(device)

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        with DisableTorchFunctionSubclass():
            if func is F.scaled_dot_product_attention:
                return _attention(*args, **kwargs)
            return func(*args, **kwargs)


def _attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Attention under a causal mask, which needs no storage where it starts at the upper left."""
    if is_causal:
        raise ValueError("CausalBias should not be used with causal=True")
    others: dict[str, Any] = {"dropout_p": dropout_p, "scale": scale, "enable_gqa": enable_gqa}
    fits = attn_mask.shape == (query.shape[-2], key.shape[-2])
    square = attn_mask.seq_len_q == attn_mask.seq_len_kv
    if fits and (square or attn_mask.variant is CausalVariant.UPPER_LEFT):
        return F.scaled_dot_product_attention(query, key, value, is_causal=True, **others)
    mask = attn_mask._materialize(query.device)
    return F.scaled_dot_product_attention(query, key, value, mask, **others)


def causal_upper_left(*size: int) -> CausalBias:
    """A mask of so many queries and keys, the first query of which sees the first key."""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """A mask of so many queries and keys, the last query of which sees all keys."""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
