"""Random Python programs over tensors, for comparing what is captured with what runs as it is."""

from __future__ import annotations

import copy
import random
from typing import Any

import rushlight as torch


class Thing:
    """An object with state that programs change."""

    def __init__(self) -> None:
        self.weight = torch.arange(6.0).view(2, 3) / 5
        self.count = 1
        self.items = [torch.ones(3), 2, "x"]
        self.table = {"a": torch.ones(2, 3), "b": 3}

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
        return "def run(x, y, n, thing, log):\n" + "\n".join(body) + "\n"

    def block(self, count: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += ["    " + line for line in self.statement()]
        return lines

    def tensor(self) -> str:
        rng, t = self.rng, self.rng.choice
        kind = rng.randrange(14)
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
        return f"{a}.mul(0.5)"

    def number(self) -> str:
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            return str(rng.randrange(1, 4))
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
        kind = rng.randrange(6)
        if kind == 0:
            return f"{rng.choice(self.tensors)}.sum() > 0"
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
        kind = rng.randrange(24 if self.depth < 2 else 12)
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
        if kind == 22:
            name = self.name("w")
            self.numbers.append(name)
            return [f"{name} = 0", f"while {name} < {rng.randrange(1, 4)}:", f"    {name} += 1",
                    *self.inner()]  # fmt: skip
        a, b = self.name("t"), self.name("t")
        text = f"{a}, {b} = {self.tensor()}, {self.tensor()}"
        self.tensors += [a, b]
        return [text]


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


def outcome(function: Any, call: int) -> Any:
    """What a program gives for the arguments of one call, and what it does to them."""
    torch.manual_seed(call % 2)
    x, y = torch.randn(2, 3), torch.randn(2, 3)
    if call == 2:
        x = (torch.randn(4, 1, 3)[:2, 0] * 1).requires_grad_()
    thing, logged = copy.deepcopy(THING), []
    if call == 3:
        thing.count = 3
    try:
        found = shown(function(x, y, (1, 2, 1, 3)[call], thing, logged.append))
    except Exception as error:
        found = type(error).__name__, str(error)
    return found, shown(thing), logged, shown(x), shown(y)


THING = Thing()


def defined(seed: int) -> Any:
    space = {"torch": torch}
    exec(compile(program(seed), f"<program {seed}>", "exec"), space)
    return space["run"]
