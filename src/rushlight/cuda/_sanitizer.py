"""Finds tensors that two streams use without one waiting for the other, where one of them writes.

`enable_cuda_sanitizer`, or ``TORCH_CUDA_SANITIZER=1`` in the environment, looks at all operators that follow. Each gets a number;
a stream knows, of every stream, the number up to which it comes after that one's work. An operator that reads or writes
what another stream has written, or writes what it has read, must come after it.
"""

from __future__ import annotations

import enum
import re
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.engine.cuda import notices
from rushlight.utils import _pytree as pytree
from rushlight.utils._python_dispatch import TorchDispatchMode

__all__ = [
    "Access", "AccessType", "ArgumentHandler", "CUDASanitizer", "CUDASanitizerDispatchMode", "CUDASanitizerErrors",
    "EventHandler", "StreamSynchronizations", "SynchronizationError", "UnsynchronizedAccessError",
    "cuda_sanitizer", "enable_cuda_sanitizer", "zip_arguments", "zip_by_key",
]  # fmt: skip

DEFAULT_STREAM_ID = 0
# Operators whose arguments only say what the result is like.
_FACTORIES = re.compile(r"(new_.*|.*_like)")


class AccessType(enum.Enum):
    """What an operator does with a tensor's memory."""

    READ = enum.auto()
    WRITE = enum.auto()

    def __str__(self) -> str:
        return "reading from" if self is AccessType.READ else "writing to"


class Access(NamedTuple):
    """One use of a tensor's memory.

    Args:
        type: whether it is written
        seq_num: the number of the operator
        stream: where that was queued
        operator: its schema
        aliases: the arguments that are in this memory
        is_output: whether a result is
        stack_trace: who has called it
    """

    type: AccessType
    seq_num: int
    stream: int
    operator: str
    aliases: list[str]
    is_output: bool
    stack_trace: traceback.StackSummary

    def described(self) -> str:
        """What messages say of it."""
        what = [f"argument(s) {', '.join(self.aliases)}"] if self.aliases else []
        what += ["the output"] if self.is_output else []
        called = "".join(self.stack_trace.format())
        return (
            f"{self.operator}\n{self.type} {', and to '.join(what)}\nWith stack trace:\n{called}\n"
        )


class SynchronizationError(Exception):
    """Streams that do not wait for each other."""


class UnsynchronizedAccessError(SynchronizationError):
    """Two uses of a tensor's memory in no order.

    Args:
        data_ptr: where it is
        allocation_stack_trace: who has asked for the memory, if that is known
        current_access: the later use
        previous_access: the one before
    """

    def __init__(
        self, data_ptr: int, allocation_stack_trace: traceback.StackSummary | None, current_access: Access,
        previous_access: Access,
    ) -> None:  # fmt: skip
        super().__init__(data_ptr)
        self.data_ptr, self.allocation_stack_trace = data_ptr, allocation_stack_trace
        self.current_access, self.previous_access = current_access, previous_access

    def __str__(self) -> str:
        start = textwrap.dedent(f"""\
            ============================
            CSAN detected a possible data race on tensor with data pointer {self.data_ptr}
            Access by stream {self.current_access.stream} during kernel:
            """)
        before = f"Previous access by stream {self.previous_access.stream} during kernel:\n"
        if self.allocation_stack_trace is None:
            end = "Trace for tensor allocation not found."
        else:
            end = "Tensor was allocated with stack trace:\n" + "".join(
                self.allocation_stack_trace.format()
            )
        now, then = self.current_access.described(), self.previous_access.described()
        return start + now + before + then + end


class CUDASanitizerErrors(Exception):
    """What was found at one operator.

    Args:
        errors: each pair of uses
    """

    def __init__(self, errors: list[Any]) -> None:
        super().__init__(errors)
        self.errors = errors

    def __str__(self) -> str:
        return f"detected {len(self.errors)} errors"


