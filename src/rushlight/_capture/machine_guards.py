"""Segments as programs of machine code, where a segment is a whole call whose guards and result are simple.

The texts of guards say what has to hold; those that machine code can test become instructions. If one cannot, there
is no program, and the segment's Python function makes its calls.
"""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rushlight._capture import guarding
from rushlight._capture.reading import in_class
from rushlight._capture.status import under_way
from rushlight._dynamo import config
from rushlight.engine.core import guard_programs as programs
from rushlight.engine.core.guard_programs import Held, Program
from rushlight.engine.core.tensor_guards import Expected
from rushlight.engine.native import ahead, heap_types
from rushlight.engine.native.python_functions import FUNCTION
from rushlight.nn import Module

# What holds wherever a program runs: it does not while a thread has modes.
_IMPLIED = {"not state.active"}
_RECORDING = {guarding.RECORDING.format(mode): mode for mode in (True, False)}
_OF_FUNCTIONS = {
    "__code__": FUNCTION.code,
    "__defaults__": FUNCTION.defaults,
    "__kwdefaults__": FUNCTION.keyword_defaults,
    "__closure__": FUNCTION.closure,
}


class _NotSimple(Exception):
    """Something is said that machine code does not do."""


def compile_ahead() -> None:
    """Have the code of such programs by the time that one is made."""
    if heap_types.supported() and not programs.module.has_compiled(programs.take_object):
        ahead.compile_ahead(functools.partial(programs.module.address, programs.take_object))


