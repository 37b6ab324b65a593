"""The types of annotations in scripts, under the names that scripts import."""

from __future__ import annotations

from rushlight.futures import Future

# ruff: noqa: UP035 - these names are what is imported from here
from typing import Any, Dict, List, Optional, Tuple, Union  # isort: skip

__all__ = [
    "Any",
    "BroadcastingList2",
    "BroadcastingList3",
    "Dict",
    "Future",
    "List",
    "Optional",
    "Tuple",
    "Union",
]


class _BroadcastingList:
    """A list of so many numbers, or one number that stands for all."""

    def __getitem__(self, types: object) -> object:
        return types


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()
