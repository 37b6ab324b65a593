"""Tensors from Python data: numbers, nested sequences, arrays and buffers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import number_lists, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.loops import plans, promotion
from rushlight.engine.native import heap_types
from rushlight.engine.ops import bridge


def tensor_from_data(data: Any, kind: dtype | None) -> Tensor:
    """A new CPU tensor with a copy of the data; its type is inferred when none is given."""
    plans.note_other()
    if isinstance(data, Tensor):
        made = copies.clone(copies.detach(data), None)
        return made if kind is None else copies.to_dtype(made, kind)
    if isinstance(data, (np.ndarray, np.generic)):
        return _from_array(np.asarray(data), kind)
    if hasattr(data, "__array_interface__") or (
        hasattr(data, "__array__") and not isinstance(data, (list, tuple))
    ):
        return _from_array(np.asarray(data), kind)
    made = _from_numbers(data, kind) if type(data) is list else None
    if made is not None:
        return made
    if type(data) is list and data and type(data[0]) in _PLAIN:
        flat = _from_flat_list(data, kind)
        if flat is not None:
            return flat
    shape = _shape_of(data)
    leaves: list[Any] = []
    _flatten(data, shape, 0, leaves)
    found = _common_type(leaves) if kind is None else kind
    wide = _WIDE[found.category]
    values = np.array([_number(x, found) for x in leaves], dtype=_natural(leaves, wide))
    made = bridge.tensor_of(values.reshape(shape), bridge.FROM_NUMPY[values.dtype])
    return made if made._dtype is found else copies.to_dtype(made, found)


def _from_numbers(data: list[Any], kind: dtype | None) -> Tensor | None:
    """Nested lists of numbers of one Python type; None if the lists are anything else."""
    shape: list[int] = []
    first: Any = data
    while type(first) is list and first and len(shape) < 64:
        shape.append(len(first))
        first = first[0]
    taken = number_lists.TAKEN.get(type(first))
    if taken is None or not heap_types.supported():
        return None
    target = promotion.number_dtype(first) if kind is None else kind
    if target not in taken:
        return None
    made = tensors.empty(tuple(shape), target)
    return made if tensors.machine()["fill_from_lists"](made, data, type(first)) else None


def _from_flat_list(data: list[Any], kind: dtype | None) -> Tensor | None:
    """A vector of numbers of one Python type; None if the list is anything else."""
    found = set(map(type, data))
    if len(found) != 1:
        return None
    own = promotion.number_dtype(data[0])
    target = own if kind is None else kind
    # Integers that may overflow a small type are checked on the general path.
    stays = own is target or (
        own.category == dtypes.INTEGRAL and target.category >= dtypes.FLOATING
    )
    if target not in bridge.NUMPY or not (
        stays or own.category == target.category == dtypes.FLOATING
    ):
        return None
    try:
        values = np.array(data, dtype=bridge.NUMPY[target])
    except OverflowError:
        raise RuntimeError("Overflow when unpacking long long") from None
    made = tensors.empty((len(data),), target)
    ctypes.memmove(made._storage._ptr, values.tobytes(), values.nbytes)
    return made


_WIDE = {
    dtypes.BOOLEAN: np.bool_, dtypes.INTEGRAL: np.int64,
    dtypes.FLOATING: np.float64, dtypes.COMPLEX: np.complex128,
}  # fmt: skip


def _natural(leaves: list[Any], wide: Any) -> Any:
    """The array type that holds the leaves before they are cast to the tensor's type."""
    if wide is np.int64 and any(isinstance(x, int) and x > 2**63 - 1 for x in leaves):
        return np.uint64
    return wide


def _from_array(values: Any, kind: dtype | None) -> Tensor:
    values = native(values)
    made = bridge.tensor_of(values)
    return made if kind is None else copies.to_dtype(made, kind)


