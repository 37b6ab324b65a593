"""Operators that put elements in other places: repeats, flips, rolls, triangles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing
from rushlight.engine.calls import view as calls
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.loops import geometry
from rushlight.engine.loops.expr import const, select
from rushlight.engine.loops.plan import SOME_LENGTH, Chain, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import formats
from rushlight.engine.ops.creation.positions import counting_at, counting_loop, vector
from rushlight.engine.ops.dims import wrap_dim, wrap_dims
from rushlight.engine.ops.kinds import compaction, outputs
from rushlight.engine.ops.kinds.elementwise import (
    copy_loop,
    elementwise_loop,
    shaped,
)
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import (
    Built,
    Computed,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.numbers import has_no_elements

Ints = Sequence[int]
_flip_loops = PlanTable()
_triangle_loops = PlanTable()


def _like(self: Tensor, size: tuple[int, ...]) -> Tensor:
    return tensors.empty(size, self._dtype_, self._storage_.device)


# -- repeats --


@dataclass
class Repeated(Request):
    """Every dimension as (times, length), over which the source is broadcast."""

    inputs: tuple[Tensor, ...]
    grid: tuple[int, ...]
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, 1)
        (source,) = self.inputs
        own = (0,) * (len(self.grid) // 2 - len(source._stride_)) + source._stride_
        strides = [s for step in own for s in (0, step)]
        _, apart, kind = facts(targets[0])
        spread = [s for step, n in zip(apart, self.grid[1::2]) for s in (step * n, step)]
        to, given = (shaped(self.grid, x, kind) for x in (spread, strides))
        chain.add(copy_loop(to, given), [("out", 0), ("in", 0)])
        return chain.finish()


@planned("repeat", exact=True)
def repeat(self: Tensor, repeats: Ints) -> Request:
    if len(repeats) < len(self._size_):
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    padded = (1,) * (len(repeats) - len(self._size_)) + tuple(self._size_)
    shape = tuple(n * r for n, r in zip(padded, repeats))
    if any(n < 0 for n in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    grid = tuple(n for pair in zip(repeats, padded) for n in pair)
    return Repeated((self,), grid, [contiguous_spec(shape, self._dtype_)])


@composite("tile")
def tile(self: Tensor, dims: Ints) -> Tensor:
    missing = len(self._size_) - len(dims)
    return calls.repeat(self, (1,) * max(missing, 0) + tuple(dims))


@composite("repeat_interleave.self_int")
def repeat_interleave(
    self: Tensor, repeats: int, dim: int | None, output_size: int | None
) -> Tensor:
    source, d = (
        (calls.flatten_using_ints(self), 0)
        if dim is None
        else (self, wrap_dim(dim, len(self._size_)))
    )
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    size = source._size_ or (1,)
    source = calls.view(source, size) if not source._size_ else source
    wide = calls.expand(
        calls.unsqueeze(source, d + 1), (*size[: d + 1], repeats, *size[d + 1 :]), False
    )
    return calls.flatten_using_ints(copies.clone(wide, _contiguous()), d, d + 1)


def _contiguous() -> Any:
    from rushlight.engine.core import layout

    return layout.contiguous_format


@explicit("repeat_interleave.Tensor")
def repeat_positions(repeats: Tensor, output_size: int | None) -> Tensor:
    import numpy as np

    from rushlight.engine.ops import bridge

    if len(repeats._size_) != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats._dtype_ not in (dtypes.int32, dtypes.int64):
        raise RuntimeError("repeats has to be Long or Int tensor")
    if has_no_elements(repeats):
        return _places_of_meta(repeats, output_size)

    def compute() -> Tensor:
        counts = bridge.array(repeats)
        if (counts < 0).any():
            raise RuntimeError("repeats can not be negative")
        sizes.count_bytes(sum(map(int, counts)) if counts.sum(dtype=float) > 1 << 53 else 0)
        made = np.repeat(np.arange(len(counts)), counts).astype(counts.dtype)
        if output_size is not None and output_size != len(made):
            raise RuntimeError("allocated size does not match required size")
        return bridge.tensor_of(made)

    return _repeated(copies.contiguous(repeats), None, compute, output_size)


def _places_of_meta(repeats: Tensor, output_size: int | None) -> Tensor:
    if output_size is None:
        raise NotImplementedError("cannot repeat_interleave a meta tensor without output_size")
    return tensors.empty((output_size,), repeats._dtype_, repeats._storage_.device)


def _repeated(
    repeats: Tensor, source: Tensor | None, compute: Callable[[], Tensor], output_size: int | None,
    dim: int = 0,
) -> Tensor:  # fmt: skip
    """What ``compute`` gives: rows (or places) as often as said, noted for calls that come again."""
    trace = symbolic.trace()
    if not recorder.is_recorded() or not compaction.repeats_are_few(repeats):
        return compute()
    if trace is not None and output_size is not None:
        return compute()
    if trace is None:
        made: Tensor = recorder.unnoted(compute)
    else:
        found: Any = trace.found(SOME_LENGTH)
        kind = dtypes.int64 if source is None else source._dtype_
        size = (0,) if source is None else source._size_
        made = tensors.empty((*size[:dim], found, *size[dim + 1 :]), kind)
    compaction.note_repeats(repeats, source, made, dim, output_size)
    return made


@composite("repeat_interleave.self_Tensor")
def repeat_interleave_tensor(
    self: Tensor, repeats: Tensor, dim: int | None, output_size: int | None
) -> Tensor:
    source, d = (
        (calls.flatten_using_ints(self), 0)
        if dim is None
        else (self, wrap_dim(dim, len(self._size_)))
    )
    if not repeats._size_ or (len(repeats._size_) == 1 and repeats._size_[0] == 1):
        length = source._size_[d] if source._size_ else 1
        repeats = calls.expand(calls.reshape(repeats, (1,)), (length,), False)
    elif len(repeats._size_) != 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif repeats._size_[0] != source._size_[d]:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats._size_[0]} and input.size({d}) = {source._size_[d]}"
        )

    def compute() -> Tensor:
        places = calls.repeat_interleave_Tensor(repeats, output_size)
        return indexing.index_select(source, d, places)

    # Only a history has to know about the places.
    if not source._size_ or source.requires_grad or source._keys_ & ~keys.AUTOGRAD != keys.CPU:
        return compute()
    return _repeated(copies.contiguous(repeats), copies.contiguous(source), compute, output_size, d)


# -- flips and rolls --


@dataclass
class Flipped(Request):
    """Some dimensions go backwards."""

    inputs: tuple[Tensor, ...]
    dims: frozenset[int]
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, 1)
        size, stride, kind = facts(self.inputs[0])
        back = [-s if d in self.dims else s for d, s in enumerate(stride)]
        start = sum((size[d] - 1) * stride[d] for d in self.dims)
        if all(size):
            to = shaped(size, facts(targets[0])[1], kind)
            loop = copy_loop(to, shaped(size, back, kind), 0, start)
            chain.add(loop, [("out", 0), ("in", 0)])
        return chain.finish()


@planned("flip", exact=True)
def flip(self: Tensor, dims: Ints) -> Request:
    chosen = wrap_dims(dims, len(self._size_))
    stride = geometry.output_strides(self._size_, [(self._size_, self._stride_)])
    backwards = frozenset(chosen) if self._size_ else frozenset()
    return Flipped((self,), backwards, [(self._size_, stride, self._dtype_)])


@composite("fliplr")
def fliplr(self: Tensor) -> Tensor:
    if len(self._size_) < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return calls.flip(self, (1,))


@composite("flipud")
def flipud(self: Tensor) -> Tensor:
    if not self._size_:
        raise RuntimeError("Input must be >= 1-d.")
    return calls.flip(self, (0,))


@dataclass
class Rolled(Request):
    """Elements move on along some dimensions, and those at the end to the beginning.

    Args:
        inputs: what is rolled
        shifts: how far, by dimension
        flat: whether the tensor, which is contiguous, counts as one row
    """

    inputs: tuple[Tensor, ...]
    shifts: dict[int, int]
    specs: list[Spec]
    flat: bool = False

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(1, 1)
        size, stride, kind = facts(self.inputs[0])
        apart = facts(targets[0])[1]
        if self.flat:
            size, stride, apart = (sizes.numel(size),), (1,), (1,)
        for pieces in itertools.product(*(self._pieces(d, n) for d, n in enumerate(size))):
            counts = [count for count, _, _ in pieces]
            to = sum(place * s for (_, place, _), s in zip(pieces, apart))
            start = sum(place * s for (_, _, place), s in zip(pieces, stride))
            if all(counts):
                loop = copy_loop(
                    shaped(counts, apart, kind), shaped(counts, stride, kind), to, start
                )
                chain.add(loop, [("out", 0), ("in", 0)])
        return chain.finish()

    def _pieces(self, d: int, length: int) -> list[tuple[int, int, int]]:
        """The pieces along a dimension: their lengths, where they go and where they are."""
        by = self.shifts.get(d, 0) % length if length else 0
        return [(length - by, by, 0), (by, 0, length - by)] if by else [(length, 0, 0)]


@planned("roll", exact=True)
def roll(self: Tensor, shifts: Ints, dims: Ints) -> Request:
    if not len(shifts):
        raise RuntimeError("`shifts` required")
    strides = formats.suggested_strides(self._size_, *([self] if len(dims) else []))
    spec = self._size_, strides, self._dtype_
    if not len(dims) and len(shifts) == 1:
        if sizes.is_contiguous(self._size_, self._stride_):
            return Rolled((self,), {0: shifts[0]}, [spec], flat=True)
        whole = copies.contiguous(self)
        return Computed([spec], lambda: calls.roll(whole, shifts))
    if len(shifts) != len(dims):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}"
        )
    summed: dict[int, int] = {}
    # Where there is nothing to roll, PyTorch does not look at the dimensions.
    for shift, dim in () if 0 in self._size_ else zip(shifts, dims):
        d = wrap_dim(dim, len(self._size_), False)
        summed[d] = summed.get(d, 0) + shift
    return Rolled((self,), summed, [spec])


@explicit("rot90")
def rot90(self: Tensor, k: int, dims: Ints) -> Tensor:
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    ndim = len(self._size_)
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = dims
    if first == second or abs(first - second) == ndim:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}"
        )
    for d in dims:
        if not -ndim <= d < ndim:
            raise RuntimeError(
                f"Rotation dim{dims.index(d)} out of range, dim{dims.index(d)} = {d}"
            )
    match k % 4:
        case 1:
            return copies.detach(calls.transpose_int(calls.flip(self, (second,)), first, second))
        case 2:
            return calls.flip(self, tuple(dims))
        case 3:
            return copies.detach(calls.transpose_int(calls.flip(self, (first,)), first, second))
    return copies.clone(self, _contiguous())


# -- triangles --


def _triangle_into(
    out: Tensor, self: Tensor, diagonal: int, upper: bool, is_new: bool = False
) -> Tensor:
    """Copy one side of the given diagonal and zeros elsewhere."""
    if not out._numel_ or not tensors.is_computed(out):
        if not is_new:
            tensors.bump_version(out)
        return out
    rows, columns = self._size_[-2:]
    key = (out._flags_, out._stride_, self._flags_, self._size_, self._stride_, upper)
    found = _triangle_loops.get(key)
    if found is None:
        kind = self._dtype_
        row = Template(sizes.intern((rows, 1)), (1, 0), dtypes.int64)
        column = vector(columns)
        compute = compute_type(kind)

        def body(x: Any, i: Any, j: Any, d: Any) -> Any:
            keep = (j - i >= d) if upper else (j - i <= d)
            part = getattr(x, "real", x)
            return select(keep, x, const(part.type, 0))

        memory = [kind.memory, "i64", "i64", "i64"]
        loop = elementwise_loop(
            body,
            [out],
            [self, row, column, diagonal],
            [out._dtype_.memory],
            memory,
            [compute, "i64", "i64", "i64"],
        )
        template = Template(sizes.intern(out._size_), out._stride_, out._dtype_)
        index = vector(symbolic.maximum(rows, columns))
        counting = counting_at(1, counting_loop(index.size[0]))
        chain = Chain(4, [counting, (loop, [0, 2, 1, 1, 3])])
        found = _triangle_loops[key] = chain, Plan(None, [index]), Plan(chain, [template, index], 1)
    chain, room, plan = found
    index = room.produce()
    chain.run(out, index, self, diagonal)
    if is_new:
        steps.Produced.note(plan, (self, diagonal), out)
        return out
    tensors.bump_version(out)
    steps.Produced.note(room, (), index)
    steps.Written.note(chain, (out, index, self, diagonal), 1)
    return out


def _register_triangle(name: str, upper: bool) -> None:
    def check(self: Tensor) -> None:
        if len(self._size_) < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")

    @explicit(name)
    def make(self: Tensor, diagonal: int) -> Tensor:
        check(self)
        return _triangle_into(_like(self, self._size_), self, diagonal, upper, True)

    @explicit(f"{name}_")
    def inplace(self: Tensor, diagonal: int) -> Tensor:
        check(self)
        return _triangle_into(self, self, diagonal, upper)

    @explicit(f"{name}.out")
    def out(self: Tensor, diagonal: int, out: Tensor) -> Tensor:
        check(self)
        outputs.check_exact(out, self._dtype_)
        outputs.resize_output(out, self._size_)
        outputs.check_no_partial_overlap(out, (self,))
        return _triangle_into(out, self, diagonal, upper)


_register_triangle("tril", False)
_register_triangle("triu", True)


@composite("combinations")
def combinations(self: Tensor, r: int, with_replacement: bool) -> Tensor:
    from rushlight.engine.ops.creation import constants, from_data

    if len(self._size_) != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(self._size_)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return tensors.empty((0,), self._dtype_, self._storage_.device)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    count = _combination_count(self._numel_ + (r - 1 if with_replacement else 0), r)

    device = self._storage_.device
    if r == 2:
        n, above = self._numel_, 0 if with_replacement else 1
        pairs = creation.triu_indices(n, n, above, dtypes.int64, None, device, None)
        return calls.view(
            indexing.index_select(self, 0, calls.reshape(calls.t(pairs), (-1,))), (count, r)
        )

    def chosen() -> Tensor:
        import numpy as np

        from rushlight.engine.ops import bridge

        every = itertools.chain.from_iterable(choose(range(int(self._numel_)), r))
        return bridge.tensor_of(np.fromiter(every, np.int64, count * r))

    places = from_data.shown(constants.remembered(chosen))
    if device.type in devices.memories:
        places = copies._to_copy(places, None, None, device, None, False, None)
    return calls.view(indexing.index_select(self, 0, places), (count, r))


def _combination_count(n: int, r: int) -> int:
    """How many ways there are to take ``r`` things of ``n``; an error if they cannot be counted."""
    if r > n:
        return 0
    count = 1
    for taken in range(1, min(r, n - r) + 1):
        count = count * (n - taken + 1) // taken
        sizes.count_bytes(count * r)
    return count
