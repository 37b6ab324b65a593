"""The back end of lazy tensors: there is one, which is always there."""

from __future__ import annotations

__all__ = ["NAME", "init"]

# What compiles graphs.
NAME = "inductor"


def init() -> None:
    """Nothing has to be done before the lazy device is used."""
