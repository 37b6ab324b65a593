"""The same loops for NVIDIA's processors: maps and reductions as IR that compiles to PTX.

Expressions are printed for one element per thread. A kernel takes its operands' pointers, then its
sizes, then its strides in bytes (as CPU kernels order them), then operands that are numbers, all by value
and in words of eight bytes. Nothing is called: neither a device library nor an intrinsic that PTX lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import Body, trace
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.target import Target
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.garbage import uncollected
from rushlight.engine.native.lowlevel import (
    Pointer,
    Text,
    Value,
    Vector,
    bits_as,
    divided,
    extended,
    inlined,
    intrinsic,
    lane,
    left_over,
    load,
    narrowed,
    put_lane,
    shifted,
    store,
    vector_of,
)
from rushlight.engine.native.lowlevel.text import writing
from rushlight.engine.native.lowlevel.values import POINTER, WORD, is_float, let

GPU = Target(vector_bytes=4, masks=False, fma=True, half=True)
HEADER = 'target triple = "nvptx64-nvidia-cuda"'
REGISTER = "llvm.nvvm.read.ptx.sreg."


def ptx(ir: str, processor: str = "sm_90", features: str = "+ptx80") -> str:
    """The PTX of a kernel's IR; its entry is ``KERNEL``."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(
        cpu=processor, features=features, opt=3
    )
    module = llvm.parse_assembly(ir)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return str(machine.emit_assembly(module))


def map_ptx_ir(
    body: Body,
    outs: Sequence[str],
    ins: Sequence[str],
    params: Sequence[str],
    dims: int,
    *,
    contiguous: bool = False,
    each: int = 1,
    numbers: Sequence[int] = (),
) -> str:
    """The IR of a map over ``dims`` dimensions, the first innermost.

    ``contiguous``: all operands are, and there is one dimension. Then a thread takes ``each``
    neighbouring elements at once, which needs operands aligned to that many. Any grid will do:
    threads walk on by the grid's size. ``numbers``: which of the inputs are given by value.
    """
    program = Program(trace(body, outs, ins, params), GPU)
    return program_ptx_ir(
        program, outs, ins, dims, contiguous=contiguous, each=each, numbers=numbers
    )


def program_ptx_ir(
    program: Program, outs: Sequence[str], ins: Sequence[str], dims: int, *, contiguous: bool = False,
    each: int = 1, numbers: Sequence[int] = (),
) -> str:  # fmt: skip
    """`map_ptx_ir` of a scalar function that has been traced."""
    return _Map(program, outs, ins, dims, contiguous, each, numbers).text()


def count_ptx_ir() -> str:
    """The IR of a kernel that writes int64 numbers from a first one on, at even distances."""
    return _Count(["i64"] * 3, 1, [1, 2]).text()


class GpuKernel:
    """A kernel whose parameters are given by value.

    Args:
        memories: the operands' types in memory, outputs first
        dims: how many dimensions there are
        numbers: which operands are not in memory
    """

    def __init__(self, memories: Sequence[str], dims: int, numbers: Sequence[int] = ()) -> None:
        self.in_memory = [k for k in range(len(memories)) if k not in numbers]
        self.sizes: list[Any] = [Value(WORD, f"%size{d}") for d in range(dims)]
        self.strides: list[dict[int, Any]] = [
            {k: Value(WORD, f"%stride{d}_{k}") for k in self.in_memory} for d in range(dims)
        ]
        self.globals = [f"ptr addrspace(1) %global{k}" for k in self.in_memory]
        self.numbers = {
            k: [Value(WORD, f"%number{k}_{w}") for w in range(number_words(memories[k]))]
            for k in numbers
        }
        self.pointers: dict[int, Pointer] = {}
        self.shared: list[str] = []

    def run(self) -> None:
        """The whole kernel."""
        raise NotImplementedError

    def write(self, text: Text) -> None:
        """Write the kernel, and what it calls."""
        self.run()

    def text(self) -> str:
        written = Text()
        with uncollected(), writing(written):
            for k, x in zip(self.in_memory, self.globals, strict=True):
                self.pointers[k] = let(POINTER, f"addrspacecast {x} to ptr")
            self.write(written)
        words = [*self.sizes, *(stride for row in self.strides for stride in row.values())]
        words += [word for own in self.numbers.values() for word in own]
        parameters = ", ".join([*self.globals, *map(repr, words)])
        return written.module(parameters, "ptx_kernel", "\n".join([HEADER, *self.shared]))

    def number(self, k: int, operand: Operand) -> list[Value]:
        """The parts of an operand that is given by value."""
        bits = 8 * operand.part_bytes
        words = self.numbers[k]
        if operand.parts == 2 and len(words) == 1:
            words = [words[0], shifted(words[0], bits)]
        whole = [word if bits == 64 else narrowed(word, f"i{bits}") for word in words]
        return [bits_as(x, operand.scalar) if is_float(operand.scalar) else x for x in whole]

    def store_one(self, outs: Sequence[Operand], values: Sequence[Value]) -> None:
        """Store the parts of one element of each output."""
        for out in outs:
            mine, values = values[: out.parts], values[out.parts :]
            for part, value in enumerate(mine):
                store(out.pointer + part * out.part_bytes, value, out.part_bytes)


