"""Recurrent networks as functions of their weights."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules import rnn

__all__ = [
    "gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh",
    "rnn_tanh_cell",
]  # fmt: skip


def _by_layer(
    params: Any, has_biases: bool, has_projection: bool, layers: int, directions: int
) -> list[list[rnn.Weights]]:
    """The weights of each layer and direction, from the flat list."""
    count = 2 + 2 * has_biases + has_projection
    expected = layers * directions * count
    if len(params) != expected:
        raise RuntimeError(
            f"got an incorrect number of RNN parameters: {len(params)}, not {expected}"
        )
    groups = []
    for first in range(0, expected, count):
        ih, hh, *others = params[first : first + count]
        projection = others.pop() if has_projection else None
        groups.append((ih, hh, *(others or (None, None)), projection))
    return [groups[first : first + directions] for first in range(0, len(groups), directions)]


def _run(mode: str, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Both forms of call: an input with time and batch, or packed data with batch sizes."""
    # The weights are a list in both forms, at one place or the next.
    is_packed = isinstance(args[3], (list, tuple))
    if is_packed:
        data, batch_sizes, hx, params, has_biases, layers, dropout, train, both = args
        sizes, batch_first = batch_sizes.tolist(), False
    else:
        data, hx, params, has_biases, layers, dropout, train, both, batch_first = args
        sizes = None
    states = tuple(hx) if mode == "LSTM" else (hx,)
    is_projected = mode == "LSTM" and states[0].size(2) != states[1].size(2)
    weights = _by_layer(params, has_biases, is_projected, layers, 2 if both else 1)
    given = data.transpose(0, 1) if batch_first else data
    output, after = rnn.run_layers(mode, given, states, weights, sizes, dropout, train)
    return (output.transpose(0, 1) if batch_first else output), after


def lstm(*args: Any) -> tuple[Any, Any, Any]:
    """Layers of long short-term memories: the outputs, and the last hidden and cell states.

    Called with ``(input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first)`` or ``(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train,
    bidirectional)``.
    """
    output, (hidden, cell) = _run("LSTM", args)
    return output, hidden, cell


def gru(*args: Any) -> tuple[Any, Any]:
    """Layers with gates: the outputs and the last states. The arguments are those of `lstm`."""
    output, (hidden,) = _run("GRU", args)
    return output, hidden


def rnn_tanh(*args: Any) -> tuple[Any, Any]:
    """Layers with a tangent: the outputs and the last states. The arguments are those of `lstm`."""
    output, (hidden,) = _run("RNN_TANH", args)
    return output, hidden


def rnn_relu(*args: Any) -> tuple[Any, Any]:
    """Layers with a ReLU: the outputs and the last states. The arguments are those of `lstm`."""
    output, (hidden,) = _run("RNN_RELU", args)
    return output, hidden


def _stepped(
    mode: str, input: Any, states: tuple[Any, ...], w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any
) -> tuple[Any, ...]:
    return rnn.run_direction(mode, input, states, (w_ih, w_hh, b_ih, b_hh, None))[1]


def lstm_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[Any, ...]:
    """One step of a long short-term memory: the hidden and the cell state."""
    return _stepped("LSTM", input, tuple(hx), w_ih, w_hh, b_ih, b_hh)


def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """One step with gates."""
    return _stepped("GRU", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


def rnn_tanh_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> Any:
    """One step with a hyperbolic tangent."""
    return _stepped("RNN_TANH", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


def rnn_relu_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> Any:
    """One step with a ReLU."""
    return _stepped("RNN_RELU", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]
