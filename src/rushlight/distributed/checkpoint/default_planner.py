"""Who writes and reads which part of a checkpoint, which is not decided yet."""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class

_WHAT = "checkpoints of several processes"
DefaultLoadPlanner: Any = absent_class(__name__, "DefaultLoadPlanner", _WHAT)
DefaultSavePlanner: Any = absent_class(__name__, "DefaultSavePlanner", _WHAT)