def number_words(memory: str) -> int:
    """How many words an operand takes that is given by value."""
    return 2 if memory == "c128" else 1


def special(name: str) -> int:
    """A special register, as a word."""
    return extended(intrinsic("i32", REGISTER + name), signed=False)


class _Count(GpuKernel):
    @inlined
    def run(self) -> None:
        (first,), (distance,) = self.numbers[1], self.numbers[2]
        width = special("ntid.x")
        start = special("ctaid.x") * width + special("tid.x")
        for index in range(start, self.sizes[0], special("nctaid.x") * width):
            store(self.pointers[0] + index * 8, first + index * distance)


class _Map(GpuKernel):
    def __init__(
        self, program: Program, outs: Sequence[str], ins: Sequence[str], dims: int,
        contiguous: bool, each: int, numbers: Sequence[int],
    ) -> None:  # fmt: skip
        memories = [*outs, *ins]
        super().__init__(memories, dims, [len(outs) + k for k in numbers])
        self.program = program
        self.outs = len(outs)
        self.contiguous = contiguous
        self.each = each
        self.operands = [Operand(m, "c" if contiguous else "g") for m in memories]

    @inlined
    def run(self) -> None:
        total = self.sizes[0]
        for size in self.sizes[1:]:
            total = total * size
        # This thread's number in the grid, and the number of threads.
        width = special("ntid.x")
        thread = special("ctaid.x") * width + special("tid.x")
        threads = special("nctaid.x") * width
        if not self.contiguous:
            for index in range(thread, total, threads):
                self.one(self.scattered(index))
            return
        start = 0
        if self.each > 1:
            bulk = divided(total, self.each)
            for group in range(thread, bulk, threads):
                self.several(group * self.each)
            start = bulk * self.each
        for index in range(thread + start, total, threads):
            self.one(self.places(index))

    def scattered(self, index: int) -> dict[int, Pointer]:
        """Where each operand's element is at a linear index over all dims."""
        places = []
        for size in self.sizes[:-1]:
            places.append(left_over(index, size))
            index = divided(index, size)
        places.append(index)
        found = {}
        for k, pointer in self.pointers.items():
            offset = places[0] * self.strides[0][k]
            for place, strides in zip(places[1:], self.strides[1:], strict=True):
                offset = offset + place * strides[k]
            found[k] = pointer + offset
        return found

    def places(self, index: int) -> dict[int, Pointer]:
        """Where the operands' elements lie, one behind the other."""
        found = {}
        for k, pointer in self.pointers.items():
            self.operands[k].point(pointer, 0)
            found[k] = self.operands[k].address(index)
        return found

    def one(self, places: dict[int, Pointer]) -> None:
        """Load, compute and store the elements at some places."""
        parts: list[Value] = []
        for k, operand in enumerate(self.operands):
            if k in places:
                operand.point(places[k], 0)
            if k >= self.outs:
                parts += operand.load_one(places[k]) if k in places else self.number(k, operand)
        self.store_one(self.operands[: self.outs], computed(self.program, 1, parts))

    def several(self, index: int) -> None:
        """Load, compute and store neighbouring elements, each operand as one vector."""
        each, places = self.each, self.places(index)
        loaded = {
            k: load(places[k], vector_of(each * x.parts, x.scalar), x.bytes * each)
            for k, x in enumerate(self.operands)
            if k >= self.outs and k in places
        }
        outs = self.operands[: self.outs]
        stored: list[Vector | None] = [None for _ in outs]
        for e in range(each):
            parts: list[Value] = []
            for k, x in enumerate(self.operands[self.outs :], start=self.outs):
                if k in loaded:
                    parts += [lane(loaded[k], e * x.parts + part) for part in range(x.parts)]
                else:
                    parts += self.number(k, x)
            results = computed(self.program, 1, parts)
            for number, out in enumerate(outs):
                mine, results = results[: out.parts], results[out.parts :]
                for part, value in enumerate(mine):
                    at = e * out.parts + part
                    stored[number] = put_lane(stored[number], at, value, each * out.parts)
        for k, (whole, out) in enumerate(zip(stored, outs, strict=True)):
            store(places[k], whole, out.bytes * each)
