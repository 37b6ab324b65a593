"""Collective operations with gradients, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_functions

_NAMES = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce",
    "reduce_scatter", "scatter",
]  # fmt: skip
globals().update(absent_functions(__name__, _NAMES, "training in several processes"))
