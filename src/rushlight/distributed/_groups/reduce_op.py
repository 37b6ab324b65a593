"""How a collective combines what processes contribute."""

from __future__ import annotations

import enum
from typing import Any

__all__ = ["ReduceOp", "premultiplied"]


class RedOpType(enum.Enum):
    """The ways to combine."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8
    UNUSED = 9

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReduceOp):
            return self is other.op
        return self is other

    __hash__ = object.__hash__

    def __call__(self, factor: Any) -> ReduceOp:
        """A sum of values that were multiplied by a factor before."""
        if self is not RedOpType.PREMUL_SUM:
            raise TypeError(f"{self} takes no factor")
        return premultiplied(factor)


class ReduceOp:
    """A way to combine, with what belongs to it. Programs use its members: ``ReduceOp.SUM``.

    Args:
        op: the way
    """

    RedOpType = RedOpType
    SUM, AVG, PRODUCT = RedOpType.SUM, RedOpType.AVG, RedOpType.PRODUCT
    MIN, MAX = RedOpType.MIN, RedOpType.MAX
    BAND, BOR, BXOR = RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR
    PREMUL_SUM = RedOpType.PREMUL_SUM

    def __init__(self, op: Any = RedOpType.SUM) -> None:
        if isinstance(op, ReduceOp):
            self.op: RedOpType = op.op
            self.factor: Any = op.factor
            return
        if not isinstance(op, RedOpType):
            raise TypeError(f"a ReduceOp is made of one of its members, not of {op!r}")
        self.op, self.factor = op, None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReduceOp):
            return self.op is other.op and self.factor is other.factor
        return self.op is other

    def __hash__(self) -> int:
        return hash(self.op)

    def __repr__(self) -> str:
        return f"ReduceOp({self.op})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.op is RedOpType.PREMUL_SUM:
            return premultiplied, (self.factor,)
        return ReduceOp, (self.op,)

    def __copy__(self) -> ReduceOp:
        return ReduceOp(self)

    def __deepcopy__(self, memo: Any) -> ReduceOp:
        return ReduceOp(self)


def premultiplied(factor: Any) -> ReduceOp:
    """A sum of values that each process multiplies before: by a number, or a tensor of one element."""
    made = ReduceOp(RedOpType.PREMUL_SUM)
    made.factor = factor
    return made
