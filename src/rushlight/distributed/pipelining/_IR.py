"""Where a module is cut into stages."""

from __future__ import annotations

from enum import Enum
from typing import Any

from rushlight._names.absent import absent_class, absent_functions

__all__ = ["Pipe", "SplitPoint", "pipe_split"]

_WHAT = "pipelines that are cut from an exported program"


class SplitPoint(Enum):
    """On which side of a submodule a module is cut."""

    BEGINNING = 1
    END = 2


def pipe_split() -> None:
    """Mark, in a module's code, where it is cut; it computes nothing."""


Pipe: Any = absent_class(__name__, "Pipe", _WHAT)
globals().update(absent_functions(__name__, ["build_stage", "pipeline"], _WHAT))
