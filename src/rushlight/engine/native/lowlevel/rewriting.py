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
from rushlight.engine.native.lowlevel.syntax import (
    ENDS,
    HERE,
    LOAD,
    Facts,
    arguments,
    at,
    call,
    field,
    give_places,
    loaded,
    named,
    stored,
    tuple_of,
)
from rushlight.engine.native.lowlevel.values import UNSET

# What rewritten functions call.
_LANGUAGE = types.SimpleNamespace(
    UNSET=UNSET, If=control.If, AskedIf=control.AskedIf, While=control.While, Count=control.Count,
    branch=control.branch, every=control.every, some=control.some, choose=control.choose, asked_choose=control.asked_choose,
    holds=control.holds, inverted=control.inverted, leave=control.leave, is_open=control.is_open,
    replaced=replaced, read_word=read_word, write_word=write_word,
)  # fmt: skip
_WRITTEN = "__written__"
# Words that take an address, which may be a sum: the optimiser compares places that share a base.
_ADDRESSED = frozenset(
    ("load", "load32", "load8", "load_float", "load_float32")
    + ("store", "store32", "store8", "store_float", "store_float32")
)
_codes: dict[types.CodeType, types.CodeType] = {}


def rewritten(source: Callable[..., Any]) -> Callable[..., Any]:
    """The function that writes a function's code into the present text."""
    given: Any = source
    try:
        code = _code(code_of(source), given)
    except Refusal as error:
        refuse(source, error)
    names = _enclosed(given) | {HERE: _LANGUAGE}
    cells = tuple(types.CellType(names[name]) for name in code.co_freevars)
    made = types.FunctionType(code, given.__globals__, given.__name__, given.__defaults__, cells)
    made.__kwdefaults__ = given.__kwdefaults__
    return made


def _enclosed(source: Any) -> dict[str, Any]:
    """What the names mean that a function encloses."""
    cells, names = source.__closure__ or (), source.__code__.co_freevars
    return {name: cell.cell_contents for name, cell in zip(names, cells)}


def _code(code: types.CodeType, source: Any) -> types.CodeType:
    """The rewritten code of a function, which is made once for all functions that have its code."""
    found = _codes.get(code)
    if found is None:
        names = _enclosed(source), source.__globals__
        definition = _Rewriter(*definition_of(source), names).definition()
        free = [ast.arg(name) for name in (*code.co_freevars, HERE)]
        # What a function encloses is what the function around it has.
        inner = [definition, ast.Return(named(_WRITTEN))]
        outer = ast.FunctionDef("outer", arguments(free), inner, [])
        give_places(outer, (code.co_firstlineno, 0, code.co_firstlineno, 0))
        made = compile(ast.Module([outer], []), code.co_filename, "exec")
        found = _codes[code] = _inner(_inner(made))
    return found


def _inner(code: types.CodeType) -> types.CodeType:
    return next(x for x in code.co_consts if isinstance(x, types.CodeType))


@cache
def _numbered(stem: str, number: int) -> str:
    return f"__{stem}{number}"


