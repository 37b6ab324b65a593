"""The workers of one machine: processes, their surroundings, and where what they say goes."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import IntFlag
from pathlib import Path
from typing import Any, TextIO

from rushlight.distributed.elastic.multiprocessing.errors import ProcessFailure, record
from rushlight.engine.native.records import dataclass
from rushlight.multiprocessing._parents import end_with_parent, started

__all__ = ["LogsSpecs", "Std", "Workers", "mapped_std"]


class Std(IntFlag):
    """Which of a worker's streams."""

    NONE = 0
    OUT = 1
    ERR = 2
    ALL = 3


def mapped_std(text: str, workers: int) -> dict[int, Std]:
    """Streams by local rank: of ``"3"`` for all, or ``"0:3,1:1"`` for some.

    Args:
        text: what the command line says
        workers: how many there are
    """
    if text.isdecimal():
        return dict.fromkeys(range(workers), Std(int(text)))
    found = dict.fromkeys(range(workers), Std.NONE)
    for pair in text.split(","):
        rank, colon, streams = pair.partition(":")
        if not (colon and rank.strip().isdecimal() and streams.strip().isdecimal()):
            raise ValueError(f"{text}: expected a number, or pairs such as 0:3,1:1")
        found[int(rank)] = Std(int(streams))
    return found


@dataclass
class LogsSpecs:
    """Where what workers say goes.

    Args:
        log_dir: the folder; a temporary one if it is not said
        redirects: streams that go to files, by local rank
        tee: streams that go to files and to the launcher's own, by local rank
        shown: the local ranks whose streams go to the launcher's own; None for all
    """

    log_dir: str | None = None
    redirects: dict[int, Std] = field(default_factory=dict)
    tee: dict[int, Std] = field(default_factory=dict)
    shown: set[int] | None = None

    def folder(self, run_id: str, attempt: int) -> Path:
        """The folder of an attempt."""
        if self.log_dir is None:
            self.log_dir = tempfile.mkdtemp(prefix="torchelastic_")
        made = Path(self.log_dir) / run_id / f"attempt_{attempt}"
        made.mkdir(parents=True, exist_ok=True)
        return made


def _run_function(
    function: Callable[..., Any],
    args: Sequence[Any],
    environment: Mapping[str, str],
    results: Any,
    launcher: int,
) -> None:
    """What a worker does that calls a function."""
    end_with_parent(signal.SIGTERM, launcher)
    os.environ.update(environment)
    results.put((int(environment["LOCAL_RANK"]), record(function)(*args)))


class _Worker:
    """A process, whatever started it."""

    def __init__(self, rank: int, error_file: str) -> None:
        self.rank, self.error_file = rank, error_file
        self.process: Any = None
        self.readers: list[threading.Thread] = []

    @property
    def pid(self) -> int:
        return int(self.process.pid)

    def status(self) -> int | None:
        """What it ended with; None while it runs."""
        if isinstance(self.process, subprocess.Popen):
            return self.process.poll()
        code: int | None = self.process.exitcode
        return code

    def signal(self, number: int) -> None:
        if self.status() is None:
            os.kill(self.pid, number)


