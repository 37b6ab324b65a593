"""Starting several processes of one function, and learning what went wrong in them."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rushlight.multiprocessing._parents import end_with_parent

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
# How long the other processes may take to end after one has failed, in seconds.
_GRACE = 30.0

__all__ = [
    "ENV_VAR_PARALLEL_START", "ProcessContext", "ProcessException", "ProcessExitedException",
    "ProcessRaisedException", "SpawnContext", "spawn", "start_processes",
]  # fmt: skip


class ProcessException(Exception):
    """A process has failed.

    Args:
        msg: what happened
        error_index: which of the processes it was
        error_pid: its number in the system
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process has ended with an exception; the message has its traceback."""


class ProcessExitedException(ProcessException):
    """A process was killed by a signal or has ended with an exit status.

    Args:
        exit_code: the status; negative for a signal
        signal_name: the name of the signal
    """

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        parts = (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)
        return type(self), parts


def _run(fn: Callable[..., Any], index: int, args: Sequence[Any], error_file: str) -> None:
    """What a process does."""
    end_with_parent(signal.SIGINT)
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        # Whoever interrupted this process has interrupted its parent too, or knows.
        return
    except Exception:
        # The parent raises it again.
        Path(error_file).write_bytes(pickle.dumps(traceback.format_exc()))
        sys.exit(1)


class ProcessContext:
    """Processes that have been started together.

    Args:
        processes: the processes
        error_files: where each writes the traceback of an exception
    """

    def __init__(self, processes: Sequence[Any], error_files: Sequence[str]) -> None:
        self.processes = list(processes)
        self.error_files = list(error_files)
        self.sentinels = {process.sentinel: index for index, process in enumerate(self.processes)}

    def pids(self) -> list[int]:
        """The numbers of the processes in the system."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait for some process to end; raises if it has failed, after ending the others.

        Args:
            timeout: how long to wait, in seconds
            grace_period: how long the others may take to end by themselves

        Returns:
            whether all processes have ended
        """
        if not self.sentinels:
            return True
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout):
            index = self.sentinels.pop(sentinel)  # type: ignore[arg-type]
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                self._end_others(grace_period)
                raise self._failure(index)
        if not self.sentinels:
            self._remove_files()
        return not self.sentinels

    def _end_others(self, grace_period: float | None) -> None:
        alive = [process for process in self.processes if process.is_alive()]
        for process in alive:
            process.terminate()
        deadline = time.monotonic() + (_GRACE if grace_period is None else grace_period)
        for process in alive:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
            process.join()

    def _failure(self, index: int) -> ProcessException:
        process, file = self.processes[index], Path(self.error_files[index])
        told = file.read_bytes() if file.exists() else b""
        self._remove_files()
        if told:
            text = (
                f"\n\n-- Process {index} terminated with the following error:\n{pickle.loads(told)}"
            )
            return ProcessRaisedException(text, index, process.pid)
        code = process.exitcode
        if code >= 0:
            text = f"process {index} terminated with exit code {code}"
            return ProcessExitedException(text, index, process.pid, code)
        name = _name_of_signal(-code)
        text = f"process {index} terminated with signal {name}"
        return ProcessExitedException(text, index, process.pid, code, name)

    def _remove_files(self) -> None:
        for file in self.error_files:
            Path(file).unlink(missing_ok=True)


def _name_of_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"<Unknown signal {number}>"


class SpawnContext(ProcessContext):
    """Processes that `spawn` has started."""


def _error_file() -> str:
    """The path of a file that does not exist until there is an error."""
    handle, path = tempfile.mkstemp(prefix="rushlight-errorfile-", suffix=".pickle")
    os.close(handle)
    os.unlink(path)
    return path


def start_processes(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start processes that call ``fn(i, *args)``.

    Args:
        fn: the function; its first argument is the number of the process
        args: its other arguments
        nprocs: how many processes
        join: whether to wait until all have ended
        daemon: whether they are ended when this process ends
        start_method: ``"spawn"``, ``"fork"`` or ``"forkserver"``

    Returns:
        the processes, unless they have been waited for
    """
    context: Any = multiprocessing.get_context(start_method)
    error_files = [_error_file() for _ in range(nprocs)]
    processes = [
        context.Process(target=_run, args=(fn, index, args, file), daemon=daemon)
        for index, file in enumerate(error_files)
    ]
    _start(processes, start_method)
    started = ProcessContext(processes, error_files)
    if not join:
        return started
    while not started.join():
        pass
    return None


def _start(processes: Sequence[Any], start_method: str) -> None:
    """Start processes one after another, or with threads if the environment asks for that."""
    wanted = os.environ.get(ENV_VAR_PARALLEL_START, "0") == "1"
    if wanted and start_method == "forkserver":
        with ThreadPoolExecutor(max_workers=len(processes) or 1) as pool:
            list(pool.map(lambda process: process.start(), processes))
        return
    for process in processes:
        process.start()


def spawn(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes` with fresh interpreters."""
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\n"
            "To use a different start_method use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
