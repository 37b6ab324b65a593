"""Communication between GPUs by NCCL, by its C interface: communicators, and what they queue on streams."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.core.errors import DistBackendError
from rushlight.engine.cuda import libraries

NAME = "nccl"
ID_BYTES = 128
# `ncclDataType_t`, by the types of elements in memory; `ncclRedOp_t`.
TYPES = {
    "i8": 0, "u8": 1, "i32": 2, "u32": 3, "i64": 4, "u64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9,
}  # fmt: skip
SUM, PRODUCT, MAX, MIN, AVERAGE = range(5)
BYTES = TYPES["i8"]
_IN_PROGRESS = 7


class UniqueId(ctypes.Structure):
    """What the processes of a communicator know each other by: `ncclUniqueId`."""

    _fields_ = (("content", ctypes.c_ubyte * ID_BYTES),)


def is_there() -> bool:
    """Whether the library is installed."""
    return libraries.find(NAME) is not None


def version() -> tuple[int, int, int]:
    """The library's version."""
    place = ctypes.c_int()
    call("ncclGetVersion", ctypes.byref(place))
    rest = place.value
    return rest // 10000, rest % 10000 // 100, rest % 100


def call(function: str, *arguments: Any) -> None:
    """Call a function of the library; what it reports is raised, in its words."""
    code = libraries.code(NAME, function, *arguments)
    if code not in (0, _IN_PROGRESS):
        raise failure(code, function)


def failure(code: int, function: str) -> DistBackendError:
    describe = libraries.find(NAME).ncclGetErrorString
    if isinstance(describe, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        describe.restype = ctypes.c_char_p
    text = describe(ctypes.c_int(code))
    return DistBackendError(f"NCCL error {code}, reported by {function}: {text.decode()}")


def unique_id() -> bytes:
    """A new name for the processes of a communicator."""
    made = UniqueId()
    call("ncclGetUniqueId", ctypes.byref(made))
    return bytes(made.content)


class Communicator:
    """Processes with a GPU each. Made when all of them make theirs.

    Args:
        size: how many they are
        name: what `unique_id` has given one of them
        rank: which one this is
    """

    def __init__(self, size: int, name: bytes, rank: int) -> None:
        given = UniqueId.from_buffer_copy(name)
        place = ctypes.c_void_p()
        call("ncclCommInitRank", ctypes.byref(place), ctypes.c_int(size), given, ctypes.c_int(rank))
        self.handle = ctypes.c_void_p(place.value)

    @classmethod
    def of_handle(cls, handle: int | None) -> Communicator:
        """One that the library has made."""
        made = object.__new__(cls)
        made.handle = ctypes.c_void_p(handle)
        return made

    def _queue(self, function: str, *given: Any, stream: int) -> None:
        call(f"nccl{function}", *given, self.handle, ctypes.c_void_p(stream))

    def all_reduce(
        self, source: int, target: int, count: int, kind: int, op: int, stream: int
    ) -> None:
        self._queue(
            "AllReduce", *_buffers(source, target, count, kind), ctypes.c_int(op), stream=stream
        )

    def reduce(
        self, source: int, target: int, count: int, kind: int, op: int, root: int, stream: int
    ) -> None:
        given = *_buffers(source, target, count, kind), ctypes.c_int(op), ctypes.c_int(root)
        self._queue("Reduce", *given, stream=stream)

    def reduce_scatter(
        self, source: int, target: int, count: int, kind: int, op: int, stream: int
    ) -> None:
        """``count`` elements for each process."""
        given = *_buffers(source, target, count, kind), ctypes.c_int(op)
        self._queue("ReduceScatter", *given, stream=stream)

    def broadcast(self, source: int, target: int, nbytes: int, root: int, stream: int) -> None:
        given = *_buffers(source, target, nbytes, BYTES), ctypes.c_int(root)
        self._queue("Broadcast", *given, stream=stream)

    def all_gather(self, source: int, target: int, nbytes: int, stream: int) -> None:
        """``nbytes`` of each process."""
        self._queue("AllGather", *_buffers(source, target, nbytes, BYTES), stream=stream)

    def send(self, place: int, nbytes: int, rank: int, stream: int) -> None:
        self._queue("Send", *_message(place, nbytes, rank), stream=stream)

    def receive(self, place: int, nbytes: int, rank: int, stream: int) -> None:
        self._queue("Recv", *_message(place, nbytes, rank), stream=stream)

    def check(self) -> None:
        """Raise for what has gone wrong on the way, such as a process that is gone."""
        place = ctypes.c_int()
        call("ncclCommGetAsyncError", self.handle, ctypes.byref(place))
        if place.value not in (0, _IN_PROGRESS):
            raise failure(place.value, "a collective that was queued before")

    def destroy(self) -> None:
        call("ncclCommDestroy", self.handle)

    def abort(self) -> None:
        """End what is going on, too."""
        call("ncclCommAbort", self.handle)


# Those of GPUs of this process, with the library that has made them.
_known: dict[tuple[int, ...], tuple[Any, list[Communicator]]] = {}


def communicators(devices: tuple[int, ...]) -> list[Communicator]:
    """Communicators of some GPUs of this process, which stay."""
    owner, found = _known.get(devices, (None, []))
    if owner is not libraries.find(NAME):
        count = len(devices)
        places = (ctypes.c_void_p * count)()
        call("ncclCommInitAll", places, ctypes.c_int(count), (ctypes.c_int * count)(*devices))
        found = [Communicator.of_handle(place) for place in places]
        _known[devices] = libraries.find(NAME), found
    return found


class group:
    """A block whose calls are made together: none waits for another."""

    def __enter__(self) -> None:
        call("ncclGroupStart")

    def __exit__(self, *exception: object) -> None:
        call("ncclGroupEnd")


def _buffers(source: int, target: int, count: int, kind: int) -> tuple[Any, ...]:
    places = ctypes.c_void_p(source), ctypes.c_void_p(target)
    return *places, ctypes.c_size_t(count), ctypes.c_int(kind)


def _message(place: int, nbytes: int, rank: int) -> tuple[Any, ...]:
    return ctypes.c_void_p(place), ctypes.c_size_t(nbytes), ctypes.c_int(BYTES), ctypes.c_int(rank)
