"""A kernel's parameters as names in its text."""

from __future__ import annotations

from rushlight.engine.native.lowlevel import Text


class Frame:
    """A kernel's parameters, read once at its start."""

    def __init__(self, text: Text, operands: int, dims: int) -> None:
        self.text = text
        self.bases = [self._load("ptr", "%data", k) for k in range(operands)]
        self.size = [self._load("i64", "%sizes", d) for d in range(dims)]
        self.stride = [
            [self._load("i64", "%strides", d * operands + k) for k in range(operands)]
            for d in range(dims)
        ]

    def _load(self, type: str, table: str, index: int) -> str:
        where = self.text.let(f"getelementptr {type}, ptr {table}, i64 {index}")
        return self.text.let(f"load {type}, ptr {where}")

    def at(self, operand: int, dim: int, index: str, base: str | None = None) -> str:
        """The operand's address at an index along a dimension."""
        offset = self.text.let(f"mul i64 {index}, {self.stride[dim][operand]}")
        return self.text.let(f"getelementptr i8, ptr {base or self.bases[operand]}, i64 {offset}")
