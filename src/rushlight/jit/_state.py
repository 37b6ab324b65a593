"""What the script compiler remembers of classes and functions, which is nothing."""

from __future__ import annotations

__all__: list[str] = []


def _clear_class_state() -> None:
    """Forget the compiled classes. There are none."""
