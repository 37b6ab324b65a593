"""Which of several tiles, each a function of its own, covers what is left of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rushlight.engine.loops.ir_text import Text


def choose_tile(
    text: Text,
    heights: Sequence[int],
    vectors: int,
    height: str,
    wider: Callable[[int], str],
    call: Callable[[int, int], None],
) -> None:
    """Add code that calls the tile that just covers a height and a width.

    Args:
        text: where the code goes
        heights: the tiles' heights, the tallest first
        vectors: how many vectors the widest tiles have
        height: the height to be covered
        wider: the condition that the width takes more vectors than these
        call: adds the call of a tile of so many rows and vectors
    """

    def by_rows(wide: int, k: int) -> list[str]:
        if k + 1 == len(heights):
            call(heights[k], wide)
            return []
        tall = text.let(f"icmp sgt i64 {height}, {heights[k + 1]}")

        def this() -> list[str]:
            call(heights[k], wide)
            return []

        text.when(tall, this, lambda: by_rows(wide, k + 1))
        return []

    def by_width(wide: int) -> list[str]:
        if wide == 1:
            return by_rows(1, 0)
        text.when(wider(wide - 1), lambda: by_rows(wide, 0), lambda: by_width(wide - 1))
        return []

    by_width(vectors)
