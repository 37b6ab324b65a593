"""Routines of linear algebra by cuSOLVER and cuBLAS: LAPACK's, for matrices in a GPU's memory, stored by columns."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight.engine.core.tensor import place_of
from rushlight.engine.cuda import libraries, streams

# What the libraries call LAPACK's letters, by what an argument is.
_LETTERS = {
    "fill": {b"L": 0, b"U": 1}, "way": {b"N": 0, b"T": 1, b"C": 2}, "side": {b"L": 0, b"R": 1},
    "unit": {b"N": 0, b"U": 1}, "job": {b"N": 0, b"V": 1},
}  # fmt: skip
_MAKERS = {"cusolver": "cusolverDnCreate", "cublas": "cublasCreate_v2"}
_STREAMS = {"cusolver": "cusolverDnSetStream", "cublas": "cublasSetStream_v2"}


class Routine(NamedTuple):
    """How a routine is called.

    Args:
        kinds: what each argument is, in LAPACK's order: a letter's kind, ``int``, or ``at`` for an address
        asked: the arguments that the question for the length of the work array has; None if there is no such array
        work_at: before which argument the work array stands, if it does without its length there
        reports: whether it says how it went
        library: which library has it
    """

    kinds: tuple[str, ...]
    asked: tuple[int, ...] | None = None
    work_at: int | None = None
    reports: bool = True
    library: str = "cusolver"


_MATRIX = ("at", "int")
ROUTINES = {
    "potrf": Routine(("fill", "int", *_MATRIX), (0, 1, 2, 3)),
    "potri": Routine(("fill", "int", *_MATRIX), (0, 1, 2, 3)),
    "potrs": Routine(("fill", "int", "int", *_MATRIX, *_MATRIX)),
    "getrf": Routine(("int", "int", *_MATRIX, "at"), (0, 1, 2, 3), work_at=4),
    "getrs": Routine(("way", "int", "int", *_MATRIX, "at", *_MATRIX)),
    "geqrf": Routine(("int", "int", *_MATRIX, "at"), (0, 1, 2, 3)),
    "orgqr": Routine(("int", "int", "int", *_MATRIX, "at"), (0, 1, 2, 3, 4, 5)),
    "ormqr": Routine(("side", "way", "int", "int", "int", *_MATRIX, "at", *_MATRIX), tuple(range(10))),
    "syevd": Routine(("job", "fill", "int", *_MATRIX, "at"), (0, 1, 2, 3, 4, 5)),
    "sytrf": Routine(("fill", "int", *_MATRIX, "at"), (1, 2, 3)),
    "laswp": Routine(("int", *_MATRIX, "int", "int", "at", "int"), reports=False),
    "trsm": Routine(
        ("side", "fill", "way", "unit", "int", "int", "number", *_MATRIX, *_MATRIX), reports=False, library="cublas"
    ),
}  # fmt: skip
ROUTINES |= {"ungqr": ROUTINES["orgqr"], "unmqr": ROUTINES["ormqr"], "heevd": ROUTINES["syevd"]}


def handle(library: str, device: int) -> Any:
    """A library's handle for a device, whose work goes to the current stream."""
    found = libraries.handle(library, _MAKERS[library], device)
    stream = ctypes.c_void_p(streams.current(device).handle)
    libraries.call(library, _STREAMS[library], ctypes.c_void_p(found), stream)
    return ctypes.c_void_p(found)


def as_given(kind: str, value: Any) -> Any:
    """An argument as the libraries take it."""
    if kind == "at":
        return ctypes.c_void_p(value)
    if kind == "number":
        return value
    return ctypes.c_int(_LETTERS[kind][value] if isinstance(value, bytes) else value)


def _function(letter: str, name: str, routine: Routine) -> str:
    """A function's name: of a type's letter and LAPACK's name."""
    if routine.library == "cublas":
        return f"cublas{letter.upper()}{name}_v2"
    return f"cusolverDn{letter.upper()}{name}"


def work_length(device: int, letter: str, name: str, values: Sequence[Any]) -> int:
    """How many numbers a routine's work array has; 0 if it has none."""
    routine = ROUTINES[name]
    if routine.asked is None:
        return 0
    place = ctypes.c_int()
    given = [as_given(routine.kinds[k], values[k]) for k in routine.asked]
    function = f"{_function(letter, name, routine)}_bufferSize"
    libraries.call("cusolver", function, handle("cusolver", device), *given, ctypes.byref(place))
    return place.value


def queue(
    device: int, letter: str, name: str, values: Sequence[Any], work: int, length: int, report: int
) -> None:
    """Queue a routine on the current stream.

    Args:
        device: the number of the device
        letter: LAPACK's for the type
        name: LAPACK's for the routine
        values: its arguments, memory by address
        work: where it may work
        length: how many numbers there is room for
        report: where it says how it went
    """
    routine = ROUTINES[name]
    given = [as_given(kind, value) for kind, value in zip(routine.kinds, values, strict=True)]
    if routine.work_at is not None:
        given.insert(routine.work_at, ctypes.c_void_p(work))
    elif routine.asked is not None:
        given += [ctypes.c_void_p(work), ctypes.c_int(length)]
    if routine.reports:
        given.append(ctypes.c_void_p(report))
    libraries.call(
        routine.library, _function(letter, name, routine), handle(routine.library, device), *given
    )


