"""Ways to compute a product of matrices: what is copied, and what threads share.

Sizes decide by themselves. Who measures may say otherwise; the order of each sum, and so its bits, stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rushlight.engine.loops.matmul_kernel import copies_a, copies_b
from rushlight.engine.native import threads


class Way(NamedTuple):
    """How a product is computed; None leaves a question to its sizes.

    Args:
        packs: whether each thread copies B into slivers
        stacks: whether each thread copies A into stacks
        shared: the dimension that threads share, 1 for columns and 2 for rows; 0 for one thread
        copies: whether B is copied as a whole before, if its columns are not contiguous
    """

    packs: bool | None = None
    stacks: bool | None = None
    shared: int | None = None
    copies: bool = False

    def shared_dims(self, rank: int) -> Sequence[int]:
        """The dimensions that threads may share, of so many."""
        if self.shared is None:
            return range(1, rank)
        return (self.shared,) if self.shared else ()


BY_SIZES = Way()


def other_ways(
    shape: Sequence[int], strides: Sequence[Sequence[int]], itemsize: int
) -> dict[str, Way]:
    """The ways that are not the one that sizes lead to, by their names.

    Args:
        shape: the sizes of k, n, m and of the batch's dimensions
        strides: those of A and B over the shape, in elements
        itemsize: the bytes of an element
    """
    depth, columns, rows = shape[:3]
    a, b = strides
    turned = b[1] != 1
    packs = copies_b(turned, rows, depth, b[0] * itemsize)
    stacks = copies_a(columns, abs(a[2]) * itemsize, a[0] != 1)
    found = {"A not copied" if stacks else "A copied": Way(stacks=not stacks)}
    if turned:
        found["B transposed before"] = Way(copies=True)
    else:
        found["B not copied" if packs else "B copied"] = Way(packs=not packs)
    if threads.get_size() > 1:
        found["threads share rows"] = Way(shared=2)
        found["threads share columns"] = Way(shared=1)
        found["one thread"] = Way(shared=0)
    return found
