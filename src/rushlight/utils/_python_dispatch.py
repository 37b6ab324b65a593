"""Modes that see every operator call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.modes import TorchDispatchMode

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "_disable_current_modes",
    "_get_current_dispatch_mode",
    "_get_current_dispatch_mode_stack",
    "is_traceable_wrapper_subclass",
    "return_and_correct_aliasing",
    "transform_subclass",
]


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that makes every call."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    return list(state.thread.modes)


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    found: TorchDispatchMode | None = state.thread.modes[-1] if state.thread.modes else None
    return found


@contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """Within the block no mode sees calls."""
    taken = [modes.pop() for _ in list(state.thread.modes)]
    try:
        yield taken[::-1]
    finally:
        for mode in reversed(taken):
            modes.push(mode)


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a value is of a class of tensors that can be taken apart and put together."""
    is_subclass = isinstance(t, Tensor) and type(t) is not Tensor
    return is_subclass and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def transform_subclass(
    t: Any, callback: Any, outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """The same wrapping around other parts.

    Args:
        t: a tensor that can be taken apart
        callback: gives a part from its name and the part
        outer_size: the size of what is made
        outer_stride: its strides
    """
    names, facts = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    made = type(t).__tensor_unflatten__(inner, facts, size, stride)
    for what, asked, found in ("size", size, made.size()), ("stride", stride, made.stride()):
        if tuple(asked) != tuple(found):
            raise AssertionError(
                f"{type(t).__name__}.__tensor_unflatten__ has given a tensor of {what} {tuple(found)}, expected "
                f"{tuple(asked)}"
            )
    return made


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """What `__torch_dispatch__` of a class returns: arguments where the operator returns these, views as views.

    Args:
        func: the operator
        args: its arguments, tensors of the class among them
        kwargs: those with names
        out: what the class has computed, as new tensors
    """
    schema = func.schema
    named = dict(zip((a.name for a in schema.arguments), args)) | dict(kwargs or {})
    several = isinstance(out, (tuple, list)) and len(schema.returns) > 1
    outs = list(out) if several else [out]
    for argument in schema.arguments:
        given = named.get(argument.name)
        sets = {name for alias in argument.type.aliases for name in alias.before}
        if not sets or not isinstance(given, Tensor):
            continue
        for place, result in enumerate(schema.returns):
            shared = {name for alias in result.type.aliases for name in alias.before}
            if sets & shared and argument.is_write:
                outs[place] = given
            elif sets & shared:
                _share_storage(given, outs[place])
    if "inplace_view" in func.declared_tags and isinstance(args[0], Tensor):
        made = out[0] if several else out
        tensors.set_geometry(args[0], made._size_, made._stride_, made._offset_)
    return type(out)(outs) if several else outs[0]


def _share_storage(source: Tensor, made: Any) -> None:
    """Let tensors of a class be over the storage of another one, as views of it would be."""
    for one in made if isinstance(made, (tuple, list)) else (made,):
        if isinstance(one, Tensor) and type(one) is type(source):
            one._storage_ = source._storage_
