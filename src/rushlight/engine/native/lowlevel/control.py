"""Control flow of compiled code: what ``if``, ``while``, ``for`` and ``return`` are rewritten to.

Python runs every part of a function once while it writes code. The names that a part may change are
carried through it: where ways meet, a name that means different values becomes a phi node, and one
that means the same everywhere stays what it is. What Python can decide leaves no trace: no block
begins where control comes from one place only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import (
    UNSET,
    WORD,
    Value,
    binary,
    compared,
    lifted,
    truth,
)

Names = tuple[Any, ...]
Test = Callable[["Label", "Label"], None]


class Label:
    """A place that control comes to, and from where: blocks, with what the names mean there."""

    __slots__ = ("_name", "edges", "stem")

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self._name = ""
        self.edges: list[tuple[str, Names | None]] = []

    @property
    def name(self) -> str:
        """What the text calls it. Most labels need no name: control just goes on there."""
        if not self._name:
            self._name = here().fresh(self.stem)
        return self._name


def go(label: Label, values: Names | None = None) -> None:
    """Control goes on at a label."""
    text = here()
    if text.open:
        label.edges.append((text.block, values))
        text.falls = label
        text.open = False


def arrive(label: Label) -> bool:
    """What follows is at a label; whether control ever comes there."""
    text = here()
    if not label.edges:
        return False
    falls, text.falls = text.falls, None
    if falls is label and len(label.edges) == 1:
        text.open = True
        return True
    if falls is not None:
        text.lines.append(f"  br label %{falls.name}")
    text.start(label.name)
    return True


def meet(label: Label, otherwise: Names) -> Names:
    """Arrive at a label; what the names mean there. Edges that say nothing mean ``otherwise``."""
    if not arrive(label):
        return otherwise
    edges = [(block, otherwise if values is None else values) for block, values in label.edges]
    if len(edges) == 1:
        return edges[0][1]
    blocks = [block for block, _ in edges]
    return tuple(_joined(blocks, found) for found in zip(*(values for _, values in edges)))


def _joined(blocks: Sequence[str], found: Sequence[Any]) -> Any:
    """One value of those that a name has on several ways."""
    first = found[0]
    if all(other is first for other in found):
        return first
    if any(other is UNSET for other in found):
        return UNSET
    if _are_lists(found):
        return [_joined(blocks, elements) for elements in zip(*found)]
    values = [x for x in found if isinstance(x, Value)]
    if not values and all(type(x) is type(first) and x == first for x in found):
        return first
    try:
        kind = values[0].kind if values else lifted(first).kind
        written = [lifted(x, kind) for x in found]
    except TypeError:
        # What is no value has one meaning on each way: none behind them.
        return UNSET
    ways = ", ".join(f"[ {x.name}, %{block} ]" for x, block in zip(written, blocks))
    return Value(kind, here().let(f"phi {kind} {ways}"))


def _are_lists(found: Sequence[Any]) -> bool:
    return all(isinstance(x, (list, tuple)) and len(x) == len(found[0]) for x in found)


# -- conditions --


def branch(condition: Any, yes: Label, no: Label) -> None:
    """Go one of two ways. What Python knows decides now."""
    text = here()
    if not text.open:
        return
    if not isinstance(condition, Value):
        go(yes if condition else no)
        return
    bit = truth(condition)
    for label in (yes, no):
        label.edges.append((text.block, None))
    text.branch(bit.name, yes.name, no.name)
    text.open = False


def every(tests: Sequence[Test], yes: Label, no: Label) -> None:
    """``and``: go to ``no`` at the first test that fails."""
    for test in tests[:-1]:
        onward = Label("and")
        test(onward, no)
        if not arrive(onward):
            return
    tests[-1](yes, no)


def some(tests: Sequence[Test], yes: Label, no: Label) -> None:
    """``or``: go to ``yes`` at the first test that holds."""
    for test in tests[:-1]:
        onward = Label("or")
        test(yes, onward)
        if not arrive(onward):
            return
    tests[-1](yes, no)


def choose(condition: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """``a if condition else b``."""
    if not isinstance(condition, Value):
        return a() if condition else b()
    return _chosen(If((), True, condition), a, b)


def asked_choose(test: Test, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """The same with a test that asks more than one thing."""
    return _chosen(AskedIf((), True, test), a, b)


def _chosen(ways: If | AskedIf, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    ways.before = (UNSET,)
    if ways.then():
        ways.leave((a(),))
    if ways.other():
        ways.leave((b(),))
    return ways.join()[0]


def holds(test: Test) -> Any:
    """A condition as a value: a bit, or a bool if Python knows."""
    return asked_choose(test, lambda: True, lambda: False)


def inverted(condition: Any) -> Any:
    """``not condition``."""
    return ~truth(condition) if isinstance(condition, Value) else not condition


class AskedIf:
    """``if``: two ways, and where they meet. Without ``else`` the second leads there at once.

    The test asks more than one thing.
    """

    def __init__(self, before: Names, has_else: bool, test: Test) -> None:
        self.before = before
        self.yes, self.end = Label("then"), Label("join")
        self.no = Label("else") if has_else else self.end
        test(self.yes, self.no)

    def then(self) -> bool:
        return arrive(self.yes)

    def other(self) -> bool:
        return arrive(self.no)

    def leave(self, values: Names) -> None:
        go(self.end, values)

    def join(self) -> Names:
        return meet(self.end, self.before)


class If(AskedIf):
    """``if`` with a condition. If Python knows it, control just goes on."""

    def __init__(self, before: Names, has_else: bool, condition: Any) -> None:
        self.known = not isinstance(condition, Value)
        if self.known:
            self.holds = bool(condition)
            self.before = before
        else:
            super().__init__(before, has_else, lambda yes, no: branch(condition, yes, no))

    def then(self) -> bool:
        return (self.holds and here().open) if self.known else super().then()

    def other(self) -> bool:
        return (not self.holds and here().open) if self.known else super().other()

    def leave(self, values: Names) -> None:
        if self.known:
            self.before = values
        else:
            super().leave(values)

    def join(self) -> Names:
        return self.before if self.known else super().join()


# -- loops --


class While:
    """``while``: names that change in it are phi nodes at its head."""

    def __init__(self, before: Names) -> None:
        text = here()
        self.alive = text.open
        self.inside, self.onward, self.end = Label("inside"), Label("next"), Label("after")
        self.before = before
        self.names = before
        if not self.alive:
            return
        self.from_block = text.block
        self.head = text.fresh("head")
        text.jump(self.head)
        text.start(self.head)
        self.phis: list[tuple[int, Value, Value]] = []
        self.names = tuple(self._carried(x) for x in before)

    def _carried(self, thing: Any) -> Any:
        """What a name means at the head; its phi node is written when the loop is closed."""
        if isinstance(thing, (list, tuple)):
            return [self._carried(x) for x in thing]
        if not isinstance(thing, (Value, int, float)):
            return thing
        text, initial = here(), lifted(thing)
        value = Value(initial.kind, "%" + text.fresh("c"))
        self.phis.append((len(text.lines), initial, value))
        text.lines.append("")
        return value

    def begin(self) -> bool:
        return arrive(self.inside)

    def next(self, values: Names) -> None:
        """The body ends here, or is left early for the next time around."""
        go(self.onward, values)

    def stop(self, values: Names) -> None:
        """The loop is left early."""
        go(self.end, values)

    def close(self) -> Names:
        """The loop's code is complete; what the names mean behind it."""
        if not self.alive:
            return self.before
        text = here()
        after = self._stepped(meet(self.onward, self.names))
        values = [lifted(x, y.kind) for x, (_, _, y) in zip(_parts(after, self.names), self.phis)]
        block = text.block if text.open else None
        text.do(f"br label %{self.head}")
        for (line, initial, value), final in zip(self.phis, values, strict=True):
            ways = f"[ {initial.name}, %{self.from_block} ]"
            if block is not None:
                ways += f", [ {final.name}, %{block} ]"
            text.lines[line] = f"  {value.name} = phi {value.kind} {ways}"
        text.open = False
        return meet(self.end, self.names)

    def _stepped(self, names: Names) -> Names:
        """What the names mean the next time."""
        return names


