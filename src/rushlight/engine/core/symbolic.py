"""Symbolic integers: sizes whose values a planner may compute with, but that may be others next time.

A `Trace` is one run of ordinary planning code over `SymInt`s. What it leaves is a straight program:
nodes (arithmetic over the inputs), guards (every comparison that Python branched on) and tables (the
words that machine code will read, some of them nodes). Whoever needs a plain number of a `SymInt`,
such as a list's index or a text, thereby says that it is always this one: that becomes a guard too.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

# What the steps of a program do, see `core.geometry_program`.
ADD, SUB, MUL, FLOORDIV, MOD, MIN, MAX = range(1, 8)
EQUAL, DIFFERENT, LESS, AT_MOST = range(8, 12)
SIZE, STRIDE, NUMBER = range(12, 15)
# Nodes that are no steps.
INPUT, CONSTANT, FOUND = "input", "constant", "found"

_LARGEST_WORD = (1 << 63) - 1
COMMUTES = {ADD, MUL, MIN, MAX}
PLAIN: dict[int, Callable[[int, int], int]] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    FLOORDIV: lambda a, b: a // b,
    MOD: lambda a, b: a % b,
    MIN: min,
    MAX: max,
}
HOLDS: dict[int, Callable[[int, int], bool]] = {
    EQUAL: lambda a, b: a == b,
    DIFFERENT: lambda a, b: a != b,
    LESS: lambda a, b: a < b,
    AT_MOST: lambda a, b: a <= b,
}


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
    """

    def __init__(self, values: Sequence[int], varies: Sequence[bool]) -> None:
        self.values = tuple(values)
        self.varies = tuple(varies)
        self.nodes: list[tuple[Any, ...]] = []
        self._numbered: dict[tuple[Any, ...], int] = {}
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

    def made(self, node: tuple[Any, ...], value: int) -> SymInt:
        """The symbolic integer of a node; equal nodes are one."""
        number = self._numbered.get(node)
        if number is None:
            number = self._numbered[node] = len(self.nodes)
            self.nodes.append(node)
        return SymInt(self, number, value)

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
            return value.node
        return self.made((CONSTANT, int(value)), int(value)).node

    def guard(self, operation: int, a: Any, b: Any) -> None:
        """Note that the program is right only where this holds."""
        if operation == AT_MOST and type(b) is int and b >= _LARGEST_WORD:
            # A program refuses factors whose product might be no word.
            return
        self.guards[operation, self.node(a), self.node(b)] = None

    def unique(self, items: tuple[Any, ...], kind: type) -> Any:
        """The one tuple of this trace with these items."""
        key = (kind, *((x.node,) if type(x) is SymInt else x for x in items))
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


def _arithmetic(operation: int, reflected: bool = False) -> Callable[[SymInt, Any], Any]:
    def method(self: SymInt, other: Any) -> Any:
        a, b = (other, self) if reflected else (self, other)
        return combine(operation, a, b)

    return method


def combine(operation: int, a: Any, b: Any) -> Any:
    """One step of arithmetic, plain if nothing in it is symbolic any more."""
    a, b = (int(x) if type(x) is bool else x for x in (a, b))
    for x in (a, b):
        if type(x) is not SymInt and type(x) is not int:
            return NotImplemented
    owner = a.trace if type(a) is SymInt else b.trace
    if operation == SUB and type(b) is int:
        operation, b = ADD, -b
    if operation in (FLOORDIV, MOD) and known(b) == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    value = PLAIN[operation](known(a), known(b))
    if not owner.is_open:
        return value
    simple = _simplified(owner, operation, a, b)
    if simple is not None:
        return simple
    nodes = owner.node(a), owner.node(b)
    if operation in COMMUTES and nodes[0] > nodes[1]:
        nodes = nodes[1], nodes[0]
    return owner.made((operation, *nodes), value)


def _parts(owner: Trace, x: Any) -> tuple[int, int]:
    """An integer as a node, or -1, and what a constant adds to it."""
    if type(x) is int:
        return -1, x
    operation, *operands = owner.nodes[x.node]
    if operation == ADD:
        for k in (0, 1):
            kind, value = owner.nodes[operands[k]][:2]
            if kind == CONSTANT:
                return operands[1 - k], value
    return x.node, 0


def difference(a: Any, b: Any) -> int | None:
    """How much larger ``a`` always is than ``b``; None if that varies."""
    owner = a.trace if type(a) is SymInt else b.trace if type(b) is SymInt else None
    if owner is None:
        return int(a) - int(b)
    (one, more), (other, less) = _parts(owner, a), _parts(owner, b)
    return more - less if one == other else None


def _sum(owner: Trace, a: SymInt, b: Any) -> Any:
    """``a + b`` where a step can be saved: constants that meet, and what was taken away before."""
    base, more = _parts(owner, a)
    if type(b) is int:
        if not more:
            return None
        origin = SymInt(owner, base, a.value - more)
        return origin if more + b == 0 else combine(ADD, origin, more + b)
    for x, y in ((a, b), (b, a)):
        operation, *operands = owner.nodes[y.node]
        if operation == SUB and operands[1] == x.node:
            return SymInt(owner, operands[0], x.value + y.value)
    return None


