"""Random Python programs over tensors, for comparing what is captured with what runs as it is."""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import random
from typing import Any

import rushlight as torch

# What blocks and generators of programs have left behind.
SEEN: list[Any] = []


@contextlib.contextmanager
def region(number: Any) -> Any:
    """A block made of a generator, which looks at how it is left."""
    SEEN.append(("begins", number))
    try:
        yield number * 2
    except KeyError as error:
        SEEN.append(("caught", str(error)))
    finally:
        SEEN.append(("ends", number))


class Block:
    """A block of a class, which keeps errors of a kind to itself."""

    def __init__(self, number: Any, breaks: bool = False) -> None:
        self.number, self.breaks = number, breaks

    def __enter__(self) -> Any:
        if self.breaks:
            torch._dynamo.graph_break()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        SEEN.append((kind.__name__ if kind else None, self.number))
        return kind is IndexError


class Table(dict):
    """A dictionary with methods of its own."""

    def __missing__(self, key: Any) -> Any:
        self[key] = len(self)
        return self[key]

    def total(self, x: Any) -> Any:
        for value in self.values():
            x = x + value
        return x


class Pile(list):
    """A list with a method of its own."""

    def top(self) -> Any:
        return self[-1]


Pair = collections.namedtuple("Pair", "left right")


class Counter:
    """An iterator of a class, with an attribute that is computed."""

    def __init__(self, n: Any, x: Any) -> None:
        self.n, self.x, self.given = n, x, 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.given >= self.n % 4:
            raise StopIteration
        self.given += 1
        return self.x * self.given

    @property
    def half(self) -> Any:
        return self.x / 2

    @half.setter
    def half(self, value: Any) -> None:
        self.x = value * 2

    def __getattr__(self, name: str) -> Any:
        if name.startswith("extra"):
            return len(name)
        raise AttributeError(name)

    def __add__(self, other: Any) -> Any:
        return self.x + other

    def __call__(self, y: Any) -> Any:
        return self.x * 0.5 + y


def series(x: Any, n: Any, breaks: bool) -> Any:
    """A generator, with an end of a graph in the middle if it is asked for."""
    for i in range(n % 4):
        y = x * i
        if breaks:
            torch._dynamo.graph_break()
        try:
            sent = yield y + 1
        except GeneratorExit:
            # Also where nobody has it any more, which is seen at other times then.
            raise
        if sent is not None:
            x = x + sent
    SEEN.append("series")
    return n


class Thing:
    """An object with state that programs change."""

    def __init__(self) -> None:
        self.weight = torch.arange(3.0).view(1, 3) / 5
        self.count = 1
        self.items = [torch.ones(3), 2, "x"]
        self.table = {"a": torch.ones(1, 3), "b": 3}

    def scaled(self, x: Any, by: Any = 2) -> Any:
        return x * by + self.count

    @property
    def twice(self) -> Any:
        return self.weight * 2

    def __len__(self) -> int:
        return self.count + 1


