"""The watchdog of collectives on GPUs: a thread that sees which of them have ended, failed, or taken too long.

What happens then is as in PyTorch, by ``TORCH_NCCL_ASYNC_ERROR_HANDLING``: nothing (0), the end of the process after (1) or
without (3, the default) ending the communicator, or the end of the communicator alone (2). With ``TORCH_NCCL_BLOCKING_WAIT=1``
nothing happens either: who waits does so on the host, and gets the error. With ``TORCH_NCCL_DUMP_ON_TIMEOUT=1`` the flight recorder
is written to the file that ``TORCH_FR_DUMP_TEMP_FILE`` and the rank name.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

from rushlight.distributed._groups.flight_recorder import recorder
from rushlight.engine.core.errors import DistBackendError
from rushlight.engine.cuda import driver

if TYPE_CHECKING:
    from rushlight.distributed._groups.nccl import NCCLBackend, StreamWork

__all__ = ["Settings", "Watchdog"]

# How often it looks.
POLL_SECONDS = 0.1
_DUMP_FILE = "/tmp/nccl_trace_rank_"
NOTHING, TEAR_DOWN, CLEAN_UP, SKIP_CLEAN_UP = range(4)


class Settings:
    """What the environment says when a group is made."""

    def __init__(self) -> None:
        self.blocks = _number("BLOCKING_WAIT", 0) != 0
        self.dumps = _number("DUMP_ON_TIMEOUT", 0) != 0
        handling = _number("ASYNC_ERROR_HANDLING", SKIP_CLEAN_UP)
        if not NOTHING <= handling <= SKIP_CLEAN_UP:
            raise RuntimeError(
                f"Invalid value for environment variable: TORCH_NCCL_ASYNC_ERROR_HANDLING is {handling}, and 0, 1, 2 or 3 "
                "is expected"
            )
        self.handling = NOTHING if self.blocks else handling

    @property
    def ends_communicator(self) -> bool:
        return self.handling in (TEAR_DOWN, CLEAN_UP)

    @property
    def ends_process(self) -> bool:
        return self.handling in (TEAR_DOWN, SKIP_CLEAN_UP)


def _number(name: str, usual: int) -> int:
    """A variable of the environment, under its name or its former one."""
    for full in (f"TORCH_NCCL_{name}", f"NCCL_{name}"):
        given = os.environ.get(full)
        if given is not None:
            try:
                return int(given)
            except ValueError:
                raise RuntimeError(
                    f"Invalid value for environment variable: {full} is {given!r}, and a number is expected"
                ) from None
    return usual


class Watchdog:
    """Looks after what a backend has queued.

    Args:
        owner: the backend
    """

    def __init__(self, owner: NCCLBackend) -> None:
        self._owner = owner
        self._works: list[StreamWork] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_over = False

    def watch(self, work: StreamWork) -> None:
        """Look after a collective until it has ended."""
        with self._changed:
            self._works.append(work)
            if self._thread is None:
                name = f"pt_nccl_watchdg {self._owner.rank()}"
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """Look after nothing any more."""
        with self._changed:
            self._is_over = True
            self._works.clear()
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        # While another thread records a graph, this one may ask for events all the same.
        with driver.relaxed():
            while self._awaited():
                for work in list(self._works):
                    if not self._is_over and self._has_ended(work):
                        with self._changed:
                            self._works = [x for x in self._works if x is not work]

    def _awaited(self) -> bool:
        """Wait until it is time to look; whether there is still somebody to look for."""
        with self._changed:
            self._changed.wait_for(lambda: self._works or self._is_over)
            # Not `sleep`: a group that ends waits for this thread.
            self._changed.wait_for(lambda: self._is_over, POLL_SECONDS)
            return not self._is_over

    def _has_ended(self, work: StreamWork) -> bool:
        """Whether a collective has ended, well or not."""
        if work._error is None:
            try:
                if work.is_completed():
                    return True
                work.check_time(None)
            except DistBackendError as error:
                work.fail(error)
        if work._error is None:
            return False
        self._handle(work._error)
        return True

    def _handle(self, error: DistBackendError) -> None:
        settings = self._owner.settings
        if settings.dumps:
            self._dump()
        if settings.ends_communicator:
            self._owner.transport.abort(str(error))
        if settings.ends_process:
            sys.stderr.write(
                f"{error}\n[Rank {self._owner.rank()}] Kernels run later than they are asked for: what follows a collective that "
                "has failed would work on data that is not complete. The process is ended "
                "(TORCH_NCCL_ASYNC_ERROR_HANDLING=2 ends the communicator alone).\n"
            )
            sys.stderr.flush()
            os.abort()

    def _dump(self) -> None:
        start = os.environ.get("TORCH_FR_DUMP_TEMP_FILE") or os.environ.get(
            "TORCH_NCCL_DEBUG_INFO_TEMP_FILE", _DUMP_FILE
        )
        with open(f"{start}{self._owner.global_rank}", "wb") as file:
            file.write(recorder.dump())
