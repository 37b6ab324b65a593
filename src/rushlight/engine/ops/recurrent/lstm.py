"""An LSTM over a sequence: for every step one product, and one map for all that follows it.

The input's share of the gates is given for the whole sequence; a step adds the hidden state's. The
loops of a step are built once and follow each other, moved along the same tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value, fma
from rushlight.engine.loops.plan import Chain, Loop
from rushlight.engine.ops.kinds.elementwise import copy_loop, elementwise_loop, fill_loop, shaped
from rushlight.engine.ops.kinds.nests import Steps
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)
from rushlight.engine.ops.kinds.products import Product

# An operand of a step: its place in the plan, and how many bytes it is further on.
At = tuple[Any, int]


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


class _Links:
    """Loops of one step, to be repeated with their operands moved."""

    def __init__(self, steps: Steps, made: Loop | Chain, scratch: Sequence[Template]) -> None:
        self.steps = steps
        self.scratch = [steps.add_scratch(t.size, t.dtype, t.stride)[1] for t in scratch]
        self.links = made.links if isinstance(made, Chain) else [(made, range(len(made.kinds)))]

    def add(self, target: At, *inputs: At) -> None:
        """Once more, on these operands."""
        given = [target, *((place, 0) for place in self.scratch), *inputs]
        for loop, positions in self.links:
            chosen = [given[p] if p < len(given) else (0, 0) for p in positions]
            self.steps.add(loop.moved([shift for _, shift in chosen]), [p for p, _ in chosen])


def _product(steps: Steps, batch: int, deep: int, columns: int, kind: dtype, added: bool) -> _Links:
    """[batch, deep] times [deep, columns], all contiguous, perhaps added to something."""
    a = tensors.empty((batch, deep), kind)
    b = tensors.empty((deep, columns), kind)
    c = tensors.empty((batch, columns), kind)
    strides = [[0, 1, columns], [1, 0, deep], [columns, 1, 0]]
    inputs = (c, a, b) if added else (a, b)
    spec = contiguous_spec((batch, columns), kind)
    request = Product(
        inputs, (deep, columns, batch), strides if added else strides[1:], (2, 1), [spec]
    )
    target = Template(sizes.intern((batch, columns)), (columns, 1), kind)
    return _Links(steps, *request.build([target]))


def _map(batch: int, width: int, kind: dtype, backward: bool) -> Loop:
    """All of a step but its product. Gates are columns of one tensor."""
    memory, size = kind.memory, (batch, width)
    state, gate = shaped(size, (width, 1), kind), shaped(size, (4 * width, 1), kind)
    columns = [k * width * kind.itemsize for k in range(4)]
    if backward:
        outs, ins = [gate] * 4 + [state], [state] * 4 + [gate] * 4 + [state] * 2
        offsets = [*columns, 0, 0, 0, 0, 0, *columns, 0, 0]
    else:
        outs, ins = [gate] * 4 + [state] * 2, [gate] * 4 + [state]
        offsets = [*columns, 0, 0, *columns, 0]
    body = _step_backward if backward else _step
    types = [memory] * len(ins)
    return elementwise_loop(body, outs, ins, [memory] * len(outs), types, types, offsets)


def _contiguous(steps: Steps, k: int, tensor: Tensor, order: Sequence[int] = ()) -> Any:
    """An input's place, or that of its contiguous copy, perhaps with dimensions exchanged."""
    size, stride = list(tensor._size), list(tensor._stride)
    if order:
        size, stride = [size[d] for d in order], [stride[d] for d in order]
    if sizes.is_contiguous(sizes.intern(tuple(size)), tuple(stride)):
        return ("in", k)
    template, place = steps.add_scratch(tuple(size), tensor._dtype)
    loop = copy_loop(template, shaped(size, stride, tensor._dtype))
    steps.add(loop, [place, ("in", k)])
    return place


