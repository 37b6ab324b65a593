"""The profiler under the name of the module that PyTorch has it in."""

from __future__ import annotations

from rushlight.profiler import ProfilerAction, profile, schedule, tensorboard_trace_handler
from rushlight.profiler import _always as _default_schedule_fn

__all__ = [
    "ProfilerAction",
    "_default_schedule_fn",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
