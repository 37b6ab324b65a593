"""Dispatch keys under PyTorch's names, and blocks that add or take away some of them."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys, state
from rushlight.engine.dispatch import registry

__all__ = ["DisableTorchDispatch", "DispatchKey", "DispatchKeySet", "ExcludeKeys", "IncludeKeys"]


class _Names(type):
    """Keys are attributes of their class."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return cls(name)
        except RuntimeError as error:
            raise AttributeError(str(error)) from None


class DispatchKey(metaclass=_Names):
    """A key by its name; one functionality on several backends is one key here.

    Args:
        name: such as ``"CPU"`` or ``"AutocastCPU"``
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.bits = registry.bit_of(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKey) and other.bits == self.bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def __repr__(self) -> str:
        return f"DispatchKey.{self.name}"


class DispatchKeySet:
    """A set of keys.

    Args:
        key: its only member
    """

    def __init__(self, key: DispatchKey) -> None:
        self.bits = key.bits

    @classmethod
    def of_bits(cls, bits: int) -> DispatchKeySet:
        made = cls.__new__(cls)
        made.bits = bits
        return made

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.of_bits(self.bits | other.bits)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.of_bits(self.bits & other.bits)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.of_bits(self.bits & ~other.bits)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and other.bits == self.bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def has(self, key: DispatchKey) -> bool:
        """Whether a key is a member."""
        return self.bits & key.bits != 0

    __contains__ = has

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(keys.names(self.bits))})"


class ExcludeKeys(state.excluding):
    """Take a set of keys out of every operator call of this thread."""

    __slots__ = ()

    def __init__(self, keyset: DispatchKeySet) -> None:
        super().__init__(keyset.bits)


class IncludeKeys(state.including):
    """Add a set of keys to every operator call of this thread."""

    __slots__ = ()

    def __init__(self, keyset: DispatchKeySet) -> None:
        super().__init__(keyset.bits)


class DisableTorchDispatch(state.excluding):
    """Ask neither dispatch modes nor classes with `__torch_dispatch__` in this thread."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(keys.PYTHON_MODE)

    def __enter__(self) -> None:
        super().__enter__()
        state.thread.dispatch_disabled += 1

    def __exit__(self, *exception: object) -> None:
        state.thread.dispatch_disabled -= 1
        super().__exit__(*exception)
