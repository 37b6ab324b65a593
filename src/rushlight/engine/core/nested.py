"""Nested tensors: batches whose elements differ in size.

A nested tensor is a `Tensor` of a class of its own with the key NESTED. Its storage has no memory; what it
owns are the parts: one dense tensor with all elements, and where each of them is. The parts have no
history; that is the nested tensor's own. The version is that of the dense tensor.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from rushlight.engine.core import keys, objects
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as geometry
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.nested_ints import ints
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.core.wrapped import SharedVersion

Numbers = tuple[int, ...]


class Jagged:
    """The parts of the layout ``jagged``: elements that differ in one dimension, one behind the other.

    Args:
        values: the elements, joined along the ragged dimension
        offsets: where each begins there, and where the last one ends: [batch + 1]
        lengths: how long each is, where that is not up to the next one: [batch]; they leave holes
        ragged: the number of the ragged dimension, counted with the batch
        cache: the shortest and longest length as ``min_seqlen`` and ``max_seqlen``, once they are known;
            a tensor of size [length, 0] each
    """

    __slots__ = ("cache", "lengths", "offsets", "ragged", "values")

    def __init__(
        self, values: Tensor, offsets: Tensor, lengths: Tensor | None, ragged: int, cache: Any
    ) -> None:
        self.values, self.offsets, self.lengths = values, offsets, lengths
        self.ragged, self.cache = ragged, cache

    def tensors(self) -> list[Tensor]:
        """All that it consists of."""
        found = [self.values, self.offsets, self.lengths, *self.cache.values()]
        return [x for x in found if x is not None]

    @property
    def along(self) -> int:
        """The ragged dimension of the values."""
        return self.ragged - 1

    @property
    def source(self) -> Tensor:
        """What tells how long each element is: tensors with the same one have the same ragged size."""
        return self.offsets if self.lengths is None else self.lengths


class Blocks:
    """The parts of the layout ``strided``: each element has sizes, strides and a place of its own.

    Args:
        buffer: the memory of all elements, one dimension
        known: where each element is in it
    """

    __slots__ = ("buffer", "known")

    def __init__(self, buffer: Tensor, known: Geometry) -> None:
        self.buffer, self.known = buffer, known

    def tensors(self) -> list[Tensor]:
        """All that it consists of."""
        return [self.buffer]

    @property
    def fills(self) -> bool:
        """Whether the elements are all that there is in their memory, one behind the other."""
        return self.known.is_dense and self.buffer._numel_ == self.known.count


class Geometry:
    """Sizes, strides and places of the elements of `Blocks`, as numbers.

    Args:
        sizes: the sizes of each element
        strides: their strides; None for elements that are contiguous, one behind the other
        offsets: where each begins
    """

    __slots__ = (
        "_with_rows",
        "count",
        "described",
        "is_dense",
        "offsets",
        "sizes",
        "strides",
        "tables",
    )

    def __init__(
        self,
        sizes: Sequence[Numbers],
        strides: Sequence[Numbers] | None = None,
        offsets: Sequence[int] = (),
    ) -> None:
        self.sizes = tuple(sizes)
        counts = [geometry.numel(size) for size in self.sizes]
        # How many numbers there are in all elements.
        self.count = sum(counts)
        dense = tuple(accumulate(counts, initial=0))[:-1]
        self.is_dense = strides is None
        if strides is None:
            self.strides = tuple(map(geometry.contiguous_strides, self.sizes))
            self.offsets = dense
        else:
            self.strides, self.offsets = tuple(strides), tuple(offsets)
            self.is_dense = self.offsets == dense and all(
                map(geometry.is_contiguous, self.sizes, self.strides)
            )
        # The same as tensors, and what a nested tensor tells of its sizes, once somebody has asked.
        self.tables: tuple[Tensor, Tensor, Tensor] | None = None
        self.described: Any = None
        self._with_rows: dict[Any, Geometry] = {}

    def with_rows(self, count: int, last: Numbers) -> Geometry:
        """Contiguous elements with other sizes in the place of the last ones."""
        found = self._with_rows.get((count, last))
        if found is None:
            if len(self._with_rows) >= _MOST_DESCRIBED:
                self._with_rows.clear()
            sizes = [(*size[: len(size) - count], *last) for size in self.sizes]
            found = self._with_rows[count, last] = Geometry(sizes)
        return found


class _Facts:
    """What is known of the tensors that tell lengths, by object: it goes with them.

    Args of each entry: the nested integer; the lengths and beginnings as numbers, and when they were read.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Any, dict[str, Any]]] = {}

    def of(self, source: Tensor) -> dict[str, Any]:
        place = id(source)
        found = self._kept.get(place)
        if found is not None and found[0]() is source:
            return found[1]
        kept = self._kept

        def forget(reference: Any) -> None:
            if place in kept and kept[place][0] is reference:
                del kept[place]

        facts: dict[str, Any] = {}
        kept[place] = weakref.ref(source, forget), facts
        return facts