class StreamSynchronizations:
    """Which operators of other streams a stream comes after."""

    def __init__(self) -> None:
        # By stream, and by event: for each stream, the number of the last operator that it comes after.
        self.current_sync_states: dict[int, dict[int, int]] = {}
        self.recorded_sync_states: dict[int, dict[int, int]] = {}
        # What the host has waited for; everything that is queued from then on comes after it.
        self.host_sync_state: dict[int, int] = {}
        self.create_stream(DEFAULT_STREAM_ID)

    def create_stream(self, stream: int) -> None:
        """Know a stream, which comes after what the host has waited for."""
        if stream not in self.current_sync_states:
            self.host_sync_state[stream] = -1
            self.current_sync_states[stream] = dict(self.host_sync_state)

    def create_event(self, event: int) -> None:
        """Know an event, anew if another one had its number."""
        self.recorded_sync_states[event] = {}

    def delete_event(self, event: int) -> None:
        self.recorded_sync_states.pop(event, None)

    def update_seq_num(self, stream: int, seq_num: int) -> None:
        """Note a stream's last operator."""
        self.create_stream(stream)
        self.current_sync_states[stream][stream] = seq_num

    def record_state(self, event: int, stream: int) -> None:
        """Let an event come after all that a stream comes after now."""
        self.create_stream(stream)
        self.recorded_sync_states[event] = dict(self.current_sync_states[stream])

    def stream_wait_for_event(self, stream: int, event: int) -> None:
        self.create_stream(stream)
        _raise_to(self.current_sync_states[stream], self.recorded_sync_states.get(event, {}))

    def all_streams_wait_for_event(self, event: int) -> None:
        """Let all that is queued from now on come after an event: the host has waited."""
        for state in (*self.current_sync_states.values(), self.host_sync_state):
            _raise_to(state, self.recorded_sync_states.get(event, {}))

    def all_streams_wait_for_stream(self, stream: int) -> None:
        self.create_stream(stream)
        reached = dict(self.current_sync_states[stream])
        for state in (*self.current_sync_states.values(), self.host_sync_state):
            _raise_to(state, reached)

    def sync_all_streams(self) -> None:
        for stream, state in self.current_sync_states.items():
            self.host_sync_state[stream] = state[stream]
        for state in self.current_sync_states.values():
            _raise_to(state, self.host_sync_state)

    def is_ordered_after(self, current_stream: int, seq_num: int, other_stream: int) -> bool:
        """Whether what a stream gets next comes after an operator of another one."""
        for stream in (current_stream, other_stream):
            self.create_stream(stream)
        return seq_num <= self.current_sync_states[current_stream].get(other_stream, -1)


def _raise_to(state: dict[int, int], other: dict[int, int]) -> None:
    for stream, number in other.items():
        state[stream] = max(state.get(stream, -1), number)


class _Tensor:
    """The uses of a tensor's memory: the last write, and all reads since then."""

    def __init__(self, allocation: traceback.StackSummary | None) -> None:
        self.allocation = allocation
        self.write: Access | None = None
        self.reads: list[Access] = []


class EventHandler:
    """Looks at each operator, and at what the runtime is asked for between them."""

    def __init__(self) -> None:
        self.syncs = StreamSynchronizations()
        self.seq_num = 0
        self._tensors: dict[int, _Tensor] = {}

    def _handle_kernel_launch(
        self, stream: int, read_only: set[int], read_write: set[int], outputs: set[int], operator: Any,
        tensor_aliases: dict[int, list[str]],
    ) -> list[SynchronizationError]:  # fmt: skip
        """What is wrong with an operator that reads and writes memory at some addresses."""
        self.seq_num += 1
        self.syncs.update_seq_num(stream, self.seq_num)
        errors: list[SynchronizationError] = []
        trace = _stack()
        for how, places in ((AccessType.READ, read_only), (AccessType.WRITE, read_write)):
            for place in sorted(places):
                tensor = self._tensors.setdefault(place, _Tensor(None))
                access = Access(
                    how, self.seq_num, stream, str(operator), list(tensor_aliases.get(place, ())),
                    place in outputs, trace,
                )  # fmt: skip
                # Reads come after the last write; a write after them or, if there are none, after that write.
                last = [tensor.write] if tensor.write is not None else []
                for earlier in (tensor.reads if how is AccessType.WRITE else []) or last:
                    if not self._is_in_order(access, earlier):
                        found = UnsynchronizedAccessError(place, tensor.allocation, access, earlier)
                        errors.append(found)
                if how is AccessType.WRITE:
                    tensor.write, tensor.reads = access, []
                else:
                    tensor.reads.append(access)
        return errors

    def _is_in_order(self, access: Access, earlier: Access) -> bool:
        return self.syncs.is_ordered_after(access.stream, earlier.seq_num, earlier.stream)

    def _handle_memory_allocation(self, data_ptr: int) -> None:
        self._tensors[data_ptr] = _Tensor(_stack())

    def _handle_memory_deallocation(self, data_ptr: int, nbytes: int = 1) -> None:
        # Views begin within it.
        for place in [x for x in self._tensors if data_ptr <= x < data_ptr + nbytes]:
            del self._tensors[place]

    def _handle_event_creation(self, event: int) -> None:
        self.syncs.create_event(event)

    def _handle_event_deletion(self, event: int) -> None:
        self.syncs.delete_event(event)

    def _handle_event_record(self, event: int, stream: int) -> None:
        self.syncs.record_state(event, stream)

    def _handle_event_wait(self, event: int, stream: int) -> None:
        self.syncs.stream_wait_for_event(stream, event)

    def _handle_stream_creation(self, stream: int) -> None:
        self.syncs.create_stream(stream)

    def _handle_device_synchronization(self, device: int = 0) -> None:
        self.syncs.sync_all_streams()

    def _handle_stream_synchronization(self, stream: int) -> None:
        self.syncs.all_streams_wait_for_stream(stream)

    def _handle_event_synchronization(self, event: int) -> None:
        self.syncs.all_streams_wait_for_event(event)

    def listen(self) -> list[Callable[[], None]]:
        """Hear of all that the runtime is asked for; gives what stops that."""
        return [notices.listen(kind, getattr(self, f"_handle_{kind}")) for kind in notices.KINDS]


