"""Row operators: every row of the input is rewritten with a few numbers found in it.

`RowsAlong` runs a row program, which keeps the row in the caches. `Normalize` is for statistics
whose rows are not one stretch of memory, as those of a channel: a reduction, then a map.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.loops.identity import Written, identity_of
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.row_kernel import LONGEST_BUFFERED, RowProgram, row_address
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.elementwise import copied_types, elementwise_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import (
    ChainBuilder,
    Operand,
    OuterLoop,
    byte_strides,
    facts,
    letter,
    make_loop,
    short_rows,
)
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.reduction import reduce_into
from rushlight.engine.ops.kinds.scan import prefers_columns

Ints = tuple[int, ...]
# Exponentials and the second look cost about as much as moving this many bytes an element.
ROW_BYTES = 16
# Rows of so many bytes are normalised one by one if all are so many.
LARGE_ROW, ALL_BYTES = 1 << 14, 1 << 20

_kernels: Written[int] = Written()


@dataclass
class RowsAlong(Request):
    """Run a row program along dimensions of what the inputs broadcast to."""

    inputs: tuple[Tensor, ...]
    dims: Ints
    program: RowProgram
    specs: list[Spec]

    @property
    def shape(self) -> Ints:
        return geometry.broadcast_sizes(*(t._size_ for t in self.inputs))

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        shape = self.shape
        outs = [
            Operand(("out", k), facts(t)[2], byte_strides(shape, t)) for k, t in enumerate(targets)
        ]
        ins = [
            Operand(("in", k), t._dtype_, byte_strides(shape, t)) for k, t in enumerate(self.inputs)
        ]
        full = [x for x, t in zip(outs, targets) if facts(t)[0] == shape]
        row = sorted(self.dims, reverse=True)
        nest, inside = self._merged(shape, row, [*full, *ins])
        if len(nest) > 1:
            ins = [self._dense(chain, x, t) for x, t in zip(ins, self.inputs)]
            nest, inside = self._merged(shape, row, [*full, *ins])
        copied: list[tuple[Any, ...]] = []
        if len(nest) > 1:
            # Results of another layout are copies, too.
            outs, copied = self._apart(chain, outs, targets)
            full = [x for x, t in zip(outs, targets) if facts(t)[0] == shape]
            nest, inside = self._merged(shape, row, [*full, *ins])
        operands = [*outs, *ins]
        kept = [d for d in range(len(shape)) if d not in self.dims]
        sub = [tuple(x.strides[d] for d in kept) for x in [*ins, *outs]]
        order = [kept[i] for i in geometry.dimension_order(tuple(shape[d] for d in kept), sub)]
        rows, around = geometry.merge_dimensions(
            [shape[d] for d in order], [[x.strides[d] for d in order] for x in operands]
        )
        steps_of = dict(zip(map(id, [*full, *ins]), inside))
        nest = [*(nest or [1]), *rows]
        for x, outside in zip(operands, around):
            x.strides = (*(steps_of.get(id(x)) or [0]), *outside)
        columns = prefers_columns([*full, *ins], nest)
        columns |= short_rows(nest[0], rows, ins[0])
        loop = self._loop(nest, outs, ins, len(full), columns)
        chain.add(loop, [x.position for x in operands])
        for made, place, template, target in copied:
            types = copied_types(template.dtype, template.dtype)
            copying = elementwise_loop(_unchanged, [target], [template], *types)
            chain.add(copying, [made, place])
        return chain.finish()

    def _loop(
        self, nest: Sequence[int], outs: Sequence[Operand], ins: Sequence[Operand], full: int,
        columns: bool,
    ) -> Any:  # fmt: skip
        """The loop over rows, or over columns side by side; so many outputs have whole rows."""
        planner = state.thread.planner
        operands = [*outs, *ins]
        if planner is not None:
            return planner.row_loop(self.program, nest, operands, len(outs), columns)
        dim = 1 if columns else 0
        letters = "".join(letter(x.strides[dim], x.itemsize, nest[dim]) for x in operands)
        memories = tuple(x.memory for x in outs), tuple(x.memory for x in ins)
        buffers = bool(self.program.buffered) and not columns and nest[0] <= LONGEST_BUFFERED
        kernel = _kernels.get(
            identity_of(self.program),
            (memories, letters, columns, buffers),
            lambda: row_address(self.program, *memories, letters, columns, buffers),
        )
        work = math.prod(nest) * max(sum(x.itemsize for x in [*outs[:full], *ins]), ROW_BYTES)
        depth = max(len(nest), 2)
        return make_loop(kernel, nest, operands, 2, range(1, depth), work)

    def _apart(
        self, chain: ChainBuilder, outs: Sequence[Operand], targets: Sequence[Target]
    ) -> tuple[list[Operand], list[tuple[Any, ...]]]:
        """Contiguous scratch in the place of results with whole rows, and what is to be copied to them."""
        found, copied = [], []
        for x, target in zip(outs, targets):
            size, stride, kind = facts(target)
            if size == self.shape and not sizes.is_contiguous(size, stride):
                template, place = chain.add_scratch(size, kind)
                copied.append((x.position, place, template, target))
                x = Operand(place, kind, byte_strides(self.shape, template))
            found.append(x)
        return found, copied

    def _merged(
        self, shape: Ints, row: Sequence[int], operands: Sequence[Operand]
    ) -> tuple[list[int], list[list[int]]]:
        return geometry.merge_dimensions(
            [shape[d] for d in row], [[x.strides[d] for d in row] for x in operands]
        )

    def _dense(self, chain: ChainBuilder, x: Operand, tensor: Tensor) -> Operand:
        """The operand, or a contiguous copy of it in the whole size if its row is not one stretch."""
        size = self.shape
        if tensor._size_ == size and sizes.is_contiguous(size, tensor._stride_):
            return x
        template, place = chain.add_scratch(size, tensor._dtype_)
        body, memory = _unchanged, tensor._dtype_.memory
        kind = promotion.compute_type(tensor._dtype_)
        loop = elementwise_loop(body, [template], [tensor], [memory], [memory], [kind])
        chain.add(loop, [place, x.position])
        return Operand(place, tensor._dtype_, byte_strides(size, template))


def _unchanged(x: Any) -> Any:
    return x


@dataclass
class Normalize(Request):
    """Statistics over dimensions of the first input, then a map of it with them.

    Args:
        inputs: the tensor, then tensors that only the map reads
        shape: the tensor's dimensions, perhaps with some of them split
        stride: the tensor's strides over these
        dims: the dimensions of the statistics
        reduction: gives the outputs after the first, the statistics
        body: ``body(x, statistic..., input...)``, the first output's element
        used: which statistics the body gets
        views: sizes and strides of the other inputs over the shape
    """

    inputs: tuple[Tensor, ...]
    shape: Ints
    stride: Ints
    dims: Ints
    reduction: Reduction
    body: Callable[..., Any]
    used: Sequence[int]
    views: Sequence[tuple[Ints, Ints]]
    specs: list[Spec]
    compute: str = "f32"

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        result = _split_strides(targets[0], self.shape, self.stride)
        rest = [n if d not in self.dims else 1 for d, n in enumerate(self.shape)]
        sink, dims, kept = self._where(chain)

        def view(place: Any, tensor: Target, size: Sequence[int], stride: Ints) -> Template:
            """An operand over the dimensions of one run."""
            strides = geometry.expanded_strides(self.shape, tuple(size), stride)
            kind = facts(tensor)[2]
            if isinstance(sink, OuterLoop) and place not in sink.places:
                sink.add_operand(place, [strides[d] * kind.itemsize for d in kept])
            return shaped([self.shape[d] for d in dims], [strides[d] for d in dims], kind)

        x = view(("in", 0), self.inputs[0], self.shape, self.stride)
        statistics = [
            view(("out", k), target, rest, sizes.contiguous_strides(tuple(rest)))
            for k, target in enumerate(targets[1:], start=1)
        ]
        shape = x.size
        outs = [
            Operand(("out", k), t.dtype, byte_strides(shape, t))
            for k, t in enumerate(statistics, start=1)
        ]
        ins = [Operand(("in", 0), x.dtype, byte_strides(shape, x))]
        reduced = tuple(k for k, d in enumerate(dims) if d in self.dims)
        reduce_into(sink, self.reduction, shape, reduced, outs, ins, [x])
        to = view(("out", 0), targets[0], self.shape, result)
        others = [
            view(("in", k), t, *given)
            for k, (t, given) in enumerate(zip(self.inputs[1:], self.views), start=1)
        ]
        operands = [x, *(statistics[k] for k in self.used), *others]
        memories = [t.dtype.memory for t in operands]
        loop = elementwise_loop(
            self.body, [to], operands, [to.dtype.memory], memories, [self.compute] * len(operands)
        )
        places = [("in", 0), *(("out", k + 1) for k in self.used)]
        places += [("in", k) for k in range(1, len(self.inputs))]
        sink.add(loop, [("out", 0), *places])
        if isinstance(sink, OuterLoop):
            sink.finish()
        return chain.finish()

    def _where(self, chain: ChainBuilder) -> tuple[ChainBuilder | OuterLoop, list[int], list[int]]:
        """What takes the loops, the dimensions that each goes over, and those around them.

        Large rows that together leave the cache are normalised one by one.
        """
        bytes = self.inputs[0]._dtype_.itemsize * math.prod(self.shape)
        rows = math.prod(n for d, n in enumerate(self.shape) if d not in self.dims)
        if bytes < ALL_BYTES or bytes < rows * LARGE_ROW or state.thread.planner is not None:
            return chain, list(range(len(self.shape))), []
        kept = [d for d in range(len(self.shape)) if d not in self.dims]
        return OuterLoop(chain, [self.shape[d] for d in kept]), list(self.dims), kept


def pseudo_view(tensor: Target, size: Ints, stride: Ints) -> Template:
    """The tensor's memory with other dimensions, as loops see it."""
    return Template(sizes.intern(size), stride, facts(tensor)[2])


def _split_strides(target: Target, shape: Ints, stride: Ints) -> Ints:
    """The result's strides over the shape: its own, or contiguous ones where dims were split."""
    size, own, _ = facts(target)
    return own if size == shape else sizes.contiguous_strides(shape)
