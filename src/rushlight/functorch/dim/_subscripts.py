"""Subscripts with dimensions: they bind, split, and index."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.functorch.dim._lists import DimList
from rushlight.functorch.dim._tensors import (
    Dim,
    DimensionBindError,
    Tensor,
    _Tensor,
    arranged,
    dims_of,
    has,
    is_pack,
    levels_of,
    union,
    values_of,
)


def get(x: Any, index: Any) -> Any:
    """``x[index]``."""
    target = _Target(x, index)
    found = target.viewed
    if target.indices:
        found = found[tuple(target.indices)]
    return Tensor.from_positional(found, target.levels)


def put(x: Any, index: Any, value: Any) -> None:
    """``x[index] = value``."""
    target = _Target(x, index)
    dims = [d for d in target.levels if isinstance(d, Dim)]
    if isinstance(value, (_Tensor, torch.Tensor)):
        for d in dims_of(value):
            if not has(dims, d):
                raise DimensionBindError(
                    f"rhs of setitem contains dimension {d} which is not in the dimension on the left "
                    f"({_shown(dims)})"
                )
        value = _spread(value, target.levels)
    if target.indices:
        target.viewed[tuple(target.indices)] = value
    else:
        target.viewed[...] = value


def _shown(dims: list[Dim]) -> str:
    return f"({', '.join(map(str, dims))}{',' if len(dims) == 1 else ''})"


def _spread(value: Any, levels: list[Any]) -> torch.Tensor:
    """A value with its dimensions where those of the target are."""
    dims = [d for d in levels if isinstance(d, Dim)]
    count = len(levels) - len(dims)
    found = arranged(value, dims)
    while found.dim() < len(levels):
        found = found.unsqueeze(len(dims))
    firsts, positional = iter(range(len(dims))), iter(range(len(dims), len(dims) + count))
    return found.permute(*(next(firsts if isinstance(d, Dim) else positional) for d in levels))


class _Target:
    """What a subscript speaks of: a view of the tensor, and how that is indexed by tensors.

    `levels` are those of the result.
    """

    def __init__(self, x: Any, index: Any) -> None:
        levels = levels_of(x)
        outer = [d for d in levels if isinstance(d, Dim)]
        # First-class dimensions in front, then one for each part of the subscript.
        viewed = arranged(x, outer)
        parts = _parts(index, viewed.dim() - len(outer))
        viewed, parts = _split_packs(viewed, parts, len(outer))
        self.indices: list[Any] = []
        self._build(viewed, outer, parts)

    def _build(self, viewed: torch.Tensor, outer: list[Dim], parts: list[Any]) -> None:
        sizes = iter(viewed.shape[len(outer) :])
        for part in parts:
            size = next(sizes) if part is not None else 0
            if isinstance(part, Dim):
                part.size = size
        parts = _where_used_again(outer, parts)
        tensors = [
            p for p in parts if isinstance(p, (_Tensor, torch.Tensor)) and not isinstance(p, Dim)
        ]
        basic = [p if isinstance(p, (int, slice)) or p is None else slice(None) for p in parts]
        viewed = viewed[(slice(None),) * len(outer) + tuple(basic)]
        kept = [p for p in parts if not _is_number(p)]
        if not tensors:
            self.viewed = viewed
            self.levels: list[Any] = [*outer, *(p if isinstance(p, Dim) else 0 for p in kept)]
            return
        self._index(viewed, outer, kept, tensors)

    def _index(
        self, viewed: torch.Tensor, outer: list[Dim], kept: list[Any], tensors: list[Any]
    ) -> None:
        """Index by tensors, whose own dimensions come where they do in other subscripts."""
        shared = union(tensors)
        inner = max(len(levels_of(p)) - len(dims_of(p)) for p in tensors)
        owned = [*outer, *(p if isinstance(p, Dim) else None for p in kept)]
        asked = [None] * len(outer) + [p if any(p is t for t in tensors) else None for p in kept]
        # A dimension of the tensor that its indices have too goes along with them.
        indexed = [
            p
            if p is not None
            else owned[k]
            if has(shared, owned[k]) and owned[k] is not None
            else None
            for k, p in enumerate(asked)
        ]
        places = [k for k, p in enumerate(indexed) if p is not None]
        rest = [k for k in range(len(indexed)) if k not in places]
        self.viewed = viewed.permute(*places, *rest)
        for k in places:
            own = arranged(indexed[k], shared)
            while own.dim() < len(shared) + inner:
                own = own.unsqueeze(len(shared))
            self.indices.append(own)
        left = [owned[k] if owned[k] is not None else 0 for k in rest]
        chosen = [k for k, p in enumerate(asked) if p is not None]
        at = 0
        if chosen[-1] - chosen[0] + 1 == len(chosen):
            at = sum(k < chosen[0] for k in rest)
        self.levels = [*shared, *[0] * inner, *left]
        if at:
            self._moved(len(shared), inner, at)

    def _moved(self, shared: int, inner: int, at: int) -> None:
        """Put the dimensions of indices behind some others, where the indices stood."""
        count = len(self.indices)
        # Advanced indexing puts its result where the only row of indices stands.
        order = [*range(count, count + at), *range(count), *range(count + at, self.viewed.dim())]
        self.viewed = self.viewed.permute(*order)
        self.indices = [slice(None)] * at + self.indices
        left = self.levels[shared + inner :]
        self.levels = [*left[:at], *self.levels[: shared + inner], *left[at:]]


def _is_number(part: Any) -> bool:
    return isinstance(part, int) and not isinstance(part, bool)


def _parts(index: Any, count: int) -> list[Any]:
    """The parts of a subscript, one for each positional dimension (and for each new one)."""
    if isinstance(index, DimList) or not (isinstance(index, tuple) or is_pack(index)):
        index = (index,)
    parts: list[Any] = []
    for part in index:
        if isinstance(part, DimList) and part.is_bound:
            parts += part
        elif (
            isinstance(part, torch.Tensor)
            and part.dtype in (torch.bool, torch.uint8)
            and part.dim()
        ):
            parts += part.nonzero(as_tuple=True)
        else:
            parts.append(_tensor_if_list(part))
    opens = [k for k, p in enumerate(parts) if p is ... or isinstance(p, DimList)]
    if len(opens) > 1:
        raise DimensionBindError(
            "at most one ... or unbound dimension list can exist in indexing list but found 2 at offsets "
            f"{opens[0]} and {opens[1]}"
        )
    given = sum(p is not None for p in parts) - len(opens)
    if given > count:
        raise ValueError(
            f"at least {given} indices were supplied but the tensor only has {count} dimensions"
        )
    missing = count - given
    if not opens:
        return [*parts, *[slice(None)] * missing]
    open_ = parts[opens[0]]
    if isinstance(open_, DimList):
        open_.bind_len(missing)
        between: list[Any] = list(open_)
    else:
        between = [slice(None)] * missing
    return [*parts[: opens[0]], *between, *parts[opens[0] + 1 :]]


def _tensor_if_list(part: Any) -> Any:
    if isinstance(part, (list, tuple)) and not is_pack(part):
        return torch.tensor(part)
    return part


def _split_packs(
    viewed: torch.Tensor, parts: list[Any], start: int
) -> tuple[torch.Tensor, list[Any]]:
    """Tuples of dimensions: the dimension that they stand for becomes so many."""
    found: list[Any] = []
    place = start
    for part in parts:
        if is_pack(part):
            sizes = _pack_sizes(part, viewed.shape[place])
            viewed = viewed.unflatten(place, sizes)
            found += part
            place += len(part)
        else:
            found.append(part)
            place += part is not None
    return viewed, found


def _pack_sizes(pack: Any, size: int) -> list[int]:
    """Bind the dimensions of a pack, of which one may have no size yet."""
    known = 1
    unbound = [d for d in pack if not d.is_bound]
    for d in pack:
        known *= d.size if d.is_bound else 1
    if len(unbound) > 1:
        raise DimensionBindError(
            f"cannot infer the sizes of two dimensions at once {unbound[0]} and {unbound[1]}"
        )
    sizes = tuple(d.size if d.is_bound else "?" for d in pack)
    if unbound:
        if not known or size % known:
            raise DimensionBindError(
                f"inferred dimension does not evenly fit into larger dimension: {size} vs {sizes}"
            )
        unbound[0].size = size // known
    elif known != size:
        raise DimensionBindError(
            f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack {sizes}"
        )
    return [d.size for d in pack]


def _where_used_again(outer: list[Dim], parts: list[Any]) -> list[Any]:
    """Parts in which a dimension that is there twice is a tensor of indices."""
    inside = union(
        p for p in parts if isinstance(p, (_Tensor, torch.Tensor)) and not isinstance(p, Dim)
    )
    found = []
    for place, part in enumerate(parts):
        again = isinstance(part, Dim) and (
            has(outer, part)
            or has(inside, part)
            or any(other is part for k, other in enumerate(parts) if k != place)
        )
        if again:
            part = Tensor([part], values_of(part))
        found.append(part)
    return found
