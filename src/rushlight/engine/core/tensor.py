"""The tensor: metadata in fields, bytes in a storage.

The class knows no operator; methods are attached when the namespace is assembled. The verbs below
it make tensors and views. Each has a machine-code version that is used where generated code may
touch objects, and a plain one.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import (
    keys,
    number_lists,
    objects,
    pieces,
    state,
    symbolic,
    tensor_guards,
    tensor_lists,
)  # fmt: skip
from rushlight.engine.core import size as sizes
from rushlight.engine.core.errors import OutOfMemoryError
from rushlight.engine.core.size import Size
from rushlight.engine.native import heap_types, runtime
from rushlight.engine.native.memory import MACHINE_BYTES


class TensorMeta(type):
    """The type of tensor classes.

    A method that was read from a class can be put back, or into another one: built-in functions
    would not bind their instance.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **options: Any
    ) -> Any:
        body = {key: runtime.as_method(value) for key, value in body.items()}
        return super().__new__(cls, name, bases, body, **options)

    # Told of classes whose ``__torch_function__`` is exchanged.
    watchers: ClassVar[list[Callable[[type], None]]] = []

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, runtime.as_method(value))
        if name == "__torch_function__":
            for watcher in TensorMeta.watchers:
                watcher(cls)


class Tensor(objects.TENSOR_BASE, metaclass=TensorMeta):  # type: ignore[misc, name-defined]
    """A multi-dimensional array of elements of one type.

    Tensors are made by `tensor`, `zeros`, `empty` and the other factory functions.
    """

    __slots__ = (*objects.TENSOR_SLOTS, "__dict__", "__weakref__")

    _offset_: int
    _numel_: int
    _flags_: int
    _keys_: int
    _storage_: Any
    _size_: Size
    _stride_: tuple[int, ...]
    _dtype_: dtypes.dtype
    _base: Tensor | None
    _counter_: VersionCounter | None
    _autograd_: Any


objects.types.tensor = id(Tensor)


class VersionCounter:
    """A version shared by some tensors of a storage, apart from the storage's own."""

    __slots__ = ("value",)

    def __init__(self, value: int = 0) -> None:
        self.value = value


if heap_types.supported():
    objects.types.counter = id(VersionCounter)
    objects.types.counter_value = heap_types.slot_offset(VersionCounter, "value")


def version(tensor: Tensor) -> int:
    """How often the tensor's elements were changed in place."""
    counter = tensor._counter_
    return tensor._storage_._version if counter is None else counter.value


def set_version(tensor: Tensor, version: int) -> None:
    """Say how often the tensor's elements were changed."""
    counter = tensor._counter_
    if counter is None:
        tensor._storage_._version = version
    else:
        counter.value = version


def bump_version(tensor: Tensor) -> None:
    """Note a change of the tensor's elements."""
    counter = tensor._counter_
    if counter is None:
        tensor._storage_._version += 1
    else:
        counter.value += 1


def flags_for(dtype: dtypes.dtype, size: tuple[int, ...], stride: tuple[int, ...]) -> int:
    """The ``_flags_`` word of a tensor with this metadata."""
    contiguous = sizes.is_contiguous(size, stride)
    return dtype.code | (objects.CONTIGUOUS if contiguous else 0)


def from_storage(
    storage: Any,
    dtype: dtypes.dtype,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    offset: int = 0,
    cls: type = Tensor,
) -> Tensor:
    """A tensor over a storage that is not a view of another tensor."""
    made: Any = object.__new__(cls)
    made._storage_ = storage
    made._size_ = sizes.intern(size)
    made._stride_ = sizes.intern_strides(stride)
    made._dtype_ = dtype
    made._offset_ = offset
    made._numel_ = sizes.numel(size)
    made._flags_ = flags_for(dtype, size, stride)
    made._keys_ = storage.keys
    if dtype.category == dtypes.QUANTIZED:
        made._keys_ |= keys.QUANTIZED
    made._counter_ = made._autograd_ = None
    # A subclass may have a property of that name.
    _set_base(made, None)
    return made


_set_base = Tensor.__dict__["_base"].__set__


