"""Steps that make tensors of nested lists of numbers."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys, number_lists, objects
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache.step import Encoded, Step, position_of, positions
from rushlight.engine.native.lowlevel import load
from rushlight.engine.native.python_api import decref
from rushlight.engine.native.runtime import module


class LISTS:
    place, template, kind = positions("place", "template", "kind")


@module.function
def repeat_lists(step: int, flat_args: int) -> int:
    made = objects.new_tensor(load(step + LISTS.template))
    if made == 0:
        return 0
    lists = load(flat_args + load(step + LISTS.place) * 8)
    if number_lists.read_lists(made, lists, load(step + LISTS.kind)) != 1:
        # Only the first items were looked at before.
        decref(made)
        return -1
    return made


class FromLists(Step):
    """A new tensor with the numbers of nested lists, which are of one Python type."""

    __slots__ = ("kind", "made", "operands")
    run = repeat_lists
    takes_sizes = True
    may_fail = True

    def __init__(self, lists: Any, kind: type, made: Tensor) -> None:
        self.operands, self.kind, self.made = (lists,), kind, made

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        made = self.made
        place = position_of(self.operands[0], flat_args)
        if made is not result or place == -1 or made._keys_ != keys.CPU:
            return None
        template = Template(made._size_, made._stride_, made._dtype_)
        return Encoded(FromLists, [place, template.address, id(self.kind)], template)
