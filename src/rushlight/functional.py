"""Functions of the namespace that are written in Python rather than generated."""

from __future__ import annotations

from typing import Any

from rushlight._functions.norm import norm
from rushlight._tensor_str import get_printoptions, set_printoptions
from rushlight.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import geometry, plans
from rushlight.engine.native import threads

__all__ = [
    "broadcast_shapes",
    "enable_grad",
    "get_default_device",
    "get_default_dtype",
    "get_num_threads",
    "get_printoptions",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_storage",
    "is_tensor",
    "no_grad",
    "norm",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
]


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def is_storage(obj: Any) -> bool:
    """Whether an object is a storage."""
    from rushlight.storage import TypedStorage, UntypedStorage

    return isinstance(obj, (TypedStorage, UntypedStorage))


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of the given shapes broadcast to."""
    for shape in shapes:
        if not isinstance(shape, (int, tuple, list)):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{shape}"
            )
    full = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    if any(n < 0 for shape in full for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension: {shapes}")
    try:
        return Size(geometry.broadcast_sizes(*full)) if full else Size()
    except RuntimeError:
        raise RuntimeError(
            "Shape mismatch: objects cannot be broadcast to a single shape: "
            + ", ".join(map(str, full))
        ) from None


def _defaults_changed() -> None:
    plans.forget_all()
    call_cache.forget_calls()


def get_default_dtype() -> dtypes.dtype:
    """The element type of new floating-point tensors."""
    return state.default_dtype()


def set_default_dtype(d: dtypes.dtype) -> None:
    """Choose the element type of new floating-point tensors."""
    dtypes.set_default(d)
    _defaults_changed()


def set_default_tensor_type(t: Any) -> None:
    """Choose the element type of new floating-point tensors, and their device, by a class such as `DoubleTensor`."""
    from rushlight._tensor_members import construction

    kind, where = construction.type_named(t)
    set_default_dtype(kind)
    if where == "cuda":
        set_default_device(where)
    elif get_default_device().type == "cuda":
        set_default_device("cpu")


def get_default_device() -> Any:
    """The device of new tensors."""
    return state.default_device()


def set_default_device(device: Any) -> None:
    """Choose the device of new tensors."""
    state.set_default_device(devices.cpu if device is None else devices.device(device))
    _defaults_changed()


def get_num_threads() -> int:
    """How many threads a kernel may use."""
    return threads.get_asked()


def set_num_threads(number: int) -> None:
    """Choose how many threads a kernel may use."""
    threads.check_count("set_num_threads", number)
    before = threads.get_size()
    threads.set_size(number)
    # Some plans give each thread memory of its own.
    if number != before:
        _defaults_changed()


# Functions of the namespace that programs also find here.
_ALSO_HERE = (
    "align_tensors", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors",
    "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid", "split", "stft",
    "tensordot", "unique", "unique_consecutive", "unravel_index",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """A function that the namespace has from elsewhere."""
    if name in _ALSO_HERE:
        import rushlight

        return getattr(rushlight, name)
    raise AttributeError(f"module 'rushlight.functional' has no attribute '{name}'")
