"""Gathers and scatters between a dense side and places that index tensors name: geometry, loops, errors.

Every gather and scatter is one of these; see `loops.indexed_kernel`. Threads share a dimension
along which no two of them can meet, so results do not depend on their number, and where several
elements are written to one place, the last in row-major order stays.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Union

from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.loops import geometry
from rushlight.engine.loops.atomic_sum import ADDED
from rushlight.engine.loops.expr import maximum, minimum
from rushlight.engine.loops.indexed_kernel import indexed_ir
from rushlight.engine.loops.kernels import kernel_address
from rushlight.engine.loops.plan import GRAIN_BYTES, STATUS_WORDS, Chain, Loop, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.native import threads
from rushlight.engine.native.records import dataclass

Ints = tuple[int, ...]
# The number of an index and its wrong position.
Outside = Union[tuple[int, int], None]

# An element that is looked up costs about as much as moving so many bytes.
LOOKUP_BYTES = 16
# Rows of so many bytes are written whole by one thread; of longer ones each thread writes a part,
# and of shorter ones there are too many for every thread to look at all positions.
SHORT_ROW, LONG_ROW = 64, 1 << 16


def _product(far: Any, near: Any) -> Any:
    return far & near if getattr(far, "is_bool", False) else far * near


def _sum(far: Any, near: Any) -> Any:
    return far | near if getattr(far, "is_bool", False) else far + near


def _largest(far: Any, near: Any) -> Any:
    return far | near if far.is_bool else maximum(far, near)


def _smallest(far: Any, near: Any) -> Any:
    return far & near if far.is_bool else minimum(far, near)


FOLDS = {"sum": _sum, "prod": _product, "amax": _largest, "amin": _smallest}

# Types that carry any element of a size unchanged.
_BITS = {1: "i8", 2: "i16", 4: "i32", 8: "i64", 16: "c128"}


@dataclass(frozen=True)
class Axis:
    """One index: its tensor, its strides over the nest, and the far dimension it speaks about."""

    index: Tensor
    strides: Ints
    length: int
    step: int


@dataclass(frozen=True)
class Side:
    """The elements of a tensor over the nest, by strides."""

    tensor: Tensor
    strides: Ints


class _Status(threading.local):
    """Three words of this thread's own, where kernels report a position outside."""

    def __init__(self) -> None:
        self.words = (ctypes.c_int64 * 3)()
        self.address = ctypes.addressof(self.words)


_status = _Status()


class IndexedLoop:
    """A compiled gather or scatter. Running it gives None, or the number of an index and its wrong position.

    Args:
        loop: the loop, whose last operand is the address of a status; None if there is nothing to do
        own: for a small one, the same loop with a status of its own
        writes: whether it goes to the far side
    """

    def __init__(
        self, loop: Loop | None, own: tuple[Loop, int] | None = None, writes: bool = False
    ) -> None:
        self.loop = loop
        self.own = own
        self.writes = writes

    def run(self, near: Tensor, far: Tensor, *indices: Tensor) -> Outside:
        if self.loop is None:
            if self.writes or near._numel_:
                steps.Unrepeatable.note()
            else:
                nothing = Plan(None, [Template(near._size_, near._stride_, near._dtype_)])
                steps.Produced.note(nothing, (far, *indices), near)
            return None
        status = _status
        self.loop.run(near, far, *indices, status.address)
        words = status.words
        if words[0]:
            words[0] = 0
            steps.Unrepeatable.note()
            return words[1], words[2]
        if recorder.recording.steps is not None:
            self._note(near, far, *indices)
        return None

    def _note(self, near: Tensor, *inputs: Tensor) -> None:
        """Let the call be repeated by machine code, by one thread at a time."""
        if self.own is None:
            steps.Unrepeatable.note()
            return
        loop, status = self.own
        if self.writes:
            far, *indices = inputs
            places = [1, 0, *range(2, 2 + len(indices)), *[0] * (len(loop.kinds))]
            chain = Chain(2 + len(indices), [(loop, places[: len(loop.kinds)])])
            steps.Written.note(chain, (far, near, *indices), 1, status)
            return
        plan = Plan(loop, [Template(near._size_, near._stride_, near._dtype_)])
        if state.thread.planner is not None:
            # A kernel of a device reports nothing here: a wrong position ends it.
            steps.Produced.note(plan, inputs, near)
            return
        steps.StatusChecked.note(plan, inputs, status, near)


