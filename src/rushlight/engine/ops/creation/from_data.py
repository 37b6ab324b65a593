"""Tensors from Python data: numbers, nested sequences, arrays and buffers."""

from __future__ import annotations

import ctypes
import functools
import operator
from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, joining
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, number_lists, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.call_cache import (
    TAKES_ARRAYS,
    TAKES_LISTS,
    public_function,
    recorder,
    steps,
)
from rushlight.engine.loops import promotion
from rushlight.engine.loops.placement import planning
from rushlight.engine.native import heap_types
from rushlight.engine.native.array_objects import is_plain_array
from rushlight.engine.native.numpy_later import is_a, is_number, np
from rushlight.engine.ops import bridge, numbers


def tensor_from_data(data: Any, kind: dtype | None) -> Tensor:
    """A new CPU tensor with a copy of the data; its type is inferred when none is given."""
    with planning(None):
        return _from_data(data, kind)


def _from_data(data: Any, kind: dtype | None) -> Tensor:
    if is_plain_array(data) and _can_be_shared(data):
        return _copied(data, kind)
    if type(data) in (list, tuple, number_lists.ListStandIn):
        made = _from_numbers(data, kind)
        if made is not None:
            return made
    steps.Unrepeatable.note()
    if hasattr(type(data), "untyped"):
        return over_storage(data, kind or _inferred_of_storage(data))
    if isinstance(data, Tensor):
        made = copies.clone(copies.detach(data), None)
        return made if kind is None else copies.to_dtype(made, kind)
    if is_a(data, "ndarray", "generic"):
        return _from_array(np.asarray(data), kind)
    if hasattr(data, "__array_interface__") or (
        hasattr(data, "__array__") and not isinstance(data, (list, tuple))
    ):
        return _from_array(np.asarray(data), kind)
    _refuse_text(data)
    if type(data) is list and kind is None:
        alike = _from_alike(data)
        if alike is not None:
            return alike
    if type(data) is list and data and type(data[0]) in _PLAIN:
        flat = _from_flat_list(data, kind)
        if flat is not None:
            return flat
    shape = _shape_of(data)
    found = _inferred(data) if kind is None else kind
    leaves: list[Any] = []
    if 0 not in shape:
        _flatten(data, shape, 0, leaves)
    values = _stored(leaves, found)
    made = bridge.tensor_of(values.reshape(shape), bridge.from_numpy()[values.dtype])
    return made if made._dtype_ is found else copies.to_dtype(made, found)


# The same where calls are remembered, for data that kernels meet.
remembered_tensor = public_function(
    "tensor_from_data", tensor_from_data, habits=TAKES_LISTS | TAKES_ARRAYS
)


def shown(made: Tensor) -> Tensor:
    """A tensor that was made past the modes of this thread, as they would have it."""
    return copies.lift_fresh(made) if modes.is_watched() else made


def over_storage(held: Any, kind: dtype) -> Tensor:
    """A vector of a type over the bytes of a storage, as many elements as there is room for."""
    own, bytes_held = getattr(held, "dtype", kind), held.untyped()
    if own is not kind:
        raise RuntimeError(
            f"Expected a Storage of type {promotion.title(kind)} or an UntypedStorage, but got "
            f"{promotion.title(own)}"
        )
    if bytes_held.device.type != "cpu":
        raise ValueError(f"a storage on {bytes_held.device} has no elements to make a tensor of")
    bytes_held.check_memory()
    count = bytes_held.nbytes() // kind.itemsize
    return tensors.from_storage(bytes_held, kind, (count,), (1,))


def _inferred_of_storage(held: Any) -> dtype:
    """The type that its elements seem to have: bytes are Python's integers."""
    if hasattr(held, "dtype") or not held.nbytes():
        return state.default_dtype()
    return dtypes.int64


def _can_be_shared(values: Any) -> bool:
    """Whether a tensor can lie over an array's memory."""
    item = values.dtype.itemsize
    return bool(values.nbytes) and all(s >= 0 and s % item == 0 for s in values.strides)


def _copied(values: Any, kind: dtype | None) -> Tensor:
    """A copy of an array: by numpy, or as steps that the call cache can repeat."""
    if not recorder.is_recorded():
        return _from_array(values, kind)
    over = steps.Adopted.note(values, bridge.tensor_over(native(values)))
    if kind is None or kind is over._dtype_:
        return copies.clone(over, None)
    return copies.to_dtype(over, kind)