class _Rewriter:
    """Rewrites one function."""

    def __init__(
        self, definition: ast.FunctionDef, lines: Sequence[str], names: Sequence[dict[str, Any]]
    ) -> None:
        self.given = definition
        self.names = names
        self.count = 0
        self.facts = Facts(lines, definition.lineno)
        own = definition.args
        every = [*own.posonlyargs, *own.args, *own.kwonlyargs, own.vararg, own.kwarg]
        self.parameters = [argument for argument in every if argument]
        self.assigned = self.facts.assigned(definition.body)
        self.locals = {*self.assigned, *(argument.arg for argument in self.parameters)}
        self.loops: list[str] = []  # those around a statement; empty for one of Python's own
        self.carried: dict[str, list[str]] = {}  # the names that each loop changes

    def definition(self) -> ast.FunctionDef:
        given = self.given
        parameters = {argument.arg for argument in self.parameters}
        fresh = [name for name in self.assigned if name not in parameters]
        body = [self.unset(fresh, given)] if fresh else []
        body += self.block(given.body)
        for argument in self.parameters:
            argument.annotation = None
        # Values of parameters that need not be given are those of the function as it is.
        own = given.args
        own.defaults = [ast.Constant(None) for _ in own.defaults]
        own.kw_defaults = [default and ast.Constant(None) for default in own.kw_defaults]
        made = ast.FunctionDef(_WRITTEN, own, body or [ast.Pass()], [])
        return at(made, given)  # type: ignore[no-any-return]

    def unset(self, names: Sequence[str], node: ast.AST) -> ast.stmt:
        """Let names have no value."""
        targets: list[ast.expr] = [stored(name) for name in names]
        return at(ast.Assign(targets, field(HERE, "UNSET")), node)  # type: ignore[no-any-return]

    def fresh(self, stem: str) -> str:
        self.count += 1
        return _numbered(stem, self.count)

    # -- statements --
    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for k, statement in enumerate(statements):
            found += self.statement(statement)
            if isinstance(statement, ENDS):
                break
            if k + 1 < len(statements) and self.facts.may_end(statement):
                rest = self.block(statements[k + 1 :])
                test = call("is_open", of=statement)
                return [*found, at(ast.If(test, rest, []), statement)]
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.Assign(targets=[target]):
                return [self.assign(target, self.value(node.value), node)]
            case ast.If():
                return self.branch(node)
            case ast.AugAssign(target=target):
                read = at(ast.BinOp(loaded(target), node.op, node.value), node)
                return [self.assign(target, self.value(read), node)]
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return []
            case ast.Expr():
                return [at(ast.Expr(self.value(node.value)), node)]
            case ast.Return(value=value):
                given = [self.value(value)] if value else []
                return [at(ast.Expr(call("leave", *given, of=value or node)), node)]
            case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
                return self.counted(node)
            case ast.While():
                return self.loop(node)
            case ast.For():
                return self.repeated(node)
            case ast.Break() | ast.Continue():
                return [self.leave_loop(node)]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return [self.assign(target, self.value(value), node)]
        raise Refusal(node, "not part of the language")

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> Any:
        match target:
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                new = call("replaced", named(name), self.value(index), value, of=node)
                return at(ast.Assign([stored(name)], new), node)
            case ast.Attribute(value=base, attr=word) if self.is_words(base):
                change = call("write_word", base, ast.Constant(word), value, of=node)
                return at(ast.Expr(change), node)
            case ast.Name() | ast.Tuple() | ast.Attribute():
                return at(ast.Assign([target], value), node)
        raise Refusal(target, "cannot be assigned")

    def branch(self, node: ast.If) -> list[ast.stmt]:
        made, names = self.fresh("if"), self.facts.carried(node, [*node.body, *node.orelse])
        has_else = ast.Constant(bool(node.orelse))
        asks_more = _asks_more(node.test)
        test = self.test(node.test) if asks_more else self.value(node.test)
        what = "AskedIf" if asks_more else "If"
        found = [
            self.begin(made, what, [tuple_of(names), has_else, test], node),
            self.way(made, "then", "leave", node.body, names, node),
        ]
        if node.orelse:
            found += self.renamed(names, field(made, "before"), node)
            # What else the first way gives a value to has none on the second.
            own = [name for name in self.facts.assigned(node.body) if name not in names]
            found += [self.unset(own, node)] if own else []
            found.append(self.way(made, "other", "leave", node.orelse, names, node))
        return [*found, *self.renamed(names, call("join", of=node, made=made), node)]

    def loop(self, node: ast.While) -> list[ast.stmt]:
        made, names = self.fresh("while"), self.facts.carried(node, node.body)
        head = [
            self.begin(made, "While", [tuple_of(names)], node),
            *self.renamed(names, field(made, "names"), node),
        ]
        test = self.condition(node.test, field(made, "inside"), field(made, "end"))
        return [*head, at(ast.Expr(test), node), *self.body(made, node, names, names)]

    def counted(self, node: ast.For) -> list[ast.stmt]:
        assert isinstance(node.iter, ast.Call)
        if not isinstance(node.target, ast.Name):
            raise Refusal(node.target, "cannot count")
        made, names = self.fresh("for"), self.facts.carried(node, node.body)
        index = node.target.id if node.target.id != "_" else self.fresh("index")
        if index in self.facts.assigned(node.body):
            raise Refusal(node.target, "is counted by the loop alone")
        bounds = ast.Tuple([self.value(x) for x in node.iter.args], LOAD)
        every = [index, *names]
        return [
            self.begin(made, "Count", [bounds, tuple_of(names)], node),
            *self.renamed(every, field(made, "names"), node),
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
        way = self.way(made, "begin", "next", node.body, names, node)
        self.loops.pop()
        return [way, *self.renamed(after, call("close", of=node, made=made), node)]

    def repeated(self, node: ast.For) -> list[ast.stmt]:
        """A loop of Python's own."""
        self.loops.append("")
        body = self.block(node.body)
        self.loops.pop()
        if any(map(self.facts.may_end, node.body)):
            test = ast.UnaryOp(ast.Not(), call("is_open", of=node))
            body.append(at(ast.If(test, [ast.Break()], []), node))
        loop = at(ast.For(node.target, self.value(node.iter), body, []), node)
        # Behind it the names have no value, so that no later loop carries them.
        names = [x.id for x in ast.walk(node.target) if isinstance(x, ast.Name)]
        return [loop, self.unset(names, node)]

    def leave_loop(self, node: ast.stmt) -> Any:
        if not self.loops or not self.loops[-1]:
            raise Refusal(node, "only a loop that runs is left early")
        made = self.loops[-1]
        how = "stop" if isinstance(node, ast.Break) else "next"
        return at(ast.Expr(call(how, tuple_of(self.carried[made]), of=node, made=made)), node)

    # -- pieces of statements --
    def begin(self, made: str, what: str, given: list[Any], node: ast.stmt) -> Any:
        return at(ast.Assign([stored(made)], call(what, *given, of=node)), node)

    def way(
        self,
        made: str,
        begins: str,
        ends: str,
        body: Sequence[ast.stmt],
        names: list[str],
        node: Any,
    ) -> Any:
        """Statements that are translated if control comes to them."""
        end = at(ast.Expr(call(ends, tuple_of(names), of=node, made=made)), node)
        return at(ast.If(call(begins, of=node, made=made), [*self.block(body), end], []), node)

    def renamed(self, names: list[str], value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """Let names mean other values; what gives these happens in any case."""
        if not names:
            return [at(ast.Expr(value), node)] if isinstance(value, ast.Call) else []
        targets = ast.Tuple([stored(name) for name in names], stored("_").ctx)
        return [at(ast.Assign([targets], value), node)]

    # -- conditions --
    def condition(self, node: ast.expr, yes: ast.expr, no: ast.expr) -> ast.expr:
        """Go to ``yes`` or ``no``; ``and`` and ``or`` stop early."""
        match node:
            case ast.BoolOp(op=op, values=values):
                parts = ast.Tuple([self.test(value) for value in values], LOAD)
                how = "every" if isinstance(op, ast.And) else "some"
                return call(how, parts, yes, no, of=node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.condition(operand, no, yes)
        return call("branch", self.value(node), yes, no, of=node)

    def test(self, node: ast.expr) -> Any:
        """A condition that is asked when control comes to it."""
        inner = self.condition(node, named("__yes"), named("__no"))
        return at(ast.Lambda(arguments([ast.arg("__yes"), ast.arg("__no")]), inner), node)

    # -- expressions --
    def value(self, node: Any) -> Any:
        """An expression, or a part of one that is none itself."""
        rewrite = _REWRITES.get(type(node))
        return self.inner(node) if rewrite is None else rewrite(self, node)

    def inner(self, node: Any) -> Any:
        """A node of which only what is in it changes."""
        held = node.__dict__
        for name in node._fields:
            inside = held[name]
            if type(inside) is list:
                held[name] = [self.value(x) for x in inside]
            elif type(inside) in _REWRITES or isinstance(inside, ast.expr):
                held[name] = self.value(inside)
        return node

    def same(self, node: Any) -> Any:
        return node

    def truth(self, node: ast.BoolOp) -> Any:
        return call("holds", self.test(node), of=node)

    def choice(self, node: ast.IfExp) -> Any:
        ways = [ast.Lambda(arguments([]), self.value(x)) for x in (node.body, node.orelse)]
        if _asks_more(node.test):
            return call("asked_choose", self.test(node.test), *ways, of=node)
        return call("choose", self.value(node.test), *ways, of=node)

    def unary(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return call("inverted", self.value(node.operand), of=node)
        return self.inner(node)

    def attribute(self, node: ast.Attribute) -> Any:
        if self.is_words(node.value):
            return call("read_word", node.value, ast.Constant(node.attr), of=node)
        return self.inner(node)

    def called(self, node: ast.Call) -> Any:
        match node:
            case ast.Call(
                func=ast.Name(id=name) as word, args=[ast.BinOp(op=ast.Add()) as sum, *_]
            ):
                if name in _ADDRESSED:
                    node.func = ast.Attribute(word, "at", LOAD)
                    node.args[:1] = [sum.left, sum.right]
        return self.inner(node)

    def is_words(self, node: ast.expr) -> bool:
        """Whether an expression means words that are shared with Python."""
        return isinstance(self.lookup(node), Words)

    def lookup(self, node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name) if name not in self.locals:
                return next((known[name] for known in self.names if name in known), None)
            case ast.Attribute(value=base, attr=name):
                held = self.lookup(base)
                return (
                    None if held is None or isinstance(held, Words) else getattr(held, name, None)
                )
        return None


def _asks_more(test: ast.expr) -> bool:
    """Whether a test may need more than one branch."""
    return isinstance(test, (ast.BoolOp, ast.UnaryOp))


_REWRITES: dict[type, Callable[[_Rewriter, Any], Any]] = {
    ast.Name: _Rewriter.same,
    ast.Constant: _Rewriter.same,
    ast.Lambda: _Rewriter.same,
    ast.BoolOp: _Rewriter.truth,
    ast.IfExp: _Rewriter.choice,
    ast.UnaryOp: _Rewriter.unary,
    ast.Attribute: _Rewriter.attribute,
    ast.Call: _Rewriter.called,
    ast.keyword: _Rewriter.inner,
    ast.comprehension: _Rewriter.inner,
    ast.Eq: _Rewriter.same, ast.NotEq: _Rewriter.same, ast.Lt: _Rewriter.same,
    ast.LtE: _Rewriter.same, ast.Gt: _Rewriter.same, ast.GtE: _Rewriter.same,
    ast.Is: _Rewriter.same, ast.IsNot: _Rewriter.same, ast.In: _Rewriter.same,
    ast.NotIn: _Rewriter.same, type(None): _Rewriter.same, int: _Rewriter.same,
    str: _Rewriter.same,
}  # fmt: skip
