"""Prints expressions as LLVM IR on explicit vectors.

The text is meant for code generation without an optimiser: no allocas, no calls of libraries, and
splat constants that instruction selection folds. One lane gives scalar text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import BITS, FLOATS, SIGNED, Value, schedule
from rushlight.engine.loops.ir_text import literal, llvm_type, splat, suffix, vector
from rushlight.engine.loops.remainder import remainder_function
from rushlight.engine.loops.target import Target
from rushlight.engine.loops.verify import verify
from rushlight.engine.native import observe
from rushlight.engine.native.lowlevel import Text

_ROUND = {"sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint"}
_INT = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}
_FLOAT = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "ratio": "fdiv arcp"}
_FLOAT_COMPARE = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
_COMPUTED = ("f32", "f64")


class Program:
    """Lowered, verified values of one loop body, ready to be printed any number of times.

    Args:
        outputs: the values
        target: the processor
        is_lowered: whether the values are made of those of another program
    """

    def __init__(self, outputs: Sequence[Value], target: Target, is_lowered: bool = False) -> None:
        self.target = target
        observe.tell("expression", outputs)
        self.order, self.outputs = schedule(outputs)
        verify(self.order)
        if not is_lowered:
            self.order, self.outputs = schedule(casts.lower(self.order, self.outputs, target))
            verify(self.order)
        self._block = Block.of(self.order, self.outputs, set())
        skipped = {id(value) for _, block in self.rare_blocks for value in block}
        self._usual = [value for value in self.order if id(value) not in skipped]
        observe.tell("program", self)

    @property
    def cost(self) -> int:
        """How many operations one element usually takes."""
        return sum(value.op not in ("arg", "const") for value in self._usual)

    @property
    def rare_blocks(self) -> list[tuple[Value, list[Value]]]:
        """The values that may take a dear way, each with what only that way needs."""
        rare = self._block.rare
        return [(v, rare[id(v)].all_values()) for v in self._block.values if id(v) in rare]

    @property
    def widest(self) -> int:
        """The bytes of the widest type usually computed with."""
        return max((max(1, BITS[v.type] // 8) for v in self._usual), default=1)

    def description(self) -> str:
        """What the program computes: each value with the numbers of those it is made of."""
        numbers = {id(value): k for k, value in enumerate(self.order)}
        said = [(v.op, v.type, v.attr, *(numbers[id(a)] for a in v.args)) for v in self.order]
        return f"{said}{[numbers[id(v)] for v in self.outputs]}"

    def print(self, text: Text, lanes: int, arguments: Mapping[int, str]) -> list[str]:
        """Write the instructions for one vector; the outputs' names."""
        names: dict[int, str] = {}
        self._print(self._block, names, text, lanes, arguments)
        return [names[id(value)] for value in self.outputs]

    def _print(
        self,
        block: Block,
        names: dict[int, str],
        text: Text,
        lanes: int,
        arguments: Mapping[int, str],
    ) -> None:
        for value in block.values:
            start = len(text.lines)
            if value.op == "arg":
                names[id(value)] = arguments[value.attr]
            elif value.op == "const":
                names[id(value)] = splat(value.type, value.attr, lanes)
            elif id(value) in block.rare:
                rare = block.rare[id(value)]
                names[id(value)] = self._print_rare(value, rare, names, text, lanes, arguments)
            else:
                operands = [names[id(a)] for a in value.args]
                writer = Instruction(text, value, lanes, self.target)
                names[id(value)] = _WRITERS.get(value.op, Instruction.plain)(writer, *operands)
            if observe.is_heard():
                lines = text.lines[start:] or text.definition(names[id(value)])
                observe.tell("printed", (self, value, lines))

    def _print_rare(
        self,
        value: Value,
        block: Block,
        names: dict[int, str],
        text: Text,
        lanes: int,
        arguments: Mapping[int, str],
    ) -> str:
        """The rare value's instructions behind a branch; without them, the usual value."""
        condition, _, usual = (names.get(id(a), "") for a in value.args)
        writer = Instruction(text, value, lanes, self.target)

        def compute() -> list[str]:
            inner = dict(names)
            self._print(block, inner, text, lanes, arguments)
            return [writer.choose(condition, inner[id(value.args[1])], usual)]

        some = condition
        if lanes > 1:
            bits = text.let(f"bitcast <{lanes} x i1> {condition} to i{lanes}")
            some = text.let(f"icmp ne i{lanes} {bits}, 0")
        return text.when(some, compute, lambda: [usual], [writer.type])[0]


