"""A loop for a GPU: a kernel bound to sizes and strides, for operands found at each run."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from rushlight.engine.core import device as devices
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, driver, launcher, transfers
from rushlight.engine.cuda.caching import Allocation
from rushlight.engine.cuda.kernels import Kernel, is_blocking
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native import heap_types
from rushlight.engine.native.runtime import module

# Fewer threads than this leave processors idle; more than so many blocks each bring nothing.
BLOCK = 256
BLOCKS_EACH = 16


class Grid(NamedTuple):
    """How many blocks of how many threads."""

    blocks: int
    width: int


class HeldWords:
    """Words of a loop in the device's memory; copied there when they are first asked for.

    Args:
        words: what they are
        device: the number of the device
    """

    __slots__ = ("_held", "_owner", "content", "device")

    def __init__(self, words: Sequence[int], device: int) -> None:
        self.content = (ctypes.c_int64 * max(len(words), 1))(*words)
        self.device = device
        self._owner: Any = None
        self._held: Any = None

    @property
    def address(self) -> int:
        # Memory goes with the driver that gave it.
        if self._owner is not driver.library:
            size = ctypes.sizeof(self.content)
            self._held, self._owner = Allocation(size, self.device), driver.library
            start = ctypes.addressof(self.content)
            transfers.constants_to_device(self._held.address, self.device, start, size)
        return self._held.address  # type: ignore[no-any-return]


class Queued:
    """A loop that queues work on a device, from Python (`run`) or, once a call is remembered, from machine code.

    Args:
        label: what messages call it
    """

    __slots__ = ("_label", "_launchers", "work")

    # How many bytes of memory it works in, which are its last operand; and the function of its results.
    room: int
    activation: str

    def __init__(self, label: str) -> None:
        self.work = 0
        self._label = label
        # Loops of the host that queue it, by what messages call it, with the driver that has its kernels.
        self._launchers: dict[str, tuple[Any, Launcher]] = {}

    @property
    def address(self) -> int:
        """The words of a loop of the host that queues it; 0 if machine code cannot."""
        found = self._launcher()
        return 0 if found is None else found.loop.address

    @property
    def status(self) -> int:
        """Where that loop says that it has failed."""
        found = self._launcher()
        return 0 if found is None else found.launch.status

    @property
    def label(self) -> str:
        """Who ran it last, or what it was made for."""
        return self._label

    def run(self, *operands: Any) -> None:
        """Queue it on the device's current stream, for operands in the order of `Loop.run`."""
        # Operators share kernels, and loops: who runs it now is what messages should say.
        planner = state.thread.planner
        if planner is not None:
            self._label = planner.name
        if symbolic.trace() is None:
            self.queue(*operands)

    def queue(self, *operands: Any) -> None:
        """The same for a call that is made, not planned."""
        raise NotImplementedError

    def _launcher(self) -> Launcher | None:
        """What queues it under the name of who ran it last."""
        if not can_be_queued():
            return None
        owner, found = self._launchers.get(self._label, (None, None))
        if found is None or owner is not driver.library:
            found = self.launcher(launcher.Status())
            if found is None:
                return None
            self._launchers[self._label] = driver.library, found
        return found

    def launcher(self, status: launcher.Status) -> Launcher | None:
        """A loop of the host that queues it, and says there if it has failed; None if there can be none."""
        raise NotImplementedError


def can_be_queued() -> bool:
    """Whether machine code may queue work now."""
    return heap_types.supported() and not is_blocking()


