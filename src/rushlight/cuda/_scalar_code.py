"""Scalar functions written in C++, as `jiterator` takes them: from text to a function of expressions.

A function may declare variables, assign to them, compute, choose (``if``, ``?:``) and return; there are no loops. What
follows a choice is computed for both ways of it, and the values of the right one are taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import expr, maths

_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/"
    r"|(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?[fFuUlL]*)|(?P<name>(?:std)?(?:::)?[A-Za-z_][\w:]*)"
    r"|(?P<sign>\|\||&&|==|!=|<=|>=|<<|>>|[-+*/%&|^]=|\+\+|--|[-+*/%&|^~!<>=?:;,(){}])",
    re.S,
)
_HEAD = re.compile(
    r"\s*template\s*<(?P<template>[^>]+)>\s*(?P<result>\w+)\s+(?P<name>\w+)\s*\((?P<parameters>[^)]*)\)\s*"
    r"(?P<body>\{.*\})\s*$", re.S,
)  # fmt: skip
_TYPES = {
    "float": "f32", "double": "f64", "int": "i32", "bool": "bool", "long": "i64", "int32_t": "i32", "int64_t": "i64",
}  # fmt: skip
# Signs between two values, from those that hold least.
_LEVELS: tuple[dict[str, Callable[[Any, Any], Any]], ...] = (
    {"||": lambda a, b: _truth(a) | _truth(b)},
    {"&&": lambda a, b: _truth(a) & _truth(b)},
    {"|": lambda a, b: a | b}, {"^": lambda a, b: a ^ b}, {"&": lambda a, b: a & b},
    {"==": lambda a, b: a == b, "!=": lambda a, b: a != b},
    {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b},
    {"<<": lambda a, b: a << b, ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: _quotient(a, b), "%": lambda a, b: a % b},
)  # fmt: skip
_ASSIGNING = {"+=": 8, "-=": 8, "*=": 9, "/=": 9, "%=": 9, "&=": 4, "|=": 2, "^=": 3}
_MATHS = ["acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "rsqrt", "sin", "sinh", "tan", "tanh", "fmod"]  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: lambda *given, name=name: getattr(maths, name)(*_alike(given)) for name in _MATHS},
    **{name: getattr(expr, name) for name in ("sqrt", "floor", "ceil", "trunc", "rint")},
    "abs": abs, "fabs": abs, "isnan": expr.isnan, "isinf": expr.isinf,
    "min": lambda a, b: expr.minimum(*_alike((a, b))), "fmin": lambda a, b: expr.minimum(*_alike((a, b))),
    "max": lambda a, b: expr.maximum(*_alike((a, b))), "fmax": lambda a, b: expr.maximum(*_alike((a, b))),
    "fma": lambda a, b, c: expr.fma(a, b, c),
}  # fmt: skip
State = dict[str, Any]


class ScalarFunction:
    """A function that was read.

    Args:
        text: a template of one function
    """

    def __init__(self, text: str) -> None:
        found = _HEAD.match(text)
        if found is None:
            raise Exception(f"Couldn't parse code, please check correctness:\n {text}")
        self.name = found["name"]
        self.parameters: list[str] = []
        self.outputs: list[str] = []
        for part in filter(None, (p.strip() for p in found["parameters"].split(","))):
            words = re.findall(r"\w+|&", part)
            (self.outputs if "&" in words else self.parameters).append(words[-1])
        self.type = re.findall(r"\w+", found["template"])[-1]
        self.tokens = _tokens(found["body"])

    def __call__(self, *values: Any) -> Any:
        """The result, or a tuple of results, for values in the order of parameters that are no results."""
        given = dict(zip(self.parameters, values, strict=True))
        given.update(dict.fromkeys(self.outputs, 0))
        like = next((v.type for v in values if isinstance(v, expr.Value)), "f32")
        _, statements = _Reader(self.tokens, self.type, like).block(0)
        return _run(statements, given, self.outputs)


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"not understood in a scalar function: {text[at : at + 20]!r}")
        if match.lastgroup:
            found.append(match[0])
        at = match.end()
    return found


def _run(statements: Sequence[Any], state: State, outputs: Sequence[str]) -> Any:
    """What statements come to: a returned value, or at the end those of the outputs."""
    for at, statement in enumerate(statements):
        kind, *rest = statement
        if kind == "return":
            return rest[0](state) if rest[0] is not None else _ends(state, outputs)
        if kind == "set":
            state[rest[0]] = rest[1](state)
        elif kind == "if":
            condition = _truth(rest[0](state))
            ways = [
                _run([*way, *statements[at + 1 :]], dict(state), outputs)
                for way in (rest[1], rest[2])
            ]
            return _chosen(condition, *ways)
    return _ends(state, outputs)


def _ends(state: State, outputs: Sequence[str]) -> Any:
    return tuple(state[name] for name in outputs)


def _chosen(condition: Any, one: Any, other: Any) -> Any:
    if isinstance(one, tuple):
        return tuple(_chosen(condition, a, b) for a, b in zip(one, other, strict=True))
    if not isinstance(condition, expr.Value):
        return one if condition else other
    return expr.select(condition, one, other)


def _truth(value: Any) -> Any:
    if not isinstance(value, expr.Value):
        return bool(value)
    return value if value.is_bool else value != 0


def _alike(values: Sequence[Any]) -> list[Any]:
    """Numbers as values of the type of the others."""
    like = next(v for v in values if isinstance(v, expr.Value))
    return [expr.as_value(v, like.type) for v in values]


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return int(a / b)
    return a / b


class _Reader:
    """Reads statements and expressions: pairs of the place behind them and what they are.

    Args:
        tokens: the text
        template: the name that stands for the type of the tensors
        type: that type
    """

    def __init__(self, tokens: list[str], template: str, type: str) -> None:
        self.tokens = tokens
        self.types = {**_TYPES, template: type, "auto": ""}

    def peek(self, at: int) -> str:
        return self.tokens[at] if at < len(self.tokens) else ""

    def expect(self, at: int, sign: str) -> int:
        if self.peek(at) != sign:
            raise ValueError(
                f"{sign!r} was expected in a scalar function, and {self.peek(at)!r} found"
            )
        return at + 1

    # -- statements --
    def block(self, at: int) -> tuple[int, list[Any]]:
        if self.peek(at) != "{":
            return self.statement(at)
        at, found = at + 1, []
        while self.peek(at) != "}":
            at, more = self.statement(at)
            found += more
        return at + 1, found

    def statement(self, at: int) -> tuple[int, list[Any]]:
        word = self.peek(at)
        if word == "{":
            return self.block(at)
        if word == ";":
            return at + 1, []
        if word == "return":
            if self.peek(at + 1) == ";":
                return at + 2, [("return", None)]
            at, value = self.choice(at + 1)
            return self.expect(at, ";"), [("return", value)]
        if word == "if":
            return self.condition(at + 1)
        if word in ("for", "while", "do"):
            raise NotImplementedError(f"jiterator: loops ({word}) in a scalar function")
        while self.peek(at) in ("const", "constexpr"):
            at += 1
        kind = None
        if self.peek(at) in self.types and re.match(r"\w", self.peek(at + 1)):
            kind, at = self.types[self.peek(at)], at + 1
        return self.assignment(at, kind)

    def condition(self, at: int) -> tuple[int, list[Any]]:
        at, test = self.choice(self.expect(at, "("))
        at, yes = self.block(self.expect(at, ")"))
        no: list[Any] = []
        if self.peek(at) == "else":
            at, no = self.block(at + 1)
        return at, [("if", test, yes, no)]

    def assignment(self, at: int, kind: str | None) -> tuple[int, list[Any]]:
        name, sign = self.peek(at), self.peek(at + 1)
        if kind is not None and sign == ";":
            return at + 2, [("set", name, lambda state: 0)]
        at, value = self.choice(at + 2)
        if sign in _ASSIGNING:
            level, right = _LEVELS[_ASSIGNING[sign]][sign[:-1]], value
            value = lambda state: level(state[name], right(state))
        elif sign != "=":
            raise ValueError(f"not understood in a scalar function: {name} {sign}")
        given = value
        return self.expect(at, ";"), [("set", name, lambda state: _converted(given(state), kind))]

    # -- expressions --
    def choice(self, at: int) -> tuple[int, Any]:
        at, test = self.level(at, 0)
        if self.peek(at) != "?":
            return at, test
        at, one = self.choice(at + 1)
        at, other = self.choice(self.expect(at, ":"))
        return at, lambda state: _chosen(_truth(test(state)), one(state), other(state))

    def level(self, at: int, which: int) -> tuple[int, Any]:
        if which == len(_LEVELS):
            return self.unary(at)
        at, value = self.level(at, which + 1)
        while self.peek(at) in _LEVELS[which]:
            operation, left = _LEVELS[which][self.peek(at)], value
            at, right = self.level(at + 1, which + 1)
            value = _joined(operation, left, right)
        return at, value

    def unary(self, at: int) -> tuple[int, Any]:
        sign = self.peek(at)
        if sign in ("-", "+", "!", "~"):
            at, value = self.unary(at + 1)
            return at, lambda state: _signed(sign, value(state))
        if sign == "(" and self.peek(at + 1) in self.types and self.peek(at + 2) == ")":
            kind = self.types[self.peek(at + 1)]
            at, value = self.unary(at + 3)
            return at, lambda state: _converted(value(state), kind)
        return self.primary(at)

    def primary(self, at: int) -> tuple[int, Any]:
        word = self.peek(at)
        if word == "(":
            at, value = self.choice(at + 1)
            return self.expect(at, ")"), value
        if re.match(r"[\d.]", word):
            text = word.rstrip("fFuUlL")
            number = int(text) if text.isdigit() else float(text)
            return at + 1, lambda state: number
        if word in ("true", "false"):
            return at + 1, lambda state: word == "true"
        if word == "static_cast":
            kind = self.types[self.peek(at + 2)]
            at, value = self.choice(self.expect(self.expect(at + 3, ">"), "("))
            return self.expect(at, ")"), lambda state: _converted(value(state), kind)
        if self.peek(at + 1) == "(":
            return self.call(word, at + 2)
        return at + 1, lambda state: state[word]

    def call(self, word: str, at: int) -> tuple[int, Any]:
        given: list[Any] = []
        while self.peek(at) != ")":
            at, value = self.choice(at + 1 if given else at)
            given.append(value)
        name = word.rpartition("::")[2]
        if name in self.types:
            return at + 1, lambda state: _converted(given[0](state), self.types[name])
        if name not in _FUNCTIONS:
            raise NotImplementedError(f"jiterator: the function {word} in a scalar function")
        return at + 1, lambda state: _FUNCTIONS[name](*(value(state) for value in given))


def _joined(operation: Any, left: Any, right: Any) -> Any:
    return lambda state: operation(*_common(left(state), right(state)))


def _common(a: Any, b: Any) -> tuple[Any, Any]:
    """Two values of one type: the wider of floating ones, a floating one before whole numbers."""
    if isinstance(a, expr.Value) and isinstance(b, expr.Value) and a.type != b.type:
        kind = max((a.type, b.type), key=lambda t: (t[0] == "f", t != "bool", t[1:]))
        return expr.convert(a, kind), expr.convert(b, kind)
    return a, b


def _signed(sign: str, value: Any) -> Any:
    if sign == "!":
        truth = _truth(value)
        return ~truth if isinstance(truth, expr.Value) else not truth
    return {"-": lambda: -value, "+": lambda: value, "~": lambda: ~value}[sign]()


def _converted(value: Any, kind: str | None) -> Any:
    if not kind:
        return value
    if isinstance(value, expr.Value):
        return value if value.type == kind else expr.convert(value, kind)
    return bool(value) if kind == "bool" else float(value) if kind[0] == "f" else int(value)
