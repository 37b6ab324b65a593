"""How exact products and convolutions of float32 are on a GPU, by name: ``"ieee"``, ``"tf32"``, or ``"none"``, which is as usual."""

from __future__ import annotations

from typing import Any

NAMES = ("none", "ieee", "tf32")
# What other devices have.
_OTHERS = ("bf16",)


def check(name: str) -> None:
    """Raise for a name that means nothing, or nothing on a GPU."""
    if name in _OTHERS:
        raise RuntimeError(f"backend 'cuda' does not support precision '{name}'")
    if name not in NAMES:
        raise RuntimeError(f"Unknown precision: {name}")


class Precision:
    """A switch ``allow_tf32`` under the names of precisions.

    Args:
        off: what it is called while the switch is off and nothing was said
        on: the same while it is on
    """

    def __init__(self, off: str = "none", on: str = "tf32") -> None:
        self.named = {False: off, True: on}

    def __get__(self, instance: Any, owner: Any = None) -> str:
        return self.named[bool(instance.allow_tf32)]

    def __set__(self, instance: Any, name: str) -> None:
        check(name)
        instance.allow_tf32 = name == "tf32"
        self.named[name == "tf32"] = name
