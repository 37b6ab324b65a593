"""Tracing by running: the operators below autograd become a graph."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.fx.experimental.proxy_tensor import get_proxy_mode, make_fx

x = torch.arange(6.0).view(2, 3)


def operators(module):
    return [str(n.target) for n in module.graph.nodes if n.op == "call_function"]


def test_operators_become_nodes():
    module = make_fx(lambda a, b: torch.relu(a @ b).sum(0))(x, x.t())
    assert operators(module) == ["aten.mm.default", "aten.relu.default", "aten.sum.dim_IntList"]
    assert torch.equal(module(x, -x.t()), torch.relu(x @ -x.t()).sum(0))
    assert [n.name for n in module.graph.nodes] == ["a_1", "b_1", "mm", "relu", "sum_1", "output"]
    assert get_proxy_mode() is None


def test_numbers_are_operands_of_the_operators_over_tensors():
    module = make_fx(lambda a: torch.add(a * 2, 3, alpha=4) / 5 // 6)(x)
    assert operators(module) == [
        "aten.mul.Tensor",
        "aten.add.Tensor",
        "aten.div.Tensor",
        "aten.floor_divide.default",
    ]
    assert torch.equal(module(x), (x * 2 + 12) / 5 // 6)


def test_gradients_are_traced_through():
    def function(a):
        a = a.detach().requires_grad_()
        return torch.autograd.grad((a * a).sum(), a)[0]

    module = make_fx(function)(x)
    assert "aten.ones_like.default" in operators(module) or "aten.expand.default" in operators(
        module
    )
    assert torch.equal(module(x + 1), 2 * (x + 1))


def test_values_from_elsewhere_become_attributes():
    weight, layer = torch.ones(3, 3), nn.Linear(3, 3)
    module = make_fx(lambda a: layer(a @ weight))(x)
    assert torch.equal(module._tensor_constant0, weight)
    assert module._param_constant0 is layer.weight or module._param_constant1 is layer.weight
    assert torch.allclose(module(x), layer(x @ weight))


def test_changes_in_place_and_several_results():
    def function(a):
        b = a.clone()
        b.mul_(a)
        values, indices = b.max(1)
        return {"b": b, "values": values}, indices

    module = make_fx(function)(x)
    found, wanted = module(x - 3), function(x - 3)
    assert torch.equal(found[0]["b"], wanted[0]["b"]) and torch.equal(found[1], wanted[1])


def test_nested_arguments():
    module = make_fx(lambda d: d["a"] * d["b"][0])({"a": x, "b": [x + 1]})
    assert torch.equal(module({"a": x, "b": [x]}), x * x)


def test_operators_can_be_taken_apart():
    table = {torch.ops.aten.t.default: lambda a: torch.ops.aten.transpose.int(a, 0, 1)}
    assert operators(make_fx(lambda a: a.t(), table)(x)) == ["aten.transpose.int"]


def test_what_cannot_be_traced():
    with pytest.raises(RuntimeError, match="trying to get value out of a tracing tensor"):
        make_fx(lambda a: a if a.sum() > 0 else -a)(x)
    with pytest.raises(AssertionError, match="tracing_mode must be real/fake/symbolic"):
        make_fx(lambda a: a, tracing_mode="other")
    for mode in ("fake", "symbolic"):
        with pytest.raises(NotImplementedError, match="no fake tensors yet"):
            make_fx(lambda a: a, tracing_mode=mode)