def native(values: Any) -> Any:
    """The array itself, if its elements are of a type that tensors can have."""
    if not values.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion "
            "between byte orders is currently not supported."
        )
    if values.dtype not in bridge.FROM_NUMPY:
        raise TypeError(
            f"can't convert np.ndarray of type {values.dtype}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, "
            "uint32, uint16, uint8, and bool."
        )
    return values


def _is_sequence(data: Any) -> bool:
    if isinstance(data, (str, bytes, dict, set)):
        return False
    return hasattr(data, "__len__") and hasattr(data, "__getitem__") and not _is_scalar(data)


def _is_scalar(data: Any) -> bool:
    return not getattr(data, "ndim", 1)


def _shape_of(data: Any) -> tuple[int, ...]:
    """The shape that the first elements at every depth suggest."""
    shape: list[int] = []
    while True:
        if isinstance(data, (Tensor, np.ndarray)) and not _is_scalar(data):
            return (*shape, *data.shape)
        if not _is_sequence(data):
            return tuple(shape)
        shape.append(len(data))
        if len(shape) > 128:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not len(data):
            return tuple(shape)
        data = data[0]


def _flatten(data: Any, shape: tuple[int, ...], depth: int, leaves: list[Any]) -> None:
    if depth == len(shape):
        if _is_sequence(data):
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        leaves.append(data)
        return
    if not _is_sequence(data):
        raise TypeError(
            f"not a sequence: expected sequence of length {shape[depth]} at dim {depth} "
            f"(got {type(data).__name__})"
        )
    if len(data) != shape[depth]:
        raise ValueError(
            f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"
        )
    if isinstance(data, (Tensor, np.ndarray)):
        leaves += (
            bridge.array(data).ravel().tolist() if isinstance(data, Tensor) else list(data.ravel())
        )
        return
    if depth + 1 == len(shape) and all(type(x) in _PLAIN for x in data):
        leaves += data
        return
    for item in data:
        _flatten(item, shape, depth + 1, leaves)


_PLAIN = (bool, int, float, complex)


def _common_type(leaves: list[Any]) -> dtype:
    if not leaves:
        return state.default_dtype()
    kinds = {_leaf_type(x) for x in leaves} if len(leaves) < 64 else _types_of_many(leaves)
    found = None
    for kind in kinds:
        found = kind if found is None else promotion.promote_types(found, kind)
    assert found is not None
    return found


def _types_of_many(leaves: list[Any]) -> set[dtype]:
    """The types among many leaves, looking once at each Python type."""
    known: dict[Any, Any] = {}
    for x in leaves:
        if type(x) not in known:
            known[type(x)] = x
    if all(t in _PLAIN for t in known):
        return {_leaf_type(x) for x in known.values()}
    return {_leaf_type(x) for x in leaves}


def _leaf_type(x: Any) -> dtype:
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        return promotion.number_dtype(x)
    if isinstance(x, np.generic):
        if isinstance(x, np.floating) and isinstance(x, float):
            return dtypes.float64
        return bridge.FROM_NUMPY[x.dtype]
    if isinstance(x, Tensor):
        return x._dtype
    if hasattr(x, "__index__"):
        return dtypes.int64
    if hasattr(x, "__float__"):
        return state.default_dtype()
    raise RuntimeError(f"Could not infer dtype of {type(x).__name__}")


def _number(x: Any, kind: dtype) -> Any:
    if isinstance(x, (Tensor, np.generic)):
        x = x.item()
    if kind.category == dtypes.BOOLEAN:
        return bool(x)
    if kind.category == dtypes.INTEGRAL:
        if isinstance(x, complex):
            raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
        whole = int(x) if isinstance(x, (int, float)) else int(x.__index__())
        if not -(2**63) <= whole < 2**64:
            raise RuntimeError("Overflow when unpacking long long")
        return whole
    if kind.category == dtypes.FLOATING:
        if isinstance(x, complex):
            raise TypeError("must be real number, not complex")
        try:
            return float(x)
        except (TypeError, ValueError):
            raise TypeError(f"must be real number, not {type(x).__name__}") from None
    return complex(x)
