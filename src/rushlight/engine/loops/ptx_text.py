"""The same loops for NVIDIA's processors: maps and reductions as IR that compiles to PTX.

Expressions are printed for one element per thread. A kernel takes its operands' pointers, then its
sizes, then its strides in bytes (as CPU kernels order them), all by value. Nothing is called:
neither a device library nor an intrinsic that PTX lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.expr import BITS
from rushlight.engine.loops.ir_text import literal, llvm_type, vector
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import Body, trace
from rushlight.engine.loops.phase_programs import Programs
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.target import Target
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import Text, Value, element
from rushlight.engine.native.lowlevel.text import writing

GPU = Target(vector_bytes=4, masks=False, fma=True, half=True)
HEADER = 'target triple = "nvptx64-nvidia-cuda"'
REGISTER = "llvm.nvvm.read.ptx.sreg."
WARP = 32
MOST_WARPS = 32


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
    memories = [*outs, *ins]
    text = Text()
    frame = _Frame(text, len(memories), dims)
    operands = [
        Operand(m, "c" if contiguous else "g", p)
        for m, p in zip(memories, frame.pointers, strict=True)
    ]
    total = frame.sizes[0]
    for size in frame.sizes[1:]:
        total = text.let(f"mul i64 {total}, {size}")
    thread, threads = _grid(text)

    def one(places: list[str]) -> list[str]:
        here = [Operand(x.memory, x.letter, p) for x, p in zip(operands, places, strict=True)]
        parts = [p for x in here[len(outs) :] for p in _load_one(text, x, x.pointer)]
        _store_one(text, here[: len(outs)], program.print(text, 1, dict(enumerate(parts))))
        return []

    def general(index: str, _: list[str]) -> list[str]:
        pairs = zip(frame.pointers, frame.offsets(index), strict=True)
        return one([text.let(f"getelementptr i8, ptr {p}, i64 {o}") for p, o in pairs])

    if not contiguous:
        text.loop(thread, total, threads, general)
        return frame.module()

    start = "0"
    if each > 1:
        bulk = text.let(f"udiv i64 {total}, {each}")

        def several(group: str, _: list[str]) -> list[str]:
            index = text.let(f"mul i64 {group}, {each}")
            _several(text, program, operands, len(outs), index, each)
            return []

        text.loop(thread, bulk, threads, several)
        start = text.let(f"mul i64 {bulk}, {each}")
    first = text.let(f"add i64 {start}, {thread}")

    def single(index: str, _: list[str]) -> list[str]:
        return one([_address(text, x, index) for x in operands])

    text.loop(first, total, threads, single)
    return frame.module()


def _several(
    text: Text, program: Program, operands: list[Operand], outs: int, index: str, each: int
) -> None:
    """Load, compute and store neighbouring elements, each operand as one vector."""
    loaded: list[tuple[str, Operand]] = []
    for operand in operands[outs:]:
        whole = vector(each * operand.parts, operand.scalar)
        align = operand.bytes * each
        pointer = _address(text, operand, index)
        loaded.append((text.let(f"load {whole}, ptr {pointer}, align {align}"), operand))
    stored = [["poison"] for _ in operands[:outs]]
    for lane in range(each):
        parts = [
            text.let(
                f"extractelement {vector(each * x.parts, x.scalar)} {name}, "
                f"i32 {lane * x.parts + part}"
            )
            for name, x in loaded
            for part in range(x.parts)
        ]
        results = program.print(text, 1, dict(enumerate(parts)))
        for k, out in enumerate(operands[:outs]):
            mine, results = results[: out.parts], results[out.parts :]
            whole = vector(each * out.parts, out.scalar)
            for part, value in enumerate(mine):
                stored[k][0] = text.let(
                    f"insertelement {whole} {stored[k][0]}, {out.scalar} {value}, "
                    f"i32 {lane * out.parts + part}"
                )
    for (value,), out in zip(stored, operands[:outs], strict=True):
        whole = vector(each * out.parts, out.scalar)
        pointer = _address(text, out, index)
        text.do(f"store {whole} {value}, ptr {pointer}, align {out.bytes * each}")


def reduce_ptx_ir(reduction: Reduction, outs: Sequence[str], ins: Sequence[str]) -> str:
    """The IR of a reduction: dims 0 and 1 are reduced, dim 2 is kept.

    A block of threads (a multiple of 32) makes one output at a time. Each thread takes every so
    manyth element; threads join by warp shuffles, warps through shared memory.
    """
    return _BlockReduction(Programs(reduction, outs, ins, GPU), outs, ins).frame.module()


class _Frame:
    """A GPU kernel's parameters."""

    def __init__(self, text: Text, operands: int, dims: int) -> None:
        self.text = text
        self.dims = dims
        self.sizes = [f"%size{d}" for d in range(dims)]
        self.strides = [[f"%stride{d}_{k}" for k in range(operands)] for d in range(dims)]
        names = [*self.sizes, *(s for row in self.strides for s in row)]
        pointers = [f"ptr addrspace(1) %global{k}" for k in range(operands)]
        self.parameters = ", ".join([*pointers, *(f"i64 {name}" for name in names)])
        self.shared: list[str] = []
        self.pointers = [
            text.let(f"addrspacecast ptr addrspace(1) %global{k} to ptr") for k in range(operands)
        ]

    def offsets(self, index: str) -> list[str]:
        """Each operand's byte offset at a linear index over all dims."""
        text = self.text
        places = []
        for d in range(self.dims):
            if d == self.dims - 1:
                places.append(index)
            else:
                places.append(text.let(f"urem i64 {index}, {self.sizes[d]}"))
                index = text.let(f"udiv i64 {index}, {self.sizes[d]}")
        found = []
        for k in range(len(self.pointers)):
            sum = text.let(f"mul i64 {places[0]}, {self.strides[0][k]}")
            for d in range(1, self.dims):
                term = text.let(f"mul i64 {places[d]}, {self.strides[d][k]}")
                sum = text.let(f"add i64 {sum}, {term}")
            found.append(sum)
        return found

    def module(self) -> str:
        header = "\n".join([HEADER, *self.shared])
        return self.text.module(self.parameters, "ptx_kernel", header)