class DeviceLoop(Queued):
    """What `Loop` is on the host.

    Args:
        kernel: what runs
        device: the number of the device
        grid: how many threads run it
        sizes: one per dimension, innermost first
        strides: for each operand, its byte stride in each dimension
        memories: the operands' types in memory
        kinds: for each operand, (how it is found, its element size)
        offsets: for each operand, bytes added to its address
        constants: the words of operands that the loop itself holds, by their places
        wide: a kernel and its grid for operands that lie at multiples of some bytes, and these
        keep: objects whose memory it refers to
    """

    __slots__ = (
        "_layout", "constants", "device", "grid", "keep", "kernel", "kinds", "memories", "offsets", "sizes", "strides",
        "wide",
    )  # fmt: skip
    room, activation = 0, ""
    # Operands that a generator gives, as launches name them; where its words are, and how many numbers are taken.
    drawn: Mapping[int, int] = MappingProxyType({})
    generator_words = taken = 0

    def __init__(
        self, kernel: Kernel, device: int, grid: Grid, sizes: Sequence[int],
        strides: Sequence[Sequence[int]], memories: Sequence[str], kinds: Sequence[tuple[int, int]],
        offsets: Sequence[int] = (), constants: dict[int, list[int]] | None = None,
        wide: tuple[Kernel, Grid, Sequence[int]] | None = None, keep: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(kernel.label)
        self.kernel, self.device, self.grid, self.wide = kernel, device, grid, wide
        self.sizes, self.strides = list(sizes), [list(s) for s in strides]
        self.memories, self.kinds = list(memories), list(kinds)
        self.offsets = list(offsets) or [0] * len(self.kinds)
        self.constants = constants or {}
        self.keep = keep
        held = [
            k for k, (kind, _) in enumerate(kinds) if kind in PLACED and k not in self.constants
        ]
        self._layout = [
            *self.sizes, *(self.strides[k][d] for d in range(len(self.sizes)) for k in held),
        ]  # fmt: skip

    def queue(self, *operands: Any) -> None:
        if not self.grid.blocks:
            return
        given = iter(operands)
        pointers: list[int] = []
        numbers: list[int] = []
        for k, (kind, _) in enumerate(self.kinds):
            if k in self.constants:
                numbers += self.constants[k]
            elif kind == objects.CONSTANT_OPERAND:
                pointers.append(self.keep[k].address)
            elif kind in IN_MEMORY:
                pointers.append(self._address(next(given)) + self.offsets[k])
            else:
                numbers += words_of(next(given), self.memories[k])
        kernel, grid = self.kernel, self.grid
        if self.wide is not None and not any(
            p % by for p, by in zip(pointers, self.wide[2], strict=True)
        ):
            kernel, grid, _ = self.wide
        words = [*pointers, *self._layout, *numbers]
        kernel.launch(self.device, grid.blocks, grid.width, words, self._label)

    def launcher(self, status: launcher.Status) -> Launcher | None:
        return launcher_of(self, status)

    def _address(self, operand: Any) -> int:
        return address_on(self.device, operand)


def address_on(device: int, operand: Any) -> int:
    """Where an operand is in a device's memory: a tensor there, or an address."""
    if not isinstance(operand, Tensor):
        return int(operand)
    where = operand._storage_.device
    if where.type != "cuda" or where.index != device:
        # Operators look when they plan; this plan was made for other tensors.
        raise devices.differ(devices.device("cuda", device), where)
    return tensors.place_of(operand)


class Launcher(NamedTuple):
    """A loop of the host that queues a loop of a device, and the words that it reads."""

    loop: Loop
    launch: launcher.Table


def launcher_of(loop: DeviceLoop, status: launcher.Status) -> Launcher | None:
    """What queues a loop from machine code; None for one with more parameters than a kernel may have."""
    addresses: list[tuple[int, int]] = []
    numbers: list[tuple[int, int]] = []
    kinds = [(objects.CONSTANT_OPERAND, 8)]
    for k, (kind, itemsize) in enumerate(loop.kinds):
        if k in loop.drawn:
            numbers.append((loop.drawn[k], 0))
        elif k in loop.constants:
            numbers += [(launcher.WORD, word) for word in loop.constants[k]]
        elif kind == objects.CONSTANT_OPERAND:
            # No kernel takes such an operand and is chosen by its alignment.
            return None
        else:
            if kind in IN_MEMORY:
                addresses.append((len(kinds), loop.offsets[k]))
            else:
                count = len(words_of(0, loop.memories[k]))
                numbers += [(len(kinds), 8 * part) for part in range(count)]
            kinds.append((kind, itemsize))
    others = [*((launcher.WORD, word) for word in loop._layout), *numbers]
    if len(addresses) + len(others) > launcher.MOST_PARAMETERS:
        return None
    context.enter(loop.device)

    def bound(kernel: Kernel, grid: Grid) -> launcher.Kernel:
        return launcher.Kernel(kernel.handle(loop.device), grid.blocks, grid.width)

    wide = None if loop.wide is None else (bound(*loop.wide[:2]), loop.wide[2])
    launch = launcher.Launch(
        driver.entry_point("cuLaunchKernel"), loop.device, loop.label, bound(loop.kernel, loop.grid), wide,
        addresses, others, status, loop.generator_words, loop.taken,
        driver.entry_point("cuStreamIsCapturing") if loop.drawn else 0,
    )  # fmt: skip
    offsets = [launch.address, *[0] * (len(kinds) - 1)]
    with planning(None):
        made = Loop(
            module.address(launcher.queue_kernel), [1], [[0]] * len(kinds), kinds, 1, [], 0, offsets,
            (launch, loop),
        )  # fmt: skip
    return Launcher(made, launch)


IN_MEMORY = (objects.TENSOR_OPERAND, objects.POINTER_OPERAND)
# Those of which a kernel gets an address; a constant operand's is its offset.
PLACED = (*IN_MEMORY, objects.CONSTANT_OPERAND)
_PACKED = {"f32": "<fxxxx", "f64": "<d", "c64": "<ff", "c128": "<dd"}


def words_of(value: Any, memory: str) -> list[int]:
    """A number as a kernel gets it by value."""
    packing = _PACKED.get(memory)
    if packing is None:
        return [int(value) & (1 << 64) - 1]
    if memory[0] == "c":
        content = struct.pack(packing, complex(value).real, complex(value).imag)
    else:
        content = struct.pack(packing, _within(value, memory))
    return [int.from_bytes(content[k : k + 8], "little") for k in range(0, len(content), 8)]


def _within(value: float, memory: str) -> float:
    """The number; one too large for single precision is infinite there."""
    value = float(value)
    most = 3.4028235677973366e38
    if memory == "f32" and not -most < value < most and value == value:
        return float("inf") if value > 0 else float("-inf")
    return value


def over(count: int, processors: int, each: int = 1) -> Grid:
    """The grid for so many elements, of which a thread takes some at once."""
    groups: Any = -(-count // each)
    width = symbolic.minimum(BLOCK, symbolic.maximum(32, -(-groups // 32) * 32))
    return Grid(symbolic.minimum(-(-groups // width), processors * BLOCKS_EACH), width)
