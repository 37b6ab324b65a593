"""Products of matrices by cuBLASLt: descriptions, the choice of an algorithm, and calls.

The library's matrices are stored by columns: the product that it makes here is the transposed one, D' = B' A'.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import library_settings as settings
from rushlight.engine.cuda import context, libraries, streams

NAME = "cublasLt"
# `cudaDataType` and `cublasComputeType_t`, by the types of elements in memory.
_TYPES = {
    "f32": 0,
    "f64": 1,
    "f16": 2,
    "i8": 3,
    "i32": 10,
    "bf16": 14,
    "f8e4m3fn": 28,
    "f8e5m2": 29,
}
_COMPUTE_F32, _COMPUTE_TF32, _COMPUTE_F64, _COMPUTE_I32 = 68, 77, 70, 72
# Attributes of a product, of a matrix, and of what is preferred among algorithms.
_TRANSA, _TRANSB, _EPILOGUE, BIAS_POINTER, BIAS_BATCH_STRIDE, _BIAS_DATA_TYPE = 3, 4, 7, 8, 10, 26
# Of floats of eight bits: where the scales of both factors lie, and whether sums may be less precise.
FIRST_SCALE, SECOND_SCALE, _FAST_SUMS = 17, 18, 25
# Of a matrix these follow each other: rows, columns, the step, how many there are, and how far apart.
ROWS, SIZES = 2, 5
_BATCH_COUNT, _BATCH_STRIDE = 5, 6
_MOST_WORK, _REDUCTIONS, _ALIGNMENTS = 1, 3, (5, 6, 7, 8)
# How parts of a sum may be joined: neither of these depends on which part is ready first.
_JOIN_COMPUTED, _JOIN_ROUNDED = 2, 4
_EPILOGUES = {"": 1, "relu": 2, "gelu": 32}
_WITH_BIAS = 4
_NOT_SUPPORTED = 15
# How many algorithms are kept for products of a kind, and how many words each takes: what it is for, and it itself.
MOST_KNOWN, KEY_WORDS, KNOWN_WORDS = 64, 22, 34
# Operands that lie at multiples of so many bytes may be read by vectors.
ALIGNED = 16


class Heuristic(ctypes.Structure):
    """What the library says about an algorithm: `cublasLtMatmulHeuristicResult_t`."""

    _fields_ = (
        ("algorithm", ctypes.c_uint64 * 8), ("work", ctypes.c_size_t), ("state", ctypes.c_int),
        ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4),
    )  # fmt: skip


class Matrix(NamedTuple):
    """A matrix stored by columns.

    Args:
        memory: the type of its elements
        rows, columns: its sizes
        step: how many elements there are from column to column
        apart: how many from matrix to matrix of a batch
        turned: whether the product is with the transposed matrix
    """

    memory: str
    rows: int
    columns: int
    step: int
    apart: int = 0
    turned: bool = False


class Product(NamedTuple):
    """What is asked for: made = alpha first second + beta added, then an activation.

    Args:
        first, second, made: the matrices
        added: what is added; None for nothing or a vector
        batch: how many products
        alpha, beta: the factors
        bias_apart: how many elements there are between the batch's vectors that are added to columns; None for no vector
        activation: ``relu``, ``gelu``, or nothing
        scaled: whether each factor has a scale, which is a number in the device's memory
        is_fast: whether sums of scaled products may be less precise
    """

    first: Matrix
    second: Matrix
    made: Matrix
    added: Matrix | None
    batch: int
    alpha: float
    beta: float
    bias_apart: int | None = None
    activation: str = ""
    scaled: bool = False
    is_fast: bool = False


# How many bytes a program has said that a product may work in.
allowed_work: int | None = None


def most_work(device: int) -> int:
    """How many bytes a product may work in; `CUBLASLT_WORKSPACE_SIZE` says it in KiB, where a program has not."""
    if allowed_work is not None:
        return allowed_work
    asked = os.environ.get("CUBLASLT_WORKSPACE_SIZE", "")
    if asked.isdigit():
        return int(asked) << 10
    return 32 << 20 if context.properties(device)["major"] >= 9 else 8 << 20


def compute_type(memory: str) -> int:
    """In which type sums are made."""
    if memory in ("f64", "i32"):
        return _COMPUTE_F64 if memory == "f64" else _COMPUTE_I32
    return _COMPUTE_TF32 if memory == "f32" and settings.products.allow_tf32 else _COMPUTE_F32


def _joins(memory: str) -> int:
    """How the parts of a sum may be joined."""
    allowed = {
        "f16": settings.products.allow_fp16_reduced_precision_reduction,
        "bf16": settings.products.allow_bf16_reduced_precision_reduction,
    }
    return _JOIN_COMPUTED | (_JOIN_ROUNDED if allowed.get(memory, True) else 0)


class Kind(NamedTuple):
    """What of a product does not depend on its sizes.

    Args:
        memory: the type of the result's elements
        factors: the types of both factors'
        turned: whether each factor is the transposed matrix
        has_bias: whether a vector is added to columns
        activation, scaled, is_fast: as in `Product`
    """

    memory: str
    factors: tuple[str, str]
    turned: tuple[bool, bool]
    has_bias: bool
    activation: str
    scaled: bool
    is_fast: bool


class Operation(libraries.Descriptions):
    """What products of a kind share: descriptions of the product and of what is preferred among algorithms.

    Args:
        kind: what they have in common
        device: the number of the device, which is the current one
    """

    def __init__(self, kind: Kind, device: int) -> None:
        super().__init__(NAME)
        self.kind, self.device = kind, device
        self.handle = libraries.handle(NAME, "cublasLtCreate", device)
        # The address of a vector is a part of the description. Python changes one of its own, in turn; machine
        # code, which holds the interpreter's lock all the time, another.
        self.turn = threading.Lock()
        self.described, self.for_machine = self._operation(), self._operation()
        self.most_work = most_work(device)
        self.alignments = ALIGNED, min(map(itemsize, kind.factors))
        self.preferred = [self._preferred(alignment) for alignment in self.alignments]
        self._any: AnySize | None = None

    @property
    def of_any_size(self) -> AnySize:
        """What machine code tells sizes."""
        if self._any is None:
            self._any = AnySize(self.kind)
        return self._any

    def new(self, kind: str, *facts: Any, before: Sequence[Any] = ()) -> int:
        """A description of a kind."""
        return super().new(f"cublasLt{kind}Create", f"cublasLt{kind}Destroy", *facts)

    def _operation(self) -> int:
        memory = self.kind.memory
        scale = _TYPES[memory if memory in ("f64", "i32") else "f32"]
        made = self.new("MatmulDesc", ctypes.c_int(compute_type(memory)), ctypes.c_int(scale))
        for attribute, is_turned in zip((_TRANSA, _TRANSB), self.kind.turned):
            tell("MatmulDesc", made, attribute, ctypes.c_int32(is_turned))
        if self.kind.is_fast:
            tell("MatmulDesc", made, _FAST_SUMS, ctypes.c_int8(1))
        epilogue = _EPILOGUES[self.kind.activation]
        if self.kind.has_bias:
            epilogue = _WITH_BIAS | (epilogue if self.kind.activation else 0)
            tell("MatmulDesc", made, _BIAS_DATA_TYPE, ctypes.c_int32(_TYPES[memory]))
        tell("MatmulDesc", made, _EPILOGUE, ctypes.c_uint32(epilogue))
        return made

    def _preferred(self, alignment: int) -> int:
        made = self.new("MatmulPreference")
        tell("MatmulPreference", made, _MOST_WORK, ctypes.c_uint64(self.most_work))
        joins = ctypes.c_uint32(_joins(self.kind.memory))
        tell("MatmulPreference", made, _REDUCTIONS, joins)
        for attribute in _ALIGNMENTS:
            tell("MatmulPreference", made, attribute, ctypes.c_uint32(alignment))
        return made

    def set_bias(self, place: int, apart: int) -> None:
        """Say where the vectors that are added lie."""
        tell("MatmulDesc", self.described, BIAS_POINTER, ctypes.c_void_p(place))
        tell("MatmulDesc", self.described, BIAS_BATCH_STRIDE, ctypes.c_int64(apart))

    def set_scales(self, first: int, second: int) -> None:
        """Say where the scales of both factors lie."""
        for attribute, place in ((FIRST_SCALE, first), (SECOND_SCALE, second)):
            tell("MatmulDesc", self.described, attribute, ctypes.c_void_p(place))


class AnySize(libraries.Descriptions):
    """Descriptions of matrices that machine code tells their sizes before each call, and algorithms for some of these.

    Args:
        kind: what the products have in common
    """

    def __init__(self, kind: Kind) -> None:
        super().__init__(NAME)
        memories = *kind.factors, kind.memory, kind.memory
        self.layouts = [_layout(self, Matrix(memory, 1, 1, 1)) for memory in memories]
        self.known = (ctypes.c_uint64 * (KNOWN_WORDS * MOST_KNOWN))()


_operations: dict[Any, tuple[Any, Operation]] = {}


def operation_of(kind: Kind, device: int) -> Operation:
    """What products of a kind share on a device, which is the current one."""
    key = device, kind, compute_type(kind.memory), _joins(kind.memory), most_work(device)
    owner, found = _operations.get(key, (None, None))
    if found is None or owner is not libraries.find(NAME):
        found = Operation(kind, device)
        _operations[key] = libraries.find(NAME), found
    return found


def kind_of(product: Product) -> Kind:
    """What of a product does not depend on its sizes."""
    turned = product.first.turned, product.second.turned
    factors = product.first.memory, product.second.memory
    has_bias = product.bias_apart is not None
    how = product.activation, product.scaled, product.is_fast
    return Kind(product.made.memory, factors, turned, has_bias, *how)


def tell(kind: str, described: int, attribute: int, value: Any) -> None:
    """Say something of what a description is of."""
    libraries.call(
        NAME, f"cublasLt{kind}SetAttribute", ctypes.c_void_p(described), ctypes.c_int(attribute),
        ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)),
    )  # fmt: skip


def _layout(own: libraries.Descriptions, matrix: Matrix, batch: int = 1) -> int:
    """The description of a matrix, or of a batch of them."""
    made = libraries.Descriptions.new(
        own, "cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutDestroy", ctypes.c_int(_TYPES[matrix.memory]),
        ctypes.c_uint64(matrix.rows), ctypes.c_uint64(matrix.columns), ctypes.c_int64(matrix.step),
    )  # fmt: skip
    if batch > 1:
        tell("MatrixLayout", made, _BATCH_COUNT, ctypes.c_int32(batch))
        tell("MatrixLayout", made, _BATCH_STRIDE, ctypes.c_int64(matrix.apart))
    return made


class Described(libraries.Descriptions):
    """A product as the library knows it: its descriptions and its algorithms. None of its sizes may be 0.

    Args:
        product: what is asked for
        device: the number of the device, which is the current one
    """

    def __init__(self, product: Product, device: int) -> None:
        super().__init__(NAME)
        self.product, self.device = product, device
        self.operation = operation_of(kind_of(product), device)
        self.factors = (ctypes.c_uint64 * 2)(*factor_words(product))
        first, second, made = (
            _layout(self, x, product.batch) for x in (product.first, product.second, product.made)
        )
        added = made if product.added is None else _layout(self, product.added, product.batch)
        self.layouts = first, second, added, made
        found = [self._algorithm(k) for k in range(2)]
        self.algorithms = [x for x in found if x is not None]
        self.work = max((x.work for x in self.algorithms), default=0)

    @property
    def can_run(self) -> bool:
        """Whether there are algorithms for operands wherever they lie."""
        return len(self.algorithms) == 2

    def _algorithm(self, k: int) -> Heuristic | None:
        """The algorithm that the library thinks fastest for operands at such multiples; None if it has none."""
        shared = self.operation
        found, count = Heuristic(), ctypes.c_int()
        described = shared.described, *self.layouts, shared.preferred[k]
        with shared.turn:
            if self.product.scaled:
                shared.set_scales(ALIGNED, ALIGNED)
            if self.product.bias_apart is not None:
                # No memory is there yet: only how the address is aligned is looked at.
                shared.set_bias(shared.alignments[k], self.product.bias_apart)
            code = libraries.code(
                NAME, "cublasLtMatmulAlgoGetHeuristic", *map(ctypes.c_void_p, (shared.handle, *described)),
                ctypes.c_int(1), ctypes.byref(found), ctypes.byref(count),
            )  # fmt: skip
        if code not in (0, _NOT_SUPPORTED):
            raise libraries.failure(NAME, code, "cublasLtMatmulAlgoGetHeuristic")
        return found if not code and count.value and not found.state else None

    def queue(self, places: Sequence[int]) -> None:
        """Queue it on the current stream; the addresses of what `Roles` names."""
        made, added, first, second, work, *scales = places
        shared, (a, b, c, d) = self.operation, self.layouts
        chosen = self.algorithms[any(place % ALIGNED for place in places[:4])]
        alpha = ctypes.addressof(self.factors)
        stream = ctypes.c_void_p(streams.current(self.device).handle)
        with shared.turn:
            if self.product.scaled:
                shared.set_scales(*scales)
            if self.product.bias_apart is not None:
                shared.set_bias(added, self.product.bias_apart)
                added = made
            words = [
                shared.handle, shared.described, alpha, first, a, second, b, alpha + 8, added, c, made, d,
                ctypes.addressof(chosen), work,
            ]  # fmt: skip
            libraries.call(
                NAME,
                "cublasLtMatmul",
                *map(ctypes.c_void_p, words),
                ctypes.c_size_t(self.work),
                stream,
            )


def factor_words(product: Product) -> list[int]:
    """Both factors, each in a word of its own."""
    packing = {"f64": "<d", "i32": "<ixxxx"}.get(product.made.memory, "<fxxxx")
    packed = [struct.pack(packing, x) for x in (product.alpha, product.beta)]
    return [int.from_bytes(x, "little") for x in packed]


def itemsize(memory: str) -> int:
    """The bytes of an element."""
    return {"f64": 8, "f32": 4, "i8": 1, "f8e4m3fn": 1, "f8e5m2": 1}.get(memory, 2)
