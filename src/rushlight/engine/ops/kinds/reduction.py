"""Reductions: from dimensions and recipes to loop nests.

Reduced dimensions merge into one or two; kept ones follow. Where the kept dimension is the
contiguous one, columns are reduced side by side. A long reduction with few results is cut into
parts whose totals a second loop reduces, so that threads share the work; where the cuts are depends
on sizes only, and so does the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.loops.identity import Written, identity_of
from rushlight.engine.loops.reduce_kernel import reduce_address
from rushlight.engine.loops.reduction import Reduction, final, partial
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.dims import wrap_dims
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.nested_loops import (
    ChainBuilder,
    Operand,
    Sink,
    byte_strides,
    constant,
    facts,
    letter,
    make_loop,
    short_rows,
)
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target, contiguous_spec

Ints = tuple[int, ...]

# Reductions below this many elements stay in one part.
LONG = 1 << 16
# Elements of one part, and how many parts at most.
PART = 1 << 14
MOST_PARTS = 64
# From this many results on, threads share those.
FEW_ROWS, FEW_COLUMNS = 8, 256
# Starting a row and folding its vectors costs about as much as moving so many bytes.
ROW_BYTES = 128
# Inputs larger than this are in no cache that is near.
FAR_BYTES = 1 << 22
# Threads share a dimension as long as this rather than contiguous columns.
SHARED = 16


_kernels: Written[int] = Written()


def reduced_dims(tensor: Tensor, dim: int | Sequence[int] | None) -> Ints:
    """The distinct dimensions that a call reduces: all without any."""
    ndim = len(tensor._size_)
    if dim is None or (not isinstance(dim, int) and not len(dim)):
        return tuple(range(ndim))
    dims = wrap_dims([dim] if isinstance(dim, int) else dim, ndim)
    return tuple(sorted(dims)) if ndim else ()


def reduced_size(size: Ints, dims: Ints, keepdim: bool) -> Ints:
    """The result's size."""
    if keepdim:
        return tuple(1 if d in dims else n for d, n in enumerate(size))
    return tuple(n for d, n in enumerate(size) if d not in dims)


@dataclass
class Reduce(Request):
    """Reduce dimensions of the inputs (which broadcast) by a recipe."""

    inputs: tuple[Tensor, ...]
    dims: Ints
    keepdim: bool
    reduction: Reduction
    results: tuple[dtype, ...]

    @property
    def shape(self) -> Ints:
        return geometry.broadcast_sizes(*(t._size_ for t in self.inputs))

    @property
    def specs(self) -> list[Spec]:  # type: ignore[override]
        size = reduced_size(self.shape, self.dims, self.keepdim)
        return [contiguous_spec(size, kind) for kind in self.results]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        shape = self.shape
        ins: list[Operand] = []
        for k, tensor in enumerate(self.inputs):
            ins.append(Operand(("in", k), tensor._dtype_, byte_strides(shape, tensor)))
        outs = [
            Operand(("out", k), facts(t)[2], kept_strides(shape, self.dims, self.keepdim, t))
            for k, t in enumerate(targets)
        ]
        reduce_into(chain, self.reduction, shape, self.dims, outs, ins, self.inputs)
        return chain.finish()


def kept_strides(shape: Ints, dims: Ints, keepdim: bool, target: Target) -> list[int]:
    """A result's byte strides over the whole shape: 0 in reduced dimensions."""
    size, stride, kind = facts(target)
    if keepdim:
        return [0 if d in dims or size[d] == 1 else s * kind.itemsize for d, s in enumerate(stride)]
    own = iter(stride)
    return [0 if d in dims else next(own) * kind.itemsize for d in range(len(shape))]


