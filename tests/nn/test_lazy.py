"""Modules that find their sizes at the first call."""

import copy

import pytest

import rushlight as torch
from rushlight import nn

CASES = [
    (lambda: nn.LazyLinear(4), (2, 3), nn.Linear, "in_features", 3),
    (lambda: nn.LazyConv1d(4, 2), (2, 3, 5), nn.Conv1d, "in_channels", 3),
    (lambda: nn.LazyConv2d(4, 2, bias=False), (3, 5, 5), nn.Conv2d, "in_channels", 3),
    (lambda: nn.LazyConv3d(4, 2), (1, 3, 4, 4, 4), nn.Conv3d, "in_channels", 3),
    (lambda: nn.LazyConvTranspose1d(4, 2), (2, 3, 5), nn.ConvTranspose1d, "in_channels", 3),
    (lambda: nn.LazyConvTranspose2d(4, 2), (2, 3, 5, 5), nn.ConvTranspose2d, "in_channels", 3),
    (lambda: nn.LazyConvTranspose3d(4, 2), (1, 3, 2, 2, 2), nn.ConvTranspose3d, "in_channels", 3),
    (lambda: nn.LazyBatchNorm1d(), (5, 3), nn.BatchNorm1d, "num_features", 3),
    (lambda: nn.LazyBatchNorm2d(), (5, 3, 2, 2), nn.BatchNorm2d, "num_features", 3),
    (lambda: nn.LazyBatchNorm3d(), (5, 3, 2, 2, 2), nn.BatchNorm3d, "num_features", 3),
    (lambda: nn.LazyInstanceNorm1d(), (5, 3, 4), nn.InstanceNorm1d, "num_features", 3),
    (lambda: nn.LazyInstanceNorm2d(), (5, 3, 2, 2), nn.InstanceNorm2d, "num_features", 3),
    (lambda: nn.LazyInstanceNorm3d(), (5, 3, 2, 2, 2), nn.InstanceNorm3d, "num_features", 3),
]


@pytest.mark.parametrize(("make", "shape", "cls", "field", "size"), CASES)
def test_the_first_call_makes_an_ordinary_module(make, shape, cls, field, size):
    module = make()
    assert module.has_uninitialized_params()
    x = torch.randn(shape)
    module(x)
    assert type(module) is cls
    assert getattr(module, field) == size
    assert not any(hasattr(module, name) for name in ("_load_hook", "_initialize_hook"))
    assert module(x).shape == copy.deepcopy(module)(x).shape


def test_starting_values_are_those_of_the_ordinary_module():
    torch.manual_seed(3)
    lazy = nn.LazyLinear(4)
    lazy(torch.ones(1, 3))
    torch.manual_seed(3)
    plain = nn.Linear(3, 4)
    assert torch.equal(lazy.weight, plain.weight)
    assert torch.equal(lazy.bias, plain.bias)


def test_shapes_come_from_a_state_too():
    lazy = nn.LazyLinear(4)
    plain = nn.Linear(3, 4)
    lazy.load_state_dict(plain.state_dict())
    assert torch.equal(lazy(torch.ones(1, 3)), plain(torch.ones(1, 3)))


def test_a_state_without_shapes_does_not_fit_an_ordinary_module():
    state = nn.LazyLinear(4).state_dict()
    assert all(nn.parameter.is_lazy(tensor) for tensor in state.values())
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        nn.Linear(3, 4).load_state_dict(state)


def test_copies_and_conversions_keep_the_module_lazy():
    lazy = copy.deepcopy(nn.LazyLinear(4)).double()
    lazy(torch.ones(1, 3, dtype=torch.float64))
    assert lazy.weight.dtype is torch.float64


def test_channels_must_fit_groups():
    with pytest.raises(ValueError, match="divisible by groups"):
        nn.LazyConv1d(4, 1, groups=2)(torch.ones(1, 3, 2))
