"""What an allocator has done, entry by entry, as PyTorch's viewer of memory reads it."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

# Frames of the package itself say nothing about a program.
_OWN = __name__.partition(".")[0]


ACTIONS = (
    "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map",
    "segment_unmap", "oom", "snapshot",
)  # fmt: skip
# For what frames are kept: nothing, what is given out now, that and each request, everything.
CONTEXTS = (None, "state", "alloc", "all")

# A text of the program's that each entry has.
metadata = [""]


class History:
    """The last things that allocators of a device have done.

    Args:
        most: how many are kept
        frames_for: for what the program's frames are kept, one of `CONTEXTS`
        skipped: actions that are not noted
    """

    def __init__(self, most: int, frames_for: str | None, skipped: Sequence[str] = ()) -> None:
        self.entries: deque[dict[str, Any]] = deque(maxlen=most)
        self.frames_for, self.skipped = frames_for, frozenset(skipped)

    def add(
        self, action: str, address: int, size: int, stream: int, pool: tuple[int, int] = (0, 0), **facts: Any
    ) -> list[dict[str, Any]]:  # fmt: skip
        """Note something; where the program was."""
        is_request = action == "alloc"
        wanted = ("state", "alloc", "all") if is_request else ("all",)
        frames = _frames() if self.frames_for in wanted else []
        if action not in self.skipped:
            # Those of blocks that are given out are kept with the blocks.
            shown = [] if self.frames_for == "state" else frames
            self.entries.append({
                "action": action, "addr": address, "size": size, "stream": stream,
                "time_us": time.time_ns() // 1000, "pool_id": pool, "frames": shown,
                "compile_context": "N/A", "user_metadata": metadata[0], **facts,
            })  # fmt: skip
        return frames


def _frames() -> list[dict[str, Any]]:
    """Where the program is, the innermost function first."""
    found = []
    frame: Any = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if frame.f_globals.get("__name__", "").partition(".")[0] != _OWN:
            found.append(
                {"filename": code.co_filename, "line": frame.f_lineno, "name": code.co_name}
            )
        frame = frame.f_back
    return found