def _simplified(owner: Trace, operation: int, a: Any, b: Any) -> Any:
    """What needs no step: neutral elements, and what an integer does with itself or a neighbour."""
    if type(a) is int and operation in COMMUTES:
        a, b = b, a
    if operation == ADD and type(a) is SymInt and (type(b) is SymInt or b):
        found = _sum(owner, a, b)
        if found is not None:
            return found
    apart = difference(a, b) if operation in (SUB, MIN, MAX) else None
    if apart is not None:
        return apart if operation == SUB else a if (apart >= 0) == (operation == MAX) else b
    if operation == MUL and b == 0:
        # Also of what varies: planners treat tensors without elements in ways of their own.
        return 0
    if type(b) is int:
        if (operation in (ADD, SUB) and b == 0) or (operation in (MUL, FLOORDIV) and b == 1):
            return a
        if operation == MOD and b == 1:
            return 0
    return None


def _comparison(operation: int, opposite: int, swap: bool = False) -> Callable[[Any, Any], Any]:
    """A comparison whose outcome becomes a guard.

    ``opposite`` is what holds of the operands exchanged where the comparison does not hold.
    """

    def method(self: SymInt, other: Any) -> Any:
        if type(other) is not SymInt and type(other) is not int:
            if isinstance(other, (bool, float)):
                return HOLDS[operation](*((other, int(self)) if swap else (int(self), other)))  # type: ignore[arg-type]
            return NotImplemented
        a, b = (other, self) if swap else (self, other)
        holds = HOLDS[operation](known(a), known(b))
        if self.trace.is_open and difference(a, b) is None:
            if holds:
                self.trace.guard(operation, a, b)
            else:
                self.trace.guard(opposite, b, a)
        return holds

    return method


class SymInt:
    """An integer of a trace: its node, and the value that it has now."""

    __slots__ = ("node", "trace", "value")

    def __init__(self, owner: Trace, node: int, value: int) -> None:
        self.trace, self.node, self.value = owner, node, value

    __add__ = __radd__ = _arithmetic(ADD)
    __mul__ = __rmul__ = _arithmetic(MUL)
    __sub__, __rsub__ = _arithmetic(SUB), _arithmetic(SUB, True)
    __floordiv__, __rfloordiv__ = _arithmetic(FLOORDIV), _arithmetic(FLOORDIV, True)
    __mod__, __rmod__ = _arithmetic(MOD), _arithmetic(MOD, True)
    __eq__ = _comparison(EQUAL, DIFFERENT)
    __ne__ = _comparison(DIFFERENT, EQUAL)
    __lt__, __gt__ = _comparison(LESS, AT_MOST), _comparison(LESS, AT_MOST, True)
    __le__, __ge__ = _comparison(AT_MOST, LESS), _comparison(AT_MOST, LESS, True)

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
        if self.trace.is_open:
            self.trace.guard(EQUAL, self, self.value)
            self.trace.fixes_sizes = True
        return self.value

    __index__ = __int__

    def __hash__(self) -> int:
        return hash(int(self))

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __float__(self) -> float:
        return float(int(self))

    def __truediv__(self, other: Any) -> Any:
        return int(self) / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / int(self)

    def __pow__(self, other: Any) -> Any:
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
        return str(int(self))

    def __format__(self, spec: str) -> str:
        return format(int(self), spec)


Function = TypeVar("Function", bound=Callable[..., Any])
INTEGERS = frozenset({int, SymInt})


def has_symbols(items: Iterable[Any]) -> bool:
    """Whether some of these are symbolic integers."""
    return any(type(x) is SymInt for x in items)


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
    plain = [id(x.there) if type(x) is SymObject else known(x) for x in listed]
    buffer = (kind * max(len(plain), 1))(*plain)
    found.tables.append(Table(buffer, listed, ctypes.addressof(buffer)))
    return buffer


def address(item: Any) -> Any:
    """The word for an object: its address, or what a program puts there."""
    found = trace()
    if found is not None and isinstance(item, tuple) and has_symbols(item):
        from rushlight.engine.core.size import Size

        return found.object(SIZE if type(item) is Size else STRIDE, item, item)
    if found is not None and type(item) is SymInt:
        return found.object(NUMBER, [item], item)
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


def known(x: Any) -> Any:
    """What a value is now, symbolic or not."""
    return x.value if type(x) is SymInt else x


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
        elif node[0] in (FLOORDIV, MOD) and made[node[2]] == 0:
            return None
        else:
            made.append(PLAIN[node[0]](made[node[1]], made[node[2]]))
    if all(HOLDS[g](made[a], made[b]) for g, a, b in owner.guards):
        return made
    return None


def cached(most: int) -> Callable[[Function], Function]:
    """`functools.lru_cache` that traces pass by: their sizes are nobody's keys."""

    def decorate(function: Function) -> Function:
        kept = functools.lru_cache(most)(function)

        def call(*args: Any) -> Any:
            return function(*args) if trace() is not None else kept(*args)

        return functools.wraps(function)(call)  # type: ignore[return-value]

    return decorate
