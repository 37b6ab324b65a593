"""Dispatch keys and sets of them as programs see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.dispatch import key_names, registry
from rushlight.engine.dispatch.boxing import tensors_in


class _Names(type):
    """Keys are attributes of their class, and each is there once."""

    _made: dict[str, Any]

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") or name == "_made":
            raise AttributeError(name)
        try:
            return cls(name)
        except RuntimeError as error:
            raise AttributeError(str(error)) from None

    @property
    def __members__(cls) -> dict[str, Any]:
        return {name: cls(name) for name in key_names.numbers()}


class DispatchKey(metaclass=_Names):
    """A key by its name.

    Args:
        name: such as ``"CPU"`` or ``"AutocastCPU"``
    """

    name: str
    value: int
    _made: dict[str, DispatchKey] = {}

    def __new__(cls, name: str) -> DispatchKey:
        found = cls._made.get(name)
        if found is None:
            value = key_names.numbers().get(name)
            if value is None:
                # A key of ours that PyTorch has by backends.
                registry.bit_of(name)
                value = -1
            found = object.__new__(cls)
            found.name, found.value = name, value
            cls._made[name] = found
        return found

    @property
    def raw(self) -> int:
        """The set of PyTorch's keys that this one is, or that an alias stands for."""
        if self.name in key_names.ALIASES:
            raw = 0
            for name in key_names.in_alias(self.name):
                raw |= key_names.raw_sets()[name]
            return raw
        found = key_names.raw_sets().get(self.name)
        if found is None and self.name in key_names.FUNCTIONALITIES:
            found = key_names.functionality_bit(self.name)
        return key_names.from_bits(registry.bit_of(self.name)) if found is None else found

    @property
    def bits(self) -> int:
        """The keys of `core.keys`."""
        return key_names.to_bits(self.raw)

    def __int__(self) -> int:
        return self.value

    __index__ = __int__

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return DispatchKey, (self.name,)

    def __str__(self) -> str:
        return f"DispatchKey.{self.name}"

    def __repr__(self) -> str:
        return f"<DispatchKey.{self.name}: {self.value}>"


class DispatchKeySet:
    """A set of keys.

    Args:
        key: its only member, or its name
    """

    __slots__ = ("raw",)
    raw: int

    def __init__(self, key: DispatchKey | str) -> None:
        self.raw = (DispatchKey(key) if isinstance(key, str) else key).raw

    @classmethod
    def from_raw_repr(cls, raw: int) -> DispatchKeySet:
        """The set that `raw_repr` told."""
        made = cls.__new__(cls)
        made.raw = raw
        return made

    @classmethod
    def of_bits(cls, bits: int) -> DispatchKeySet:
        """The set for keys of `core.keys`."""
        return cls.from_raw_repr(key_names.from_bits(bits))

    @property
    def bits(self) -> int:
        """The keys of `core.keys`."""
        return key_names.to_bits(self.raw)

    def raw_repr(self) -> int:
        """The set as a number."""
        return self.raw

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.from_raw_repr(self.raw | other.raw)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self.from_raw_repr(self.raw & other.raw)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        """The set without another's functionalities; backends stay, as in PyTorch."""
        return self.from_raw_repr(self.raw & (key_names.BACKEND_MASK | ~other.raw))

    def add(self, key: DispatchKey) -> DispatchKeySet:
        """The set with one more key."""
        return self.from_raw_repr(self.raw | key.raw)

    def remove(self, key: DispatchKey) -> DispatchKeySet:
        """The set without a key's functionality."""
        return self.from_raw_repr(self.raw & ~(key.raw & ~key_names.BACKEND_MASK))

    def has(self, key: DispatchKey) -> bool:
        """Whether a key is a member; an alias is where its functionalities are, of whatever backends."""
        raw = key.raw & ~key_names.BACKEND_MASK if key.name in key_names.ALIASES else key.raw
        return self.raw & raw == raw and raw != 0

    __contains__ = has

    def highestPriorityTypeId(self) -> DispatchKey:
        """The key that is handled first."""
        found = key_names.names_of(self.raw)
        return DispatchKey(found[-1] if found else key_names.UNDEFINED)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and other.raw == self.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key_names.names_of(self.raw))})"


def full() -> DispatchKeySet:
    """All keys."""
    raw = 0
    for one in key_names.raw_sets().values():
        raw |= one
    return DispatchKeySet.from_raw_repr(raw)


def full_after(key: DispatchKey) -> DispatchKeySet:
    """The keys that are handled after one, and the one that Python's own dispatcher has."""
    highest = (key.raw & ~key_names.BACKEND_MASK).bit_length() - 1
    below = full().raw & ((1 << highest) - 1)
    return DispatchKeySet.from_raw_repr(below | key_names.functionality_bit("PythonDispatcher"))


def keys_of(tensor: Any) -> DispatchKeySet:
    """The keys of a tensor."""
    return DispatchKeySet.from_raw_repr(key_names.of_tensor(tensor._keys_))


def keys_of_call(values: Sequence[Any]) -> DispatchKeySet:
    """The keys that count in a call: those of the tensors and of the thread."""
    bits = 0
    for tensor in tensors_in(values):
        bits |= tensor._keys_
    if not bits & key_bits.INFERENCE:
        bits |= key_bits.AUTOGRAD
    return DispatchKeySet.of_bits(state.effective(bits))


def bits_of(keys: DispatchKeySet | int) -> int:
    """The keys of `core.keys`, which are what code of the engine passes."""
    return keys.bits if isinstance(keys, DispatchKeySet) else keys
