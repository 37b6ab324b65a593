"""Symbolic integers: sizes whose values a planner may compute with, but that may be others next time.

A `Trace` is one run of ordinary planning code over `SymInt`s. What it leaves is a straight program:
nodes (arithmetic over the inputs), guards (every comparison that Python branched on) and tables (the
words that machine code will read, some of them nodes). Whoever needs a plain number of a `SymInt`,
such as a list's index or a text, thereby says that it is always this one: that becomes a guard too.
"""

from __future__ import annotations

import ctypes
import functools
import math
import operator
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from rushlight.engine.core import expressions, form_text, polynomials, simplification
from rushlight.engine.core.bounds import Bounds
from rushlight.engine.core.expressions import (
    ADD,
    AT_MOST,
    CEILING,
    COMMUTES,
    CONSTANT,
    DIFFERENT,
    EQUAL,
    FLOAT_ADD,
    FLOAT_AT_MOST,
    FLOAT_DIV,
    FLOAT_EQUAL,
    FLOAT_LESS,
    FLOAT_MUL,
    FLOAT_NUMBER,
    FLOAT_SUB,
    FLOORDIV,
    FOUND,
    HOLDS,
    INPUT,
    LESS,
    MAX,
    MIN,
    MOD,
    MUL,
    NUMBER,
    OPPOSITE,
    PLAIN,
    STRIDE,
    SUB,
    TO_FLOAT,
    TO_SINGLE,
)
from rushlight.engine.core.polynomials import Form


class Untraceable(Exception):
    """Something happened that the words of a program cannot say."""


class _Current(threading.local):
    trace: Trace | None = None


current = _Current()
# How many threads are tracing: a look at one word tells almost everybody that they are not.
_tracing = 0


def trace() -> Trace | None:
    """The trace that this thread is making, if any."""
    return current.trace if _tracing else None


def trace_of(items: Iterable[Any]) -> Trace | None:
    """The trace whose symbols are among these."""
    if _tracing:
        for x in items:
            if type(x) is SymInt:
                return x.trace if x.trace.is_open else current.trace
    return None


def of_program(items: Iterable[Any]) -> bool:
    """Whether symbols of a whole program are among these: what is compared with memory is no guard."""
    found = trace_of(items)
    return found is not None and found.is_of_program


class Table:
    """Words in memory that planning code made, as it gave them; or an object of its own, without words."""

    __slots__ = ("address", "buffer", "words")

    def __init__(self, buffer: Any, words: list[Any], address: int) -> None:
        self.buffer, self.words, self.address = buffer, words, address


