"""The cells of recurrent networks: what one step does with its gates, and what its gradients are.

A cell is written once, on scalars. Kernels are made from it with expressions; where a step must be
recorded itself, the same functions take tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value, const, maximum, select
from rushlight.engine.native.records import dataclass

__all__ = ["CELLS", "Cell"]

Scalars = Sequence[Any]


@dataclass(frozen=True)
class Cell:
    """A step of a recurrent network, elsewhere than in its products.

    Args:
        gates: how many gates there are; each is as wide as the hidden state
        states: 1 for the hidden state, 2 with a cell state
        kept: how many values the gradients need of each step
        splits: whether a gate's two shares (the input's and the state's) differ in their gradients
        straight: the states whose gradients pass a step not only by the product
        step: from the inputs' shares, the states' shares and the states to what is kept and to the
            next states
        back: from the states' gradients, what was kept and the hidden state before the step to the
            gradients of the inputs' shares, of the states' shares and of the ``straight`` states
    """

    gates: int
    states: int
    kept: int
    splits: bool
    straight: tuple[int, ...]
    step: Callable[[Scalars, Scalars, Scalars], tuple[list[Any], list[Any]]]
    back: Callable[[Scalars, Scalars, Any], tuple[list[Any], list[Any], list[Any]]]


def _sigmoid(x: Any) -> Any:
    return maths.sigmoid_quick(x) if isinstance(x, Value) else x.sigmoid()


def _tanh(x: Any) -> Any:
    return maths.tanh(x) if isinstance(x, Value) else x.tanh()


def _relu(x: Any) -> Any:
    return maximum(x, const(x.type, 0)) if isinstance(x, Value) else x.relu()


def _where_positive(shown: Any, grad: Any) -> Any:
    """The gradient of a ReLU that gave ``shown``."""
    if isinstance(shown, Value):
        return select(shown <= 0, 0, grad)
    return grad.masked_fill(shown <= 0, 0)


def _of_sigmoid(grad: Any, gate: Any) -> Any:
    return grad * gate * (1 - gate)


def _of_tanh(grad: Any, shown: Any) -> Any:
    return grad * (1 - shown * shown)


def _tanh_step(given: Scalars, sums: Scalars, states: Scalars) -> tuple[list[Any], list[Any]]:
    hidden = _tanh(given[0] + sums[0])
    return [hidden], [hidden]


def _tanh_back(
    grads: Scalars, kept: Scalars, before: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    found = [_of_tanh(grads[0], kept[0])]
    return found, found, []


def _relu_step(given: Scalars, sums: Scalars, states: Scalars) -> tuple[list[Any], list[Any]]:
    hidden = _relu(given[0] + sums[0])
    return [hidden], [hidden]


def _relu_back(
    grads: Scalars, kept: Scalars, before: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    found = [_where_positive(kept[0], grads[0])]
    return found, found, []


def _gru_step(given: Scalars, sums: Scalars, states: Scalars) -> tuple[list[Any], list[Any]]:
    reset, update = (_sigmoid(given[k] + sums[k]) for k in (0, 1))
    new = _tanh(given[2] + reset * sums[2])
    hidden = (states[0] - new) * update + new
    return [reset, update, new, sums[2]], [hidden]


def _gru_back(grads: Scalars, kept: Scalars, before: Any) -> tuple[list[Any], list[Any], list[Any]]:
    (grad,), (reset, update, new, sum_of_new) = grads, kept
    d_new = _of_tanh(grad * (1 - update), new)
    d_reset = _of_sigmoid(d_new * sum_of_new, reset)
    d_update = _of_sigmoid(grad * (before - new), update)
    return [d_reset, d_update, d_new], [d_reset, d_update, d_new * reset], [grad * update]


def _lstm_step(given: Scalars, sums: Scalars, states: Scalars) -> tuple[list[Any], list[Any]]:
    enters, keeps, new, shows = (a + b for a, b in zip(given, sums))
    enters, keeps, shows = (_sigmoid(x) for x in (enters, keeps, shows))
    new = _tanh(new)
    cell = keeps * states[1] + enters * new
    return [enters, keeps, new, shows, states[1]], [shows * _tanh(cell), cell]


def _lstm_back(
    grads: Scalars, kept: Scalars, before: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    d_hidden, d_cell = grads
    enters, keeps, new, shows, last = kept
    shown = _tanh(keeps * last + enters * new)
    inner = d_cell + _of_tanh(d_hidden * shows, shown)
    found = [
        _of_sigmoid(inner * new, enters),
        _of_sigmoid(inner * last, keeps),
        _of_tanh(inner * enters, new),
        _of_sigmoid(d_hidden * shown, shows),
    ]
    return found, found, [inner * keeps]


CELLS = {
    "RNN_TANH": Cell(1, 1, 1, False, (), _tanh_step, _tanh_back),
    "RNN_RELU": Cell(1, 1, 1, False, (), _relu_step, _relu_back),
    "GRU": Cell(3, 1, 4, True, (0,), _gru_step, _gru_back),
    "LSTM": Cell(4, 2, 5, False, (1,), _lstm_step, _lstm_back),
}