def _special(text: Text, name: str) -> str:
    """A special register, as i64."""
    return text.let(f"zext i32 {text.call('i32', REGISTER + name)} to i64")


def _grid(text: Text) -> tuple[str, str]:
    """This thread's number in the grid and the number of threads."""
    width = _special(text, "ntid.x")
    before = text.let(f"mul i64 {_special(text, 'ctaid.x')}, {width}")
    thread = text.let(f"add i64 {before}, {_special(text, 'tid.x')}")
    return thread, text.let(f"mul i64 {_special(text, 'nctaid.x')}, {width}")


def _address(text: Text, operand: Operand, index: str) -> str:
    """Where a contiguous operand's element lies, counted from its pointer."""
    with writing(text):
        return element(Value("ptr", operand.pointer), Value("i64", index), operand.bytes).name


def _load_one(text: Text, operand: Operand, pointer: str) -> list[str]:
    """The parts of the element at a pointer."""
    with writing(text):
        return [part.name for part in operand.load_one(Value("ptr", pointer))]


def _store_one(text: Text, outs: Sequence[Operand], values: list[str]) -> None:
    for out in outs:
        mine, values = values[: out.parts], values[out.parts :]
        for part, value in enumerate(mine):
            there = text.let(f"getelementptr i8, ptr {out.pointer}, i64 {part * out.part_bytes}")
            text.do(f"store {out.scalar} {value}, ptr {there}, align {out.part_bytes}")