def reduce_into(
    chain: Sink,
    reduction: Reduction,
    shape: Ints,
    dims: Ints,
    outs: Sequence[Operand],
    ins: Sequence[Operand],
    tensors: Sequence[Target],
) -> None:
    """Add the loops that reduce ``dims`` of inputs over ``shape``; ``tensors`` are the inputs."""
    kept = [d for d in range(len(shape)) if d not in dims]
    order = list(reversed(dims))
    if not reduction.place:
        sub = [tuple(x.strides[d] for d in dims) for x in ins]
        inner = geometry.dimension_order(tuple(shape[d] for d in dims), sub)
        order = [dims[i] for i in inner]
    nest, merged = geometry.merge_dimensions(
        [shape[d] for d in order], [[x.strides[d] for d in order] for x in ins]
    )
    if len(nest) > 2:
        ins = _rearranged(chain, shape, [*kept, *reversed(order)], ins, tensors)
        nest, merged = geometry.merge_dimensions(
            [shape[d] for d in order], [[x.strides[d] for d in order] for x in ins]
        )
    operands = [*outs, *ins]
    sub = [tuple(x.strides[d] for d in kept) for x in [*ins, *outs]]
    around = [kept[i] for i in geometry.dimension_order(tuple(shape[d] for d in kept), sub)]
    rows, kept_steps = geometry.merge_dimensions(
        [shape[d] for d in around], [[x.strides[d] for d in around] for x in operands]
    )
    nest += [1] * (2 - len(nest))
    inner_steps = [[0, 0] for _ in outs] + [s + [0] * (2 - len(s)) for s in merged]
    for x, inside, outside in zip(operands, inner_steps, kept_steps):
        x.strides = (*inside, *outside)
    _ReductionLoops(chain, reduction, nest, rows, list(outs), list(ins)).add()


def _rearranged(
    chain: Sink,
    shape: Ints,
    order: Sequence[int],
    ins: Sequence[Operand],
    tensors: Sequence[Target],
) -> list[Operand]:
    """Copies of the inputs whose dimensions lie in ``order``, outermost first."""
    made = []
    stride = geometry.dense_strides(shape, list(reversed(order)))
    for x, tensor in zip(ins, tensors):
        kind = dtypes.BY_MEMORY[x.memory]
        template, place = chain.add_scratch(shape, kind, stride)
        loop = elementwise_loop(
            lambda value: value, [template], [tensor], [x.memory], [x.memory], [_raw(kind)]
        )
        chain.add(loop, [place, x.position])
        made.append(Operand(place, kind, [s * kind.itemsize for s in stride]))
    return made


def _raw(kind: dtype) -> str:
    """A type in which elements pass unchanged."""
    return {"f16": "f32", "bf16": "f32", "c32": "c64"}.get(kind.memory, kind.memory)


