"""Gradients averaged as matrices of low rank, which is not there yet."""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class, absent_functions

_WHAT = "averages of gradients by low rank"
PowerSGDState: Any = absent_class(__name__, "PowerSGDState", _WHAT)
globals().update(absent_functions(__name__, ["batched_powerSGD_hook", "powerSGD_hook"], _WHAT))
