"""Functions that are called whenever something happens in CUDA's runtime; what they raise is logged."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from rushlight.engine.cuda import notices

__all__ = [f"register_callback_for_{kind}" for kind in notices.KINDS]

_log = logging.getLogger(__name__)


def _registering(kind: str) -> Callable[[Callable[..., Any]], None]:
    def register(cb: Callable[..., Any]) -> None:
        # How large memory is, PyTorch does not say.
        most = 1 if kind.startswith("memory") else 2

        def call(*facts: int) -> None:
            try:
                cb(*facts[:most])
            except Exception:
                _log.exception("a callback for %s has failed", kind.replace("_", " "))

        notices.listen(kind, call)

    register.__name__ = register.__qualname__ = f"register_callback_for_{kind}"
    register.__doc__ = f"Call a function after each {kind.replace('_', ' ')}, with {notices.KINDS[kind].removesuffix(' and a number of bytes')}."
    return register


globals().update({f"register_callback_for_{kind}": _registering(kind) for kind in notices.KINDS})
