"""Plans loops for a GPU: what `elementwise_loop` and its kin ask when a thread plans for one."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.cuda import context, libraries
from rushlight.engine.cuda.cudnn import Convolution
from rushlight.engine.cuda.cudnn_graph import Attention
from rushlight.engine.cuda.kernels import Kernel
from rushlight.engine.loops.atomic_sum import AtomicSum
from rushlight.engine.loops.device_chain import QueuedChain
from rushlight.engine.loops.device_loop import (
    BLOCKS_EACH,
    DeviceLoop,
    Grid,
    HeldWords,
    over,
    words_of,
)
from rushlight.engine.loops.function_loop import Nest
from rushlight.engine.loops.identity import Written, identity_of
from rushlight.engine.loops.indexed_kernel import IndexedKernel, indexed_kernel
from rushlight.engine.loops.library_attention import LibraryAttention, library_attention
from rushlight.engine.loops.library_convolution import LibraryConvolution, library_convolution
from rushlight.engine.loops.library_product import (
    LibraryProduct,
    ProductOfAnySize,
    library_product,
)
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import trace
from rushlight.engine.loops.phase_programs import Programs
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.loops.ptx_functions import FunctionWalk
from rushlight.engine.loops.ptx_kernels import described_kernel
from rushlight.engine.loops.ptx_product import THREADS, TILE, ProductTypes
from rushlight.engine.loops.ptx_reduction import reduce_ptx_ir, row_ptx_ir
from rushlight.engine.loops.ptx_scan import WIDTH as SCAN_WIDTH
from rushlight.engine.loops.ptx_scan import scan_ptx_ir
from rushlight.engine.loops.ptx_sort import Exchange, stages
from rushlight.engine.loops.ptx_tensor_cores import fastest_ptx_ir
from rushlight.engine.loops.ptx_text import GPU, count_ptx_ir, number_words, program_ptx_ir
from rushlight.engine.loops.ptx_walk import Walk
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.row_kernel import RowProgram, RowPrograms
from rushlight.engine.loops.scan_kernel import Scan, scan_kernel
from rushlight.engine.native.lowlevel import Function, Module, Part

# Bytes that a thread moves at once where it can.
VECTOR = 16
# Reductions of fewer elements are made by a thread alone.
FEW = 32
WIDEST = 512

_kernels: Written[Kernel] = Written()


class Planner:
    """What a thread's loops are planned by while a kernel for a device runs.

    Args:
        device: where the loops will run
        name: the operator, for messages
    """

    def __init__(self, device: devices.device, name: str) -> None:
        self.device, self.name = device, name
        self.index = device.index or 0

    def missing(self, what: str) -> NotImplementedError:
        """The error for something that has no kernel on the device."""
        return NotImplementedError(
            f"Could not run '{self.name}' with arguments from the 'CUDA' backend: {what} has no kernel for "
            f"{self.device} yet. The operator runs on the CPU."
        )

    @property
    def processors(self) -> int:
        return int(context.properties(self.index)["multi_processor_count"])

    def queued_chain(self, operands: int, links: Sequence[Any]) -> QueuedChain:
        """What machine code runs for a chain of this planner's loops."""
        return QueuedChain(operands, links)

    # -- maps --
    def map_loop(
        self, body: Callable[..., Any], types: tuple[Sequence[str], Sequence[str], Sequence[str]],
        nest: Sequence[int], strides: Sequence[Sequence[int]], kinds: Sequence[tuple[int, int]],
        offsets: Sequence[int], identity: Hashable, keep: Any,
    ) -> DeviceLoop:  # fmt: skip
        """The loop of a scalar function; see `elementwise_loop`."""
        outs, ins, params = types
        memories = [*outs, *ins]
        constants = self._constants(memories, kinds, offsets)
        numbers = numbers_among(kinds, constants, len(outs))
        nest = list(nest) or [1]
        strides = [list(s) or [0] for s in strides]
        contiguous = len(nest) == 1 and all(
            strides[k][0] == item
            for k, (_, item) in enumerate(kinds)
            if k - len(outs) not in numbers
        )
        each = _each(memories, numbers, len(outs)) if contiguous else 1
        total = math.prod(nest)

        def kernel(each: int) -> Kernel:
            return _kernels.get(
                identity_of(body) if identity is None else identity,
                (
                    "map",
                    tuple(outs),
                    tuple(ins),
                    tuple(params),
                    tuple(numbers),
                    len(nest),
                    contiguous,
                    each,
                ),
                lambda: self._map_kernel(body, types, len(nest), contiguous, each, numbers),
            )

        wide = None
        if each > 1 and total >= each:
            aligned = [
                each * item for k, (_, item) in enumerate(kinds) if k - len(outs) not in numbers
            ]
            wide = kernel(each), over(total, self.processors, each), aligned
        return DeviceLoop(
            kernel(1), self.index, over(total, self.processors), nest, strides, memories, kinds,
            self._offsets(offsets, constants, len(kinds)), constants, wide, keep,
        )  # fmt: skip

    def _map_kernel(
        self, body: Callable[..., Any], types: tuple[Sequence[str], Sequence[str], Sequence[str]],
        dims: int, contiguous: bool, each: int, numbers: Sequence[int],
    ) -> Kernel:  # fmt: skip
        outs, ins, params = types
        program = Program(trace(body, outs, ins, params), GPU)
        said = f"map|{outs}{ins}{dims}{contiguous}{each}{numbers}|{program.description()}"
        return described_kernel(
            self.name,
            said,
            lambda: program_ptx_ir(
                program, outs, ins, dims, contiguous=contiguous, each=each, numbers=numbers
            ),
        )

    def counting_loop(self, count: int, first: int, distance: int, to: int) -> DeviceLoop:
        """The loop that writes int64 numbers at even distances, from one element on."""
        kernel = _kernels.get(
            "count", 0, lambda: described_kernel(self.name, "count", count_ptx_ir)
        )
        kinds = [(objects.TENSOR_OPERAND, 8)] + [(objects.CONSTANT_OPERAND, 8)] * 2
        constants = {1: words_of(first, "i64"), 2: words_of(distance, "i64")}
        grid = over(count, self.processors)
        return DeviceLoop(
            kernel, self.index, grid, [count], [[8], [0], [0]], ["i64"] * 3, kinds, [8 * to, 0, 0],
            constants,
        )  # fmt: skip

    # -- reductions --
    def reduce_loop(
        self, reduction: Reduction, nest: Sequence[int], operands: Sequence[Any], outs: int,
        columns: bool,
    ) -> DeviceLoop:  # fmt: skip
        """The loop of a reduction over dims 0 and 1 of operands of the other dims."""
        memories = [x.memory for x in operands]
        kinds = [(x.how, x.itemsize) for x in operands]
        constants = {
            k: [x.offset] for k, x in enumerate(operands) if x.how == objects.CONSTANT_OPERAND
        }
        numbers = numbers_among(kinds, constants, outs)
        nest = [*nest, *[1] * (3 - len(nest))]
        length, results = math.prod(nest[:2]), math.prod(nest[2:])
        alone = columns or length <= FEW
        given, made = tuple(memories[outs:]), tuple(memories[:outs])

        def write() -> Kernel:
            programs = Programs(reduction, made, given, GPU)
            said = f"reduce|{made}{given}{len(nest)}{numbers}{alone}|{programs.description()}"
            return described_kernel(
                self.name,
                said,
                lambda: reduce_ptx_ir(
                    reduction, made, given, dims=len(nest), numbers=numbers, alone=alone
                ),
            )

        key = "reduce", made, given, len(nest), tuple(numbers), alone
        kernel = _kernels.get(identity_of(reduction), key, write)
        strides = [[*x.strides, *[0] * (len(nest) - len(x.strides))] for x in operands]
        offsets = [0 if k in constants else x.offset for k, x in enumerate(operands)]
        return DeviceLoop(
            kernel, self.index, self._rows_grid(length, results, alone), nest, strides, memories,
            kinds, offsets, constants,
        )  # fmt: skip

    # -- row programs --
    def row_loop(
        self, program: RowProgram, nest: Sequence[int], operands: Sequence[Any], outs: int,
        columns: bool,
    ) -> DeviceLoop:  # fmt: skip
        """The loop of a row program along dim 0, for operands of the other dims."""
        memories = [x.memory for x in operands]
        kinds = [(x.how, x.itemsize) for x in operands]
        nest = [*nest, *[1] * (2 - len(nest))]
        alone = columns or nest[0] <= FEW
        given, made = tuple(memories[outs:]), tuple(memories[:outs])

        def write() -> Kernel:
            programs = RowPrograms(program.without_buffers(), made, given, GPU)
            said = f"rows|{made}{given}{len(nest)}{alone}|{programs.description()}"
            return described_kernel(
                self.name,
                said,
                lambda: row_ptx_ir(programs, made, given, dims=len(nest), alone=alone),
            )

        key = "rows", made, given, len(nest), alone
        kernel = _kernels.get(identity_of(program), key, write)
        strides = [[*x.strides, *[0] * (len(nest) - len(x.strides))] for x in operands]
        return DeviceLoop(
            kernel, self.index, self._rows_grid(nest[0], math.prod(nest[1:]), alone), nest, strides,
            memories, kinds, [x.offset for x in operands],
        )  # fmt: skip

    def _rows_grid(self, length: int, results: int, alone: bool) -> Grid:
        if alone or not results:
            return over(results, self.processors)
        # From the widest block on, how long rows are makes no difference.
        width = max(32, 1 << (symbolic.minimum(length, WIDEST) - 1).bit_length())
        return Grid(symbolic.minimum(results, self.processors * BLOCKS_EACH * 8), width)

    # -- products --
    def product_loop(
        self, kinds: Sequence[dtypes.dtype], shape: Sequence[int], strides: Sequence[Sequence[int]],
        alpha: Any, beta: Any, activation: str = "",
    ) -> DeviceLoop | LibraryProduct | ProductOfAnySize:  # fmt: skip
        """The loop of a matrix product; see `matrix_loop`. The library's, where there is one for it.

        Only a library's loop makes an activation, too.
        """
        found = library_product(
            self.index, kinds, shape, strides, alpha, beta, activation, self.name
        )
        if found is None and activation:
            # Not all kernels of the library make activations.
            return self.product_loop(kinds, shape, strides, alpha, beta)
        return self._own_product(kinds, shape, strides, alpha, beta) if found is None else found

    def scaled_product_loop(
        self, kinds: Sequence[dtypes.dtype], shape: Sequence[int], strides: Sequence[Sequence[int]], is_fast: bool
    ) -> LibraryProduct | ProductOfAnySize | None:  # fmt: skip
        """The loop of a product of factors with scales, if a library has one: ours are products of scaled floats."""
        return library_product(
            self.index, kinds, shape, strides, 1, 1, "", self.name, scaled=True, is_fast=is_fast
        )

    def _own_product(
        self, kinds: Sequence[dtypes.dtype], shape: Sequence[int], strides: Sequence[Sequence[int]],
        alpha: Any, beta: Any,
    ) -> DeviceLoop:  # fmt: skip
        added = len(kinds) > 3
        sum = compute_type(kinds[0])
        memories = [k.memory for k in kinds]
        types = ProductTypes(memories[0], memories[1], memories[-1], sum)
        along = tuple(s[0] == 1 for s in strides[-2:])
        generation = int(context.properties(self.index)["major"])
        said = f"product|{types}{len(shape)}{added}{along}{generation}"

        def write() -> Kernel:
            return described_kernel(
                self.name,
                said,
                lambda: fastest_ptx_ir(types, len(shape), generation, added=added, along=along),
            )

        kernel = _kernels.get("product", said, write)
        across, down = (-(-n // TILE) for n in shape[1:3])
        blocks = across * down * math.prod(shape[3:])
        count = len(kinds)
        given = [(objects.TENSOR_OPERAND, k.itemsize) for k in kinds]
        given += [(objects.CONSTANT_OPERAND, 8)] * 2
        steps = [[s * k.itemsize for s in x] for x, k in zip(strides, kinds)]
        constants = {count: words_of(alpha, sum), count + 1: words_of(beta, sum)}
        return DeviceLoop(
            kernel, self.index, Grid(symbolic.minimum(blocks, self.processors * BLOCKS_EACH * 8), THREADS), shape,
            [*steps, [0] * len(shape), [0] * len(shape)], [*memories, sum, sum], given, (), constants,
        )  # fmt: skip

    def convolution_loop(
        self, convolution: Convolution, kind: dtypes.dtype
    ) -> LibraryConvolution | None:
        """The loop of a convolution, if a library has one: ours are products of copied windows."""
        return library_convolution(self.index, convolution, kind, self.name)

    def attention_loop(self, attention: Attention) -> LibraryAttention | None:
        """The loop of an attention, if the library has one: ours is products and a softmax."""
        libraries.needed("cudnn", self.name)
        return library_attention(self.index, attention, self.name)

    # -- order --
    def exchange_loops(
        self, size: tuple[int, int], kind: dtypes.dtype, length: int, down: bool
    ) -> list[DeviceLoop]:
        """The loops that put dense rows, which are as long as a power of two, in order, and their places with them.

        Args:
            size: of the rows
            kind: the elements' type
            length: how many elements of a row count; the others come last
            down: whether the largest come first
        """
        rows, whole = size

        def write() -> Kernel:
            stage = Exchange(kind.memory, compute_type(kind), down)
            return described_kernel(self.name, stage.description(), stage.text)

        kernel = _kernels.get("exchange", (kind.memory, down), write)
        grid = over(rows * whole // 2, self.processors)
        operands = [(objects.TENSOR_OPERAND, width) for width in (kind.itemsize, 8)]
        operands += [(objects.CONSTANT_OPERAND, 8)] * 3
        strides = [[kind.itemsize, 0], [8, 0], *[[0, 0]] * 3]

        def stage(stretch: int, distance: int) -> DeviceLoop:
            # The last stretch is all of a row, which rises.
            numbers = length, stretch if stretch < whole else 0, distance
            return DeviceLoop(
                kernel, self.index, grid, [whole // 2, rows], strides, [kind.memory, *["i64"] * 4],
                operands, constants={2 + k: [number] for k, number in enumerate(numbers)},
            )  # fmt: skip

        return [stage(*how) for how in stages(whole)]

    # -- scans, and moves to places that other elements name --
    def scan_loop(
        self, scan: Scan, memories: tuple[Sequence[str], Sequence[str]], nest: Sequence[int],
        operands: Sequence[Any],
    ) -> DeviceLoop:  # fmt: skip
        """The loop of a scan along dim 0: of a block of threads, or of one thread where rows are short."""
        outs, ins = memories
        nest = [*nest, *[1] * (2 - len(nest))]

        alone = nest[0] <= FEW

        def write() -> Kernel:
            kernel = scan_kernel(scan, outs, ins, "g" * len(operands), False, GPU)
            said = f"scan|{outs}{ins}{len(nest)}{alone}|{kernel.description()}"
            if not alone:
                return described_kernel(
                    self.name, said, lambda: scan_ptx_ir(scan, outs, ins, len(nest))
                )
            walk = Walk(kernel.run, [*outs, *ins], len(nest), 1, 2, {})
            return described_kernel(self.name, said, walk.text)

        rows = math.prod(nest[1:])
        grid = Grid(symbolic.minimum(rows, self.processors * BLOCKS_EACH), SCAN_WIDTH)
        if alone or not rows:
            grid = over(rows, self.processors)
        key = "scan", tuple(outs), tuple(ins), len(nest), alone
        kernel = _kernels.get(identity_of(scan), key, write)
        strides = [[*x.strides, *[0] * (len(nest) - len(x.strides))] for x in operands]
        return DeviceLoop(
            kernel, self.index, grid, nest, strides,
            [*outs, *ins], [(x.how, x.itemsize) for x in operands], [x.offset for x in operands],
        )  # fmt: skip

    def indexed_loop(
        self, fold: Callable[..., Any] | None, memory: str, compute: str,
        indices: Sequence[dtypes.dtype], writes: bool, wraps: bool, nest: Sequence[int],
        strides: Sequence[Sequence[int]], item: int, together: Sequence[int], words: Sequence[int],
        adds: bool = False,
    ) -> DeviceLoop:  # fmt: skip
        """The loop of a gather or scatter.

        A thread takes the dimensions in ``together`` by itself. With ``adds`` the fold is a sum in one step
        of the hardware.
        """
        if len(together) > 2:
            raise self.missing("a fold over more than two dimensions of an index")
        order = [*together, *(d for d in range(len(nest)) if d not in together)]
        inner = len(together)
        nest = [nest[d] for d in order]
        strides = [[s[d] for d in order] for s in strides]
        if len(nest) == inner:
            nest, strides = [*nest, 1], [[*s, 0] for s in strides]
        places = [x.memory for x in indices]
        memories = [memory, memory, *places, "i64", "i64"]
        table, status = len(memories) - 2, len(memories) - 1

        def write() -> Kernel:
            family = AtomicSum if adds else IndexedKernel
            kernel = indexed_kernel(
                fold, memory, compute, places, writes, wraps, "", False, GPU, family
            )
            said = (
                f"indexed|{memory}{compute}{places}{writes}{wraps}{len(nest)}{inner}{adds}|"
                f"{kernel.program.description()}"
            )
            walk = Walk(
                kernel.run, memories, len(nest), inner, 2, {table: len(words), status: 3}, status
            )
            return described_kernel(self.name, said, walk.text)

        key = "indexed", memory, compute, tuple(places), writes, wraps, len(nest), inner, adds
        kernel = _kernels.get(("copy",) if fold is None else identity_of(fold), key, write)
        kinds = [(objects.TENSOR_OPERAND, item)] * 2
        kinds += [(objects.TENSOR_OPERAND, x.itemsize) for x in indices]
        kinds += [(objects.CONSTANT_OPERAND, 8)] * 2
        strides = [*strides, [0] * len(nest), [0] * len(nest)]
        constants = {table: list(words), status: [0, 0, 0]}
        return DeviceLoop(
            kernel, self.index, over(math.prod(nest[inner:]), self.processors), nest, strides,
            memories, kinds, (), constants,
        )  # fmt: skip

    # -- functions of the kernel language --
    def function_loop(self, module: Module, function: Function, nest: Nest) -> DeviceLoop:
        """The loop of a function that each thread calls for its own indices; see `function_loop`."""
        inner, dims = nest.alone, max(len(nest.sizes), nest.alone + 1)
        memories = list(nest.memories) or ["i64"] * len(nest.kinds)
        in_memory = objects.TENSOR_OPERAND, objects.POINTER_OPERAND, objects.CONSTANT_OPERAND
        numbers = {
            k: number_words(memories[k])
            for k, (kind, _) in enumerate(nest.kinds)
            if kind not in in_memory
        }

        def write() -> Kernel:
            walk = FunctionWalk(function, memories, dims, inner, nest.kernel_dims, numbers)
            said = f"function|{memories}{dims}{inner}{nest.kernel_dims}{numbers}|"
            return described_kernel(
                self.name, said + Part(module, [function]).identity(), walk.text
            )

        key = tuple(memories), dims, inner, nest.kernel_dims, tuple(numbers)
        kernel = _kernels.get((module.name, function.name), key, write)
        sizes = [*nest.sizes, *[1] * (dims - len(nest.sizes))]
        strides = [[*s, *[0] * (dims - len(s))] for s in nest.strides]
        held = {k: HeldWords(words, self.index) for k, words in nest.tables.items()}
        return DeviceLoop(
            kernel, self.index, over(math.prod(sizes[inner:]), self.processors), sizes, strides,
            memories, nest.kinds, keep=held,
        )  # fmt: skip

    # -- operands --
    @staticmethod
    def _constants(
        memories: Sequence[str], kinds: Sequence[tuple[int, int]], offsets: Sequence[int]
    ) -> dict[int, list[int]]:
        """The words of operands that lie in the host's memory, by their places."""
        found = {}
        for k, (kind, _) in enumerate(kinds):
            if kind == objects.CONSTANT_OPERAND:
                symbolic.check_constant(offsets[k])
                count = number_words(memories[k])
                words = (ctypes.c_uint64 * count).from_address(offsets[k])
                found[k] = list(words)
        return found

    @staticmethod
    def _offsets(offsets: Sequence[int], constants: dict[int, list[int]], count: int) -> list[int]:
        given = list(offsets) or [0] * count
        return [0 if k in constants else n for k, n in enumerate(given)]


def numbers_among(
    kinds: Sequence[tuple[int, int]], constants: dict[int, list[int]], outs: int
) -> list[int]:
    """Which of the inputs a kernel gets by value."""
    in_memory = objects.TENSOR_OPERAND, objects.POINTER_OPERAND
    return [
        k - outs
        for k, (kind, _) in enumerate(kinds)
        if k >= outs and (k in constants or kind not in in_memory)
    ]


def _each(memories: Sequence[str], numbers: Sequence[int], outs: int) -> int:
    """How many neighbours a thread takes: those whose widest elements fill a vector."""
    widest = max(
        dtypes.BY_MEMORY[m].itemsize for k, m in enumerate(memories) if k - outs not in numbers
    )
    return max(1, VECTOR // widest)
