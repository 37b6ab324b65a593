"""Programs that give gradients, too; programs that are made when they are first called."""

import pytest

import rushlight as torch
from rushlight.export import Dim, export
from rushlight.export.experimental import _export_forward_backward, _sticky_export
from rushlight.export.graph_signature import OutputKind


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(3))

    def forward(self, x, wanted):
        x.add_(self.calls)
        self.calls.add_(1.0)
        return torch.nn.functional.cross_entropy(self.linear(x), wanted), x * 2


def test_the_gradients_of_parameters_are_outputs():
    model, x, wanted = Loss(), torch.randn(4, 3), torch.tensor([0, 2, 1, 1])
    joint = _export_forward_backward(export(model, (x, wanted)))
    told = [(spec.kind, spec.target) for spec in joint.graph_signature.output_specs]
    assert told == [
        (OutputKind.BUFFER_MUTATION, "calls"),
        (OutputKind.USER_INPUT_MUTATION, "x"),
        (OutputKind.LOSS_OUTPUT, None),
        (OutputKind.USER_OUTPUT, None),
        (OutputKind.GRADIENT_TO_PARAMETER, "linear.weight"),
        (OutputKind.GRADIENT_TO_PARAMETER, "linear.bias"),
    ]
    weight, bias = model.linear.weight, model.linear.bias
    given = joint.graph_module(weight, bias, torch.ones(3), x, wanted)
    model.calls.fill_(1)
    loss, double = model(x.clone(), wanted)
    loss.backward()
    expected = (torch.full((3,), 2.0), x + 1, loss, double, weight.grad, bias.grad)
    for found, value in zip(given, expected, strict=True):
        torch.testing.assert_close(found, value)
    with pytest.raises(RuntimeError, match="is no loss"):
        _export_forward_backward(export(model, (x, wanted)), 1)


def test_a_module_is_exported_when_it_is_called():
    model, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
    expected = model(x)
    model.forward = _sticky_export(model.forward, lambda given: ({0: Dim.AUTO},))
    assert torch.equal(model(x), expected)
    assert model.forward._exported_artifact(torch.ones(6, 3)).shape == (6, 2)
