"""Steps that give arguments, what is known, and elements as Python's numbers."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import number_lists, objects, symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.recorder import recording
from rushlight.engine.dispatch.call_cache.step import Encoded, Step, position_of, positions
from rushlight.engine.native.lowlevel import load
from rushlight.engine.native.python_api import incref
from rushlight.engine.native.runtime import module


class VALUE:
    (what,) = positions("what")  # which argument it is about, or the object itself


@module.entry
def repeat_leaf(step: int, flat_args: int) -> int:
    flat_arg = load(flat_args + load(step + VALUE.what) * 8)
    incref(flat_arg)
    return flat_arg


class Same(Step):
    """The call gave its argument back."""

    __slots__ = ("made",)
    run = repeat_leaf
    takes_sizes = True

    def __init__(self, tensor: Any) -> None:
        self.made = tensor

    @classmethod
    def note(cls, *values: Any) -> Any:
        last = recording.steps[-1] if recording.steps else None
        if isinstance(last, Same) and last.made is values[0]:
            # An operator within the call has said so already.
            return values[0]
        return super().note(*values)

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        place = position_of(self.made, flat_args)
        return Encoded(Same, [place], None) if self.made is result and place >= 0 else None


@module.entry
def repeat_known(step: int, flat_args: int) -> int:
    known = load(step + VALUE.what)
    incref(known)
    return known


class Known(Step):
    """The metadata of its arguments decide what the call gave, and it never changes."""

    __slots__ = ("made",)
    run = repeat_known
    takes_sizes = True

    def __init__(self, value: Any) -> None:
        self.made = value

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        if self.made is not result:
            return None
        return Encoded(Known, [symbolic.address(self.made)], self.made)


@module.entry
def repeat_element(step: int, flat_args: int) -> int:
    return objects.element(load(flat_args + load(step + VALUE.what) * 8))


class Element(Step):
    """The only element of a tensor was read."""

    __slots__ = ("made", "operands")
    run = repeat_element
    takes_sizes = True
    may_fail = True

    def __init__(self, tensor: Tensor, value: Any) -> None:
        self.operands, self.made = (tensor,), value

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        (source,) = self.operands
        place = position_of(source, flat_args)
        handled = source._dtype_ in objects.ELEMENT_TYPES and type(source) is Tensor
        if self.made is not result or place == -1 or not handled:
            return None
        return Encoded(type(self), [place], None)


class HeldInteger(int):
    """An integer that a tensor holds: an object of its own, so that nothing else is taken for it."""


class Index(Element):
    """An integer was read from a tensor, and did nothing but name an element along a dimension.

    It is noted behind the view that it moved.
    """

    __slots__ = ("dimension", "view")
    takes_sizes = False

    def __init__(self, tensor: Tensor, value: HeldInteger, size: int, stride: int, view: Tensor):
        super().__init__(tensor, value)
        self.view, self.dimension = view, (size, stride)

    @property
    def shift(self) -> int:
        """By how many elements it shifts the view."""
        size, stride = self.dimension
        return (self.made + size if self.made < 0 else int(self.made)) * stride


@module.entry
def repeat_list(step: int, flat_args: int) -> int:
    return number_lists.nested_list(load(flat_args + load(step + VALUE.what) * 8))


class NestedList(Element):
    """All elements of a tensor were read, as nested lists."""

    __slots__ = ()
    run = repeat_list
