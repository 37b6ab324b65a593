"""OpenMP, which is not used: kernels share work among threads of their own."""

from __future__ import annotations


def is_available() -> bool:
    return False
