"""Sizes that programs say: checked, and found from each other."""

import operator

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.fx.annotate import annotate
from rushlight.fx.experimental.graph_gradual_typechecker import (
    GraphTypeChecker,
    Refine,
    broadcast_types,
)
from rushlight.fx.experimental.refinement_types import Equality
from rushlight.fx.experimental.unification import Var, reify, unify
from rushlight.fx.experimental.unify_refinements import infer_symbolic_types
from rushlight.fx.tensor_type import Dyn, TensorType, is_consistent, is_more_precise

T = TensorType


def types(program, *kinds, root=None):
    graph = fx.Tracer().trace(root or program)
    module = fx.GraphModule(root or nn.Module(), graph)
    for node, kind in zip(module.graph.find_nodes(op="placeholder"), kinds):
        node.type = kind
    GraphTypeChecker({}, module).type_check()
    return module, [node.type for node in module.graph.nodes]


def test_relations():
    assert is_consistent(T((1, Dyn)), T((Dyn, 2))) and not is_consistent(T((1, 2)), T((1, 2, 3)))
    assert is_more_precise(T((1, 2)), T((1, Dyn))) and not is_more_precise(T((1, Dyn)), T((1, 2)))
    assert broadcast_types(T((3, 1)), T((4,))) == (T((3, 4)), T((3, 4)))


def test_sums():
    _, found = types(lambda x, y: x + y, T((1, 2, Dyn)), T((1, 2, 3)))
    assert found[-1] == T((1, 2, Dyn))
    with pytest.raises(TypeError):
        types(lambda x, y: x + y, T((1, 2, 3)), T((1, 2, 5)))


def test_shapes():
    assert types(lambda x: torch.reshape(x, [1, 5, -1]), T((1, 15)))[1][-1] == T((1, 5, Dyn))
    assert types(lambda x: torch.flatten(x, 1, 2), T((1, 2, 3, Dyn)))[1][-1] == T((1, 6, Dyn))
    assert types(lambda x: torch.transpose(x, 0, 1), T((1, 2)))[1][-1] == T((2, 1))
    for program, kind in (
        (lambda x: torch.reshape(x, [1, 2, -1]), T((1, 5))),
        (lambda x: torch.transpose(x, 0, 10), T((1, 2))),
    ):
        with pytest.raises(TypeError):
            types(program, kind)


def test_modules():
    net = nn.Sequential(
        nn.Conv2d(3, 6, 5), nn.MaxPool2d(2, 2), nn.BatchNorm2d(6), nn.ReLU(),
        nn.AdaptiveAvgPool2d((6, 7)), nn.Linear(7, 2),
    )  # fmt: skip
    _, found = types(None, T((4, 3, 32, 32)), root=net)
    assert [kind.__args__ for kind in found[1:]] == [
        (4, 6, 28, 28), (4, 6, 14, 14), (4, 6, 14, 14), (4, 6, 14, 14), (4, 6, 6, 7), (4, 6, 6, 2),
        (4, 6, 6, 2),
    ]  # fmt: skip
    with pytest.raises(TypeError, match="Cannot apply Conv2d"):
        types(None, T((4, 5, 32, 32)), root=net)


def test_values_can_be_said_to_have_types():
    def program(x):
        y = annotate(x + 1, T((1, Dyn)))
        return y

    graph = fx.Tracer().trace(program)
    assert graph.find_nodes(op="call_function", target=operator.add)[0].type == T((1, Dyn))
    assert annotate(5, int) == 5
    with pytest.raises(RuntimeError, match="already had a type"):
        fx.Tracer().trace(lambda x: annotate(annotate(x, int), int))


def test_variables():
    a, b = Var("a"), Var("b")
    found = unify((a, b, 3), (b, 2, 3))
    assert reify((a, b), found) == (2, 2) and unify((a, a), (1, 2)) is False
    assert reify(T((a, 1)), unify(T((a, 1)), T((5, 1)))) == T((5, 1))


def test_what_must_be_equal():
    module, _ = types(lambda x: torch.flatten(x, 1, 3), T((2, 3, 4, 5)))
    refined = Refine(module)
    refined.refine()
    assert refined.constraints == [Equality(2, 2)]
    module, _ = types(None, T((Dyn, 2, 3, 4)), root=nn.Sequential(nn.BatchNorm2d(2), nn.ReLU()))
    infer_symbolic_types(module)
    kinds = [node.type.__args__ for node in module.graph.nodes]
    assert str(kinds[0][0]).startswith("~") and all(kind == kinds[0] for kind in kinds)


def test_sizes_are_expressions_of_symbols():
    sympy = pytest.importorskip("sympy")
    module, _ = types(None, T((4, 3, Dyn, Dyn)), root=nn.Sequential(nn.Conv2d(3, 6, 5, padding=1)))
    infer_symbolic_types(module)
    given, made = (list(module.graph.nodes)[k].type.__args__ for k in (0, 1))
    assert given[2].is_Symbol and made == (
        4,
        6,
        sympy.floor(given[2]) - 2,
        sympy.floor(given[3]) - 2,
    )
