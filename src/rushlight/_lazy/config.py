"""Settings of lazy tensors."""

from __future__ import annotations

__all__ = ["get_force_fallback", "set_force_fallback", "set_reuse_ir"]

# So many compiled graphs are kept; the oldest goes first.
most_graphs = 1024
# So many of them may differ in fractions only.
most_alike = 16
# Whether a graph that cannot be compiled is an error; it runs call by call otherwise.
strict = False

_at_once: frozenset[str] = frozenset()
reuse_shapes = True


def get_force_fallback() -> str:
    """The operators whose calls are made at once, as `set_force_fallback` was told."""
    return ",".join(sorted(_at_once))


def set_force_fallback(configval: str) -> None:
    """Have calls of some operators made at once.

    Args:
        configval: names such as ``"aten::add"``, with commas in between; nothing for none
    """
    global _at_once
    _at_once = frozenset(filter(None, configval.replace(" ", "").split(",")))


def is_made_at_once(name: str) -> bool:
    """Whether an operator's calls are made at once."""
    return name in _at_once


def set_reuse_ir(val: bool) -> None:
    """Say whether what a call makes may be looked up instead of being worked out again."""
    global reuse_shapes
    reuse_shapes = bool(val)
