"""Making dimensions, and lists of them whose length is known later."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight.functorch.dim import _names
from rushlight.functorch.dim._tensors import Dim, DimensionBindError, _Tensor


class DimList:
    """A list of dimensions that takes the length of what it is bound to.

    Args:
        len_or_dims: how many there are, or dimensions or sizes of them; nothing if it is bound later
        name: what it is called where it is shown
    """

    def __init__(self, len_or_dims: Any = None, name: str | None = None) -> None:
        self._name = name
        self._dims: list[Dim] | None = None
        if isinstance(len_or_dims, int):
            self.bind_len(len_or_dims)
        elif len_or_dims is not None:
            given = enumerate(len_or_dims)
            self._dims = [d if isinstance(d, Dim) else self._made(k, d) for k, d in given]

    def _made(self, place: int, size: int | None = None) -> Dim:
        made = Dim(f"{self._name or 'dim'}{place}")
        if size is not None:
            made.size = size
        return made

    @property
    def is_bound(self) -> bool:
        """Whether it is known how many there are."""
        return self._dims is not None

    def bind_len(self, size: int) -> None:
        """Say how many there are."""
        if self._dims is None:
            self._dims = [self._made(place) for place in range(size)]
        elif len(self._dims) != size:
            raise DimensionBindError(
                f"Dimlist has size {len(self._dims)} but it is being bound to size {size}"
            )

    def bind(self, sizes: Sequence[int]) -> None:
        """Say how many there are, and of which sizes."""
        self.bind_len(len(sizes))
        for dim, size in zip(self, sizes):
            dim.size = size

    def size(self) -> int:
        """How many there are."""
        return len(self)

    def _bound(self) -> list[Dim]:
        if self._dims is None:
            raise DimensionBindError("DimList not bound")
        return self._dims

    def __len__(self) -> int:
        return len(self._bound())

    def __iter__(self) -> Iterator[Dim]:
        return iter(self._bound())

    def __getitem__(self, key: Any) -> Any:
        found = self._bound()[key]
        return tuple(found) if isinstance(key, slice) else found

    def __repr__(self) -> str:
        return f"*{self._name}" if self._dims is None else f"({', '.join(map(str, self._dims))})"

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return _Tensor.__torch_function__(func, types, args, kwargs)


def _number(n: int | None, sizes: Sequence[Any] | None) -> int | None:
    if sizes is None:
        return n
    if n is not None and n != len(sizes):
        raise ValueError(f"expected {n} sizes but found {len(sizes)}")
    return len(sizes)


def dims(n: int | None = None, sizes: Sequence[int | None] | None = None) -> Any:
    """New dimensions: one, or a tuple. Their names are those of the variables that they are assigned to.

    Args:
        n: how many; as many as there are variables if it is not said
        sizes: a size for each, None where it comes later
    """
    names = _names.chosen(_number(n, sizes), sys._getframe(1), "dims")
    made = tuple(Dim(name) for name in names)
    for dim, size in zip(made, sizes or ()):
        if size is not None:
            dim.size = size
    return made[0] if len(made) == 1 else made


def dimlists(n: int | None = None, sizes: Sequence[Any] | None = None) -> Any:
    """New lists of dimensions: one, or a tuple.

    Args:
        n: how many; as many as there are variables if it is not said
        sizes: for each how many dimensions there are, or their sizes, or None where that comes later
    """
    names = _names.chosen(_number(n, sizes), sys._getframe(1), "dimlists")
    given = sizes or [None] * len(names)
    made = tuple(DimList(size, name) for name, size in zip(names, given))
    return made[0] if len(made) == 1 else made
