"""A recurrent layer over a sequence: for every step one product, and one map for all that follows it.

The input's share of the gates is given for the whole sequence. The loops of a step are built once
for all steps of equally many rows, and run in turn, moved along the same tensors. The hidden (and
the cell) state of every sequence is kept in place, in what becomes the last state: packed
sequences that end early, or begin late, are rows that a step does not touch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core import size as core_sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops.plan import Chain, Loop
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.loops.target import host_target
from rushlight.engine.native.records import dataclass
from rushlight.engine.native.threads import get_size
from rushlight.engine.ops.kinds.elementwise import copy_loop, elementwise_loop, fill_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, OuterLoop
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)
from rushlight.engine.ops.kinds.product_loops import matrix_loop
from rushlight.engine.ops.kinds.products import Product
from rushlight.engine.ops.recurrent.cells import CELLS, Cell

# A place among a plan's operands.
Place = Any


@dataclass(frozen=True)
class Span:
    """Steps that follow each other with equally many rows each.

    Args:
        first: the first row of the first step
        rows: how many rows each step has
        count: how many steps there are
    """

    first: int
    rows: int
    count: int

    def split(self, backwards: bool) -> tuple[Span, Span]:
        """All steps but the last one that runs, and that one."""
        if backwards:
            rest = Span(self.first + self.rows, self.rows, self.count - 1)
            return rest, Span(self.first, self.rows, 1)
        rest = Span(self.first, self.rows, self.count - 1)
        return rest, Span(self.first + self.rows * (self.count - 1), self.rows, 1)


def spans_of(sizes: Sequence[int], backwards: bool) -> list[Span]:
    """The steps' rows, in the order that the steps run in."""
    found: list[Span] = []
    first = 0
    for rows in sizes:
        if found and found[-1].rows == rows:
            last = found.pop()
            found.append(Span(last.first, rows, last.count + 1))
        else:
            found.append(Span(first, rows, 1))
        first += rows
    return found[::-1] if backwards else found


@dataclass(frozen=True)
class Matrix:
    """The right factor of products, [deep, columns].

    Args:
        place: where it is
        turned: whether the elements of a column are the neighbours
        block: so many columns lie together, one block behind the other; 0 where all do
    """

    place: Place
    deep: int
    columns: int
    turned: bool = False
    block: int = 0


# Copies of smaller matrices stay in the nearest caches, wherever their columns are.
BLOCKED_BYTES = 1 << 18
# Columns that lie together have at most so many bytes.
TOGETHER_BYTES = 1 << 19


def block_width(deep: int, columns: int, kind: dtype) -> int:
    """How many columns of a large matrix should lie together: whole tiles, in the nearest cache."""
    if kind not in (dtypes.float32, dtypes.float64):
        return 0
    if deep * columns * kind.itemsize < BLOCKED_BYTES:
        return 0
    tile = 3 * host_target().vector_bytes // kind.itemsize
    fits = [w for w in (4 * tile, 2 * tile, tile) if deep * w * kind.itemsize <= TOGETHER_BYTES]
    width = fits[0] if fits else 0
    return width if columns >= width else 0


@dataclass(frozen=True)
class Columns:
    """An operand of a step's map: some columns of a tensor that has so many."""

    place: Place
    total: int
    first: int = 0


