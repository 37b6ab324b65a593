"""The flight recorder: what the last collectives on GPUs were, and how far each has come.

`_dump_nccl_trace` of `torch._C._distributed_c10d` gives it as PyTorch does, for tools that compare what ranks were doing when one
of them hung. ``TORCH_FR_BUFFER_SIZE`` says how many collectives are kept; 0 keeps none.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from rushlight.distributed._groups.options import OpType
from rushlight.engine.native.forks import hold_over_fork

__all__ = ["Entry", "FlightRecorder", "recorder"]

VERSION = "2.10"
_USUAL_SIZE = 2000
# So many callers are kept of each collective.
_MOST_FRAMES = 32
_NAMES = {
    OpType.BROADCAST: "broadcast", OpType.ALLREDUCE: "all_reduce", OpType.ALLREDUCE_COALESCED: "allreduce_coalesced",
    OpType.REDUCE: "reduce", OpType.ALLGATHER: "all_gather", OpType._ALLGATHER_BASE: "_all_gather_base",
    OpType.ALLGATHER_COALESCED: "all_gather_into_tensor_coalesced", OpType.GATHER: "gather", OpType.SCATTER: "scatter",
    OpType.REDUCE_SCATTER: "reduce_scatter", OpType.ALLTOALL_BASE: "all_to_all", OpType.ALLTOALL: "all_to_all",
    OpType.BARRIER: "all_reduce_barrier", OpType._REDUCE_SCATTER_BASE: "_reduce_scatter_base",
    OpType.COALESCED: "coalesced", OpType.REDUCE_SCATTER_TENSOR_COALESCED: "reduce_scatter_tensor_coalesced",
}  # fmt: skip


class Entry:
    """A collective or message that was queued.

    Args:
        number: its place in the order of all that were recorded
        group: the name of its group, and what that is for
        name: what it is called
        numbers: how many collectives, and how many messages, the group has had with it
        inputs, outputs: their tensors
        milliseconds: how long it may take
        is_message: whether it goes from one rank to another
    """

    def __init__(
        self, number: int, group: tuple[str, str], name: str, numbers: tuple[int, int], inputs: Sequence[Any],
        outputs: Sequence[Any], milliseconds: int, is_message: bool,
    ) -> None:  # fmt: skip
        self.number, self.group, self.name, self.numbers = number, group, name, numbers
        self.sizes = [[list(t.shape) for t in tensors] for tensors in (inputs, outputs)]
        self.types = [[_title(t) for t in tensors] for tensors in (inputs, outputs)]
        self.milliseconds, self.is_message = milliseconds, is_message
        self.created, self.completed = time.time_ns(), 0
        self.retired = False
        self.frames = _callers()

    def facts(self, with_frames: bool) -> dict[str, Any]:
        """The entry as a dump has it."""
        found = {
            "record_id": self.number, "pg_id": 0, "process_group": self.group, "collective_seq_id": self.numbers[0],
            "p2p_seq_id": self.numbers[1], "op_id": self.number, "profiling_name": self.name,
            "time_created_ns": self.created, "input_sizes": self.sizes[0], "input_dtypes": self.types[0],
            "output_sizes": self.sizes[1], "output_dtypes": self.types[1],
            "state": "completed" if self.completed else "scheduled", "time_discovered_started_ns": None,
            "time_discovered_completed_ns": self.completed or None, "retired": self.retired,
            "timeout_ms": self.milliseconds, "is_p2p": self.is_message,
        }  # fmt: skip
        if with_frames:
            found["frames"] = [
                {"name": code.co_qualname, "filename": code.co_filename, "line": line}
                for code, line in self.frames
            ]
        return found


def _title(tensor: Any) -> str:
    from rushlight.engine.loops.promotion import title

    return title(tensor.dtype)


def _callers() -> list[tuple[Any, int]]:
    """Who has asked for a collective, the nearest first."""
    frame = sys._getframe(3)
    found: list[tuple[Any, int]] = []
    while frame is not None and len(found) < _MOST_FRAMES:
        found.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return found


class FlightRecorder:
    """The last collectives of all groups of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        hold_over_fork(self._lock)
        self.reset()

    def reset(self) -> None:
        """Forget all entries."""
        size = int(os.environ.get("TORCH_FR_BUFFER_SIZE", _USUAL_SIZE))
        with self._lock:
            self._entries: deque[Entry] = deque(maxlen=size)
            self._count = 0

    # What groups there are, and their collectives: the last one that was queued, and that has ended.
    groups: dict[str, dict[str, Any]] = {}
    last: dict[str, dict[str, int]] = {}

    def know(self, name: str, description: str, ranks: Sequence[int]) -> None:
        """Note a group."""
        self.groups[name] = {"name": name, "desc": description, "ranks": str(list(ranks))}
        self.last[name] = {
            f"last_{what}_collective": -1 for what in ("enqueued", "started", "completed")
        }

    def forget(self, name: str) -> None:
        """Drop a group that has ended."""
        self.groups.pop(name, None)
        self.last.pop(name, None)

    def record(
        self, group: tuple[str, str], kind: OpType, ranks: tuple[int, int], numbers: tuple[int, int],
        inputs: Sequence[Any], outputs: Sequence[Any], milliseconds: int,
    ) -> Entry:  # fmt: skip
        """Note what is queued.

        Args:
            group: the name of the group, and what that is for
            kind: what is done
            ranks: this process's rank, and that of the other end of a message
            numbers: how many collectives, and how many messages, the group has had with it
            inputs, outputs: their tensors
            milliseconds: how long it may take
        """
        here, there = ranks
        ends = {OpType.SEND: f"send {here}->{there}", OpType.RECV: f"recv {here}<-{there}"}
        name = f"nccl:{ends.get(kind) or _NAMES[kind]}"
        with self._lock:
            made = Entry(
                self._count, group, name, numbers, inputs, outputs, milliseconds, kind in ends
            )
            self._count += 1
            self._entries.append(made)
        if kind not in ends and group[0] in self.last:
            self.last[group[0]]["last_enqueued_collective"] = numbers[0]
        return made

    def end(self, entry: Entry, completed: bool) -> None:
        """Note that somebody has seen a collective end, or looks after it no more."""
        entry.retired = True
        if completed:
            entry.completed = time.time_ns()
            if not entry.is_message and entry.group[0] in self.last:
                status = self.last[entry.group[0]]
                status["last_started_collective"] = status["last_completed_collective"] = (
                    entry.numbers[0]
                )

    def facts(
        self, include_collectives: bool = True, include_stack_traces: bool = True, only_active: bool = False
    ) -> dict[str, Any]:  # fmt: skip
        """All that is known, as PyTorch's tools read it."""
        names = list(self.groups)
        found: dict[str, Any] = {
            "version": VERSION,
            "pg_config": {name: dict(facts) for name, facts in self.groups.items()},
            "pg_status": {str(names.index(n)): dict(facts) for n, facts in self.last.items()},
        }
        if include_collectives:
            with self._lock:
                entries = [e for e in self._entries if not (only_active and e.completed)]
            found["entries"] = [
                {**e.facts(include_stack_traces), "pg_id": _place(names, e.group[0])}
                for e in entries
            ]
        return found

    def dump(self, *how: bool) -> bytes:
        """`facts` as a pickle."""
        return pickle.dumps(self.facts(*how))

    def dump_json(self, include_collectives: bool = True, only_active: bool = False) -> bytes:
        """`facts` without callers, as JSON."""
        return json.dumps(self.facts(include_collectives, False, only_active)).encode()


def _place(names: list[str], name: str) -> int:
    return names.index(name) if name in names else -1


recorder = FlightRecorder()
