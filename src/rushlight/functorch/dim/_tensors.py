"""Tensors with first-class dimensions, and the dimensions themselves, which are tensors too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import rushlight as torch


class DimensionMismatchError(Exception):
    """Sizes that do not fit each other."""


class DimensionBindError(Exception):
    """A dimension, or a list of them, cannot be given this size."""


class _Tensor:
    """What is called with where a tensor is expected: a dimension, or a tensor that has some.

    The levels say what each dimension of the tensor inside is: a `Dim`, or a negative number, its
    place among the positional ones.
    """

    def _get_levels(self) -> list[Any]:
        raise NotImplementedError

    def _get_tensor(self) -> torch.Tensor:
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """How many positional dimensions there are."""
        return positional(self)

    def dim(self) -> int:
        """How many positional dimensions there are."""
        return positional(self)

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The first-class dimensions."""
        return dims_of(self)

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        from rushlight.functorch.dim import _calls

        return _calls.call(func, args, kwargs or {})

    def __getitem__(self, index: Any) -> Any:
        from rushlight.functorch.dim import _subscripts

        return _subscripts.get(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        from rushlight.functorch.dim import _subscripts

        _subscripts.put(self, index, value)

    def order(self, *dims: Any) -> Any:
        """The tensor with these dimensions positional, in front of those that are so already.

        Args:
            dims: dimensions, positions, lists of dimensions, or tuples of them that become one
        """
        return order(self, dims)

    def permute(self, *args: Any, **kwargs: Any) -> Any:
        """The tensor with these dimensions positional, in this order: see `order`."""
        given = kwargs.get("dims", args)
        if len(given) == 1 and isinstance(given[0], (tuple, list)):
            given = given[0]
        return order(self, given)

    def expand(self, *args: Any) -> Any:
        """The tensor with more dimensions, along which its elements repeat."""
        sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        if not sizes or not all(isinstance(d, Dim) for d in sizes):
            return self.__torch_function__(torch.Tensor.expand, (), (self, *args))
        levels, x = self._get_levels(), self._get_tensor()
        for d in sizes:
            if has(levels, d):
                raise DimensionBindError(
                    f"expanding dimension {d} already exists in tensor with dims"
                )
        x = x.expand(*(d.size for d in sizes), *x.shape)
        return Tensor.from_positional(x, [*sizes, *levels])

    def index(self, positions: Any, dims: Any) -> Any:
        """Index dimensions, first-class ones too, as subscripts do positional ones.

        Args:
            positions: one or several dimensions; several with one index count as one
            dims: an index for each
        """
        return index(self, positions, dims)

    def split(self, split_size_or_sections: Any, dim: Any = 0) -> Any:
        """The tensor in parts, each of its own size along a dimension."""
        return split(self, split_size_or_sections, dim)

    def __repr__(self) -> str:
        levels, x = self._get_levels(), self._get_tensor()
        count = positional(self)
        shown = ", ".join(str(d + count if isinstance(d, int) else d) for d in levels)
        comma = "," if len(levels) == 1 else ""
        sizes = f"({', '.join(map(str, x.shape))}{comma})"
        return f"{x}\nwith dims=({shown}{comma}) sizes={sizes}"

    __hash__ = object.__hash__


class Dim(_Tensor):
    """A first-class dimension: an object that stands for a dimension of tensors.

    Where a tensor is expected it is one, of its indices along itself.

    Args:
        name: what it is called where it is shown
        s: its size; -1 if it takes that of the first tensor that it is bound to
    """

    def __init__(self, name: str, s: int = -1) -> None:
        self._name = name
        self._size = s
        self._range: torch.Tensor | None = None

    @property
    def ndim(self) -> int:
        """One: its own."""
        return 1

    @property
    def size(self) -> int:
        """How many indices there are."""
        if self._size == -1:
            raise ValueError(f"dimension {self._name} is unbound")
        return self._size

    @size.setter
    def size(self, size: int) -> None:
        if self._size == -1:
            self._size = size
        elif self._size != size:
            raise DimensionBindError(
                f"Dim '{self}' previously bound to a dimension of size {self._size} "
                f"cannot bind to a dimension of size {size}"
            )

    @property
    def is_bound(self) -> bool:
        """Whether it has a size."""
        return self._size != -1

    @classmethod
    def check_exact(cls, obj: Any) -> bool:
        """Whether an object is a dimension."""
        return type(obj) is cls

    def _get_levels(self) -> list[Any]:
        return [self]

    def _get_tensor(self) -> torch.Tensor:
        if self._range is None:
            self._range = torch.arange(self.size)
        return self._range

    def __repr__(self) -> str:
        return self._name


class Tensor(_Tensor):
    """A tensor with first-class dimensions. Subscripts make them: ``x[i, j]``."""

    def __init__(
        self, levels: list[Any], made: torch.Tensor | None, delayed: Callable[[], Any] | None = None
    ) -> None:
        self._levels, self._made, self._delayed = levels, made, delayed
        # What is multiplied, as long as nobody has asked for the product.
        self._factors: tuple[Any, Any] | None = None

    @classmethod
    def check_exact(cls, other: Any) -> bool:
        """Whether an object is a tensor with first-class dimensions."""
        return type(other) is cls

    @classmethod
    def from_positional(
        cls, tensor: torch.Tensor, levels: Sequence[Any], has_device: bool = True
    ) -> Any:
        """A tensor whose dimensions are these; itself if all of them are positional.

        Args:
            tensor: the elements
            levels: for each dimension what it is, or any number if it is positional
            has_device: whether it lies on a device by choice, as indices of dimensions do not
        """
        count = sum(not isinstance(level, Dim) for level in levels)
        if count == len(levels):
            return tensor
        found: list[Any] = []
        for level in levels:
            if isinstance(level, Dim):
                found.append(level)
            else:
                found.append(-count)
                count -= 1
        return cls(found, tensor)

    @classmethod
    def product(cls, left: _Tensor, right: _Tensor, delayed: Callable[[], Any]) -> Tensor:
        """A product that is made when somebody asks for it, and never if it is summed at once."""
        made = cls(union([left, right]), None, delayed)
        made._factors = left, right
        return made

    def _get_levels(self) -> list[Any]:
        return self._levels

    def _get_tensor(self) -> torch.Tensor:
        if self._made is None:
            assert self._delayed is not None
            whole = self._delayed()
            self._levels, self._made = whole._get_levels(), whole._get_tensor()
            self._delayed = self._factors = None
        return self._made


# -- levels --


def levels_of(x: Any) -> list[Any]:
    """What each dimension of a tensor, of either kind, is."""
    return x._get_levels() if isinstance(x, _Tensor) else list(range(-x.dim(), 0))


def values_of(x: Any) -> torch.Tensor:
    """The tensor inside."""
    found: torch.Tensor = x._get_tensor() if isinstance(x, _Tensor) else x
    return found


def positional(x: Any) -> int:
    """How many of a tensor's dimensions are positional."""
    return sum(isinstance(level, int) for level in levels_of(x))


def dims_of(x: Any) -> tuple[Dim, ...]:
    """The first-class dimensions of a tensor."""
    return tuple(d for d in levels_of(x) if isinstance(d, Dim))


def has(levels: Iterable[Any], dim: Any) -> bool:
    """Whether a dimension is among others; comparing dimensions would compare their indices."""
    return any(level is dim for level in levels)


def place_of(levels: Sequence[Any], dim: Any) -> int:
    """Where a dimension is among others."""
    for place, level in enumerate(levels):
        if level is dim or (isinstance(dim, int) and isinstance(level, int) and level == dim):
            return place
    raise ValueError(f"Tensor with dimensions {[str(d) for d in levels]} does not contain {dim}")


def union(tensors: Iterable[Any]) -> list[Dim]:
    """All first-class dimensions of tensors, each once, as they first come."""
    found: list[Dim] = []
    for x in tensors:
        found += [d for d in dims_of(x) if not has(found, d)]
    return found


def arranged(x: Any, dims: Sequence[Dim]) -> torch.Tensor:
    """The tensor inside with these dimensions in front, of size 1 where it lacks them."""
    levels, found = levels_of(x), values_of(x)
    there = [place_of(levels, d) for d in dims if has(levels, d)]
    rest = [k for k in range(len(levels)) if k not in there]
    found = found.permute(*there, *rest)
    for place, d in enumerate(dims):
        if not has(levels, d):
            found = found.unsqueeze(place)
    return found


# -- dimensions of a tensor, as programs write them --


def is_pack(value: Any) -> bool:
    """Whether a subscript is several dimensions in the place of one."""
    return isinstance(value, (tuple, list)) and bool(value) and isinstance(value[0], Dim)


def position(value: int, count: int) -> int:
    """A positional dimension, counted from the end."""
    if not -count <= value < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {value})"
        )
    return value if value < 0 else value - count


