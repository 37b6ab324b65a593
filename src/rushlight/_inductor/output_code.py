"""What compilers give for graphs, where these are kept: functions of a list of arguments, with what they are found by."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.native.records import dataclass

__all__ = ["MockFXGraphCacheOutput", "OutputCode"]


@dataclass
class OutputCode:
    """The function of a graph."""

    # What it is found again by, the text that this was made of, and how long it took to compile.
    _fx_graph_cache_key: str | None = dataclasses.field(default=None, init=False)
    _fx_graph_cache_debug_lines: list[str] | None = dataclasses.field(default=None, init=False)
    _time_taken_ns: int | None = dataclasses.field(default=None, init=False)

    # Arguments come in a list.
    _boxed_call = True

    def __call__(self, inputs: Sequence[Any]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define __call__")


@dataclass
class MockFXGraphCacheOutput(OutputCode):
    """The function of a graph that a compiler of a program's own has made.

    Args:
        gm: the function, which takes a list
    """

    gm: Callable[..., Any] | None = None

    def __call__(self, inputs: Sequence[Any]) -> Any:
        assert self.gm is not None
        return self.gm(inputs)
