"""Functions of the language, rewritten so that Python writes their code when it runs them.

Operators and calls stay as they are: values of compiled code answer to them. What Python would
decide for itself is replaced by what `control` has: ``if``, ``while``, ``for … in range``,
``return``, ``and``, ``or``, ``not``, conditional expressions. A loop over anything else than
``range`` is Python's own, which repeats its body. Lists are values: ``sums[k] = x`` makes a new one.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from rushlight.engine.native.lowlevel import control
from rushlight.engine.native.lowlevel.shared import Words, read_word, replaced, write_word
from rushlight.engine.native.lowlevel.source import Refusal, code_of, definition_of, refuse
from rushlight.engine.native.lowlevel.values import UNSET

# What rewritten functions call. No name of Python's begins like these.
_LANGUAGE = types.SimpleNamespace(
    UNSET=UNSET, If=control.If, While=control.While, Count=control.Count, branch=control.branch,
    every=control.every, some=control.some, choose=control.choose, holds=control.holds,
    inverted=control.inverted, leave=control.leave, is_open=control.is_open, replaced=replaced,
    read_word=read_word, write_word=write_word,
)  # fmt: skip
_HERE, _WRITTEN = "__language__", "__written__"
# Words that take an address, which may be a sum: the optimiser compares places that share a base.
_ADDRESSED = frozenset(
    ("load", "load32", "load8", "load_float", "load_float32")
    + ("store", "store32", "store8", "store_float", "store_float32")
)
_ENDS = (ast.Return, ast.Break, ast.Continue)


def rewritten(source: Callable[..., Any]) -> Callable[..., Any]:
    """The function that writes a function's code into the present text."""
    try:
        code = _code(code_of(source), source)
    except Refusal as error:
        refuse(source, error)
    names = _enclosed(source) | {_HERE: _LANGUAGE}
    cells = tuple(types.CellType(names[name]) for name in code.co_freevars)
    made = types.FunctionType(code, source.__globals__, source.__name__, None, cells)  # type: ignore[attr-defined]
    made.__defaults__ = source.__defaults__  # type: ignore[attr-defined]
    made.__kwdefaults__ = source.__kwdefaults__  # type: ignore[attr-defined]
    return made


def _enclosed(source: Callable[..., Any]) -> dict[str, Any]:
    """What the names mean that a function encloses."""
    cells = source.__closure__ or ()  # type: ignore[attr-defined]
    names = source.__code__.co_freevars  # type: ignore[attr-defined]
    return {name: cell.cell_contents for name, cell in zip(names, cells)}


_codes: dict[types.CodeType, types.CodeType] = {}


def _code(code: types.CodeType, source: Callable[..., Any]) -> types.CodeType:
    """The rewritten code of a function, which is written once for all functions that have its code."""
    found = _codes.get(code)
    if found is None:
        names = {**source.__globals__, **_enclosed(source)}  # type: ignore[attr-defined]
        definition = _Rewriter(definition_of(source), names).definition()
        free = [ast.arg(name) for name in (*code.co_freevars, _HERE)]
        inner = [definition, ast.Return(_name(_WRITTEN))]
        outer = ast.FunctionDef("outer", _arguments(free), inner, [])
        line = code.co_firstlineno
        _place(outer, (line, 0, line, 0))
        made = compile(ast.Module([outer], []), code.co_filename, "exec")
        found = _codes[code] = _inner(_inner(made))
    return found


def _inner(code: types.CodeType) -> types.CodeType:
    return next(x for x in code.co_consts if isinstance(x, types.CodeType))


def _arguments(parameters: list[ast.arg]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[]
    )


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _tuple(names: Sequence[str], stored: bool = False) -> ast.Tuple:
    how: Any = ast.Store if stored else ast.Load
    return ast.Tuple([ast.Name(name, how()) for name in names], how())


def _call(function: str, *arguments: ast.expr, of: ast.AST) -> ast.Call:
    """A call of what the language has, or of a method of a local name."""
    base, _, method = function.rpartition(".")
    place = ast.Attribute(_name(base or _HERE), method, ast.Load())
    return _at(ast.Call(place, [*arguments], []), of)  # type: ignore[no-any-return]


def _at(node: Any, of: ast.AST) -> Any:
    """A node that is written where another is."""
    return ast.copy_location(node, of)