class _BlockReduction:
    def __init__(self, programs: Programs, outs: Sequence[str], ins: Sequence[str]) -> None:
        self.programs = programs
        self.text = text = Text()
        self.outs = [Operand(m, "s") for m in outs]
        self.ins = [Operand(m, "s") for m in ins]
        self.frame = _Frame(text, len(outs) + len(ins), 3)
        self.thread = _special(text, "tid.x")
        self.width = _special(text, "ntid.x")
        sizes = self.frame.sizes
        self.count = text.let(f"mul i64 {sizes[0]}, {sizes[1]}")
        first, step = _special(text, "ctaid.x"), _special(text, "nctaid.x")
        text.loop(first, sizes[2], step, self._output)

    def _print(self, program: Program, *groups: Sequence[str]) -> list[str]:
        names = [name for group in groups for name in group]
        return program.print(self.text, 1, dict(enumerate(names)))

    def _literals(self, types: Sequence[str], values: Sequence[Any]) -> list[str]:
        return [literal(t, v) for t, v in zip(types, values, strict=True)]

    def _output(self, outer: str, _: list[str]) -> list[str]:
        text, programs, reduction = self.text, self.programs, self.programs.reduction
        bases = []
        for k, pointer in enumerate(self.frame.pointers):
            offset = text.let(f"mul i64 {outer}, {self.frame.strides[2][k]}")
            bases.append(text.let(f"getelementptr i8, ptr {pointer}, i64 {offset}"))
        results: list[str] = []
        for number, phase in enumerate(programs.phases):
            accs = self._phase(number, bases[len(self.outs) :], results)
            identity = self._literals(phase.accs, phase.init)
            accs = self._fold(programs.combines[number], phase.accs, identity, accs)
            results += self._print(programs.closes[number], accs, [self.count])
        start = self._literals(reduction.totals, reduction.start)
        found = self._print(programs.collect, results, [self.count, "0"])
        some = text.let(f"icmp sgt i64 {self.count}, 0")
        totals = [
            text.let(f"select i1 {some}, {llvm_type(t)} {a}, {llvm_type(t)} {b}")
            for t, a, b in zip(reduction.totals, found, start, strict=True)
        ]
        for k, out in enumerate(self.outs):
            out.pointer = bases[k]
        leader = text.let(f"icmp eq i64 {self.thread}, 0")

        def write() -> list[str]:
            _store_one(text, self.outs, self._print(programs.finish, totals, [self.count]))
            return []

        text.when(leader, write, list)
        return []

    def _phase(self, number: int, bases: list[str], earlier: list[str]) -> list[str]:
        text, frame = self.text, self.frame
        phase = self.programs.phases[number]
        init = self._literals(phase.accs, phase.init)

        def one(index: str, accs: list[str]) -> list[str]:
            inner = text.let(f"urem i64 {index}, {frame.sizes[0]}")
            outer = text.let(f"udiv i64 {index}, {frame.sizes[0]}")
            parts: list[str] = []
            for k, operand in enumerate(self.ins):
                place = len(self.outs) + k
                a = text.let(f"mul i64 {inner}, {frame.strides[0][place]}")
                b = text.let(f"mul i64 {outer}, {frame.strides[1][place]}")
                offset = text.let(f"add i64 {a}, {b}")
                pointer = text.let(f"getelementptr i8, ptr {bases[k]}, i64 {offset}")
                parts += _load_one(text, operand, pointer)
            count = text.let(f"trunc i64 {index} to i32")
            return self._print(self.programs.steps[number], parts, accs, [count], earlier)

        carried = [(llvm_type(t), v) for t, v in zip(phase.accs, init, strict=True)]
        return text.loop(self.thread, self.count, self.width, one, carried)[1]

    def _fold(
        self, combine: Program, types: Sequence[str], identity: list[str], values: list[str]
    ) -> list[str]:
        """Combine the values of all threads of the block; every thread gets the result."""
        text = self.text
        values = self._fold_warp(combine, types, values)
        buffers = [self._buffer(type) for type in types]
        lane = text.let(f"and i64 {self.thread}, {WARP - 1}")
        warp = text.let(f"lshr i64 {self.thread}, 5")
        warps = text.let(f"lshr i64 {self.width}, 5")
        self._exchange(types, buffers, values, text.let(f"icmp eq i64 {lane}, 0"), warp)
        inside = text.let(f"icmp slt i64 {lane}, {warps}")
        place = text.let(f"select i1 {inside}, i64 {lane}, i64 0")
        joined = []
        for type, buffer, neutral in zip(types, buffers, identity, strict=True):
            value = self._read(type, buffer, place)
            joined.append(
                text.let(
                    f"select i1 {inside}, {llvm_type(type)} {value}, {llvm_type(type)} {neutral}"
                )
            )
        joined = self._fold_warp(combine, types, joined)
        leader = text.let(f"icmp eq i64 {self.thread}, 0")
        self._barrier()
        self._exchange(types, buffers, joined, leader, "0")
        results = [self._read(t, b, "0") for t, b in zip(types, buffers, strict=True)]
        self._barrier()
        return results

    def _fold_warp(self, combine: Program, types: Sequence[str], values: list[str]) -> list[str]:
        distance = WARP // 2
        while distance:
            other = [self._from(t, v, distance) for t, v in zip(types, values, strict=True)]
            values = self._print(combine, values, other)
            distance //= 2
        return values

    def _from(self, type: str, value: str, distance: int) -> str:
        """The value of the thread some lanes further on in the warp."""
        text, scalar = self.text, llvm_type(type)
        bits = BITS[type]

        def shuffle(word: str) -> str:
            name = "llvm.nvvm.shfl.sync.down.i32"
            return text.call(
                "i32", name, ("i32", "-1"), ("i32", word), ("i32", str(distance)), ("i32", "31")
            )

        whole = value
        if scalar in ("float", "double"):
            whole = text.let(f"bitcast {scalar} {value} to i{bits}")
        if bits == 64:
            low = text.let(f"trunc i64 {whole} to i32")
            high = text.let(f"trunc i64 {text.let(f'lshr i64 {whole}, 32')} to i32")
            low = text.let(f"zext i32 {shuffle(low)} to i64")
            high = text.let(f"zext i32 {shuffle(high)} to i64")
            moved = text.let(f"or i64 {text.let(f'shl i64 {high}, 32')}, {low}")
        elif bits == 32:
            moved = shuffle(whole)
        else:
            word = shuffle(text.let(f"zext i{bits} {whole} to i32"))
            moved = text.let(f"trunc i32 {word} to i{bits}")
        if scalar in ("float", "double"):
            return text.let(f"bitcast i{bits} {moved} to {scalar}")
        return moved

    # -- shared memory --
    def _buffer(self, type: str) -> str:
        name = f"@shared{len(self.frame.shared)}"
        scalar = "i8" if type == "bool" else llvm_type(type)
        self.frame.shared.append(
            f"{name} = internal addrspace(3) global [{MOST_WARPS} x {scalar}] undef, align 8"
        )
        return name

    def _place(self, type: str, buffer: str, index: str) -> tuple[str, str]:
        scalar = "i8" if type == "bool" else llvm_type(type)
        return scalar, self.text.let(
            f"getelementptr {scalar}, ptr addrspace(3) {buffer}, i64 {index}"
        )

    def _read(self, type: str, buffer: str, index: str) -> str:
        scalar, where = self._place(type, buffer, index)
        value = self.text.let(f"load {scalar}, ptr addrspace(3) {where}")
        return self.text.let(f"trunc i8 {value} to i1") if type == "bool" else value

    def _exchange(
        self, types: Sequence[str], buffers: list[str], values: list[str], who: str, index: str
    ) -> None:
        """Some threads write; all wait."""
        text = self.text

        def write() -> list[str]:
            for type, buffer, value in zip(types, buffers, values, strict=True):
                scalar, where = self._place(type, buffer, index)
                if type == "bool":
                    value = text.let(f"zext i1 {value} to i8")
                text.do(f"store {scalar} {value}, ptr addrspace(3) {where}")
            return []

        text.when(who, write, list)
        self._barrier()

    def _barrier(self) -> None:
        self.text.call("void", "llvm.nvvm.barrier0")