class _ReductionLoops:
    """One reduction over a nest: two reduced sizes, then kept ones."""

    def __init__(
        self,
        chain: Sink,
        reduction: Reduction,
        inner: list[int],
        rows: list[int],
        outs: list[Operand],
        ins: list[Operand],
    ) -> None:
        self.chain = chain
        self.reduction = reduction
        self.inner = inner
        self.rows = rows
        self.outs = outs
        self.ins = ins
        first = ins[0]
        contiguous = first.strides[0] == first.itemsize
        beside = bool(rows) and first.strides[2] == first.itemsize
        length = math.prod(inner)
        self.columns = beside and (not contiguous or length <= 1)
        self.columns |= short_rows(length, rows, first)

    def add(self) -> None:
        """Add the loops: one, or one over parts and one over their totals."""
        length, results = math.prod(self.inner), math.prod(self.rows)
        few = FEW_COLUMNS if self.columns else FEW_ROWS
        if length * results < LONG or length < 2 * PART // max(results, 1) or results >= few:
            self._loop(self.reduction, self.inner, self.rows, self.outs, self.ins)
        elif results:
            self._parts(length)

    def _loop(
        self,
        reduction: Reduction,
        inner: Sequence[int],
        rows: Sequence[int],
        outs: Sequence[Operand],
        ins: Sequence[Operand],
        columns: bool | None = None,
    ) -> None:
        columns = self.columns if columns is None else columns
        operands = [*outs, *ins]
        dim = 2 if columns else 0
        nest = [*inner, *rows]
        planner = state.thread.planner
        if planner is not None:
            device_loop = planner.reduce_loop(reduction, nest, operands, len(outs), columns)
            self.chain.add(device_loop, [x.position for x in operands])
            return
        letters = "".join(letter(x.strides[dim], x.itemsize, nest[dim]) for x in operands)
        if not columns:
            letters = "c" * len(outs) + letters[len(outs) :]
        memories = tuple(x.memory for x in outs), tuple(x.memory for x in ins)
        far = not columns and math.prod(nest) * max(x.itemsize for x in ins) >= FAR_BYTES
        kernel = _kernels.get(
            identity_of(reduction),
            (memories, letters, columns, far),
            lambda: reduce_address(reduction, *memories, letters, columns, far),
        )
        work = math.prod(nest) * max(sum(x.itemsize for x in ins), 4)
        work += 0 if columns else math.prod(rows) * ROW_BYTES
        loop = make_loop(kernel, nest, operands, 3, _shared(nest, columns), work)
        self.chain.add(loop, [x.position for x in operands])

    def _parts(self, length: int) -> None:
        """Totals of equal parts (and of a shorter last one), then those joined."""
        cut = 1 if self.inner[1] > 1 else 0
        inside = self.inner[0] if cut else 1
        unit = max(1, PART // 16 // inside)
        size = -(-self.inner[cut] // min(MOST_PARTS, max(2, length // PART)))
        size = -(-size // unit) * unit
        parts, rest = divmod(self.inner[cut], size)
        totals = self._totals(parts + bool(rest))
        partly = partial(self.reduction)
        inner = list(self.inner)
        inner[cut] = size
        places = [self._with_parts(x, x.strides[cut] * size) for x in self.ins]
        if self.columns:
            nest = [*self.rows, parts]
        else:
            nest = [parts, *self.rows]
        self._loop(partly, inner, nest, totals, places)
        if rest:
            inner[cut] = rest
            part_dim = len(nest) + 1 if self.columns else 2
            outs = [_shifted(x, parts, part_dim) for x in totals]
            ins = [_shifted(x, parts, part_dim) for x in places]
            self._loop(partly, inner, self.rows, outs, ins)
        count = len(self.rows) + 2
        part_dim = count if self.columns else 2
        held = []
        for x in totals:
            strides = list(x.strides)
            step = strides.pop(part_dim)
            strides[0] = step
            held.append(Operand(x.position, dtypes.BY_MEMORY[x.memory], strides))
        numbers = [constant(length, count), constant(size * inside, count)]
        self._loop(
            final(self.reduction), [parts + bool(rest), 1], self.rows, self.outs, [*held, *numbers]
        )

    def _with_parts(self, x: Operand, step: int) -> Operand:
        """An input with a dimension for the parts."""
        inner, rows = x.strides[:2], x.strides[2:]
        strides = (*inner, *rows, step) if self.columns else (*inner, step, *rows)
        made = Operand(x.position, dtypes.BY_MEMORY[x.memory], strides)
        made.offset = x.offset
        return made

    def _totals(self, parts: int) -> list[Operand]:
        """Scratch tensors for the totals of parts, in the order in which they are read again."""
        made = []
        dims = [*self.rows, parts] if self.columns else [parts, *self.rows]
        for memory in self.reduction.totals:
            kind = dtypes.BY_MEMORY[memory]
            steps = sizes.contiguous_strides(tuple(reversed(dims)))
            _, place = self.chain.add_scratch(tuple(reversed(dims)), kind)
            strides = (0, 0, *(s * kind.itemsize for s in reversed(steps)))
            made.append(Operand(place, kind, strides))
        return made


def _shared(nest: Sequence[int], columns: bool) -> Sequence[int]:
    """The dimensions that threads may share: not the columns that lie together, if others do."""
    outer = [d for d in range(3, len(nest)) if nest[d] >= SHARED]
    return outer if columns and outer else range(2, max(len(nest), 3))


def _shifted(x: Operand, by: int, dim: int) -> Operand:
    """An operand at a place along a dimension, which it loses."""
    strides = list(x.strides)
    step = strides.pop(dim)
    made = Operand(x.position, dtypes.BY_MEMORY[x.memory], strides)
    made.offset = x.offset + by * step
    return made