def empty_strided(
    size: tuple[int, ...], stride: tuple[int, ...], dtype: dtypes.dtype, device: devices.device
) -> Tensor:
    """A new uninitialised tensor with the given strides."""
    from rushlight.engine.core import storage

    dtypes.check_not_quantized(dtype)
    nbytes = sizes.storage_bytes(size, stride, 0, dtype.itemsize)
    return from_storage(storage.allocate(nbytes, device), dtype, size, stride)


def empty(
    size: tuple[int, ...], dtype: dtypes.dtype, device: devices.device = devices.cpu
) -> Tensor:
    """A new uninitialised contiguous tensor."""
    if device is devices.cpu:
        return create(template_for(sizes.intern(size), dtype))
    return empty_strided(size, sizes.contiguous_strides(size), dtype, device)


def check_room(size: tuple[int, ...], dtype: dtypes.dtype, device: devices.device) -> None:
    """Raise at once if there is no memory for such a result: before tables as long are made for it."""
    if symbolic.has_symbols(size) or symbolic.trace() is not None:
        # Nobody knows yet.
        return
    empty(size, dtype.numbers, device)


def check_count(count: int) -> None:
    """Raise at once for more tensors than this machine has memory for."""
    if count * Tensor.__basicsize__ > MACHINE_BYTES:
        raise OutOfMemoryError(
            f"{count} tensors need more memory than the {MACHINE_BYTES} bytes of this machine"
        )


class Template:
    """What a new tensor looks like, on the CPU ready for machine code: see `objects.TEMPLATE`."""

    __slots__ = ("address", "dtype", "size", "stride", "words")

    def __init__(self, size: Size, stride: tuple[int, ...], dtype: dtypes.dtype) -> None:
        dtypes.check_not_quantized(dtype)
        self.size, self.stride, self.dtype = size, sizes.intern_strides(stride), dtype
        self.words = symbolic.words(template_words(self))
        self.address = ctypes.addressof(self.words)


def template_words(template: Template) -> list[int]:
    """The words of a template; it keeps the objects that they point to alive."""
    size, stride, dtype = template.size, template.stride, template.dtype
    nbytes = sizes.storage_bytes(size, stride, 0, dtype.itemsize)
    numel = sizes.numel(size)
    return [
        symbolic.address(size),
        symbolic.address(stride),
        id(dtype),
        flags_for(dtype, size, stride),
        devices.cpu.key,
        numel,
        nbytes,
    ]


@symbolic.cached(4096)
def template_for(size: Size, dtype: dtypes.dtype) -> Template:
    """The template of a contiguous tensor."""
    size = sizes.intern(size)
    return Template(size, sizes.contiguous_strides(size), dtype)


@functools.cache
def machine() -> Any:
    """The verbs as machine code: `create`, `wrap`, `view`, `execute`, `produce`; those for lists; guards."""
    from rushlight.engine.core import storage
    from rushlight.engine.native import runtime

    del storage  # imported so that its type exists
    functions = (
        objects.create, objects.wrap, objects.view, objects.execute, objects.produce,
        tensor_lists.run_rows, tensor_lists.elements, number_lists.fill_from_lists,
        number_lists.to_list, pieces.joined_length, pieces.lay_pieces, pieces.cut_pieces,
        pieces.step_through, tensor_guards.are_expected,
    )  # fmt: skip
    return {f.name: runtime.python_function(f.name, f) for f in functions}


def create(template: Template) -> Tensor:
    """A new uninitialised tensor, on the CPU or where this thread's loops are planned for."""
    planner = state.thread.planner
    if planner is not None:
        return empty_strided(template.size, template.stride, template.dtype, planner.device)
    if heap_types.supported():
        made: Tensor = machine()["create"](template.address)
        return made
    return empty_strided(template.size, template.stride, template.dtype, devices.cpu)