class Trace:
    """One run of planning code over symbolic integers; a context manager.

    Args:
        values: the inputs' values
        varies: for each of them, whether it may be another one next time; the others are guarded
        defers: whether comparisons, quotients and texts stay symbolic (`SymBool`, `SymFloat`) until
            somebody asks for the plain value, as a graph of a whole program needs; a planner's
            comparisons are guards at once
    """

    # Whether its symbols live as long as a program wants, beyond one run of planning code.
    is_of_program = False

    @property
    def has_texts(self) -> bool:
        """Whether integers are shown as expressions; otherwise a text is of the value, and holds for it only."""
        return self.defers

    def is_unknown(self, x: Any) -> bool:
        """Whether elements decide what an integer is."""
        return False

    def note_power(self, made: SymInt, base: SymInt, exponent: int) -> None:
        """Told of products that were written as powers; it does not matter to planners."""

    def require(self, condition: SymBool) -> bool:
        """Whether what a kernel requires holds."""
        return bool(condition)

    def __init__(self, values: Sequence[int], varies: Sequence[bool], defers: bool = False) -> None:
        self.values = tuple(values)
        self.varies = tuple(varies)
        self.defers = defers
        self.nodes: list[tuple[Any, ...]] = []
        # Of each node: the value that it has now, its normal form, and whether it follows from an
        # integer that is found at run time.
        self.node_values: list[int] = []
        self.forms: list[Form] = []
        self._follows: list[bool] = []
        self._numbered: dict[tuple[Any, ...], int] = {}
        self._with_form: dict[Form, int] = {}
        # What arithmetic gave, by operation and operands, and comparisons that are guards or need none.
        self._results: dict[tuple[Any, ...], Any] = {}
        self._settled: set[tuple[int, int, int]] = set()
        self.bounds = Bounds(self._definition, lambda n: self.nodes[n][0] == INPUT)
        self.guards: dict[tuple[int, int, int], None] = {}
        self.tables: list[Table] = []
        self._tuples: dict[tuple[Any, ...], Any] = {}
        self._objects: dict[int, SymObject] = {}
        # Plain objects whose addresses became words; equal ones may stand for each other.
        self.constants: dict[int, Any] = {}
        # Offsets of tensors whose fields hold plain words only.
        self.offsets: dict[int, tuple[Any, SymInt]] = {}
        # Words about results whose length is found at run time; for each, the lengths that were
        # planned for and where the templates of such a result are.
        self.sized: list[tuple[Any, list[tuple[SymInt, int]]]] = []
        self.found_values: list[int] = []
        # Whether somebody needed the plain number of what was left open.
        self.fixes_sizes = False
        # What the elements that planning code asks for say, in order: a trace has none of its own.
        self.answers: Iterator[bool] = iter(())
        self.is_open = True
        self.inputs: list[Any] = [
            self.made((INPUT, k), value) if free else value
            for k, (value, free) in enumerate(zip(values, varies))
        ]

    def __enter__(self) -> Trace:
        global _tracing
        _tracing += 1
        current.trace = self
        return self

    def __exit__(self, *_: Any) -> None:
        global _tracing
        _tracing -= 1
        current.trace = None
        self.is_open = False

    def forget_facts(self) -> None:
        """Let go of what only further planning would need; memory that tables lie in stays.

        Called when the program has been written: what words of tables stand for is in it by now.
        """
        self.forms, self._numbered, self._with_form = [], {}, {}
        self._results, self._settled = {}, set()
        self._tuples, self._objects, self.inputs = {}, {}, []
        self.node_values, self._follows = [], []
        for table in self.tables:
            table.words = []
        self.bounds = Bounds(self._definition, lambda n: False)

    def made(self, node: tuple[Any, ...], value: int, form: Form | None = None) -> SymInt:
        """The symbolic integer of a node; equal nodes are one.

        A node without a form is an atom.
        """
        number = self._numbered.get(node)
        if number is None:
            number = self._numbered[node] = len(self.nodes)
            self.nodes.append(node)
            self.node_values.append(value)
            if node[0] == CONSTANT:
                form = polynomials.plain(value)
            elif form is None:
                form = polynomials.atom(number)
                self.bounds.ranges[number] = self._range_of(node)
            self.forms.append(form)
            self._with_form.setdefault(form, number)
            if node[0] in (INPUT, CONSTANT):
                self._follows.append(False)
            else:
                own = node[0] == FOUND
                self._follows.append(own or any(self._follows[n] for n in node[1:]))
        return SymInt(self, number, value)

    def _range_of(self, node: tuple[Any, ...]) -> expressions.Range:
        if node[0] in PLAIN:
            operation, a, b = node
            of = self.bounds.of
            return expressions.range_of(operation, of(self.forms[a]), of(self.forms[b]))
        return expressions.NOT_NEGATIVE if node[0] == FOUND else expressions.A_WORD

    def _definition(self, number: int) -> tuple[int, Form, Form] | None:
        node = self.nodes[number]
        if node[0] not in PLAIN:
            return None
        operation, a, b = node
        return operation, self.forms[a], self.forms[b]

    def range(self, x: Any) -> expressions.Range:
        """Between which numbers an integer lies in all runs that pass the guards so far."""
        return self.bounds.of(self.form(x))

    def form(self, x: Any) -> Form:
        """The normal form of a symbolic or plain integer."""
        if type(x) is SymInt and x.trace is self:
            return self.forms[x.place]
        return polynomials.plain(int(x))

    def bound(self, x: Any, least: float = -math.inf, most: float = math.inf) -> None:
        """Note between which numbers an input lies in any case: without a guard."""
        if type(x) is SymInt and x.place in self.bounds.ranges:
            low, high = self.bounds.ranges[x.place]
            self.bounds.ranges[x.place] = max(low, least), min(high, most)

    def combined(self, operation: int, a: Any, b: Any, value: int) -> Any:
        """What arithmetic makes of two integers: a node that is there, a new one, or a plain number."""
        one = a.place if type(a) is SymInt and a.trace is self else (int(a),)
        other = b.place if type(b) is SymInt and b.trace is self else (int(b),)
        found = self._results.get((operation, one, other))
        if found is None:
            found = self._results[operation, one, other] = self._computed(operation, a, b, value)
        if type(found) is SymInt:
            # An argument that nothing is done to is the same object.
            return a if found.place == one else b if found.place == other else found
        return found

    def _computed(self, operation: int, a: Any, b: Any, value: int) -> Any:
        form = simplification.form_of(self, operation, self.form(a), self.form(b))
        if form is not None:
            there = self._there(form)
            if there is not None:
                return there
            if operation in (FLOORDIV, MOD, MIN, MAX):
                return self.built(form)
        nodes = self.node(a), self.node(b)
        if operation in COMMUTES and nodes[0] > nodes[1]:
            nodes = nodes[1], nodes[0]
        return self.made((operation, *nodes), value, form)

    def _there(self, form: Form) -> Any:
        """The plain number or the node with a form, if there is one."""
        plain = polynomials.constant(form)
        if plain is not None:
            return plain
        number = self._with_form.get(form)
        return None if number is None else SymInt(self, number, self.node_values[number])

    def built(self, form: Form) -> Any:
        """The integer with a form."""
        there = self._there(form)
        if there is not None:
            return there
        total: Any = None
        for monomial, factor in reversed(form):
            term: Any = factor
            for number in monomial:
                term = combine(MUL, SymInt(self, number, self.node_values[number]), term)
            total = term if total is None else combine(ADD, total, term)
        return total

    def text(self, x: Any) -> str:
        """A symbolic or plain integer as an expression."""
        return expressions.text(self.nodes, x.place) if type(x) is SymInt else str(x)

    @property
    def guard_texts(self) -> list[str]:
        return [expressions.comparison_text(self.nodes, *guard) for guard in self.guards]

    def found(self, value: int) -> Any:
        """An integer that elements will decide while the program runs, planned for as if it were this."""
        self.found_values.append(value)
        return self.made((FOUND, len(self.found_values)), value)

    def answer(self) -> bool:
        """What the next element that is asked for says; a program repeats only calls that it says this to."""
        found = next(self.answers, None)
        if found is None:
            raise Untraceable("an element decides what is done")
        return found

    def node(self, value: Any) -> int:
        """The number of the node of a symbolic or plain integer."""
        if type(value) is SymInt and value.trace is self:
            return value.place
        value = int(value)
        number = self._numbered.get((CONSTANT, value))
        return self.made((CONSTANT, value), value).place if number is None else number

    def float_of(self, word: Any) -> Any:
        """The float that an input has the bits of."""
        made = type(word) is SymInt
        return SymFloat(self, float_of_word, "{}", word) if made else float_of_word(word)

    def float_word(self, x: Any) -> SymInt:
        """The bits of a symbolic or plain number as a double."""
        if type(x) is SymInt:
            return self.applied(TO_FLOAT, x, x)
        if type(x) is not SymFloat:
            bits = expressions.bits_of(float(x))
            return self.made((CONSTANT, bits), bits)
        if x.function is float_of_word:
            return x.operands[0]  # type: ignore[no-any-return]
        if x.function is float:
            return self.float_word(x.operands[0])
        operation = _WORDS_OF_FLOATS.get(x.function)
        if operation is None:
            raise Untraceable(f"a program has no word for {x!r}")
        return self.applied(operation, *map(self.float_word, x.operands))

    def applied(self, operation: int, a: SymInt, b: SymInt) -> SymInt:
        """The node of an operation on floats."""
        value = expressions.applied(operation, a.value, b.value)
        if value is None:
            raise Untraceable("a float that programs do not compute")
        return self.made((operation, a.place, b.place), value)

    def float_outcome(self, operation: int, a: Any, b: Any) -> bool:
        """How a comparison of floats ends, which becomes a guard."""
        if operation == DIFFERENT:
            return not self.float_outcome(EQUAL, a, b)
        holds = HOLDS[operation](known(a), known(b))
        if self.is_open:
            words = self.float_word(a), self.float_word(b)
            self.guard(EQUAL, self.applied(_FLOAT_COMPARISONS[operation], *words), int(holds))
        return holds

    def fixed(self, x: SymInt) -> int:
        """The plain number of an integer, which is always this one from now on."""
        if self.is_open:
            self.guard(EQUAL, x, x.value)
            self.fixes_sizes = True
        return x.value

    def hash_of(self, x: SymInt) -> int:
        """The hash of an integer: that of its plain number."""
        return hash(self.fixed(x))

    def simplest(self, form: Form) -> Form:
        """A form with what symbols are known to equal in their place."""
        return form

    def shown(self, x: Any) -> Any:
        """What a symbolic number tells programs of itself."""
        raise AttributeError("node")

    def guard(self, operation: int, a: Any, b: Any) -> None:
        """Note that the program is right only where this holds."""
        a, b = self.node(a), self.node(b)
        if (operation, a, b) in self._settled:
            return
        self._settled.add((operation, a, b))
        if operation in (EQUAL, DIFFERENT) and self.nodes[a][0] == CONSTANT:
            a, b = b, a
        is_limit = self.nodes[b][0] == CONSTANT and self.node_values[b] >= expressions.LARGEST_WORD
        if is_limit and operation in (LESS, AT_MOST):
            # A program refuses factors whose product might be no word.
            return
        form = polynomials.subtract(self.forms[b], self.forms[a])
        if self.bounds.decide(operation, form):
            return
        self.guards[operation, a, b] = None
        is_found = self._follows[a] or self._follows[b]
        # A guard on a length that is found holds for what follows from it only.
        self.bounds.learn(operation, form, lambda n: self._follows[n] or not is_found)

    def decided(self, operation: int, a: Any, b: Any) -> bool | None:
        """How a comparison ends in any case, as far as that is known."""
        return None

    def outcome(self, operation: int, a: Any, b: Any, is_flipped: bool = False) -> bool:
        """How a comparison ends; what is not clear in any case becomes a guard."""
        # Sizes may be integers of numpy.
        holds = bool(HOLDS[operation](known(a), known(b)))
        if self.is_open:
            self.guard(operation, a, b) if holds else self.guard(OPPOSITE[operation], b, a)
        return holds

    def unique(self, items: tuple[Any, ...], kind: type) -> Any:
        """The one tuple of this trace with these items."""
        key = (kind, *((x.place,) if type(x) is SymInt else x for x in items))
        found = self._tuples.get(key)
        if found is None:
            found = self._tuples[key] = tuple.__new__(kind, items)
        return found

    def object(self, kind: int, items: Sequence[Any], there: Any) -> SymObject:
        """The word for an object that a program makes: a size, strides, or a number."""
        found = self._objects.get(id(there))
        if found is None:
            nodes = [self.node(x) for x in items]
            found = self._objects[id(there)] = SymObject(kind, nodes, items, there)
        return found


