"""`sparse_coo_tensor`, and whether it looks at what it is given."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import sparse as calls
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.argument_types import is_int, to_int
from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.ops.creation import from_data

_FORMS = """
 * (object indices, object values, *, torch.dtype dtype = None, torch.device device = None, bool \
pin_memory = False, bool requires_grad = False, bool check_invariants = None, bool is_coalesced = \
None)
 * (object indices, object values, tuple of ints size, *, torch.dtype dtype = None, torch.device \
device = None, bool pin_memory = False, bool requires_grad = False, bool check_invariants = None, \
bool is_coalesced = None)
 * (tuple of ints size, *, torch.dtype dtype = None, torch.device device = None, bool requires_grad \
= False, bool check_invariants = None)
"""
_OPTIONS: dict[str, Any] = {
    "dtype": dtypes.dtype,
    "device": (devices.device, str, int),
    "pin_memory": bool,
    "requires_grad": bool,
    "check_invariants": bool,
    "is_coalesced": bool,
}


class check_sparse_tensor_invariants:
    """Whether all that must hold for indices is looked at; as a block or a decorator, for its time.

    Indices outside the sizes are always refused; this is about their order.

    Args:
        enable: whether they are
    """

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether invariants are checked."""
        return sparse_tensors.invariants.are_checked

    @staticmethod
    def enable() -> None:
        """Check invariants from now on."""
        sparse_tensors.invariants.are_checked = True

    @staticmethod
    def disable() -> None:
        """Check them no longer."""
        sparse_tensors.invariants.are_checked = False

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager "
                "instance for context nesting."
            )
        self.saved_state = self.is_enabled()
        sparse_tensors.invariants.are_checked = self.state

    def __exit__(self, *exception: object) -> None:
        assert self.saved_state is not None
        sparse_tensors.invariants.are_checked = self.saved_state
        self.saved_state = None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)

        return checked


def checking_invariants(wanted: bool | None) -> contextlib.AbstractContextManager[None]:
    """A block in which invariants are checked or not, as one call asks; None leaves it as it is."""
    if wanted is None:
        return contextlib.nullcontext()
    return check_sparse_tensor_invariants(wanted)


@asking
def sparse_coo_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """A tensor of coordinates and values: ``(indices, values, size=None)`` or ``(size)``.

    Args:
        indices: where the values are, [sparse dimensions, count]; anything that `tensor` takes
        values: the values, [count, *dense dimensions]; those of an index that occurs more often add up
        size: the sizes; found from the indices if not given
        dtype: the element type; that of the values if not given
        device: where the tensor is made
        requires_grad: whether operations on it are recorded
        check_invariants: also see whether indices said to be coalesced are
        is_coalesced: whether the indices are in order and each occurs once
    """
    indices, values, size = _parsed(args, dict(kwargs))
    dtype, device = kwargs.get("dtype"), kwargs.get("device")
    where = None if device is None else devices.device(device)
    if values is None:
        made = calls.sparse_coo_tensor_size(size, dtype, None, where)
    else:
        made = _of_parts(indices, values, size, dtype, where, kwargs)
    if not kwargs.get("requires_grad"):
        return made
    with state.recording(False):
        made = copies.detach(made)
    return made.requires_grad_()  # type: ignore[attr-defined, no-any-return]


def _of_parts(
    indices: Any, values: Any, size: Any, dtype: Any, device: Any, options: dict[str, Any]
) -> Tensor:
    given = values if isinstance(values, Tensor) else from_data.tensor_from_data(values, dtype)
    if dtype is not None and not sparse_tensors.is_sparse(given):
        given = copies.to_dtype(given, dtype)
    if device is not None:
        given = copies.to_device(given, device, given._dtype_)
    if not isinstance(indices, Tensor):
        indices = from_data.tensor_from_data(indices, dtypes.int64)
    is_coalesced = options.get("is_coalesced")
    if size is None:
        made = calls.sparse_coo_tensor_indices(indices, given, None, None, None, None, is_coalesced)
    else:
        made = calls.sparse_coo_tensor_indices_size(
            indices, given, size, None, None, None, None, is_coalesced
        )
    with checking_invariants(options.get("check_invariants")):
        if is_coalesced and sparse_tensors.invariants.are_checked:
            calls._validate_sparse_coo_tensor_args(indices, given, made._size_, is_coalesced)
    return made


def _parsed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Indices, values and size, of which some are None."""
    options = {name: kwargs.pop(name) for name in list(kwargs) if name in _OPTIONS}
    names = (
        ("size",) if len(args) == 1 and "values" not in kwargs else ("indices", "values", "size")
    )
    given = dict(zip(names, args))
    wrong_type = any(
        value is not None and not isinstance(value, _OPTIONS[name])
        for name, value in options.items()
    )
    known = not set(kwargs) - {"indices", "values", "size"} and not set(kwargs) & set(given)
    given |= kwargs
    complete = "size" in given if "values" not in given else "indices" in given
    if len(args) > 3 or wrong_type or not known or not complete:
        raise _invalid(args, {**kwargs, **options})
    size = given.get("size")
    if "values" not in given:
        return None, None, _size_alone(size)
    if size is not None:
        if not _is_size(size):
            raise _invalid(args, {**kwargs, **options})
        size = tuple(map(to_int, size))
    return given["indices"], given["values"], size


def _is_size(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(map(is_int, value))


def _size_alone(size: Any) -> Any:
    if is_int(size):
        return (to_int(size),)
    if not _is_size(size):
        raise TypeError(
            "sparse_coo_tensor(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(size).__name__}"
        )
    return tuple(map(to_int, size))


def _invalid(args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
    given = [type(a).__name__ for a in args]
    given += [f"{name}={type(value).__name__}" for name, value in kwargs.items()]
    return TypeError(
        "sparse_coo_tensor() received an invalid combination of arguments - got "
        f"({', '.join(given)}), but expected one of:{_FORMS}"
    )


class _SparseTensorType(type):
    """A class that is only a name for sparse tensors of one element type."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, item: object) -> bool:
        return (
            isinstance(item, Tensor)
            and item._dtype_ is cls.dtype
            and sparse_tensors.is_sparse(item)
        )

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        if args and isinstance(args[0], Tensor):
            return sparse_coo_tensor(*args, dtype=cls.dtype, device=device)
        size = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args or (0,)
        return sparse_coo_tensor(size, dtype=cls.dtype, device=device)


def _named_types() -> dict[str, Any]:
    from rushlight.engine.loops.promotion import title

    kinds = (
        dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.uint8, dtypes.int8,
        dtypes.int16, dtypes.int32, dtypes.int64,
    )  # fmt: skip
    return {
        f"{title(kind)}Tensor": _SparseTensorType(
            f"{title(kind)}Tensor", (), {"dtype": kind, "__module__": "torch.sparse"}
        )
        for kind in kinds
    }


TYPES = _named_types()
