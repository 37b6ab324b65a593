"""Attention whose scores and masks are functions, which is not there yet."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

__all__ = ["AuxRequest", "BlockMask", "create_block_mask", "create_mask", "flex_attention"]

_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """What else attention is to give."""

    lse: bool = False
    max_scores: bool = False


class BlockMask:
    """A mask by blocks, which cannot be made yet."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse("BlockMask")


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"torch.nn.attention.flex_attention.{name}: rushlight has no flex attention yet"
    )


def create_mask(*args: Any, **kwargs: Any) -> Any:
    """Raises: there is no flex attention yet."""
    _refuse("create_mask")


def create_block_mask(*args: Any, **kwargs: Any) -> Any:
    """Raises: there is no flex attention yet."""
    _refuse("create_block_mask")


def flex_attention(*args: Any, **kwargs: Any) -> Any:
    """Raises: there is no flex attention yet."""
    _refuse("flex_attention")