def _place(node: ast.AST, place: tuple[int, int, int | None, int | None]) -> None:
    """Give a place to every node that has none: that of what is around it."""
    held = node.__dict__
    if "lineno" in held:
        place = held["lineno"], held["col_offset"], held["end_lineno"], held["end_col_offset"]
    elif "lineno" in node._attributes:
        held["lineno"], held["col_offset"], held["end_lineno"], held["end_col_offset"] = place
    for name in node._fields:
        inner = held.get(name)
        if isinstance(inner, list):
            for one in inner:
                if isinstance(one, ast.AST):
                    _place(one, place)
        elif isinstance(inner, ast.AST):
            _place(inner, place)


def _targets(target: ast.expr) -> list[str]:
    """The names that an assignment to a target changes."""
    match target:
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
            return [] if name == "_" else [name]
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            return [name for inner in targets for name in _targets(inner)]
    return []


class _Facts:
    """What statements do to names and to where control goes, found once for each statement."""

    def __init__(self) -> None:
        self._names: dict[int, list[str]] = {}
        self._ends: dict[int, bool] = {}

    def assigned(self, statements: Sequence[ast.stmt]) -> list[str]:
        """The names that statements may change, in order."""
        return [*dict.fromkeys(name for s in statements for name in self._assigned(s))]

    def _assigned(self, node: ast.stmt) -> list[str]:
        found = self._names.get(id(node))
        if found is None:
            targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
            found = [name for target in targets if target for name in _targets(target)]
            found += self.assigned([*getattr(node, "body", ()), *getattr(node, "orelse", ())])
            self._names[id(node)] = found
        return found

    def may_end(self, node: ast.stmt) -> bool:
        """Whether control may leave a statement without going on to the next one."""
        found = self._ends.get(id(node))
        if found is None:
            inner = [*getattr(node, "body", ()), *getattr(node, "orelse", ())]
            found = isinstance(node, _ENDS) or any(map(self.may_end, inner))
            self._ends[id(node)] = found
        return found


@cache
def _numbered(stem: str, number: int) -> str:
    return f"__{stem}{number}"


