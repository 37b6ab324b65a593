"""The library cusparselt, which is not there."""

from __future__ import annotations


def is_available() -> bool:
    return False


def version() -> int | None:
    return None