class SymObject:
    """The address of an object made of symbolic integers, as a word of a table."""

    __slots__ = ("items", "kind", "nodes", "there")

    def __init__(self, kind: int, nodes: list[int], items: Sequence[Any], there: Any) -> None:
        self.kind, self.nodes, self.items, self.there = kind, nodes, items, there


_OF_FLOATS: dict[int, Callable[[Any, Any], Any]] = {
    ADD: operator.add,
    SUB: operator.sub,
    MUL: operator.mul,
}


def _arithmetic(operation: int, reflected: bool = False) -> Callable[[SymInt, Any], Any]:
    def method(self: SymInt, other: Any) -> Any:
        if isinstance(other, float) and operation in _OF_FLOATS:
            one = as_float(self)
            return _OF_FLOATS[operation](*((other, one) if reflected else (one, other)))
        a, b = (other, self) if reflected else (self, other)
        return combine(operation, a, b)

    return method


# What makes of the bits of a double the float.
float_of_word = expressions.float_of

_WORDS_OF_FLOATS: dict[Callable[..., Any], int] = {
    operator.add: FLOAT_ADD, operator.sub: FLOAT_SUB, operator.mul: FLOAT_MUL,
    operator.truediv: FLOAT_DIV,
}  # fmt: skip
_FLOAT_COMPARISONS = {EQUAL: FLOAT_EQUAL, LESS: FLOAT_LESS, AT_MOST: FLOAT_AT_MOST}