def program(seed: int) -> str:
    """The text of a function ``run(x, y, n, thing, log)``."""
    return _Writer(random.Random(seed)).function()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.tensors, self.numbers = ["x", "y"], ["n"]
        self.lists: list[str] = []
        self.dicts: list[str] = []
        self.count = self.depth = 0

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def function(self) -> str:
        body = self.block(self.rng.randrange(3, 7))
        names = [*self.tensors[:4], *self.numbers[:3], *self.lists[:2], *self.dicts[:2]]
        body.append(f"    return ({', '.join(names)}, len(thing.items), thing.count)")
        return "def run(x, y, n, thing, log):\n    global GIVEN\n" + "\n".join(body) + "\n"

    def block(self, count: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += ["    " + line for line in self.statement()]
        return lines

    def tensor(self) -> str:
        rng, t = self.rng, self.rng.choice
        kind = rng.randrange(30)
        a, b = t(self.tensors), t(self.tensors)
        if kind == 0:
            return f"{a} + {b}"
        if kind == 1:
            return f"torch.tanh({a}) * {self.number()}"
        if kind == 2:
            return f"thing.scaled({a}, by={self.number()})"
        if kind == 3:
            return f"{a} - thing.weight"
        if kind == 4:
            return f"torch.where({a} > 0, {a}, {b})"
        if kind == 5:
            return f"{a}.clamp(-1, {rng.randrange(1, 4)})"
        if kind == 6:
            return f"thing.table['a'] * {a}"
        if kind == 7:
            return f"(lambda q: q * {self.number()} - {b})({a})"
        if kind == 8:
            return f"torch.stack([{a}, {b}]).sum(0)"
        if kind == 9:
            return f"{a}.reshape(-1).view({a}.shape)"
        if kind == 10:
            return f"thing.twice + {a}"
        if kind == 11 and self.lists:
            return f"sum([q for q in {t(self.lists)} if torch.is_tensor(q)], {a})"
        if kind == 12:
            return f"torch.nn.functional.softmax({a}, dim=-1)"
        if kind == 14:
            return f"Counter({self.number()}, {a}).half"
        if kind == 15:
            return f"sum(Counter({self.number()}, {a}), {b})"
        if kind == 16:
            return f"list(map(lambda q: q * {self.number()}, [{a}, {b}]))[-1]"
        if kind == 17:
            return f"functools.reduce(lambda p, q: p + q, [{a}, {b}, {a}])"
        if kind == 18:
            return f"Table(k={a}, m={self.number()}).total({b})"
        if kind == 19:
            return f"Pair({a}, {self.number()}).left"
        if kind == 20:
            return f"[*series({a}, {self.number()}, {rng.random() < 0.4}), {b}][0]"
        if kind == 21:
            return f"sorted([({self.number()}, {a}), ({self.number()}, {b})], key=lambda p: -p[0])[0][1]"
        if kind == 22:
            return f"functools.partial(thing.scaled, by={self.number()})({a})"
        if kind == 23:
            return f"(Counter(1, {a}) + Counter(2, {b})(1))"
        if kind == 24:
            return f"{a}[:, :{rng.randrange(1, 4)}].sum(-1, keepdim=True) * {b}"
        if kind == 25:
            return f"torch.cat([{a}, {b}])[:{a}.shape[0]]"
        if kind == 26:
            return f"{a}.new_ones({a}.size()) * {self.number()}"
        if kind == 27:
            return f"{a}.view({a}.numel()).view(-1, {a}.shape[1])"
        return f"{a}.mul(0.5)"

    def number(self) -> str:
        rng = self.rng
        kind = rng.randrange(11)
        if kind == 0:
            return str(rng.randrange(1, 4))
        if kind == 6:
            return f"Counter(1, 2).extra{'x' * rng.randrange(3)}"
        if kind == 7:
            return f"(getattr(thing, 'more', {rng.randrange(3)}) + 1)"
        if kind == 8:
            return f"len([q for q in series({rng.choice(self.tensors)}, {rng.choice(self.numbers)}, False)])"
        if kind == 9:
            return f"({rng.choice(self.tensors)}.size(0) // 2 + 1)"
        if kind == 1:
            return f"({rng.choice(self.numbers)} + 1)"
        if kind == 2:
            return "len(thing)"
        if kind == 3 and self.lists:
            return f"len({rng.choice(self.lists)})"
        if kind == 4:
            return f"{rng.choice(self.tensors)}.shape[0]"
        return rng.choice(self.numbers)

    def condition(self) -> str:
        rng = self.rng
        kind = rng.randrange(9)
        if kind == 0:
            return f"{rng.choice(self.tensors)}.sum() > 0"
        if kind == 6:
            return f"any(q > 2 for q in (n, {self.number()}))"
        if kind == 7:
            return f"hasattr(thing, 'more') or {rng.choice(self.tensors)}.shape[0] > 3"
        if kind == 1:
            return f"{rng.choice(self.numbers)} % 2 == 0"
        if kind == 2:
            return "thing.count > 1 and n < 3"
        if kind == 3:
            return f"'a' in thing.table and not ({self.number()} > 2)"
        if kind == 4:
            return f"isinstance({rng.choice(self.tensors)}, torch.Tensor)"
        return f"{self.number()} > 2 or n == 1"

    def statement(self) -> list[str]:
        rng = self.rng
        kind = rng.randrange(40 if self.depth < 2 else 12)
        if kind < 4:
            name, text = self.name("t"), self.tensor()
            self.tensors.append(name)
            return [f"{name} = {text}"]
        if kind == 4:
            name, text = self.name("n"), f"{self.number()} * 2 % 7"
            self.numbers.append(name)
            return [f"{name} = {text}"]
        if kind == 5:
            name, text = self.name("l"), f"[{self.tensor()}, {self.number()}]"
            self.lists.append(name)
            return [f"{name} = {text}"]
        if kind == 6 and self.lists:
            return [f"{rng.choice(self.lists)}.append({self.tensor()})"]
        if kind == 7:
            return [f"thing.count = {self.number()} % 5"]
        if kind == 8:
            return [f"log({self.number()})"]
        if kind == 9:
            name = self.name("d")
            text = f"{{'k': {self.tensor()}, 'm': {self.number()}}}"
            self.dicts.append(name)
            return [f"{name} = {text}"]
        if kind == 10 and self.dicts:
            return [f"{rng.choice(self.dicts)}['z'] = {self.tensor()}"]
        if kind == 11:
            return [f"{rng.choice(self.tensors)}.add_({self.number()})" if rng.random() < 0.5 else
                    f"thing.items.append({self.number()})"]  # fmt: skip
        return self.compound(kind)

    def inner(self) -> list[str]:
        """A block whose new names nobody outside knows."""
        known = [list(x) for x in (self.tensors, self.numbers, self.lists, self.dicts)]
        self.depth += 1
        made = self.block(self.rng.randrange(1, 3))
        self.depth -= 1
        self.tensors, self.numbers, self.lists, self.dicts = known
        return made

    def compound(self, kind: int) -> list[str]:
        rng = self.rng
        if kind < 15:
            lines = [f"if {self.condition()}:", *self.inner()]
            return [*lines, "else:", *self.inner()] if rng.random() < 0.5 else lines
        if kind < 17:
            name = self.name("i")
            self.numbers.append(name)
            made = [f"{name} = 0", f"for {name} in range({self.number()} % 4):", *self.inner()]
            return made
        if kind == 17 and self.lists:
            name = self.name("e")
            target = rng.choice(self.tensors)
            return [
                f"for {name} in list({rng.choice(self.lists)}):",
                f"    {target} = {target} + ({name} if torch.is_tensor({name}) else 1)",
            ]
        if kind == 18:
            return ["with torch.no_grad():", *self.inner()]
        if kind == 19:
            error = rng.choice(["thing.table['none']", "thing.items[99]", "int('a')"])
            return [
                "try:", *self.inner(), f"    {error}", "except (KeyError, IndexError, ValueError):",
                *self.inner(),
            ]  # fmt: skip
        if kind == 20:
            name, outer = self.name("f"), rng.choice(self.tensors)
            made = self.name("t")
            lines = [f"def {name}(q, k={self.number()}):", f"    return q * k + {outer}"]
            lines.append(f"{made} = {name}({rng.choice(self.tensors)})")
            self.tensors.append(made)
            return lines
        if kind == 21:
            name = self.name("l")
            text = f"[q * {self.number()} for q in (x, y, thing.weight)]"
            self.lists.append(name)
            return [f"{name} = {text}"]
        if kind > 23:
            return self.further(kind)
        if kind == 22:
            name = self.name("w")
            self.numbers.append(name)
            return [f"{name} = 0", f"while {name} < {rng.randrange(1, 4)}:", f"    {name} += 1",
                    *self.inner()]  # fmt: skip
        a, b = self.name("t"), self.name("t")
        text = f"{a}, {b} = {self.tensor()}, {self.tensor()}"
        self.tensors += [a, b]
        return [text]

    def further(self, kind: int) -> list[str]:
        """Blocks, generators, variables of outer functions and of modules, errors."""
        rng = self.rng
        if kind < 26:
            name = self.name("n")
            before = rng.choice(["", "torch._dynamo.graph_break()"])
            lines = [
                f"{name} = 0",
                f"with region({self.number()}) as {name}:",
                f"    {before or 'pass'}",
            ]
            self.numbers.append(name)
            error = rng.choice(["", "", "    raise KeyError('k')", "    raise ValueError('v')"])
            inner = [*self.inner(), *([error] if error else [])]
            if "ValueError" in error:
                return ["try:", *("    " + line for line in [*lines, *inner]), "except ValueError as e:",
                        "    log(str(e))"]  # fmt: skip
            return [*lines, *inner]
        if kind < 28:
            error = rng.choice(["", "    thing.items[99]"])
            head = f"with Block({self.number()}, {rng.random() < 0.3}):"
            return [head, *self.inner(), *([error] if error else [])]
        if kind == 28:
            name, made = self.name("f"), self.name("n")
            self.numbers.append(made)
            return [f"{made} = {self.number()}", f"def {name}():", f"    nonlocal {made}",
                    f"    {made} += {rng.randrange(1, 3)}", f"    return {made}",
                    f"{name}()", *(["torch._dynamo.graph_break()"] if rng.random() < 0.4 else []),
                    f"{made} = {name}() + {made}"]  # fmt: skip
        if kind == 29:
            return [f"GIVEN = GIVEN + {self.number()}", "log(GIVEN)"]
        if kind == 30:
            name = self.name("g")
            breaks = rng.random() < 0.4
            target = self.name("t")
            self.tensors.append(target)
            return [f"{name} = series({rng.choice(self.tensors[:-1])}, 3, {breaks})",
                    f"{target} = next({name})", "if n < 9:", *self.inner(),
                    f"{target} = {target} + {name}.send({self.number()})",
                    *([f"{name}.close()"] if rng.random() < 0.5 else [f"log(len(list({name})))"])]  # fmt: skip
        if kind == 31:
            return ["try:", *self.inner(), "    raise KeyError(n)", "except KeyError as e:",
                    "    try:", "        raise ValueError(1) from e", "    except ValueError as v:",
                    "        log(type(v.__cause__).__name__)", "finally:", *self.inner()]  # fmt: skip
        if kind == 32:
            return [f"thing.more = {self.number()}", "if n < 9:", *self.inner(),
                    *(["del thing.more"] if rng.random() < 0.6 else [])]  # fmt: skip
        if kind == 33:
            name = self.name("d")
            return [f"{name} = Table()", f"{name}['q'] = {self.tensor()}", f"log({name}['none'])",
                    f"log(sorted({name}))"]  # fmt: skip
        if kind == 34:
            name, made = self.name("p"), self.name("t")
            self.tensors.append(made)
            return [f"{name} = Pile([x, y])", f"{name}.append({self.number()})", f"{name}.pop()",
                    f"{made} = {name}.top() + 1"]  # fmt: skip
        if kind == 35:
            name, made = self.name("c"), self.name("t")
            target = rng.choice(self.tensors)
            self.tensors.append(made)
            return [f"{name} = Counter({self.number()}, {target})", f"{name}.half = {self.tensor()}",
                    f"{made} = {name}.x", f"for q in {name}:", f"    {made} = {made} + q"]  # fmt: skip
        if kind == 36:
            name = self.name("k")
            return [f"{name} = collections.deque([1, {self.number()}])", f"{name}.appendleft(n)",
                    f"log({name}.pop() + len({name}))"]  # fmt: skip
        if kind == 37:
            name, made = self.name("h"), self.name("t")
            target = rng.choice(self.tensors)
            self.tensors.append(made)
            return [f"def {name}(*args, scale=1, **more):", "    first, *rest = args",
                    "    return first * scale + len(rest) + sum(more.values())",
                    f"{made} = {name}({target}, {self.number()}, *[1, 2], scale={self.number()}, w={self.number()})"]  # fmt: skip
        if kind == 38:
            return ["for i_ in range(3):", *self.inner(), f"    if i_ == {self.number()}:", "        continue",
                    f"    if {self.condition()}:", "        break", "else:", "    log('else')"]  # fmt: skip
        return [f"thing.table[{self.number()}] = {self.number()}", "log(len(thing.table))",
                "assert len(thing.table) < 9, 'large'"]  # fmt: skip


def shown(value: Any) -> Any:
    """A value for comparing: tensors as their elements and metadata."""
    if isinstance(value, torch.Tensor):
        return ("tensor", tuple(value.shape), value.dtype, value.requires_grad, [
            round(v, 4) for v in value.detach().reshape(-1).tolist()
        ])  # fmt: skip
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [shown(v) for v in value]
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    if isinstance(value, Thing):
        return shown(vars(value))
    return value


# The rows and the number of each call.
CALLS = ((2, 1), (2, 2), (3, 1), (2, 3), (4, 2), (5, 4), (1, 5), (6, 6))


def outcome(function: Any, call: int) -> Any:
    """What a program gives for the arguments of one call, and what it does to them."""
    rows, number = CALLS[call]
    torch.manual_seed(call % 3)
    x, y = torch.randn(rows, 3), torch.randn(rows, 3)
    if call == 2:
        x = (torch.randn(6, 1, 3)[:3, 0] * 1).requires_grad_()
    thing, logged = copy.deepcopy(THING), []
    if call == 3:
        thing.count = 3
    SEEN.clear()
    function.space["GIVEN"] = call % 2
    try:
        found = shown(function(x, y, number, thing, logged.append))
    except Exception as error:
        found = type(error).__name__, str(error)
    given = function.space["GIVEN"]
    return found, shown(thing), logged, shown(x), shown(y), shown(list(SEEN)), given


THING = Thing()


def defined(seed: int) -> Any:
    space: dict[str, Any] = {
        "torch": torch, "functools": functools, "collections": collections, "GIVEN": 0,
        "Counter": Counter, "Table": Table, "Pile": Pile, "Pair": Pair, "Block": Block,
        "region": region, "series": series,
    }  # fmt: skip
    exec(compile(program(seed), f"<program {seed}>", "exec"), space)
    space["run"].space = space
    return space["run"]
