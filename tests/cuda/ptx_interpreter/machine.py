"""Runs a kernel: all threads of a launch as one vector, those at one instruction together.

Threads that wait for others (at a barrier, a shuffle, a vote) are left there until all whom the
instruction names have come; if nobody can go on, that is an error in the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ptx_interpreter import numbers, operations
from ptx_interpreter.memory import (
    GENERIC_LOCAL,
    GENERIC_SHARED,
    BadAddress,
    Memory,
    gathered,
    scattered,
)
from ptx_interpreter.parser import Instruction, Kernel, number

WARP = 32
EXITED = 1 << 40
Threads = np.ndarray
SPACES = ("global", "shared", "local", "param", "const")


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
    with np.errstate(all="ignore"):
        _Launch(kernel, memory, blocks, width, arguments, shared_bytes, globals or {}).run(steps)


class _Launch:
    def __init__(
        self, kernel: Kernel, memory: Memory, blocks: int, width: int, arguments: Sequence[bytes],
        shared_bytes: int, globals: dict[str, int],
    ) -> None:  # fmt: skip
        self.kernel, self.memory = kernel, memory
        self.blocks, self.width, self.count = blocks, width, blocks * width
        index = np.arange(self.count)
        self.tid, self.block = (index % width).astype(np.uint32), (index // width).astype(np.uint32)
        self.warp = self.block.astype(np.int64) * (-(-width // WARP)) + self.tid // WARP
        self.pc = np.zeros(self.count, np.int64)
        self.waits = np.zeros(self.count, np.bool_)
        self.registers = {
            name: np.zeros(self.count, np.bool_ if bits == 0 else f"u{bits // 8}")
            for name, bits in kernel.registers.items()
        }
        self.parameters = {
            name: bytes(value).ljust(nbytes, b"\0")
            for (name, _, nbytes), value in zip(kernel.parameters, arguments)
        }
        self.places: dict[str, int] = dict(globals)
        self.shared_bytes = self._lay_out("shared") + shared_bytes + 8
        self.local_bytes = self._lay_out("local") + 8
        self.shared = np.full(blocks * (-(-self.shared_bytes // 8) * 8), 0xA5, np.uint8)
        self.local = np.full(self.count * (-(-self.local_bytes // 8) * 8), 0xA5, np.uint8)
        self.actions = [self._action(i) for i in kernel.instructions]

    def _lay_out(self, space: str) -> int:
        """Give the variables of a space their places; its size."""
        at = 0
        assert self.kernel.module is not None
        for variable in (*self.kernel.module.variables, *self.kernel.variables):
            if variable.space == space:
                at = -(-at // variable.align) * variable.align
                self.places[variable.name] = at
                at += variable.nbytes
        return at

    # -- the order in which threads go on --
    def run(self, steps: int) -> None:
        for _ in range(steps):
            ready = ~self.waits & (self.pc < EXITED)
            if not ready.any():
                if not (self.pc < EXITED).any():
                    return
                stuck = sorted({self.kernel.instructions[p].text for p in self.pc[self.waits]})
                raise Deadlock(f"{self.kernel.name}: threads wait at {'; '.join(stuck)}")
            here = int(self.pc[ready].min())
            if here >= len(self.actions):
                self.pc[ready & (self.pc == here)] = EXITED
                continue
            who = np.nonzero(ready & (self.pc == here))[0]
            self._step(here, who)
        raise Deadlock(f"{self.kernel.name}: more than {steps} instructions")

    def _step(self, here: int, who: Threads) -> None:
        instruction = self.kernel.instructions[here]
        if instruction.guard is not None:
            name, negated = instruction.guard
            passes = self.registers[name][who] ^ negated
            self.pc[who[~passes]] = here + 1
            who = who[passes]
            if not len(who):
                return
        name = instruction.parts[0]
        if name in ("bar", "barrier"):
            self._wait(here, who, self.block)
        elif name in ("shfl", "vote", "match", "redux") or instruction.text.startswith("bar.warp"):
            self._wait(here, who, self.warp, self.actions[here])
        else:
            self.pc[who] = here + 1
            self.actions[here](who)
        # Who has exited is waited for no more.
        if name in ("ret", "exit"):
            self._release_all()

    def _wait(
        self, here: int, who: Threads, groups: np.ndarray, action: Callable[..., None] | None = None
    ) -> None:
        self.waits[who] = True
        self._release(here, groups, action)

    def _release(self, here: int, groups: np.ndarray, action: Callable[..., None] | None) -> None:
        """Let groups go on of which everybody has come."""
        there = self.waits & (self.pc == here)
        missing = np.unique(groups[(self.pc < EXITED) & ~there])
        going = np.nonzero(there & ~np.isin(groups, missing))[0]
        if not len(going):
            return
        if action is not None:
            action(going)
        self.waits[going] = False
        self.pc[going] = here + 1

    def _release_all(self) -> None:
        for here in np.unique(self.pc[self.waits]):
            name = self.kernel.instructions[here].parts[0]
            if name in ("bar", "barrier"):
                self._release(int(here), self.block, None)
            else:
                self._release(int(here), self.warp, self.actions[here])

    # -- operands --
    def value(self, text: str, kind: str) -> Callable[[Threads], np.ndarray]:
        """What gives an operand's bits for some threads."""
        if text.startswith("!"):
            inner = self.value(text[1:], kind)
            return lambda who: ~inner(who)
        if text in self.registers:
            register = self.registers[text]
            return lambda who: register[who]
        if text.startswith("%"):
            return self._special(text)
        if text in self.places:
            place = np.uint64(self.places[text])
            return lambda who: np.full(len(who), place)
        constant = number(text, kind)
        return lambda who: np.full(len(who), constant)

    def _special(self, name: str) -> Callable[[Threads], np.ndarray]:
        base, _, axis = name.partition(".")
        along = axis in ("", "x")
        found: dict[str, Any] = {
            "%tid": self.tid if along else 0, "%ctaid": self.block if along else 0,
            "%ntid": self.width if along else 1, "%nctaid": self.blocks if along else 1,
            "%laneid": self.tid % np.uint32(WARP), "%warpid": self.tid // np.uint32(WARP),
        }  # fmt: skip
        if base not in found:
            raise NotImplementedError(f"the special register {name}")
        whole = np.broadcast_to(np.asarray(found[base], np.uint32), (self.count,))
        return lambda who: whole[who]

    def put(self, name: str, who: Threads, bits: np.ndarray) -> None:
        """Write a register; a wider one gets zeros above."""
        if name != "_":
            register = self.registers[name]
            register[who] = bits.astype(register.dtype)

    # -- instructions --
    def _action(self, instruction: Instruction) -> Callable[[Threads], None]:
        """What an instruction does to some threads that are at it."""
        name = instruction.parts[0]
        special = getattr(self, f"_{name}", None)
        if special is not None:
            return special(instruction)  # type: ignore[no-any-return]
        if name not in operations.TABLE:
            raise NotImplementedError(f"the instruction {instruction.text}")
        kinds = [p for p in instruction.parts[1:] if numbers.is_type(p)]
        kind = kinds[-1] if kinds else "b32"
        target, *sources = instruction.operands
        modes = tuple(p for p in instruction.parts[1:] if p != kind)
        shifts = name in ("shl", "shr", "bfe")
        types = [kind, *("b32" if shifts else kind for _ in sources[1:])]
        if name == "selp":
            types[2] = "pred"
        if name in ("mad",) and "wide" in modes:
            types[2] = f"{kind[0]}{16 * numbers.width(kind)}"
        given = [self.value(s, t) for s, t in zip(sources, types)]
        compute = operations.TABLE[name]
        return lambda who: self.put(target, who, compute(modes, kind, [g(who) for g in given]))

    def _setp(self, instruction: Instruction) -> Callable[[Threads], None]:
        kind = instruction.parts[-1]
        modes = instruction.parts[1:-1]
        targets, *sources = instruction.operands
        types = [kind, kind, "pred"]
        given = [self.value(s, t) for s, t in zip(sources, types)]
        first, _, second = targets.partition("|")

        def run(who: Threads) -> None:
            found = operations.compared(modes, kind, [g(who) for g in given])
            self.put(first, who, found)
            if second:
                self.put(second, who, ~found)

        return run

    def _cvt(self, instruction: Instruction) -> Callable[[Threads], None]:
        target, source = [p for p in instruction.parts[1:] if numbers.is_type(p)]
        modes = tuple(p for p in instruction.parts[1:] if not numbers.is_type(p))
        name, *texts = instruction.operands
        given = [self.value(t, source) for t in texts]
        one = target.removesuffix("x2")

        def single(bits: np.ndarray) -> np.ndarray:
            return numbers.written(
                numbers.converted(numbers.read(bits, source), source, one, modes), one
            )

        def run(who: Threads) -> None:
            found = [single(g(who)) for g in given]
            if target.endswith("x2"):
                high, low = (f.astype(np.uint32) for f in found)
                self.put(name, who, high << np.uint32(16) | low)
                return
            bits = found[0]
            # A signed number in a wider register keeps its sign.
            if target[0] == "s" and self.registers[name].dtype.itemsize > bits.dtype.itemsize:
                bits = bits.view(numbers.NATIVE[target]).astype(np.int64)
            self.put(name, who, bits)

        return run

    def _mov(self, instruction: Instruction) -> Callable[[Threads], None]:
        kind = instruction.parts[-1]
        target, source = instruction.operands
        if target.startswith("{"):
            names = [n.strip() for n in target.strip("{}").split(",")]
            given = self.value(source, kind)
            part = 8 * numbers.width(kind) // len(names)

            def unpack(who: Threads) -> None:
                bits = given(who)
                for k, name in enumerate(names):
                    shifted = bits >> bits.dtype.type(k * part)
                    self.put(name, who, shifted & bits.dtype.type((1 << part) - 1))

            return unpack
        if source.startswith("{"):
            texts = [n.strip() for n in source.strip("{}").split(",")]
            part = 8 * numbers.width(kind) // len(texts)
            parts = [self.value(t, f"b{part}") for t in texts]
            whole = numbers.bits_type(numbers.width(kind))

            def pack(who: Threads) -> None:
                bits = np.zeros(len(who), whole)
                for k, given in enumerate(parts):
                    bits |= given(who).astype(whole) << whole(k * part)
                self.put(target, who, bits)

            return pack
        given = self.value(source, kind)
        return lambda who: self.put(target, who, given(who))

    def _cvta(self, instruction: Instruction) -> Callable[[Threads], None]:
        target, source = instruction.operands
        given = self.value(source, "u64")
        space = next(p for p in instruction.parts if p in SPACES)
        window = {"shared": GENERIC_SHARED, "local": GENERIC_LOCAL}.get(space, 0)
        sign = -1 if "to" in instruction.parts else 1
        step = np.uint64(sign * window & (1 << 64) - 1)
        return lambda who: self.put(target, who, given(who) + step)

    def _bra(self, instruction: Instruction) -> Callable[[Threads], None]:
        target = self.kernel.labels[instruction.operands[0]]

        def jump(who: Threads) -> None:
            self.pc[who] = target

        return jump

    def _brx(self, instruction: Instruction) -> Callable[[Threads], None]:
        index, table = instruction.operands
        targets = np.array([self.kernel.labels[t] for t in self.kernel.branch_targets[table]])
        given = self.value(index, "u32")

        def jump(who: Threads) -> None:
            self.pc[who] = targets[given(who)]

        return jump

    def _ret(self, instruction: Instruction) -> Callable[[Threads], None]:
        def leave(who: Threads) -> None:
            self.pc[who] = EXITED

        return leave

    _exit = _ret

    def _trap(self, instruction: Instruction) -> Callable[[Threads], None]:
        def stop(who: Threads) -> None:
            raise Trap(f"{self.kernel.name}: trap")

        return stop

    def _nothing(self, instruction: Instruction) -> Callable[[Threads], None]:
        return lambda who: None

    _membar = _fence = _bar = _barrier = _nothing

    # -- between threads of a warp --
    def _shfl(self, instruction: Instruction) -> Callable[[Threads], None]:
        mode = next(m for m in ("up", "down", "bfly", "idx") if m in instruction.parts)
        targets, source, by, clamp, *_ = instruction.operands
        name, _, told = targets.partition("|")
        given, distance, limit = (self.value(t, "b32") for t in (source, by, clamp))

        def run(who: Threads) -> None:
            lane = self.tid[who].astype(np.int64) % WARP
            step, most = distance(who).astype(np.int64), limit(who).astype(np.int64)
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
            whole[who] = given(who)
            from_thread = who - lane + place
            exists = (from_thread >= 0) & (from_thread < self.count)
            exists &= self.warp[np.clip(from_thread, 0, self.count - 1)] == self.warp[who]
            found = whole[np.where(exists, from_thread, who)]
            self.put(name, who, found)
            if told:
                self.put(told, who, inside)

        return run

    def _vote(self, instruction: Instruction) -> Callable[[Threads], None]:
        target, source, *_ = instruction.operands
        given = self.value(source, "pred")

        def run(who: Threads) -> None:
            holds = given(who)
            for warp in np.unique(self.warp[who]):
                mine = self.warp[who] == warp
                lanes = self.tid[who[mine]].astype(np.int64) % WARP
                if "ballot" in instruction.parts:
                    found = np.uint32(sum(1 << int(k) for k in lanes[holds[mine]]))
                else:
                    found = np.bool_(
                        holds[mine].all() if "all" in instruction.parts else holds[mine].any()
                    )
                self.put(target, who[mine], np.full(len(lanes), found))

        return run

    # -- memory --
    def _address(self, text: str) -> Callable[[Threads], np.ndarray]:
        base, sign, shift = text.strip("[]").partition("+")
        if not sign:
            base, sign, shift = text.strip("[]").partition("-")
        given = self.value(base.strip(), "u64")
        by = int(shift or 0) * (-1 if sign == "-" else 1)
        step = np.uint64(by & (1 << 64) - 1)
        return lambda who: given(who).astype(np.uint64) + step

    def _space(self, instruction: Instruction) -> str:
        return next((p for p in instruction.parts if p in SPACES), "")

    def _load(self, space: str, who: Threads, at: np.ndarray, width: int) -> np.ndarray:
        if space in ("global", "const"):
            return self.memory.read(at, width)
        if space == "":
            return self._generic(who, at, width, None)
        content, base = self._private(space, who, at, width)
        return gathered(content, base, width)

    def _store(
        self, space: str, who: Threads, at: np.ndarray, values: np.ndarray, width: int
    ) -> None:
        if space == "global":
            self.memory.write(at, values, width)
        elif space == "":
            self._generic(who, at, width, values)
        else:
            content, base = self._private(space, who, at, width)
            scattered(content, base, values, width)

    def _private(
        self, space: str, who: Threads, at: np.ndarray, width: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The bytes of shared or local memory, and where in them each thread's place is."""
        size = self.shared_bytes if space == "shared" else self.local_bytes
        if (at + np.uint64(width) > np.uint64(size)).any() or (at % np.uint64(width)).any():
            raise BadAddress(
                f"{self.kernel.name}: {width} bytes of {space} memory at {at.max():#x}"
            )
        content = self.shared if space == "shared" else self.local
        owner = self.block[who] if space == "shared" else who
        each = np.uint64(-(-size // 8) * 8)
        return content, at + owner.astype(np.uint64) * each

    def _generic(
        self, who: Threads, at: np.ndarray, width: int, values: np.ndarray | None
    ) -> np.ndarray:
        """An access through an address that may be of any space."""
        found = np.zeros(len(who), f"u{width}")
        local, shared = at >= GENERIC_LOCAL, (at >= GENERIC_SHARED) & (at < GENERIC_LOCAL)
        for space, mine, base in (
            ("local", local, GENERIC_LOCAL), ("shared", shared, GENERIC_SHARED),
            ("global", ~local & ~shared, 0),
        ):  # fmt: skip
            if mine.any():
                place = at[mine] - np.uint64(base)
                if values is None:
                    found[mine] = self._load(space, who[mine], place, width)
                else:
                    self._store(space, who[mine], place, values[mine], width)
        return found

    def _ld(self, instruction: Instruction) -> Callable[[Threads], None]:
        kind = instruction.parts[-1]
        target, source = instruction.operands
        space, width = self._space(instruction), numbers.width(kind)
        names = [n.strip() for n in target.strip("{}").split(",")]
        if space == "param":
            return self._load_parameter(names, source, kind)
        address = self._address(source)

        def run(who: Threads) -> None:
            at = address(who)
            self._check_vector(at, len(names) * width)
            for k, name in enumerate(names):
                bits = self._load(space, who, at + np.uint64(k * width), width)
                self.put(name, who, _extended(bits, kind))

        return run

    def _load_parameter(
        self, names: list[str], source: str, kind: str
    ) -> Callable[[Threads], None]:
        base, _, shift = source.strip("[]").partition("+")
        content, width = self.parameters[base], numbers.width(kind)
        parts = []
        for k in range(len(names)):
            start = int(shift or 0) + k * width
            bits = np.frombuffer(content[start : start + width], f"u{width}")
            parts.append(_extended(bits, kind)[0])

        def run(who: Threads) -> None:
            for name, bits in zip(names, parts):
                self.put(name, who, np.full(len(who), bits))

        return run

    @staticmethod
    def _check_vector(at: np.ndarray, nbytes: int) -> None:
        if (at % np.uint64(nbytes)).any():
            raise BadAddress(f"a vector of {nbytes} bytes at {int(at.max()):#x}")

    def _st(self, instruction: Instruction) -> Callable[[Threads], None]:
        kind = instruction.parts[-1]
        target, source = instruction.operands
        space, width = self._space(instruction), numbers.width(kind)
        texts = [n.strip() for n in source.strip("{}").split(",")]
        address, given = self._address(target), [self.value(t, kind) for t in texts]

        def run(who: Threads) -> None:
            at = address(who)
            self._check_vector(at, len(given) * width)
            for k, value in enumerate(given):
                bits = value(who).astype(f"u{width}")
                self._store(space, who, at + np.uint64(k * width), bits, width)

        return run

    def _atom(self, instruction: Instruction) -> Callable[[Threads], None]:
        operands = instruction.operands
        target, place, *sources = operands if instruction.parts[0] == "atom" else ["_", *operands]
        kind = instruction.parts[-1]
        space, width = self._space(instruction), numbers.width(kind)
        what = next(p for p in instruction.parts if p in _ATOMIC)
        address, given = self._address(place), [self.value(s, kind) for s in sources]

        def run(who: Threads) -> None:
            at, values = address(who), [g(who) for g in given]
            # One thread after the other, as the memory does it.
            for k in range(len(who)):
                one, here = who[k : k + 1], at[k : k + 1]
                old = self._load(space, one, here, width)
                new = _ATOMIC[what](kind, old, *(v[k : k + 1] for v in values))
                self._store(space, one, here, new, width)
                self.put(target, one, old)

        return run

    _red = _atom


def _extended(bits: np.ndarray, kind: str) -> np.ndarray:
    """What a register gets that may be wider: signed numbers keep their sign."""
    return bits.view(numbers.NATIVE[kind]).astype(np.int64) if kind[0] == "s" else bits


def _arithmetic(name: str, *modes: str) -> Callable[..., np.ndarray]:
    return lambda kind, *bits: operations.TABLE[name](modes, kind, list(bits))


_ATOMIC: dict[str, Callable[..., np.ndarray]] = {
    **{name: _arithmetic(name) for name in ("add", "min", "max", "and", "or", "xor")},
    "exch": lambda kind, old, new: new,
    "cas": lambda kind, old, expected, new: np.where(old == expected, new, old),
}