class Workers:
    """The workers of one attempt.

    Args:
        entry: a command, or a function
        args: what the command or the function gets
        environments: the surroundings of each
        logs: where what they say goes
        folder: the folder of this attempt
        name: what they are called before what they say
    """

    def __init__(
        self,
        entry: str | Callable[..., Any],
        args: Sequence[Any],
        environments: list[dict[str, str]],
        logs: LogsSpecs,
        folder: Path,
        name: str = "default",
    ) -> None:
        self._logs, self._name = logs, name
        self.results: dict[int, Any] = {}
        self._queue: Any = None
        self.workers: list[_Worker] = []
        self._files: list[TextIO] = []
        for rank, environment in enumerate(environments):
            own = folder / str(rank)
            own.mkdir(exist_ok=True)
            environment["TORCHELASTIC_ERROR_FILE"] = str(own / "error.json")
            worker = _Worker(rank, environment["TORCHELASTIC_ERROR_FILE"])
            self.workers.append(worker)
            if isinstance(entry, str):
                self._start_command(worker, [entry, *args], environment, own)
            else:
                self._start_function(worker, entry, args, environment)

    def _start_command(
        self, worker: _Worker, command: list[Any], environment: dict[str, str], folder: Path
    ) -> None:
        streams: dict[str, Any] = {}
        teed = []
        for kind, name in ((Std.OUT, "stdout"), (Std.ERR, "stderr")):
            to_file = self._logs.redirects.get(worker.rank, Std.NONE) & kind
            to_both = self._logs.tee.get(worker.rank, Std.NONE) & kind
            hidden = self._logs.shown is not None and worker.rank not in self._logs.shown
            if to_both and not hidden:
                streams[name] = subprocess.PIPE
                teed.append(name)
            elif to_file or hidden or to_both:
                file = open(folder / f"{name}.log", "w")  # noqa: SIM115
                self._files.append(file)
                streams[name] = file
        start = functools.partial(
            subprocess.Popen,
            [str(word) for word in command],
            env={**os.environ, **environment},
            preexec_fn=functools.partial(end_with_parent, signal.SIGTERM, os.getpid()),
            **streams,
        )
        worker.process = started(start)
        for name in teed:
            reader = threading.Thread(
                target=self._tee,
                args=(getattr(worker.process, name), folder / f"{name}.log", name, worker.rank),
                daemon=True,
            )
            reader.start()
            worker.readers.append(reader)

    def _tee(self, source: Any, path: Path, name: str, rank: int) -> None:
        """Copy what a worker says to a file and to the launcher's own stream."""
        own = getattr(sys, name)
        with open(path, "wb") as file:
            for line in source:
                file.write(line)
                file.flush()
                own.write(f"[{self._name}{rank}]:{line.decode(errors='replace')}")
                own.flush()

    def _start_function(
        self,
        worker: _Worker,
        function: Callable[..., Any],
        args: Sequence[Any],
        environment: dict[str, str],
    ) -> None:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        if self._queue is None:
            self._queue = context.SimpleQueue()
        worker.process = context.Process(
            target=_run_function,
            args=(function, args, environment, self._queue, os.getpid()),
        )
        started(worker.process.start)

    def poll(self) -> tuple[bool, list[_Worker]]:
        """Whether all have ended well, and those that have failed."""
        while self._queue is not None and not self._queue.empty():
            rank, result = self._queue.get()
            self.results[rank] = result
        statuses = [worker.status() for worker in self.workers]
        failed = [w for w, status in zip(self.workers, statuses) if status]
        missing = self._queue is not None and len(self.results) < len(self.workers)
        return all(status == 0 for status in statuses) and not missing, failed

    def failures(self, first_rank: int) -> dict[int, ProcessFailure]:
        """How workers failed, by global rank; those that were ended because of others are no cause."""
        _, failed = self.poll()
        found = {}
        for worker in failed:
            code = worker.status() or 0
            found[first_rank + worker.rank] = ProcessFailure(
                worker.rank, worker.pid, code, worker.error_file
            )
        return found

    def end(self, first: int = signal.SIGTERM, patience: float = 10.0) -> None:
        """End all, first kindly; and read to the end what they said."""
        for worker in self.workers:
            worker.signal(first)
        until = time.monotonic() + patience
        while any(w.status() is None for w in self.workers) and time.monotonic() < until:
            time.sleep(0.01)
        for worker in self.workers:
            worker.signal(signal.SIGKILL)
            if isinstance(worker.process, subprocess.Popen):
                worker.process.wait()
            else:
                worker.process.join()
            for reader in worker.readers:
                reader.join()
        for file in self._files:
            file.close()
