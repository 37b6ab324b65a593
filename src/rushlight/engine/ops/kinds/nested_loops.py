"""Building blocks of loop nests: operands as byte strides, their letters, loops and chains of them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Protocol

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plan import Chain, Loop, outer_loop
from rushlight.engine.native import threads

Ints = tuple[int, ...]


# A place in a plan's list of operands: outright, or the k-th of its outputs, inputs or scratch.
Position = int | tuple[str, int]


class Operand:
    """An operand of a loop: where it is among a plan's operands, and its bytes' geometry."""

    def __init__(self, position: Position, kind: dtype, strides: Sequence[int]) -> None:
        self.position = position
        self.memory = kind.memory
        self.itemsize = kind.itemsize
        self.strides = tuple(strides)
        self.how = objects.TENSOR_OPERAND
        self.offset = 0


def constant(value: int, dims: int) -> Operand:
    """An i64 number that the loop itself holds."""
    made = Operand(0, dtypes.int64, (0,) * dims)
    made.how = objects.CONSTANT_OPERAND
    made.offset = value
    return made


def facts(target: Template | Tensor) -> tuple[Ints, Ints, dtype]:
    """Size, stride and type."""
    if isinstance(target, Tensor):
        return target._size_, target._stride_, target._dtype_
    return target.size, target.stride, target.dtype


def byte_strides(shape: Ints, tensor: Template | Tensor) -> list[int]:
    """A broadcast operand's byte strides over a shape."""
    size, stride, kind = facts(tensor)
    return [s * kind.itemsize for s in geometry.expanded_strides(shape, size, stride)]


def letter(stride: int, itemsize: int, size: int) -> str:
    """The kernels' word for a stride along the vectorised dimension; see `map_ir`."""
    if size <= 1 or stride == itemsize:
        return "c"
    return "s" if stride == 0 else "g"


# Rows shorter than this go side by side, though that takes gathers.
SHORT_ROW = 12


def short_rows(length: int, rows: Sequence[int], first: Operand) -> bool:
    """Whether rows are too short for vectors along them, and enough for vectors across them."""
    return length < SHORT_ROW and bool(rows) and rows[0] >= SHORT_ROW and first.itemsize >= 4


def make_loop(
    kernel: int,
    nest: Sequence[int],
    operands: Sequence[Operand],
    kernel_dims: int,
    splittable: Sequence[int],
    work: int,
) -> Loop:
    """A loop over operands whose strides are those of the nest."""
    held = [symbolic.words([o.offset]) for o in operands if o.how == objects.CONSTANT_OPERAND]
    addresses = iter([ctypes.addressof(h) for h in held])
    offsets = [next(addresses) if o.how == objects.CONSTANT_OPERAND else o.offset for o in operands]
    return Loop(
        kernel,
        nest,
        [o.strides for o in operands],
        [(o.how, o.itemsize) for o in operands],
        kernel_dims,
        splittable,
        work,
        offsets,
        held,
    )


class Sink(Protocol):
    """What takes loops and gives them scratch memory."""

    def add_scratch(self, size: Ints, kind: dtype, stride: Ints | None = None) -> Any:
        """New scratch memory: its template and its place."""

    def add(self, loop: Loop, positions: Sequence[Any]) -> None:
        """One more loop, over operands at these places."""


