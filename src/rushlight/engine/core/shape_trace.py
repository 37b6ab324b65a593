"""Symbols of whole programs: sizes that a program is traced for, and integers that its elements decide.

A `ShapeTrace` is a trace that ends with its last symbol. What is asked of symbols outside of kernels
becomes a guard as in any trace; what elements decide has no value that could answer, so asking for
one is an error of the program. Kernels, which have to go one way, then take that of a size like most.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.core import expressions, form_text, polynomials, symbolic
from rushlight.engine.core.expressions import (
    AT_MOST,
    DIFFERENT,
    EQUAL,
    HOLDS,
    INPUT,
    LESS,
    MOD,
    OPPOSITE,
)
from rushlight.engine.core.polynomials import Form
from rushlight.engine.core.symbolic import SymBool, SymInt, Trace, Untraceable, known
from rushlight.engine.native.forks import hold_over_fork

# What kernels take for an integer that is not known: different ones, and multiples of little.
_FIRST_STAND_IN, _NEXT_STAND_IN = 8191, 6


def _one_fewer() -> None:
    symbolic._tracing -= 1


class ShapeTrace(Trace):
    """The symbols of a program, and what is known of them.

    Args:
        owner: what programs know it by; held weakly
    """

    is_of_program = True

    def __init__(self, owner: Any) -> None:
        super().__init__((), (), defers=True)
        self._owner = weakref.ref(owner)
        self.names: dict[int, str] = {}
        # Products that the program has written as powers: base and exponent, all by place.
        self.powers: dict[int, tuple[int, int]] = {}
        self._mine = threading.local()
        symbolic._tracing += 1
        weakref.finalize(self, _one_fewer)
        # Told of guards: ``(operation, a, b, is_flipped)``. Asked where nothing can be known.
        self.when_guarded: Callable[[int, Any, Any, bool], None] = lambda *guard: None
        self.when_unknown: Callable[[int, Any, Any, bool], bool | None] = lambda *question: None
        self.when_needed: Callable[[Any], None] = lambda x: None
        # Asked whether questions are answered for sizes that are neither 0 nor 1, where that is one answer.
        self.takes_as_large: Callable[[], bool] = lambda: False

    @property
    def owner(self) -> Any:
        return self._owner()

    # -- symbols --

    def symbol(self, name: str, value: int, least: float = 2, most: float = math.inf) -> SymInt:
        """A symbol with a value."""
        made = self.made((INPUT, len(self.values)), value)
        self.values, self.varies = (*self.values, value), (*self.varies, True)
        self.inputs.append(made)
        return self._named(made, name, least, most)

    def note_power(self, made: SymInt, base: SymInt, exponent: int) -> None:
        """Note that a program has written a product as a power."""
        self.powers.setdefault(made.place, (base.place, exponent))

    def hash_of(self, x: SymInt) -> int:
        """The hash of an integer; what elements decide has none, as it has no number."""
        if self.is_unknown(x):
            raise TypeError("unhashable type: non-nested SymInt")
        return super().hash_of(x)

    def unknown(self, name: str, least: float = -math.inf, most: float = math.inf) -> SymInt:
        """A symbol whose value elements decide."""
        stand_in = _FIRST_STAND_IN + _NEXT_STAND_IN * len(self.found_values)
        return self._named(self.found(stand_in), name, least, most)

    def _named(self, made: SymInt, name: str, least: float, most: float) -> SymInt:
        low, high = expressions.A_WORD
        self.names[made.place] = name
        self.bounds.ranges[made.place] = max(low, least), min(high, most)
        return made

    def is_unknown(self, x: Any) -> bool:
        """Whether an integer follows from what elements decide."""
        if type(x) is not SymInt:
            return False
        return any(self._follows[a] for a in polynomials.atoms(self.simplest(self.form(x))))

    def simplest(self, form: Form) -> Form:
        """A form with what symbols are known to equal in their place."""
        equal = self.bounds._equal
        while equal and (known_ones := equal.keys() & polynomials.atoms(form)):
            replaced = [n for n in known_ones if not self._is_within(n, equal[n])]
            if not replaced:
                return form
            for number in replaced:
                form = polynomials.replace(form, number, equal[number])
        return form

    def _is_within(self, number: int, form: Form) -> bool:
        """Whether a symbol is in what a form is computed of, as that of a multiple is in its quotient."""
        for a in polynomials.atoms(form):
            if a == number:
                return True
            definition = self._definition(a)
            if definition is not None and any(self._is_within(number, f) for f in definition[1:]):
                return True
        return False

    def text(self, x: Any) -> str:
        if type(x) is not SymInt:
            return str(x)
        return form_text.text_of(self, self.names, self.simplest(self.form(x)))

    def written(self, x: Any) -> str:
        """The text of an integer as the program has put it together."""
        return form_text.text_of(self, self.names, self.form(x)) if type(x) is SymInt else str(x)

    def shown(self, x: Any) -> Any:
        return self.owner.node_of(x)

    # -- while kernels run --

    @property
    def is_planning(self) -> bool:
        """Whether a kernel runs in this thread."""
        return getattr(self._mine, "depth", 0) > 0

    @contextmanager
    def planning(self) -> Iterator[None]:
        """While this lasts, what kernels ask has an answer, and tensors may have sizes that are symbols."""
        before = symbolic.current.trace
        self._mine.depth = getattr(self._mine, "depth", 0) + 1
        symbolic.current.trace = self
        try:
            with symbolic_fields():
                yield
        finally:
            self._mine.depth -= 1
            symbolic.current.trace = before
            if not self._mine.depth:
                self.offsets.clear()

    def __enter__(self) -> Trace:
        raise RuntimeError("the symbols of a program are planned with by planning()")

    def answer(self) -> bool:
        raise Untraceable("an element decides what is done")

    # -- questions --

    def decided(self, operation: int, a: Any, b: Any) -> bool | None:
        """How a comparison ends in any case, as far as that is known."""
        if operation in (LESS, AT_MOST):
            # Counts that no word holds are refused when the program runs.
            if type(b) is int and b >= expressions.LARGEST_WORD:
                return True
            if type(a) is int and a >= expressions.LARGEST_WORD:
                return False
        form = polynomials.subtract(self.form(b), self.form(a))
        return self.bounds.decide(operation, form)

    def outcome(self, operation: int, a: Any, b: Any, is_flipped: bool = False) -> bool:
        found = self.decided(operation, a, b)
        if found is not None:
            return found
        if self.is_unknown(a) or self.is_unknown(b):
            if self.is_planning:
                return HOLDS[operation](known(a), known(b))
            answer = self.when_unknown(operation, a, b, is_flipped)
            return HOLDS[operation](known(a), known(b)) if answer is None else answer
        if self.takes_as_large():
            form = polynomials.subtract(self.form(b), self.form(a))
            with self.bounds.large():
                found = self.bounds.decide(operation, form)
            if found is not None:
                return found
        holds = HOLDS[operation](known(a), known(b))
        if holds:
            self._guard(operation, a, b, is_flipped)
        else:
            if operation in (EQUAL, DIFFERENT):
                a, b, is_flipped = b, a, False
            self._guard(OPPOSITE[operation], b, a, not is_flipped)
        return holds

    def _guard(self, operation: int, a: Any, b: Any, is_flipped: bool) -> None:
        count = len(self.guards)
        self.guard(operation, a, b)
        if len(self.guards) != count:
            self.when_guarded(operation, a, b, is_flipped)

    def require(self, condition: SymBool) -> bool:
        """Whether what a kernel requires holds; of what elements decide, the program finds out when it runs."""
        if not any(map(self.is_unknown, condition.operands)):
            return bool(condition)
        if self.decided(condition.operation, *condition.operands) is False:
            return False
        return self.owner.expect_true(condition)  # type: ignore[no-any-return]

    def fixed(self, x: SymInt) -> int:
        found = polynomials.constant(self.simplest(self.form(x)))
        if found is not None:
            return found
        low, high = self.range(x)
        if low == high:
            return int(low)
        if self.is_unknown(x):
            self.when_needed(x)
            raise Untraceable(f"{self.text(x)} has no value")
        self._guard(EQUAL, x, x.value, False)
        return x.value

    def learn(self, condition: Any) -> None:
        """Take for granted that a comparison holds, or several."""
        if not isinstance(condition, SymBool):
            return
        if condition.operation == "and":
            for part in condition.operands:
                self.learn(part)
        elif condition.operation == "not":
            (inner,) = condition.operands
            if isinstance(inner, SymBool) and inner.operation in OPPOSITE:
                a, b = inner.operands
                self.learn(SymBool(self, OPPOSITE[inner.operation], b, a))
        elif condition.operation in HOLDS:
            a, b = condition.operands
            if all(type(x) in symbolic.INTEGERS for x in (a, b)):
                form = polynomials.subtract(self.form(b), self.form(a))
                self.bounds.learn(condition.operation, form, lambda number: True)
                if condition.operation == EQUAL:
                    self._learn_multiple(form)

    def _learn_multiple(self, form: Form) -> None:
        """Where a remainder is 0, its dividend is the divisor times the quotient."""
        numbers = polynomials.atoms(form)
        if len(form) != 1 or len(numbers) != 1:
            return
        definition = self._definition(*numbers)
        if definition is None or definition[0] != MOD:
            return
        dividend, divisor = map(self.built, definition[1:])
        whole = divisor * (dividend // divisor)
        rest = polynomials.subtract(self.form(whole), self.form(dividend))
        self.bounds.learn(EQUAL, rest, lambda number: True)


class symbolic_fields:
    """While this lasts, tensors' element counts and offsets may be symbolic: their fields are words."""

    _lock = threading.RLock()
    _depth = 0

    def __enter__(self) -> None:
        kind = type(self)
        kind._lock.acquire()
        kind._depth += 1
        if kind._depth == 1:
            _put_symbolic_fields()

    def __exit__(self, *_: Any) -> None:
        kind = type(self)
        kind._depth -= 1
        if not kind._depth:
            _take_symbolic_fields()
        kind._lock.release()