@dataclass
class _Forward(Request):
    """Inputs: the given gates, the first hidden state and cell, the weight."""

    inputs: tuple[Tensor, ...]
    backwards: bool
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        made = Steps(3, 4)
        count, batch, wide = self.inputs[0]._size
        kind = self.inputs[0]._dtype
        width = wide // 4
        if not count * batch * wide:
            return made.finish()
        given, hidden, cell = (_contiguous(made, k, self.inputs[k]) for k in range(3))
        # The rows that a step multiplies with lie side by side.
        turned = _contiguous(made, 3, self.inputs[3], (1, 0))
        product = _product(made, batch, width, wide, kind, True)
        rest = _map(batch, width, kind, False)
        outputs, cells, gates = (("out", k) for k in range(3))
        state, gate = batch * width * kind.itemsize, batch * wide * kind.itemsize
        before, last = (hidden, 0), (cell, 0)
        for t in range(count)[:: -1 if self.backwards else 1]:
            output, after, now = (outputs, t * state), (cells, t * state), (gates, t * gate)
            product.add(now, (given, t * gate), before, (turned, 0))
            places = [now, now, now, now, output, after, now, now, now, now, last]
            made.add(rest.moved([n for _, n in places]), [p for p, _ in places])
            before, last = output, after
        return made.finish()


@planned("_lstm_steps")
def steps(given: Tensor, hidden: Tensor, cell: Tensor, weight: Tensor, backwards: bool) -> Request:
    count, batch, wide = given._size
    state = contiguous_spec((count, batch, wide // 4), given._dtype)
    specs = [state, state, contiguous_spec(given._size, given._dtype)]
    return _Forward((given, hidden, cell, weight), backwards, specs)


@dataclass
class _Backward(Request):
    """Inputs: the first cell, the weight, cells, gates; then those gradients that there are."""

    inputs: tuple[Tensor, ...]
    of_outputs: bool
    of_cells: bool
    backwards: bool
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        made = Steps(3, len(self.inputs))
        count, batch, wide = self.inputs[3]._size
        kind = self.inputs[3]._dtype
        width = wide // 4
        size = sizes.intern((batch, width))
        d_gates, d_hidden, d_cell = (("out", k) for k in range(3))
        if batch * width:
            for place in (d_hidden, d_cell):
                made.add(fill_loop(Template(size, (width, 1), kind), 0), [place])
        if not count * batch * wide:
            return made.finish()
        cell, weight, cells, gates = (_contiguous(made, k, self.inputs[k]) for k in range(4))
        nothing, none = made.add_scratch(size, kind)
        made.add(fill_loop(nothing, 0), [none])
        grads = [_contiguous(made, k, self.inputs[k]) for k in range(4, len(self.inputs))]
        product = _product(made, batch, wide, width, kind, False)
        rest = _map(batch, width, kind, True)
        state, gate = batch * width * kind.itemsize, batch * wide * kind.itemsize
        order = range(count) if self.backwards else range(count)[::-1]
        for k, t in enumerate(order):
            of_output = (grads[0], t * state) if self.of_outputs else (none, 0)
            of_cell = (grads[-1], t * state) if self.of_cells else (none, 0)
            before = (cells, order[k + 1] * state) if k + 1 < count else (cell, 0)
            now, d_now = (gates, t * gate), (d_gates, t * gate)
            places = [
                d_now, d_now, d_now, d_now, (d_cell, 0), of_output, (d_hidden, 0), (d_cell, 0),
                of_cell, now, now, now, now, before, (cells, t * state),
            ]  # fmt: skip
            made.add(rest.moved([n for _, n in places]), [p for p, _ in places])
            product.add((d_hidden, 0), d_now, (weight, 0))
        return made.finish()


@planned("_lstm_steps_backward")
def steps_backward(
    d_hidden: Tensor | None, d_cells: Tensor | None, cell: Tensor, weight: Tensor, cells: Tensor,
    gates: Tensor, backwards: bool,
) -> Request:  # fmt: skip
    """The gradients of the given gates, of the first hidden state and of the first cell."""
    given = [t for t in (d_hidden, d_cells) if t is not None]
    kind = gates._dtype
    state = contiguous_spec(cell._size, kind)
    specs = [contiguous_spec(gates._size, kind), state, state]
    inputs = (cell, weight, cells, gates, *given)
    return _Backward(inputs, d_hidden is not None, d_cells is not None, backwards, specs)