def _stack() -> traceback.StackSummary:
    """Who has called, the innermost last; lines are read when they are shown."""
    found = traceback.StackSummary.extract(
        traceback.walk_stack(sys._getframe(2)), lookup_lines=False
    )
    found.reverse()
    return found


def zip_by_key(a: dict[Any, Any], b: dict[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Pairs of values of two dictionaries that have the same key, with the key."""
    return ((key, value, b[key]) for key, value in a.items() if key in b)


def zip_arguments(
    schema: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[Any, Any]]:
    """The arguments of a schema with their values."""
    by_place = schema.arguments[: len(args)]
    yield from zip(by_place, args)
    others = {argument.name: argument for argument in schema.arguments[len(args) :]}
    for _, argument, value in zip_by_key(others, kwargs):
        yield argument, value


class ArgumentHandler:
    """Which memory an operator reads and writes."""

    def __init__(self) -> None:
        self.dataptrs_read: set[int] = set()
        self.dataptrs_written: set[int] = set()
        self.tensor_aliases: dict[int, list[str]] = {}
        self.outputs: set[int] = set()

    def _note(self, value: Any, alias: Any, is_factory: bool, name: str | None) -> None:
        """Note a tensor on a GPU; views, and what results are like, are neither read nor written."""
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return
        place = value.data_ptr()
        is_result = name is None
        writes = alias.is_write if alias is not None else is_result and not is_factory
        if writes:
            self.dataptrs_written.add(place)
        elif alias is None and not is_factory:
            self.dataptrs_read.add(place)
        names = self.tensor_aliases.setdefault(place, [])
        if name is not None:
            names.append(name)
        else:
            self.outputs.add(place)

    def parse_inputs(
        self, schema: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, is_factory: bool
    ) -> None:
        for argument, value in zip_arguments(schema, args, kwargs):
            for leaf in pytree.tree_leaves(value):
                self._note(leaf, argument.alias_info, is_factory, argument.name)

    def parse_outputs(self, schema: Any, outputs: Any, *, is_factory: bool) -> None:
        found = outputs if isinstance(outputs, tuple) else (outputs,)
        for result, value in zip(schema.returns, found):
            for leaf in pytree.tree_leaves(value):
                self._note(leaf, result.alias_info, is_factory, None)


class CUDASanitizerDispatchMode(TorchDispatchMode):
    """A block in which each operator is looked at.

    Args:
        event_handler: what knows of the uses of memory; another one if None
    """

    def __init__(self, event_handler: EventHandler | None = None) -> None:
        super().__init__()
        self.event_handler = event_handler or EventHandler()
        self._stops: list[Callable[[], None]] = []

    def __enter__(self) -> Any:
        self._stops = self.event_handler.listen()
        return super().__enter__()

    def __exit__(self, *exception: Any) -> Any:
        for stop in self._stops:
            stop()
        self._stops = []
        return super().__exit__(*exception)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        is_factory = _FACTORIES.match(func._schema.name.rpartition("::")[2]) is not None
        used = ArgumentHandler()
        used.parse_inputs(func._schema, args, kwargs, is_factory=is_factory)
        results = func(*args, **kwargs)
        used.parse_outputs(func._schema, results, is_factory=is_factory)
        if not used.tensor_aliases:
            return results
        errors = self.event_handler._handle_kernel_launch(
            torch.cuda.current_stream().cuda_stream, used.dataptrs_read - used.dataptrs_written, used.dataptrs_written,
            used.outputs, func._schema, used.tensor_aliases,
        )  # fmt: skip
        if errors:
            for error in errors:
                print(error, file=sys.stderr)
            raise CUDASanitizerErrors(errors)
        return results


class CUDASanitizer:
    """The mode for a whole program."""

    def __init__(self) -> None:
        self.event_handler = EventHandler()
        self.dispatch = CUDASanitizerDispatchMode(self.event_handler)
        self.enabled = False

    def enable(self) -> None:
        """Look at operators from now on."""
        self.dispatch.__enter__()
        self.enabled = True

    def disable(self) -> None:
        """Look no more."""
        self.dispatch.__exit__(None, None, None)
        self.enabled = False


cuda_sanitizer = CUDASanitizer()


def enable_cuda_sanitizer() -> None:
    """Look at all operators of this thread from now on; errors are printed and raised."""
    cuda_sanitizer.enable()
