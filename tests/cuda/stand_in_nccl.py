"""A stand-in for NCCL: ranks are threads of this process, whose calls meet and are made with numpy."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from typing import Any

import numpy as np
from stand_in import StandIn
from stand_in_cublaslt import narrowed, widened
from stand_in_libraries import Library

KINDS = [
    np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64, np.uint16,
]  # fmt: skip
BF16 = 9
COMBINED = [np.add, np.multiply, np.maximum, np.minimum, np.add]
AVERAGE = 4
PATIENCE = 20


class Clique:
    """The ranks of a communicator: what each has asked for is made when all have come."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.asked: dict[int, list[tuple[Any, ...]]] = {}
        self.barrier = threading.Barrier(size)

    def meet(self, rank: int, calls: list[tuple[Any, ...]], make: Any) -> None:
        self.asked[rank] = calls
        if self.barrier.wait(PATIENCE) == 0:
            make(self.asked)
            self.asked = {}
        self.barrier.wait(PATIENCE)


class Communication(Library):
    """NCCL."""

    def __init__(self, driver: StandIn) -> None:
        super().__init__(driver)
        self.cliques: dict[bytes, Clique] = {}
        self.members: dict[int, tuple[Clique, int]] = {}
        self.here = threading.local()
        self.failing = self.failing_later = 0
        self.lock = threading.Lock()

    def ncclGetErrorString(self, code: Any) -> bytes:
        return f"what is numbered {code.value}".encode()

    def _ncclGetVersion(self, place: Any) -> None:
        place.value = 22304

    def _ncclGetUniqueId(self, place: Any) -> None:
        self.last += 1
        place.content[0] = self.last
        place.content[127] = 7

    def _ncclCommInitRank(self, place: Any, size: int, name: Any, rank: int) -> None:
        with self.lock:
            clique = self.cliques.setdefault(bytes(name.content), Clique(size))
            self.last += 1
            place.value = self.last
            self.members[place.value] = clique, rank
        clique.barrier.wait(PATIENCE)

    def _ncclCommInitAll(self, places: Any, count: int, devices: Any) -> None:
        clique = Clique(count)
        for rank in range(count):
            self.last += 1
            places[rank] = self.last
            self.members[self.last] = clique, rank

    def _ncclCommDestroy(self, made: int) -> None:
        del self.members[made]

    _ncclCommAbort = _ncclCommDestroy

    def _ncclCommGetAsyncError(self, made: int, place: Any) -> None:
        place.value = self.failing_later

    # -- calls that are made together --
    def _ncclGroupStart(self) -> None:
        depth = getattr(self.here, "depth", 0)
        self.here.depth = depth + 1
        if not depth:
            self.here.calls = defaultdict(list)

    def _ncclGroupEnd(self) -> None:
        self.here.depth -= 1
        if not self.here.depth:
            asked: dict[Clique, dict[int, Any]] = defaultdict(dict)
            for made, calls in self.here.calls.items():
                clique, rank = self.members[made]
                asked[clique][rank] = calls
            for clique, own in asked.items():
                if len(own) == clique.size:
                    # All ranks are this thread's.
                    self.make(own)
                else:
                    ((rank, calls),) = own.items()
                    clique.meet(rank, calls, self.make)

    def ask(self, *call: Any) -> int:
        *given, made, stream = call
        if self.failing:
            return self.failing
        assert self.driver.stream(stream) in self.driver.streams
        self._ncclGroupStart()
        self.here.calls[made].append(tuple(given))
        self._ncclGroupEnd()
        return 0

    def __getattr__(self, name: str) -> Any:
        if name in _ASKED:
            from stand_in import plain

            return lambda *given: self.calls.append(name) or self.ask(name, *map(plain, given))
        return super().__getattr__(name)

    # -- what ranks have asked for --
    def make(self, asked: dict[int, list[tuple[Any, ...]]]) -> None:
        sent: dict[tuple[int, int], deque[Any]] = defaultdict(deque)
        together: dict[int, list[tuple[Any, ...]]] = {}
        for rank, calls in asked.items():
            together[rank] = [c for c in calls if c[0] not in ("ncclSend", "ncclRecv")]
            for _, place, nbytes, _, other in (c for c in calls if c[0] == "ncclSend"):
                sent[rank, other].append(self.driver.memory.view(place, nbytes).copy())
        for rank, calls in asked.items():
            for _, place, nbytes, _, other in (c for c in calls if c[0] == "ncclRecv"):
                self.driver.memory.view(place, nbytes)[:] = sent[other, rank].popleft()
        assert not any(sent.values())
        for calls in zip(*(together[rank] for rank in sorted(together)), strict=True):
            assert len({(c[0], *c[3:]) for c in calls}) == 1
            getattr(self, calls[0][0][4:])(calls)

    def read(self, place: int, count: int, kind: int) -> np.ndarray:
        found = self.array(place, KINDS[kind], (count,))
        return widened(found, 14) if kind == BF16 else found.copy()

    def write(self, place: int, values: np.ndarray, kind: int) -> None:
        target = self.array(place, KINDS[kind], (len(values),))
        target[:] = narrowed(values, 14) if kind == BF16 else values.astype(KINDS[kind])

    def combined(self, calls: Any, count: int) -> np.ndarray:
        kind, op = calls[0][4], calls[0][5]
        total = self.read(calls[0][1], count, kind)
        for call in calls[1:]:
            total = COMBINED[op](total, self.read(call[1], count, kind))
        return total / len(calls) if op == AVERAGE else total

    def AllReduce(self, calls: Any) -> None:
        total = self.combined(calls, calls[0][3])
        for call in calls:
            self.write(call[2], total, call[4])

    def Reduce(self, calls: Any) -> None:
        root = calls[0][6]
        self.write(calls[root][2], self.combined(calls, calls[0][3]), calls[0][4])

    def ReduceScatter(self, calls: Any) -> None:
        count = calls[0][3]
        total = self.combined(calls, count * len(calls))
        for rank, call in enumerate(calls):
            self.write(call[2], total[rank * count : (rank + 1) * count], call[4])

    def Broadcast(self, calls: Any) -> None:
        root = calls[0][5]
        values = self.read(calls[root][1], calls[0][3], calls[0][4])
        for call in calls:
            self.write(call[2], values, call[4])

    def AllGather(self, calls: Any) -> None:
        every = np.concatenate([self.read(c[1], c[3], c[4]) for c in calls])
        for call in calls:
            self.write(call[2], every, call[4])


_ASKED = {
    f"nccl{name}" for name in ("AllReduce", "Reduce", "ReduceScatter", "Broadcast", "AllGather", "Send", "Recv")
}  # fmt: skip
