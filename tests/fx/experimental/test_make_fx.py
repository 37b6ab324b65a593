"""Tracing by running: the operators below autograd become a graph."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight._subclasses.fake_tensor import FakeTensor
from rushlight.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

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


def test_fakes_are_traced_with():
    def function(a):
        seen.append(type(a))
        return a * torch.tensor([1.0, 2.0, 3.0])

    seen = []
    module = make_fx(function, tracing_mode="fake")(x)
    assert seen == [FakeTensor] and torch.equal(module(x), function(x))
    assert operators(module) == ["aten.lift_fresh_copy.default", "aten.mul.Tensor"]
    assert module.graph.find_nodes(op="placeholder")[0].meta["val"].shape == x.shape
    weight = torch.ones(3)
    with pytest.raises(AssertionError, match="Please convert all Tensors"):
        make_fx(lambda a: a * weight, tracing_mode="fake")(x)
    module = make_fx(lambda a: a * weight, tracing_mode="fake", _allow_non_fake_inputs=True)(x)
    assert torch.equal(module(x), x)


def test_sizes_may_be_symbols():
    def function(a, b):
        return (a @ b).view(-1).narrow(0, 0, a.shape[0]) * (a.shape[0] + 1)

    module = make_fx(function, tracing_mode="symbolic")(torch.ones(3, 4), torch.ones(4, 5))
    assert module.code.strip() == SYMBOLIC
    for n, m, k in (3, 4, 5), (7, 2, 9):
        a, b = torch.rand(n, m), torch.rand(m, k)
        assert torch.equal(module(a, b), function(a, b))
    module = make_fx(lambda a, n: a.repeat(n * 2), tracing_mode="symbolic")(torch.ones(3), 2)
    assert module(torch.ones(5), 3).shape == (30,)


SYMBOLIC = """\
def forward(self, a_1, b_1):
    mm = torch.ops.aten.mm.default(a_1, b_1);  b_1 = None
    view = torch.ops.aten.view.default(mm, [-1]);  mm = None
    sym_size_int = torch.ops.aten.sym_size.int(a_1, 0);  a_1 = None
    slice_1 = torch.ops.aten.slice.Tensor(view, 0, 0, sym_size_int);  view = None
    add = sym_size_int + 1;  sym_size_int = None
    mul = torch.ops.aten.mul.Tensor(slice_1, add);  slice_1 = add = None
    return mul"""


def test_what_a_program_branches_on_becomes_a_guard():
    module = make_fx(lambda a: a * 2 if a.shape[0] > 5 else a * 3, tracing_mode="symbolic")(x)
    (guard,) = module.shape_env.guards
    assert str(guard.expr).endswith(" <= 5")


def test_elements_may_be_symbols():
    def function(a):
        n = a[0].item()
        torch._check(n > 1)
        return torch.ones(n, 2).sum(0) * n + a.nonzero().sum()

    module = make_fx(function, tracing_mode="symbolic")(torch.tensor([4, 0, 1]))
    given = torch.tensor([3, 2])
    assert torch.equal(module(given), function(given))
    (item,) = [n for n in module.graph.nodes if n.name == "_local_scalar_dense"]
    assert str(item.meta["val"]) == "u0" and len(item.meta["unbacked_bindings"]) == 1
    with pytest.raises(GuardOnDataDependentSymNode, match="u0 > 3"):
        make_fx(lambda a: a if a[0].item() > 3 else -a, tracing_mode="symbolic")(given)


def test_numbers_that_programs_write_down_are_known():
    module = make_fx(lambda a: a * torch.tensor(3).item(), tracing_mode="fake")(x)
    assert operators(module)[-1] == "aten.mul.Tensor" and torch.equal(module(x), x * 3)


def test_operators_above_autograd():
    def function(a):
        return torch.nn.functional.linear(a, a).matmul(a).reshape(-1)

    square = torch.rand(3, 3, requires_grad=True)
    module = make_fx(function, pre_dispatch=True)(square)
    names = ["aten.linear.default", "aten.matmul.default", "aten.reshape.default"]
    assert operators(module) == names
    assert torch.equal(module(square), function(square))

    def switching(a):
        with torch.no_grad():
            b = a * 2
        return a + b

    module = make_fx(switching, pre_dispatch=True)(square)
    assert "torch._C._set_grad_enabled(False)" in module.code
    (gradient,) = torch.autograd.grad(module(square).sum(), square)
    assert torch.equal(gradient, torch.ones(3, 3))


def test_elements_that_memory_does_not_hold_as_they_are():
    def negative(x):
        return x._neg_view().resolve_neg() + 1

    def conjugate(x):
        return x.conj() * 2 + x.conj().resolve_conj()

    for program, x, other in (
        (negative, torch.ones(2), torch.full((2,), 3.0)),
        (conjugate, torch.ones(2, dtype=torch.complex64), torch.full((2,), 1 + 2j)),
    ):
        graph = make_fx(program)(x)
        assert torch.equal(graph(other), program(other))
        assert "_tensor_constant" not in graph.code
        assert graph.code.count("aten.clone") <= 2


def test_overloads_whose_names_are_keywords():
    module = make_fx(lambda x: x.random_(1, 5))(torch.zeros(3))
    assert 'getattr(torch.ops.aten.random_, "from")(x_1, 1, 5)' in module.code
    assert all(1 <= n < 5 for n in module(torch.zeros(3)).tolist())


def test_modules_mean_what_they_do_while_they_are_traced_through():
    """To replace their calls takes longer the more classes of modules there are."""
    net, call = torch.nn.Linear(3, 2), torch.nn.Module.__call__
    seen = []

    def program(x):
        seen.append(torch.nn.Module.__call__ is call)
        return net(x)

    x = torch.ones(1, 3)
    traced = make_fx(program)(x)
    assert seen == [True]
    assert torch.equal(traced(x), net(x))
