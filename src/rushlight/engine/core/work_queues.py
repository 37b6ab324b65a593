"""Queues of work that a thread each works off in order: streams of the CPU.

Work is a function without arguments. A queue that an error has stopped leaves out the functions behind it until
somebody waits for the queue, who gets the error; marks are passed all the same, so that nobody waits for ever.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable

# Queues are made once and handed out in turns, as those of devices are.
POOL = 32
# How long the end of the process waits for work that has begun.
_PATIENCE = 1.0


class Mark:
    """A place in a queue, which has come when all work before it is done.

    Args:
        queue: where it is
    """

    def __init__(self, queue: WorkQueue) -> None:
        self.queue = queue
        self._come = threading.Event()
        self.time = 0.0

    def come(self) -> None:
        self.time = time.perf_counter()
        self._come.set()

    def has_come(self) -> bool:
        return self._come.is_set()

    def wait(self) -> None:
        self._come.wait()

    def synchronize(self) -> None:
        """Wait; an error of the work before it is raised here, if nobody has got it yet."""
        if self.queue.is_own_thread():
            raise RuntimeError("work of a stream cannot wait for its own stream")
        self._come.wait()
        self.queue.raise_error()


class WorkQueue:
    """Work that is done in order by a thread, which begins with the first of it.

    Args:
        number: which queue it is, from 1 on
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._reset(None)

    def _reset(self, error: BaseException | None) -> None:
        self._work: deque[Callable[[], None] | Mark] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._error = error
        self._ended = False

    def put(self, work: Callable[[], None] | Mark) -> None:
        """Add work to the end."""
        with self._changed:
            if self._ended:
                raise RuntimeError("the process ends: its streams take no more work")
            self._work.append(work)
            if self._thread is None:
                name = f"rushlight stream {self.number}"
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def mark(self) -> Mark:
        """A mark at the end of what is queued by now."""
        made = Mark(self)
        self.put(made)
        return made

    def wait_for(self, mark: Mark) -> None:
        """Let further work begin only when a mark has come."""
        if not mark.has_come() and mark.queue is not self:
            self.put(_Wait(mark))

    def is_own_thread(self) -> bool:
        return threading.current_thread() is self._thread

    def is_done(self) -> bool:
        with self._changed:
            return not (self._work or self._busy)

    def synchronize(self) -> None:
        """Wait until all that is queued by now is done; an error of it is raised here."""
        if self.is_done():
            self.raise_error()
        else:
            self.mark().synchronize()

    def raise_error(self) -> None:
        """Raise the error that has stopped the queue, once; it takes work again."""
        with self._changed:
            error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                while not self._work and not self._ended:
                    self._changed.wait()
                if self._ended:
                    return
                work = self._work.popleft()
                self._busy = True
                skipped = self._error is not None
            if isinstance(work, Mark):
                work.come()
            elif isinstance(work, _Wait) or not skipped:
                self._do(work)
            # What the work holds is given back before the next one is waited for.
            del work

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            with self._changed:
                self._error = self._error or error

    def end(self) -> None:
        """Take no more work and leave out what has not begun; marks come."""
        with self._changed:
            self._ended = True
            left = [work for work in self._work if isinstance(work, Mark)]
            self._work.clear()
            self._changed.notify_all()
        for mark in left:
            mark.come()

    def join(self, seconds: float) -> None:
        if self._thread is not None and not self.is_own_thread():
            self._thread.join(seconds)

    def begin_in_child(self) -> None:
        """After a fork: the thread is the parent's, and what was queued is done there alone."""
        left = [*self._work]
        lost = bool(left) or self._busy
        for mark in left:
            if isinstance(mark, Mark):
                mark._come = threading.Event()
                mark.come()
        error = (
            "the process was forked while a stream of the CPU had work, which its child does not do"
        )
        self._reset(RuntimeError(error) if lost else None)


class _Wait:
    """Work that waits for a mark of another queue; marks come even behind errors."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark

    def __call__(self) -> None:
        self.mark.wait()


_made: list[WorkQueue] = []
_lock = threading.Lock()
_turn = 0


def from_pool() -> WorkQueue:
    """A new queue; one that was made before, once there are as many as there may be."""
    global _turn
    with _lock:
        _turn += 1
        if len(_made) < POOL:
            _made.append(WorkQueue(len(_made) + 1))
            return _made[-1]
        return _made[(_turn - 1) % POOL]


def numbered(number: int) -> WorkQueue | None:
    """The queue of a number, if it has been made."""
    return _made[number - 1] if 0 < number <= len(_made) else None


def synchronize_all() -> None:
    """Wait for all queues; the first error is raised when all of them are done."""
    errors = []
    for queue in list(_made):
        if queue.is_own_thread():
            continue
        try:
            queue.synchronize()
        except BaseException as error:
            errors.append(error)
    if errors:
        raise errors[0]


def _end() -> None:
    """Nothing more begins; what has begun may become ready."""
    for queue in _made:
        queue.end()
    until = time.monotonic() + _PATIENCE
    for queue in _made:
        queue.join(max(0.0, until - time.monotonic()))


def _begin_in_child() -> None:
    global _lock
    _lock = threading.Lock()
    for queue in _made:
        queue.begin_in_child()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