def is_unknown(value: Any) -> bool:
    """Whether elements decide what a number of a trace is."""
    return type(value) is SymInt and value.trace.is_unknown(value)


def combine(operation: int, a: Any, b: Any) -> Any:
    """One step of arithmetic, plain if nothing in it is symbolic any more."""
    one, other = type(a), type(b)
    if one is bool:
        a, one = int(a), int
    if other is bool:
        b, other = int(b), int
    if (one is not SymInt and one is not int) or (other is not SymInt and other is not int):
        return NotImplemented
    owner = a.trace if one is SymInt else b.trace
    if operation == SUB and other is int:
        operation, b = ADD, -b
    x, y = a.value if one is SymInt else a, b.value if other is SymInt else b
    if operation in (FLOORDIV, MOD) and y == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    value = PLAIN[operation](x, y)
    if not owner.is_open:
        return value
    return owner.combined(operation, a, b, value)


def _comparison(operation: int, swap: bool = False) -> Callable[[Any, Any], Any]:
    """A comparison whose outcome becomes a guard."""

    def method(self: SymInt, other: Any) -> Any:
        if type(other) is not SymInt and type(other) is not int:
            if isinstance(other, (bool, float)):
                one = as_float(self)
                if isinstance(other, float) and type(one) is SymFloat and not self.trace.defers:
                    return self.trace.float_outcome(
                        operation, *((other, one) if swap else (one, other))
                    )
                return HOLDS[operation](*((other, int(self)) if swap else (int(self), other)))
            return NotImplemented
        a, b = (other, self) if swap else (self, other)
        if self.trace.defers and self.trace.is_open:
            if self.trace.is_of_program:
                # What is always so, or never, is no question.
                found = self.trace.decided(operation, a, b)
                if found is not None:
                    return found
            made = SymBool(self.trace, operation, a, b)
            made.is_flipped = swap
            return made
        return self.trace.outcome(operation, a, b)

    return method


