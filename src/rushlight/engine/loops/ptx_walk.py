"""Kernels of the CPU's calling convention on a GPU: each thread runs them for its own indices.

What goes through elements in order (scans), or moves them to places that other elements name, is written once,
for one element at a time. A thread calls it with the inner dimensions as they are, once for each of its indices
of the outer ones. What the CPU keeps in tables of words is given by value, and copied to the thread's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.engine.loops.ptx_text import GpuKernel, special
from rushlight.engine.native.lowlevel import (
    Pointer,
    Value,
    divided,
    inlined,
    intrinsic,
    left_over,
    load,
    store,
)
from rushlight.engine.native.lowlevel.memory import room
from rushlight.engine.native.lowlevel.values import WORD

Body = Callable[[Pointer, Pointer, Pointer], None]


class Walk(GpuKernel):
    """A kernel that each thread runs for its own indices of the outer dimensions.

    Args:
        body: the kernel, as a function of the kernel language: pointers, sizes, strides
        memories: the operands' types in memory
        dims: how many dimensions there are
        inner: how many of them the body goes through
        body_dims: how many it takes; those beyond ``inner`` are of one element
        tables: how many words operands have that are tables, by their places
        status: the table in which the body reports an element that is wrong, which ends the kernel
    """

    def __init__(
        self, body: Body, memories: Sequence[str], dims: int, inner: int, body_dims: int,
        tables: Mapping[int, int], status: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(memories, dims, list(tables))
        self.numbers = {
            k: [Value(WORD, f"%number{k}_{w}") for w in range(count)] for k, count in tables.items()
        }
        self.body, self.inner, self.body_dims, self.status = body, inner, body_dims, status
        self.operands = len(memories)

    @inlined
    def run(self) -> None:
        data = room(8 * self.operands)
        sizes = room(8 * self.body_dims)
        strides = room(8 * self.body_dims * self.operands)
        self.lay_out(sizes, strides)
        tables = self.given_tables(data)
        width = special("ntid.x")
        first = special("ctaid.x") * width + special("tid.x")
        for outer in range(first, self.outer_count(), special("nctaid.x") * width):
            self.point(data, outer)
            self.begin(tables, outer)
            self.body(data, sizes, strides)
            if self.status >= 0:  # noqa: SIM102 (Python decides this, the kernel what follows)
                if load(tables[self.status]) != 0:
                    intrinsic("void", "llvm.trap")

    def lay_out(self, sizes: Pointer, strides: Pointer) -> None:
        """Write the sizes and strides that the body sees."""
        for d in range(self.body_dims):
            is_inner = d < self.inner
            store(sizes + 8 * d, self.sizes[d] if is_inner else 1)
            for k in range(self.operands):
                step = self.strides[d][k] if is_inner and k in self.strides[d] else 0
                store(strides + 8 * (d * self.operands + k), step)

    def given_tables(self, data: Pointer) -> dict[int, Pointer]:
        """Copy tables to the stack; where they are."""
        found = {}
        for k, words in self.numbers.items():
            found[k] = room(8 * self.room_of(k, words))
            for w, word in enumerate(words):
                store(found[k] + 8 * w, word)
            store(data + 8 * k, found[k])
        return found

    def room_of(self, k: int, words: Sequence[Any]) -> int:
        """How many words a table takes."""
        return len(words)

    def begin(self, tables: dict[int, Pointer], outer: int) -> None:
        """What a thread does before it runs the body for an index."""

    def outer_count(self) -> Any:
        total: Any = 1
        for size in self.sizes[self.inner :]:
            total = size if isinstance(total, int) else total * size
        return total

    def point(self, data: Pointer, outer: Any) -> None:
        """Write where the operands are at an index of the outer dimensions."""
        places = []
        for size in self.sizes[self.inner : -1]:
            places.append(left_over(outer, size))
            outer = divided(outer, size)
        places.append(outer)
        for k, pointer in self.pointers.items():
            offset: Any = 0
            for place, strides in zip(places, self.strides[self.inner :]):
                offset = offset + place * strides[k]
            store(data + 8 * k, pointer + offset)
