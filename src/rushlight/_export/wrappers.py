"""Marks that classes of tensors carry for an exporter."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["mark_subclass_constructor_exportable_experimental"]


def mark_subclass_constructor_exportable_experimental(
    constructor_subclass: Callable[..., Any],
) -> Callable[..., Any]:
    """A decorator of the ``__init__`` of a class of tensors, whose calls an exporter may put into a graph."""
    if constructor_subclass.__name__ != "__init__":
        raise RuntimeError(
            f"torch._export.wrappers.mark_constructor_exportable_experimental can only be applied on subclass "
            f"tensor.__init__But, you are adding it on {constructor_subclass.__name__} which is not supported. "
            f"If __init__ doesn't exist on your subclass, please add it. Look at DTensor.__init__ implementation "
            f"for example"
        )

    @functools.wraps(constructor_subclass)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return constructor_subclass(*args, **kwargs)

    return wrapper
