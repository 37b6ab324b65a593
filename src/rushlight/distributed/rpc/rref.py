"""References to values of other processes.

The owner counts the references that others have. Who sends one tells the owner first, so that it never counts too few.
"""

from __future__ import annotations

import contextlib
from typing import Any

from rushlight.distributed.autograd.contexts import ask
from rushlight.distributed.rpc.requests import (
    Call,
    Count,
    Fetch,
    Owned,
    RefId,
    agent,
    process,
)
from rushlight.futures import Future

UNSET = -1.0


class RRef:
    """A reference to a value, which some process owns.

    Args:
        value: of this process
        type_hint: accepted
    """

    def __init__(self, value: Any, type_hint: Any = None) -> None:
        held = Owned()
        held.future.set_result(value)
        self._set(agent().info.id, (agent().info.id, next(process.numbers)), held)

    def _set(self, owner: int, number: RefId, held: Owned | None) -> None:
        self._owner, self._number, self._held = owner, number, held

    @classmethod
    def _made(cls, owner: int, number: RefId, held: Owned | None = None) -> RRef:
        found = cls.__new__(cls)
        found._set(owner, number, held)
        return found

    def __reduce__(self) -> Any:
        carrier = agent()
        if self._held is not None:
            with process.lock:
                process.owned.setdefault(self._number, self._held).is_made = True
            process.count(self._number, 1)
        else:
            owner = carrier.worker(self._owner)
            carrier.ask(owner, Count(self._number, 1), carrier.timeout, waits=True).wait()
        return _arrived, (self._owner, self._number)

    def __del__(self) -> None:
        # The reference may be the last thing of a process that has shut down.
        carrier = process.agent
        if carrier is not None and carrier.is_open and getattr(self, "_held", 1) is None:
            carrier.dropped.append((self._owner, Count(self._number, -1)))

    def is_owner(self) -> bool:
        """Whether the value is of this process."""
        return self._held is not None

    def owner(self) -> Any:
        """The process that has the value."""
        return agent().worker(self._owner)

    def owner_name(self) -> str:
        """Its name."""
        return self.owner().name  # type: ignore[no-any-return]

    def confirmed_by_owner(self) -> bool:
        """Whether the owner knows of the reference."""
        return True

    def local_value(self) -> Any:
        """The value, in the process that has it."""
        if self._held is None:
            raise RuntimeError(
                f"For {self}, can't call localValue() on user {agent().info} with UserRRef. Call it on owner "
                f"{self.owner()}"
            )
        return self._held.future.wait()

    def to_here(self, timeout: float = UNSET) -> Any:
        """A copy of the value; the value itself in the process that has it."""
        if self._held is not None:
            return self.local_value()
        carrier = agent()
        seconds = carrier.timeout if timeout == UNSET else timeout
        return ask(self.owner(), Fetch(self._number), seconds, waits=True).wait()

    def rpc_sync(self, timeout: float = UNSET) -> Any:
        """Something whose methods are the value's, called where it is."""
        from rushlight.distributed.rpc.api import rpc_sync

        return _Methods(self, rpc_sync, timeout)

    def rpc_async(self, timeout: float = UNSET) -> Any:
        """The same, with futures."""
        from rushlight.distributed.rpc.api import rpc_async

        return _Methods(self, rpc_async, timeout)

    def remote(self, timeout: float = UNSET) -> Any:
        """The same, with references."""
        from rushlight.distributed.rpc.api import remote

        return _Methods(self, remote, timeout)

    def _get_type(self, timeout: float = UNSET, blocking: bool = True) -> Any:
        from rushlight.distributed.rpc.api import rpc_async

        found = rpc_async(self.owner(), _type_of, (self,), timeout=timeout)
        return found.wait() if blocking else found

    def _get_future(self) -> Any:
        """A future of what makes the value."""
        if self._held is not None:
            return self._held.future
        done: Any = Future()
        done.set_result(None)
        return done

    def __repr__(self) -> str:
        kind = "OwnerRRef" if self._held is not None else "UserRRef"
        return f"{kind}(RRefId=GloballyUniqueId(created_on={self._number[0]}, local_id={self._number[1]}))"


def _arrived(owner: int, number: RefId) -> RRef:
    """A reference that another process has sent."""
    if owner != agent().info.id:
        return RRef._made(owner, number)
    held = process.find(number)
    # It holds the value itself from now on.
    process.count(number, -1)
    return RRef._made(owner, number, held)


def _type_of(reference: RRef) -> type:
    return type(reference.local_value())


def _call_method(reference: RRef, name: str, args: Any, kwargs: Any) -> Any:
    return getattr(reference.local_value(), name)(*args, **kwargs)


def _call_method_for_future(reference: RRef, name: str, args: Any, kwargs: Any) -> Any:
    return _call_method(reference, name, args, kwargs)


_call_method_for_future._wrapped_async_rpc_function = _call_method  # type: ignore[attr-defined]


class _Methods:
    """Calls methods of a value where it is.

    Args:
        reference: to the value
        way: `rpc_sync`, `rpc_async` or `remote`
        timeout: seconds
    """

    def __init__(self, reference: RRef, way: Any, timeout: float) -> None:
        self._reference, self._way, self._timeout = reference, way, timeout

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            kind = self._reference._get_type(self._timeout)
            method = getattr(kind, name, None)
            is_async = hasattr(method, "_wrapped_async_rpc_function")
            function = _call_method_for_future if is_async else _call_method
            given = self._reference, name, args, kwargs
            return self._way(self._reference.owner(), function, given, timeout=self._timeout)

        return call


def made_by(to: Any, call: Call, timeout: float) -> RRef:
    """A reference to what a call in a process will give."""
    from rushlight.distributed.rpc.requests import Make, run_into

    carrier = agent()
    info = carrier.worker(to)
    number = carrier.info.id, next(process.numbers)
    if info == carrier.info:
        held = Owned()
        ask(info, Call(run_into, (held.future, call)), timeout)
        return RRef._made(info.id, number, held)
    asked = ask(info, Make(number, call), timeout)
    found = RRef._made(info.id, number)

    def failed(future: Any) -> None:
        # Whoever asks for the value hears of it again.
        with contextlib.suppress(Exception):
            future.value()

    asked.add_done_callback(failed)
    return found
