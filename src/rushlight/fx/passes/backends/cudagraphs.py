"""Graphs of a GPU's calls, which are not there."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["partition_cudagraphs"]


def partition_cudagraphs(gm: Any, inputs: Any) -> NoReturn:
    """Would give the parts of a graph to a GPU."""
    raise NotImplementedError("partition_cudagraphs is not supported: there are no CUDA graphs")
