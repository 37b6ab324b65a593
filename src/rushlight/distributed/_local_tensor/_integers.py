"""Integers that differ between ranks: one `SymInt` stands for the values that all ranks have."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.engine.core.expressions import AT_MOST, DIFFERENT, EQUAL, HOLDS, LESS, PLAIN
from rushlight.engine.core.symbolic import SymInt

__all__ = ["LocalIntNode", "int_on_rank", "merged"]


def int_on_rank(value: Any, rank: int) -> Any:
    """What an integer is on a rank."""
    if isinstance(value, SymInt):
        value = value.trace
    return value._local_ints[rank] if isinstance(value, LocalIntNode) else value


def merged(values: Mapping[int, int]) -> Any:
    """One integer for those of all ranks: a plain one where all have the same."""
    first = next(iter(values.values()))
    if all(value == first for value in values.values()):
        return first
    return SymInt(LocalIntNode(values))


def _by_rank(function: Callable[..., int]) -> Callable[..., LocalIntNode]:
    """A function of integers as a method: it is called for each rank."""

    def method(self: LocalIntNode, *others: Any) -> LocalIntNode:
        return LocalIntNode(
            {
                r: function(v, *(int_on_rank(x, r) for x in others))
                for r, v in self._local_ints.items()
            }
        )

    return method


def _asked(operation: int, swap: bool = False) -> Callable[[LocalIntNode, Any], bool]:
    """A comparison as a method."""

    def method(self: LocalIntNode, other: Any) -> bool:
        return self.outcome(operation, *((other, self) if swap else (self, other)))

    return method


class LocalIntNode:
    """An integer for each rank. ``torch.SymInt(LocalIntNode({0: 3, 1: 4}))`` is what programs compute with.

    It is to its `SymInt` what a trace is to others: it computes, and says how comparisons end.

    Args:
        local_ints: the value on each rank
    """

    # A comparison is answered at once, and nothing is recorded.
    is_open, defers, is_of_program = True, False, False
    has_texts = True

    def __init__(self, local_ints: Mapping[int, int]) -> None:
        if not local_ints:
            raise ValueError("LocalIntNode cannot be empty!")
        self._local_ints = dict(local_ints)

    @property
    def value(self) -> int:
        """What it is on the first rank: how much memory is noted for tensors of such sizes."""
        return next(iter(self._local_ints.values()))

    # -- what a `SymInt` asks its owner --
    def combined(self, operation: int, a: Any, b: Any, value: int) -> Any:
        """The result of arithmetic."""
        compute = PLAIN[operation]
        return merged({r: compute(int_on_rank(a, r), int_on_rank(b, r)) for r in self._local_ints})

    def outcome(self, operation: int, a: Any, b: Any, is_flipped: bool = False) -> bool:
        """How a comparison ends. Two integers are equal if they are on all ranks; of an order all ranks must say the same."""
        holds = HOLDS[operation]
        found = {bool(holds(int_on_rank(a, r), int_on_rank(b, r))) for r in self._local_ints}
        if len(found) == 1:
            return found.pop()
        if operation in (EQUAL, DIFFERENT):
            return operation == DIFFERENT
        raise AssertionError(
            f"ranks differ in how {a} compares with {b}, so one program cannot go on for all of them; "
            "maybe_run_for_local_tensor calls a function for each rank by itself"
        )

    def fixed(self, x: SymInt) -> int:
        """The plain integer."""
        if len(set(self._local_ints.values())) > 1:
            raise RuntimeError(
                f"{self} is not one integer; maybe_run_for_local_tensor calls a function for each rank by itself"
            )
        return self.value

    def hash_of(self, x: SymInt) -> int:
        """A hash that equal integers share."""
        values = set(self._local_ints.values())
        return hash(values.pop()) if len(values) == 1 else hash(frozenset(self._local_ints.items()))

    def text(self, x: Any) -> str:
        """What it is on each rank."""
        return repr(self)

    def is_unknown(self, x: Any) -> bool:
        """Elements decide nothing about it."""
        return False

    def unique(self, items: tuple[Any, ...], kind: type) -> Any:
        """A tuple of such integers, as an object of a class of tuples."""
        return tuple.__new__(kind, items)

    def shown(self, x: SymInt) -> LocalIntNode:
        """What `SymInt.node` is."""
        return self

    def note_power(self, made: SymInt, base: SymInt, exponent: int) -> None:
        """Nothing is kept of how an integer came about."""

    def guard(self, operation: int, a: Any, b: Any) -> None:
        """Raise if a comparison does not hold on all ranks."""
        if not self.outcome(operation, a, b):
            raise AssertionError(f"{a} and {b} do not compare as expected on all ranks")

    # -- what programs ask the node --
    add, sub, mul = _by_rank(operator.add), _by_rank(operator.sub), _by_rank(operator.mul)
    floordiv = int_floordiv = _by_rank(operator.floordiv)
    mod, neg = _by_rank(operator.mod), _by_rank(operator.neg)
    sym_max, sym_min = _by_rank(max), _by_rank(min)

    eq, ne = _asked(EQUAL), _asked(DIFFERENT)
    lt, gt = _asked(LESS), _asked(LESS, True)
    le, ge = _asked(AT_MOST), _asked(AT_MOST, True)

    def sym_sum(self, others: Sequence[Any]) -> LocalIntNode:
        """The sum of several."""
        return functools.reduce(LocalIntNode.add, others, self.sub(self))

    def maybe_as_int(self) -> int | None:
        """The plain integer if all ranks have the same."""
        return self.value if len(set(self._local_ints.values())) == 1 else None

    def is_int(self) -> bool:
        """It is one, and no float or truth value."""
        return True

    def is_float(self) -> bool:
        """It is an integer."""
        return False

    def is_bool(self) -> bool:
        """It is an integer."""
        return False

    def is_nested_int(self) -> bool:
        """It is no length of a nested tensor."""
        return False

    def is_symbolic(self) -> bool:
        """Its values are known."""
        return False

    def is_constant(self) -> bool:
        """Ranks may differ."""
        return False

    def clone(self) -> LocalIntNode:
        """Itself: it does not change."""
        return self

    def wrap_int(self, num: int) -> LocalIntNode:
        """The same integer on all ranks."""
        return LocalIntNode(dict.fromkeys(self._local_ints, num))

    def __repr__(self) -> str:
        return f"LocalIntNode({self._local_ints})"
