"""New tensors in memory that stays where it is: what ``pin_memory`` asks for, of whatever makes tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as calls
from rushlight.engine.core import device as devices
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.tensor import Tensor

Function = Callable[..., Any]


def pinning(function: Function) -> Function:
    """A kernel that makes a tensor where its argument ``pin_memory`` says; itself if it has none."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if "pin_memory" not in names:
        return function
    place = names.index("pin_memory")

    @functools.wraps(function)
    def made(*args: Any) -> Any:
        result = function(*args)
        return pinned(result) if len(args) > place and args[place] else result

    return made


def pinned(made: Tensor) -> Tensor:
    """A tensor that was just made, in such memory."""
    if made._storage_.device is devices.meta:
        return made
    if made._storage_.device is not devices.cpu or made.layout is not layouts.strided:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    if not devices.device("cuda").is_here:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on "
            "this system."
        )
    return calls.pin_memory(made, None)  # type: ignore[no-any-return]
