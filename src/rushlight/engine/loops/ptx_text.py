"""The same loops for NVIDIA's processors: maps and reductions as IR that compiles to PTX.

Expressions are printed for one element per thread. A kernel takes its operands' pointers, then its
sizes, then its strides in bytes (as CPU kernels order them), all by value. Nothing is called:
neither a device library nor an intrinsic that PTX lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import Body, trace
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.target import Target
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import (
    Pointer,
    Text,
    Value,
    Vector,
    divided,
    extended,
    inlined,
    intrinsic,
    lane,
    left_over,
    load,
    put_lane,
    store,
    vector_of,
)
from rushlight.engine.native.lowlevel.text import uncollected, writing
from rushlight.engine.native.lowlevel.values import POINTER, WORD, let

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
) -> str:
    """The IR of a map over ``dims`` dimensions, the first innermost.

    ``contiguous``: all operands are, and there is one dimension. Then a thread takes ``each``
    neighbouring elements at once, which needs operands aligned to that many. Any grid will do:
    threads walk on by the grid's size.
    """
    program = Program(trace(body, outs, ins, params), GPU)
    return _Map(program, outs, ins, dims, contiguous, each).text()


class GpuKernel:
    """A kernel whose parameters are given by value."""

    def __init__(self, operands: int, dims: int) -> None:
        self.sizes: list[Any] = [Value(WORD, f"%size{d}") for d in range(dims)]
        self.strides = [
            [Value(WORD, f"%stride{d}_{k}") for k in range(operands)] for d in range(dims)
        ]
        self.globals = [f"ptr addrspace(1) %global{k}" for k in range(operands)]
        self.shared: list[str] = []

    def run(self) -> None:
        """The whole kernel."""
        raise NotImplementedError

    def text(self) -> str:
        written = Text()
        with uncollected(), writing(written):
            self.pointers = [let(POINTER, f"addrspacecast {x} to ptr") for x in self.globals]
            self.run()
        words = [*self.sizes, *(stride for row in self.strides for stride in row)]
        parameters = ", ".join([*self.globals, *map(repr, words)])
        return written.module(parameters, "ptx_kernel", "\n".join([HEADER, *self.shared]))

    def store_one(self, outs: Sequence[Operand], values: Sequence[Value]) -> None:
        """Store the parts of one element of each output."""
        for out in outs:
            mine, values = values[: out.parts], values[out.parts :]
            for part, value in enumerate(mine):
                store(out.pointer + part * out.part_bytes, value, out.part_bytes)


def special(name: str) -> int:
    """A special register, as a word."""
    return extended(intrinsic("i32", REGISTER + name), signed=False)


class _Map(GpuKernel):
    def __init__(
        self, program: Program, outs: Sequence[str], ins: Sequence[str], dims: int,
        contiguous: bool, each: int,
    ) -> None:  # fmt: skip
        memories = [*outs, *ins]
        super().__init__(len(memories), dims)
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
                self.one([p + o for p, o in zip(self.pointers, self.offsets(index), strict=True)])
            return
        start = 0
        if self.each > 1:
            bulk = divided(total, self.each)
            for group in range(thread, bulk, threads):
                self.several(group * self.each)
            start = bulk * self.each
        for index in range(thread + start, total, threads):
            self.one(self.places(index))

    def offsets(self, index: int) -> list[int]:
        """Each operand's byte offset at a linear index over all dims."""
        places = []
        for size in self.sizes[:-1]:
            places.append(left_over(index, size))
            index = divided(index, size)
        places.append(index)
        found = []
        for k in range(len(self.pointers)):
            offset = places[0] * self.strides[0][k]
            for place, strides in zip(places[1:], self.strides[1:], strict=True):
                offset = offset + place * strides[k]
            found.append(offset)
        return found

    def places(self, index: int) -> list[Pointer]:
        """Where the operands' elements lie, one behind the other."""
        found = []
        for operand, pointer in zip(self.operands, self.pointers, strict=True):
            operand.point(pointer, 0)
            found.append(operand.address(index))
        return found

    def one(self, places: list[Pointer]) -> None:
        """Load, compute and store the elements at some places."""
        for operand, place in zip(self.operands, places, strict=True):
            operand.point(place, 0)
        parts = [part for x in self.operands[self.outs :] for part in x.load_one(x.pointer)]
        self.store_one(self.operands[: self.outs], computed(self.program, 1, parts))

    def several(self, index: int) -> None:
        """Load, compute and store neighbouring elements, each operand as one vector."""
        each, places = self.each, self.places(index)
        outs, ins = self.operands[: self.outs], self.operands[self.outs :]
        loaded = [
            (load(place, vector_of(each * x.parts, x.scalar), x.bytes * each), x)
            for x, place in zip(ins, places[self.outs :], strict=True)
        ]
        stored: list[Vector | None] = [None for _ in outs]
        for k in range(each):
            parts = [lane(v, k * x.parts + part) for v, x in loaded for part in range(x.parts)]
            results = computed(self.program, 1, parts)
            for number, out in enumerate(outs):
                mine, results = results[: out.parts], results[out.parts :]
                for part, value in enumerate(mine):
                    at = k * out.parts + part
                    stored[number] = put_lane(stored[number], at, value, each * out.parts)
        for whole, out, place in zip(stored, outs, places, strict=False):
            store(place, whole, out.bytes * each)
