"""Places in sorted rows, for a GPU: a thread finds one by halves."""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops.ptx_text import GpuKernel, special
from rushlight.engine.native.lowlevel import divided, inlined, load, store


class Search(GpuKernel):
    """The kernel. Its sizes are the number of keys, the length of a row, the keys of a row, and how far rows lie apart.

    Args:
        right: whether a place is behind equal keys, and not before them
        ordered: whether the order of a row is given by places of its elements
    """

    def __init__(self, right: bool, ordered: bool) -> None:
        super().__init__(["i64"] * (3 + ordered), 4)
        self.right, self.ordered = right, ordered

    @inlined
    def run(self) -> None:
        width = special("ntid.x")
        first = special("ctaid.x") * width + special("tid.x")
        for index in range(first, self.sizes[0], special("nctaid.x") * width):
            self.one(index)

    @inlined
    def one(self, index: Any) -> None:
        """The place of one key."""
        start = divided(index, self.sizes[2]) * self.sizes[3]
        key = load(self.pointers[2] + index * 8)
        low = self.sizes[0] * 0
        high = self.sizes[1] + 0
        while low < high:
            middle = divided(low + high, 2)
            place = start + middle
            if self.ordered:
                place = start + load(self.pointers[3] + place * 8)
            found = load(self.pointers[1] + place * 8)
            if self.right:
                if found <= key:
                    low = middle + 1
                else:
                    high = middle
            elif found < key:
                low = middle + 1
            else:
                high = middle
        store(self.pointers[0] + index * 8, low)
