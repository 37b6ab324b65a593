"""The loader: batches of a data set, made here or in worker processes."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import multiprocessing.context
import os
import signal
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from rushlight import accelerator
from rushlight._utils import ExceptionWrapper
from rushlight.engine.native.records import dataclass
from rushlight.multiprocessing import _parcels
from rushlight.utils.data._utils import worker as workers
from rushlight.utils.data._utils.collate import default_collate, default_convert
from rushlight.utils.data._utils.fetch import IterableFetcher, MapFetcher
from rushlight.utils.data._utils.worker import Ended, Job, get_worker_info
from rushlight.utils.data.dataset import IterableDataset
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    draw_seed,
)

_T = TypeVar("_T")
_worker_init_fn_t = Callable[[int], None]
# What makes a batch of samples.
_collate_fn_t = Callable[[list[_T]], Any]

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_Sample = TypeVar("_Sample", covariant=True)

_PREFETCH = 2
# How long a worker may take to end by itself, in seconds.
_PATIENCE = 5.0
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler[None]):
    """The indices of a stream, which need none."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


@dataclass(frozen=True)
class _Fetching:
    """How samples become batches; called with a data set, it starts a pass."""

    ends: bool
    in_batches: bool
    collate_fn: Callable[..., Any]
    drop_last: bool

    def __call__(self, dataset: Any) -> Any:
        if self.ends:
            return IterableFetcher(dataset, self.in_batches, self.collate_fn, self.drop_last)
        return MapFetcher(dataset, self.in_batches, self.collate_fn)


class DataLoader(Generic[_Sample]):
    """Batches of a data set.

    Args:
        dataset: the data set
        batch_size: samples in a batch; None for single samples
        shuffle: whether the order is random
        sampler: the order of indices
        batch_sampler: the order of lists of indices
        num_workers: how many processes make batches; with none, they are made here
        collate_fn: makes a batch of a list of samples
        pin_memory: put batches in memory that stays where it is; without an accelerator it does nothing
        drop_last: leave out a last batch that is not full
        timeout: how long to wait for a worker's batch, in seconds; 0 for as long as it takes
        worker_init_fn: called in each worker with its number
        multiprocessing_context: how workers are started
        generator: the source of random numbers
        prefetch_factor: how many batches each worker makes ahead
        persistent_workers: keep the workers for the next pass
        pin_memory_device: accepted
        in_order: give the batches in the order of their indices, whichever is ready first
    """

    _ready = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[..., Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_numbers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = (
            _PREFETCH if num_workers and prefetch_factor is None else prefetch_factor
        )
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._is_stream = isinstance(dataset, IterableDataset)
        if self._is_stream:
            _check_stream(shuffle, sampler, batch_sampler)
        _check_samplers(shuffle, sampler, batch_sampler, batch_size, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None:
            sampler = self._default_sampler(bool(shuffle), generator)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        default = default_collate if self._auto_collation else default_convert
        self.collate_fn = default if collate_fn is None else collate_fn
        self.persistent_workers = persistent_workers
        self._iterator: Any = None
        self._said_length: int | None = None
        self._ready = True
        self.check_worker_number_rationality()

    def _default_sampler(self, shuffle: bool, generator: Any) -> Any:
        if self._is_stream:
            return _InfiniteConstantSampler()
        if shuffle:
            return RandomSampler(self.dataset, generator=generator)
        return SequentialSampler(self.dataset)

    @property
    def multiprocessing_context(self) -> Any:
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None:
            context = _context_of(context, self.num_workers)
        self._context = context

    def __setattr__(self, name: str, value: Any) -> None:
        if self._ready and name in _FIXED:
            raise ValueError(
                f"{name} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(name, value)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> Any:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        if not self.persistent_workers:
            return _MultiProcessingDataLoaderIter(self)
        if self._iterator is None or self._iterator.has_given_up:
            self._iterator = _MultiProcessingDataLoaderIter(self)
        else:
            self._iterator.restart()
        return self._iterator

    def __len__(self) -> int:
        if not self._is_stream:
            return len(self._index_sampler)
        length = self._said_length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are more workers than processors."""
        available = (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        )
        if available is None or self.num_workers <= available:
            return
        warnings.warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. Our "
            f"suggested max number of worker in current system is {available}, which is smaller "
            "than what this DataLoader is going to create. Please be aware that excessive worker "
            "creation might get DataLoader running slow or even freeze, lower the worker number to "
            "avoid potential slowness/freeze if necessary.",
            stacklevel=3,
        )


def _check_samplers(
    shuffle: bool | None, sampler: Any, batch_sampler: Any, batch_size: int | None, drop_last: bool
) -> None:
    """Refuse options that contradict each other."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                "and drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
        )


def _check_numbers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    expected = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in expected.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={value}"
            )


def _context_of(context: Any, num_workers: int) -> Any:
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
            f"but got num_workers={num_workers}"
        )
    if isinstance(context, str):
        valid = multiprocessing.get_all_start_methods()
        if context not in valid:
            raise ValueError(
                "multiprocessing_context option should specify a valid start method in "
                f"{valid!r}, but got multiprocessing_context={context!r}"
            )
        context = multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying "
            f"the start method, but got multiprocessing_context={context}"
        )
    return context