def order(x: Any, dims: Iterable[Any]) -> Any:
    levels, found = list(levels_of(x)), values_of(x)
    count = positional(x)
    groups: list[list[int]] = []
    used: list[int] = []

    def take(dim: Any) -> int:
        wanted = dim if isinstance(dim, Dim) else position(dim, count)
        for place, level in enumerate(levels):
            same = level is wanted or (
                isinstance(wanted, int) and type(level) is int and level == wanted
            )
            if same and place not in used:
                used.append(place)
                return place
        raise ValueError(f"tensor does not contain dim {dim} or it was specified twice")

    for dim in dims:
        if type(dim).__name__ == "DimList":
            groups += [[take(d)] for d in dim]
        elif isinstance(dim, (tuple, list)):
            groups.append([take(d) for d in dim])
        else:
            groups.append([take(dim)])
    rest = [k for k in range(len(levels)) if k not in used]
    firsts = [k for k in rest if isinstance(levels[k], Dim)]
    lasts = [k for k in rest if not isinstance(levels[k], Dim)]
    found = found.permute(*firsts, *used, *lasts)
    if any(len(group) != 1 for group in groups):
        size = iter(found.shape[len(firsts) :])
        flat = []
        for group in groups:
            length = 1
            for _ in group:
                length *= next(size)
            flat.append(length)
        found = found.reshape(*found.shape[: len(firsts)], *flat, *size)
    return Tensor.from_positional(
        found, [*(levels[k] for k in firsts), *[0] * (len(groups) + len(lasts))]
    )