_facts = _Facts()
# How many shapes of tensors with the same lengths are kept.
_MOST_DESCRIBED = 64


def ragged_size(source: Tensor) -> Any:
    """The nested integer that the offsets or lengths stand for: one for each tensor."""
    facts = _facts.of(source)
    found = facts.get("size")
    if found is None:
        found = facts["size"] = ints.new()
    return found


def share_ragged_size(source: Tensor, other: Tensor) -> None:
    """Let another tensor, with the same lengths, stand for the same nested integer."""
    _facts.of(other)["size"] = ragged_size(source)


def over(parts: Jagged | Blocks, cls: type[Tensor]) -> Any:
    """A nested tensor over parts."""
    from rushlight.engine.core import storage as storages

    if isinstance(parts, Jagged):
        values, described = parts.values, _described_jagged(parts)
    else:
        values, described = parts.buffer, _described_blocks(parts)
    size, stride, numel, is_contiguous = described
    made: Any = object.__new__(cls)
    made._storage_ = storages.without_memory(values._storage_, parts)
    made._dtype_, made._size_, made._stride_ = values._dtype_, size, stride
    made._offset_, made._numel_ = values._offset_, numel
    made._flags_ = values._dtype_.code | (objects.CONTIGUOUS if is_contiguous else 0)
    made._keys_ = keys.NESTED | values._keys_ & (keys.BACKENDS | keys.INFERENCE)
    made._counter_ = SharedVersion(values)
    made._base = made._autograd_ = None
    return made


def _described_jagged(parts: Jagged) -> tuple[Any, Any, int, bool]:
    _values, own, steps = parts.values, parts.values._size_, parts.values._stride_
    known = _facts.of(parts.source).setdefault("described", {})
    key = (own, steps, parts.ragged, parts.lengths is None)
    found: Any = known.get(key)
    if found is None:
        if len(known) >= _MOST_DESCRIBED:
            known.clear()
        found = known[key] = _description(parts, own, steps)
    return found if parts.lengths is None else (*found[:2], _count(parts), False)


def _description(parts: Jagged, own: Any, steps: Any) -> tuple[Any, Any, int, bool]:
    along, length = parts.along, ragged_size(parts.source)
    size = (parts.offsets._size_[0] - 1, *own[:along], length, *own[along + 1 :])
    stride = (length * steps[along], *steps)
    is_contiguous = geometry.is_contiguous(own, steps)
    return (
        geometry.intern(size),
        geometry.intern_strides(stride),
        parts.values._numel_,
        is_contiguous,
    )


def _count(parts: Jagged) -> int:
    """How many numbers there are in elements with holes behind them."""
    own = parts.values._size_
    rest = (*own[: parts.along], *own[parts.along + 1 :])
    return sum(bounds_of(parts)[0]) * geometry.numel(rest)


def _described_blocks(parts: Blocks) -> tuple[Any, Any, int, bool]:
    known = parts.known
    if known.described is None:
        size = geometry.intern((len(known.sizes), *map(_common, zip(*known.sizes))))
        # No stride leads anywhere: each element has its own.
        known.described = size, (0,) * len(size), known.count, known.is_dense
    return known.described  # type: ignore[no-any-return]


@functools.lru_cache(1 << 12)
def _common(lengths: Numbers) -> Any:
    """The length that all elements have in a dimension; a nested integer for these if they differ."""
    return lengths[0] if len(set(lengths)) == 1 else ints.new()


def parts_of(tensor: Tensor) -> Any:
    """The parts of a nested tensor."""
    return tensor._storage_._owner


def is_nested(value: Any) -> bool:
    """Whether something is a nested tensor."""
    return isinstance(value, Tensor) and bool(value._keys_ & keys.NESTED)


def is_jagged(value: Any) -> bool:
    """Whether something is a nested tensor of the layout ``jagged``."""
    return is_nested(value) and isinstance(value._storage_._owner, Jagged)


def layout_of(tensor: Tensor) -> layouts.layout:
    """The layout of a nested tensor."""
    return layouts.jagged if is_jagged(tensor) else layouts.strided


def bounds_of(parts: Jagged) -> tuple[list[int], list[int]]:
    """How long each element is, and where it begins, as numbers; read once for all that share the offsets."""
    facts = _facts.of(parts.source)
    mark = (tensors.version(parts.source), tensors.version(parts.offsets), id(parts.offsets))
    found = facts.get("bounds")
    if found is None or found[0] != mark:
        starts, lengths = parts.offsets.tolist(), parts.lengths
        counts = [b - a for a, b in pairwise(starts)] if lengths is None else lengths.tolist()
        found = facts["bounds"] = mark, counts, starts[: len(counts)]
    return found[1], found[2]


def kept(parts: Jagged, name: Any, make: Any) -> Any:
    """What follows from the lengths of a jagged tensor: made once for all that share them."""
    bounds = bounds_of(parts)
    facts = _facts.of(parts.source)
    found = facts.get(name)
    if found is None or found[0] is not bounds[0]:
        found = facts[name] = bounds[0], make(*bounds)
    return found[1]
