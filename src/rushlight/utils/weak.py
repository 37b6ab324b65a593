"""Weak references to tensors, and dictionaries whose keys are objects by identity.

Tensors compare element by element, so they cannot be keys of an ordinary dictionary of weak
references.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any
from weakref import ref

from rushlight.engine.core.tensor import Tensor

__all__ = [
    "TensorWeakRef",
    "WeakIdKeyDictionary",
    "WeakIdRef",
    "WeakRef",
    "WeakTensorKeyDictionary",
]

WeakRef = ref


class WeakIdRef(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that is equal to those to the very same object."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Callable[[Any], Any] | None = None) -> None:
        self._id = id(key)
        super().__init__(key, callback)  # type: ignore[call-arg]

    def __call__(self) -> Any:
        return super().__call__()

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine = self()
        theirs = other() if isinstance(other, weakref.ref) else None
        if mine is not None and theirs is not None:
            return mine is theirs
        return self is other


class _WeakHashRef(weakref.ref):  # type: ignore[type-arg]
    """A weak reference whose hash is the object's, and whose equality is the object's, too."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Callable[[Any], Any] | None = None) -> None:
        self._id = hash(key)
        super().__init__(key, callback)  # type: ignore[call-arg]

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine = self()
        theirs = other() if isinstance(other, weakref.ref) else None
        if mine is not None and theirs is not None:
            return bool(mine == theirs)
        return self is other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary of objects by identity; an entry goes when its key does.

    Args:
        dict: entries to begin with
        ref_type: the class of references to keys
    """

    def __init__(self, dict: Any = None, ref_type: type[weakref.ref[Any]] = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type

        owner = weakref.ref(self)

        def forget(key: Any) -> None:
            mine = owner()
            if mine is not None:
                mine.data.pop(key, None)

        self._remove = forget
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        # A list, for entries may go while somebody goes through them.
        for reference in [*self.data]:
            key = reference()
            if key is not None:
                yield key

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def copy(self) -> WeakIdKeyDictionary:
        """Another dictionary of the same entries."""
        made = WeakIdKeyDictionary(ref_type=self.ref_type)
        made.update(self.items())
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> WeakIdKeyDictionary:
        from copy import deepcopy

        made = type(self)()
        made.update((key, deepcopy(value, memo)) for key, value in self.items())
        return made

    def keyrefs(self) -> list[Any]:
        """The references to the keys."""
        return [*self.data]

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, MutableMapping):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, MutableMapping):
            return NotImplemented
        made = type(self)(other)
        made.update(self)
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MutableMapping):
            return NotImplemented
        mine: Iterable[Any] = self.items()
        return {id(k): v for k, v in mine} == {id(k): v for k, v in other.items()}

    __hash__ = None  # type: ignore[assignment]


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        """The tensor, or None if it is gone."""
        return self.ref()