def view_of(base: Tensor, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Tensor:
    """A view: the same storage and element type with other sizes, strides and offset."""
    note_viewed(base)
    return _over_memory(base, sizes.intern(size), sizes.intern_strides(stride), offset)


def views_of(
    base: Tensor, stride: tuple[int, ...], places: Iterable[tuple[tuple[int, ...], int]]
) -> tuple[Tensor, ...]:
    """Views with the same strides, each with a size and an offset of its own."""
    note_viewed(base)
    stride = sizes.intern_strides(stride)
    return tuple([_over_memory(base, sizes.intern(size), stride, at) for size, at in places])


def along(base: Tensor, dim: int) -> tuple[Tensor, ...]:
    """A view for each place along a dimension, without that dimension."""
    count, step = base._size_[dim], base._stride_[dim]
    size = sizes.intern(base._size_[:dim] + base._size_[dim + 1 :])
    stride = sizes.intern_strides(base._stride_[:dim] + base._stride_[dim + 1 :])
    if heap_types.supported() and type(base) in plain_types:
        note_viewed(base)
        made: tuple[Tensor, ...] | None = machine()["step_through"](base, size, stride, step, count)
        if made is not None:
            return made
    return views_of(base, stride, [(size, base._offset_ + k * step) for k in range(count)])


def cut(base: Tensor, dim: int, lengths: Sequence[int]) -> tuple[Tensor, ...]:
    """Views of consecutive parts of the given lengths along a dimension."""
    if heap_types.supported() and type(base) in plain_types:
        note_viewed(base)
        stride = sizes.intern_strides(base._stride_)
        made: tuple[Tensor, ...] | None = machine()["cut_pieces"](
            base, tuple(lengths), dim, stride, sizes._sizes, sizes.intern
        )
        if made is not None:
            return made
    size, start = tuple(base._size_), base._offset_
    before, after, step = size[:dim], size[dim + 1 :], base._stride_[dim]
    places = []
    for length in lengths:
        places.append(((*before, length, *after), start))
        start += length * step
    return views_of(base, base._stride_, places)


def joined(given: Sequence[Tensor], dim: int, is_new: bool = False) -> Tensor | None:
    """Dense tensors of one type joined piece by piece, without a plan; None if they are not that.

    Args:
        given: at least one tensor
        dim: along which dimension, from 0 on
        is_new: whether that is a new dimension, before the given one
    """
    if not heap_types.supported():
        return None
    listed, size = tuple(given), tuple(given[0]._size_)
    length = machine()["joined_length"](listed, len(size) if is_new else dim)
    if length is None:
        return None
    shape = (*size[:dim], len(listed) if is_new else length, *size[dim if is_new else dim + 1 :])
    made = empty(shape, given[0]._dtype_)
    machine()["lay_pieces"](made, listed, math.prod(size[:dim]), made._dtype_.itemsize)
    return made


def note_viewed(base: Tensor) -> None:
    """Remember that there may be views of a tensor."""
    root = base if base._base is None else base._base
    storage = base._storage_
    known = storage._flags >> objects.VIEWED_SHIFT
    if known == 0:
        storage._flags |= id(root) << objects.VIEWED_SHIFT
    elif known not in (id(root), objects.MANY):
        bits = storage._flags & ((1 << objects.VIEWED_SHIFT) - 1)
        storage._flags = bits | objects.MANY << objects.VIEWED_SHIFT


def may_have_views(tensor: Tensor) -> bool:
    """Whether views of the tensor have been made, as far as its storage remembers."""
    known = tensor._storage_._flags >> objects.VIEWED_SHIFT
    return known in (id(tensor), objects.MANY)


# Classes of tensors that behave as `Tensor` itself: parameters are added here.
plain_types: set[type] = {Tensor}


def same_elements(tensor: Tensor) -> Tensor:
    """Another tensor over the same elements, which counts as no view."""
    made = _over_memory(tensor, tensor._size_, tensor._stride_, tensor._offset_)
    made._base = None
    return made


def shadow(tensor: Tensor) -> Tensor:
    """The same elements without a history; attributes and class are the tensor's."""
    if type(tensor) in plain_types:
        return same_elements(tensor)
    made: Tensor = from_storage(
        tensor._storage_,
        tensor._dtype_,
        tensor._size_,
        tensor._stride_,
        tensor._offset_,
        type(tensor),
    )
    made._counter_ = tensor._counter_
    made._keys_ = tensor._keys_ & objects.NOT_AUTOGRAD
    made.__dict__.update(tensor.__dict__)
    made._base = None
    return made


@symbolic.cached(1 << 14)
def _facts_of(dtype: dtypes.dtype, size: Size, stride: tuple[int, ...]) -> tuple[int, int]:
    """The number of elements and the ``_flags_`` word."""
    return sizes.numel(size), flags_for(dtype, size, stride)


def _over_memory(base: Tensor, size: Size, stride: tuple[int, ...], offset: int) -> Tensor:
    if heap_types.supported() and type(base) in plain_types:
        numel, flags = _facts_of(base._dtype_, size, stride)
        words = symbolic.plain(offset), symbolic.plain(numel), flags
        made: Tensor = machine()["view"](base, size, stride, *words)
        if type(offset) is symbolic.SymInt:
            made._offset_ = offset  # type: ignore[assignment]
        return made
    return reinterpret(base, base._dtype_, size, stride, offset)


def reinterpret(
    base: Tensor,
    dtype: dtypes.dtype,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    offset: int,
) -> Tensor:
    """A view that may also read the bytes as another element type."""
    note_viewed(base)
    made = from_storage(base._storage_, dtype, size, stride, offset)
    made._base = base if base._base is None else base._base
    made._counter_ = base._counter_
    made._keys_ = base._keys_ & objects.NOT_AUTOGRAD
    if made._keys_ & keys.PYTHON:
        # What a class answers for its objects is no matter of a plain tensor. Without the class,
        # nothing is known of elements that lie nowhere.
        made._keys_ &= ~keys.PYTHON
        if not base._storage_._ptr and base._storage_._nbytes:
            made._keys_ = made._keys_ & ~keys.CPU | keys.META
    return made


def check_inside(
    tensor: Tensor, size: tuple[int, ...], stride: tuple[int, ...], offset: int
) -> None:
    """Raise for a geometry that reaches behind the end of the tensor's storage."""
    if symbolic.of_program((*size, *stride, offset)):
        return
    itemsize, nbytes = tensor._dtype_.itemsize, tensor._storage_._nbytes
    # No guard: the step that makes such a view again looks at the storage that there is then.
    needed = symbolic.known(sizes.storage_bytes(size, stride, offset, itemsize))
    if needed > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
            f"itemsize {itemsize} requiring a storage size of {needed} are out of bounds for "
            f"storage of size {nbytes}"
        )


