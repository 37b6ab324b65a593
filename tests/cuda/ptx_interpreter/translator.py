"""Basic blocks as functions of Python: an instruction becomes a line or two of numpy for all threads there.

A register's value is an array with a number for each thread, or one number if that is the same for all. Within a
block it has several forms: its bits, and the same as numbers of the types that instructions ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ptx_interpreter import numbers, operations
from ptx_interpreter.blocks import Block, alone
from ptx_interpreter.memory import GENERIC_LOCAL, GENERIC_SHARED
from ptx_interpreter.parser import Instruction, Kernel, number

SPACES = ("global", "shared", "local", "param", "const")
# What a block returns for threads that end, and for a kernel that ends itself.
EXIT, TRAP = -1, -2
Code = Callable[[Any, dict[str, Any], Any], Any]

_INFIX = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}
_FUNCTIONS = {"sqrt": np.sqrt, "neg": np.negative, "abs": np.abs}
_ORDERED = {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNORDERED = {"neu": "!=", "ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}
_WHOLE = {**_ORDERED, "ne": "!=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}


def translated(kernel: Kernel, block: Block) -> Code:
    """The function of a block."""
    first = block.instructions[0]
    if first.guard is None or not alone(first):
        return _Translator(kernel, block).function()
    name, negated = first.guard
    if first.parts[0] in ("ret", "exit", "trap"):
        to = TRAP if first.parts[0] == "trap" else EXIT
        return lambda launch, registers, who: (
            launch.read(registers, name, who) ^ negated, to, block.end,
        )  # fmt: skip
    bare = Instruction(first.text, None, first.parts, first.operands)
    inner = _Translator(kernel, Block(block.start, [bare], [], block.live)).function()

    def some(launch: Any, registers: dict[str, Any], who: Any) -> int:
        holds = np.broadcast_to(
            launch.read(registers, name, who) ^ negated, (launch.how_many(who),)
        )
        going = launch.indices(who)[holds]
        if len(going):
            inner(launch, registers, going)
        return block.end

    return some


def as_array(value: Any, count: int) -> np.ndarray:
    return value if np.ndim(value) else np.full(count, value)


def computed(operation: Any, modes: tuple[str, ...], kind: str, count: int, *bits: Any) -> Any:
    """An operation that has no line of its own."""
    return operation(modes, kind, [as_array(b, count) for b in bits])


def put(words: np.ndarray, places: Any, values: Any) -> None:
    """Store; of several for one place, the last one stays."""
    words[places] = values if np.ndim(places) or not np.ndim(values) else values[-1]


class _Translator:
    def __init__(self, kernel: Kernel, block: Block) -> None:
        self.kernel, self.block = kernel, block
        self.lines: list[str] = []
        self.known: dict[str, Any] = {"np": np, "computed": computed, "put": put}
        self.forms: dict[str, dict[str, str]] = {}
        self.dirty: list[str] = []
        self.last = ""

    def function(self) -> Code:
        for instruction in self.block.instructions:
            self.instruction(instruction)
        self._store()
        if not self.last:
            self.last = f"return {self.block.end}"
        body = "\n    ".join([*self.lines, self.last])
        exec(f"def run(launch, registers, who):\n    {body}\n", self.known)
        return self.known["run"]  # type: ignore[no-any-return]

    def _store(self) -> None:
        """Write what is read later; whole arrays are exchanged, parts are copied into a copy."""
        kept = [name for name in dict.fromkeys(self.dirty) if name in self.block.live]
        values = [(name, self.read(name, self._own(name))) for name in kept]
        if values:
            self.lines.append("if who is None:")
            self.lines += [f"    registers[{n!r}] = {v}" for n, v in values]
            self.lines.append("else:")
            self.lines += [f"    launch.keep(registers, {n!r}, who, {v})" for n, v in values]

    # -- values --
    def let(self, text: str) -> str:
        """A name for what a text computes."""
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value: Any) -> str:
        name = f"c{len(self.known)}"
        self.known[name] = value
        return name

    def type(self, kind: str) -> str:
        """The name of numpy's type for a kind."""
        found = np.dtype(numbers.NATIVE[kind]).name
        return f"np.{found}"

    def _own(self, register: str) -> str:
        bits = self.kernel.registers[register]
        return f"u{bits}" if bits else "pred"

    def read(self, text: str, kind: str) -> str:
        """An operand as numbers of a kind; bf16 as f32."""
        kind = "u" + kind[1:] if kind[0] == "b" and kind != "bf16" else kind
        if text.startswith("!"):
            return f"(~{self.read(text[1:], 'pred')})"
        if text in self.kernel.registers:
            return self._register(text, kind)
        if text.startswith("%"):
            return self.let(f"launch.special({text!r}, who)")
        if text in self.kernel.places:
            found = self.let(f"launch.places[{text!r}]")
            return found if kind.endswith("64") else f"{found}.astype({self.type(kind)})"
        return self.constant(numbers.read(number(text, kind), kind))

    def _register(self, name: str, kind: str) -> str:
        forms, own = self.forms.setdefault(name, {}), self._own(name)
        if kind in forms:
            return forms[kind]
        if not forms:
            forms[own] = self.let(f"launch.read(registers, {name!r}, who)")
        elif own not in forms:
            forms[own] = self.let(f"{next(iter(forms.values()))}.view({self.type(own)})")
        if kind not in forms:
            text = forms[own]
            narrow = f"u{8 * numbers.width(kind)}"
            if narrow != own:
                text = f"{text}.astype({self.type(narrow)})"
            if kind == "bf16":
                text = f"({text}.astype(np.uint32) << np.uint32(16)).view(np.float32)"
            elif kind != narrow:
                text = f"{text}.view({self.type(kind)})"
            forms[kind] = self.let(text)
        return forms[kind]

    def write(self, name: str, text: str, kind: str) -> None:
        """Give a register numbers of a kind; one that is wider gets them with their sign."""
        if name == "_":
            return
        kind = "u" + kind[1:] if kind[0] == "b" and kind != "bf16" else kind
        own = self._own(name)
        if kind == "bf16":
            text, kind = f"{self.constant(numbers.bf16_bits)}({text})", "u16"
        if kind != "pred" and kind[1:] != own[1:]:
            if kind[0] == "f":
                text = f"{text}.view({self.type('u' + kind[1:])})"
            text, kind = f"{text}.astype({self.type(own)})", own
        self.forms[name] = {kind: self.let(text)}
        self.dirty.append(name)

    def count(self) -> str:
        return "launch.how_many(who)"

    # -- instructions --
    def instruction(self, given: Instruction) -> None:
        name = given.parts[0]
        special = getattr(self, f"_{name}", None)
        kinds = [p for p in given.parts[1:] if numbers.is_type(p)]
        kind = kinds[-1] if kinds else "b32"
        modes = tuple(p for p in given.parts[1:] if p != kind)
        if special is not None:
            special(given)
        elif not self._plain(name, kind, modes, given.operands):
            self._by_table(name, kind, modes, given)

    def _plain(self, name: str, kind: str, modes: tuple[str, ...], operands: Sequence[str]) -> bool:
        """A line for what numpy has an operator for."""
        if kind.endswith("x2") or "ftz" in modes or "sat" in modes or "relu" in modes:
            return False
        target, *texts = operands
        if name in _INFIX:
            a, b = (self.read(t, kind) for t in texts)
            self.write(target, f"{a} {_INFIX[name]} {b}", kind)
        elif name in _FUNCTIONS and kind != "pred":
            function = self.constant(_FUNCTIONS[name])
            self.write(target, f"{function}({self.read(texts[0], kind)})", kind)
        elif name == "not":
            self.write(target, f"~{self.read(texts[0], kind)}", kind)
        elif name in ("mul", "mad") and "hi" not in modes and name + kind[0] != "madf":
            self._product(target, texts, kind, "wide" in modes)
        elif name == "fma" or name + kind[0] == "madf":
            given = ", ".join(self.read(t, kind) for t in texts)
            self.write(target, f"{self.constant(numbers.fused)}({given}, {kind!r})", kind)
        elif name in ("div", "rem") and kind in numbers.FLOATS and name == "div":
            a, b = (self.read(t, kind) for t in texts)
            self.write(target, f"{a} / {b}", kind)
        elif name == "selp":
            a, b = (self.read(t, f"u{8 * numbers.width(kind)}") for t in texts[:2])
            text = f"np.where({self.read(texts[2], 'pred')}, {a}, {b})"
            self.write(target, text, f"u{8 * numbers.width(kind)}")
        elif (
            name in ("shl", "shr")
            and texts[1].isdigit()
            and int(texts[1]) < 8 * numbers.width(kind)
        ):
            value = self.read(texts[0], kind)
            by = self.constant(np.dtype(numbers.NATIVE[kind]).type(int(texts[1])))
            self.write(target, f"{value} {'<<' if name == 'shl' else '>>'} {by}", kind)
        else:
            return False
        return True

    def _product(self, target: str, texts: Sequence[str], kind: str, wide: bool) -> None:
        a, b = (self.read(t, kind) for t in texts[:2])
        if wide:
            kind = f"{kind[0]}{16 * numbers.width(kind)}"
            a, b = (f"{x}.astype({self.type(kind)})" for x in (a, b))
        added = f" + {self.read(texts[2], kind)}" if len(texts) > 2 else ""
        self.write(target, f"{a} * {b}{added}", kind)

    def _by_table(self, name: str, kind: str, modes: tuple[str, ...], given: Instruction) -> None:
        if name not in operations.TABLE:
            raise NotImplementedError(f"the instruction {given.text}")
        target, *texts = given.operands
        shifts = name in ("shl", "shr", "bfe")
        types = [kind, *("b32" if shifts else kind for _ in texts[1:])]
        bits = [self.bits(t, k) for t, k in zip(texts, types)]
        words = ", ".join(
            [self.constant(operations.TABLE[name]), repr(modes), repr(kind), self.count(), *bits]
        )
        own = self._own(target)
        text = f"computed({words})"
        self.write(target, text if own == "pred" else f"{text}.astype({self.type(own)})", own)

    def bits(self, text: str, kind: str) -> str:
        if kind == "pred":
            return self.read(text, "pred")
        return self.read(text, f"u{8 * numbers.width(kind)}")

    def _setp(self, given: Instruction) -> None:
        kind, modes = given.parts[-1], given.parts[1:-1]
        names, *texts = given.operands
        first, _, second = names.partition("|")
        a, b = (self.read(t, kind) for t in texts[:2])
        floats = kind in numbers.FLOATS
        how = modes[0]
        if floats and how in ("num", "nan"):
            text = f"({a} != {a}) | ({b} != {b})"
            text = f"~({text})" if how == "num" else text
        elif floats and how in _UNORDERED and how != "neu":
            text = f"~({a} {_UNORDERED[how]} {b})"
        elif floats and how == "equ":
            text = f"({a} == {b}) | ({a} != {a}) | ({b} != {b})"
        elif floats and how == "ne":
            text = f"({a} < {b}) | ({a} > {b})"
        else:
            text = f"{a} {'!=' if how == 'neu' else _WHOLE[how]} {b}"
        for mode, sign in (("and", "&"), ("or", "|"), ("xor", "^")):
            if mode in modes[1:]:
                text = f"({text}) {sign} {self.read(texts[2], 'pred')}"
        found = self.let(text)
        self.write(first, found, "pred")
        if second:
            self.write(second, f"~{found}", "pred")

    def _cvt(self, given: Instruction) -> None:
        target, source = [p for p in given.parts[1:] if numbers.is_type(p)]
        modes = tuple(p for p in given.parts[1:] if not numbers.is_type(p))
        name, *texts = given.operands
        values = [self.read(t, source) for t in texts]
        if target.endswith("x2"):
            join = self.constant(numbers.two_halves)
            self.write(name, f"{join}({values[0]}, {values[1]}, {target[:-2]!r})", "u32")
            return
        plain = "sat" not in modes and target != "bf16"
        whole = source not in numbers.FLOATS
        if plain and (
            whole or (target in numbers.FLOATS and not {"rni", "rmi", "rpi", "rzi"} & {*modes})
        ):
            self.write(name, f"{values[0]}.astype({self.type(target)})", target)
            return
        given_array = f"{self.constant(as_array)}({values[0]}, {self.count()})"
        convert = self.constant(numbers.converted)
        self.write(name, f"{convert}({given_array}, {source!r}, {target!r}, {modes!r})", target)

    def _mov(self, given: Instruction) -> None:
        kind = given.parts[-1]
        target, source = given.operands
        if target.startswith("{"):
            names = [n.strip() for n in target.strip("{}").split(",")]
            part = 8 * numbers.width(kind) // len(names)
            bits = self.bits(source, kind)
            for k, name in enumerate(names):
                shift = self.constant(numbers.bits_type(numbers.width(kind))(k * part))
                self.write(name, f"({bits} >> {shift}).astype(np.uint{part})", f"u{part}")
        elif source.startswith("{"):
            texts = [n.strip() for n in source.strip("{}").split(",")]
            part = 8 * numbers.width(kind) // len(texts)
            whole = f"u{8 * numbers.width(kind)}"
            shifts = [
                self.constant(np.dtype(numbers.NATIVE[whole]).type(k * part))
                for k in range(len(texts))
            ]
            parts = [
                f"({self.bits(t, f'b{part}')}.astype({self.type(whole)}) << {s})"
                for t, s in zip(texts, shifts)
            ]
            self.write(target, " | ".join(parts), whole)
        else:
            self.write(
                target,
                self.bits(source, kind),
                kind if kind == "pred" else f"u{8 * numbers.width(kind)}",
            )

    def _cvta(self, given: Instruction) -> None:
        target, source = given.operands
        space = next(p for p in given.parts if p in SPACES)
        window = {"shared": GENERIC_SHARED, "local": GENERIC_LOCAL}.get(space, 0)
        step = np.uint64((-window if "to" in given.parts else window) & (1 << 64) - 1)
        self.write(target, f"{self.read(source, 'u64')} + {self.constant(step)}", "u64")

    # -- where threads go --
    def _bra(self, given: Instruction) -> None:
        to = self.kernel.labels[given.operands[0]]
        self.last = f"return {to}"
        if given.guard is not None:
            name, negated = given.guard
            holds = self.read(("!" if negated else "") + name, "pred")
            self.last = f"return {holds}, {to}, {self.block.end}"

    def _brx(self, given: Instruction) -> None:
        index, table = given.operands
        places = np.array([self.kernel.labels[t] for t in self.kernel.branch_targets[table]])
        self.last = f"return {self.constant(places)}[{self.read(index, 'u32')}]"

    def _ret(self, given: Instruction) -> None:
        self.last = f"return {EXIT}"

    _exit = _ret

    def _trap(self, given: Instruction) -> None:
        self.last = f"return {TRAP}"

    def _bar(self, given: Instruction) -> None:
        pass

    _barrier = _membar = _fence = _bar

    # -- between threads of a warp --
    def _shfl(self, given: Instruction) -> None:
        mode = next(m for m in ("up", "down", "bfly", "idx") if m in given.parts)
        targets, source, by, clamp, *_ = given.operands
        name, _, told = targets.partition("|")
        value, distance, limit = (self.read(t, "u32") for t in (source, by, clamp))
        found = self.let(f"launch.shuffled({mode!r}, who, {value}, {distance}, {limit})")
        self.write(name, f"{found}[0]", "u32")
        if told:
            self.write(told, f"{found}[1]", "pred")

    def _mma(self, given: Instruction) -> None:
        parts = [[name.strip() for name in text.strip("{}").split(",")] for text in given.operands]
        targets, *factors, sums = parts
        a, b = ([self.read(name, "u32") for name in names] for names in factors)
        c = [self.read(name, "f32") for name in sums]
        half = "bf16" if "bf16" in given.parts else "f16"
        lists = ", ".join(f"[{', '.join(names)}]" for names in (a, b, c))
        found = self.let(f"launch.multiplied({half!r}, who, {lists})")
        for k, name in enumerate(targets):
            self.write(name, f"{found}[{k}]", "f32")

    def _vote(self, given: Instruction) -> None:
        target, source, *_ = given.operands
        how = next(m for m in ("ballot", "all", "any") if m in given.parts)
        kind = "u32" if how == "ballot" else "pred"
        self.write(target, f"launch.voted({how!r}, who, {self.read(source, 'pred')})", kind)

    # -- memory --
    def _address(self, text: str) -> str:
        base, sign, shift = text.strip("[]").partition("+")
        if not sign:
            base, sign, shift = text.strip("[]").partition("-")
        by = int(shift or 0) * (-1 if sign == "-" else 1)
        start = self.read(base.strip(), "u64")
        if not by:
            return start
        return self.let(f"{start} + {self.constant(np.uint64(by & (1 << 64) - 1))}")

    def _places(self, given: Instruction, text: str, count: int, width: int) -> tuple[str, str]:
        """The names of what holds a space's numbers, and of the places in it that are meant."""
        space = next((p for p in given.parts if p in SPACES), "")
        space = "global" if space == "const" else space
        at = self._address(text)
        return (
            f"launch.words[{space!r}, {width}]",
            self.let(f"launch.found({space!r}, who, {at}, {count}, {width})"),
        )

    def _ld(self, given: Instruction) -> None:
        kind = given.parts[-1]
        target, source = given.operands
        width = numbers.width(kind)
        names = [n.strip() for n in target.strip("{}").split(",")]
        if "param" in given.parts:
            self._parameter(names, source, kind)
            return
        words, places = self._places(given, source, len(names), width)
        for k, name in enumerate(names):
            text = f"{words}[{places} + {k}]" if k else f"{words}[{places}]"
            self._loaded(name, text, kind)

    def _loaded(self, name: str, text: str, kind: str) -> None:
        if kind[0] == "s":
            text = f"({text}).view({self.type(kind)})"
            self.write(name, text, kind)
        else:
            self.write(name, text, f"u{8 * numbers.width(kind)}")

    def _parameter(self, names: Sequence[str], source: str, kind: str) -> None:
        base, _, shift = source.strip("[]").partition("+")
        for k, name in enumerate(names):
            start = int(shift or 0) + k * numbers.width(kind)
            self._loaded(name, f"launch.parameter({base!r}, {start}, {numbers.width(kind)})", kind)

    def _st(self, given: Instruction) -> None:
        kind = given.parts[-1]
        target, source = given.operands
        texts = [n.strip() for n in source.strip("{}").split(",")]
        width = numbers.width(kind)
        words, places = self._places(given, target, len(texts), width)
        for k, text in enumerate(texts):
            at = f"{places} + {k}" if k else places
            value = self.read(text, f"u{8 * width}")
            self.lines.append(f"put({words}, {at}, {value})")

    def _atom(self, given: Instruction) -> None:
        operands = given.operands
        target, place, *texts = operands if given.parts[0] == "atom" else ["_", *operands]
        kind = given.parts[-1]
        width = numbers.width(kind)
        what = next(p for p in given.parts if p in operations.ATOMIC)
        words, places = self._places(given, place, 1, width)
        values = [self.read(t, f"u{8 * width}") for t in texts]
        said = ", ".join([words, places, repr(what), repr(kind), self.count(), *values])
        old = self.let(f"{self.constant(operations.atomically)}({said})")
        self.write(target, old, f"u{8 * width}")

    _red = _atom