# Larger powers are computed with plain numbers.
_MOST_FACTORS = 8


class SymInt:
    """An integer of a trace: its node, and the value that it has now.

    Args:
        owner: the trace; or an object that computes as a trace does, and stands for one integer by itself
        place: which of the trace's nodes it is
        value: the value now; if not given, what the owner has as `value`
    """

    __slots__ = ("place", "trace", "value")

    def __init__(self, owner: Any, place: int = 0, value: int | None = None) -> None:
        self.trace, self.place = owner, place
        self.value: int = owner.value if value is None else value

    @property
    def node(self) -> Any:
        """What programs ask of the integer: its expression, its hint, where guards go."""
        return self.trace.shown(self)

    __add__ = __radd__ = _arithmetic(ADD)
    __mul__ = __rmul__ = _arithmetic(MUL)
    __sub__, __rsub__ = _arithmetic(SUB), _arithmetic(SUB, True)
    __floordiv__, __rfloordiv__ = _arithmetic(FLOORDIV), _arithmetic(FLOORDIV, True)
    __mod__, __rmod__ = _arithmetic(MOD), _arithmetic(MOD, True)
    __eq__, __ne__ = _comparison(EQUAL), _comparison(DIFFERENT)
    __lt__, __gt__ = _comparison(LESS), _comparison(LESS, True)
    __le__, __ge__ = _comparison(AT_MOST), _comparison(AT_MOST, True)

    def __copy__(self) -> SymInt:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SymInt:
        return self

    def __neg__(self) -> Any:
        return combine(SUB, 0, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __lshift__(self, bits: int) -> Any:
        return self * (1 << int(bits))

    def __rshift__(self, bits: int) -> Any:
        return self // (1 << int(bits))

    def __int__(self) -> int:
        """The plain number; the trace then holds for this one only."""
        return self.trace.fixed(self)

    __index__ = __int__

    def __hash__(self) -> int:
        return self.trace.hash_of(self)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __float__(self) -> float:
        return float(int(self))

    def __truediv__(self, other: Any) -> Any:
        if self.trace.is_of_program and type(other) in INTEGERS:
            return SymFloat(self.trace, operator.truediv, "IntTrueDiv({}, {})", self, other)
        return as_float(self) / other

    def __rtruediv__(self, other: Any) -> Any:
        if self.trace.is_of_program and type(other) in INTEGERS:
            return SymFloat(self.trace, operator.truediv, "IntTrueDiv({}, {})", other, self)
        return other / as_float(self)

    def __pow__(self, other: Any) -> Any:
        if type(other) is int and 0 <= other <= _MOST_FACTORS:
            made = math.prod([self] * other)
            if type(made) is SymInt and other > 1:
                self.trace.note_power(made, self, other)
            return made
        if isinstance(other, float):
            return as_float(self) ** other
        return int(self) ** other

    def __rpow__(self, other: Any) -> Any:
        return other ** int(self)

    def __and__(self, other: Any) -> Any:
        return int(self) & int(other)

    def __rand__(self, other: Any) -> Any:
        return int(other) & int(self)

    def __or__(self, other: Any) -> Any:
        return int(self) | int(other)

    def __ror__(self, other: Any) -> Any:
        return int(other) | int(self)

    def bit_length(self) -> int:
        """The plain number of bits; the trace then holds for integers of so many."""
        if self < 0:
            return int(self).bit_length()
        bits = self.value.bit_length()
        if self.trace.is_open:
            self.trace.guard(LESS, self, 1 << bits)
            self.trace.guard(AT_MOST, (1 << bits) >> 1, self)
        return bits

    def __repr__(self) -> str:
        if self.trace.has_texts:
            return self.trace.text(self)
        return str(int(self))

    def __format__(self, spec: str) -> str:
        return repr(self) if self.trace.has_texts and not spec else format(int(self), spec)


class SymBool:
    """A comparison of a trace that defers, or several: nobody has asked yet how it ends.

    Args:
        owner: the trace
        operation: `EQUAL` and its kin for two integers; ``and``, ``or`` or ``not`` for truth values
        operands: these

    Of a plain truth value alone, it is what is known already.
    """

    __slots__ = ("is_flipped", "operands", "operation", "trace")

    def __init__(self, owner: Any, operation: Any = "and", *operands: Any) -> None:
        if isinstance(owner, bool):
            owner, operands = None, (owner,)
        self.trace, self.operation, self.operands = owner, operation, operands
        # Whether the program has the operands the other way round.
        self.is_flipped = False

    @property
    def node(self) -> Any:
        """What programs ask of the truth value: its expression, its hint, where guards go."""
        return self.trace.shown(self)

    def __bool__(self) -> bool:
        """How it ends; the trace then holds for runs where it ends so."""
        if self.operation == "not":
            return not self.operands[0]
        if self.operation == "and":
            return all(self.operands)
        if self.operation == "or":
            return any(self.operands)
        if any(isinstance(x, (SymFloat, float)) for x in self.operands):
            return HOLDS[self.operation](*map(float, self.operands))
        a, b = self.operands
        return self.trace.outcome(self.operation, a, b, self.is_flipped)

    def __and__(self, other: Any) -> SymBool:
        return SymBool(self.trace, "and", self, other)

    def __or__(self, other: Any) -> SymBool:
        return SymBool(self.trace, "or", self, other)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> SymBool:
        return SymBool(self.trace, "not", self)

    sym_not = __invert__

    def __int__(self) -> int:
        return int(bool(self))

    def __eq__(self, other: object) -> bool:
        return bool(self) == other

    def __hash__(self) -> int:
        return hash(bool(self))

    def __repr__(self) -> str:
        if self.trace is None:
            return repr(bool(self))
        a, *rest = map(str, self.operands)
        if self.trace.is_of_program:
            return self._full_text(a, rest)
        if self.operation in expressions.INFIX:
            return expressions.INFIX[self.operation].format(a, *rest)
        return (
            f"~({a})"
            if not rest
            else f"({a}) {'&' if self.operation == 'and' else '|'} ({rest[0]})"
        )

    def _full_text(self, a: str, rest: list[str]) -> str:
        if self.operation == "not":
            (inner,) = self.operands
            opposite = expressions.OPPOSITE.get(getattr(inner, "operation", -1))
            if opposite is None:
                return f"~({a})"
            made = SymBool(self.trace, opposite, *reversed(inner.operands))
            made.is_flipped = not inner.is_flipped
            return repr(made)
        if self.operation in ("and", "or"):
            return f"({a}) {'&' if self.operation == 'and' else '|'} ({rest[0]})"
        return form_text.comparison_text(self.operation, a, rest[0], self.is_flipped)


class SymFloat:
    """A float that follows from integers of a trace, or is one of its inputs.

    Args:
        owner: the trace
        function: how it follows from the operands; of an input, `float_of_word`
        form: the same as text, with a place for each operand
        operands: symbolic integers and floats, and plain ones
    """

    __slots__ = ("form", "function", "operands", "trace")

    def __init__(
        self, owner: Trace, function: Callable[..., float], form: str, *operands: Any
    ) -> None:
        self.trace, self.function, self.form, self.operands = owner, function, form, operands

    @property
    def node(self) -> Any:
        """What programs ask of the float: its expression, its hint, where guards go."""
        return self.trace.shown(self)

    def __float__(self) -> float:
        """The plain number; the trace then holds for these integers only."""
        if self.function is float_of_word:
            return self.function(int(self.operands[0]))
        return self.function(*(float(x) for x in self.operands))

    @property
    def value(self) -> float:
        """What it is now."""
        return self.function(*map(known, self.operands))

    def __repr__(self) -> str:
        return self.form.format(*(self._operand_text(str(x)) for x in self.operands))

    def _operand_text(self, text: str) -> str:
        if self.form.endswith(")"):
            return text
        is_sum = " " in self.form
        return f"({text})" if " " in text or (not is_sum and set("*/") & set(text)) else text

    def __int__(self) -> int:
        return int(float(self))

    def __bool__(self) -> bool:
        return bool(float(self)) if self.trace.defers else bool(self != 0)

    def __hash__(self) -> int:
        return hash(float(self))

    def __neg__(self) -> SymFloat:
        if not self.trace.defers:
            return SymFloat(self.trace, operator.sub, "{} - {}", -0.0, self)
        return SymFloat(self.trace, lambda a: -a, "-{}", self)

    def __abs__(self) -> Any:
        this: Any = self
        if self.trace.defers:
            return abs(float(self))
        # 0 - x is not negative for -0.0 either.
        return this if this > 0 else 0.0 - this

    def _of_quotient(self, whole: Callable[[Any, Any], Any], plain: Callable[[float], int]) -> Any:
        """An integer near the float, symbolic where the float is a quotient of integers."""
        if self.form.startswith("IntTrueDiv") and self.trace.is_open:
            return whole(*self.operands)
        return plain(float(self))

    def __floor__(self) -> Any:
        if not self.trace.defers and self.trace.is_open:
            return -math.ceil(-self)
        return self._of_quotient(lambda a, b: a // b, math.floor)

    def __ceil__(self) -> Any:
        if not self.trace.defers and self.trace.is_open:
            word = self.trace.float_word(self)
            return self.trace.applied(CEILING, word, word)
        return self._of_quotient(lambda a, b: -(-a // b), math.ceil)

    def __trunc__(self) -> Any:
        return self._of_quotient(lambda a, b: a // b if (a >= 0) == (b > 0) else -(-a // b), int)

    def sqrt(self) -> SymFloat:
        return SymFloat(self.trace, math.sqrt, "sqrt({})", self)


_REAL = (int, float, SymInt, SymFloat)


def _add_operations() -> None:
    """Arithmetic and comparisons of symbolic floats."""

    def add(name: str, make: Callable[[Any, Any], Any]) -> None:
        def method(self: SymFloat, other: Any) -> Any:
            return make(self, other) if isinstance(other, _REAL) else NotImplemented

        setattr(SymFloat, f"__{name}__", method)

    def arithmetic(name: str, form: str) -> None:
        function = getattr(operator, name)
        add(name, lambda a, b: SymFloat(a.trace, function, form, a, b))
        add(f"r{name}", lambda b, a: SymFloat(b.trace, function, form, a, b))

    def comparison(name: str, swapped: str, operation: int) -> None:
        def compared(owner: Trace, a: Any, b: Any) -> Any:
            if owner.defers:
                return SymBool(owner, operation, a, b)
            return owner.float_outcome(operation, a, b)

        add(swapped, lambda b, a: compared(b.trace, a, b))
        add(name, lambda a, b: compared(a.trace, a, b))

    for name, sign in ("add", " + "), ("sub", " - "), ("mul", "*"), ("truediv", "/"), ("pow", "**"):
        arithmetic(name, f"{{}}{sign}{{}}")
    comparison("eq", "eq", EQUAL)
    comparison("ne", "ne", DIFFERENT)
    comparison("lt", "gt", LESS)
    comparison("le", "ge", AT_MOST)


_add_operations()


def as_float(x: Any) -> Any:
    """A number as a float, symbolic if the integer is."""
    if type(x) is SymInt and isinstance(x.trace, Trace) and x.trace.is_open:
        return SymFloat(x.trace, float, "ToFloat({})" if x.trace.is_of_program else "{}", x)
    return x if isinstance(x, SymFloat) else float(x)


Function = TypeVar("Function", bound=Callable[..., Any])
INTEGERS = frozenset({int, SymInt})
FLOATS = frozenset({float, SymFloat})
NUMBERS = INTEGERS | FLOATS


def is_finite(x: Any) -> bool:
    """Whether a float is a number that is not infinite, with a guard for a symbolic one."""
    kind = type(x)
    return bool(x - x == 0) if kind is SymFloat else math.isfinite(x)


def required(condition: Any) -> bool:
    """Whether what a kernel requires of its arguments holds.

    Of what elements decide it is taken for granted, and checked when the program runs.
    """
    if isinstance(condition, SymBool) and condition.trace.is_of_program:
        return condition.trace.require(condition)
    return bool(condition)


def has_symbols(items: Iterable[Any]) -> bool:
    """Whether some of these are symbolic integers."""
    return SymInt in map(type, items)


def minimum(a: Any, b: Any) -> Any:
    """``min`` of two integers, without a guard for symbolic ones."""
    if type(a) is SymInt or type(b) is SymInt:
        return combine(MIN, a, b)
    return min(a, b)


def maximum(a: Any, b: Any) -> Any:
    """``max`` of two integers, without a guard for symbolic ones."""
    if type(a) is SymInt or type(b) is SymInt:
        return combine(MAX, a, b)
    return max(a, b)


def at_least(a: Any, b: Any) -> Any:
    """1 if an integer is so large, else 0, without a guard for symbolic ones."""
    return minimum(1, maximum(0, a - b + 1))


def chosen(flag: Any, a: Any, b: Any) -> Any:
    """``a`` where the flag is 1, ``b`` where it is 0."""
    return b + (a - b) * flag


def largest(items: Sequence[Any]) -> Any:
    """``max`` of some integers, without a guard for symbolic ones."""
    return functools.reduce(maximum, items) if _tracing else max(items)


def words(values: Iterable[Any], kind: Any = ctypes.c_int64) -> Any:
    """A table of words in memory, for machine code; at least one word long.

    All tables that a plan points to are made here, so that a trace knows them.
    """
    found = current.trace if _tracing else None
    if found is None:
        given = values if type(values) in (list, tuple) else list(values)
        return (kind * max(len(given), 1))(*given)  # type: ignore[arg-type]
    listed = list(values)
    plain = [
        x.value if type(x) is SymInt else id(x.there) if type(x) is SymObject else x for x in listed
    ]
    buffer = (kind * max(len(plain), 1))(*plain)
    found.tables.append(Table(buffer, listed, ctypes.addressof(buffer)))
    return buffer


def float_bits(number: Any, is_single: bool) -> Any:
    """The word that has a number's bits as a double, or as a float of 32 bits."""
    if type(number) is not SymInt and type(number) is not SymFloat:
        return (expressions.single_bits if is_single else expressions.bits_of)(float(number))
    word = number.trace.float_word(number)
    return number.trace.applied(TO_SINGLE, word, word) if is_single else word


# How machine code keeps tuples of integers unique; `size.py` names its own.
KINDS_OF_TUPLES: dict[type, int] = {}


def address(item: Any) -> Any:
    """The word for an object: its address, or what a program puts there."""
    found = trace()
    if found is not None and isinstance(item, tuple) and has_symbols(item):
        return found.object(KINDS_OF_TUPLES.get(type(item), STRIDE), item, item)
    if found is not None and type(item) is SymInt:
        return found.object(NUMBER, [item], item)
    if found is not None and type(item) is SymFloat:
        return found.object(FLOAT_NUMBER, [found.float_word(item)], item)
    if found is not None:
        found.constants[id(item)] = item
    return id(item)


def plain(x: Any) -> int:
    """The value that an integer has now: for words that are not part of a program."""
    return x.value if type(x) is SymInt else int(x)


def memory(buffer: Any) -> int:
    """The address of other memory that a plan owns; what it holds is the same in every plan of a class."""
    found = trace()
    if found is not None:
        found.tables.append(Table(buffer, list(bytes(buffer)), ctypes.addressof(buffer)))
    return ctypes.addressof(buffer)


def check_constant(address: int) -> None:
    """Raise in a trace if a table whose words are copied, as numbers, has some that a program fills in."""
    found = trace()
    for table in () if found is None else found.tables:
        if table.address == address and any(type(x) is SymInt for x in table.words):
            raise Untraceable("a number that is copied into a plan depends on sizes")


def known(x: Any) -> Any:
    """What a value is now, symbolic or not."""
    return x.value if type(x) is SymInt or type(x) is SymFloat else x


def own(item: Any) -> int:
    """The address of an object that planning code has made for this plan alone."""
    found = trace()
    if found is not None:
        found.tables.append(Table(item, [], id(item)))
    return id(item)


def evaluate(owner: Trace, values: Sequence[int]) -> list[int] | None:
    """Every node's value for other inputs; None if a guard or a fixed input says no."""
    if any(a != b for a, b, free in zip(values, owner.values, owner.varies) if not free):
        return None
    made: list[int] = []
    for node in owner.nodes:
        if node[0] == INPUT:
            made.append(values[node[1]])
        elif node[0] == CONSTANT:
            made.append(node[1])
        elif node[0] == FOUND:
            made.append(owner.found_values[node[1] - 1])
        else:
            value = expressions.applied(node[0], made[node[1]], made[node[2]])
            if value is None:
                return None
            made.append(value)
    if all(HOLDS[g](made[a], made[b]) for g, a, b in owner.guards):
        return made
    return None


def _are_symbolic(args: tuple[Any, ...]) -> bool:
    """Whether symbols of a program are among arguments, or among sizes that are arguments."""
    return has_symbols(args) or any(isinstance(x, tuple) and has_symbols(x) for x in args)


def cached(most: int) -> Callable[[Function], Function]:
    """`functools.lru_cache` that traces pass by: their sizes are nobody's keys."""

    def decorate(function: Function) -> Function:
        kept = functools.lru_cache(most)(function)

        def call(*args: Any) -> Any:
            if _tracing and (current.trace is not None or _are_symbolic(args)):
                return function(*args)
            return kept(*args)

        return functools.wraps(function)(call)  # type: ignore[return-value]

    return decorate
