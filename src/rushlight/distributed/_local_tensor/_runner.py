"""Several programs of simulated ranks, such as the stages of a pipeline, which send each other tensors."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, ClassVar

__all__ = ["LocalRunnerMode"]


class LocalRunnerMode:
    """Within the block a function runs in several threads, of which one at a time goes on until it waits for a message.

    Args:
        ranks: how many ranks there are, or which
        concurrency: how often the function runs
        fn: called with the number of the run
    """

    _current: ClassVar[LocalRunnerMode | None] = None

    def __init__(
        self, ranks: frozenset[int] | int, concurrency: int, fn: Callable[[int], None]
    ) -> None:
        self._ranks = frozenset(range(ranks)) if isinstance(ranks, int) else ranks
        self._fn = fn
        self._turn = threading.Condition()
        # Messages by who gets them and who has sent them.
        self._messages: defaultdict[int, dict[int, deque[Any]]] = defaultdict(
            lambda: {rank: deque() for rank in sorted(self._ranks)}
        )
        self._errors: list[BaseException] = []
        self._running = concurrency
        # How many have looked since there was something new, and found nothing.
        self._waiting = 0
        self._threads = [
            threading.Thread(target=self._run, args=(k,), name="LocalRunnerMode")
            for k in range(concurrency)
        ]

    def __enter__(self) -> LocalRunnerMode:
        if LocalRunnerMode._current is not None:
            raise AssertionError("LocalRunnerMode is already running")
        LocalRunnerMode._current = self
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        for thread in self._threads:
            thread.join()
        LocalRunnerMode._current = None
        if self._errors:
            raise self._errors[0]

    @staticmethod
    def current() -> LocalRunnerMode:
        """The one whose block this is."""
        if LocalRunnerMode._current is None:
            raise AssertionError(
                "LocalRunnerMode is not enabled: messages between simulated ranks need one, as ranks wait for each other"
            )
        return LocalRunnerMode._current

    def _run(self, number: int) -> None:
        with self._turn:
            try:
                self._fn(number)
            except BaseException as error:
                # The thread that has started the runs raises it.
                self._errors.append(error)
            finally:
                self._running -= 1
                self._look_again()

    def _look_again(self) -> None:
        """Let all that wait see what is new."""
        self._waiting = 0
        self._turn.notify_all()

    def _signal_send(self, source: int, destination: int, message: Any) -> None:
        """Leave a message; this thread has the turn."""
        self._messages[destination][source].append(message)
        self._look_again()

    def _wait_recv(self, source: int, destination: int, tag: int) -> Any:
        """The next message with a tag; others have their turn until it is there."""
        sources = sorted(self._ranks) if source == -1 else [source]
        while True:
            for peer in sources:
                there = self._messages[destination][peer]
                for message in there:
                    if message[0] == tag:
                        there.remove(message)
                        return message[1]
            self._waiting += 1
            if self._errors or self._waiting == self._running:
                sender = f"rank {source}" if source >= 0 else "any rank"
                raise RuntimeError(
                    f"rank {destination} waits for a message of {sender} with tag {tag} that nobody will send: every "
                    "other run has ended, failed or waits too"
                )
            self._turn.wait()