class Turn:
    """The loops of one step, to run for every step of a span in turn."""

    def __init__(
        self,
        chain: ChainBuilder,
        span: Span,
        backwards: bool,
        kind: dtype,
        moving: dict[Place, int],
    ) -> None:
        """``moving`` has the tensors with a row for each step's rows, and their width."""
        self.chain, self.span, self.backwards, self.kind = chain, span, backwards, kind
        self.outer = OuterLoop(chain, [span.count], in_turn=True)
        self.moving = moving

    def _begin(self, place: Place) -> None:
        """Make a tensor an operand of the step."""
        row = self.moving.get(place, 0) * self.kind.itemsize
        step = self.span.rows * row
        late = (self.span.count - 1) * step if self.backwards else 0
        self.outer.add_operand(
            place, [-step if self.backwards else step], self.span.first * row + late
        )

    def add(self, loop: Any, places: Sequence[Place]) -> None:
        """One more loop of the step; ``places`` are those of its tensors."""
        for place in places:
            if place not in self.outer.places:
                self._begin(place)
        self.outer.add(loop, places)

    def add_product(
        self,
        target: Place,
        left: Place,
        matrix: Matrix,
        added: Place = None,
        each_row: bool = False,
    ) -> None:
        """Rows times a matrix; plus rows, or plus the same for each row."""
        rows, kind = self.span.rows, self.kind
        deep, columns = matrix.deep, matrix.columns
        others = [] if added is None else [added]
        apart = [0 if each_row else columns] * len(others)
        if matrix.block:
            places = [target, *others, left, matrix.place]
            key = "blocks", rows, matrix, tuple(apart), kind
            for loop in _remembered(key, lambda: _block_loops(rows, matrix, apart, kind)):
                self.add(loop, places)
            return
        made, scratch = _product_of(rows, deep, columns, matrix.turned, apart, kind)
        own = [self.chain.add_scratch(t.size, t.dtype, t.stride)[1] for t in scratch]
        given = [target, *own, *others, left, matrix.place]
        links = made.links if isinstance(made, Chain) else [(made, range(len(given)))]
        for loop, positions in links:
            count = sum(how != objects.CONSTANT_OPERAND for how, _ in loop.kinds)
            self.add(loop, [given[p] for p in positions[:count]])

    def add_map(
        self,
        body: Callable[..., Any],
        width: int,
        targets: Sequence[Columns],
        inputs: Sequence[Columns],
    ) -> None:
        """A map over rows and hidden columns."""
        operands = [*targets, *inputs]
        columns = tuple((c.total, c.first) for c in operands)
        loop = _map_of(body, self.span.rows, width, columns, len(targets), self.kind)
        self.add(loop, [c.place for c in operands])

    def add_copy(self, target: Place, source: Place, width: int) -> None:
        """Copy a step's rows."""
        self.add_map(_same, width, [Columns(target, width)], [Columns(source, width)])

    def finish(self) -> None:
        """Make one step of the plan of them."""
        self.outer.finish()


# The loops of a step know its number of rows, but not where in the sequence it is.
_loops = PlanTable()


def _remembered(key: tuple[Any, ...], build: Callable[[], Any]) -> Any:
    found = _loops.get(key)
    if found is None:
        found = _loops[key] = build()
    return found


def _product_of(
    rows: int, deep: int, columns: int, turned: bool, apart: Sequence[int], kind: dtype
) -> Built:
    """The product of rows and a matrix, with its scratch; ``apart`` is as `Turn.add_product` has it."""

    def build() -> Built:
        factors = (tensors.empty((rows, deep), kind), tensors.empty((deep, columns), kind))
        inputs = (*(tensors.empty((rows, columns), kind) for _ in apart), *factors)
        strides = [[0, 1, a] for a in apart]
        strides += [[1, 0, deep], [1, deep, 0] if turned else [columns, 1, 0]]
        specs = [contiguous_spec((rows, columns), kind)]
        request = Product(inputs, (deep, columns, rows), strides, (2, 1), specs)
        size = core_sizes.intern((rows, columns))
        return request.build([Template(size, (columns, 1), kind)])

    key = "product", rows, deep, columns, turned, tuple(apart), kind, get_size()
    made: Built = _remembered(key, build)
    return made


def _map_of(
    body: Callable[..., Any], rows: int, width: int, columns: Sequence[tuple[int, int]],
    targets: int, kind: dtype,
) -> Loop:  # fmt: skip
    """A map over rows and hidden columns; of each operand its tensor's columns and the first one."""

    def build() -> Loop:
        views = [shaped((rows, width), (total, 1), kind) for total, _ in columns]
        memories = [kind.memory] * len(columns)
        outs, ins = memories[:targets], memories[targets:]
        return elementwise_loop(
            body, views[:targets], views[targets:], outs, ins, [compute_type(kind)] * len(ins),
            [first * kind.itemsize for _, first in columns],
        )  # fmt: skip

    made: Loop = _remembered(("map", body, rows, width, columns, targets, kind), build)
    return made


