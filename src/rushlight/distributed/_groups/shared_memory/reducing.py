"""Kernels that combine what several processes contributed, element by element."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.loops import map_kernel
from rushlight.engine.loops.expr import maximum, minimum
from rushlight.engine.loops.kernels import kernel_address

__all__ = ["MOST_SOURCES", "computed_as", "kernel"]

# More sources than that are combined in several steps.
MOST_SOURCES = 8

_Op = ReduceOp.RedOpType
_ORDERED = (_Op.MIN, _Op.MAX)
_BITWISE = {_Op.BAND: "and", _Op.BOR: "or", _Op.BXOR: "xor"}
# Half precision is added up in single precision.
_WIDER = {"f16": "f32", "bf16": "f32"}


def computed_as(op: Any, dtype: dtypes.dtype) -> tuple[str, str, int]:
    """What is done to elements of a type: a name, the memory type, how many numbers an element is.

    Raises:
        RuntimeError: if such elements cannot be combined like that
    """
    memory, numbers = dtype.memory, 1
    if dtype.is_complex:
        if op in _ORDERED or op in _BITWISE:
            raise RuntimeError(f"ReduceOp.{op.name} does not work with complex tensors ({dtype})")
        if op is not _Op.PRODUCT:
            memory, numbers = dtype.to_real().memory, 2
    if op in _BITWISE:
        if dtype.is_floating_point:
            raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype {dtype}")
        return _BITWISE[op], memory, numbers
    if memory == "bool":
        return "and" if op in (_Op.PRODUCT, _Op.MIN) else "or", memory, numbers
    names = {_Op.SUM: "sum", _Op.AVG: "sum", _Op.PREMUL_SUM: "sum", _Op.PRODUCT: "product"}
    return names.get(op) or op.name.lower(), memory, numbers


_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "min": minimum,
    "max": maximum,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def _text(name: str, memory: str, sources: int, divisor: int) -> str:
    def body(*values: Any) -> Any:
        result = functools.reduce(_TWO[name], values)
        # whole numbers are divided towards zero
        return result if divisor == 1 else result / divisor

    kinds = [_WIDER.get(memory, memory)] * sources
    return map_kernel.map_ir(body, [memory], [memory] * sources, kinds, "c" * (sources + 1))


def kernel(name: str, memory: str, sources: int, divisor: int = 1) -> int:
    """The address of the kernel that combines so many sources and divides what comes out.

    Its operands are the target, then the sources, each of them contiguous; the target may be a source.
    """
    return kernel_address(_text, name, memory, sources, divisor)


def combine(
    target: int, sources: list[int], count: int, dtype: dtypes.dtype, op: Any, ranks: int
) -> None:
    """Combine contiguous elements at some addresses, of which there are any number."""
    name, memory, numbers = computed_as(op, dtype)
    rest = list(sources)
    while True:
        now, rest = rest[:MOST_SOURCES], rest[MOST_SOURCES:]
        divisor = ranks if op is _Op.AVG and not rest else 1
        words = ctypes.c_int64 * (len(now) + 1)
        steps = (ctypes.c_int64 * (2 * len(now) + 2))()
        sizes = (ctypes.c_int64 * 2)(count * numbers, 1)
        run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(
            kernel(name, memory, len(now), divisor)
        )
        run(words(target, *now), sizes, steps)
        if not rest:
            return
        rest.insert(0, target)
