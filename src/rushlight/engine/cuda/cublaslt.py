"""Products of matrices by cuBLASLt: descriptions, the choice of an algorithm, and calls.

The library's matrices are stored by columns: the product that it makes here is the transposed one, D' = B' A'.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import library_settings as settings
from rushlight.engine.cuda import context, libraries, streams

NAME = "cublasLt"
# `cudaDataType` and `cublasComputeType_t`, by the types of elements in memory.
_TYPES = {"f32": 0, "f64": 1, "f16": 2, "bf16": 14}
_COMPUTE_F32, _COMPUTE_TF32, _COMPUTE_F64 = 68, 77, 70
# Attributes of a product, of a matrix, and of what is preferred among algorithms.
_TRANSA, _TRANSB, _EPILOGUE, BIAS_POINTER, _BIAS_BATCH_STRIDE, _BIAS_DATA_TYPE = 3, 4, 7, 8, 10, 26
_BATCH_COUNT, _BATCH_STRIDE = 5, 6
_MOST_WORK, _REDUCTIONS, _ALIGNMENTS = 1, 3, (5, 6, 7, 8)
# How parts of a sum may be joined: neither of these depends on which part is ready first.
_JOIN_COMPUTED, _JOIN_ROUNDED = 2, 4
_EPILOGUES = {"": 1, "relu": 2, "gelu": 32}
_WITH_BIAS = 4
_NOT_SUPPORTED = 15
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


def most_work(device: int) -> int:
    """How many bytes a product may work in; `CUBLASLT_WORKSPACE_SIZE` says it in KiB."""
    asked = os.environ.get("CUBLASLT_WORKSPACE_SIZE", "")
    if asked.isdigit():
        return int(asked) << 10
    return 32 << 20 if context.properties(device)["major"] >= 9 else 8 << 20


def compute_type(memory: str) -> int:
    """In which type sums are made."""
    if memory == "f64":
        return _COMPUTE_F64
    return _COMPUTE_TF32 if memory == "f32" and settings.products.allow_tf32 else _COMPUTE_F32


def _joins(memory: str) -> int:
    """How the parts of a sum may be joined."""
    allowed = {
        "f16": settings.products.allow_fp16_reduced_precision_reduction,
        "bf16": settings.products.allow_bf16_reduced_precision_reduction,
    }
    return _JOIN_COMPUTED | (_JOIN_ROUNDED if allowed.get(memory, True) else 0)


class Described:
    """A product as the library knows it: its descriptions and its algorithms. None of its sizes may be 0.

    Args:
        product: what is asked for
        device: the number of the device, which is the current one
    """

    def __init__(self, product: Product, device: int) -> None:
        self.product, self.device = product, device
        self.handle = libraries.handle(NAME, "cublasLtCreate", device)
        self._made: list[tuple[str, int]] = []
        weakref.finalize(self, _destroy, libraries.find(NAME), self._made).atexit = False
        memory = product.made.memory
        number = ctypes.c_double if memory == "f64" else ctypes.c_float
        self.factors = (number * 2)(product.alpha, product.beta)
        self.operation = self._operation()
        self.first = self._layout(product.first)
        self.second = self._layout(product.second)
        self.result = self._layout(product.made)
        self.added = self.result if product.added is None else self._layout(product.added)
        found = [self._algorithm(ALIGNED), self._algorithm(itemsize(memory))]
        self.algorithms = [x for x in found if x is not None]
        self.work = max((x.work for x in self.algorithms), default=0)

    @property
    def can_run(self) -> bool:
        """Whether there are algorithms for operands wherever they lie."""
        return len(self.algorithms) == 2

    def _new(self, kind: str, *facts: Any) -> int:
        place = ctypes.c_void_p()
        libraries.call(NAME, f"cublasLt{kind}Create", ctypes.byref(place), *facts)
        self._made.append((kind, place.value or 0))
        return place.value or 0

    def _set(self, kind: str, described: int, attribute: int, value: Any) -> None:
        libraries.call(
            NAME, f"cublasLt{kind}SetAttribute", ctypes.c_void_p(described), ctypes.c_int(attribute),
            ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)),
        )  # fmt: skip

    def _operation(self) -> int:
        given = self.product
        memory = given.made.memory
        scale = _TYPES["f64" if memory == "f64" else "f32"]
        made = self._new("MatmulDesc", ctypes.c_int(compute_type(memory)), ctypes.c_int(scale))
        self._set("MatmulDesc", made, _TRANSA, ctypes.c_int32(given.first.turned))
        self._set("MatmulDesc", made, _TRANSB, ctypes.c_int32(given.second.turned))
        epilogue = _EPILOGUES[given.activation]
        if given.bias_apart is not None:
            epilogue = _WITH_BIAS | (epilogue if given.activation else 0)
            self._set("MatmulDesc", made, _BIAS_DATA_TYPE, ctypes.c_int32(_TYPES[memory]))
            self._set("MatmulDesc", made, _BIAS_BATCH_STRIDE, ctypes.c_int64(given.bias_apart))
        self._set("MatmulDesc", made, _EPILOGUE, ctypes.c_uint32(epilogue))
        return made

    def _layout(self, matrix: Matrix) -> int:
        made = self._new(
            "MatrixLayout", ctypes.c_int(_TYPES[matrix.memory]), ctypes.c_uint64(matrix.rows),
            ctypes.c_uint64(matrix.columns), ctypes.c_int64(matrix.step),
        )  # fmt: skip
        if self.product.batch > 1:
            self._set("MatrixLayout", made, _BATCH_COUNT, ctypes.c_int32(self.product.batch))
            self._set("MatrixLayout", made, _BATCH_STRIDE, ctypes.c_int64(matrix.apart))
        return made

    def _algorithm(self, alignment: int) -> Heuristic | None:
        """The algorithm that the library thinks fastest for operands at such multiples; None if it has none."""
        preferred = self._new("MatmulPreference")
        self._set(
            "MatmulPreference", preferred, _MOST_WORK, ctypes.c_uint64(most_work(self.device))
        )
        joins = ctypes.c_uint32(_joins(self.product.made.memory))
        self._set("MatmulPreference", preferred, _REDUCTIONS, joins)
        for attribute in _ALIGNMENTS:
            self._set("MatmulPreference", preferred, attribute, ctypes.c_uint32(alignment))
        if self.product.bias_apart is not None:
            # No memory is there yet: only how the address is aligned is looked at.
            self._set("MatmulDesc", self.operation, BIAS_POINTER, ctypes.c_void_p(alignment))
        found, count = Heuristic(), ctypes.c_int()
        described = self.operation, self.first, self.second, self.added, self.result, preferred
        code = libraries.code(
            NAME, "cublasLtMatmulAlgoGetHeuristic", *map(ctypes.c_void_p, (self.handle, *described)),
            ctypes.c_int(1), ctypes.byref(found), ctypes.byref(count),
        )  # fmt: skip
        if code not in (0, _NOT_SUPPORTED):
            raise libraries.failure(NAME, code, "cublasLtMatmulAlgoGetHeuristic")
        return found if not code and count.value and not found.state else None

    def queue(self, places: Sequence[int]) -> None:
        """Queue it on the current stream; the addresses of the result, what is added, both factors, and to work in."""
        made, added, first, second, work = places
        if self.product.bias_apart is not None:
            self._set("MatmulDesc", self.operation, BIAS_POINTER, ctypes.c_void_p(added))
            added = made
        chosen = self.algorithms[any(place % ALIGNED for place in places[:4])]
        size = ctypes.sizeof(self.factors) // 2
        alpha = ctypes.addressof(self.factors)
        words = [
            self.handle, self.operation, alpha, first, self.first, second, self.second, alpha + size, added, self.added,
            made, self.result, ctypes.addressof(chosen), work,
        ]  # fmt: skip
        stream = ctypes.c_void_p(streams.current(self.device).handle)
        libraries.call(
            NAME, "cublasLtMatmul", *map(ctypes.c_void_p, words), ctypes.c_size_t(self.work), stream
        )


def itemsize(memory: str) -> int:
    """The bytes of an element."""
    return {"f64": 8, "f32": 4}.get(memory, 2)


def _destroy(library: Any, made: list[tuple[str, int]]) -> None:
    for kind, place in made:
        getattr(library, f"cublasLt{kind}Destroy")(ctypes.c_void_p(place))