def _from_numbers(data: Any, kind: dtype | None) -> Tensor | None:
    """Nested lists or tuples of Python's real numbers, or an empty one; None if they are anything else."""
    shape, first = number_lists.first_shape(data)
    if not shape:
        return creation.empty_memory_format([0], kind, None, None, None, None)  # type: ignore[no-any-return]
    if first not in number_lists.TAKEN or not heap_types.supported():
        return None
    own = list(number_lists.TAKEN)
    for number in own[own.index(first) :]:
        target = promotion.number_dtype(number()) if kind is None else kind
        held = target if target in number_lists.TAKEN[number] else _held_as(number, target)
        if held is None:
            continue
        made = tensors.empty(shape, held)
        is_traced = type(data) is number_lists.ListStandIn
        filled = 1 if is_traced else tensors.machine()["fill_from_lists"](made, data, number)
        if filled > 0:
            if number is first:
                steps.FromLists.note(data, number, made)
            else:
                # Other lists that begin so may have no wider numbers.
                steps.Unrepeatable.note()
            return made if held is target else _narrowed(made, target)
        if filled < 0:
            break
    return None


def _held_as(number: type, target: dtype) -> dtype | None:
    """The type in which lists of numbers are read if their own is too narrow for machine code."""
    if target in (dtypes.float16, dtypes.bfloat16):
        return dtypes.float32
    if target.category == dtypes.INTEGRAL and target is not dtypes.uint64 and number is not float:
        return dtypes.int64
    return None


def _narrowed(made: Tensor, target: dtype) -> Tensor | None:
    """The numbers as a narrower type; None if it is for integers and some do not fit."""
    if target.category == dtypes.INTEGRAL and made._numel_:
        values = bridge.array(made)
        ends = values.min().item(), values.max().item()
        if not all(numbers.fits_integer(end, target) for end in ends):
            return None
        made = bridge.tensor_of(values.astype(np.int64))
    return copies.to_dtype(made, target)


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
        with np.errstate(over="ignore"):
            values = np.array(data, dtype=bridge.NUMPY[target])
    except OverflowError:
        raise ValueError(_TOO_LARGE) from None
    made = tensors.empty((len(data),), target)
    ctypes.memmove(made._storage_._ptr, values.tobytes(), values.nbytes)
    return made


# The numbers of numpy's that lists may have; those without a sign are checked one by one.
_ALIKE = {
    "bool", "bool_", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128",
}  # fmt: skip


def _from_alike(data: list[Any]) -> Tensor | None:
    """A vector of numbers of numpy's, or of tensors without dimensions, that all have one type."""
    kinds = set(map(type, data))
    if len(kinds) != 1:
        return None
    (own,) = kinds
    if is_number(data[0]) and own.__name__ in _ALIKE:
        return bridge.tensor_of(np.array(data, own))
    if own is Tensor and all(
        x._keys_ == keys.CPU and x._dtype_ is data[0]._dtype_ and not x._size_ for x in data
    ):
        return joining.stack(data)  # type: ignore[no-any-return]
    return None


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
    if values.dtype not in bridge.from_numpy():
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{values.dtype.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, "
            "uint32, uint16, uint8, and bool."
        )
    return values


_PLAIN = (bool, int, float, complex)
_TOO_LARGE = "Overflow when unpacking long long"


def _refuse_text(data: Any) -> None:
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")


def _is_sequence(data: Any) -> bool:
    """Whether the data has dimensions of its own; a tensor within a list stands for a number."""
    if type(data) in _PLAIN or isinstance(data, (dict, set, Tensor)) or is_number(data):
        return False
    return hasattr(data, "__len__") and hasattr(data, "__getitem__")


def _shape_of(data: Any) -> tuple[int, ...]:
    """The shape that the first elements at every depth suggest."""
    shape: list[int] = []
    while _is_sequence(data):
        shape.append(len(data))
        if len(shape) > 128:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not len(data):
            break
        first = _first_of(data)
        if first is data and not isinstance(data, str):
            raise TypeError("new(): self-referential lists are incompatible")
        data = first
    return tuple(shape)


def _first_of(data: Any) -> Any:
    try:
        return data[0]
    except (TypeError, IndexError, KeyError) as error:
        raise ValueError(
            f"could not determine the shape of object type '{type(data).__name__}'"
        ) from error