# A child in which the fields were exchanged by a thread of its parent would have nobody to put them back.
hold_over_fork(symbolic_fields._lock)


def _put_symbolic_fields() -> None:
    from rushlight.engine.core.size import numel
    from rushlight.engine.core.tensor import Tensor

    base: Any = Tensor.__mro__[1]
    numel_word, offset_word = base._numel_, base._offset_

    def get_numel(tensor: Any) -> Any:
        if symbolic.trace() is not None and symbolic.has_symbols(tensor._size_):
            return numel(tensor._size_)
        return numel_word.__get__(tensor)

    def set_numel(tensor: Any, value: Any) -> None:
        numel_word.__set__(tensor, symbolic.plain(value))

    def get_offset(tensor: Any) -> Any:
        trace = symbolic.trace()
        found = None if trace is None else trace.offsets.get(id(tensor))
        return offset_word.__get__(tensor) if found is None else found[1]

    def set_offset(tensor: Any, value: Any) -> None:
        trace = symbolic.trace()
        if trace is not None:
            trace.offsets.pop(id(tensor), None)
            if type(value) is SymInt:
                trace.offsets[id(tensor)] = tensor, value
        offset_word.__set__(tensor, symbolic.plain(value))

    type.__setattr__(Tensor, "_numel_", property(get_numel, set_numel))
    type.__setattr__(Tensor, "_offset_", property(get_offset, set_offset))


def _take_symbolic_fields() -> None:
    from rushlight.engine.core.tensor import Tensor

    type.__delattr__(Tensor, "_numel_")
    type.__delattr__(Tensor, "_offset_")
