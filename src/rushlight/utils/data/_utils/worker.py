"""What a worker process does: it makes the batches that it is asked for, and sends them back."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from rushlight import functional
from rushlight import random as streams
from rushlight._utils import ExceptionWrapper
from rushlight.engine.native.records import dataclass
from rushlight.multiprocessing._parcels import Parcel

# How often an idle worker looks whether its parent still lives, in seconds.
_PULSE = 5.0
RESUME = "resume"


@dataclass(frozen=True)
class WorkerInfo:
    """A worker as its data set sees it: its number, of how many, its seed, the data set's copy."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


@dataclass(frozen=True)
class Ended:
    """Sent instead of a batch: the worker's stream has no more."""


@dataclass(frozen=True)
class Job:
    """What a worker needs to know when it starts."""

    dataset: Any
    make_fetcher: Callable[[Any], Any]
    worker: int
    num_workers: int
    base_seed: int
    init: Callable[[int], None] | None


def _failure(error: Exception, worker: int) -> ExceptionWrapper:
    """Sent instead of a batch: an exception that is being handled."""
    found = type(error), error, error.__traceback__
    return ExceptionWrapper(found, f"in DataLoader worker process {worker}")


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker process this is; None in the main process."""
    return _info


class _Sender:
    """Sends results from a thread of its own, so that the next batch is made meanwhile.

    They are packed before: tensors move to shared memory then, and nothing else may use them.
    """

    def __init__(self, results: Connection, worker: int) -> None:
        self.results, self.worker = results, worker
        self.waiting: queue.SimpleQueue[Parcel] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def put(self, answer: tuple[Any, Any]) -> None:
        """Pack an answer, a number and a batch; what cannot be packed is a failure."""
        try:
            self.waiting.put(Parcel(answer))
        except Exception as error:
            self.waiting.put(Parcel((answer[0], _failure(error, self.worker))))

    def _run(self) -> None:
        while True:
            try:
                self.waiting.get().send(self.results)
            except OSError:
                # The loader has closed its end: nobody wants results any more.
                return


def _seed(job: Job) -> int:
    """Start the random streams that are this worker's own."""
    seed = job.base_seed + job.worker
    random.seed(seed)
    streams.manual_seed(seed)
    np.random.seed(_generate_state(job.base_seed, job.worker))
    return seed


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """The words that seed numpy's generator in a worker."""
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    found: list[int] = np.random.SeedSequence(words).generate_state(4).tolist()
    return found


def run(job: Job, requests: Connection, results: Connection, done: Any) -> None:
    """Serve until the loader says that it is done, or is gone."""
    global _info
    functional.set_num_threads(1)
    _info = WorkerInfo(job.worker, job.num_workers, _seed(job), job.dataset)
    parent = os.getppid()
    sender = _Sender(results, job.worker)
    batches = _Batches(job)
    try:
        while True:
            while not requests.poll(_PULSE):
                if done.value or os.getppid() != parent:
                    return
            asked = requests.recv()
            if asked is None or done.value:
                return
            if asked == RESUME:
                batches.start()
                sender.put((RESUME, None))
            else:
                number, index = asked
                sender.put((number, batches.make(index)))
    except (KeyboardInterrupt, EOFError):
        # The main process is interrupted too, or has gone.
        return


class _Batches:
    """Makes batches; exceptions become `ExceptionWrapper`s."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.failure: ExceptionWrapper | None = None
        self.fetcher: Any = None
        try:
            if job.init is not None:
                job.init(job.worker)
        except Exception as error:
            self.failure = _failure(error, job.worker)
        else:
            self.start()

    def start(self) -> None:
        """Begin a pass over the data set."""
        try:
            self.fetcher = self.job.make_fetcher(self.job.dataset)
        except Exception as error:
            self.failure = _failure(error, self.job.worker)

    def make(self, index: Any) -> Any:
        """The batch of an index, or what is sent in its place."""
        if self.failure is not None:
            return self.failure
        try:
            return self.fetcher.fetch(index)
        except StopIteration as error:
            return Ended() if self.job.make_fetcher.ends else _failure(error, self.job.worker)  # type: ignore[attr-defined]
        except Exception as error:
            return _failure(error, self.job.worker)
