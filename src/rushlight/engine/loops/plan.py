"""Plans: everything about a call that its shapes, strides and types decide.

A plan is built once for a signature and then only run. It holds a compiled loop, the loop's sizes
and strides in memory (see `native.launch`), and what its new outputs look like.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.geometry_program import SIZED, Program
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.native import heap_types, runtime, threads
from rushlight.engine.native.launch import OUTER_LOOP, PLAN, run_outer_loop, run_plan

# What a loop that may fail tells: whether, two words about the fault, and whether it is running.
STATUS_WORDS = 4
# Below this many bytes moved a second thread costs more than it brings.
GRAIN_BYTES = 1 << 18
# So many indices of an outer dimension are enough for threads to share.
MANY = 32
# From here on other Python threads may run while the kernel does.
RELEASE_BYTES = 1 << 21

_NUMBER_KINDS = {
    "f64": objects.FLOAT64_OPERAND, "f32": objects.FLOAT32_OPERAND,
    "c128": objects.COMPLEX128_OPERAND, "c64": objects.COMPLEX64_OPERAND,
}  # fmt: skip


def number_kind(memory: str) -> int:
    """How a Python number becomes an operand of this kernel type."""
    return _NUMBER_KINDS.get(memory, objects.INT_OPERAND)


def check_planned_for_host() -> None:
    """Raise where loops are planned for another device, which has none of this kind."""
    planner = state.thread.planner
    if planner is not None:
        raise planner.missing("this kind of loop")


def check_on_host(operands: Sequence[Any]) -> None:
    """Raise for elements that machine code of the host does not see."""
    check_planned_for_host()
    # Nobody has such tensors before there is a device with memory of its own.
    for x in operands if devices.memories else ():
        if isinstance(x, Tensor) and x._storage_.device.type in devices.memories:
            raise NotImplementedError(
                f"a loop of the host was given a tensor on {x._storage_.device}: the operator has no kernel "
                "for that device"
            )


class Loop:
    """A compiled kernel bound to sizes and strides, for operands found at each run.

    Args:
        kernel: the kernel's address
        sizes: one per dimension, innermost first
        strides: for each operand, its byte stride in each dimension
        kinds: for each operand, (how it is found, its element size)
        kernel_dims: how many dimensions the kernel walks itself
        splittable: the dimensions that threads may share
        work: the bytes that are moved, or as much computing as moving so many would cost
        offsets: for each operand, bytes added to its address; a constant operand's address
        shares: into how many parts for each thread the work may be cut: few where starting a part
            is dear, several for threads that do not advance evenly
        keep: objects whose memory the plan refers to
        most_parts: into how many parts the work may be cut at all
        inner: the loops that it runs at each index, with their operands' positions (`outer_loop`)
    """

    __slots__ = (
        "_keep", "address", "inner", "kernel", "kernel_dims", "kinds", "most_parts", "offsets", "shares",
        "sizes", "splittable", "strides", "work",
    )  # fmt: skip

    # Of loops that may fail although their kernels cannot, where they say so.
    status = 0

    def __init__(
        self,
        kernel: int,
        sizes: Sequence[int],
        strides: Sequence[Sequence[int]],
        kinds: Sequence[tuple[int, int]],
        kernel_dims: int,
        splittable: Sequence[int],
        work: int,
        offsets: Sequence[int] = (),
        keep: Any = None,
        shares: int = 4,
        most_parts: int = 1024,
        inner: Sequence[tuple[Loop, Sequence[int]]] = (),
    ) -> None:
        check_planned_for_host()
        sizes = list(sizes) + [1] * (kernel_dims - len(sizes))
        strides = [list(s) + [0] * (len(sizes) - len(s)) for s in strides]
        flat_kinds = bytes(x for pair in kinds for x in pair)
        kinds_buffer = symbolic.words(flat_kinds, ctypes.c_uint8)
        parts: Any = symbolic.maximum(1, work // GRAIN_BYTES)
        choices = _shareable(sizes, kernel_dims, splittable)
        split, size = choices[0] if len(choices) == 1 else (-1, 1)
        # Calls of a class are not told apart by how much work there is.
        if len(choices) > 1 and (symbolic.trace() is not None or parts > 1):
            split, size = _shared_dimension(choices, shares)
        parts = symbolic.minimum(symbolic.minimum(parts, size), most_parts)
        releasing = RELEASE_BYTES if not choices else min(RELEASE_BYTES, 2 * GRAIN_BYTES)
        header = {
            PLAN.kernel: kernel,
            PLAN.operands: len(kinds),
            PLAN.dims: len(sizes),
            PLAN.kernel_dims: kernel_dims,
            PLAN.split_dim: split,
            PLAN.parts: parts,
            PLAN.release: symbolic.minimum(1, work // releasing),
            PLAN.kinds: ctypes.addressof(kinds_buffer),
            PLAN.offsets: 0,
            PLAN.shares: shares,
        }
        shifts = symbolic.words(offsets) if any(offsets) else None
        if shifts is not None:
            header[PLAN.offsets] = ctypes.addressof(shifts)
        words = [header[position] for position in sorted(header)]
        words += sizes
        words += [strides[k][d] for d in range(len(sizes)) for k in range(len(kinds))]
        buffer = symbolic.words(words)
        self.kernel, self.sizes, self.strides, self.kinds = kernel, sizes, strides, list(kinds)
        self.kernel_dims, self.splittable, self.work = kernel_dims, splittable, work
        self.shares, self.most_parts, self.inner = shares, most_parts, inner
        self.address = ctypes.addressof(buffer)
        self.offsets = tuple(offsets)
        self._keep = (buffer, kinds_buffer, shifts, keep)
        if type(parts) is symbolic.SymInt or parts > 1:
            threads.ensure_started()

    def shifted(self, shifts: Sequence[int]) -> Loop:
        """The same loop with every operand so many bytes further on."""
        own = self.offsets or (0,) * len(shifts)
        return Loop(
            self.kernel, self.sizes, self.strides, self.kinds, self.kernel_dims, self.splittable,
            self.work, [a + b for a, b in zip(own, shifts)], self._keep, self.shares,
            self.most_parts, self.inner,
        )  # fmt: skip

    def holding(self, held: dict[int, Tensor]) -> Loop:
        """The same loop with some operands settled; the others keep their order."""
        kinds, offsets = list(self.kinds), list(self.offsets or [0] * len(self.kinds))
        for place, tensor in held.items():
            kinds[place] = objects.CONSTANT_OPERAND, kinds[place][1]
            offsets[place] += tensors.data_pointer(tensor)
        return Loop(
            self.kernel, self.sizes, self.strides, kinds, self.kernel_dims, self.splittable,
            self.work, offsets, (self._keep, held), self.shares, self.most_parts,
            self.inner,
        )  # fmt: skip

    def run(self, *operands: Any) -> None:
        """Run on existing operands, outputs first: tensors, numbers, or addresses."""
        if symbolic.trace() is not None:
            return
        check_on_host(operands)
        if heap_types.supported():
            tensors.machine()["execute"](self.address, *operands)
        else:
            _run_plain(self, operands)


def _shareable(
    sizes: Sequence[int], kernel_dims: int, splittable: Sequence[int]
) -> list[tuple[int, int]]:
    """The dimensions that threads may share, the outermost last, with their sizes.

    All outer ones together are the number of dimensions.
    """
    outer = range(kernel_dims, len(sizes))
    choices = [(d, sizes[d]) for d in sorted(splittable)]
    if len(outer) > 1 and set(outer) <= set(splittable):
        choices.append((len(sizes), math.prod(sizes[d] for d in outer)))
    return choices


def _shared_dimension(choices: Sequence[tuple[int, int]], shares: int) -> tuple[int, int]:
    """The dimension that threads share, and its size.

    The farther out, the longer the stretches of memory that a thread works on. Where a part is dear
    to start, sizes alone count.
    """
    dim, size = choices[0]
    long = symbolic.at_least(size, MANY) * int(shares > 1)
    for d, n in choices[1:]:
        is_long = symbolic.at_least(n, MANY) * int(shares > 1)
        is_better = symbolic.maximum(is_long, symbolic.at_least(n, size) * (1 - long))
        dim = symbolic.chosen(is_better, d, dim)
        size = symbolic.chosen(is_better, n, size)
        long = symbolic.maximum(long, is_long)
    return dim, size


def outer_loop(
    links: Sequence[tuple[Loop, Sequence[int]]],
    sizes: Sequence[int],
    strides: Sequence[Sequence[int]],
    moves: Sequence[int],
    parts: int,
    starts: Sequence[int] = (),
) -> Loop:
    """The loop that runs several loops for each index of some dimensions, before the next index's.

    What one of them leaves to the next one then is still in the cache.

    Args:
        links: the loops, each with its operands' positions among the operands, -1 for constants
        sizes: of the dimensions; threads share the first
        strides: each operand's byte strides along the dimensions
        moves: by how much each operand moves along the first dimension within a thread's part
        parts: how many threads may share the work; if one, they share that of each loop instead
        starts: how many bytes further on each operand begins
    """
    kinds = {}
    for loop, positions in links:
        kinds.update({p: kind for p, kind in zip(positions, loop.kinds, strict=True) if p >= 0})
    places = [symbolic.words([n + 1 if n >= 0 else -1 for n in p]) for _, p in links]
    words = [0] * (OUTER_LOOP.moves // 8)
    words[OUTER_LOOP.operands // 8] = 1 + len(strides)
    words[OUTER_LOOP.loops // 8] = len(links)
    words[OUTER_LOOP.inside // 8] = int(parts == 1)
    words += [0, *moves]
    for (loop, _), own in zip(links, places):
        words += [loop.address, ctypes.addressof(own)]
    table = symbolic.words(words)
    return Loop(
        runtime.module.address(run_outer_loop),
        sizes,
        [[0] * len(sizes), *strides],
        [(objects.CONSTANT_OPERAND, 8), *(kinds[k] for k in range(len(strides)))],
        1,
        [0],
        sum(loop.work for loop, _ in links) * math.prod(sizes),
        [ctypes.addressof(table), *(starts or (0 for _ in strides))],
        (table, places),
        shares=1,
        most_parts=parts,
        inner=list(links),
    )


class Chain:
    """Several loops run one after the other on a common list of operands.

    Args:
        operands: how many operands there are
        links: the loops, each with the positions of its operands in the list
        draws: whether some of them draw from a generator
    """

    __slots__ = ("_address", "_keep", "_queued", "draws", "links", "work")

    def __init__(
        self, operands: int, links: Sequence[tuple[Loop, Sequence[int]]], draws: bool = False
    ) -> None:
        self.links = list(links)
        self.draws = draws
        self.work = sum(loop.work for loop, _ in links)
        self._address, self._queued = 0, None
        planner = state.thread.planner
        if planner is not None:
            self._queued = planner.queued_chain(operands, self.links)
            return
        self._address, self._keep = chain_words(operands, self.links)

    @property
    def address(self) -> int:
        """Its words for machine code; 0 for loops of a device that it cannot queue."""
        return self._address if self._queued is None else self._queued.address

    @property
    def status(self) -> int:
        """Where loops of a device say that they have failed; 0 for those of the host."""
        return 0 if self._queued is None else self._queued.status

    def run(self, *operands: Any) -> None:
        """Run on existing operands."""
        if symbolic.trace() is not None:
            return
        if self._address:
            check_on_host(operands)
        if self._address and heap_types.supported():
            tensors.machine()["execute"](self._address, *operands)
        else:
            for loop, positions in self.links:
                loop.run(*(operands[i] for i in positions))


def chain_words(operands: int, links: Sequence[tuple[Loop, Sequence[int]]]) -> tuple[int, Any]:
    """The address of a chain's words, and what holds them."""
    indices = [symbolic.words(positions, ctypes.c_uint8) for _, positions in links]
    words = [0] * (PLAN.sizes // 8)
    words[PLAN.operands // 8], words[PLAN.dims // 8] = operands, len(links)
    for (loop, _), places in zip(links, indices):
        words += [loop.address, ctypes.addressof(places)]
    buffer = symbolic.words(words)
    return ctypes.addressof(buffer), (buffer, indices)


class Plan:
    """A loop (or a chain) and the new tensors that it writes: the whole of a functional call.

    The tensors are on the device that it was planned for. The last ``scratch`` templates are tensors that
    only the loops use; the others are results.
    """

    __slots__ = (
        "_templates", "_words", "device", "is_for_host", "loop", "outputs", "scratch", "templates_address",
    )  # fmt: skip

    def __init__(
        self, loop: Loop | Chain | None, templates: Sequence[Template], scratch: int = 0
    ) -> None:
        self.loop = loop
        planner = state.thread.planner
        self.is_for_host = planner is None
        self.device: devices.device | None = None if planner is None else planner.device
        self.scratch = scratch
        self.outputs = len(templates) - scratch
        self._templates = list(templates)
        words = [word for template in templates for word in tensors.template_words(template)]
        self._words = symbolic.words(words)
        self.templates_address = ctypes.addressof(self._words)

    @property
    def templates(self) -> list[Template]:
        return self._templates

    def produce(self, *inputs: Any) -> Any:
        """New tensors with the results: one, or a tuple."""
        if self.is_for_host:
            check_on_host(inputs)
        is_machine_code = self.is_for_host and heap_types.supported()
        if self.loop is not None and is_machine_code and symbolic.trace() is None:
            counts = self.outputs | self.scratch << 16
            return tensors.machine()["produce"](
                self.loop.address, self.templates_address, counts, *inputs
            )
        made = tuple(tensors.create(template) for template in self._templates)
        if self.loop is not None:
            self.loop.run(*made, *inputs)
        return made[0] if self.outputs == 1 else made[: self.outputs]


def _run_plain(loop: Loop, operands: Sequence[Any]) -> None:
    """`Loop.run` where generated code may not look into objects."""
    scratch = (ctypes.c_double * (2 * len(loop.kinds)))()
    pointers = (ctypes.c_int64 * max(len(loop.kinds), 1))()
    given = iter(operands)
    for k, (kind, _) in enumerate(loop.kinds):
        if kind == objects.CONSTANT_OPERAND:
            continue
        operand = next(given)
        here = ctypes.addressof(scratch) + 16 * k
        pointers[k] = here
        if isinstance(operand, Tensor):
            pointers[k] = tensors.data_pointer(operand)
        elif kind == objects.POINTER_OPERAND:
            pointers[k] = operand
        elif kind == objects.INT_OPERAND:
            ctypes.c_uint64.from_address(here).value = int(operand) & (1 << 64) - 1
        elif kind == objects.FLOAT64_OPERAND:
            ctypes.c_double.from_address(here).value = operand
        elif kind == objects.FLOAT32_OPERAND:
            ctypes.c_float.from_address(here).value = operand
        else:
            part = ctypes.c_double if kind == objects.COMPLEX128_OPERAND else ctypes.c_float
            number = complex(operand)
            (part * 2).from_address(here)[:] = [number.real, number.imag]
    for k, shift in enumerate(loop.offsets):
        pointers[k] += shift
    runtime.callable_from_python(run_plan)(loop.address, ctypes.addressof(pointers))


# Plans for lengths that are found at run time: for most of them, for one, and for none.
SOME_LENGTH = 7
LENGTHS = (SOME_LENGTH, 1, 0)


class Sized:
    """A result whose length is found at run time, for the call cache to make again.

    What its tensors look like is planned with a symbolic length.

    Args:
        counting: the loop on the inputs that leaves the length in ``count``
        filling: the loop on the new tensors and the inputs
        count: that word
        templates: what the new tensors of a length look like
        is_tuple: whether the result is a tuple, even of one tensor
        lengths: those that are planned for
    """

    def __init__(
        self,
        counting: Chain,
        filling: Chain,
        count: Any,
        templates: Callable[[int], list[Template]],
        is_tuple: bool = False,
        lengths: Sequence[int] = LENGTHS,
    ) -> None:
        self.counting = counting
        trace = symbolic.trace()
        own = None if trace is not None else symbolic.Trace([], [])
        with own or contextlib.nullcontext():
            known: Any = trace or own
            found = [known.found(n) for n in lengths]
            plans = [Plan(None, templates(n)) for n in found]
            words = [ctypes.addressof(count), filling.address, plans[0].outputs, int(is_tuple)]
            self.words = symbolic.words([*words, *[0] * (SIZED.bytes // 8 - len(words))])
            known.sized.append(
                (self.words, [(n, p.templates_address) for n, p in zip(found, plans)])
            )
        self.address = ctypes.addressof(self.words)
        self._keep = filling, count, plans, None if own is None else Program(own, 0)
