"""MPI's world for processes that were started apart, as torchrun's and Ray's workers are.

A process that `mpiexec` starts asks it who the others are: lines of text go through a socket (the first version of the
interface that MPICH calls PMI), by which processes put words into a table, get those of others, and wait for each other. Here a
thread of each process answers these questions, out of the store by which the processes have found each other.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import itertools
import os
import socket
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from rushlight.distributed._groups import mpi
from rushlight.distributed._groups.world import world
from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.leaving import leave
from rushlight.engine.core.errors import DistError, DistStoreError

__all__ = ["CannotJoin", "is_started_by_mpi", "join"]

# What starters of MPI, and batch systems that are such, say who a process is.
_SAID_BY_STARTERS = ("PMI_RANK", "PMI_FD", "PMI_PORT", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
# Those whose processes ask in this way.
_CAN_JOIN = ("MPICH", "Intel", "MVAPICH")
# How long a process that leaves waits for the others.
_FAREWELL = timedelta(seconds=5)


class CannotJoin(Exception):
    """What keeps processes from beginning MPI together."""


def is_started_by_mpi(size: int) -> bool:
    """Whether a starter of MPI has started this process as one of so many."""
    named = any(name in os.environ for name in _SAID_BY_STARTERS)
    return mpi.is_there() and (named or _has_begun()) and mpi.size() == size


def _has_begun() -> bool:
    found = sys.modules.get("mpi4py.MPI")
    return found is not None and found.Is_initialized()


def join(store: Store, rank: int, nodes: Sequence[int], timeout: timedelta) -> None:
    """Begin MPI in all processes as one world, in which each has the rank that it has. All call this.

    Args:
        store: where processes find each other
        rank: this one
        nodes: for each process the number of its machine
        timeout: how long to wait for the others

    Raises:
        CannotJoin: in all processes, if one of them cannot
    """
    size = len(nodes)
    store = PrefixStore("mpi", store)
    library = _agree(store, rank, size, timeout)
    starter = _Starter(store, rank, nodes, timeout)
    with _surroundings(PMI_FD=starter.descriptor, PMI_RANK=rank, PMI_SIZE=size):
        # mpi4py keeps the interpreter to itself while MPI begins, and the thread that answers could not run.
        functions: Any = ctypes.CDLL(mpi.module().__file__)
        got = ctypes.c_int()
        status = functions.MPI_Init_thread(
            None, None, mpi.module().THREAD_MULTIPLE, ctypes.byref(got)
        )
    if status or mpi.size() != size:
        starter.close()
        raise CannotJoin(
            f"{library} has not begun as one world (status {status}, {mpi.size()} of {size} processes)"
        )
    atexit.register(_leave, functions, starter)


def _own_library() -> str:
    """The MPI of this process; raises if it cannot be joined."""
    if not mpi.is_there():
        raise CannotJoin("has no mpi4py: pip install 'rushlight[mpi]'")
    if _has_begun() or any(name in os.environ for name in _SAID_BY_STARTERS):
        raise CannotJoin(
            f"has begun MPI before, as one of {mpi.size()} processes: mpi4py.MPI is to be imported later than processes "
            "are joined, or the program to be started by mpiexec"
        )
    import mpi4py

    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    library = str(mpi.module().Get_library_version()).partition("\n")[0].strip("\0")
    if not any(known in library for known in _CAN_JOIN):
        raise CannotJoin(
            f"has {library}: of processes that were started apart MPICH (pip install mpich) and its kin make a world, "
            "with others the program is to be started by mpiexec"
        )
    return library


def _agree(store: Store, rank: int, size: int, timeout: timedelta) -> str:
    """The MPI that all processes have; raises, in all of them, unless it is the same and can be joined."""
    refusal = ""
    try:
        library = _own_library()
    except CannotJoin as error:
        library, refusal = "", str(error)
    store.set(f"library/{rank}", library or f"!{refusal}")
    keys = [f"library/{other}" for other in range(size)]
    try:
        store.wait(keys, timeout)
    except DistStoreError as error:
        missing = [str(other) for other, key in enumerate(keys) if not store.check([key])]
        raise CannotJoin(
            f"Timed out waiting {timeout.total_seconds() * 1000:.0f}ms for rank {', '.join(missing)}"
        ) from error
    found = [store.get(key).decode() for key in keys]
    refused: dict[str, list[str]] = {}
    for other, word in enumerate(found):
        if word.startswith("!"):
            refused.setdefault(word[1:], []).append(str(other))
    if refused or len(set(found)) > 1:
        # who serves the store goes when all have seen this
        leave(store, size, _FAREWELL.total_seconds())
        whose = [f"rank {', '.join(ranks)} {word}" for word, ranks in refused.items()]
        raise CannotJoin("; ".join(whose) or f"processes have different ones, by rank: {found}")
    return library


@contextlib.contextmanager
def _surroundings(**words: Any) -> Iterator[None]:
    """Within the block the environment has these variables."""
    os.environ.update({name: str(word) for name, word in words.items()})
    try:
        yield
    finally:
        for name in words:
            del os.environ[name]


def _leave(functions: Any, starter: _Starter) -> None:
    """What was sent arrives before a process goes that has left its groups; one that has failed just goes."""
    has_failed = world.default is not None or getattr(sys, "last_value", None) is not None
    starter.timeout = _FAREWELL
    if not has_failed:
        functions.MPI_Finalize()
    # The library may say good-bye when the process ends, and no thread answers any more; or it has hung up already.
    with contextlib.suppress(OSError):
        starter.tell("cmd=finalize_ack rc=0")


# What the answers to some questions are called.
_ANSWERS = {"get": "get_result", "put": "put_result", "barrier_in": "barrier_out"}


class _Starter:
    """Answers what this process's MPI asks its starter.

    Args:
        store: what processes tell each other
        rank: this process
        nodes: for each process the number of its machine
        timeout: how long to wait for others
    """

    def __init__(self, store: Store, rank: int, nodes: Sequence[int], timeout: timedelta) -> None:
        self.store, self.rank, self.nodes, self.timeout = store, rank, nodes, timeout
        self._own, self._asking = socket.socketpair()
        self.descriptor = self._asking.fileno()
        self._meetings = 0
        threading.Thread(target=self._serve, name="starter of MPI", daemon=True).start()

    def tell(self, line: str) -> None:
        """Send an answer."""
        self._own.sendall(f"{line}\n".encode())

    def close(self) -> None:
        """Answer no more."""
        self._own.shutdown(socket.SHUT_RDWR)
        self._asking.close()

    def _serve(self) -> None:
        with self._own, self._own.makefile("r") as lines:
            self._answer_all(lines)

    def _answer_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            words = dict(word.split("=", 1) for word in line.split() if "=" in word)
            asked = words.get("cmd", "")
            try:
                answer = self._answer(asked, words)
            except (DistError, OSError):
                # The store has gone, or somebody does not come: MPI must not wait for an answer for ever.
                answer = f"cmd={_ANSWERS.get(asked, asked)} rc=-1 msg=failed"
            if answer:
                self.tell(answer)

    def _answer(self, asked: str, words: dict[str, str]) -> str:
        if asked == "get":
            return self._got(words["key"])
        if asked == "put":
            self.store.set(f"word/{words['key']}", words["value"])
            return "cmd=put_result rc=0 msg=success"
        if asked == "barrier_in":
            self._meet()
            return "cmd=barrier_out rc=0"
        return {
            "init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
            "get_maxes": "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024",
            "get_appnum": "cmd=appnum appnum=0",
            "get_my_kvsname": "cmd=my_kvsname kvsname=rushlight",
            "get_universe_size": f"cmd=universe_size size={len(self.nodes)}",
            "finalize": "cmd=finalize_ack rc=0",
            "abort": "",
        }.get(asked, f"cmd={asked}_result rc=-1 msg=unknown")

    def _got(self, key: str) -> str:
        if key == "PMI_process_mapping":
            runs = [(node, len(list(run))) for node, run in itertools.groupby(self.nodes)]
            value = "(vector," + ",".join(f"({node},1,{count})" for node, count in runs) + ")"
        elif self.store.check([f"word/{key}"]):
            value = self.store.get(f"word/{key}").decode()
        else:
            return "cmd=get_result rc=-1 msg=key_not_found value=unknown"
        return f"cmd=get_result rc=0 msg=success value={value}"

    def _meet(self) -> None:
        """Wait until all processes have come here."""
        self._meetings += 1
        name = f"meeting/{self._meetings}"
        try:
            if self.store.add(f"{name}/count", 1) == len(self.nodes):
                self.store.set(f"{name}/all", "")
            self.store.wait([f"{name}/all"], self.timeout)
        except (DistError, OSError):
            # Who serves the store may have left before, which harms nobody who leaves too.
            if self.timeout is not _FAREWELL:
                raise
