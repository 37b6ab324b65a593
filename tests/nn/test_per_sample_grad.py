"""Gradients for each sample equal those of passes on single samples."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.utils._per_sample_grad import call_for_per_sample_grads


def one_by_one(module, x):
    """What a pass for each sample gives each parameter."""
    rows = []
    for k in range(x.shape[0]):
        rows.append(torch.autograd.grad(module(x[k : k + 1]).sin().sum(), [*module.parameters()]))
    return [torch.stack(list(column)) for column in zip(*rows)]


CASES = {
    "linear": lambda: (nn.Linear(3, 4), torch.randn(5, 3)),
    "linear, more dimensions": lambda: (nn.Linear(3, 4), torch.randn(5, 2, 3)),
    "pictures": lambda: (
        nn.Sequential(
            nn.Conv2d(2, 3, 2, padding=1),
            nn.InstanceNorm2d(3, affine=True),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(48, 2),
        ),
        torch.randn(4, 2, 3, 3),
    ),
    "groups": lambda: (
        nn.Sequential(nn.Conv1d(2, 4, 2, groups=2), nn.GroupNorm(2, 4)),
        torch.randn(3, 2, 5),
    ),
    "embedding": lambda: (
        nn.Sequential(nn.Embedding(5, 3), nn.LayerNorm(3)),
        torch.tensor([[0, 1], [4, 4], [1, 2]]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_single_passes(name):
    torch.manual_seed(1)
    module, x = CASES[name]()
    call_for_per_sample_grads(module)(x).sin().sum().backward()
    for weight, expected in zip(module.parameters(), one_by_one(module, x)):
        assert weight.grad is None
        torch.testing.assert_close(weight.grad_sample, expected, rtol=1e-4, atol=1e-5)


def test_used_twice_with_gradients_of_the_input():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(self.layer(x))

    module, x = Twice(), torch.randn(4, 3, requires_grad=True)
    call_for_per_sample_grads(module)(x).sin().sum().backward()
    expected = torch.autograd.grad(module(x).sin().sum(), x)[0]
    torch.testing.assert_close(x.grad, expected)
    for weight, each in zip(module.parameters(), one_by_one(module, x.detach())):
        torch.testing.assert_close(weight.grad_sample, each)


def test_means_count_as_often_as_there_are_samples():
    module, x = nn.Linear(3, 4), torch.randn(5, 3)
    call_for_per_sample_grads(module, loss_reduction="mean")(x).sin().sum(1).mean().backward()
    for weight, expected in zip(module.parameters(), one_by_one(module, x)):
        torch.testing.assert_close(weight.grad_sample, expected)


def test_refusals():
    module = nn.Linear(3, 4)
    with pytest.raises(RuntimeError, match=r"must be nn.Module, got int"):
        call_for_per_sample_grads(3)
    with pytest.raises(RuntimeError, match="to be sum or mean, got most"):
        call_for_per_sample_grads(module, loss_reduction="most")
    with pytest.raises(RuntimeError, match="one input with batch size 2 and one with batch size 3"):
        call_for_per_sample_grads(module)(torch.ones(2, 3), torch.ones(3, 3))
    with pytest.raises(RuntimeError, match="cannot handle function batch_norm"):
        call_for_per_sample_grads(nn.BatchNorm1d(3))(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="batch size of 2 with ExpandedWeight of batch size 7"):
        call_for_per_sample_grads(module, batch_size=7)(torch.ones(2, 3))
    module.weight.grad_sample = torch.zeros(2, 4, 3)
    with pytest.raises(RuntimeError, match="Please clear out the grad_sample parameter"):
        call_for_per_sample_grads(module)