loops = PlanTable()


def _kernel_text(
    fold: str, memory: str, compute: str, indices: tuple[str, ...], writes: bool, wraps: bool,
    inner: str, side_by_side: bool, ranged: bool,
) -> str:  # fmt: skip
    return indexed_ir(
        FOLDS.get(fold), memory, compute, indices, writes=writes, wraps=wraps, inner=inner,
        side_by_side=side_by_side, ranged=ranged,
    )  # fmt: skip


def _nest(
    shape: Ints, near: Side, far: Side, axes: Sequence[Axis], keeps_order: bool
) -> tuple[list[Any], list[list[Any]]]:
    """The nested loops' sizes, innermost first, and the byte strides of both sides and the indices."""
    item = far.tensor._dtype_.itemsize
    strides = [
        tuple(s * item for s in near.strides),
        tuple(s * item for s in far.strides),
        *(tuple(s * a.index._dtype_.itemsize for s in a.strides) for a in axes),
    ]
    order = _order(shape, strides, keeps_order)
    return geometry.merge_dimensions(
        [shape[d] for d in order], [[s[d] for d in order] for s in strides]
    )


def build(
    shape: Ints,
    near: Side,
    far: Side,
    axes: Sequence[Axis],
    *,
    writes: bool,
    wraps: bool = False,
    fold: str = "",
) -> IndexedLoop:
    """The gather or scatter over nested loops of the given shape."""
    if not sizes.numel(shape):
        return IndexedLoop(None, writes=writes)
    kind = far.tensor._dtype_
    item = kind.itemsize
    nest, steps = _nest(shape, near, far, axes, writes and fold not in FOLDS)
    planner = state.thread.planner
    if planner is not None:
        # Where two elements may go to one place, a thread takes them in turn.
        adds = fold == "sum" and kind.memory in ADDED and not state.deterministic
        together = [d for d in range(len(nest)) if not steps[1][d]] if writes and fold else []
        together = [] if adds else together
        loop = planner.indexed_loop(
            FOLDS.get(fold), kind.memory if fold else _BITS[item], compute_type(kind),
            [a.index._dtype_ for a in axes], writes, wraps, nest, steps, item, together,
            [w for a in axes for w in (a.length, a.step * item)], adds,
        )  # fmt: skip
        return IndexedLoop(loop, (loop, 0), writes)
    dense = bool(nest) and all(not s[0] for s in steps[2:])
    inner = "".join(_letter(s[0], item) for s in steps[:2]) if dense else ""
    # What is written at once by several threads must differ along the dimension they share.
    apart = [d for d in range(len(nest)) if steps[1][d]] if writes else list(range(len(nest)))
    looked_up = sizes.numel(shape) // (nest[0] if dense else 1)
    work = sizes.numel(shape) * item * 2 + looked_up * LOOKUP_BYTES
    short = dense and SHORT_ROW <= nest[0] * item <= LONG_ROW
    ranges = _ranges(axes, work) if writes and short and apart == [0] else None
    index_items = [a.index._dtype_.itemsize for a in axes]
    side_by_side = bool(nest) and [s[0] for s in (steps[0], *steps[2:])] == [item, *index_items]
    indices = tuple(a.index._dtype_.memory for a in axes)
    kernel = kernel_address(
        _kernel_text, fold, kind.memory if fold else _BITS[item], compute_type(kind), indices,
        writes, wraps, inner, side_by_side, ranges is not None,
    )  # fmt: skip
    words = symbolic.words(w for a in axes for w in (a.length, a.step * item))
    kinds = [(objects.TENSOR_OPERAND, item)] * 2
    kinds += [(objects.TENSOR_OPERAND, a.index._dtype_.itemsize) for a in axes]
    kinds.append((objects.CONSTANT_OPERAND, 8))
    if ranges is not None:
        nest = [*nest, *[1] * (2 - len(nest)), len(ranges) // 2]
        steps = [[*s, *[0] * (len(nest) - len(s))] for s in steps]
        apart = [len(nest) - 1]

    def loop_with(status: int, address: int, keep: Any) -> Loop:
        still = [0] * len(nest)
        strides = [*steps, still, still]
        offsets = [0] * (2 + len(axes)) + [ctypes.addressof(words), address]
        all_kinds = [*kinds, (status, 8)]
        if ranges is not None:
            strides.append([*still[:-1], 16])
            offsets.append(ctypes.addressof(ranges))
            all_kinds.append((objects.CONSTANT_OPERAND, 8))
            keep = keep, ranges
        return Loop(
            kernel, nest, strides, all_kinds, 2, apart, work, offsets, keep
        )  # fmt: skip

    status = symbolic.words([0] * STATUS_WORDS)
    address = ctypes.addressof(status)
    own = loop_with(objects.CONSTANT_OPERAND, address, (words, status)), address
    return IndexedLoop(loop_with(objects.POINTER_OPERAND, 0, words), own, writes)


def _ranges(axes: Sequence[Axis], work: int) -> Any:
    """The far positions cut into ranges, each two words: the first, and how many there are.

    Threads take ranges; for each of them the whole index is gone through. None for a single thread.
    """
    most = threads.get_size()
    if most == 1 or len(axes) != 1 or work < 2 * GRAIN_BYTES or axes[0].length < most:
        return None
    length, count = axes[0].length, min(2 * most, axes[0].length)
    cuts = [length * k // count for k in range(count + 1)]
    return symbolic.words(word for a, b in pairwise(cuts) for word in (a, b - a))


def _order(shape: Ints, strides: Sequence[Ints], last_stays: bool) -> list[int]:
    """The dimensions, innermost first."""
    order = geometry.dimension_order(shape, strides[:2])
    if not last_stays:
        return order
    # The dimensions along which an index varies keep their own order.
    looked = [d for d in range(len(shape)) if any(s[d] for s in strides[2:]) and shape[d] > 1]
    free = [d for d in order if d not in looked]
    if len(looked) < 2:
        return order
    return free + looked[::-1]


def _letter(stride: int, item: int) -> str:
    return "c" if stride == item else "s" if stride == 0 else "g"


def facts(*tensors: Tensor) -> tuple[Any, ...]:
    """What such a loop depends on."""
    return tuple([(t._flags_, t._size_, t._stride_) for t in tensors])


def without(values: Ints, d: int, put: int = 0) -> Ints:
    """Values with another one at a place."""
    return (*values[:d], put, *values[d + 1 :])


def only(ndim: int, d: int, value: int) -> Ints:
    """Zeros with a value at a place."""
    return tuple(value if k == d else 0 for k in range(ndim))


def along_elements(
    near: Tensor, far: Tensor, d: int, index: Tensor, *, writes: bool, fold: str = ""
) -> Outside:
    """Gather or scatter between ``near[i, j, k]`` and ``far[i, index[i, j, k], k]``: all that the index has.

    The tensors may be without dimensions, and then count as one element long.
    """
    key = ("elements", writes, fold, d, *facts(near, far, index))
    loop = loops.get(key)
    if loop is None:
        shape = tuple(index._size_) or (1,)
        near_stride, far_stride = near._stride_ or (0,), far._stride_ or (0,)
        if len(near._size_) < len(shape):
            near_stride = (0,) * len(shape)
        length = far._size_[d] if far._size_ else 1
        axis = Axis(index, index._stride_ or (0,), length, far_stride[d])
        sides = Side(near, near_stride), Side(far, without(far_stride, d))
        loop = loops[key] = build(shape, *sides, [axis], writes=writes, fold=fold)
    return loop.run(near, far, index)


def along_slices(
    near: Tensor,
    far: Tensor,
    d: int,
    index: Tensor,
    *,
    writes: bool,
    fold: str = "",
    wraps: bool = False,
) -> Outside:
    """Gather or scatter between ``near[i, j, k]`` and ``far[i, index[j], k]``; a near number repeats."""
    key = ("slices", writes, fold, wraps, d, *facts(near, far, index))
    loop = loops.get(key)
    if loop is None:
        far_size, far_stride = tuple(far._size_) or (1,), far._stride_ or (0,)
        shape = without(far_size, d, index._numel_)
        near_stride = near._stride_ or (0,) * len(shape)
        axis = Axis(
            index,
            only(len(shape), d, index._stride_[0] if index._size_ else 0),
            far_size[d],
            far_stride[d],
        )
        sides = Side(near, near_stride), Side(far, without(far_stride, d))
        loop = loops[key] = build(shape, *sides, [axis], writes=writes, wraps=wraps, fold=fold)
    return loop.run(near, far, index)
