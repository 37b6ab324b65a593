"""Switches of autograd that Python programs reach for in PyTorch's compiled part."""

from __future__ import annotations

from typing import Any

from rushlight.autograd import SavedTensor, graph
from rushlight.autograd.profiler_util import DeviceType
from rushlight.engine.core import state

__all__ = ["DeviceType", "SavedTensor"]


def _saved_tensors_hooks_is_enabled() -> bool:
    return state.thread.saved_hooks_disabled is None


def _saved_tensors_hooks_disable(reason: str) -> None:
    graph.refuse_hooks_over_others(reason)
    state.thread.saved_hooks_disabled = reason


def _saved_tensors_hooks_enable() -> None:
    state.thread.saved_hooks_disabled = None


def _saved_tensors_hooks_get_disabled_error_message() -> str | None:
    return state.thread.saved_hooks_disabled


def _push_saved_tensors_default_hooks(pack_hook: Any, unpack_hook: Any) -> None:
    graph.push_hooks(pack_hook, unpack_hook)


def _pop_saved_tensors_default_hooks() -> None:
    graph.pop_hooks()
