"""Graphs may end before any statement: what programs give and leave behind is the same."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap

import pytest

import rushlight as torch
from tests.capture import stateful_programs

pytestmark = pytest.mark.skipif(
    not torch._dynamo.is_dynamo_supported(), reason="the bytecode of this Python is not known"
)
_BREAK = "torch._dynamo.graph_break()"


class _Breaking(ast.NodeTransformer):
    """Puts the end of a graph before a statement.

    Args:
        place: the number of the statement, those within others included
    """

    def __init__(self, place: int) -> None:
        self.place, self.count = place, 0

    def _statements(self, found: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in found:
            if not isinstance(statement, (ast.Nonlocal, ast.Global)):
                if self.count == self.place:
                    made += ast.parse(_BREAK).body
                self.count += 1
            made.append(self.visit(statement))
        return made

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                is_class = isinstance(node, ast.ClassDef)
                setattr(
                    node, name, [*map(self.visit, value)] if is_class else self._statements(value)
                )
            elif isinstance(value, list):
                setattr(node, name, [self.visit(x) if isinstance(x, ast.AST) else x for x in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node


def broken(function, place):
    """A program with the end of a graph before one of its statements, and how many these are."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    body = tree.body[0]
    body.decorator_list = []
    breaking = _Breaking(place)
    breaking.generic_visit(body)
    made = {}
    code = compile(ast.fix_missing_locations(tree), f"<{function.__name__} {place}>", "exec")
    exec(code, vars(stateful_programs), made)
    return made[function.__name__], breaking.count


def seen(value, depth=0):
    """A value for comparing: tensors as their elements, objects as their attributes, as deep as cycles let."""
    if isinstance(value, torch.Tensor):
        elements = [round(x, 3) for x in value.detach().double().flatten().tolist()]
        return "tensor", tuple(value.shape), value.dtype, value.requires_grad, elements
    if depth > 6:
        return "deep"
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [seen(x, depth + 1) for x in value]
    if isinstance(value, dict):
        return [(repr(seen(k)), seen(x, depth + 1)) for k, x in value.items()]
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__name__, seen(vars(value), depth + 1)
    return type(value).__name__ if callable(value) else repr(value)


def outcomes(function):
    """What a program gives three times, and what it has left behind each time."""
    stateful_programs.reset()
    found = []
    for _ in range(3):
        torch.manual_seed(1)
        x = torch.randn(3, 4)
        try:
            result = function(x)
        except Exception as error:
            result = repr(error)
        found.append(seen((result, x, stateful_programs.state())))
    return found


@pytest.mark.parametrize("name", stateful_programs.PROGRAMS)
def test_programs_with_graphs_that_end_anywhere(name, every_sample):
    function = stateful_programs.PROGRAMS[name]
    expected = outcomes(function)
    _, count = broken(function, -1)
    places = range(count)
    if not every_sample:
        places = random.Random(name).sample(places, min(count, 3))
    for program in (function, *(broken(function, place)[0] for place in places)):
        torch._dynamo.reset()
        assert outcomes(torch.compile(program, backend="eager")) == expected