def pinned(data: Any) -> Any:
    """A batch with its tensors in memory that stays where it is; what has a ``pin_memory`` of its own does that."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return type(data)({key: pinned(value) for key, value in data.items()})  # type: ignore[call-arg]
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pinned(item) for item in data))
    if isinstance(data, (list, tuple)):
        return type(data)(pinned(item) for item in data)
    return data


class _BaseDataLoaderIter:
    """One pass over a loader's batches."""

    def __init__(self, loader: DataLoader) -> None:
        self.pins = loader.pin_memory and accelerator.is_available()
        if loader.pin_memory and not self.pins:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device "
                "pinned memory won't be used.",
                stacklevel=3,
            )
        self.loader = loader
        self.fetching = _Fetching(
            loader._is_stream, loader._auto_collation, loader.collate_fn, loader.drop_last
        )
        self.indices = iter(loader._index_sampler)
        # Drawn in every pass, workers or not: the streams go on as in PyTorch.
        self.base_seed = draw_seed(loader.generator)
        self.given = 0

    def __iter__(self) -> Any:
        return self

    def __len__(self) -> int:
        return len(self.loader._index_sampler)

    def __next__(self) -> Any:
        batch = self.next_batch()
        if self.pins:
            batch = pinned(batch)
        self.given += 1
        said = self.loader._said_length
        if said is not None and self.given > said:
            warnings.warn(
                f"Length of IterableDataset {self.loader.dataset} was reported to be {said}"
                f"(when accessing len(dataloader)), but {self.given} samples have been fetched. ",
                stacklevel=2,
            )
        return batch

    def next_batch(self) -> Any:
        """The next batch; StopIteration at the end."""
        raise NotImplementedError


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches made in this process."""

    def __init__(self, loader: DataLoader) -> None:
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        super().__init__(loader)
        self.fetcher = self.fetching(loader.dataset)

    def next_batch(self) -> Any:
        return self.fetcher.fetch(next(self.indices))


class _Worker:
    """A worker process and the two pipes to it."""

    def __init__(self, context: Any, job: Job, done: Any) -> None:
        theirs, self.requests = context.Pipe(duplex=False)
        # Descriptors of shared memory pass through sockets, which only two-way pipes are.
        self.results, their_results = context.Pipe(duplex=True)
        self.process = context.Process(
            target=workers.run, args=(job, theirs, their_results, done), daemon=True
        )
        self.process.start()
        theirs.close()
        their_results.close()
        self.active = True

    def ask(self, request: Any) -> None:
        """Send a request; a worker that has died is noticed where its answer is missed."""
        with contextlib.suppress(BrokenPipeError):
            self.requests.send(request)

    def dismiss(self) -> None:
        """Say that no more batches are wanted, without waiting for a worker that does not listen."""
        with contextlib.suppress(OSError):
            os.set_blocking(self.requests.fileno(), False)
            self.requests.send(None)
        self.results.close()


def _stop(team: list[_Worker], done: Any, owner: int) -> None:
    """End worker processes, at last by force."""
    if os.getpid() != owner:
        # A process forked since then has a copy of the iterator, but the workers are not its own.
        return
    done.value = 1
    for member in team:
        member.dismiss()
    deadline = time.monotonic() + _PATIENCE
    for member in team:
        member.process.join(max(0.0, deadline - time.monotonic()))
        if member.process.is_alive():
            member.process.kill()
            member.process.join()
        member.requests.close()


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches made in worker processes, each asked for some ahead, in turn."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        context = loader.multiprocessing_context or multiprocessing.get_context()
        done = context.RawValue("b", 0)
        self.team: list[_Worker] = []
        self.has_given_up = self.was_interrupted = False
        self.asked: dict[int, _Worker] = {}
        self.ready: dict[int, Any] = {}
        self.stop = weakref.finalize(self, _stop, self.team, done, os.getpid())
        with self._whole():
            self._start_team(context, done)
            self._begin()

    @contextlib.contextmanager
    def _whole(self) -> Iterator[None]:
        """A block that cannot be taken up again where it was interrupted.

        Requests and answers would no longer match, and the next one would be waited for in vain.
        """
        try:
            yield
        except Exception:
            raise
        except BaseException:
            self.was_interrupted = True
            self._give_up()
            raise

    def _start_team(self, context: Any, done: Any) -> None:
        loader = self.loader
        for number in range(loader.num_workers):
            job = Job(
                loader.dataset, self.fetching, number, loader.num_workers, self.base_seed,
                loader.worker_init_fn,
            )  # fmt: skip
            self.team.append(_Worker(context, job, done))

    def _begin(self) -> None:
        self.turns = itertools.cycle(self.team)
        # The requests that have no answer yet, in order; and answers that are not due yet.
        self.asked.clear()
        self.ready.clear()
        self.numbers = itertools.count()
        for _ in range(self.loader.prefetch_factor or 0):
            for _ in self.team:
                self._ask_next()

    def restart(self) -> None:
        """Begin another pass with the same workers."""
        with self._whole():
            while self.asked:
                self._receive()
            for member in self.team:
                member.active = True
                member.ask(workers.RESUME)
            resumed = 0
            while resumed < len(self.team):
                resumed += self._receive() == workers.RESUME
            self.indices = iter(self.loader._index_sampler)
            self.given = 0
            self._begin()

    def _ask_next(self) -> None:
        """Ask the next worker whose turn it is for the next batch."""
        if not any(member.active for member in self.team):
            return
        try:
            index = next(self.indices)
        except StopIteration:
            return
        member = next(member for member in self.turns if member.active)
        number = next(self.numbers)
        self.asked[number] = member
        member.ask((number, index))

    def _receive(self) -> Any:
        """Wait for one answer and keep it; gives its number."""
        results = [member.results for member in self.team]
        sentinels = [member.process.sentinel for member in self.team]
        timeout = self.loader.timeout or None
        found = wait([*results, *sentinels], timeout)
        if not found:
            raise RuntimeError(f"DataLoader timed out after {self.loader.timeout} seconds")
        answers = [connection for connection in results if connection in found]
        try:
            number, batch = _parcels.receive(answers[0])
        except (IndexError, EOFError, ConnectionResetError):
            raise self._died() from None
        except Exception:
            # What was sent cannot be read, so nobody knows which request it answers.
            self._give_up()
            raise
        if number in self.asked:
            self.ready[number] = self._accepted(number, batch)
        return number

    def _accepted(self, number: int, batch: Any) -> Any:
        member = self.asked.pop(number)
        if isinstance(batch, Ended):
            member.active = False
        return batch

    def _give_up(self) -> None:
        self.has_given_up = True
        self.asked.clear()
        self.ready.clear()
        self.stop()

    def _died(self) -> RuntimeError:
        """Stop everything; the error says which workers have died, and of what."""
        for member in self.team:
            member.process.join(0.1)
        dead = [member.process for member in self.team if not member.process.is_alive()]
        causes = "; ".join(_cause(process) for process in dead)
        pids = ", ".join(str(process.pid) for process in dead)
        self._give_up()
        return RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly: {causes}")

    def next_batch(self) -> Any:
        with self._whole():
            return self._next_batch()

    def _next_batch(self) -> Any:
        if self.was_interrupted:
            raise RuntimeError("DataLoader: this pass was interrupted; begin another one")
        while self.asked or self.ready:
            number = self._due()
            if number is None:
                self._receive()
                continue
            batch = self.ready.pop(number)
            self._ask_next()
            if isinstance(batch, Ended):
                continue
            if isinstance(batch, ExceptionWrapper):
                batch.reraise()
            return batch
        if not self.loader.persistent_workers:
            self.stop()
        raise StopIteration

    def _due(self) -> int | None:
        """The number of the batch that comes next, if it is here."""
        if not self.ready:
            return None
        first = min(self.ready)
        if self.loader.in_order and self.asked and min(self.asked) < first:
            return None
        return first


def _cause(process: Any) -> str:
    code = process.exitcode
    if code is not None and code < 0:
        return f"it was killed by signal {signal.Signals(-code).name}"
    return f"its exit status was {code}"
