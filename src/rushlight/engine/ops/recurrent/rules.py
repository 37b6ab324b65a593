"""What the gradient formulas of recurrent networks call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import state
from rushlight.engine.generated import functions
from rushlight.engine.generated.calls import recurrent as calls


def lstm_backward(
    grads: Any, given: Any, hidden: Any, cell: Any, weight: Any, outputs: Any, cells: Any,
    gates: Any, backwards: bool, wanted: Any,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """The gradients of an LSTM's steps: the steps the other way round, then one product."""
    d_outputs, d_cells = grads[:2]
    if state.thread.grad_enabled:
        outputs, cells, gates = _recomputed(given, hidden, cell, weight, backwards)
        found = _recorded(d_outputs, d_cells, cell, weight, cells, gates, backwards)
    else:
        found = calls._lstm_steps_backward(
            d_outputs, d_cells, cell, weight, cells, gates, backwards
        )
    d_given, d_hidden, d_cell = found
    d_weight = None
    if wanted[3]:
        first = hidden.unsqueeze(0)
        before = [outputs[1:], first] if backwards else [first, outputs[:-1]]
        rows = functions.cat(before).flatten(0, 1)
        d_weight = d_given.flatten(0, 1).t().mm(rows)
    return d_given, d_hidden, d_cell, d_weight


def _recomputed(
    given: Any, hidden: Any, cell: Any, weight: Any, backwards: bool
) -> tuple[Any, Any, Any]:
    """The steps by operators that know how they were made."""
    found = []
    sums = given.unbind(0)
    for now in reversed(sums) if backwards else sums:
        enters, keeps, new, shows = (now + hidden.mm(weight.t())).chunk(4, 1)
        enters, keeps, shows = enters.sigmoid(), keeps.sigmoid(), shows.sigmoid()
        new = new.tanh()
        cell = keeps * cell + enters * new
        hidden = shows * cell.tanh()
        found.append((hidden, cell, functions.cat([enters, keeps, new, shows], 1)))
    return tuple(  # type: ignore[return-value]
        functions.stack(x[::-1] if backwards else x) for x in map(list, zip(*found))
    )


def _recorded(
    d_outputs: Any, d_cells: Any, cell: Any, weight: Any, cells: Any, gates: Any, backwards: bool
) -> tuple[Any, Any, Any]:
    """As `_lstm_steps_backward`, by operators that differentiate."""
    steps = range(len(gates)) if backwards else range(len(gates) - 1, -1, -1)
    ahead = 1 if backwards else -1
    later = after = 0
    found: list[Any] = [None] * len(gates)
    for t in steps:
        enters, keeps, new, shows = gates[t].chunk(4, 1)
        inside = 0 <= t + ahead < len(gates)
        before = cells[t + ahead] if inside else cell
        d_hidden = later if d_outputs is None else d_outputs[t] + later
        shown = cells[t].tanh()
        inner = after + d_hidden * shows * (1 - shown * shown)
        if d_cells is not None:
            inner = inner + d_cells[t]
        found[t] = functions.cat(
            [
                inner * new * enters * (1 - enters),
                inner * before * keeps * (1 - keeps),
                inner * enters * (1 - new * new),
                d_hidden * shown * shows * (1 - shows),
            ],
            1,
        )
        after, later = inner * keeps, found[t].mm(weight)
    return functions.stack(found), later, after
