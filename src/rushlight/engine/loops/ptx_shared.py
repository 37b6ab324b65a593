"""Memory that the threads of a block share, and waiting for each other."""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops.ir_text import llvm_type
from rushlight.engine.loops.ptx_text import GpuKernel
from rushlight.engine.native.lowlevel import Pointer, Value, extended, intrinsic, narrowed
from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import let, lifted

PLACE = "ptr addrspace(3)"


class Shared:
    """Room for numbers of an expression type that all threads of a block see.

    Args:
        kernel: whose room it is
        type: the type of the numbers
        count: how many of them
    """

    def __init__(self, kernel: GpuKernel, type: str, count: int) -> None:
        self.name = f"@shared{len(kernel.shared)}"
        self.is_bool = type == "bool"
        self.kind = "i8" if self.is_bool else llvm_type(type)
        room = f"[{count} x {self.kind}]"
        kernel.shared.append(f"{self.name} = internal addrspace(3) global {room} undef, align 16")

    def place(self, index: Any) -> Pointer:
        return let(PLACE, f"getelementptr {self.kind}, {PLACE} {self.name}, {lifted(index)}")

    def read(self, index: Any) -> Value:
        value = let(self.kind, f"load {self.kind}, {self.place(index)}")
        return narrowed(value, "i1") if self.is_bool else value

    def write(self, value: Value, index: Any) -> None:
        if self.is_bool:
            value = extended(value, self.kind, signed=False)
        place = self.place(index)
        here().do(f"store {value}, {place}")


def barrier() -> None:
    """Wait for all threads of the block."""
    intrinsic("void", "llvm.nvvm.barrier0")