def singular_values(
    device: int, letter: str, job: bytes, sizes: tuple[int, int], places: Sequence[int], room: Callable[[int], int],
    report: int,
) -> None:  # fmt: skip
    """Queue a singular value decomposition by Jacobi's method.

    Args:
        device: the number of the device
        letter: LAPACK's for the type
        job: which vectors are wanted, as LAPACK's ``gesdd`` says it
        sizes: rows and columns
        places: where the matrix, the values, the left and the right vectors (these by columns) are
        room: gives memory for so many numbers of the type
        report: where it says how it went
    """
    rows, cols = sizes
    least = min(sizes)
    matrix, values, left, right = places
    kept = ctypes.c_void_p()
    libraries.call("cusolver", "cusolverDnCreateGesvdjInfo", ctypes.byref(kept))
    head = [
        ctypes.c_int(job != b"N"), ctypes.c_int(job == b"S"), ctypes.c_int(rows), ctypes.c_int(cols),
        ctypes.c_void_p(matrix), ctypes.c_int(rows), ctypes.c_void_p(values), ctypes.c_void_p(left),
        ctypes.c_int(rows), ctypes.c_void_p(right), ctypes.c_int(cols),
    ]  # fmt: skip
    name = f"cusolverDn{letter.upper()}gesvdj"
    length = ctypes.c_int()
    own = handle("cusolver", device)
    libraries.call("cusolver", f"{name}_bufferSize", own, *head, ctypes.byref(length), kept)
    work = room(max(length.value, least))
    libraries.call(
        "cusolver", name, own, *head, ctypes.c_void_p(work), length, ctypes.c_void_p(report), kept
    )
    libraries.call("cusolver", "cusolverDnDestroyGesvdjInfo", kept)


# -- routines of the interface for sizes of 64 bits, which take types as numbers --

# `cudaDataType`
_TYPES = {"f32": 0, "f64": 1, "c64": 4, "c128": 5}


class EigenJob(NamedTuple):
    """A general matrix whose eigenvalues are asked for.

    Args:
        with_vectors: whether the right vectors are, too
        order: how many rows there are
        matrix, values, vectors: where they are; the values of a real matrix are its order's number of
            real parts, and as many imaginary ones
    """

    with_vectors: bool
    order: int
    matrix: int
    values: int
    vectors: int


def eigenvalues(
    device: int, memory: str, job: EigenJob, room: Callable[[int], Any], report: int
) -> None:
    """Queue the eigenvalues, and the right eigenvectors, of a general matrix.

    Args:
        device: its number
        memory: the type of the matrix
        job: what is asked for
        room: gives a tensor of so many bytes
        report: where it says how it went
    """
    kind = ctypes.c_int(_TYPES[memory])
    order = ctypes.c_int64(job.order)
    params = ctypes.c_void_p()
    libraries.call("cusolver", "cusolverDnCreateParams", ctypes.byref(params))
    vectors = ctypes.c_void_p(job.vectors if job.with_vectors else 0)
    given = [
        params, ctypes.c_int(0), ctypes.c_int(job.with_vectors), order,
        kind, ctypes.c_void_p(job.matrix), order, kind, ctypes.c_void_p(job.values),
        kind, ctypes.c_void_p(0), order, kind, vectors, order, kind,
    ]  # fmt: skip
    _queue_wide(device, "cusolverDnXgeev", given, room, report)
    libraries.call("cusolver", "cusolverDnDestroyParams", params)


def symmetric_solution(
    device: int, memory: str, values: Sequence[Any], room: Callable[[int], Any], report: int
) -> None:
    """Queue LAPACK's ``sytrs``, of which these are the arguments; the pivots have 64 bits."""
    fill, n, count, factors, rows, pivots, side, side_rows = values
    kind = ctypes.c_int(_TYPES[memory])
    given = [
        ctypes.c_int(_LETTERS["fill"][fill]), ctypes.c_int64(n), ctypes.c_int64(count), kind,
        ctypes.c_void_p(factors), ctypes.c_int64(rows), ctypes.c_void_p(pivots), kind,
        ctypes.c_void_p(side), ctypes.c_int64(side_rows),
    ]  # fmt: skip
    _queue_wide(device, "cusolverDnXsytrs", given, room, report)


def _queue_wide(
    device: int, name: str, given: Sequence[Any], room: Callable[[int], Any], report: int
) -> None:
    """Queue a routine that works in memory of the device and of the host, after it has said how much."""
    own = handle("cusolver", device)
    there, here = ctypes.c_size_t(), ctypes.c_size_t()
    libraries.call(
        "cusolver", f"{name}_bufferSize", own, *given, ctypes.byref(there), ctypes.byref(here)
    )
    work = room(there.value)
    host = (ctypes.c_char * max(here.value, 1))()
    libraries.call(
        "cusolver", name, own, *given, ctypes.c_void_p(place_of(work)), there, host, here,
        ctypes.c_void_p(report),
    )  # fmt: skip
    # The host's memory must be there until the routine is done with it.
    if here.value:
        streams.current(device).synchronize()