class ChainBuilder:
    """Loops over one list of operands: outputs, scratch tensors, inputs."""

    def __init__(self, outputs: int, inputs: int) -> None:
        self.outputs = outputs
        self.inputs = inputs
        self.scratch: list[Template] = []
        self.links: list[tuple[Loop, list[Any]]] = []

    def add_scratch(self, size: Ints, kind: dtype, stride: Ints | None = None) -> Any:
        """A new scratch tensor: its template and its place."""
        stride = sizes.contiguous_strides(size) if stride is None else stride
        template = Template(sizes.intern(size), stride, kind)
        self.scratch.append(template)
        return template, ("scratch", len(self.scratch) - 1)

    def add(self, loop: Loop, positions: Sequence[Any]) -> None:
        """One more loop; positions are ("out" | "scratch" | "in", number), or 0 for constants."""
        # Constants, wherever they stand among a loop's operands, are not among its arguments.
        given = [p for p in positions if p != 0]
        self.links.append((loop, given + [0] * (len(positions) - len(given))))

    def finish(self) -> tuple[Loop | Chain, list[Template]]:
        """The loops as one, and the scratch tensors."""
        plain = [("out", k) for k in range(self.outputs)] + [("in", k) for k in range(self.inputs)]
        given = [p for p in self.links[0][1] if p != 0] if len(self.links) == 1 else []
        if given == plain and not self.scratch:
            return self.links[0][0], []
        bases = {"out": 0, "scratch": self.outputs, "in": self.outputs + len(self.scratch)}
        links = [
            (loop, [0 if p == 0 else bases[p[0]] + p[1] for p in positions])
            for loop, positions in self.links
        ]
        return Chain(self.outputs + len(self.scratch) + self.inputs, links), self.scratch


class OuterLoop:
    """Loops that run for each index of some dimensions, all of them before the next index's.

    Threads share the largest dimension. Scratch memory of these loops is one index's: a thread uses
    its own part of it again for every index.

    Args:
        chain: what the loops are a link of
        dims: the dimensions' sizes
        in_turn: whether an index needs what the one before it left; threads then share each loop
    """

    def __init__(self, chain: ChainBuilder, dims: Sequence[int], in_turn: bool = False) -> None:
        self.chain = chain
        self.order = sorted(range(len(dims)), key=lambda d: -dims[d])
        self.dims = [dims[d] for d in self.order]
        size = threads.get_size()
        self.parts = size if self.dims[0] >= size and not in_turn else 1
        self.places: dict[Any, int] = {}
        self.strides: list[list[int]] = []
        self.moves: list[int] = []
        self.starts: list[int] = []
        self.links: list[tuple[Loop, list[int]]] = []

    def add_operand(self, place: Any, strides: Sequence[int], start: int = 0) -> Any:
        """Say how far apart an operand's elements are along the dimensions, and where the first is, in bytes."""
        ordered = [strides[d] for d in self.order]
        self._add_place(place, ordered, ordered[0], start)
        return place

    def add_scratch(self, size: Ints, kind: dtype, stride: Ints | None = None) -> Any:
        """New scratch memory for one index: its template and its place."""
        bytes = -(-sizes.numel(size) * kind.itemsize // 64) * 64
        # Parts begin at multiples of this; their memory must not overlap.
        chunk = max(1, -(-self.dims[0] // self.parts))
        apart = -(-bytes // (64 * chunk)) * 64
        whole = max(0, self.dims[0] - 1) * apart + bytes
        _, place = self.chain.add_scratch((whole // kind.itemsize,), kind)
        self._add_place(place, [apart, *(0 for _ in self.dims[1:])], 0)
        return Template(sizes.intern(size), stride or sizes.contiguous_strides(size), kind), place

    def _add_place(self, place: Any, strides: list[int], move: int, start: int = 0) -> None:
        self.places[place] = len(self.places)
        self.strides.append(strides)
        self.moves.append(move)
        self.starts.append(start)

    def add(self, loop: Loop, positions: Sequence[Any]) -> None:
        """One more loop over operands of one index; positions are places, or 0 for constants."""
        given = iter([self.places[p] for p in positions if p != 0])
        constant = objects.CONSTANT_OPERAND
        self.links.append(
            (loop, [-1 if kind == constant else next(given) for kind, _ in loop.kinds])
        )

    def finish(self) -> None:
        """Make one link of the loops."""
        loop = outer_loop(self.links, self.dims, self.strides, self.moves, self.parts, self.starts)
        self.chain.add(loop, [0, *self.places])