def program_of(
    function: types.FunctionType, guards: Iterable[str], tensors: Mapping[str, tuple[Expected, list[str]]],
    inputs: Iterable[str], after: Sequence[str], taken: Sequence[str], kept: Mapping[str, Any],
    run: Callable[..., Any], failed: Callable[[Exception], None],
) -> Program | None:  # fmt: skip
    """The program of a segment that is a whole call; None where something in it is not simple.

    Args:
        function: what is called
        guards: what must hold
        tensors: what tensors have to be like, by their sources, and the guards that say so
        inputs: the sources of the graph's inputs
        after: the statements that make the result of that of the graph
        taken: the names of the arguments
        kept: what other names mean
        run: the compiled graph
        failed: raises an error of the graph
    """
    if not heap_types.supported():
        return None
    guards = list(guards)
    try:
        made = _Translation(function, guards, tensors, taken, kept)
        made.test_function(function)
        for text in guards:
            made.test(text)
        for source in tensors:
            made.expect(source)
        slots = [made.slot(_parsed(source)) for source in inputs]
        parts, is_tuple = made.result(after)
    except _NotSimple:
        return None
    if max(made.program.slots, len(slots)) > programs.MOST_SLOTS:
        return None
    made.program.complete(run, slots, parts, is_tuple, failed)
    return made.program


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Translation:
    """A program, and where it has what the texts name.

    Args: see `program_of`
    """

    def __init__(
        self, function: types.FunctionType, guards: Sequence[str],
        tensors: Mapping[str, tuple[Expected, list[str]]], taken: Sequence[str], kept: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.tensors, self.kept = tensors, kept
        self.said = {text for _, texts in tensors.values() for text in texts}
        self.expected: set[str] = set()
        code = function.__code__
        if code.co_kwonlyargcount:
            raise _NotSimple
        plain, others = taken[: code.co_argcount], list(taken[code.co_argcount :])
        # What a function gets as a tuple, and as a dictionary: the items are arguments, and there are no named ones.
        self.tuple = others.pop(0) if code.co_flags & inspect.CO_VARARGS else ""
        self.dict = others.pop(0) if others else ""
        count = _count_of_items(self.tuple, guards) if self.tuple else 0
        names = [*plain, *(f"{self.tuple}[{k}]" for k in range(count))]
        self.program = Program(len(names))
        self.slots = {name: k for k, name in enumerate(names)}
        # The classes of objects, once they are tested.
        self.kinds: dict[str, type] = {}

    # -- where objects are --

    def slot(self, node: ast.expr) -> int:
        """The slot of an object that an expression names."""
        text = ast.unparse(node)
        found = self.slots.get(text)
        if found is None:
            found = self.slots[text] = self._found(node)
        return found

    def _found(self, node: ast.expr) -> int:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            key = node.slice.value
            if type(key) is int and key >= 0:
                return self.program.find(programs.take_item, self.slot(node.value), key)
            if type(key) is str:
                return self.program.find(programs.take_value, self.slot(node.value), Held(key))
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Name):
            return self.program.find(programs.take_object, 0, Held(self.meaning(node)))
        raise _NotSimple

    def _attribute(self, node: ast.Attribute) -> int:
        owner = self.kept.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(owner, types.ModuleType):
            return self._value_in(vars(owner), node.attr)
        if isinstance(owner, type):
            return self._of_class(owner, node.attr)
        if node.attr == "cell_contents":
            return self.program.find(programs.take_contents, self.slot(node.value), 0)
        if node.attr in _OF_FUNCTIONS:
            offset = _OF_FUNCTIONS[node.attr]
            return self.program.find(programs.take_field, self.slot(node.value), offset)
        kind = self.kinds.get(ast.unparse(node.value))
        if kind is None or not issubclass(kind, Module):
            raise _NotSimple
        if node.attr == "__dict__":
            return self.program.find(programs.take_attributes, self.slot(node.value), 0)
        if hasattr(type(in_class(kind, node.attr)), "__set__"):
            raise _NotSimple
        own = self.slot(ast.Attribute(node.value, "__dict__"))
        return self.program.find(programs.take_value, own, Held(node.attr))

    def _value_in(self, table: dict[str, Any], name: str) -> int:
        """A value of a dictionary that stays the same."""
        owner = self.program.find(programs.take_object, 0, Held(table))
        return self.program.find(programs.take_value, owner, Held(name))

    def _of_class(self, kind: type, name: str) -> int:
        """An attribute of a class, which the first of its bases has that has one."""
        if hasattr(type(in_class(kind, name)), "__get__"):
            raise _NotSimple
        for base in kind.__mro__:
            table = _dictionary_of(base)
            if name in table:
                return self._value_in(table, name)
            self.program.test(
                programs.lacks_key,
                self.program.find(programs.take_object, 0, Held(table)),
                Held(name),
            )
        raise _NotSimple

    def meaning(self, node: ast.expr) -> Any:
        """What a constant or a name of a constant means."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in self.kept:
                return self.kept[node.id]
            if node.id not in (self.tuple, self.dict) and hasattr(builtins, node.id):
                return getattr(builtins, node.id)
        raise _NotSimple

    # -- what must hold --

    def test_function(self, function: types.FunctionType) -> None:
        """What is no guard of the segment: nothing is captured meanwhile, and the function is as it was."""
        program = self.program
        program.test(programs.is_false, program.find(programs.take_object, 0, Held(under_way)))
        settings = program.find(programs.take_object, 0, Held(vars(config)))
        program.test(
            programs.is_false, program.find(programs.take_value, settings, Held("disable"))
        )
        own = program.find(programs.take_object, 0, Held(function))
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            field = program.find(programs.take_field, own, _OF_FUNCTIONS[name])
            program.test(programs.is_that, field, Held(getattr(function, name)))

    def expect(self, source: str) -> None:
        """Test a tensor, once."""
        if source not in self.expected:
            self.expected.add(source)
            self.program.expect(self.slot(_parsed(source)), self.tensors[source][0])

    def test(self, text: str) -> None:
        """A guard."""
        if text in _IMPLIED or text in self.said:
            return
        if text in _RECORDING:
            self.program.test(programs.is_recording, 0, int(_RECORDING[text]))
            return
        match _parsed(text):
            case ast.UnaryOp(ast.Not(), operand):
                self.program.test(programs.is_false, self.slot(operand))
            case ast.Compare(left, [ast.Is()], [right]):
                self._test_identity(left, right)
            case ast.Compare(ast.Constant(str(name)), [ast.NotIn()], [owner]):
                self.program.test(programs.lacks_key, self.slot(owner), Held(name))
            case ast.Call(ast.Name("same_constant"), [owner, ast.Name(name)]) if (
                type(self.kept[name]) is float
            ):
                self.program.test(programs.is_float, self.slot(owner), Held(self.kept[name]))
            case ast.Compare(left, [ast.IsNot()], [right]):
                self.program.distinct([self.slot(left), self.slot(right)])
            case ast.Compare(left, [ast.Eq()], [right]):
                self._test_equality(left, right)
            case ast.BoolOp(ast.Or(), [
                ast.UnaryOp(ast.Not(), ast.Attribute(owner, "__dict__")),
                ast.Call(ast.Name("is_marked_within"), [_, _]),
            ]) if ast.unparse(owner) in self.tensors:  # fmt: skip
                self.expect(ast.unparse(owner))
                self.program.test(programs.has_no_attributes, self.slot(owner))
            case _:
                raise _NotSimple

    def _test_identity(self, left: ast.expr, right: ast.expr) -> None:
        match left:
            case ast.Call(ast.Name("type"), [ast.Name(self.tuple | self.dict)]):
                return
            case ast.Call(ast.Name("type"), [owner]):
                kind = self.meaning(right)
                self.program.test(programs.is_of_type, self.slot(owner), Held(kind))
                self.kinds[ast.unparse(owner)] = kind
                return
            case ast.Call(
                ast.Attribute(ast.Attribute(ast.Name(name), "__dict__"), "get"),
                [ast.Constant(str(key))],
            ) if isinstance(self.kept.get(name), type):
                found = self._value_in(_dictionary_of(self.kept[name]), key)
                self.program.test(programs.is_that, found, Held(self.meaning(right)))
                return
        if isinstance(right, ast.Constant) or (
            isinstance(right, ast.Name) and right.id in self.kept
        ):
            self.program.test(programs.is_that, self.slot(left), Held(self.meaning(right)))
        else:
            self.program.test(programs.is_same, self.slot(left), self.slot(right))

    def _test_equality(self, left: ast.expr, right: ast.expr) -> None:
        match left, right:
            case ast.Call(ast.Name("len"), [ast.Name(self.tuple)]), _:
                return
            case ast.Call(ast.Name("len"), [ast.Set(items)]), ast.Constant(int(count)):
                if count != len(items) or count > programs.MOST_DISTINCT:
                    raise _NotSimple
                slots = [self.slot(item.args[0]) for item in items if isinstance(item, ast.Call)]
                self.program.distinct(slots)
            case ast.Call(ast.Name("len"), [owner]), ast.Constant(int(count)):
                self.program.test(programs.has_length, self.slot(owner), count)
            case ast.Call(ast.Name("list"), [ast.Name(self.dict)]), ast.List([]):
                return
            case ast.Call(ast.Name("list"), [owner]), ast.List(items):
                keys = tuple(item.value for item in items if isinstance(item, ast.Constant))
                if len(keys) < len(items) or not all(type(key) is str for key in keys):
                    raise _NotSimple
                self.program.test(programs.has_keys, self.slot(owner), Held(keys))
            case _, ast.Constant(value) if type(value) in (int, str):
                self.program.test(programs.is_equal, self.slot(left), Held(value))
            case _, ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                self.program.test(programs.is_equal, self.slot(left), Held(-value))
            case _:
                raise _NotSimple

    # -- the result --

    def result(self, after: Sequence[str]) -> tuple[list[tuple[int, Any]], bool]:
        """The parts of a result, and whether it is a tuple of them."""
        made: dict[str, Any] = {}
        for statement in ast.parse("\n".join(after)).body:
            match statement:
                case ast.Assign([ast.Name(name)], value):
                    made[name] = self._value(value, made)
                case ast.Expr() | ast.Return():
                    break
                case _:
                    raise _NotSimple
        else:
            raise _NotSimple
        if not isinstance(statement, ast.Return) or statement.value is None:
            raise _NotSimple
        found = self._value(statement.value, made)
        return (found, True) if type(found) is list else ([found], False)

    def _value(self, node: ast.expr, made: Mapping[str, Any]) -> Any:
        """A part of a result, or a list of the parts of a tuple."""
        match node:
            case ast.Subscript(ast.Name("G"), ast.Constant(int(k))):
                return programs.ITEM, k
            case ast.Name(name) if name in made:
                return made[name]
            case ast.Tuple(items):
                found = [self._value(item, made) for item in items]
                if any(type(one) is list for one in found):
                    raise _NotSimple
                return found
        text = ast.unparse(node)
        if self.slots.get(text, self.program.given) < self.program.given:
            return programs.ARGUMENT, self.slots[text]
        return programs.OBJECT, self.meaning(node)


def _dictionary_of(kind: type) -> dict[str, Any]:
    """Where a class has its attributes."""
    (found,) = gc.get_referents(vars(kind))
    return found  # type: ignore[no-any-return]


def _count_of_items(name: str, guards: Iterable[str]) -> int:
    """How many items a tuple has by its guard."""
    for text in guards:
        match _parsed(text):
            case ast.Compare(
                ast.Call(ast.Name("len"), [ast.Name(one)]), [ast.Eq()], [ast.Constant(int(count))]
            ) if one == name:
                return count
    raise _NotSimple
