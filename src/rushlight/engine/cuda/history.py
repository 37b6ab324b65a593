"""What an allocator has done, entry by entry, as PyTorch's viewer of memory reads it."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Any

# Frames of the package itself say nothing about a program.
_OWN = __name__.partition(".")[0]


class History:
    """The last things that an allocator has done.

    Args:
        most: how many are kept
        stacks: whether the program's frames are kept with each
    """

    def __init__(self, most: int, stacks: bool) -> None:
        self.entries: deque[dict[str, Any]] = deque(maxlen=most)
        self.stacks = stacks

    def add(self, action: str, address: int, size: int, stream: int) -> list[dict[str, Any]]:
        """Note something; where the program was."""
        frames = _frames() if self.stacks else []
        self.entries.append({
            "action": action, "addr": address, "size": size, "stream": stream,
            "time_us": time.time_ns() // 1000, "frames": frames,
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
