"""Products of sparse matrices by cuSPARSE, by its interface for any types."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.engine.cuda import libraries, streams

NAME = "cusparse"
# `cudaDataType`, by the types of elements in memory; in which type products of such elements are summed.
TYPES = {"f32": 0, "f64": 1, "f16": 2, "c64": 4, "c128": 5, "bf16": 14}
# Those of triangular matrices that it solves with.
SOLVED = ("f32", "f64", "c64", "c128")
_SUMMED = {"f16": "f32", "bf16": "f32"}
# `cusparseIndexType_t`, by the size of an index; `cusparseOrder_t`.
_INDICES = {4: 2, 8: 3}
_BY_COLUMNS, _BY_ROWS = 1, 2
_AS_IT_IS, _FROM_ZERO, _USUAL = (ctypes.c_int(0) for _ in range(3))
# Gives memory of the device for so many bytes, by its address.
Room = Callable[[int], int]


class Sparse(NamedTuple):
    """A sparse matrix by its parts, which are addresses.

    Args:
        size: rows and columns
        stored: how many values there are
        rows: where rows begin; of a matrix by coordinates, the row of each value, in order
        columns: the column of each value
        values: the values
        memory: their type
        widths: the sizes of an index in ``rows``, and in ``columns``
        by_rows: whether ``rows`` says where rows begin
    """

    size: tuple[int, int]
    stored: int
    rows: int
    columns: int
    values: int
    memory: str
    widths: tuple[int, int]
    by_rows: bool


class Dense(NamedTuple):
    """A dense matrix without gaps.

    Args:
        size: rows and columns
        place: its address
        memory: the type of its elements
        turned: whether columns lie side by side, not rows
    """

    size: tuple[int, int]
    place: int
    memory: str
    turned: bool = False


def _handle(device: int) -> Any:
    """The library's handle for a device, whose work goes to the current stream."""
    found = libraries.handle(NAME, "cusparseCreate", device)
    stream = ctypes.c_void_p(streams.current(device).handle)
    libraries.call(NAME, "cusparseSetStream", ctypes.c_void_p(found), stream)
    return ctypes.c_void_p(found)


class _Described(libraries.Descriptions):
    """A block with descriptions, which end with it."""

    def __init__(self) -> None:
        super().__init__(NAME)

    def described(self, create: str, destroy: str, *facts: Any) -> Any:
        return ctypes.c_void_p(self.new(create, destroy, *facts))

    def sparse(self, matrix: Sparse) -> Any:
        sizes = map(ctypes.c_int64, (*matrix.size, matrix.stored))
        places = map(ctypes.c_void_p, (matrix.rows, matrix.columns, matrix.values))
        widths = [ctypes.c_int(_INDICES[w]) for w in matrix.widths]
        create = "cusparseCreateCsr"
        if not matrix.by_rows:
            create, widths = "cusparseCreateCoo", widths[:1]
        return self.described(
            create, "cusparseDestroySpMat", *sizes, *places, *widths, _FROM_ZERO,
            ctypes.c_int(TYPES[matrix.memory]),
        )  # fmt: skip

    def dense(self, matrix: Dense) -> Any:
        rows, columns = matrix.size
        apart = max(rows if matrix.turned else columns, 1)
        return self.described(
            "cusparseCreateDnMat", "cusparseDestroyDnMat", *map(ctypes.c_int64, (rows, columns, apart)),
            ctypes.c_void_p(matrix.place), ctypes.c_int(TYPES[matrix.memory]),
            ctypes.c_int(_BY_COLUMNS if matrix.turned else _BY_ROWS),
        )  # fmt: skip

    def vector(self, matrix: Dense) -> Any:
        """A matrix of one column without its second dimension."""
        return self.described(
            "cusparseCreateDnVec", "cusparseDestroyDnVec", ctypes.c_int64(matrix.size[0]),
            ctypes.c_void_p(matrix.place), ctypes.c_int(TYPES[matrix.memory]),
        )  # fmt: skip


def _factor(number: Any, memory: str) -> Any:
    """A number as the library takes it: by its address, in the type of sums."""
    part = ctypes.c_double if _SUMMED.get(memory, memory) in ("f64", "c128") else ctypes.c_float
    value = complex(number)
    parts = (value.real, value.imag) if memory in ("c64", "c128") else (value.real,)
    return (part * len(parts))(*parts)


def _with_room(name: str, given: tuple[Any, ...], room: Room) -> None:
    """Call a function that works in memory whose size another one of that name tells."""
    size = ctypes.c_size_t()
    libraries.call(NAME, f"{name}_bufferSize", *given, ctypes.byref(size))
    libraries.call(NAME, name, *given, ctypes.c_void_p(room(size.value)))


