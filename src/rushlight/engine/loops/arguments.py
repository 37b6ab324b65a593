"""What a kernel of the kernel language is called with: its operands and sizes, read at its start."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.native.lowlevel import Pointer, entry


class KernelOperand:
    """Where an operand lies, and how many bytes there are from index to index of each dimension."""

    def __init__(self, base: Pointer, stride: Sequence[int]) -> None:
        self.base = base
        self.stride = stride

    def at(self, dim: int, index: int, base: Pointer | None = None) -> Pointer:
        """The operand's place at an index along a dimension."""
        return (self.base if base is None else base) + index * self.stride[dim]


class Arguments:
    """A kernel's operands and the sizes of its dimensions."""

    def __init__(
        self, data: Pointer, sizes: Pointer, strides: Pointer, operands: int, dims: int
    ) -> None:
        bases = [entry(data, k, "ptr") for k in range(operands)]
        self.size: list[int] = [entry(sizes, d, "i64") for d in range(dims)]
        stride = [
            [entry(strides, d * operands + k, "i64") for k in range(operands)] for d in range(dims)
        ]
        self.operands = [
            KernelOperand(base, [stride[d][k] for d in range(dims)]) for k, base in enumerate(bases)
        ]