class _Rewriter:
    """Rewrites one function."""

    def __init__(self, definition: ast.FunctionDef, names: dict[str, Any]) -> None:
        self.given = definition
        self.names = names
        self.count = 0
        self.facts = _Facts()
        arguments = definition.args
        own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        own += [x for x in (arguments.vararg, arguments.kwarg) if x]
        self.own = own
        self.parameters = [argument.arg for argument in own]
        self.locals = {*self.parameters, *self.facts.assigned(definition.body)}
        self.loops: list[str] = []  # those around a statement; empty for one of Python's own
        self.carried: dict[str, list[str]] = {}  # the names that each loop changes

    def definition(self) -> ast.FunctionDef:
        given = self.given
        fresh = [name for name in self.facts.assigned(given.body) if name not in self.parameters]
        body: list[ast.stmt] = []
        if fresh:
            targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in fresh]
            unset = ast.Attribute(_name(_HERE), "UNSET", ast.Load())
            body.append(_at(ast.Assign(targets, unset), given))
        body += self.block(given.body)
        arguments = given.args
        for argument in self.own:
            argument.annotation = None
        # Values of parameters that need not be given are those of the function as it is.
        arguments.defaults = [_at(ast.Constant(None), given) for _ in arguments.defaults]
        arguments.kw_defaults = [
            x and _at(ast.Constant(None), given) for x in arguments.kw_defaults
        ]
        made = ast.FunctionDef(_WRITTEN, arguments, body or [ast.Pass()], [])
        return _at(made, given)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return _numbered(stem, self.count)

    # -- statements --
    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for k, statement in enumerate(statements):
            found += self.statement(statement)
            if isinstance(statement, _ENDS):
                break
            if k + 1 < len(statements) and self.facts.may_end(statement):
                rest = self.block(statements[k + 1 :])
                test = _call("is_open", of=statement)
                return [*found, _at(ast.If(test, rest, []), statement)]
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.If():
                return self.branch(node)
            case ast.While():
                return self.loop(node)
            case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
                return self.counted(node)
            case ast.For():
                return self.repeated(node)
            case ast.Return(value=value):
                given = [self.value(value)] if value else []
                return [_at(ast.Expr(_call("leave", *given, of=value or node)), node)]
            case ast.Break() | ast.Continue():
                return [self.leave_loop(node)]
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return []
            case ast.Assign(targets=[target]):
                return [self.assign(target, self.value(node.value), node)]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return [self.assign(target, self.value(value), node)]
            case ast.AugAssign(target=target):
                return [self.assign(target, self.combined(node), node)]
            case ast.Expr():
                return [_at(ast.Expr(self.value(node.value)), node)]
            case _:
                raise Refusal(node, "not part of the language")

    def combined(self, node: ast.AugAssign) -> ast.expr:
        read = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
        return self.value(read)  # type: ignore[no-any-return]

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> ast.stmt:
        match target:
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                new = _call("replaced", _name(name), self.value(index), value, of=node)
                return _at(ast.Assign([ast.Name(name, ast.Store())], new), node)
            case ast.Attribute(value=base, attr=word) if self.is_words(base):
                call = _call("write_word", base, ast.Constant(word), value, of=node)
                return _at(ast.Expr(call), node)
            case ast.Name() | ast.Tuple() | ast.Attribute():
                return _at(ast.Assign([target], value), node)
        raise Refusal(target, "cannot be assigned")

    def branch(self, node: ast.If) -> list[ast.stmt]:
        made, names = self.fresh("if"), self.facts.assigned([*node.body, *node.orelse])
        test = self.condition(node.test, _field(made, "yes"), _field(made, "no"))
        return [
            self.begin(made, "If", [_tuple(names)], node),
            _at(ast.Expr(test), node),
            self.way(f"{made}.then", f"{made}.leave", node.body, names, node),
            *self.renamed(names, _field(made, "before"), node),
            self.way(f"{made}.other", f"{made}.leave", node.orelse, names, node),
            *self.renamed(names, _call(f"{made}.join", of=node), node),
        ]

    def loop(self, node: ast.While) -> list[ast.stmt]:
        made, names = self.fresh("while"), self.facts.assigned(node.body)
        head = [
            self.begin(made, "While", [_tuple(names)], node),
            *self.renamed(names, _field(made, "names"), node),
        ]
        test = self.condition(node.test, _field(made, "inside"), _field(made, "end"))
        return [*head, _at(ast.Expr(test), node), *self.body(made, node, names, names)]

    def counted(self, node: ast.For) -> list[ast.stmt]:
        assert isinstance(node.iter, ast.Call)
        if not isinstance(node.target, ast.Name):
            raise Refusal(node.target, "cannot count")
        made, names = self.fresh("for"), self.facts.assigned(node.body)
        index = node.target.id if node.target.id != "_" else self.fresh("index")
        if index in names:
            raise Refusal(node.target, "is counted by the loop alone")
        bounds = ast.Tuple([self.value(x) for x in node.iter.args], ast.Load())
        every = [index, *names]
        return [
            self.begin(made, "Count", [bounds, _tuple(names)], node),
            *self.renamed(every, _field(made, "names"), node),
            *self.body(made, node, names, every),
        ]

    def body(
        self, made: str, node: ast.While | ast.For, names: list[str], after: list[str]
    ) -> list[ast.stmt]:
        """A loop's body, from where it begins to where it is closed."""
        if node.orelse:
            raise Refusal(node.orelse[0], "a loop has no else")
        self.loops.append(made)
        self.carried[made] = names
        way = self.way(f"{made}.begin", f"{made}.next", node.body, names, node)
        self.loops.pop()
        return [way, *self.renamed(after, _call(f"{made}.close", of=node), node)]

    def repeated(self, node: ast.For) -> list[ast.stmt]:
        """A loop of Python's own."""
        self.loops.append("")
        body = self.block(node.body)
        self.loops.pop()
        if any(self.facts.may_end(statement) for statement in node.body):
            test = ast.UnaryOp(ast.Not(), _call("is_open", of=node))
            body.append(_at(ast.If(test, [ast.Break()], []), node))
        loop = _at(ast.For(node.target, self.value(node.iter), body, []), node)
        # Behind it the names have no value, so that no later loop carries them.
        names = [x.id for x in ast.walk(node.target) if isinstance(x, ast.Name)]
        unset = ast.Attribute(_name(_HERE), "UNSET", ast.Load())
        forgotten = ast.Assign([ast.Name(name, ast.Store()) for name in names], unset)
        return [loop, _at(forgotten, node)]

    def leave_loop(self, node: ast.stmt) -> ast.stmt:
        if not self.loops or not self.loops[-1]:
            raise Refusal(node, "only a loop that runs is left early")
        made = self.loops[-1]
        names = self.carried[made]
        how = "stop" if isinstance(node, ast.Break) else "next"
        return _at(ast.Expr(_call(f"{made}.{how}", _tuple(names), of=node)), node)

    # -- pieces of statements --
    def begin(self, made: str, what: str, arguments: list[ast.expr], node: ast.stmt) -> ast.stmt:
        call = _call(what, *arguments, of=node)
        return _at(ast.Assign([ast.Name(made, ast.Store())], call), node)

    def way(
        self, begins: str, ends: str, body: Sequence[ast.stmt], names: list[str], node: ast.stmt
    ) -> ast.stmt:
        """Statements that are translated if control comes to them."""
        inside = [*self.block(body), ast.Expr(_call(ends, _tuple(names), of=node))]
        return _at(ast.If(_call(begins, of=node), inside, []), node)

    def renamed(self, names: list[str], value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """Let names mean other values; what gives these happens in any case."""
        if not names:
            return [_at(ast.Expr(value), node)] if isinstance(value, ast.Call) else []
        return [_at(ast.Assign([_tuple(names, stored=True)], value), node)]

    # -- conditions --
    def condition(self, node: ast.expr, yes: ast.expr, no: ast.expr) -> ast.expr:
        """Go to ``yes`` or ``no``; ``and`` and ``or`` stop early."""
        match node:
            case ast.BoolOp(op=op, values=values):
                parts = ast.Tuple([self.test(value) for value in values], ast.Load())
                return _call(
                    "every" if isinstance(op, ast.And) else "some", parts, yes, no, of=node
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.condition(operand, no, yes)
        return _call("branch", self.value(node), yes, no, of=node)

    def test(self, node: ast.expr) -> ast.expr:
        """A condition that is asked when control comes to it."""
        inner = self.condition(node, _name("__yes"), _name("__no"))
        return _at(ast.Lambda(_arguments([ast.arg("__yes"), ast.arg("__no")]), inner), node)

    # -- expressions --
    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Name() | ast.Constant() | ast.Lambda():
                return node
            case ast.BoolOp():
                return _call("holds", self.test(node), of=node)
            case ast.IfExp():
                ways = [ast.Lambda(_arguments([]), self.value(x)) for x in (node.body, node.orelse)]
                return _call("choose", self.test(node.test), *ways, of=node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return _call("inverted", self.value(operand), of=node)
            case ast.Attribute(value=base, attr=word) if self.is_words(base):
                return _call("read_word", base, ast.Constant(word), of=node)
            case ast.Call(
                func=ast.Name(id=name) as word, args=[ast.BinOp(left, ast.Add(), right), *rest]
            ) if name in _ADDRESSED:
                node.func = ast.Attribute(word, "at", ast.Load())
                node.args = [left, right, *rest]
        return self.inner(node)

    def inner(self, node: Any) -> Any:
        """A node of which only what is in it changes."""
        held = node.__dict__
        for name in node._fields:
            inside = held.get(name)
            if isinstance(inside, list):
                held[name] = [self.piece(x) for x in inside]
            elif isinstance(inside, ast.AST):
                held[name] = self.piece(inside)
        return node

    def piece(self, node: Any) -> Any:
        """Part of an expression, which need not be one."""
        if isinstance(node, ast.expr):
            return self.value(node)
        return self.inner(node) if isinstance(node, (ast.keyword, ast.comprehension)) else node

    def is_words(self, node: ast.expr) -> bool:
        """Whether an expression means words that are shared with Python."""
        return isinstance(self.lookup(node), Words)

    def lookup(self, node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name) if name not in self.locals:
                return self.names.get(name)
            case ast.Attribute(value=base, attr=name):
                held = self.lookup(base)
                return (
                    None if held is None or isinstance(held, Words) else getattr(held, name, None)
                )
        return None


def _field(made: str, name: str) -> ast.expr:
    return ast.Attribute(_name(made), name, ast.Load())


def _loaded(target: ast.expr) -> ast.expr:
    """What is at a target, to be read."""
    match target:
        case ast.Name(id=name):
            return ast.copy_location(_name(name), target)
        case ast.Attribute(value=base, attr=name):
            return ast.copy_location(ast.Attribute(base, name, ast.Load()), target)
        case ast.Subscript(value=base, slice=index):
            return ast.copy_location(ast.Subscript(base, index, ast.Load()), target)
    raise Refusal(target, "cannot be assigned")
