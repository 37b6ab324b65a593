"""The library kleidiai, which is not there."""

from __future__ import annotations


def is_available() -> bool:
    return False
