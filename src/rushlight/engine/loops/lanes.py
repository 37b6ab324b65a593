"""Whole vectors of one element type, as kernels that multiply and add use them."""

from __future__ import annotations

from rushlight.engine.loops.expr import BITS
from rushlight.engine.loops.ir_text import llvm_type
from rushlight.engine.loops.target import Target
from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Scalar,
    Vector,
    broadcast,
    constant,
    first_lanes,
    load,
    load_masked,
    multiply_add,
    store,
    store_masked,
    vector_of,
)


class Lanes:
    """The vectors of an element type on a target."""

    def __init__(self, type: str, target: Target) -> None:
        self.type = llvm_type(type)
        self.name = type
        self.item = BITS[type] // 8
        self.lanes = target.vector_bytes // self.item
        self.vector = vector_of(self.lanes, self.type)
        self.vector_bytes = self.lanes * self.item
        self.zero = constant(0, self.vector)
        self.target = target

    def load(self, place: Pointer) -> Vector:
        return load(place, self.vector)

    def store(self, place: Pointer, value: Vector) -> None:
        store(place, value, self.item)

    def mask(self, count: int) -> Mask:
        """True in the first ``count`` lanes."""
        return first_lanes(count, self.lanes)

    def load_some(self, place: Pointer, mask: Mask) -> Vector:
        """The lanes that the mask has, zeros in the others."""
        return load_masked(place, self.vector, mask)

    def store_some(self, place: Pointer, value: Vector, mask: Mask) -> None:
        store_masked(place, value, mask)

    def spread(self, element: Scalar) -> Vector:
        """One element in every lane."""
        return broadcast(element, self.lanes)

    def load_element(self, place: Pointer) -> Vector:
        """The element at a place in every lane."""
        return self.spread(load(place, self.type))

    def multiply_add(self, a: Vector, b: Vector, c: Vector) -> Vector:
        """``a * b + c``; of real numbers rounded once where the processor can."""
        if self.name[0] == "f" and self.target.fma:
            return multiply_add(a, b, c)
        return a * b + c