def _block_loops(rows: int, matrix: Matrix, apart: Sequence[int], kind: dtype) -> list[Loop]:
    """The loops of a product with blocks of columns: for whole blocks, and for what is left."""
    deep, columns, width = matrix.deep, matrix.columns, matrix.block
    count = columns // width
    done = count * width
    kinds = [kind] * (3 + len(apart))
    found = [
        matrix_loop(
            kinds, kind, (deep, width, rows, count),
            [[0, 1, columns, width], *([0, 1, a, width] for a in apart), [1, 0, deep, 0],
             [width, 1, 0, deep * width]],
        )
    ]  # fmt: skip
    if done < columns:
        rest = columns - done
        strides = [[0, 1, columns], *([0, 1, a] for a in apart), [1, 0, deep], [rest, 1, 0]]
        offsets = [done, *(done for _ in apart), 0, done * deep]
        found.append(matrix_loop(kinds, kind, (deep, rest, rows), strides, offsets=offsets))
    return found


def _same(x: Any) -> Any:
    return x


def _sum(x: Any, y: Any) -> Any:
    return x + y


def _gates(place: Place, count: int, width: int) -> list[Columns]:
    """Operands for parts of a row that lie side by side."""
    return [Columns(place, count * width, k * width) for k in range(count)]


@functools.cache
def _forward_body(cell: Cell, keeps: bool, copies: int, projected: bool) -> Callable[..., Any]:
    """A step as a scalar function: what is kept, the hidden state so many times, the cell."""

    def body(*given: Any) -> tuple[Any, ...]:
        count = cell.gates
        kept, (hidden, *others) = cell.step(
            given[:count], given[count : 2 * count], given[2 * count :]
        )
        if projected:
            kept = [*kept, hidden]
        return (*(kept if keeps else ()), *[hidden] * copies, *others)

    return body


@functools.cache
def _backward_body(cell: Cell, d_hidden: int, kept: int) -> Callable[..., Any]:
    """A step's gradients as a scalar function; ``d_hidden`` gradients add up to the state's."""

    def body(*given: Any) -> tuple[Any, ...]:
        first = given[0] if d_hidden == 1 else given[0] + given[1]
        end = d_hidden + cell.states - 1
        d_states = [first, *given[d_hidden:end]]
        before = given[end + kept] if len(given) > end + kept else None
        d_given, d_sums, straight = cell.back(d_states, given[end : end + kept], before)
        return (*d_given, *(d_sums if cell.splits else ()), *straight)

    return body


@dataclass
class _Layer:
    """The facts that both directions of a layer's computation share."""

    cell: Cell
    kind: dtype
    sizes: list[int]
    batch: int
    width: int
    shown: int  # how wide the hidden state is: projections make it narrower
    projected: bool
    backwards: bool

    @property
    def gates(self) -> int:
        return self.cell.gates * self.width

    @property
    def kept(self) -> int:
        """How many values are kept; with a projection, also what is projected."""
        return self.cell.kept + self.projected

    @property
    def rows(self) -> int:
        return sum(self.sizes)

    @property
    def is_empty(self) -> bool:
        return not self.rows * self.width * self.shown


def _check_batches(sizes: Sequence[int], rows: int, batch: int) -> None:
    """Packed sequences get fewer with time, from as many as there are states, and fill the data."""
    falls = all(a >= b > 0 for a, b in zip((batch, *sizes), sizes))
    if not falls or sum(sizes) != rows:
        raise RuntimeError(
            f"batch sizes must fall from {batch}, the batch of the hidden state, and sum to {rows}, "
            f"the number of rows of the data, but got {list(sizes)}"
        )


