"""Functionalization by its parts, and as a mode."""

import pytest

import rushlight as torch
from rushlight._subclasses.functional_tensor import (
    FunctionalTensor,
    FunctionalTensorMode,
    dispatch_functionalize,
)
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.passes.reinplace import reinplace


def functionalized(function, reapply_views=True):
    def run(x):
        inner = torch._to_functional_tensor(x)
        torch._enable_functionalization(reapply_views=reapply_views)
        try:
            made = function(inner)
        finally:
            torch._disable_functionalization()
        torch._sync(inner)
        value = torch._from_functional_tensor(inner)
        if value is not x:
            x.copy_(value)
        return torch._from_functional_tensor(made)

    return run


def program(x):
    view = x.view(-1)
    x.mul_(2)
    return view + 1


def targets(module):
    return [str(node.target) for node in module.graph.nodes if node.op == "call_function"]


def test_changes_are_followed():
    x = torch.ones(3)
    assert functionalized(program)(x).tolist() == [3, 3, 3] and x.tolist() == [2, 2, 2]
    views = ["aten.view.default", "aten.mul.Tensor", "aten.view.default", "aten.add.Tensor"]
    module = make_fx(functionalized(program))(torch.ones(3))
    assert targets(module) == [*views, "aten.copy_.default"]
    copies = targets(make_fx(functionalized(program, reapply_views=False))(torch.ones(3)))
    assert copies[0] == "aten.view_copy.default"


def test_functional_tensors_are_known():
    x = torch.ones(3)
    inner = torch._to_functional_tensor(x)
    assert torch._is_functional_tensor(inner) and not torch._is_functional_tensor(x)
    assert torch._from_functional_tensor(inner) is x
    with pytest.raises(RuntimeError, match="not currently supported"):
        torch._enable_functionalization()
        try:
            torch._enable_functionalization()
        finally:
            torch._disable_functionalization()


def test_frozen_tensors_are_not_changed():
    def freeze(x):
        made = x.clone()
        view = made[0]
        torch._freeze_functional_tensor(made)
        for target in (made, view):
            with pytest.raises(RuntimeError, match="frozen storage"):
                target.add_(1)
        return made

    functionalized(freeze)(torch.ones(3))


def test_a_mode_follows_changes():
    x = torch.ones(3)
    assert dispatch_functionalize(program)(x).tolist() == [3, 3, 3]
    x = torch.ones(2, 3)
    with FunctionalTensorMode():
        wrapped = FunctionalTensor.to_functional(x)
        made = wrapped.t()
        made.add_(1)
        wrapped.t_()
        assert wrapped.shape == (3, 2) and wrapped.from_functional().tolist() == [[2, 2]] * 3
    with pytest.raises(RuntimeError, match="on its own"):
        wrapped + 1
    module = make_fx(dispatch_functionalize(program))(torch.ones(3))
    assert "aten.mul.Tensor" in targets(module) and "aten.mul_.Tensor" not in targets(module)


def test_operators_may_write_where_nobody_looks():
    def function(x):
        y = x + 1
        z = y * 2
        return z.relu() + y.view(-1)

    module = reinplace(make_fx(function)(torch.ones(3)), torch.ones(3))
    assert targets(module) == [
        "aten.add.Tensor", "aten.mul.Tensor", "aten.relu_.default", "aten.view.default",
        "aten.add_.Tensor",
    ]  # fmt: skip
    x = torch.tensor([-3.0, 0.0, 2.0])
    assert torch.equal(module(x), function(x))
