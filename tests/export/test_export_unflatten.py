"""Modules within modules, from a flat program."""

import pytest

import rushlight as torch
from rushlight.export import FlatArgsAdapter, export, unflatten


class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, named):
        self.calls.add_(1)
        return {"r": self.linear(x) + named["k"], "s": [x, self.calls.clone()]}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.rest = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())

    def forward(self, x):
        d = self.inner(x, {"k": x * 2})
        e = self.inner(d["r"], {"k": x})
        return self.rest(e["r"]), d["s"][1] + e["s"][1]


@pytest.mark.parametrize("preserved", [(), ("inner",)], ids=["flat", "preserved"])
@pytest.mark.parametrize("functional", [False, True])
def test_modules_are_where_they_were(preserved, functional):
    if preserved and functional:
        pytest.skip("nodes of a functional graph have other names than the calls that were kept")
    torch.manual_seed(0)
    model, x = Model(), torch.randn(4, 3)
    program = export(model, (x,), preserve_module_call_signature=preserved)
    if functional:
        program = program.run_decompositions({})
    module = unflatten(program)
    assert {"inner", "inner.linear", "rest", "rest.0", "rest.1"} <= {
        n for n, _ in module.named_modules()
    }
    made = module(x)
    # It has parameters and buffers of its own.
    assert module.inner.calls.item() == 2 and model.inner.calls.item() == 0
    for a, b in zip(made, model(x), strict=True):
        torch.testing.assert_close(a, b)


def test_preserved_modules_are_called_as_they_were_and_can_be_replaced():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x, named={"k": x})["r"]

    net, x = Net(), torch.randn(4, 3)
    program = export(net, (x,), preserve_module_call_signature=("inner",))
    entry = next(e for e in program.module_call_graph if e.fqn == "inner")
    assert entry.signature.in_spec.num_leaves == 2 and entry.signature.out_spec.num_leaves == 3
    module = unflatten(program)
    torch.testing.assert_close(module.inner(x, named={"k": x})["r"], module(x))
    module.inner = Other()
    torch.testing.assert_close(module(x), x * 3)


class Other(torch.nn.Module):
    def forward(self, x, named):
        return {"r": x + 2 * named["k"], "s": [x, x]}


def test_arguments_that_are_nested_otherwise_are_adapted():
    class Net(torch.nn.Module):
        def forward(self, pair):
            return pair["a"] + pair["b"]

    class Adapter(FlatArgsAdapter):
        def adapt(self, target_spec, input_spec, input_args, metadata=None, obj=None):
            return input_args[: target_spec.num_leaves]

    x = torch.ones(2)
    program = export(Net(), ({"a": x, "b": x},))
    given = {"a": x, "b": x, "c": x}
    with pytest.raises(TypeError, match="no flat args adapter"):
        unflatten(program)(given)
    assert unflatten(program, Adapter())(given).tolist() == [2, 2]


def test_parameters_of_other_modules_are_shared():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(2, 2)
            self.b = torch.nn.ReLU()

        def forward(self, x):
            return self.b(self.a(x)) @ self.a.weight

    net, x = Net(), torch.randn(3, 2)
    torch.testing.assert_close(unflatten(export(net, (x,)))(x), net(x))
