"""Handles of hooks, and what hooks can say of themselves."""

from __future__ import annotations

from typing import Any

from rushlight.engine.autograd.node import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook"]


def unserializable_hook(hook: Any) -> Any:
    """Say that a hook may be left behind when its tensor is pickled; a decorator."""
    hook.__torch_unserializable__ = True
    return hook