def check_still_inside(tensor: Tensor) -> None:
    """`check_inside` for a tensor whose storage may have shrunk; its memory is there in any case."""
    check_inside(tensor, tensor._size_, tensor._stride_, tensor._offset_)


def data_pointer(tensor: Tensor) -> int:
    """The address of the first element, for who looks at the host's memory.

    A kernel that does so has nothing to look at while it runs for another device.
    """
    planner = state.thread.planner
    if planner is not None and tensor._storage_._device_code != devices.cpu.code:
        raise planner.missing("what its kernel does with elements by itself")
    return place_of(tensor)


def is_computed(tensor: Tensor) -> bool:
    """Whether loops that are planned now have the tensor's elements: it is where they will run."""
    if state.thread.planner is not None:
        return not tensor._keys_ & keys.META
    return bool(tensor._storage_._device_code == devices.cpu.code)


def place_of(tensor: Tensor) -> int:
    """Where the first element is, in the memory of whatever device the tensor is on."""
    tensor._storage_.check_memory()
    return int(tensor._storage_._ptr + tensor._offset_ * tensor._dtype_.itemsize)


def set_geometry(
    tensor: Tensor, size: tuple[int, ...], stride: tuple[int, ...], offset: int | None = None
) -> None:
    """Give a tensor other sizes and strides over its storage, in place."""
    numel = sizes.numel(size)
    tensor._size_ = sizes.intern(size)
    tensor._stride_ = sizes.intern_strides(stride)
    if offset is not None:
        tensor._offset_ = offset
    tensor._numel_ = numel
    tensor._flags_ = flags_for(tensor._dtype_, size, stride)


def resize(tensor: Tensor, size: tuple[int, ...], stride: tuple[int, ...] | None = None) -> None:
    """Give a tensor another shape, contiguous unless strides are given; its storage grows to fit."""
    stride = sizes.contiguous_strides(size) if stride is None else stride
    sizes.numel(size)
    needed = sizes.storage_bytes(size, stride, tensor._offset_, tensor._dtype_.itemsize)
    needed = symbolic.known(needed) if symbolic.of_program((needed,)) else needed
    if needed > tensor._storage_._nbytes:
        tensor._storage_.resize_(needed)
    set_geometry(tensor, size, stride)
