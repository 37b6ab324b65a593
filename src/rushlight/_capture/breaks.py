"""Why a graph ends."""

from __future__ import annotations

import traceback

from rushlight.engine.native.records import dataclass


@dataclass
class GraphCompileReason:
    """Why a graph has ended.

    Args:
        reason: what cannot be in a graph
        user_stack: where in the program that is, the innermost call last
        graph_break: whether the program goes on behind the graph
    """

    reason: str
    user_stack: list[traceback.FrameSummary]
    graph_break: bool = True


class Break(Exception):
    """The next instruction cannot be in a graph; it is done as Python would, behind the graph."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Uncapturable(Exception):
    """Nothing of a call can be captured: the function runs as it is."""


class Spoilt(BaseException):
    """A graph must end before an instruction of which a part is done already: capture begins anew.

    No exception of programs, so that nobody between the two handles it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
