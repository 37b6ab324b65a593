"""Attention that a library makes on a GPU: which one, and the loop that queues it."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.cuda import cudnn_graph, launcher
from rushlight.engine.cuda.attention_launcher import queue_attention, table_of
from rushlight.engine.cuda.cudnn_graph import Attention, Described
from rushlight.engine.loops.library_loop import LibraryLoop
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plans import PlanTable

_known = PlanTable()


def library_attention(device: int, attention: Attention, label: str) -> LibraryAttention | None:
    """The loop of an attention by cuDNN, which is there; None where it has nothing for it."""
    key = device, attention
    # Whoever chooses a kernel asks, and then the plan of the call: both find the same.
    with planning(None):
        if key not in _known:
            found = cudnn_graph.described(attention, device)
            _known[key] = None if found is None else LibraryAttention(found, label)
        return _known.get(key)  # type: ignore[no-any-return]


class LibraryAttention(LibraryLoop):
    """An attention that cuDNN makes, for operands found at each run: results, what they are made of, room.

    Args:
        described: its description
        label: what messages call it
    """

    __slots__ = ("described",)
    kernel = queue_attention
    activation = ""

    def __init__(self, described: Described, label: str) -> None:
        self.described = described
        kinds: list[Any] = [dtypes.BY_MEMORY[x.memory] for x in described.attention.operands]
        super().__init__(described.device, described.work, kinds, (), [()] * len(kinds), label)

    def call(self, places: list[int]) -> None:
        self.described.queue(places if self.room else [*places, 0])

    def table(self, status: launcher.Status) -> launcher.Table:
        return table_of(self.described, self.label, status)
