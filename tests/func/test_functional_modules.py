"""Modules called as functions of their parameters."""

import pytest

import rushlight as torch
from rushlight.func import functional_call, stack_module_state


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 2, bias=False)
        self.second = torch.nn.Linear(2, 2, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("scale", torch.tensor(1.0))

    def forward(self, x, power=1):
        return self.second(self.first(x)) * self.scale**power


def test_other_tensors_take_part():
    layer = torch.nn.Linear(2, 1)
    before = layer.weight
    weight = torch.ones(1, 2, requires_grad=True)
    out = functional_call(layer, {"weight": weight, "bias": torch.zeros(1)}, torch.ones(3, 2))
    assert out.tolist() == [[2.0]] * 3 and layer.weight is before
    out.sum().backward()
    assert weight.grad.tolist() == [[3.0, 3.0]] and layer.weight.grad is None


def test_shared_parameters_stay_shared():
    model = Tied()
    given = {"first.weight": 2 * torch.eye(2)}
    x = torch.ones(1, 2)
    assert functional_call(model, given, (x,)).tolist() == [[4.0, 4.0]]
    both = functional_call(model, [given, {"scale": torch.tensor(3.0)}], x, {"power": 2})
    assert both.tolist() == [[36.0, 36.0]]
    with pytest.raises(ValueError, match="tied"):
        functional_call(model, {**given, "second.weight": torch.eye(2)}, x)
    untied = functional_call(model, {**given, "second.weight": torch.eye(2)}, x, tie_weights=False)
    assert untied.tolist() == [[2.0, 2.0]]


def test_what_does_not_fit():
    layer, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\): 'bias'"):
        functional_call(layer, {"weight": torch.ones(1, 2)}, x, strict=True)
    with pytest.raises(ValueError, match="appeared in multiple dictionaries"):
        functional_call(layer, ({"bias": x}, {"bias": x}), x)
    before = layer.weight
    found = functional_call(layer, {"weight": torch.zeros(1, 2), "nothing": x}, x)
    assert found.tolist() == [layer.bias.tolist()]
    assert layer.weight is before and not hasattr(layer, "nothing")


def test_stacking():
    models = [torch.nn.BatchNorm1d(2) for _ in range(3)]
    parameters, buffers = stack_module_state(models)
    assert parameters["weight"].shape == (3, 2) and parameters["weight"].requires_grad
    assert buffers["running_mean"].shape == (3, 2)
    with pytest.raises(RuntimeError, match="at least one model"):
        stack_module_state([])
