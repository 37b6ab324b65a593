"""Nested integers: sizes that stand for a length that differs from one element of a batch to the next.

Each has a name, ``j1``, and nothing else is known of it but that it is a length. It equals itself only, and
its multiples equal one another if their factors do; other questions have no answer. So it is hashable, may
be kept in sizes as any integer, and no planner runs over it.
"""

from __future__ import annotations

import threading
from typing import Any

from rushlight.engine.core import form_text
from rushlight.engine.core.expressions import DIFFERENT, EQUAL, INPUT, LESS, MUL
from rushlight.engine.core.symbolic import SymInt, Trace

# What is taken for a length where arithmetic wants a number; nobody ever sees it.
_STAND_IN = 1 << 20
# Nothing is so long: whoever checks that sizes can be counted gets an answer.
_TOO_LARGE = 1 << 62


class Node:
    """What programs ask of a nested integer.

    Args:
        number: the integer
    """

    def __init__(self, number: SymInt) -> None:
        self._number = number

    def is_nested_int(self) -> bool:
        return True

    def nested_int(self) -> int:
        """The number in the name."""
        return parts_of(self._number)[0]

    def nested_int_coeff(self) -> int:
        """How many times the length it is."""
        return parts_of(self._number)[1]

    def is_symbolic(self) -> bool:
        return False

    def is_constant(self) -> bool:
        return False

    def is_int(self) -> bool:
        return True

    def is_float(self) -> bool:
        return False

    def is_bool(self) -> bool:
        return False

    def maybe_as_int(self) -> None:
        return None

    def __repr__(self) -> str:
        return str(self._number)


class NestedInts(Trace):
    """All nested integers."""

    is_of_program = True

    def __init__(self) -> None:
        super().__init__((), (), defers=True)
        self.names: dict[int, str] = {}
        # The number of a name by the place of its node, and the other way round.
        self.ids: dict[int, int] = {}
        self._lock = threading.Lock()

    def new(self) -> SymInt:
        """A length that equals no other."""
        with self._lock:
            number = len(self.names) + 1
            made = self.made((INPUT, number), _STAND_IN + number)
            self.names[made.place], self.ids[made.place] = f"j{number}", number
            return made

    def text(self, x: Any) -> str:
        return form_text.text_of(self, self.names, self.form(x)) if type(x) is SymInt else str(x)

    written = text

    def shown(self, x: Any) -> Any:
        return Node(x)

    def combined(self, operation: int, a: Any, b: Any, value: int) -> Any:
        """A multiple; nothing else is computed of a length that is not known."""
        if operation != MUL or (type(a) is SymInt and type(b) is SymInt):
            raise ValueError(f"nested integers have multiples only, got {a} and {b}")
        return super().combined(operation, a, b, value)

    def decided(self, operation: int, a: Any, b: Any) -> bool:
        """How a comparison ends. A length counts as at least 2; more is not known."""
        if operation in (EQUAL, DIFFERENT):
            is_equal = (
                type(a) is SymInt
                and type(b) is SymInt
                and a.trace is b.trace
                and self.form(a) == self.form(b)
            )
            return is_equal == (operation == EQUAL)
        if operation == LESS:
            return not self._at_least(a, b)
        return self._at_least(b, a)

    def _at_least(self, a: Any, b: Any) -> bool:
        one, other = (parts_of(x) if type(x) is SymInt else None for x in (a, b))
        if one and other and one[0] == other[0]:
            return one[1] >= other[1]
        if one and other is None and b <= 2:
            return True
        if other and one is None and a < 2:
            return False
        if one and other is None and b >= _TOO_LARGE:
            return False
        if other and one is None and a >= _TOO_LARGE:
            return True
        raise ValueError("ge: relation is indeterminate")

    def outcome(self, operation: int, a: Any, b: Any, is_flipped: bool = False) -> bool:
        return self.decided(operation, a, b)

    def fixed(self, x: SymInt) -> int:
        raise AttributeError(f"the nested integer {self.text(x)} is not one number")

    def hash_of(self, x: SymInt) -> int:
        return hash(parts_of(x))

    def guard(self, operation: int, a: Any, b: Any) -> None:
        raise ValueError("nested integers are no sizes that a program may be planned with")


ints = NestedInts()


def parts_of(x: SymInt) -> tuple[int, int]:
    """The number in a nested integer's name, and the factor before it."""
    ((monomial, factor),) = ints.form(x)
    return ints.ids[monomial[0]], factor


def is_nested(x: Any) -> bool:
    """Whether an integer is a nested one."""
    return type(x) is SymInt and x.trace is ints
