"""Steps that are a function of ours, called with what the others made."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import symbolic
from rushlight.engine.dispatch.call_cache.step import (
    Encoded,
    Step,
    order_operands,
    positions,
    positions_of,
)
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import load, stack
from rushlight.engine.native.python_api import vectorcall
from rushlight.engine.native.runtime import module


class TOLD:
    function, operands, indices = positions("function", "operands", "indices")


@module.entry
def repeat_telling(step: int, flat_args: int) -> int:
    ordered = stack(MOST_OPERANDS)
    count = load(step + TOLD.operands)
    order_operands(ordered, count, load(step + TOLD.indices), flat_args)
    return vectorcall(load(step + TOLD.function), ordered, count, 0)


class Told(Step):
    """A function that gives nothing was told of tensors that the call has made."""

    __slots__ = ("function", "operands")
    run = repeat_telling
    takes_sizes = True
    only_names = True

    def __init__(self, function: Callable[..., None], *operands: Any) -> None:
        self.function, self.operands = function, operands

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        places = positions_of(self.operands, flat_args)
        if places is None:
            return None
        indices = symbolic.words(places, ctypes.c_uint8)
        own = [id(self.function), len(places), ctypes.addressof(indices)]
        return Encoded(Told, own, (self.function, indices))