def _flatten(data: Any, shape: tuple[int, ...], depth: int, leaves: list[Any]) -> None:
    """Add the elements in order; what has more dimensions than the first does is an element."""
    if depth == len(shape):
        leaves.append(data)
        return
    if isinstance(data, Tensor) and data._size_:
        data = list(data)
    if not _is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[depth]:
        raise ValueError(
            f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"
        )
    if depth + 1 == len(shape):
        leaves.extend(data)
        return
    for item in data:
        _flatten(item, shape, depth + 1, leaves)


def _inferred(data: Any) -> dtype:
    """The type that holds every number in the data."""
    if type(data) in _PLAIN:
        return promotion.number_dtype(data)
    _refuse_text(data)
    if isinstance(data, Tensor):
        return data._dtype_
    if is_a(data, "ndarray", "generic"):
        return bridge.from_numpy()[native(data).dtype]
    if isinstance(data, (bool, int, float, complex)):
        return promotion.number_dtype(data)
    if not _is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    kinds = _inferred_each(data)
    return functools.reduce(promotion.promote_types, kinds) if kinds else state.default_dtype()


def _inferred_each(items: Any) -> set[dtype]:
    """The types of some items, looking once at each of Python's own number types."""
    types = set(map(type, items))
    if types.issubset(_PLAIN):
        return {promotion.number_dtype(kind()) for kind in types}
    if any(item is items for item in items):
        raise TypeError("new(): self-referential lists are incompatible")
    return {_inferred(item) for item in items}


def _stored(leaves: list[Any], kind: dtype) -> Any:
    """The elements as an array that holds them before they are cast to the tensor's type."""
    dtypes.check_not_quantized(kind)
    category = kind.category
    types = set(map(type, leaves))
    if category == dtypes.INTEGRAL or not types.issubset((bool, int, float)):
        leaves = [_NUMBERS[category](x, kind) for x in leaves]
    return np.array(leaves, dtype="uint64" if kind is dtypes.uint64 else _WIDE[category])


def _as_boolean(x: Any, kind: dtype) -> bool:
    return bool(x if isinstance(x, _PLAIN) or is_number(x) else operator.index(x))


def _as_integer(x: Any, kind: dtype) -> int:
    if kind is dtypes.uint64:
        return _as_unsigned(x)
    exact = float(x) if _is_real(x) else _as_long(x)
    if not numbers.fits_integer(exact, kind):
        raise RuntimeError(f"value cannot be converted to type {kind._name} without overflow")
    return int(exact)


def _as_long(x: Any) -> int:
    whole = _index(x)
    if not -(2**63) <= whole < 2**63:
        raise ValueError(_TOO_LARGE)
    return whole


def _as_unsigned(x: Any) -> int:
    if _is_real(x):
        raise TypeError("an integer is required")
    whole = _index(x)
    if whole < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if whole >= 2**64:
        raise OverflowError("int too big to convert")
    return whole


def _index(x: Any) -> int:
    return int(operator.index(x))


def _is_real(x: Any) -> bool:
    return isinstance(x, float) or is_a(x, "floating")


def _is_complex(x: Any) -> bool:
    return isinstance(x, complex) or is_a(x, "complexfloating")


def _as_float(x: Any, kind: dtype) -> float:
    if isinstance(x, (str, bytes)) or _is_complex(x):
        raise TypeError(f"must be real number, not {type(x).__name__}")
    if isinstance(x, Tensor) and x._numel_ != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if not hasattr(x, "__float__") and not hasattr(x, "__index__"):
        raise TypeError(f"must be real number, not {type(x).__name__}")
    return float(x)


def _as_complex(x: Any, kind: dtype) -> complex:
    return complex(x) if _is_complex(x) else _as_float(x, kind)


_NUMBERS = {
    dtypes.BOOLEAN: _as_boolean, dtypes.INTEGRAL: _as_integer,
    dtypes.FLOATING: _as_float, dtypes.COMPLEX: _as_complex,
}  # fmt: skip
_WIDE = {
    dtypes.BOOLEAN: "bool", dtypes.INTEGRAL: "int64",
    dtypes.FLOATING: "float64", dtypes.COMPLEX: "complex128",
}  # fmt: skip
