"""What each schema type accepts from Python, and what it turns it into.

`check(value)` says whether a value is taken; `convert(value)` gives what the kernel gets. The lists
of integers, floats and so on accept what PyTorch's argument parser accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import state
from rushlight.engine.core.size import MOST, Size
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import overrides_hook
from rushlight.engine.dispatch.schema import Type
from rushlight.engine.native.numpy_later import is_number

# Types that stand for integers or floats besides Python's; symbolic numbers are added here.
integer_like: set[type] = {SymInt}
float_like: set[type] = {SymFloat}

Check = Callable[[Any], bool]
Convert = Callable[[Any], Any]


def identity(value: Any) -> Any:
    return value


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or overrides_hook.overrides(value)


def is_scalar_tensor(value: Any) -> bool:
    """True for a 0-dimensional tensor that may be read as a number."""
    return isinstance(value, Tensor) and not value._size_ and not requires_grad(value)


def requires_grad(tensor: Tensor) -> bool:
    return tensor._autograd_ is not None and bool(getattr(tensor, "requires_grad", False))


def item(tensor: Tensor) -> Any:
    from rushlight.engine.dispatch.operator import operator

    return operator("_local_scalar_dense").call(tensor)


def is_int(value: Any) -> bool:
    kind = type(value)
    if kind is int or kind in integer_like:
        return True
    if kind is bool:
        return False
    if isinstance(value, Tensor):
        integral = value._dtype_.category in (dtypes.INTEGRAL,)
        return integral and is_scalar_tensor(value)
    return hasattr(kind, "__index__")


def to_int(value: Any) -> Any:
    if type(value) is int or type(value) in integer_like:
        return value
    return int(item(value)) if isinstance(value, Tensor) else value.__index__()


def is_float(value: Any) -> bool:
    if isinstance(value, (float, int)) or type(value) in float_like or type(value) in integer_like:
        return True
    if isinstance(value, Tensor):
        return is_scalar_tensor(value)
    return is_numpy_scalar(value, "fiub")


def is_numpy_scalar(value: Any, kinds: str) -> bool:
    return is_number(value) and value.dtype.kind in kinds


def to_float(value: Any) -> Any:
    if type(value) in float_like or type(value) in integer_like:
        return value
    return float(item(value)) if isinstance(value, Tensor) else float(value)


def is_bool(value: Any) -> bool:
    return isinstance(value, bool) or is_scalar_tensor(value) or is_numpy_scalar(value, "b")


def to_bool(value: Any) -> bool:
    return bool(item(value)) if isinstance(value, Tensor) else bool(value)


# Types whose full names messages have, as those of types written in C do.
FULLY_NAMED = (dtypes.dtype, devices.device, layouts.layout, layouts.memory_format, Size)


def name_of_type(value: Any) -> str:
    """The name that messages use for the type of a value."""
    kind = type(value)
    if isinstance(value, FULLY_NAMED):
        return f"torch.{kind.__name__}"
    is_full = kind.__module__.partition(".")[0] == "numpy"
    return f"{kind.__module__}.{kind.__name__}" if is_full else kind.__name__


def is_scalar(value: Any) -> bool:
    if isinstance(value, (int, float, complex)):
        return True
    if type(value) in integer_like or type(value) in float_like or type(value) is SymBool:
        return True
    if isinstance(value, Tensor):
        return is_scalar_tensor(value)
    return is_numpy_scalar(value, "fiubc")


def checked_int(value: int) -> int:
    """A number of 64 bits, with a sign or without."""
    if not -(1 << 63) <= value < 1 << 64:
        raise OverflowError(f"int too big to convert: {value} does not fit 64 bits")
    return value


def to_scalar(value: Any) -> Any:
    if isinstance(value, Tensor):
        return item(value)
    if type(value) is int:
        return checked_int(value)
    if type(value) in (bool, float, complex, SymBool):
        return value
    if type(value) in integer_like or type(value) in float_like:
        return value
    if isinstance(value, (int, float, complex)):
        return (
            type(value).__mro__[-2](value) if is_numpy_scalar(value, "b") else plain_number(value)
        )
    return value.item()


def plain_number(value: Any) -> Any:
    """A number of Python's own type, for one of a subclass such as numpy's float64."""
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    return complex(value)


def is_dtype(value: Any) -> bool:
    return isinstance(dtypes.as_dtype(value), dtypes.dtype)


def dtype_argument(name: str, value: Any) -> dtypes.dtype:
    """The element type that was given to a function as ``dtype``."""
    found = dtypes.as_dtype(value)
    if not isinstance(found, dtypes.dtype):
        raise TypeError(
            f"{name}(): argument 'dtype' must be torch.dtype, not {name_of_type(value)}"
        )
    return found


def is_device(value: Any) -> bool:
    return isinstance(value, (devices.device, str)) or type(value) is int


def is_sequence(value: Any) -> bool:
    return isinstance(value, (tuple, list))


def is_complex(value: Any) -> bool:
    return isinstance(value, complex) or is_float(value)


def is_generator(value: Any) -> bool:
    return hasattr(type(value), "manual_seed") and hasattr(type(value), "get_state")


def default_device() -> devices.device:
    return state.default_device()


# Schema type -> (its name in messages, check, convert).
SINGLE: dict[str, tuple[str, Check, Convert]] = {
    "Tensor": ("Tensor", is_tensor, identity),
    "Scalar": ("Number", is_scalar, to_scalar),
    "int": ("int", is_int, to_int),
    "SymInt": ("int", is_int, to_int),
    "DeviceIndex": ("int", is_int, to_int),
    "float": ("float", is_float, to_float),
    "complex": ("complex", is_complex, complex),
    "bool": ("bool", is_bool, to_bool),
    "str": ("str", lambda value: isinstance(value, str), identity),
    "ScalarType": ("torch.dtype", is_dtype, dtypes.as_dtype),
    "Layout": ("torch.layout", lambda value: isinstance(value, layouts.layout), identity),
    "Device": ("torch.device", is_device, devices.device),
    "MemoryFormat": (
        "torch.memory_format",
        lambda value: isinstance(value, layouts.memory_format),
        identity,
    ),
    "Generator": ("torch.Generator", is_generator, identity),
    "Storage": ("torch.Storage", lambda value: hasattr(value, "untyped"), identity),
    "Dimname": ("name", lambda value: isinstance(value, str), identity),
}
LISTS = {
    "Tensor": "tuple of Tensors",
    "int": "tuple of ints",
    "SymInt": "tuple of ints",
    "float": "tuple of floats",
    "bool": "tuple of bools",
    "Scalar": "tuple of Scalars",
    "Dimname": "tuple of names",
}


def accepts(of_type: Type) -> tuple[str, Check, Convert]:
    """The name in messages, the check and the conversion of a schema type (without `?`)."""
    of_type = of_type.required
    if of_type.kind == "list":
        return list_of(of_type)
    if of_type.kind == "base" and of_type.name in SINGLE:
        return SINGLE[of_type.name]
    # A type of another library, or a class the user registered: taken as it is.
    return str(of_type), lambda value: value is not None, identity


def list_of(of_type: Type) -> tuple[str, Check, Convert]:
    inner = of_type.inner[0]
    name, check_item, convert_item = accepts(inner)
    text = LISTS.get(inner.required.name, f"tuple of {name}s")
    if inner.leaf == "Tensor":
        return text, tensor_list_check(inner.is_optional), identity
    is_integer = inner.name in ("int", "SymInt")

    def check(value: Any) -> bool:
        if is_sequence(value):
            return not value or check_item(value[0])
        return of_type.size is not None and check_item(value) and not isinstance(value, bool)

    def convert(value: Any) -> tuple[Any, ...]:
        if not is_sequence(value):
            return (convert_item(value),) * (of_type.size or 1)
        for position, element in enumerate(value):
            if not check_item(element):
                raise ElementError(
                    position, f"type must be {text},but got {type(element).__name__}"
                )
        items = tuple(convert_item(element) for element in value)
        if is_integer:
            check_words(items)
        return items

    return text, check, convert


def check_words(items: tuple[Any, ...]) -> None:
    """The integers of a list have 64 bits with a sign."""
    for position, item in enumerate(items):
        if type(item) is int and not -MOST - 1 <= item <= MOST:
            raise ElementError(position, "Overflow when unpacking long long")


class ElementError(TypeError):
    """An element of a list cannot be taken: (position from 0, why)."""


def tensor_list_check(is_optional: bool) -> Check:
    def check(value: Any) -> bool:
        if not is_sequence(value):
            return False
        return all(is_tensor(element) or (is_optional and element is None) for element in value)

    return check
