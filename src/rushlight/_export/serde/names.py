"""What types, layouts and functions are called in files."""

from __future__ import annotations

import math
import operator
from typing import Any

import rushlight
import rushlight._higher_order_ops.wrap
from rushlight._higher_order_ops.operator import HigherOrderOperator, registered
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx._names import _as_torch

__all__ = ["DTYPES", "LAYOUTS", "MEMORY_FORMATS", "OPERATIONS", "function_of", "name_of"]

SCHEMA_VERSION = (8, 20)
TORCH_VERSION = "2.13.0"

DTYPES: dict[Any, int] = {
    rushlight.uint8: 1, rushlight.int8: 2, rushlight.int16: 3, rushlight.int32: 4,
    rushlight.int64: 5, rushlight.float16: 6, rushlight.float32: 7, rushlight.float64: 8,
    rushlight.complex32: 9, rushlight.complex64: 10, rushlight.complex128: 11, rushlight.bool: 12,
    rushlight.bfloat16: 13, rushlight.uint16: 28, rushlight.float8_e4m3fn: 29,
    rushlight.float8_e5m2: 30, rushlight.float8_e4m3fnuz: 31, rushlight.float8_e5m2fnuz: 32,
    rushlight.uint32: 34, rushlight.uint64: 35,
}  # fmt: skip
LAYOUTS: dict[Any, int] = {
    rushlight.sparse_coo: 1, rushlight.sparse_csr: 2, rushlight.sparse_csc: 3,
    rushlight.sparse_bsr: 4, rushlight.sparse_bsc: 5, rushlight.strided: 7,
}  # fmt: skip
MEMORY_FORMATS: dict[Any, int] = {
    rushlight.contiguous_format: 1, rushlight.channels_last: 2, rushlight.channels_last_3d: 3,
    rushlight.preserve_format: 4,
}  # fmt: skip

# Functions of numbers, which no schema describes.
OPERATIONS: frozenset[Any] = frozenset({
    operator.eq, operator.ne, operator.le, operator.ge, operator.lt, operator.gt, operator.neg,
    operator.pos, operator.mul, operator.add, operator.sub, operator.floordiv, operator.mod,
    operator.pow, operator.truediv, operator.and_, operator.or_, operator.lshift, operator.rshift,
    math.trunc, rushlight.sym_not, rushlight.sym_int, rushlight.sym_float, rushlight.sym_ite,
    rushlight.sym_max, rushlight.sym_min,
})  # fmt: skip


def name_of(target: Any) -> str:
    """What files call an operator or a function."""
    if isinstance(target, Operator):
        return f"torch.ops.{target!s}"
    if isinstance(target, HigherOrderOperator):
        return f"torch.ops.higher_order.{target.name()}"
    return f"{_as_torch(_home_of(target))}.{target.__name__}"


def _home_of(target: Any) -> str:
    if getattr(rushlight, target.__name__, None) is target:
        return "torch"
    return str(target.__module__)


def function_of(name: str) -> Any:
    """The operator or function that files call so."""
    if name.startswith("_operator."):
        return getattr(operator, name.partition(".")[2])
    if name.startswith("math."):
        return getattr(math, name.partition(".")[2])
    if name.startswith("torch.ops.higher_order."):
        return registered[name.rpartition(".")[2]]
    found: Any = rushlight
    for part in name.split(".")[1:]:
        if not hasattr(found, part):
            raise SerializeError(f"We failed to resolve {name} to an operator.")
        found = getattr(found, part)
    return found


class SerializeError(RuntimeError):
    """A program cannot be written or read."""