def _layer_of(
    gates: Sequence[int], hidden: Tensor, projection: Tensor | None, sizes: Sequence[int] | None,
    mode: str, backwards: bool,
) -> _Layer:  # fmt: skip
    cell = CELLS[mode]
    batch, shown = hidden._size_
    if sizes is None:
        sizes = [batch] * (gates[0] if len(gates) == 3 else 1)
    else:
        _check_batches(sizes, gates[0], batch)
    return _Layer(
        cell, hidden._dtype_, list(sizes), batch, gates[-1] // cell.gates, shown,
        projection is not None, backwards,
    )  # fmt: skip


class _Inputs:
    """The places of a plan's inputs, as contiguous rows."""

    def __init__(self, made: ChainBuilder, inputs: Sequence[Tensor]) -> None:
        self.made = made
        self.inputs = inputs

    def place(self, k: int, turned: bool = False) -> Place:
        """An input's place, or that of its contiguous copy, perhaps with dimensions exchanged."""
        tensor = self.inputs[k]
        size, stride = tuple(tensor._size_), tuple(tensor._stride_)
        if turned:
            size, stride = size[::-1], stride[::-1]
        if core_sizes.is_contiguous(core_sizes.intern(size), stride):
            return ("in", k)
        template, place = self.made.add_scratch(size, tensor._dtype_)
        self.copy(template, place, k, shaped(size, stride, tensor._dtype_))
        return place

    def matrix(self, k: int, transposed: bool, layer: _Layer) -> Matrix:
        """An input as a right factor, ``transposed`` if its rows are the columns."""
        size = self.inputs[k]._size_
        deep, columns = size[::-1] if transposed else size
        if len(layer.sizes) == 1 or max(layer.sizes) == 1:
            # A single step turns its factor itself, and single rows take it as it is.
            return Matrix(self.place(k), deep, columns, transposed)
        width = block_width(deep, columns, layer.kind)
        if not width:
            return Matrix(self.place(k, transposed), deep, columns)
        return Matrix(
            self._blocks(k, deep, columns, width, transposed), deep, columns, False, width
        )

    def _blocks(self, k: int, deep: int, columns: int, width: int, transposed: bool) -> Place:
        """The place of a copy whose blocks of columns lie one behind the other."""
        tensor, kind = self.inputs[k], self.inputs[k]._dtype_
        along, across = tensor._stride_[::-1] if transposed else tensor._stride_
        _, place = self.made.add_scratch((deep * columns,), kind)
        done = columns // width * width
        parts = [(0, columns // width, width), (done, 1, columns - done)]
        for first, count, wide in parts:
            size = (count, deep, wide)
            if not wide:
                continue
            target = shaped(size, (deep * wide, wide, 1), kind)
            source = shaped(size, (wide * across, along, across), kind)
            loop = copy_loop(target, source, first * deep, first * across)
            self.made.add(loop, [place, ("in", k)])
        return place

    def copy(self, template: Template, place: Place, k: int, source: Any = None) -> None:
        """Copy an input to a place."""
        if core_sizes.numel(template.size):
            tensor = self.inputs[k] if source is None else source
            self.made.add(copy_loop(template, tensor), [place, ("in", k)])


@dataclass
class _Forward(Request):
    """Inputs: the given gates, the hidden state, the weight; the cell, the bias, the projection."""

    inputs: tuple[Tensor, ...]
    layer: _Layer
    has_bias: bool
    keeps: bool
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        made, layer = ChainBuilder(5, len(self.inputs)), self.layer
        inputs = _Inputs(made, self.inputs)
        has_cell = layer.cell.states > 1
        states = [(("out", 1), 1, layer.shown), (("out", 2), 3, layer.width)]
        for place, k, width in states[: layer.cell.states]:
            inputs.copy(shaped((layer.batch, width), (width, 1), layer.kind), place, k)
        if layer.is_empty:
            return made.finish()
        self.places = {
            "given": inputs.place(0),
            "sums": made.add_scratch((max(layer.sizes), layer.gates), layer.kind)[1],
        }
        if self.has_bias:
            self.places["bias"] = inputs.place(3 + has_cell)
        self.weight = inputs.matrix(2, True, layer)
        if layer.projected:
            self.projection = inputs.matrix(len(self.inputs) - 1, True, layer)
            self.places["shown"] = made.add_scratch((max(layer.sizes), layer.width), layer.kind)[1]
        for span in spans_of(layer.sizes, layer.backwards):
            self._add_span(made, span)
        return made.finish()

    def _add_span(self, made: ChainBuilder, span: Span) -> None:
        layer, places, cell = self.layer, self.places, self.layer.cell
        outputs, hidden, last, before, kept = (("out", k) for k in range(5))
        moving = {
            places["given"]: layer.gates,
            outputs: layer.shown,
            before: layer.shown,
            kept: layer.kept * layer.width,
        }
        turn = Turn(made, span, layer.backwards, layer.kind, moving)
        if self.keeps:
            turn.add_copy(before, hidden, layer.shown)
        turn.add_product(places["sums"], hidden, self.weight, places.get("bias"), True)
        shows = [places["shown"]] if layer.projected else [outputs, hidden]
        lasts = [Columns(last, layer.width)] * (cell.states - 1)
        states = [] if layer.projected else [Columns(hidden, layer.width)]
        turn.add_map(
            _forward_body(cell, self.keeps, len(shows), layer.projected),
            layer.width,
            [
                *(_gates(kept, layer.kept, layer.width) if self.keeps else ()),
                *(Columns(place, layer.width) for place in shows),
                *lasts,
            ],
            [
                *_gates(places["given"], cell.gates, layer.width),
                *_gates(places["sums"], cell.gates, layer.width),
                # A projected hidden state has no columns that meet the gates'.
                *(states or lasts),
                *lasts,
            ],
        )
        if layer.projected:
            turn.add_product(hidden, places["shown"], self.projection)
            turn.add_copy(outputs, hidden, layer.shown)
        turn.finish()


@planned("_recurrent_steps")
def chain(
    given: Tensor, hidden: Tensor, cell: Tensor | None, weight: Tensor, bias: Tensor | None,
    projection: Tensor | None, sizes: list[int] | None, mode: str, backwards: bool, keeps: bool,
) -> Request:  # fmt: skip
    """The outputs, the last hidden state and cell; the hidden states before, and what is kept."""
    layer = _layer_of(given._size_, hidden, projection, sizes, mode, backwards)
    kind = layer.kind
    specs = [
        contiguous_spec((*given._size_[:-1], layer.shown), kind),
        contiguous_spec(hidden._size_, kind),
        contiguous_spec((0,) if cell is None else cell._size_, kind),
        contiguous_spec((layer.rows if keeps else 0, layer.shown), kind),
        contiguous_spec((layer.rows if keeps else 0, layer.kept * layer.width), kind),
    ]
    inputs = (given, hidden, weight, *(t for t in (cell, bias, projection) if t is not None))
    return _Forward(inputs, layer, bias is not None, keeps, specs)


@dataclass
class _Backward(Request):
    """Inputs: before, kept, weight; then those of the projection and the gradients there are.

    The gradients are those of the outputs, of the last hidden state and of the last cell.
    """

    inputs: tuple[Tensor, ...]
    layer: _Layer
    arrived: tuple[bool, bool, bool]
    to_first: bool
    specs: list[Spec]
    places: dict[str, Place] = field(default_factory=dict)

    def build(self, targets: Sequence[Target]) -> Built:
        made, layer = ChainBuilder(5, len(self.inputs)), self.layer
        inputs = _Inputs(made, self.inputs)
        numbers = iter(range(3 + layer.projected, len(self.inputs)))
        of_outputs, *of_states = [next(numbers) if came else None for came in self.arrived]
        states = [(("out", 2), layer.shown), (("out", 3), layer.width)]
        for (place, width), k in list(zip(states, of_states))[: layer.cell.states]:
            template = shaped((layer.batch, width), (width, 1), layer.kind)
            if k is not None:
                inputs.copy(template, place, k)
            elif layer.batch * width:
                made.add(fill_loop(template, 0), [place])
        if layer.is_empty:
            return made.finish()
        self.places = {
            "before": inputs.place(0),
            "kept": inputs.place(1),
        }
        self.weight = inputs.matrix(2, False, layer)
        if of_outputs is not None:
            self.places["d_outputs"] = inputs.place(of_outputs)
        if layer.projected:
            self.projection = inputs.matrix(3, False, layer)
            self.places["shown"] = made.add_scratch((max(layer.sizes), layer.width), layer.kind)[1]
        *spans, last = spans_of(layer.sizes, not layer.backwards)
        rest, first = last.split(not layer.backwards)
        for span in (*spans, rest):
            if span.count:
                self._add_span(made, span, True)
        self._add_span(made, first, self.to_first)
        return made.finish()

    def _add_span(self, made: ChainBuilder, span: Span, to_before: bool) -> None:
        layer, places, cell = self.layer, self.places, self.layer.cell
        d_given, d_sums, d_hidden, d_cell, d_total = (("out", k) for k in range(5))
        moving = {
            d_given: layer.gates,
            d_sums: layer.gates,
            d_total: layer.shown,
            places["before"]: layer.shown,
            places["kept"]: layer.kept * layer.width,
        }
        if "d_outputs" in places:
            moving[places["d_outputs"]] = layer.shown
        turn = Turn(made, span, not layer.backwards, layer.kind, moving)
        from_hidden = [Columns(d_hidden, layer.shown)]
        if "d_outputs" in places:
            from_hidden.append(Columns(places["d_outputs"], layer.shown))
        if layer.projected:
            body = _sum if len(from_hidden) == 2 else _same
            turn.add_map(body, layer.shown, [Columns(d_total, layer.shown)], from_hidden)
            turn.add_product(places["shown"], d_total, self.projection)
            from_hidden = [Columns(places["shown"], layer.width)]
        of_states = [Columns(d_hidden, layer.width), Columns(d_cell, layer.width)]
        kept = _gates(places["kept"], layer.kept, layer.width)[: cell.kept]
        needs_before = 0 in cell.straight
        turn.add_map(
            _backward_body(cell, len(from_hidden), cell.kept),
            layer.width,
            [
                *_gates(d_given, cell.gates, layer.width),
                *(_gates(d_sums, cell.gates, layer.width) if cell.splits else ()),
                *(of_states[k] for k in cell.straight),
            ],
            [
                *from_hidden,
                *of_states[1 : cell.states],
                *kept,
                *([Columns(places["before"], layer.width)] if needs_before else ()),
            ],
        )
        if to_before:
            shares = d_sums if cell.splits else d_given
            turn.add_product(d_hidden, shares, self.weight, d_hidden if needs_before else None)
        turn.finish()


@planned("_recurrent_steps_backward")
def steps_backward(
    d_outputs: Tensor | None, d_hidden: Tensor | None, d_cell: Tensor | None, before: Tensor,
    kept: Tensor, weight: Tensor, projection: Tensor | None, batch: int, size: list[int],
    sizes: list[int] | None, mode: str, backwards: bool, to_first: bool,
) -> Request:  # fmt: skip
    """The gradients of the given gates, of the states' shares, of the first states and of outputs.

    The states' shares have gradients of their own in some cells only; those of the outputs, with
    what later steps add to them, are given where they are projected.
    """
    arrived = [g for g in (d_outputs, d_hidden, d_cell) if g is not None]
    first = tensors.empty((batch, weight._size_[1]), before._dtype_)
    layer = _layer_of(size, first, projection, sizes, mode, backwards)
    kind = layer.kind
    specs = [
        contiguous_spec(size, kind),
        contiguous_spec(size if layer.cell.splits else (0,), kind),
        contiguous_spec((batch, layer.shown), kind),
        contiguous_spec((batch, layer.width) if layer.cell.states > 1 else (0,), kind),
        contiguous_spec((layer.rows, layer.shown) if layer.projected else (0,), kind),
    ]
    own = () if projection is None else (projection,)
    which = (d_outputs is not None, d_hidden is not None, d_cell is not None)
    return _Backward((before, kept, weight, *own, *arrived), layer, which, to_first, specs)
