"""Where events go."""

from __future__ import annotations

import logging

__all__ = ["get_logging_handler"]

_handlers: dict[str, logging.Handler] = {
    "console": logging.StreamHandler(),
    "dynamic_rendezvous": logging.NullHandler(),
    "null": logging.NullHandler(),
}


def get_logging_handler(destination: str = "null") -> logging.Handler:
    """The handler for a destination: ``"console"`` or ``"null"``."""
    return _handlers[destination]
