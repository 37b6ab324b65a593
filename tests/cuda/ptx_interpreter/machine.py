"""Runs a kernel: threads that are at the same place go on together, those that are furthest behind first.

Threads that wait for others (at a barrier, a shuffle, a vote) are left there until all whom the
instruction names have come; if nobody can go on, that is an error in the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ptx_interpreter.blocks import Block, blocks_of
from ptx_interpreter.memory import BASE, GENERIC_LOCAL, GENERIC_SHARED, BadAddress, Memory
from ptx_interpreter.parser import Kernel
from ptx_interpreter.translator import TRAP, as_array, translated

WARP = 32
# Some threads: their indices in order; None is all of them.
Threads = np.ndarray | None
NOBODY = np.zeros(0, np.int64)


class Deadlock(RuntimeError):
    """Threads wait for others that will never come."""


class Trap(RuntimeError):
    """A kernel has ended itself with ``trap``."""


def launch(
    kernel: Kernel, memory: Memory, blocks: int, width: int, arguments: Sequence[bytes],
    shared_bytes: int = 0, globals: dict[str, int] | None = None, steps: int = 2_000_000,
) -> None:  # fmt: skip
    """Run a kernel on a grid of one dimension.

    Args:
        kernel: what runs
        memory: the device's memory
        blocks: how many blocks of threads
        width: how many threads a block has
        arguments: each parameter's bytes
        shared_bytes: more shared memory than the kernel declares
        globals: addresses of the module's variables
        steps: more instructions than that are taken for an endless loop
    """
    if len(arguments) != len(kernel.parameters):
        raise ValueError(
            f"{kernel.name} takes {len(kernel.parameters)} parameters, not {len(arguments)}"
        )
    if not kernel.translated:
        blocks_made = blocks_of(kernel)
        kernel.translated = {at: (b, translated(kernel, b)) for at, b in blocks_made.items()}
    with np.errstate(all="ignore"):
        _Launch(kernel, memory, blocks, width, arguments, shared_bytes, globals or {}).run(steps)


def _halves(words: np.ndarray, half: str, which: int) -> np.ndarray:
    """The lower or the higher half of words, as numbers."""
    bits = (words >> np.uint32(16 * which)).astype(np.uint16)
    if half == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


class _Launch:
    def __init__(
        self, kernel: Kernel, memory: Memory, blocks: int, width: int, arguments: Sequence[bytes],
        shared_bytes: int, globals: dict[str, int],
    ) -> None:  # fmt: skip
        self.kernel, self.memory = kernel, memory
        self.blocks, self.width, self.count = blocks, width, blocks * width
        index = np.arange(self.count)
        self.index = index
        self.tid, self.block = (index % width).astype(np.uint32), index // width
        self.warp = self.block * -(-width // WARP) + self.tid // WARP
        self.alive = np.ones(self.count, np.bool_)
        self.registers: dict[str, Any] = dict(kernel.zeros)
        self.parameters = {
            name: bytes(value).ljust(nbytes, b"\0")
            for (name, _, nbytes), value in zip(kernel.parameters, arguments)
        }
        self.places = {name: np.uint64(at) for name, at in globals.items()}
        self.sizes = {
            "shared": self._lay_out("shared") + shared_bytes + 8,
            "local": self._lay_out("local") + 8,
        }
        self.words: dict[tuple[str, int], np.ndarray] = {}
        self.starts: dict[str, np.ndarray] = {}
        self._provide("shared", blocks, self.block)
        self._provide("local", self.count, index)
        for width in (1, 2, 4, 8):
            self.words["global", width] = memory.bytes.view(f"u{width}")
        self.specials: dict[str, Any] = {}
        self.clock = 0
        self.pending: dict[int, list[Threads]] = {}
        self.waiting: dict[int, np.ndarray] = {}

    def _lay_out(self, space: str) -> int:
        """Give the variables of a space their places; its size."""
        at = 0
        for variable in self.kernel.declared:
            if variable.space == space:
                at = -(-at // variable.align) * variable.align
                self.places[variable.name] = np.uint64(at)
                at += variable.nbytes
        return at

    def _provide(self, space: str, parts: int, owner: np.ndarray) -> None:
        """Memory of a space, a part for each block or thread."""
        each = -(-self.sizes[space] // 16) * 16
        content = np.full(parts * each, 0xA5, np.uint8)
        for width in (1, 2, 4, 8):
            self.words[space, width] = content.view(f"u{width}")
        self.starts[space] = owner * each

    # -- the order in which threads go on --
    def run(self, steps: int) -> None:
        self.pending[0] = [None]
        while self.pending:
            here = min(self.pending)
            who = self._joined(self.pending.pop(here))
            while who is None or len(who):
                if here not in self.kernel.translated:
                    self._leave(here, who)
                    break
                block, code = self.kernel.translated[here]
                steps -= len(block.instructions)
                if steps < 0:
                    raise Deadlock(f"{self.kernel.name}: more instructions than were allowed")
                if block.waits:
                    who = self._arrived(block, who)
                    if who is not None and not len(who):
                        break
                here = self._after(code(self, self.registers, who), who)
                if here is None:
                    break
                if self.pending and min(self.pending) <= here:
                    self._go_on(here, who)
                    break
        if self.waiting:
            texts = {self.kernel.instructions[at].text for at in self.waiting}
            raise Deadlock(f"{self.kernel.name}: threads wait at {'; '.join(sorted(texts))}")

    def _joined(self, groups: list[Threads]) -> Threads:
        if len(groups) == 1:
            return groups[0]
        found = np.sort(np.concatenate([g for g in groups if g is not None]))
        return None if len(found) == self.count else found

    def _go_on(self, here: int, who: Threads) -> None:
        """Have threads continue at a place when it is their turn."""
        if who is None or len(who):
            self.pending.setdefault(here, []).append(who)

    def _after(self, next: Any, who: Threads) -> int | None:
        """Where all the threads of a block go; None if to several places."""
        if isinstance(next, int):
            return next
        if isinstance(next, tuple):
            holds, there, here = next
            if not np.ndim(holds):
                return there if holds else here  # type: ignore[no-any-return]
            many = np.count_nonzero(holds)
            if many in (0, len(holds)):
                return there if many else here  # type: ignore[no-any-return]
            all = self.indices(who)
            self._go_on(there, all[holds])
            self._go_on(here, all[~holds])
            return None
        if not np.ndim(next):
            return int(next)
        all = self.indices(who)
        for place in np.unique(next):
            self._go_on(int(place), all[next == place])
        return None

    def _groups(self, block: Block) -> np.ndarray:
        """Which threads wait for each other."""
        first = block.instructions[0]
        whole = first.parts[0] in ("bar", "barrier") and not first.text.startswith("bar.warp")
        return self.block if whole else self.warp

    def _arrived(self, block: Block, who: Threads) -> Threads:
        """Of the threads that wait, those that may go on."""
        if who is None:
            return None
        waiting = self.waiting.pop(block.start, NOBODY)
        there = np.sort(np.concatenate([waiting, who])) if len(waiting) else who
        groups = self._groups(block)
        size = int(groups[-1]) + 1
        come = np.bincount(groups[there], minlength=size)
        complete = (come == np.bincount(groups[self.alive], minlength=size))[groups[there]]
        if not complete.all():
            self.waiting[block.start] = there[~complete]
            there = there[complete]
        return None if len(there) == self.count else there

    def _leave(self, where: int, who: Threads) -> None:
        """Threads end; those that have waited for them go on."""
        if where == TRAP:
            raise Trap(f"{self.kernel.name}: trap")
        self.alive[self.indices(who)] = False
        for place in list(self.waiting):
            going = self._arrived(self.kernel.translated[place][0], NOBODY)
            self._go_on(place, going)

    # -- registers --
    def indices(self, who: Threads) -> np.ndarray:
        return self.index if who is None else who

    def how_many(self, who: Threads) -> int:
        return self.count if who is None else len(who)

    @staticmethod
    def read(registers: dict[str, Any], name: str, who: Threads) -> Any:
        value = registers[name]
        return value if who is None or not value.ndim else value[who]

    def keep(self, registers: dict[str, Any], name: str, who: Threads, value: Any) -> None:
        """Write a register of some threads. Arrays are never changed: another name may have the same one."""
        before = registers[name]
        whole = before.copy() if before.ndim else np.full(self.count, before)
        whole[who] = value
        registers[name] = whole

    def parameter(self, name: str, start: int, width: int) -> Any:
        return np.frombuffer(self.parameters[name], f"u{width}", 1, start)[0]

    def special(self, name: str, who: Threads) -> Any:
        base, _, axis = name.partition(".")
        if name == "%clock64":
            self.clock += 100
            return np.uint64(self.clock)
        if name not in self.specials:
            along = axis in ("", "x")
            found: dict[str, Any] = {
                "%tid": self.tid if along else 0, "%ctaid": self.block if along else 0,
                "%ntid": self.width if along else 1, "%nctaid": self.blocks if along else 1,
                "%laneid": self.tid % np.uint32(WARP), "%warpid": self.tid // np.uint32(WARP),
            }  # fmt: skip
            if base not in found:
                raise NotImplementedError(f"the special register {name}")
            value = found[base]
            self.specials[name] = np.uint32(value) if np.ndim(value) == 0 else value.astype("u4")
        return self.read(self.specials, name, who)

    # -- between threads of a warp --
    def shuffled(
        self, mode: str, who: Threads, value: Any, distance: Any, limit: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """What each thread gets from another of its warp, and whether that one is in reach."""
        threads = self.indices(who)
        lane = self.tid[threads].astype(np.int64) % WARP
        step, most = np.int64(distance), limit.astype(np.int64)
        if np.ndim(distance):
            step = distance.astype(np.int64)
        segment = most >> 8 & 31
        low, high = lane & segment, (lane & segment) | (most & 31 & ~segment)
        if mode == "up":
            place = lane - step
            inside = place >= high
        else:
            place = {"down": lane + step, "bfly": lane ^ step,
                     "idx": low | (step & ~segment)}[mode]  # fmt: skip
            inside = place <= high
        place = np.where(inside, place, lane)
        whole = np.zeros(self.count, np.uint32)
        whole[threads] = value
        other = threads - lane + place
        exists = (other >= 0) & (other < self.count)
        exists &= self.warp[np.clip(other, 0, self.count - 1)] == self.warp[threads]
        return whole[np.where(exists, other, threads)], inside

    def multiplied(self, half: str, who: Threads, *given: list[Any]) -> list[np.ndarray]:
        """The sums of each thread with a product of parts that its warp has together: 16x16 and 16x8."""
        threads = self.indices(who)
        warps, rest = divmod(len(threads), WARP)
        if rest or (self.tid[threads].reshape(warps, WARP) % WARP != np.arange(WARP)).any():
            raise RuntimeError("mma: not all threads of a warp are there")
        group, place = np.arange(WARP) // 4, np.arange(WARP) % 4 * 2
        a, b, c = ([as_array(x, len(threads)).reshape(warps, WARP) for x in part] for part in given)
        left, right = np.zeros((warps, 16, 16), np.float32), np.zeros((warps, 16, 8), np.float32)
        for which in range(2):
            for k, words in enumerate(a):
                left[:, group + 8 * (k % 2), place + 8 * (k // 2) + which] = _halves(
                    words, half, which
                )
            for k, words in enumerate(b):
                right[:, place + 8 * k + which, group] = _halves(words, half, which)
        made = left @ right
        return [
            (c[k] + made[:, group + 8 * (k // 2), place + k % 2]).astype(np.float32).reshape(-1)
            for k in range(4)
        ]

    def voted(self, how: str, who: Threads, holds: Any) -> np.ndarray:
        """What the threads of each warp say together."""
        threads = self.indices(who)
        holds = as_array(holds, len(threads))
        warps, size = self.warp[threads], int(self.warp[-1]) + 1
        if how == "ballot":
            lanes = (self.tid[threads] % WARP).astype(np.int64)
            bits = np.where(holds, np.int64(1) << lanes, 0)
            found = np.zeros(size, np.int64)
            np.add.at(found, warps, bits)
            return found[warps].astype(np.uint32)
        yes = np.bincount(warps[holds], minlength=size)
        wanted = np.bincount(warps, minlength=size) if how == "all" else 1
        return (yes >= wanted)[warps]

    # -- memory --
    def found(self, space: str, who: Threads, at: Any, count: int, width: int) -> Any:
        """Where in a space's numbers of a width the addresses lie; each is the first of some numbers."""
        if space == "global":
            self.memory.check(at, count * width)
            return (at - np.uint64(BASE)).view(np.int64) // width
        if space == "":
            return self._generic(who, at, count, width)
        if (at.max() + count * width > self.sizes[space]) or (
            at & np.uint64(count * width - 1)
        ).any():
            raise BadAddress(
                f"{self.kernel.name}: {count * width} bytes of {space} memory at {at.max():#x}"
            )
        start = self.starts[space]
        return (at.view(np.int64) + (start if who is None else start[who])) // width

    def _generic(self, who: Threads, at: Any, count: int, width: int) -> Any:
        """An access through an address that may be of any space; all threads mean the same one."""
        lowest, highest = at.min(), at.max()
        for space, base in (("local", GENERIC_LOCAL), ("shared", GENERIC_SHARED), ("global", 0)):
            if lowest >= base:
                if space != "global" and highest >= base + GENERIC_SHARED:
                    break
                self.words["", width] = self.words[space, width]
                return self.found(space, who, at - np.uint64(base), count, width)
        raise NotImplementedError(f"{self.kernel.name}: threads mean different spaces at one place")