def _parts(values: Any, pattern: Any) -> list[Any]:
    """The values that have a phi node, by the pattern of what was there at the head."""
    found = []
    for value, was in zip(values, pattern, strict=True):
        if isinstance(was, list):
            found += _parts(value, was)
        elif isinstance(was, Value):
            found.append(value)
        elif was is not UNSET and value is not was:
            raise TypeError(f"a name means {was} before a loop and {value} in it")
    return found


class Count(While):
    """``for index in range(start, stop, step)``."""

    def __init__(self, bounds: Sequence[Any], before: Names) -> None:
        start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        self.step = bounds[2] if len(bounds) > 2 else 1
        if not isinstance(self.step, Value) and self.step <= 0:
            raise TypeError(f"loops count upwards, not by {self.step}")
        super().__init__((lifted(start, WORD), *before))
        self.index = self.names[0]
        branch(compared("lt", self.index, stop), self.inside, self.end)

    def _stepped(self, names: Names) -> Names:
        return (binary("add", self.index, self.step), *names[1:])

    def next(self, values: Names) -> None:
        super().next((self.index, *values))

    def stop(self, values: Names) -> None:
        super().stop((self.index, *values))


# -- returns --


class Inline:
    """The end of a function that becomes part of its caller."""

    def __init__(self) -> None:
        self.end = Label("returned")

    def leave(self, value: Any) -> None:
        go(self.end, (value,))

    def result(self) -> Any:
        return meet(self.end, (None,))[0]


class Apart:
    """The end of a function that is called."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def leave(self, value: Any) -> None:
        text = here()
        if not text.open:
            return
        if not self.kind:
            text.do("ret void")
        else:
            if value is None:
                raise TypeError("a value must be returned")
            text.do(f"ret {self.kind} {lifted(value, self.kind).name}")
        text.open = False


def leave(value: Any = None) -> None:
    """``return``."""
    here().returns[-1].leave(value)


def is_open() -> bool:
    """Whether what comes next would ever run."""
    return here().open
