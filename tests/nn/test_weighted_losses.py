"""Losses whose elements are weighted: the mean is over the weights, but Huber's over the elements."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

input = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
target = torch.zeros(2, 2)
weight = torch.tensor([[0.5, 1.0], [2.0, 0.0]])


@pytest.mark.parametrize(
    ("function", "losses", "mean"),
    [
        (F.mse_loss, [[0.5, 4.0], [18.0, 0.0]], 22.5 / 3.5),
        (F.l1_loss, [[0.5, 2.0], [6.0, 0.0]], 8.5 / 3.5),
        (F.huber_loss, [[0.25, 1.5], [5.0, 0.0]], 6.75 / 4),
    ],
)
def test_weights(function, losses, mean):
    assert function(input, target, reduction="none", weight=weight).tolist() == losses
    assert function(input, target, reduction="sum", weight=weight).item() == sum(map(sum, losses))
    torch.testing.assert_close(
        function(input, target, weight=weight).item(), mean, rtol=1e-6, atol=0
    )
    for name in ("mean", "sum", "none"):
        made = function(input, target, reduction=name, weight=weight).sum()
        (slope,) = torch.autograd.grad(made, input)
        assert slope[1, 1].item() == 0 < slope[0, 0].item()
    with pytest.raises(ValueError, match="Weights and input must have the same size"):
        function(input, target, weight=weight[0])
    with pytest.raises(ValueError, match="is not a valid value for reduction"):
        function(input, target, reduction="median", weight=weight)
