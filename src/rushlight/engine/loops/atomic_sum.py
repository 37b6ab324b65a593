"""Sums in places that several threads add to at once."""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops.indexed_kernel import IndexedKernel
from rushlight.engine.native.lowlevel import Pointer, load
from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import is_float

# What the hardware adds in one step, by the type in memory.
ADDED = {"f32": "float", "f64": "double", "i32": "i32", "i64": "i64"}


class AtomicSum(IndexedKernel):
    """A scatter that adds, whatever thread an element belongs to; the order of the additions is open."""

    def apply(self, near: Pointer, far: Pointer) -> None:
        kind = ADDED[self.memory]
        value: Any = load(near, kind, int(self.memory[1:]) // 8)
        what = "fadd" if is_float(kind) else "add"
        here().let(f"atomicrmw {what} {far}, {value} monotonic")
