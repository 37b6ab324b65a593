"""Which of several tiles, each a function of its own, covers what is left of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rushlight.engine.native.lowlevel import inlined


@inlined
def choose_tile(
    heights: Sequence[int],
    vectors: int,
    height: int,
    width: int,
    unit: int,
    call: Callable[[int, int], None],
) -> None:
    """Call the tile that just covers a height and a width.

    Args:
        heights: the tiles' heights, the tallest first
        vectors: how many vectors the widest tiles have
        height: the height to be covered
        width: the width to be covered
        unit: how much of it a vector covers
        call: calls the tile of so many rows and vectors
    """
    for wide in range_down(vectors):
        if wide == 1 or width > (wide - 1) * unit:
            for k, high in enumerate(heights):
                if k + 1 == len(heights) or height > heights[k + 1]:
                    call(high, wide)
                    return


def range_down(count: int) -> list[int]:
    """``count, …, 2, 1``."""
    return [*range(count, 0, -1)]
