"""Carries calls between processes.

To another process one opens a channel when it first calls it; there requests go out with a number, and answers come back
with it. What others ask is run by the thread that reads it (`_Answering`), and an answer is read by the thread that waits for
it (`_Asked`): threads that wake each other would take longer than a small call. Channels are connections of sockets in the
file system on one machine (`sockets.py`), and messages of MPI between machines (`mpi_messages.py`).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import pickle
import secrets
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from rushlight.distributed._groups.machines import are_one, connect_by_mpi, this_machine
from rushlight.distributed._stores.leaving import leave
from rushlight.distributed.rpc import wire
from rushlight.distributed.rpc.options import RpcBackendOptions, WorkerInfo
from rushlight.distributed.rpc.sockets import Sockets
from rushlight.engine.native.records import dataclass
from rushlight.futures import Future

# Seconds after which who reads looks whether its call has run out of time.
_LOOKS_AFTER = 0.1


@dataclass
class Failure:
    """An exception of another process.

    Args:
        kind: its class
        message: what it said, with its traceback there
    """

    kind: type[BaseException]
    message: str

    def raised(self) -> BaseException:
        """The exception here."""
        try:
            return self.kind(self.message)
        except Exception:
            # Classes that want other arguments.
            return RuntimeError(self.message)


class Agent:
    """What a process has to do with calls.

    Args:
        store: where processes find each other
        name: of this process
        rank: of this process
        world_size: how many there are
        options: how calls are made
    """

    def __init__(
        self, store: Any, name: str, rank: int, world_size: int, options: RpcBackendOptions
    ) -> None:
        self.store, self.options, self.world_size = store, options, world_size
        self.info = WorkerInfo(name, rank)
        self.timeout = options.rpc_timeout
        self.lock = threading.Lock()
        self.channels: dict[int, _Asked] = {}
        self.answering: set[Any] = set()
        self.calling: set[Any] = set()
        # References that have ended: who is told, and what. Whoever collects garbage takes no locks.
        self.dropped: deque[tuple[int, Any]] = deque()
        # How often groups of processes have gathered something.
        self.gathered: dict[str, int] = {}
        self.is_open = True
        # Calls of this process itself, and how many requests of others may run at one time.
        self.pool = ThreadPoolExecutor(options.num_worker_threads, f"rpc of {name}")
        self.slots = threading.Semaphore(options.num_worker_threads)
        if rank == 0:
            store.set("key", secrets.token_hex(16))
        self.workers: dict[str, WorkerInfo] = {}
        self.carrier = self._meet(Sockets(bytes(store.get("key"))))

    def start(self) -> None:
        """Begin to answer. Others may ask already; they wait until then."""
        _thread(self._listen)
        _thread(self._watch)

    def _meet(self, sockets: Sockets) -> Any:
        """Learn who the others are and where; what carries calls to them."""
        own = this_machine(), self.info.name, sockets.address
        self.store.set(f"worker{self.info.id}", pickle.dumps(own))
        ranks = range(self.world_size)
        every = [pickle.loads(self.store.get(f"worker{rank}")) for rank in ranks]
        for rank, (_, name, _) in enumerate(every):
            if name in self.workers:
                raise RuntimeError(f"RPC worker name {name} is not unique.")
            self.workers[name] = WorkerInfo(name, rank)
        machines = [machine for machine, _, _ in every]
        if are_one(machines):
            sockets.know([address for _, _, address in every])
            return sockets
        sockets.close()
        size, store = self.world_size, self.store
        connect_by_mpi(machines, ranks, size, self.info.id, store, store.timeout, "calls")
        # loaded here, as mpi4py need not be there
        from rushlight.distributed.rpc.mpi_messages import MPIMessages

        return MPIMessages()

    def worker(self, to: Any) -> WorkerInfo:
        """A process by name, rank, or as it is.

        Args:
            to: which
        """
        if isinstance(to, WorkerInfo):
            return to
        for info in self.workers.values():
            if to in (info.name, info.id):
                return info
        raise RuntimeError(f"Unknown destination worker {to}")

    # -- asking --

    def ask(
        self, to: WorkerInfo, request: Callable[[], Any], timeout: float, waits: bool = False
    ) -> Any:
        """Have a process run something.

        Args:
            to: the process
            request: is pickled, sent, and called there
            timeout: seconds; 0 for as long as it takes
            waits: whether the caller waits for the future at once

        Returns:
            a future of what it gives
        """
        future = _Answer()
        if not self.is_open:
            raise RuntimeError("RPC has been shut down")
        with self.lock:
            self.calling.add(future)
        future.add_done_callback(self._forget)
        if to == self.info:
            self.pool.submit(self._run, request, lambda found: _settle(future, found))
        else:
            future.channel = self._channel(to)
            future.channel.send(request, future, timeout, waits)
        return future

    def _forget(self, future: Any) -> None:
        with self.lock:
            self.calling.discard(future)

    def _channel(self, to: WorkerInfo) -> _Asked:
        with self.lock:
            found = self.channels.get(to.id)
            if found is None:
                found = self.channels[to.id] = _Asked(self, to, self.carrier.connect(to.id))
        return found

    def _watch(self) -> None:
        """Let calls fail that take too long, and tell owners of references that have ended."""
        while self.is_open:
            time.sleep(0.02)
            while self.dropped:
                owner, request = self.dropped.popleft()
                with contextlib.suppress(RuntimeError, OSError):
                    # The owner may have gone, and with it what it counts.
                    self.ask(self.worker(owner), request, self.timeout)
            for channel in list(self.channels.values()):
                channel.end_late_ones()

    # -- answering --

    def _listen(self) -> None:
        while self.is_open:
            try:
                channel = self.carrier.accept()
            except Exception:
                if not self.is_open:
                    return
                # Somebody who is none of the workers.
                continue
            _Answering(self, channel)

    def packed(self, answer: Any) -> wire.Parts:
        """An answer as it is sent; why there is none, if it has no pickle."""
        try:
            return wire.packed(answer)
        except Exception as error:
            return wire.packed(self._failure(error))

    def run_packed(self, parts: wire.Parts, reply: Callable[[Any], None]) -> None:
        """Run what another process asks."""
        try:
            request = wire.unpacked(parts)
        except Exception as error:
            reply(self._failure(error))
            return
        self._run(request, reply)

    def _run(self, request: Callable[[], Any], reply: Callable[[Any], None]) -> None:
        mark = object()
        with self.lock:
            self.answering.add(mark)

        def done(found: Any) -> None:
            reply(found)
            with self.lock:
                self.answering.discard(mark)

        try:
            found = request()
        except BaseException as error:
            done(self._failure(error))
            return
        if getattr(request, "gives_future", False):
            found.add_done_callback(lambda future: done(self._outcome(future)))
        else:
            done(found)

    def _outcome(self, future: Any) -> Any:
        try:
            return future.value()
        except BaseException as error:
            return self._failure(error)

    def _failure(self, error: BaseException) -> Failure:
        told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        try:
            pickle.dumps(type(error))
            kind = type(error)
        except Exception:
            kind = RuntimeError
        return Failure(kind, f"On {self.info}:\n{error!r}\n{told}")

    # -- the end --

    def is_idle(self) -> bool:
        """Whether nothing is asked or answered."""
        with self.lock:
            return not self.calling and not self.answering

    def meet_all(self, step: str, seconds: float) -> None:
        """Wait until all processes have come to a step."""
        count = self.store.add(f"at {step}", 1)
        end = time.monotonic() + seconds
        while count < self.world_size:
            if seconds and time.monotonic() > end:
                raise RuntimeError(
                    f"shutdown: {count} of {self.world_size} workers came within {seconds} seconds"
                )
            time.sleep(0.005)
            count = self.store.add(f"at {step}", 0)

    def gather(self, value: Any, names: list[str], seconds: float) -> dict[str, Any]:
        """What each of some processes has, at all of them."""
        group = " ".join(names)
        turn = self.gathered[group] = self.gathered.get(group, -1) + 1
        key = f"gathered {group} {turn}"
        self.store.set(f"{key} {self.info.name}", pickle.dumps(value))
        keys = [f"{key} {name}" for name in names]
        self.store.wait(keys, timedelta(seconds=seconds or 1e6))
        return {name: pickle.loads(self.store.get(key)) for name, key in zip(names, keys)}

    def wait_for_all(self, seconds: float) -> None:
        """Wait until no process asks or answers any more: what one answers may ask another."""
        for turn in itertools.count():
            while not self.is_idle():
                time.sleep(0.002)
            self.meet_all(f"turn {turn}", seconds)
            busy = not self.is_idle() or bool(self.dropped)
            self.store.add(f"busy {turn}", int(busy))
            self.meet_all(f"count {turn}", seconds)
            found = self.store.add(f"busy {turn}", 0)
            if not found:
                leave(self.store, self.world_size, seconds or self.timeout)
                return

    def close(self) -> None:
        """Hang up."""
        self.is_open = False
        self.pool.shutdown(wait=False)
        for channel in self.channels.values():
            channel.close()
        self.carrier.close()


class _Answering:
    """Requests of one process.

    The thread that has read a request runs it, and another one reads the next: so a request waits for no second thread to
    wake up. There are as many threads as requests have run at one time, and one that reads.

    Args:
        agent: of this process
        channel: to the other process
    """

    def __init__(self, agent: Agent, channel: Any) -> None:
        self.agent, self.channel = agent, channel
        self.reading, self.sending = threading.Lock(), threading.Lock()
        # How many threads run no request.
        self.free = 1
        self.counting = threading.Lock()
        _thread(self._work)

    def _work(self) -> None:
        while True:
            with self.reading:
                try:
                    number, parts = self.channel.receive()
                except (EOFError, OSError):
                    return
            if not self.agent.is_open:
                self.channel.close()
                return
            with self.agent.slots:
                self._begin()
                self.agent.run_packed(parts, functools.partial(self._reply, number))
            with self.counting:
                self.free += 1

    def _begin(self) -> None:
        """This thread runs a request: another one has to read."""
        with self.counting:
            self.free -= 1
            has_reader = self.free > 0
            self.free += not has_reader
        if not has_reader:
            _thread(self._work)

    def _reply(self, number: int, found: Any) -> None:
        answer = self.agent.packed(found)
        with self.sending, contextlib.suppress(OSError):
            self.channel.send(number, answer)


class _Answer(Future[Any]):
    """What a process will answer. Who waits for it reads what comes from there, if nobody else does."""

    channel: _Asked | None = None

    def wait(self) -> Any:
        if self.channel is not None:
            self.channel.read_until(self)
        return super().wait()


class _Asked:
    """Requests to one process, and its answers.

    One thread at a time reads answers: one that waits for its own, so that nobody has to wake it; else the thread of this
    object, while there are requests for whose answers nobody waits here. That one also settles what others have read.

    Args:
        agent: of this process
        to: the other process
        channel: to it
    """

    def __init__(self, agent: Agent, to: WorkerInfo, channel: Any) -> None:
        self.agent, self.to, self.channel = agent, to, channel
        self.lock = threading.Lock()
        # Held while a message goes out, which may take as long as the other process reads.
        self.sending = threading.Lock()
        self.numbers = itertools.count()
        # By number, the future and when it is late.
        self.waiting: dict[int, tuple[Any, float]] = {}
        self.is_broken = False
        # Held by who reads; set when somebody is to read, or to settle; what others have read.
        self.reading = threading.Lock()
        self.needed = threading.Event()
        self.found: deque[tuple[Any, wire.Parts]] = deque()
        _thread(self._serve)

    def send(self, request: Any, future: Any, timeout: float, waits: bool) -> None:
        parts = wire.packed(request)
        with self.lock:
            number = next(self.numbers)
            late = time.monotonic() + timeout if timeout else float("inf")
            self.waiting[number] = future, late
        try:
            with self.sending:
                self.channel.send(number, parts)
        except OSError:
            self._break()
        if self.is_broken:
            self._break()
        if not waits:
            self.needed.set()

    def read_until(self, future: Any) -> None:
        """Read answers until one is there, unless another thread reads, which goes on then."""
        try:
            while not future.done() and self.reading.acquire(blocking=False):
                try:
                    found = self._read()
                finally:
                    self.reading.release()
                if found is not None and found[0] is future:
                    _settle(future, _opened(found[1]))
                elif found is not None:
                    self.found.append(found)
                    self.needed.set()
        finally:
            if self.waiting:
                self.needed.set()

    def _serve(self) -> None:
        while not self.is_broken:
            self.needed.wait()
            self.needed.clear()
            while self.found or self.waiting:
                while self.found:
                    future, parts = self.found.popleft()
                    _settle(future, _opened(parts))
                # who reads now says when it stops, and when there is something to settle
                if not self.waiting or not self.reading.acquire(blocking=False):
                    break
                try:
                    found = self._read()
                finally:
                    self.reading.release()
                if found is not None:
                    self.found.append(found)

    def _read(self) -> tuple[Any, wire.Parts] | None:
        """The next answer and its future; None if none comes for a while, or nobody waits for it any more."""
        if not self.channel.wait(_LOOKS_AFTER):
            return None
        try:
            number, parts = self.channel.receive()
        except BaseException as error:
            # What is left of an answer that was read in part is of no use.
            self._break()
            if isinstance(error, (EOFError, OSError)):
                return None
            raise
        with self.lock:
            future, _ = self.waiting.pop(number, (None, 0))
        return None if future is None else (future, parts)

    def _break(self) -> None:
        """The other process is gone: nothing that it was asked will come."""
        self.is_broken = True
        self.needed.set()
        with self.lock:
            left, self.waiting = list(self.waiting.values()), {}
        for future, _ in left:
            future.set_exception(RuntimeError(f"{self.to} has gone, or hung up"))

    def end_late_ones(self) -> None:
        now = time.monotonic()
        with self.lock:
            late = [number for number, (_, end) in self.waiting.items() if end < now]
            futures = [self.waiting.pop(number)[0] for number in late]
        for future in futures:
            future.set_exception(RuntimeError(f"RPC to {self.to} ran for more than set timeout"))

    def close(self) -> None:
        self.channel.close()
        self._break()


def _opened(parts: wire.Parts) -> Any:
    """An answer; why there is none, if it cannot be read here."""
    try:
        return wire.unpacked(parts)
    except Exception as error:
        return Failure(type(error), str(error))


def _settle(future: Any, found: Any) -> None:
    if isinstance(found, Failure):
        future.set_exception(found.raised())
    else:
        future.set_result(found)


def _thread(function: Callable[..., None], *args: Any) -> None:
    threading.Thread(target=function, args=args, daemon=True).start()
