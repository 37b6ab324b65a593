"""An LSTM over a sequence: for every step one product, and one map for all that follows it.

The input's share of the gates is given for the whole sequence; a step adds the hidden state's. The
loops of a step are built once for a shape and run on each step's slices of the same tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import view as views
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value, fma
from rushlight.engine.loops.plan import Chain, Loop
from rushlight.engine.loops.plans import PlanTable, note_other
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.outputs import new_outputs
from rushlight.engine.ops.kinds.planned import contiguous_spec
from rushlight.engine.ops.kinds.products import Product
from rushlight.engine.ops.kinds.views import cpu, meta

_loops = PlanTable()


def _step(*given: Value) -> tuple[Value, ...]:
    """From the sums of the gates and the last cell to the gates, the hidden state, the cell."""
    enters, keeps, new, shows, cell = given
    enters, keeps, shows = (maths.sigmoid(x) for x in (enters, keeps, shows))
    new = maths.tanh(new)
    cell = fma(keeps, cell, enters * new)
    return enters, keeps, new, shows, shows * maths.tanh(cell), cell


def _step_backward(*given: Value) -> tuple[Value, ...]:
    """From the states' gradients to those of the gates' sums and of the last cell."""
    d_output, d_later, d_after, d_cell, enters, keeps, new, shows, before, cell = given
    d_hidden = d_output + d_later
    shown = maths.tanh(cell)
    inner = d_after + d_cell + d_hidden * shows * (1 - shown * shown)
    return (
        inner * new * enters * (1 - enters),
        inner * before * keeps * (1 - keeps),
        inner * enters * (1 - new * new),
        d_hidden * shown * shows * (1 - shows),
        inner * keeps,
    )


class _Loops:
    """The loops of a step, forwards or backwards, for one shape and type."""

    def __init__(self, batch: int, width: int, kind: dtype, backward: bool) -> None:
        item, memory = kind.itemsize, kind.memory
        state = Template(sizes.intern((batch, width)), (width, 1), kind)
        gate = Template(sizes.intern((batch, width)), (4 * width, 1), kind)
        columns = [k * width * item for k in range(4)]
        if backward:
            outs, ins = [gate] * 4 + [state], [state] * 4 + [gate] * 4 + [state] * 2
            offsets = [*columns, 0, 0, 0, 0, 0, *columns, 0, 0]
        else:
            outs, ins = [gate] * 4 + [state] * 2, [gate] * 4 + [state]
            offsets = [*columns, 0, 0, *columns, 0]
        body = _step_backward if backward else _step
        self.map = elementwise_loop(
            body, outs, ins, [memory] * len(outs), [memory] * len(ins), [memory] * len(ins), offsets
        )
        self.product = self._product(batch, width, kind, backward)

    def _product(
        self, batch: int, width: int, kind: dtype, backward: bool
    ) -> tuple[Loop | Chain, list[Template]]:
        """gates = given + hidden @ weight; or hidden = gates @ weight."""
        wide = 4 * width
        deep, columns = (wide, width) if backward else (width, wide)
        a = tensors.empty((batch, deep), kind)
        b = tensors.empty((deep, columns), kind)
        c = tensors.empty((batch, columns), kind)
        strides = [[0, 1, columns], [1, 0, deep], [columns, 1, 0]]
        inputs = (c, a, b)
        if backward:
            inputs, strides = inputs[1:], strides[1:]  # type: ignore[assignment]
        spec = contiguous_spec((batch, columns), kind)
        request = Product(inputs, (deep, columns, batch), strides, (2, 1), [spec])
        return request.build([Template(sizes.intern((batch, columns)), (columns, 1), kind)])


def _loops_for(batch: int, width: int, kind: dtype, backward: bool) -> _Loops:
    key = (batch, width, kind, backward)
    found: _Loops | None = _loops.get(key)
    if found is None:
        found = _loops[key] = _Loops(batch, width, kind, backward)
    return found


def _run_product(loops: _Loops, target: Tensor, *inputs: Tensor) -> None:
    loop, scratch = loops.product
    loop.run(target, *(tensors.create(t) for t in scratch), *inputs)


def _slices(tensor: Tensor) -> Sequence[Tensor]:
    found: Sequence[Tensor] = views.unbind_int(tensor, 0)
    return found


def _specs(given: Tensor) -> list[Any]:
    steps, batch, wide = given._size
    state = contiguous_spec((steps, batch, wide // 4), given._dtype)
    return [state, state, contiguous_spec(given._size, given._dtype)]


@meta("_lstm_steps")
def steps_meta(given: Tensor, *others: Any) -> Any:
    return new_outputs(_specs(given), given._storage.device)


@cpu("_lstm_steps")
def steps(
    given: Tensor, hidden: Tensor, cell: Tensor, weight: Tensor, backwards: bool
) -> tuple[Tensor, Tensor, Tensor]:
    note_other()
    _, batch, wide = given._size
    outputs, cells, gates = new_outputs(_specs(given), given._storage.device)
    if not outputs._numel:
        return outputs, cells, gates
    loops = _loops_for(batch, wide // 4, given._dtype, False)
    given, hidden, cell = (copies.contiguous(t) for t in (given, hidden, cell))
    # The rows that a step multiplies with lie side by side.
    turned = copies.contiguous(views.t(weight))
    every = list(zip(_slices(given), _slices(outputs), _slices(cells), _slices(gates)))
    for now, output, after, gate in reversed(every) if backwards else every:
        _run_product(loops, gate, now, hidden, turned)
        loops.map.run(gate, gate, gate, gate, output, after, gate, gate, gate, gate, cell)
        hidden, cell = output, after
    return outputs, cells, gates


@cpu("_lstm_steps_backward")
def steps_backward(
    d_hidden: Tensor | None, d_cells: Tensor | None, hidden: Tensor, cell: Tensor, weight: Tensor,
    outputs: Tensor, cells: Tensor, gates: Tensor, backwards: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The gradients of the given gates, of the first hidden state and of the first cell."""
    note_other()
    count, batch, wide = gates._size
    d_gates = tensors.empty(gates._size, gates._dtype)
    nothing = tensors.empty(hidden._size, gates._dtype)
    copies.fill__Scalar(nothing, 0)
    if not gates._numel:
        return d_gates, nothing, nothing
    loops = _loops_for(batch, wide // 4, gates._dtype, True)
    weight, cell = copies.contiguous(weight), copies.contiguous(cell)
    of_outputs, of_cells = (
        [nothing] * count if t is None else _slices(copies.contiguous(t))
        for t in (d_hidden, d_cells)
    )
    every = list(zip(of_outputs, of_cells, _slices(cells), _slices(gates), _slices(d_gates)))
    order = every if backwards else every[::-1]
    later, after = nothing, nothing
    for k, (d_output, d_cell, now, gate, d_gate) in enumerate(order):
        before = order[k + 1][2] if k + 1 < len(order) else cell
        made = tensors.empty(hidden._size, gates._dtype)
        loops.map.run(
            d_gate, d_gate, d_gate, d_gate, made,
            d_output, later, after, d_cell, gate, gate, gate, gate, before, now,
        )  # fmt: skip
        after, later = made, tensors.empty(hidden._size, gates._dtype)
        _run_product(loops, later, d_gate, weight)
    return d_gates, later, after
