"""Attention whose scores and masks are functions of positions.

The functions are called once, with tensors of positions that broadcast against each other, and the
scores of all pairs are computed. Blocks that a mask leaves out are noted but not skipped.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask",
    "flex_attention", "noop_mask", "or_masks",
]  # fmt: skip

MaskMod = Callable[[Any, Any, Any, Any], Any]
ScoreMod = Callable[[Any, Any, Any, Any, Any], Any]

_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """What else attention is to give."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What else attention has given."""

    lse: Any = None
    max_scores: Any = None


def noop_mask(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Any:
    """Every pair counts."""
    return rushlight.ones((), dtype=rushlight.bool)


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """Pairs that all masks let through."""
    _check_callable(mask_mods)

    def both(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        found = rushlight.ones((), dtype=rushlight.bool)
        for mask in mask_mods:
            found = found & mask(b, h, q_idx, kv_idx)
        return found

    return both


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """Pairs that some mask lets through."""
    _check_callable(mask_mods)

    def either(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        found = rushlight.zeros((), dtype=rushlight.bool)
        for mask in mask_mods:
            found = found | mask(b, h, q_idx, kv_idx)
        return found

    return either


def _check_callable(mask_mods: tuple[Any, ...]) -> None:
    if not all(callable(mask) for mask in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def _positions(*sizes: int, device: Any) -> list[Any]:
    """For each size, its positions, along a dimension of their own."""
    return [
        rushlight.arange(n, device=device).reshape([-1 if k == d else 1 for k in range(len(sizes))])
        for d, n in enumerate(sizes)
    ]


def _is_score_mod(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    count = sum(p.default is p.empty and p.kind in (0, 1) for p in parameters)
    if count not in (4, 5):
        raise ValueError(
            "mod_fn should have 4 positional arguments (a mask) or 5 (a change of scores), but it "
            f"has {count}"
        )
    return count == 5


def create_mask(
    mod_fn: Any, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = "cpu"
) -> Any:
    """The whole mask of a function, for a batch, heads, queries and keys."""
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    places = _positions(*sizes, device=device)
    if _is_score_mod(mod_fn):
        found = ~rushlight.isneginf(mod_fn(rushlight.zeros(sizes, device=device), *places))
    else:
        found = mod_fn(*places)
    return found.expand(sizes).contiguous().to(device)


class BlockMask:
    """A mask together with the blocks of pairs that it lets through.

    Args:
        seq_lengths: how many queries and keys there are
        kv_num_blocks: for each block of queries, how many blocks of keys count in part
        kv_indices: which ones, those that count first
        full_kv_num_blocks: how many blocks count as a whole
        full_kv_indices: which ones
        BLOCK_SIZE: how many queries and keys a block has
        mask_mod: the mask as a function
    """

    def __init__(
        self, seq_lengths: tuple[int, int], kv_num_blocks: Any, kv_indices: Any,
        full_kv_num_blocks: Any, full_kv_indices: Any, BLOCK_SIZE: tuple[int, int],
        mask_mod: MaskMod,
    ) -> None:  # fmt: skip
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch, heads, queries and keys."""
        return (*self.kv_indices.shape[:2], *self.seq_lengths)

    def to_dense(self) -> Any:
        """Ones for the blocks that count, in part or as a whole."""
        where = self.kv_indices.device
        dense = rushlight.zeros(self.kv_indices.shape, dtype=rushlight.int32, device=where)
        columns = rushlight.arange(dense.shape[-1], device=where)
        for counts, indices in (
            (self.kv_num_blocks, self.kv_indices),
            (self.full_kv_num_blocks, self.full_kv_indices),
        ):
            valid = (columns < counts.unsqueeze(-1)).to(rushlight.int32)
            dense = dense.scatter_add(-1, indices.long(), valid)
        return dense

    def sparsity(self) -> float:
        """The share of pairs in blocks that do not count, in percent."""
        counted = float(self.to_dense().sum()) * math.prod(self.BLOCK_SIZE)
        return 100.0 * (1 - counted / math.prod(self.shape))

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def _ordered(blocks: Any) -> tuple[Any, Any]:
    """How many blocks count in each row, and all columns with those that count first."""
    counts = blocks.sum(-1, dtype=rushlight.int32)
    order = blocks.to(rushlight.int32).argsort(dim=-1, descending=True, stable=True)
    return counts, order.to(rushlight.int32)


def create_block_mask(
    mask_mod: MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: Any = _DEFAULT_SPARSE_BLOCK_SIZE, _compile: bool = False,
) -> BlockMask:  # fmt: skip
    """A mask, and which blocks of pairs it lets through."""
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    if device is None:
        device = rushlight.accelerator.current_accelerator() or "cpu"
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    borders = [-n % step for n, step in zip((Q_LEN, KV_LEN), size)]
    wide = rushlight.nn.functional.pad(mask, (0, borders[1], 0, borders[0]))
    rows, columns = wide.shape[2] // size[0], wide.shape[3] // size[1]
    blocks = wide.reshape(*wide.shape[:2], rows, size[0], columns, size[1])
    counts = blocks.sum((3, 5))
    whole = counts == size[0] * size[1]
    partial = (counts > 0) & ~whole
    return BlockMask((Q_LEN, KV_LEN), *_ordered(partial), *_ordered(whole), size, mask_mod)


def _check(query: Any, key: Any, value: Any, block_mask: BlockMask | None, gqa: bool) -> None:
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if not query.dtype == key.dtype == value.dtype:
        raise ValueError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype}, key.dtype: {key.dtype}, and value.dtype: {value.dtype} instead."
        )
    heads, shared = query.size(1), key.size(1)
    if not gqa and heads != shared:
        raise ValueError(
            "Expect query and key/value to have the same number of heads but got "
            f"Hq={heads} and Hkv={shared}. Try setting enable_gqa=True for GQA."
        )
    if heads % shared:
        raise ValueError(
            "Expect number of query heads to be a multiple of kv heads for GQA but got "
            f"Hq={heads} and Hkv={shared}."
        )
    if block_mask is not None:
        lengths = (query.size(-2), key.size(-2))
        if lengths != tuple(block_mask.seq_lengths):
            raise ValueError(
                f"block_mask was created for block_mask.shape={block_mask.shape} but got "
                f"q_len={lengths[0]} and kv_len={lengths[1]}."
            )


def flex_attention(
    query: Any, key: Any, value: Any, score_mod: ScoreMod | None = None,
    block_mask: BlockMask | None = None, scale: float | None = None, enable_gqa: bool = False,
    return_lse: bool = False, kernel_options: Any = None, *, return_aux: AuxRequest | None = None,
) -> Any:  # fmt: skip
    """Attention with scores and masks that are functions of positions.

    Args:
        query: batch, heads, queries, features
        key: batch, heads, keys, features
        value: batch, heads, keys, features
        score_mod: from a score, batch, head, query and key to another score
        block_mask: the pairs that count
        scale: a factor on the scores; one over the root of the features without it
        enable_gqa: let several heads of queries share one of keys
        return_lse: give also the logarithms of the sums that weights were divided by
        kernel_options: accepted; there is but one way here
        return_aux: what else to give, as an `AuxOutput`
    """
    _check(query, key, value, block_mask, enable_gqa)
    if query.size(1) != key.size(1):
        times = query.size(1) // key.size(1)
        key, value = (x.repeat_interleave(times, dim=1) for x in (key, value))
    scale = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    precise = rushlight.float64 if query.dtype is rushlight.float64 else rushlight.float32
    scores = (query @ key.transpose(-2, -1)).to(precise) * scale
    places = _positions(*scores.shape, device=scores.device)
    if score_mod is not None:
        scores = score_mod(scores, *places).to(precise).expand(scores.shape)
    if block_mask is not None:
        scores = scores.masked_fill(~block_mask.mask_mod(*places), -math.inf)
    nothing = (scores == -math.inf).all(-1, keepdim=True)
    weights = scores.softmax(-1).masked_fill(nothing, 0.0)
    output = weights.to(query.dtype) @ value
    if return_aux is None and not return_lse:
        return output
    lse = scores.logsumexp(-1)
    if return_aux is None:
        return output, lse
    largest = scores.amax(-1) if return_aux.max_scores else None
    return output, AuxOutput(lse if return_aux.lse else None, largest)
