"""The steps of recurrent layers, forwards and backwards, by operators that are recorded one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.generated import functions, nn_functions
from rushlight.engine.ops.recurrent.cells import Cell

Tensors = tuple[Any, ...]


def step(
    cell: Cell, given: Any, states: Tensors, weight: Any, bias: Any, projection: Any
) -> tuple[list[Any], Any, Tensors]:
    """One step: what is kept, what a projection was made of, and the next states."""
    sums = nn_functions.linear(states[0], weight, bias)
    kept, (shown, *others) = cell.step(
        given.chunk(cell.gates, -1), sums.chunk(cell.gates, -1), states
    )
    hidden = shown if projection is None else nn_functions.linear(shown, projection)
    return kept, shown, (hidden, *others)


def joined(after: Any, before: Any) -> Any:
    """A state's new rows, and those behind them that the step did not touch."""
    rows = len(after)
    return after if rows == len(before) else functions.cat([after, before[rows:]])


def rows_of(tensor: Any, sizes: Sequence[int]) -> Sequence[Any]:
    """The rows of each step."""
    return tensor.reshape(-1, tensor.size(-1)).split(list(sizes))  # type: ignore[no-any-return]


def sizes_of(given: Any, batch: int, sizes: Sequence[int] | None) -> list[int]:
    """How many rows each step has."""
    if sizes is not None:
        return list(sizes)
    return [batch] * (len(given) if given.dim() == 3 else 1)


def run(
    cell: Cell, given: Any, states: Tensors, weights: Tensors, sizes: Sequence[int] | None,
    backwards: bool,
) -> tuple[Any, Tensors]:  # fmt: skip
    """All steps of a layer: the outputs and the last states. The arguments are those of below."""
    sizes = sizes_of(given, len(states[0]), sizes)
    rows = rows_of(given, sizes)
    outputs: list[Any] = [None] * len(sizes)
    for t in range(len(sizes))[:: -1 if backwards else 1]:
        before = tuple(s[: sizes[t]] for s in states)
        _, _, after = step(cell, rows[t], before, *weights)
        outputs[t] = after[0]
        states = tuple(joined(a, s) for a, s in zip(after, states))
    return functions.cat(outputs).reshape(*given.shape[:-1], -1), states


def gradients(
    cell: Cell, grads: Tensors, inputs: Tensors, weights: Tensors, sizes: Sequence[int] | None,
    backwards: bool,
) -> Tensors:  # fmt: skip
    """The gradients of the given gates, of the first states and of the weights.

    Args:
        cell: what a step does
        grads: those of the outputs, of the last hidden state and of the last cell, or None
        inputs: the given gates, the first hidden state and the first cell, if there are cells
        weights: the states' weight; the bias and the projection, or None
        sizes: how many rows each step has, if they differ
        backwards: whether the steps run from the last one on
    """
    given, *first = inputs
    weight, _, projection = weights
    sizes = sizes_of(given, len(first[0]), sizes)
    rows = rows_of(given, sizes)
    d_rows = None if grads[0] is None else rows_of(grads[0], sizes)
    order = range(len(sizes))[:: -1 if backwards else 1]
    states: Tensors = tuple(first[: cell.states])
    made = []
    for t in order:
        before = tuple(s[: sizes[t]] for s in states)
        kept, shown, after = step(cell, rows[t], before, *weights)
        made.append((before[0], kept, shown))
        states = tuple(joined(a, s) for a, s in zip(after, states))
    d_states = [
        s.new_zeros(s.shape) if g is None else g for g, s in zip(grads[1:], first[: cell.states])
    ]
    found: list[Any] = [None] * len(sizes)
    for t, (before_t, kept, shown) in reversed(list(zip(order, made))):
        d_now = [d[: sizes[t]] for d in d_states]
        if d_rows is not None:
            d_now[0] = d_now[0] + d_rows[t]
        d_total = d_now[0]
        if projection is not None:
            d_now[0] = d_total.mm(projection)
        d_given, d_sums, straight = cell.back(d_now, kept, before_t)
        d_sum = functions.cat(d_sums, 1)
        d_before = [d_sum.mm(weight), *d_now[1:]]
        for k, more in zip(cell.straight, straight):
            d_before[k] = d_before[k] + more if k == 0 else more
        found[t] = (functions.cat(d_given, 1), d_sum, before_t, d_total, shown)
        d_states = [joined(a, b) for a, b in zip(d_before, d_states)]
    d_given, d_sum, before, d_total, shown = (functions.cat(list(x)) for x in zip(*found))
    return (
        d_given.reshape(given.shape),
        d_states[0],
        d_states[1] if cell.states > 1 else None,
        d_sum.t().mm(before),
        None if weights[1] is None else d_sum.sum(0),
        None if projection is None else d_total.t().mm(shown),
    )
