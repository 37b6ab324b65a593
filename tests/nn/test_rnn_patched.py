"""Recurrent modules that compute with other tensors than their parameters."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("kind", [torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM])
def test_flat_weights_that_were_given_are_used(kind):
    module, other = kind(3, 4, 2), kind(3, 4, 2)
    x = torch.randn(5, 2, 3)
    module._flat_weights = [weight.detach() * 1 for weight in other._flat_weights]
    assert torch.equal(module(x)[0], other(x)[0])
    assert module._flat_weights[0] is not module.weight_ih_l0


def test_conversion_of_a_module_goes_back_to_its_parameters():
    module = torch.nn.GRU(3, 4)
    module._flat_weights = [weight.detach() * 0 for weight in module._flat_weights]
    made = module.double()
    assert made._flat_weights[0] is made.weight_ih_l0 and made.weight_ih_l0.dtype is torch.float64