def times_dense(device: int, matrix: Sparse, dense: Dense, made: Dense, room: Room) -> None:
    """Queue the product of a sparse matrix and a dense one."""
    with _Described() as own:
        one, zero = (_factor(n, matrix.memory) for n in (1, 0))
        given = (
            _handle(device), _AS_IT_IS, _AS_IT_IS, one, own.sparse(matrix), own.dense(dense), zero, own.dense(made),
            _summed(matrix.memory), _USUAL,
        )  # fmt: skip
        _with_room("cusparseSpMM", given, room)


def sampled(
    device: int, left: Dense, right: Dense, made: Sparse, factors: tuple[Any, Any], room: Room
) -> None:
    """Queue ``beta * made + alpha * (left @ right)`` where a sparse matrix has values; the factors are alpha and beta."""
    with _Described() as own:
        alpha, beta = (_factor(n, made.memory) for n in factors)
        given = (
            _handle(device), _AS_IT_IS, _AS_IT_IS, alpha, own.dense(left), own.dense(right), beta, own.sparse(made),
            _summed(made.memory), _USUAL,
        )  # fmt: skip
        _with_room("cusparseSDDMM", given, room)


def solve_triangle(
    device: int, matrix: Sparse, side: Dense, made: Dense, upper: bool, transpose: bool, unit: bool, room: Room
) -> None:  # fmt: skip
    """Queue the solution with a triangular matrix; for one column, as for a vector."""
    is_vector = side.size[1] == 1
    name = "cusparseSpSV" if is_vector else "cusparseSpSM"
    with _Described() as own:
        triangle = own.sparse(matrix)
        for attribute, word in enumerate((upper, unit)):
            value = ctypes.c_int(word)
            libraries.call(
                NAME, "cusparseSpMatSetAttribute", triangle, ctypes.c_int(attribute), ctypes.byref(value),
                ctypes.c_size_t(ctypes.sizeof(value)),
            )  # fmt: skip
        describe = own.vector if is_vector else own.dense
        ways = (ctypes.c_int(transpose),) if is_vector else (ctypes.c_int(transpose), _AS_IT_IS)
        given = (
            _handle(device), *ways, _factor(1, matrix.memory), triangle, describe(side), describe(made),
            _summed(matrix.memory), _USUAL, own.described(f"{name}_createDescr", f"{name}_destroyDescr"),
        )  # fmt: skip
        size = ctypes.c_size_t()
        libraries.call(NAME, f"{name}_bufferSize", *given, ctypes.byref(size))
        libraries.call(NAME, f"{name}_analysis", *given, ctypes.c_void_p(room(size.value)))
        libraries.call(NAME, f"{name}_solve", *given)


def times_sparse(
    device: int, left: Sparse, right: Sparse, starts: int, room: Room, results: Callable[[int], tuple[int, int]]
) -> None:  # fmt: skip
    """Queue the product of two sparse matrices by rows.

    Args:
        device: the number of the device
        left, right: the matrices
        starts: where it is written where the result's rows begin
        room: gives memory to work in
        results: gives memory for so many columns and values of the result
    """
    memory = left.memory
    with _Described() as own:
        size = left.size[0], right.size[1]
        made = own.sparse(Sparse(size, 0, starts, 0, 0, memory, left.widths, True))
        kept = own.described("cusparseSpGEMM_createDescr", "cusparseSpGEMM_destroyDescr")
        one, zero = (_factor(n, memory) for n in (1, 0))
        given = (
            _handle(device), _AS_IT_IS, _AS_IT_IS, one, own.sparse(left), own.sparse(right), zero, made,
            _summed(memory), _USUAL, kept,
        )  # fmt: skip
        for step in ("workEstimation", "compute"):
            # Without memory it says how much it needs.
            needed = ctypes.c_size_t()
            for work in (lambda n: None, room):
                place = ctypes.c_void_p(work(needed.value))
                libraries.call(NAME, f"cusparseSpGEMM_{step}", *given, ctypes.byref(needed), place)
        sizes = [ctypes.c_int64() for _ in range(3)]
        libraries.call(NAME, "cusparseSpMatGetSize", made, *map(ctypes.byref, sizes))
        places = map(ctypes.c_void_p, (starts, *results(sizes[2].value)))
        libraries.call(NAME, "cusparseCsrSetPointers", made, *places)
        libraries.call(NAME, "cusparseSpGEMM_copy", *given)


def _summed(memory: str) -> Any:
    return ctypes.c_int(TYPES[_SUMMED.get(memory, memory)])
