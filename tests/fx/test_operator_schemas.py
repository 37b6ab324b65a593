"""Signatures from schemas, and arguments in their order."""

import inspect
import operator
import typing

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.fx.operator_schemas import (
    create_type_hint,
    get_signature_for_torch_op,
    normalize_function,
    normalize_module,
    type_matches,
)

x = torch.ones(2)


def test_signatures():
    assert next(map(str, get_signature_for_torch_op(torch.relu))) == (
        "(input: rushlight.engine.core.tensor.Tensor) -> rushlight.engine.core.tensor.Tensor"
    )
    stride = get_signature_for_torch_op(nn.functional.conv2d)[0].parameters["stride"]
    assert stride.default == [1, 1] and stride.annotation == typing.List[int]  # noqa: UP006
    (one,) = get_signature_for_torch_op(torch.ops.aten.add.Tensor)
    assert one.parameters["alpha"].kind is inspect.Parameter.KEYWORD_ONLY
    assert get_signature_for_torch_op(len) is None
    assert get_signature_for_torch_op(nn.functional.relu) is None
    signatures, schemas = get_signature_for_torch_op(torch.cat, return_schemas=True)
    assert len(signatures) == len(schemas) and signatures[0].return_annotation is torch.Tensor


def test_arguments_in_order():
    found = normalize_function(torch.sum, (x,), {"dim": 0}, normalize_to_only_use_kwargs=True)
    assert list(found.kwargs) == ["input", "dim", "keepdim", "dtype"] and found.args == ()
    found = normalize_function(nn.functional.relu, (x,), normalize_to_only_use_kwargs=True)
    assert found.kwargs == {"input": x, "inplace": False}
    assert normalize_function(torch.cat, ([x], 1)).args == ([x], 1)
    assert normalize_function(torch.relu, (1, 2, 3)) is None
    assert normalize_function(operator.add, (x, x)) is None


def test_types_choose_among_signatures():
    with pytest.raises(RuntimeError, match="schema match was ambiguous"):
        normalize_function(torch.max, (x, 1))
    found = normalize_function(torch.max, (x, 1), arg_types=(torch.Tensor, int))
    assert found.args == (x, 1) and found.kwargs == {"keepdim": False}


def test_modules():
    root = nn.Sequential(nn.Linear(2, 2))
    assert normalize_module(root, "0", (x,), normalize_to_only_use_kwargs=True).kwargs == {
        "input": x
    }
    with pytest.raises(RuntimeError, match="root did not have that target"):
        normalize_module(root, "nothing", (x,))


@pytest.mark.parametrize(
    "parameter, argument, fits",
    [
        (int, int, True),
        (float, int, False),
        (typing.List[int], int, True),  # noqa: UP006
        (typing.List[int], typing.Tuple[int, int], True),  # noqa: UP006
        (typing.Optional[int], int, True),  # noqa: UP045
        (int, bool, True),
        (bool, int, False),
        (int, torch.dtype, True),
    ],
)
def test_types_match(parameter, argument, fits):
    assert type_matches(parameter, argument) is fits


def test_types_of_lists():
    assert create_type_hint([int, bool]) == list[int]
    assert create_type_hint((int,)) == tuple[int, ...]
    assert create_type_hint(int) is int


def test_a_tracer_may_refuse_writes():
    class Strict(fx.Tracer):
        check_mutable_operations = True

    with pytest.raises(RuntimeError, match=r"Tried to trace mutable operation aten::relu_"):
        Strict().trace(lambda x: torch.relu_(x))
    Strict().trace(lambda x: torch.relu(x))


def test_nodes_know_their_arguments_in_order():
    traced = fx.symbolic_trace(lambda x: torch.sum(x, dim=0))
    node = traced.graph.find_nodes(op="call_function", target=torch.sum)[0]
    found = node.normalized_arguments(traced, normalize_to_only_use_kwargs=True)
    assert found.kwargs["keepdim"] is False
