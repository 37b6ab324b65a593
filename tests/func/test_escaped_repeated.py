"""What a transformation has left behind stands for its value in calls that repeat."""

import rushlight as torch
from rushlight.func import grad, vjp


def escaped(value):
    kept = []

    def function(x):
        kept.append(x * 1)
        return (x * x).sum()

    grad(function)(value)
    return kept[0]


def test_calls_with_what_has_escaped():
    for k in range(5):
        x, y = torch.arange(3.0) + k, torch.full((3,), 2.0 + k)
        left = escaped(x)
        assert torch.equal(torch.add(left, y), x + y)
        assert torch.equal(torch.where(y > 0, y, left), y)
        assert torch.equal(torch.stack([left, y])[1], y)
        assert torch.equal(torch.add(y, y), y + y)


def test_a_backward_pass_after_its_transformation():
    for k in range(5):
        x = torch.arange(3.0) + k
        out, back = vjp(lambda x: torch.tanh(x) * x, x)
        expected = torch.tanh(x) + x * (1 - torch.tanh(x) ** 2)
        assert torch.allclose(back(torch.ones(3))[0], expected)
        assert torch.allclose(out, torch.tanh(x) * x)