def index(x: Any, positions: Any, dims: Any) -> Any:
    if isinstance(positions, (tuple, list)):
        if isinstance(dims, (tuple, list)):
            if len(positions) != len(dims):
                raise TypeError(
                    f"dims ({len(positions)}) and indices ({len(dims)}) must have the same length"
                )
            return order(x, positions)[tuple(dims)]
        return order(x, [positions])[(dims,)]
    return order(x, [positions])[(dims,)]


# -- parts --


def split(x: Any, split_size_or_sections: Any, dim: Any = 0) -> Any:
    """A tensor in parts, whose sizes are those of dimensions, or numbers.

    Args:
        x: the tensor
        split_size_or_sections: a dimension for each part, of which one may have no size yet; or as for
            ``torch.split``
        dim: which dimension is parted
    """
    sections = split_size_or_sections
    among = isinstance(sections, (tuple, list)) and any(isinstance(s, Dim) for s in sections)
    if not among:
        if isinstance(dim, Dim):
            raise TypeError(
                "when dim is specified as a Dim object, split sizes must also be dimensions."
            )
        return _Tensor.__torch_function__(torch.Tensor.split, (), (x, sections), {"dim": dim})
    if not all(isinstance(s, Dim) for s in sections):
        raise TypeError("split list must be ints or dims but got a mix")
    levels, found = list(levels_of(x)), values_of(x)
    count = positional(x)
    place = place_of(levels, dim if isinstance(dim, Dim) else position(dim, count))
    _share(sections, found.shape[place])
    parts = found.split([d.size for d in sections], place)
    return tuple(
        Tensor.from_positional(part, [*levels[:place], d, *levels[place + 1 :]])
        for part, d in zip(parts, sections)
    )


def _share(sections: Sequence[Dim], size: int) -> None:
    """Give those parts that have no size yet what is left."""
    unbound = [d for d in sections if not d.is_bound]
    rest = size - sum(d.size for d in sections if d.is_bound)
    if (unbound and rest < 0) or (not unbound and rest):
        raise TypeError(
            f"sum of sizes of target dimensions ({size - rest}) do not match the source dim ({size})"
        )
    if unbound:
        chunk = -(-rest // len(unbound))
        for d in unbound:
            d.size = min(chunk, rest)
            rest -= d.size


def stack(tensors: Any, new_dim: Any, dim: Any = 0) -> Any:
    """Tensors along a new first-class dimension.

    Args:
        tensors: the tensors
        new_dim: the dimension, which gets their number as its size
        dim: in front of which dimension it lies in memory
    """
    if not tensors:
        raise ValueError("stack expects a non-empty sequence of tensors")
    new_dim.size = len(tensors)
    dims = union(tensors)
    wide = [arranged(x, dims) for x in tensors]
    wide = list(torch.broadcast_tensors(*wide))
    levels = [*dims, *[0] * (wide[0].dim() - len(dims))]
    if isinstance(dim, Dim):
        place = place_of(dims, dim)
    else:
        place = dim + len(dims) if dim > 0 else 0 if dim == 0 else dim + 1 + len(levels)
    return Tensor.from_positional(
        torch.stack(wide, place), [*levels[:place], new_dim, *levels[place:]]
    )


def cat(tensors: Any, dim: Any, new_dim: Any) -> Any:
    """Tensors one after another along a dimension, as a new one.

    Args:
        tensors: the tensors
        dim: which dimension
        new_dim: the dimension instead of it, which gets the sum of the sizes
    """
    if not tensors:
        raise ValueError("stack expects a non-empty sequence of tensors")
    dims = union(tensors)
    if isinstance(dim, Dim):
        if not has(dims, dim):
            raise TypeError(f"Dimension {dim} does not exist in inputs")
        place = place_of(dims, dim)
    else:
        place = dim + len(dims) + (max(map(positional, tensors)) if dim < 0 else 0)
    wide = []
    for x in tensors:
        own = arranged(x, dims)
        size = [d.size for d in dims] + list(own.shape[len(dims) :])
        if not has(dims_of(x), dim):
            size[place] = own.shape[place]
        wide.append(own.expand(size))
    found = torch.cat(wide, place)
    new_dim.size = found.shape[place]
    kinds: list[Any] = [*dims, *[0] * (found.dim() - len(dims))]
    kinds[place] = new_dim
    return Tensor.from_positional(found, kinds)
