"""Loops whose kernels are functions of the kernel language: the host's machine code, or a GPU's."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import state, symbolic
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native.lowlevel import Function, Module


class Nest(NamedTuple):
    """What a function's operands look like.

    Args:
        sizes: one per dimension, innermost first
        strides: for each operand, its byte stride in each dimension
        kinds: for each operand, (how it is found, its element size); see `Loop`
        kernel_dims: how many dimensions the function walks itself
        splittable: the dimensions that threads may share
        memories: the operands' types in memory, where numbers are among them
        tables: the words of operands that the loop itself holds, by their places
    """

    sizes: Sequence[int]
    strides: Sequence[Sequence[int]]
    kinds: Sequence[tuple[int, int]]
    kernel_dims: int
    splittable: Sequence[int]
    memories: Sequence[str] = ()
    tables: Mapping[int, Sequence[int]] = {}

    @property
    def alone(self) -> int:
        """How many of the function's dimensions no threads share; they come first."""
        own = [d for d in range(self.kernel_dims) if d not in self.splittable]
        if own != list(range(len(own))):
            raise ValueError(f"dimensions {own} of {self.kernel_dims} are not the innermost ones")
        return len(own)


def function_loop(module: Module, function: Function, nest: Nest, work: int) -> Loop:
    """The loop of a function of a module, wherever this thread's loops are planned for.

    Args:
        module: the module
        function: takes the addresses of the operands' pointers, of sizes and strides
        nest: its operands
        work: the bytes that are moved, or as much computing as moving so many would cost
    """
    planner = state.thread.planner
    if planner is not None:
        return planner.function_loop(module, function, nest)  # type: ignore[no-any-return]
    held: dict[int, Any] = {k: symbolic.words(words) for k, words in nest.tables.items()}
    offsets = [ctypes.addressof(held[k]) if k in held else 0 for k in range(len(nest.kinds))]
    return Loop(
        module.address(function), nest.sizes, nest.strides, nest.kinds, nest.kernel_dims,
        nest.splittable, work, offsets, held,
    )  # fmt: skip
