"""Recurrent networks as functions, beside the modules."""

import pytest

import rushlight as torch
from rushlight import nn

KINDS = [(nn.LSTM, torch.lstm), (nn.GRU, torch.gru), (nn.RNN, torch.rnn_tanh)]


def as_states(cls, hidden):
    return (hidden, hidden * 0.5) if cls is nn.LSTM else hidden


@pytest.mark.parametrize(("cls", "function"), KINDS)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_functions_do_what_modules_do(cls, function, bidirectional):
    torch.manual_seed(0)
    module = cls(3, 4, num_layers=2, bidirectional=bidirectional)
    x, hidden = torch.randn(5, 2, 3), torch.randn(4 if bidirectional else 2, 2, 4)
    output, states = module(x, as_states(cls, hidden))
    found = function(
        x, as_states(cls, hidden), module._flat_weights, True, 2, 0.0, True, bidirectional, False
    )
    assert torch.allclose(found[0], output)
    assert torch.allclose(found[1], states[0] if cls is nn.LSTM else states)


@pytest.mark.parametrize(("cls", "function"), KINDS)
def test_packed_sequences(cls, function):
    torch.manual_seed(0)
    module = cls(3, 4)
    packed = nn.utils.rnn.pack_sequence([torch.randn(4, 3), torch.randn(2, 3)])
    hidden = torch.zeros(1, 2, 4)
    output, _ = module(packed)
    found = function(
        packed.data, packed.batch_sizes, as_states(cls, hidden), module._flat_weights,
        True, 1, 0.0, False, False,
    )  # fmt: skip
    assert torch.allclose(found[0], output.data)


def test_single_steps():
    torch.manual_seed(0)
    x, h = torch.randn(2, 3), torch.randn(2, 4)
    for cell, function, state in (
        (nn.LSTMCell(3, 4), torch.lstm_cell, (h, h)),
        (nn.GRUCell(3, 4), torch.gru_cell, h),
        (nn.RNNCell(3, 4), torch.rnn_tanh_cell, h),
        (nn.RNNCell(3, 4, nonlinearity="relu"), torch.rnn_relu_cell, h),
    ):
        weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
        found, expected = function(x, state, *weights), cell(x, state)
        if not isinstance(found, tuple):
            found, expected = (found,), (expected,)
        assert all(torch.allclose(a, b) for a, b in zip(found, expected, strict=True))


def test_a_wrong_number_of_weights():
    module = nn.GRU(3, 4)
    with pytest.raises(RuntimeError, match="incorrect number of RNN parameters"):
        torch.gru(
            torch.ones(1, 1, 3), torch.ones(1, 1, 4), module._flat_weights[:2], True, 1, 0.0,
            False, False, False,
        )  # fmt: skip


@pytest.mark.parametrize("layer", [torch.nn.RNN, torch.nn.GRU, torch.nn.LSTM])
def test_settings_are_of_their_types(layer):
    for settings, error in (
        ({"bias": 1}, "bias should be of type bool, got: int"),
        ({"batch_first": "False"}, "batch_first should be of type bool, got: str"),
        ({"input_size": 3.0}, "input_size should be of type int, got: float"),
    ):
        with pytest.raises(TypeError, match=error):
            layer(**{"input_size": 3, "hidden_size": 5, **settings})
    with pytest.raises(ValueError, match="input_size must be greater than zero"):
        layer(0, 5)
