"""What processes ask of each other: objects that are sent, and called where they arrive."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import field
from typing import Any

from rushlight.distributed.rpc.agent import Agent
from rushlight.engine.native.records import dataclass
from rushlight.futures import Future

# The numbers of references: the rank of who has made one, and its count.
RefId = tuple[int, int]


class Owned:
    """A value that other processes refer to."""

    def __init__(self) -> None:
        self.future: Any = Future()
        # How many references there are in other processes, and whether they can end already.
        self.count = 0
        self.is_made = False


class _Process:
    """What this process has for calls."""

    def __init__(self) -> None:
        self.agent: Agent | None = None
        self.owned: dict[RefId, Owned] = {}
        self.lock = threading.Lock()
        self.numbers = itertools.count()

    def find(self, number: RefId) -> Owned:
        """The value of a reference, which may not be there yet: requests overtake each other."""
        with self.lock:
            return self.owned.setdefault(number, Owned())

    def count(self, number: RefId, change: int) -> None:
        """Note that there is one reference more, or less."""
        with self.lock:
            held = self.owned.setdefault(number, Owned())
            held.count += change
            if held.is_made and held.count == 0:
                del self.owned[number]


process = _Process()


def agent() -> Agent:
    """What carries calls; an error before `init_rpc`."""
    if process.agent is None:
        raise RuntimeError(
            "RPC has not been initialized. Call torch.distributed.rpc.init_rpc first."
        )
    return process.agent


@dataclass
class Call:
    """Run a function.

    Args:
        function: which
        args: for it
        kwargs: for it
    """

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __reduce__(self) -> Any:
        # shorter than by the names of the fields
        return Call, (self.function, self.args, self.kwargs)

    @property
    def gives_future(self) -> bool:
        """Whether the answer comes when a future has it."""
        return hasattr(_plain(self.function), "_wrapped_async_rpc_function")

    def __call__(self) -> Any:
        found = self.function(*self.args, **self.kwargs)
        if self.gives_future and not isinstance(found, Future):
            raise RuntimeError(
                f"Functions decorated with @rpc.functions.async_execution must return a torch.futures.Future, got {type(found)}"
            )
        return found


def _plain(function: Any) -> Any:
    return getattr(function, "__func__", function)


@dataclass
class Make:
    """Run a function, and keep what it gives for those who refer to it.

    Args:
        number: of the reference
        call: the function
    """

    number: RefId
    call: Call

    def __call__(self) -> None:
        held = process.find(self.number)
        with process.lock:
            held.count += 1
            held.is_made = True
        run_into(held.future, self.call)


def run_into(future: Any, call: Call) -> None:
    """Let a future have what a call gives, or raises."""
    try:
        found = call()
    except BaseException as error:
        future.set_exception(error)
        return
    if call.gives_future:
        found.add_done_callback(lambda done: _pass_on(done, future))
    else:
        future.set_result(found)


def _pass_on(done: Any, future: Any) -> None:
    try:
        future.set_result(done.value())
    except BaseException as error:
        future.set_exception(error)


@dataclass
class Fetch:
    """Give the value of a reference, when it is there."""

    number: RefId
    gives_future = True

    def __call__(self) -> Any:
        return process.find(self.number).future


@dataclass
class Count:
    """Note that there is one reference more, or less."""

    number: RefId
    change: int

    def __call__(self) -> None:
        process.count(self.number, self.change)
