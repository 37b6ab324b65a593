"""Steps between tensors and numpy's arrays over the same memory."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.core import keys, objects, symbolic
from rushlight.engine.core.objects import STORAGE, TENSOR
from rushlight.engine.core.size import storage_bytes
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache.step import Encoded, Step, position_of, positions
from rushlight.engine.native import array_objects
from rushlight.engine.native.array_objects import ARRAY
from rushlight.engine.native.lowlevel import load, store
from rushlight.engine.native.runtime import module


class ADOPTED:
    array, template = positions("array", "template")


@module.function
def repeat_adoption(step: int, flat_args: int) -> int:
    array = load(flat_args + load(step + ADOPTED.array) * 8)
    return objects.tensor_over(load(step + ADOPTED.template), load(array + ARRAY.data), array)


class Adopted(Step):
    """A tensor over the memory of an array."""

    __slots__ = ("made", "operands")
    run = repeat_adoption
    takes_sizes = True

    def __init__(self, array: Any, made: Tensor) -> None:
        self.operands, self.made = (array,), made

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        made = self.made
        place = position_of(self.operands[0], flat_args)
        if made is not result or place == -1 or not array_objects.usable():
            return None
        if made._keys_ != keys.CPU or made._offset_ or not made._numel_:
            return None
        template = Template(made._size_, made._stride_, made._dtype_)
        return Encoded(Adopted, [place, template.address], template)


class EXPORTED:
    tensor, number, dims, sizes, strides, itemsize, reach = positions(
        "tensor", "number", "dims", "sizes", "strides", "itemsize", "reach"
    )


@module.function
def repeat_export(step: int, flat_args: int) -> int:
    tensor = load(flat_args + load(step + EXPORTED.tensor) * 8)
    storage = load(tensor + TENSOR.storage)
    needed = load(tensor + TENSOR.offset) * load(step + EXPORTED.itemsize) + load(
        step + EXPORTED.reach
    )
    if needed > load(storage + STORAGE.nbytes):
        # It has shrunk: Python says so.
        return -1
    store(storage + STORAGE.flags, load(storage + STORAGE.flags) | objects.EXPORTED)
    return array_objects.new_array(
        storage,
        objects.first_byte(tensor, load(step + EXPORTED.itemsize)),
        load(step + EXPORTED.number),
        load(step + EXPORTED.dims),
        load(step + EXPORTED.sizes),
        load(step + EXPORTED.strides),
    )


class Exported(Step):
    """An array over the memory of a tensor, which then can be written unseen."""

    __slots__ = ("made", "operands")
    run = repeat_export
    takes_sizes = True
    may_fail = True
    is_last = True

    def __init__(self, tensor: Tensor, array: Any) -> None:
        self.operands, self.made = (tensor,), array

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        made = self.made
        place = position_of(self.operands[0], flat_args)
        if made is not result or place == -1 or not array_objects.usable():
            return None
        sizes, strides = symbolic.words(made.shape), symbolic.words(made.strides)
        own = [place, made.dtype.num, made.ndim, ctypes.addressof(sizes)]
        (source,) = self.operands
        reach = storage_bytes(source._size_, source._stride_, 0, made.itemsize)
        own += [ctypes.addressof(strides), made.itemsize, reach]
        return Encoded(Exported, own, (sizes, strides))
