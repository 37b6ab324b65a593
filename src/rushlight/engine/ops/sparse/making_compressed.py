"""Compressed tensors from parts, and what is looked at before one is made of them."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import Compressed, from_compressed
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import promotion
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.sparse.making import check_device
from rushlight.engine.ops.sparse.parts import (
    for_sparse,
    indices_of_blocks,
    is_sparse,
    parts_of,
    title_of_layout,
)


@dataclass(frozen=True)
class Words:
    """What the indices of a layout, and the dimensions that they speak of, are called."""

    outer: str
    inner: str
    line: str
    lines: str
    across: str


_BY_ROWS = Words("crow_indices", "col_indices", "row", "nrows", "ncols")
_BY_COLUMNS = Words("ccol_indices", "row_indices", "column", "ncols", "nrows")


def _words(layout: Any) -> Words:
    return _BY_ROWS if layout in layouts.BY_ROWS else _BY_COLUMNS


def check_layout(layout: Any, name: str) -> None:
    """Raise for a layout that is not a compressed one."""
    if layout not in layouts.COMPRESSED:
        given = "none" if layout is None else layouts.title(layout)
        raise RuntimeError(f"{name} expected sparse compressed tensor layout but got {given}")


# -- checks --


def _check_shapes(
    compressed: Tensor, plain: Tensor, values: Tensor, size: Any, layout: Any
) -> None:
    """Raise for parts that do not fit together, whatever the indices are."""
    words = _words(layout)
    named = {words.inner: plain, words.outer: compressed, "values": values}
    for name, given in named.items():
        if is_sparse(given):
            raise RuntimeError(
                f"expected {name} to be a strided tensor but got {title_of_layout(given)} tensor"
            )
    _check_dims(compressed, plain, values, size, layout)
    batch = len(compressed._size_) - 1
    _check_batch(compressed, plain, values, tuple(size[:batch]), words)
    block = tuple(values._size_[batch + 1 : batch + 3]) if layout in layouts.BLOCKED else (1, 1)
    for k, length in enumerate(block):
        if length <= 0 or size[batch + k] % length:
            raise RuntimeError(
                f"tensor shape[{batch + k}] (={size[batch + k]}) must be divisible with "
                f"blocksize[{k}] (={length}) as defined by values shape"
            )
    by_rows = layout in layouts.BY_ROWS
    count = size[batch + (0 if by_rows else 1)] // block[0 if by_rows else 1] + 1
    if compressed._size_[-1] != count:
        unit = " blocks" if layout in layouts.BLOCKED else "s"
        raise RuntimeError(
            f"{words.outer}.shape[-1] must be equal to the number of {words.line}{unit} + 1 "
            f"(={count}), but got {compressed._size_[-1]}"
        )
    if plain._size_[-1] != values._size_[batch]:
        raise RuntimeError(
            f"{words.inner}.shape[-1] must be equal to nnz (={values._size_[batch]}) as defined by "
            f"values.shape[{batch}], but got {plain._size_[-1]}"
        )
    _check_kinds(compressed._dtype_, plain._dtype_, words)


def _check_dims(compressed: Tensor, plain: Tensor, values: Tensor, size: Any, layout: Any) -> None:
    words = _words(layout)
    dims, others = len(compressed._size_), len(plain._size_)
    if not dims:
        raise RuntimeError(f"{words.outer} must have dimensionality >= 1 but got 0")
    if dims != others:
        raise RuntimeError(
            f"{words.outer} and {words.inner} dimensionalities must be equal but got {dims} and "
            f"{others}, respectively"
        )
    batch, inside = dims - 1, 2 if layout in layouts.BLOCKED else 0
    dense = len(values._size_) - batch - inside - 1
    if dense < 0:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + "
            f"{inside}) but got {len(values._size_)}"
        )
    if len(size) != batch + 2 + dense:
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(={batch} + 2 + {dense}) but got {len(size)}"
        )
    if tuple(values._size_[len(values._size_) - dense :]) != tuple(size[batch + 2 :]):
        raise RuntimeError(
            f"values of size {list(values._size_)} do not have the dense dimensions of a tensor of "
            f"size {list(size)}"
        )


def _check_batch(
    compressed: Tensor, plain: Tensor, values: Tensor, batch: tuple[int, ...], words: Words
) -> None:
    given = [list(t._size_[: len(batch)]) for t in (compressed, plain, values)]
    if any(tuple(sizes) != batch for sizes in given):
        raise RuntimeError(
            f"all batch dimensions of {words.outer} (={given[0]}), {words.inner} (={given[1]}), and "
            f"values (={given[2]}) must be equal to tensor batch dimensions (={list(batch)})"
        )


def _check_kinds(outer: Any, inner: Any, words: Words) -> None:
    if outer is not inner:
        raise RuntimeError(
            f"{words.outer} and {words.inner} must have the same dtype, bot got "
            f"{promotion.title(outer)} and {promotion.title(inner)}, respectively"
        )
    if outer not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            f"{words.outer} and {words.inner} dtype must be Int or Long, but got "
            f"{promotion.title(outer)}"
        )


def _check_bounds(
    compressed: Tensor, plain: Tensor, values: Tensor, size: Any, layout: Any
) -> None:
    """Raise for indices that lead outside the values or the sizes."""
    batch, by_rows = len(plain._size_) - 1, layout in layouts.BY_ROWS
    length = size[batch + (1 if by_rows else 0)]
    if layout in layouts.BLOCKED:
        length //= values._size_[batch + 1 + (1 if by_rows else 0)]
    _check_places(compressed, plain, length, plain._size_[-1], _words(layout))


def _check_places(compressed: Tensor, plain: Tensor, length: int, count: int, words: Words) -> None:
    """Raise for lines that do not begin one after the other, or places outside of so many."""
    starts, places = bridge.elements(compressed), bridge.elements(plain)
    # A line can hold more values than there are places only if some of them share one.
    conditions = {
        f"{words.outer}[..., 0] == 0": (starts[..., 0] == 0).all(),
        f"{words.outer}[..., -1] == nnz": (starts[..., -1] == count).all(),
        f"0 <= {words.outer}[..., 1:] - {words.outer}[..., :-1] <= {words.across}": (
            starts[..., 1:] >= starts[..., :-1]
        ).all(),
        f"0 <= {words.inner} < {words.across}": (
            not places.size or 0 <= places.min() <= places.max() < length
        ),
    }
    for text, holds in conditions.items():
        if not holds:
            raise RuntimeError(f"`{text}` is not satisfied.")


@explicit("_validate_compressed_sparse_indices")
def validate_indices(
    is_crow: bool, compressed_idx: Tensor, plain_idx: Tensor, cdim: int, dim: int, nnz: int
) -> None:
    layout = layouts.sparse_csr if is_crow else layouts.sparse_csc
    if compressed_idx._size_[-1] != cdim + 1:
        raise RuntimeError(
            f"expected compressed indices of {cdim + 1} elements, but got {compressed_idx._size_[-1]}"
        )
    if compressed_idx._storage_.device.type == "meta":
        # There are no elements that could be wrong.
        return
    _check_places(compressed_idx, plain_idx, dim, nnz, _words(layout))
    _check_order(Compressed(compressed_idx, plain_idx, plain_idx, layout, False))


def is_sorted(parts: Compressed) -> bool:
    """Whether the values are in the order of the layout, and no two share a place."""
    steps.Unrepeatable.note()
    starts, places = bridge.elements(parts.compressed), bridge.elements(parts.plain)
    if places.shape[-1] < 2:
        return True
    grows = places[..., 1:] > places[..., :-1]
    if parts.batch:
        return _is_sorted_in_batch(parts)
    # Only within a line: where the next one begins, it may be smaller.
    begins = starts[1:-1]
    begins = begins[(begins > 0) & (begins < len(places))]
    grows[begins - 1] = True
    return bool(grows.all())


def _is_sorted_in_batch(parts: Compressed) -> bool:
    indices = bridge.elements(indices_of_blocks(parts))
    if not indices.size:
        return True
    if not parts.by_rows:
        indices = indices[[*range(len(indices) - 2), -1, -2]]
    places = indices[0]
    for row in indices[1:]:
        places = places * (row.max() + 1) + row
    return bool((places[1:] > places[:-1]).all())


def _check_order(parts: Compressed) -> None:
    words = _words(parts.layout)
    if not is_sorted(parts):
        raise RuntimeError(
            f"`{words.inner}[..., {words.outer}[..., i - 1]:{words.outer}[..., i]] for all i = 1, ..., "
            f"{words.lines} are sorted and distinct along the last dimension values` is not satisfied."
        )


def _check_contiguous(compressed: Tensor, plain: Tensor, words: Words) -> None:
    for name, given in ((words.inner, plain), (words.outer, compressed)):
        if given._size_[-1] > 1 and given._stride_[-1] != 1:
            raise RuntimeError(f"expected {name} to be a contiguous tensor per batch")


def _is_meta(*given: Tensor) -> bool:
    return any(t._storage_.device.type == "meta" for t in given)


@explicit("_validate_sparse_compressed_tensor_args")
def validate(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, layout: Any,
    check_pinning: Any,
) -> None:  # fmt: skip
    check_layout(layout, "validate_sparse_compressed_tensor_args")
    given = compressed_indices, plain_indices, values, size, layout
    _check_shapes(*given)
    _check_contiguous(compressed_indices, plain_indices, _words(layout))
    if _is_meta(compressed_indices, plain_indices, values):
        return
    _check_bounds(*given)
    _check_order(Compressed(compressed_indices, plain_indices, values, layout, False))


for_sparse("_validate_sparse_compressed_tensor_args")(validate)


def _register_check(name: str, layout: Any) -> None:
    @composite(f"_validate_{name}_tensor_args")
    def check(outer: Tensor, inner: Tensor, values: Tensor, size: Any, check_pinning: Any) -> None:
        calls._validate_sparse_compressed_tensor_args(outer, inner, values, size, layout)


for _layout in layouts.COMPRESSED:
    _register_check(_layout._name, _layout)


def look_at_indices(made: Tensor) -> None:
    """Raise for indices that lead outside, and note whether they are in order."""
    parts = parts_of(made)
    given = parts.compressed, parts.plain, parts.values
    _check_shapes(*given, made._size_, parts.layout)
    if not _is_meta(*given):
        _check_bounds(*given, made._size_, parts.layout)
        parts.is_sorted = is_sorted(parts)


# -- making --


@explicit("_sparse_compressed_tensor_unsafe")
def unsafe(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, dtype: Any,
    layout: Any, device: Any, pin_memory: Any,
) -> Tensor:  # fmt: skip
    check_layout(layout, "sparse_compressed_tensor")
    check_device(device or values._storage_.device)
    steps.Unrepeatable.note()
    indices = tensors.same_elements(compressed_indices), tensors.same_elements(plain_indices)
    held = Compressed(*indices, tensors.same_elements(values), layout, False)
    return from_compressed(held, tuple(size))


@composite("sparse_compressed_tensor.comp_plain_value_size")
def of_parts_and_size(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, size: Any, dtype: Any,
    layout: Any, device: Any, pin_memory: Any,
) -> Tensor:  # fmt: skip
    check_layout(layout, "sparse_compressed_tensor")
    given = (compressed_indices, plain_indices, values, size)
    if sparse_tensors.invariants.are_checked:
        calls._validate_sparse_compressed_tensor_args(*given, layout)
    _check_shapes(*given, layout)
    made = calls._sparse_compressed_tensor_unsafe(*given, values._dtype_, layout, None, None)
    look_at_indices(made)
    return made


@composite("sparse_compressed_tensor.comp_plain_value")
def of_parts(
    compressed_indices: Tensor, plain_indices: Tensor, values: Tensor, dtype: Any, layout: Any,
    device: Any, pin_memory: Any,
) -> Tensor:  # fmt: skip
    check_layout(layout, "sparse_compressed_tensor")
    across = 0
    if plain_indices._numel_ and not _is_meta(plain_indices):
        across = int(bridge.elements(plain_indices).max()) + 1
    size = size_from(compressed_indices, values, across, layout)
    return of_parts_and_size(
        compressed_indices, plain_indices, values, size, dtype, layout, device, pin_memory
    )


def size_from(compressed: Tensor, values: Tensor, across: int, layout: Any) -> tuple[int, ...]:
    """The sizes that parts of so many places across have."""
    batch = tuple(compressed._size_[:-1])
    lines = compressed._size_[-1] - 1 if compressed._size_ else 0
    rest = tuple(values._size_[len(batch) + 1 :])
    block = (1, 1)
    if layout in layouts.BLOCKED and len(rest) >= 2:
        block, rest = (rest[0], rest[1]), rest[2:]
    matrix = (lines, across) if layout in layouts.BY_ROWS else (across, lines)
    return (*batch, matrix[0] * block[0], matrix[1] * block[1], *rest)


# -- without values --


def without_values(
    size: Any, dtype: Any, layout: Any, count: int = 0, dense_dim: int = 0,
    block: tuple[int, int] | None = None, kind: Any = dtypes.int64, device: Any = None,
) -> Tensor:  # fmt: skip
    """A compressed tensor with ``count`` values of zero in each matrix, at places that are all zero."""
    shape = tuple(size)
    last = len(shape) - dense_dim
    batch, matrix, dense = shape[: last - 2], shape[last - 2 : last], shape[last:]
    lines = 0 if layout in layouts.BY_ROWS else 1
    length = matrix[lines] // (block or (1, 1))[lines]
    where = device or state.default_device()

    def zeros(wanted: Any, element: Any) -> Tensor:
        return copies.zero_(tensors.empty(tuple(wanted), element, where))

    parts = Compressed(
        zeros((*batch, length + 1), kind), zeros((*batch, count), kind),
        zeros((*batch, count, *(block or ()), *dense), dtype or state.default_dtype()),
        layout, not count,
    )  # fmt: skip
    return from_compressed(parts, shape)


@explicit("_sparse_compressed_tensor_with_dims")
def with_dims(
    nnz: int, dense_dim: int, size: Any, blocksize: Any, index_dtype: Any, dtype: Any,
    layout: Any, device: Any, pin_memory: Any,
) -> Tensor:  # fmt: skip
    name = "sparse_compressed_tensor_with_dims"
    check_layout(layout, name)
    steps.Unrepeatable.note()
    is_blocked = layout in layouts.BLOCKED
    if is_blocked != (len(blocksize) == 2):
        text = (
            f"only exactly two-dimensional blocksize is supported for block layout {layouts.title(layout)}"
            if is_blocked
            else f"blocksize cannot be specified for non-block layout {layouts.title(layout)}"
        )
        raise RuntimeError(f"{name}: {text}")
    if len(size) < 2 + dense_dim:
        raise RuntimeError(f"{name}: dimensionality must be at least dense_dim(={dense_dim}) + 2")
    if index_dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(f"{name}: indices dtype must be Int or Long")
    block = tuple(blocksize) if is_blocked else None
    last = len(size) - dense_dim
    if block and any(n <= 0 or m % n for m, n in zip(size[last - 2 : last], block)):
        raise RuntimeError(f"{name}: blocksize {list(block)} does not divide size {list(size)}")
    return without_values(size, dtype, layout, nnz, dense_dim, block, index_dtype, device)
