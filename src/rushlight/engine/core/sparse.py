"""Sparse tensors: a tensor's parts in the place of its bytes.

A sparse tensor is an ordinary `Tensor` with the key of its layout. Its storage has no memory; what it
owns are the parts. So everything that shares a storage (a tensor without its history, what a node has
kept) shares the parts and the version too, and no stride leads anywhere.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys, wrapped
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor

_MOST_ELEMENTS = (1 << 63) - 1


class _Invariants:
    """Whether all that must hold for the parts of a sparse tensor is looked at when one is made."""

    are_checked = False


invariants = _Invariants()


class Coordinates:
    """The parts of the layout ``sparse_coo``.

    Args:
        indices: where the values are, int64 of size [sparse dimensions, count]
        values: the values, of size [count, *dense dimensions]
        coalesced: whether the indices are in order and each occurs once
    """

    __slots__ = ("coalesced", "indices", "values")

    layout = layouts.sparse_coo

    def __init__(self, indices: Tensor, values: Tensor, coalesced: bool) -> None:
        self.indices, self.values, self.coalesced = indices, values, coalesced

    def named(self) -> dict[str, Tensor]:
        """The tensors, by the names that programs use."""
        return {"indices": self.indices, "values": self.values}


class Compressed:
    """The parts of the compressed layouts: matrices line by line, a line being a row or a column.

    ``sparse_csr`` and ``sparse_bsr`` go by rows, ``sparse_csc`` and ``sparse_bsc`` by columns; the values
    of ``sparse_bsr`` and ``sparse_bsc`` are blocks. All matrices of a batch have the same count of values.

    Args:
        compressed: where each line begins among the values, and where the last one ends: [*batch, lines + 1]
        plain: the place of each value in its line: [*batch, count]
        values: the values: [*batch, count, *block, *dense dimensions]
        layout: the layout
        is_sorted: whether the plain indices of every line are in order and differ
    """

    __slots__ = ("compressed", "expanded", "is_sorted", "layout", "plain", "values")

    def __init__(
        self, compressed: Tensor, plain: Tensor, values: Tensor, layout: Any, is_sorted: bool
    ) -> None:
        self.compressed, self.plain, self.values = compressed, plain, values
        self.layout, self.is_sorted = layout, is_sorted
        # The indices as those of `Coordinates`, once somebody has asked for them.
        self.expanded: Tensor | None = None

    @property
    def by_rows(self) -> bool:
        return self.layout in layouts.BY_ROWS

    @property
    def is_blocked(self) -> bool:
        """Whether the values are blocks."""
        return self.layout in layouts.BLOCKED

    @property
    def batch(self) -> tuple[int, ...]:
        """The sizes of the batch."""
        return tuple(self.plain._size_[:-1])

    @property
    def block(self) -> tuple[int, int]:
        """Rows and columns of a value."""
        if not self.is_blocked:
            return (1, 1)
        rows, columns = self.values._size_[len(self.plain._size_) :][:2]
        return rows, columns

    @property
    def dense(self) -> tuple[int, ...]:
        """The sizes of the dense dimensions."""
        return tuple(self.values._size_[len(self.plain._size_) + (2 if self.is_blocked else 0) :])

    @property
    def is_plain(self) -> bool:
        """Whether it is one matrix without blocks: then there is an index for each of the values."""
        return not self.is_blocked and len(self.plain._size_) == 1

    @property
    def coalesced(self) -> bool:
        """Whether the values are in row-major order, and no two of them share a place."""
        return self.is_sorted and self.layout is layouts.sparse_csr

    def named(self) -> dict[str, Tensor]:
        """The tensors, by the names that programs use."""
        names = ("crow_indices", "col_indices") if self.by_rows else ("ccol_indices", "row_indices")
        return dict(zip((*names, "values"), (self.compressed, self.plain, self.values)))


def from_coordinates(
    indices: Tensor, values: Tensor, size: tuple[int, ...], coalesced: bool = False
) -> Tensor:
    """A tensor of layout ``sparse_coo`` over the given parts, which have no histories."""
    return _over(Coordinates(indices, values, coalesced), size, keys.SPARSE)


def from_compressed(parts: Compressed, size: tuple[int, ...]) -> Tensor:
    """A tensor over the given parts, which have no histories."""
    return _over(parts, size, keys.SPARSE_CSR)


def _over(parts: Coordinates | Compressed, size: tuple[int, ...], key: int) -> Tensor:
    from rushlight.engine.core import storage

    check_countable(size)
    held = storage.from_pointer(0, 0, parts.values._storage_.device, parts)
    made = tensors.from_storage(held, parts.values._dtype_, tuple(size), (0,) * len(size))
    made._keys_ |= key
    return made


def check_countable(size: tuple[int, ...]) -> None:
    """Raise for sizes whose elements no index can count."""
    if any(length < 0 for length in size) or tensors.sizes.numel(size) > _MOST_ELEMENTS:
        raise RuntimeError("numel: integer multiplication overflow")


def parts_of(tensor: Tensor) -> Any:
    """The parts of a sparse tensor."""
    return wrapped.bottom_of(tensor)._storage_._owner


def count_of(parts: Coordinates | Compressed) -> int:
    """How many values there are, in each matrix of a batch."""
    indices = parts.indices if isinstance(parts, Coordinates) else parts.plain
    return int(indices._size_[-1])


def is_coordinates(tensor: Tensor) -> bool:
    """Whether a tensor has the layout ``sparse_coo``."""
    return bool(tensor._keys_ & keys.SPARSE)


def is_sparse(tensor: Tensor) -> bool:
    """Whether a tensor has any of the sparse layouts."""
    return bool(tensor._keys_ & keys.SPARSE_LAYOUTS)


def layout_of(tensor: Tensor) -> layouts.layout:
    """The layout of a tensor."""
    if not is_sparse(tensor):
        return layouts.strided
    found: layouts.layout = parts_of(tensor).layout
    return found


def replace(target: Tensor, source: Tensor) -> Tensor:
    """Give a sparse tensor the parts of another one, in place."""
    target._storage_._owner = parts_of(source)
    if target._size_ != source._size_:
        tensors.set_geometry(target, source._size_, source._stride_)
    tensors.bump_version(target)
    return target


# -- what only tensors with memory have --


def check_has_storage(tensor: Tensor) -> None:
    """Raise for a tensor without a storage that programs may see."""
    wrapped.check_has_storage(tensor)
    if is_sparse(tensor):
        kind = "SparseTensorImpl" if is_coordinates(tensor) else "SparseCsrTensorImpl"
        raise NotImplementedError(f"Cannot access storage of {kind}")


def check_has_address(tensor: Tensor) -> None:
    """Raise for a tensor without elements in memory."""
    wrapped.check_has_address(tensor)
    if is_sparse(tensor):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


def check_has_bytes(tensor: Tensor) -> None:
    """Raise for a tensor whose elements are not all there."""
    if is_coordinates(tensor):
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent "
            "tensors, add the nbytes of the indices and values.  If you want the size of the  "
            "equivalent dense tensor, multiply numel() by element_size()"
        )


def check_has_strides(tensor: Tensor, what: str = "strides") -> None:
    """Raise for a tensor whose elements are not at places that strides tell."""
    if is_sparse(tensor) and not is_coordinates(tensor):
        kind = layouts.title(layout_of(tensor)).removeprefix("Sparse").upper()
        raise RuntimeError(f"Sparse {kind} tensors do not have {what}")