class Block(NamedTuple):
    """Values that are computed together, in order, and what some `rare` values among them need."""

    values: list[Value]
    rare: dict[int, Block]

    @classmethod
    def of(cls, order: Sequence[Value], outputs: Sequence[Value], known: AbstractSet[int]) -> Block:
        """What outputs usually need besides ``known`` values, and then what rare ones need besides that."""
        usual = _usually_needed(outputs, known)
        values = [v for v in order if id(v) in usual]
        known = known | usual
        rare = {id(v): cls.of(order, v.args[1:2], known) for v in values if v.op == "rare"}
        return cls(values, {k: block for k, block in rare.items() if block.values})

    def all_values(self) -> list[Value]:
        """The values, and those of blocks within."""
        return [*self.values, *(v for block in self.rare.values() for v in block.all_values())]


def _usually_needed(starts: Sequence[Value], known: AbstractSet[int]) -> set[int]:
    """What values are made of besides ``known`` ones, without what only rare operands need."""
    found: set[int] = set()
    stack = list(starts)
    while stack:
        value = stack.pop()
        if id(value) not in found and id(value) not in known:
            found.add(id(value))
            stack.extend(value.args[::2] if value.op == "rare" else value.args)
    return found


class Instruction:
    """Writes one operation on vectors."""

    def __init__(self, text: Text, value: Value, lanes: int, target: Target) -> None:
        self.text = text
        self.value = value
        self.lanes = lanes
        self.target = target
        self.type = vector(lanes, llvm_type(value.type))

    def vector_of(self, type: str) -> str:
        return vector(self.lanes, llvm_type(type))

    def intrinsic(self, name: str, *operands: str, type: str | None = None) -> str:
        kind = type or self.value.type
        whole = self.vector_of(kind)
        pairs = [(whole, x) for x in operands]
        return self.text.call(whole, f"llvm.{name}.{suffix(kind, self.lanes)}", *pairs)

    def plain(self, *operands: str) -> str:
        op, kind = self.value.op, self.value.type
        if op in _ROUND:
            return self.intrinsic(_ROUND[op], *operands)
        name = (_FLOAT if kind in _COMPUTED else _INT)[op]
        return self.text.let(f"{name} {self.type} {', '.join(operands)}")

    def compare(self, a: str, b: str) -> str:
        op, kind = self.value.op, self.value.args[0].type
        if kind in _COMPUTED:
            how = f"fcmp {_FLOAT_COMPARE[op]}"
        else:
            sign = "" if op in ("eq", "ne") else "s" if kind in SIGNED else "u"
            how = f"icmp {sign}{op}"
        return self.text.let(f"{how} {self.vector_of(kind)} {a}, {b}")

    def minimum(self, a: str, b: str) -> str:
        kind, op = self.value.type, self.value.op
        if kind not in _COMPUTED:
            sign = "s" if kind in SIGNED else "u"
            return self.intrinsic(f"{sign}{op[:3]}", a, b)
        # On equality and with a NaN in b this is b, as the processor's own instruction has it;
        # a NaN in a is put back. Cheaper than llvm.minimum, which also orders the zeros.
        order = "olt" if op == "minimum" else "ogt"
        take = self.text.let(f"fcmp {order} {self.type} {a}, {b}")
        best = self.choose(take, a, b)
        return self.choose(self.text.let(f"fcmp uno {self.type} {a}, {a}"), a, best)

    def choose(self, condition: str, a: str, b: str) -> str:
        bits = vector(self.lanes, "i1")
        return self.text.let(f"select {bits} {condition}, {self.type} {a}, {self.type} {b}")

    def negate(self, x: str) -> str:
        if self.value.type in _COMPUTED:
            return self.text.let(f"fneg {self.type} {x}")
        return self.text.let(f"sub {self.type} {splat(self.value.type, 0, self.lanes)}, {x}")

    def absolute(self, x: str) -> str:
        if self.value.type in _COMPUTED:
            return self.intrinsic("fabs", x)
        name = f"llvm.abs.{suffix(self.value.type, self.lanes)}"
        return self.text.call(self.type, name, (self.type, x), ("i1", "false"))

    def fma(self, a: str, b: str, c: str) -> str:
        if self.target.fma:
            return self.intrinsic("fma", a, b, c)
        product = self.text.let(f"fmul {self.type} {a}, {b}")
        return self.text.let(f"fadd {self.type} {product}, {c}")

    def scale(self, x: str, exponent: str) -> str:
        """By a power of two; one instruction where a whole vector of it is at hand."""
        kind, lanes = self.value.type, self.lanes
        width = lanes * BITS[kind]
        if width not in (128, 256, 512):
            whole = vector(lanes, "i32")
            power = self.text.let(f"fptosi {self.type} {exponent} to {whole}")
            name = f"llvm.ldexp.{suffix(kind, lanes)}.{suffix('i32', lanes)}"
            return self.text.call(self.type, name, (self.type, x), (whole, power))
        name = f"llvm.x86.avx512.mask.scalef.p{'s' if kind == 'f32' else 'd'}.{width}"
        rounding = [("i32", "4")] if width == 512 else []
        operands = [(self.type, x), (self.type, exponent), (self.type, x)]
        return self.text.call(self.type, name, *operands, (f"i{max(8, lanes)}", "-1"), *rounding)

    def copysign(self, x: str, sign: str) -> str:
        return self.intrinsic("copysign", x, sign)

    def invert(self, x: str) -> str:
        ones = splat(self.value.type, -1, self.lanes)
        return self.text.let(f"xor {self.type} {x}, {ones}")

    def shift(self, x: str, by: str) -> str:
        op = "shl" if self.value.op == "shl" else "ashr" if self.value.type in SIGNED else "lshr"
        return self.text.let(f"{op} {self.type} {x}, {by}")

    def leading_zeros(self, x: str) -> str:
        name = f"llvm.ctlz.{suffix(self.value.type, self.lanes)}"
        return self.text.call(self.type, name, (self.type, x), ("i1", "false"))

    def divide(self, a: str, b: str) -> str:
        """Division of 64-bit integers that cannot trap: by zero and -1 it divides by 1."""
        kind, op = self.value.type, self.value.op
        if kind in _COMPUTED:
            if op == "rem":
                return self.float_remainder(a, b)
            return self.plain(a, b)
        one, zero = (splat(kind, n, self.lanes) for n in (1, 0))
        bad = self.text.let(f"icmp eq {self.type} {b}, {zero}")
        if kind not in SIGNED:
            safe = self.choose(bad, one, b)
            return self.text.let(f"u{op} {self.type} {a}, {safe}")
        flip = self.text.let(f"icmp eq {self.type} {b}, {splat(kind, -1, self.lanes)}")
        bits = vector(self.lanes, "i1")
        safe = self.choose(self.text.let(f"or {bits} {bad}, {flip}"), one, b)
        result = self.text.let(f"s{op} {self.type} {a}, {safe}")
        return result if op == "rem" else self.choose(flip, self.negate(result), result)

    def float_remainder(self, a: str, b: str) -> str:
        """C's fmod, exactly: subtract quotients scaled by powers of two until below ``b``."""
        kind, lanes = self.value.type, self.lanes
        name = f"remainder_{kind}_{lanes}"
        self.text.define(name, remainder_function(self.text, name, kind, lanes, self.target.fma))
        return self.text.let(f"call {self.type} @{name}({self.type} {a}, {self.type} {b})")

    def high_product(self, a: str, b: str) -> str:
        wide = vector(self.lanes, "i128")
        extend = "sext" if self.value.type in SIGNED else "zext"
        x, y = (self.text.let(f"{extend} {self.type} {v} to {wide}") for v in (a, b))
        product = self.text.let(f"mul {wide} {x}, {y}")
        by = "64" if self.lanes == 1 else "splat (i128 64)"
        high = self.text.let(f"lshr {wide} {product}, {by}")
        return self.text.let(f"trunc {wide} {high} to {self.type}")

    def select(self, condition: str, a: str, b: str) -> str:
        return self.choose(condition, a, b)

    def bitcast(self, x: str) -> str:
        source = self.vector_of(self.value.args[0].type)
        if source == self.type:
            return x
        return self.text.let(f"bitcast {source} {x} to {self.type}")

    def convert(self, x: str) -> str:
        source, kind = self.value.args[0].type, self.value.type
        before = self.vector_of(source)
        if kind == "bool":
            zero = splat(source, 0, self.lanes)
            how = "fcmp une" if source in _COMPUTED else "icmp ne"
            return self.text.let(f"{how} {before} {x}, {zero}")
        if "f16" in (source, kind):
            half = vector(self.lanes, "half")
            if source == "f16":
                bits = self.text.let(f"bitcast {before} {x} to {half}")
                return self.text.let(f"fpext {half} {bits} to {self.type}")
            narrow = self.text.let(f"fptrunc {before} {x} to {half}")
            return self.text.let(f"bitcast {half} {narrow} to {self.type}")
        how = _conversion(source, kind)
        if not how:
            return x
        result = self.text.let(f"{how} {before} {x} to {self.type}")
        if how in ("fptosi", "fptoui"):
            # Out of range is whatever the instruction gives: freezing keeps it one fixed value.
            return self.text.let(f"freeze {self.type} {result}")
        return result

    def table(self, index: str) -> str:
        kind = self.value.type
        index_type = self.value.args[0].type
        where = self.vector_of(index_type)
        entries = self.value.attr
        scalar = "i8" if kind == "bool" else llvm_type(kind)
        written = [str(int(v)) if kind == "bool" else literal(kind, v) for v in entries]
        name = self.text.constant_table(scalar, written)
        if BITS[index_type] < 64:
            extend = "sext" if index_type in SIGNED else "zext"
            index = self.text.let(f"{extend} {where} {index} to {vector(self.lanes, 'i64')}")
        where = vector(self.lanes, "i64")
        address = self.text.let(f"getelementptr {scalar}, ptr {name}, {where} {index}")
        entry = gather(self.text, scalar, address, self.lanes)
        if kind == "bool":
            return self.text.let(f"trunc {vector(self.lanes, 'i8')} {entry} to {self.type}")
        return entry


