"""Why a graph ends."""

from __future__ import annotations


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