def gather(text: Text, scalar: str, addresses: str, lanes: int) -> str:
    """Load one element per lane from a vector of addresses."""
    whole = vector(lanes, scalar)
    if lanes == 1:
        return text.let(f"load {whole}, ptr {addresses}")
    short = {"float": "f32", "double": "f64"}.get(scalar, scalar)
    size = {"float": 4, "double": 8}.get(scalar) or int(scalar[1:]) // 8
    return text.call(
        whole,
        f"llvm.masked.gather.v{lanes}{short}.v{lanes}p0",
        (f"<{lanes} x ptr>", f"align {size} {addresses}"),
        (f"<{lanes} x i1>", "splat (i1 true)"),
        (whole, "poison"),
    )


def _conversion(source: str, kind: str) -> str:
    """LLVM's instruction for a conversion; empty if the bits stay."""
    from_float, to_float = source in FLOATS, kind in FLOATS
    signed = source in SIGNED
    if from_float and to_float:
        return "fpext" if BITS[kind] > BITS[source] else "fptrunc"
    if from_float:
        return "fptosi" if kind in SIGNED else "fptoui"
    if to_float:
        return "sitofp" if signed else "uitofp"
    if BITS[kind] == BITS[source]:
        return ""
    if BITS[kind] < BITS[source]:
        return "trunc"
    return "sext" if signed else "zext"


_WRITERS: dict[str, Callable[..., str]] = {
    **dict.fromkeys(("lt", "le", "gt", "ge", "eq", "ne"), Instruction.compare),
    **dict.fromkeys(("minimum", "maximum"), Instruction.minimum),
    **dict.fromkeys(("div", "rem"), Instruction.divide),
    **dict.fromkeys(("shl", "shr"), Instruction.shift),
    "neg": Instruction.negate,
    "abs": Instruction.absolute,
    "fma": Instruction.fma,
    "scaleb": Instruction.scale,
    "copysign": Instruction.copysign,
    "not": Instruction.invert,
    "clz": Instruction.leading_zeros,
    "mulhi": Instruction.high_product,
    "select": Instruction.select,
    "rare": Instruction.select,
    "bitcast": Instruction.bitcast,
    "convert": Instruction.convert,
    "table": Instruction.table,
}
