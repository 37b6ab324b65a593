"""Copies, casts, fills and changes of a tensor's storage."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as calls
from rushlight.engine.calls import creation
from rushlight.engine.core import device as devices
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import storage as storages
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype as DType
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.specialise import of_any_device
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plan import Chain, Plan
from rushlight.engine.loops.plans import PlanTable, calls_nothing, notes_device_steps
from rushlight.engine.loops.promotion import c_name, compute_type, title
from rushlight.engine.ops import answers, formats, numbers, unwritten
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import (
    copied_types,
    elementwise_loop,
    fill_loop,
    unchanged,
)
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta, view

_copy_plans = PlanTable()
_copy_loops = PlanTable()
_fill_loops = PlanTable()
_zero_loops = PlanTable()


def copy_loop(target: Any, source: Tensor, offset: int = 0) -> Any:
    """The loop that writes ``source``'s elements to ``target`` (a tensor or a template).

    ``offset`` is where in the target's memory they go, in bytes from its first element.
    """
    kind = target._dtype_ if isinstance(target, Tensor) else target.dtype
    types = copied_types(kind, source._dtype_)
    return elementwise_loop(unchanged, [target], [source], *types, (offset, 0), unchanged)


def copied(source: Tensor, dtype: DType, stride: tuple[int, ...]) -> Tensor:
    """A new CPU tensor with the elements of ``source``."""
    key = (source._flags_, source._size_, source._stride_, dtype, stride)
    plan = _copy_plans.get(key)
    if plan is None:
        template = Template(source._size_, stride, dtype)
        plan = _copy_plans[key] = Plan(copy_loop(template, source), [template])
    return steps.Produced.note(plan, (source,), plan.produce(source))


@cpu("copy_")
def copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if self is src:
        tensors.bump_version(self)
        return self
    if src._storage_._device_code == devices.meta.code:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if geometry.broadcast_sizes(self._size_, src._size_) != self._size_:
        raise RuntimeError(
            f"The size of tensor a ({list(self._size_)}) must match the size of tensor b ({list(src._size_)})"
        )
    outputs.check_written_once(self)
    outputs.check_no_partial_overlap(self, (src,))
    key = (self._flags_, self._size_, self._stride_, src._flags_, src._size_, src._stride_)
    loop = _copy_loops.get(key)
    if loop is None:
        loop = _copy_loops[key] = copy_loop(self, src)
    loop.run(self, src)
    steps.Mapped.note(loop, (self, src), 1)
    tensors.bump_version(self)
    return self


def copy_all(targets: Sequence[Tensor], sources: Sequence[Tensor]) -> None:
    """Copy each tensor to one of its size, as a single step: a call repeats all of it or nothing."""
    storages = {id(t._storage_) for t in targets}
    is_plain = all(t._keys_ == keys.CPU for t in (*targets, *sources))
    if not is_plain or len(storages) < len(targets):
        for target, source in zip(targets, sources):
            calls.copy_(target, source, False)
        return
    for target in targets:
        outputs.check_written_once(target)
    key = tuple((t._flags_, t._size_, t._stride_) for t in (*targets, *sources))
    chain = _copy_loops.get(key)
    if chain is None:
        loops = [copy_loop(target, source) for target, source in zip(targets, sources)]
        links = [(loop, [k, len(loops) + k]) for k, loop in enumerate(loops)]
        chain = _copy_loops[key] = Chain(2 * len(loops), links)
    chain.run(*targets, *sources)
    steps.Written.note(chain, (*targets, *sources), len(targets))
    for target in targets:
        tensors.bump_version(target)


@meta("copy_")
@of_any_device
def copy_to_meta(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    geometry.broadcast_sizes(self._size_, src._size_)
    if self._storage_._device_code != devices.meta.code:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    return self


@explicit("copy")
def copy(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    return calls.copy_(calls.clone(self), src, non_blocking)


@cpu("clone")
@calls_nothing
@notes_device_steps
def clone(self: Tensor, memory_format: Any) -> Tensor:
    return copied(self, self._dtype_, formats.strides_like(self, memory_format))


@meta("clone")
def clone_meta(self: Tensor, memory_format: Any) -> Tensor:
    stride = formats.strides_like(self, memory_format)
    return tensors.empty_strided(self._size_, stride, self._dtype_, self._storage_.device)


def _references_to_what_is_held_once() -> int:
    held = object()
    holder = [held]
    count = sys.getrefcount(held)
    del holder
    return count


# How often something is referred to that one object and a variable hold; asking counts in some versions of Python.
_HELD_ONCE = _references_to_what_is_held_once()


@explicit("_lazy_clone")
@of_any_device
def lazy_clone(self: Tensor) -> Tensor:
    """A clone whose elements are copied when it, or the tensor, is written."""
    steps.Unrepeatable.note()
    storage = self._storage_
    is_alone = sys.getrefcount(storage) == _HELD_ONCE
    users = [self] if is_alone else gc.get_referrers(storage)
    over_it = [user for user in users if isinstance(user, Tensor)]
    is_exported = storage._flags & objects.EXPORTED and len(over_it) < len(users)
    # Views that the collector does not look at would go unnoticed.
    is_unseen = not is_alone and gc.get_freeze_count()
    held = None if is_exported or is_unseen else storage.lazy_clone()
    if held is None:
        return calls.clone(self, layouts.preserve_format)
    for tensor in over_it:
        tensor._keys_ |= keys.COPY_ON_WRITE
    return tensors.from_storage(held, self._dtype_, self._size_, self._stride_, self._offset_)


@composite("_test_parallel_materialize")
def write_in_parallel(self: Tensor, num_parallel: int, skip_first: bool) -> Tensor:
    """Refuse a tensor whose bytes are to be copied when a loop first writes them.

    Its threads would copy them several times; who writes must do so before.

    Args:
        self: the tensor
        num_parallel: how many steps the loop has
        skip_first: whether the first of them writes nothing
    """
    writes = num_parallel > 1 or not skip_first
    if writes and self._storage_.is_copied_later():
        raise RuntimeError(
            "Materializing a storage in the loop function of at::parallel_for is forbidden"
        )
    return steps.Same.note(self)


@composite("_test_check_tensor")
def check_elements(self: Tensor) -> Tensor:
    """Raise unless all of these truth values are true."""
    if not answers.are_all(self):
        raise RuntimeError("Test message for TORCH_CHECK_TENSOR_ALL")
    return steps.Same.note(self)


@composite("contiguous")
def contiguous(self: Tensor, memory_format: Any) -> Tensor:
    if formats.is_in_format(self, memory_format):
        return steps.Same.note(self)
    if memory_format is layouts.preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return calls.clone(self, memory_format)


@cpu("_to_copy")
@calls_nothing
def to_copy(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> Tensor:
    target = dtype or self._dtype_
    stride = formats.strides_like(self, memory_format)
    if device is not None and device.type != "cpu":
        if device.type in devices.memories and devices.memories[device.type].copies_tensors:
            made = creation.empty_strided(self._size_, stride, target, None, device, None)
            return calls.copy_(made, self, non_blocking)
        made = tensors.empty_strided(self._size_, stride, target, device)
        if device.type in devices.memories and made._numel_:
            here = copied(self, target, stride)
            write = devices.memories[device.type].write
            write(made._storage_._ptr, tensors.data_pointer(here), made._storage_._nbytes)
        return made
    return copied(self, target, stride)


@meta("_to_copy")
def to_copy_meta(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    memory_format: Any,
) -> Tensor:
    if device is not None and device.type != "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    stride = formats.strides_like(self, memory_format)
    return tensors.empty_strided(self._size_, stride, dtype or self._dtype_, self._storage_.device)


def convert(
    self: Tensor,
    dtype: Any,
    device: Any,
    non_blocking: bool,
    copy: bool,
    memory_format: Any,
    layout: Any = None,
) -> Tensor:
    """What every form of ``to`` does: nothing, if nothing changes and no copy is asked for."""
    here = self._storage_.device
    elsewhere = (
        device is not None
        and devices.place(device) is not here
        and not (device.type == here.type == "cpu")
    )
    keeps_format = memory_format in (None, layouts.preserve_format) or formats.is_suggested(
        self, memory_format
    )
    if not copy and not elsewhere and dtype in (None, self._dtype_) and keeps_format:
        return steps.Same.note(self)
    return calls._to_copy(self, dtype, layout, device, None, non_blocking, memory_format)


@composite("to.dtype_layout")
def to_dtype_layout(
    self: Tensor,
    dtype: Any,
    layout: Any,
    device: Any,
    pin_memory: Any,
    non_blocking: bool,
    copy: bool,
    memory_format: Any,
) -> Tensor:
    own: Any = self.layout  # type: ignore[attr-defined]
    if layout is not None and layout is not own:
        raise RuntimeError(
            "to(options) doesn't support converting to a different layout, but got self.layout being "
            f"{_told(own)} and options.layout set as {_told(layout)}"
        )
    return convert(self, dtype, device, non_blocking, copy, memory_format, layout)


def _told(layout: Any) -> str:
    """What messages call a layout."""
    name = str(layout).rpartition(".")[2].title().replace("_", "")
    return "Sparse" if name == "SparseCoo" else name


@composite("to.device")
def to_device(
    self: Tensor, device: Any, dtype: Any, non_blocking: bool, copy: bool, memory_format: Any
) -> Tensor:
    return convert(self, dtype, device, non_blocking, copy, memory_format)


@composite("to.dtype")
def to_dtype(
    self: Tensor, dtype: Any, non_blocking: bool, copy: bool, memory_format: Any
) -> Tensor:
    return convert(self, dtype, None, non_blocking, copy, memory_format)


@composite("to.other")
def to_other(
    self: Tensor, other: Tensor, non_blocking: bool, copy: bool, memory_format: Any
) -> Tensor:
    return convert(self, other._dtype_, other._storage_.device, non_blocking, copy, memory_format)


@composite("type_as")
def type_as(self: Tensor, other: Tensor) -> Tensor:
    return convert(self, other._dtype_, other._storage_.device, False, False, None)


# -- fills --


@cpu("fill_.Scalar")
@notes_device_steps
def fill_number(self: Tensor, value: Any) -> Tensor:
    number = numbers.checked(value, self._dtype_)
    kind = numbers.given_type(value, self._dtype_)
    if kind is None:
        kind = compute_type(self._dtype_)
        steps.ByValue.note()
    else:
        number = value
    key = (self._flags_, self._size_, self._stride_, kind)
    loop = _fill_loops.get(key)
    if loop is None:
        loop = _fill_loops[key] = elementwise_loop(
            unchanged, [self], [number], [self._dtype_.memory], [kind], [kind], identity=unchanged
        )
    loop.run(self, number)
    steps.Written.note(loop, (self, number), 1)
    tensors.bump_version(self)
    return self


@meta("fill_.Scalar")
def fill_number_meta(self: Tensor, value: Any) -> Tensor:
    return self


@explicit("fill_.Tensor")
def fill_tensor(self: Tensor, value: Tensor) -> Tensor:
    if value._size_:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {len(value._size_)} dimensions."
        )
    if value._storage_ is self._storage_:
        value = calls.clone(value)
    if geometry.may_overlap_itself(self._size_, self._stride_):
        return calls.fill__Scalar(self, numbers.read_element(value))
    return calls.copy_(self, value, False)


@explicit("_test_functorch_fallback")
def test_functorch_fallback(self: Tensor, other: Tensor) -> Tensor:
    return calls.clone(self)  # type: ignore[no-any-return]


@explicit("fill.Scalar")
def fill_scalar_copy(self: Tensor, value: Any) -> Tensor:
    return calls.fill__Scalar(calls.clone(self), value)


@explicit("fill.Tensor")
def fill_tensor_copy(self: Tensor, value: Tensor) -> Tensor:
    return calls.fill__Tensor(calls.clone(self), value)


@explicit("zero")
def zero(self: Tensor) -> Tensor:
    return calls.zero_(calls.clone(self))


@explicit("zero_")
def zero_(self: Tensor) -> Tensor:
    return calls.fill__Scalar(self, 0)


@cpu("zero_")
@notes_device_steps
def zero_on_cpu(self: Tensor) -> Tensor:
    key = (self._flags_, self._size_, self._stride_)
    loop = _zero_loops.get(key)
    if loop is None:
        whole = Template(self._size_, self._stride_, self._dtype_)
        loop = _zero_loops[key] = fill_loop(whole, 0)
    loop.run(self)
    steps.Written.note(loop, (self,), 1)
    tensors.bump_version(self)
    return self


# -- the same elements for autograd's and functionalization's purposes --


@view("alias", "lift_fresh", "lift")
def alias(self: Tensor) -> Any:
    return self._size_, self._stride_, self._offset_


@explicit("detach")
def detach(self: Tensor) -> Tensor:
    """The same elements without a history; it counts as no view."""
    return steps.View.note(self, tensors.same_elements(self))


@explicit("detach_")
def detach_(self: Tensor) -> Tensor:
    return self


# -- storage --


@explicit("resize")
def resize(self: Tensor, size: Any, memory_format: Any) -> Tensor:
    return calls.resize_(calls.clone(self), size, memory_format)


@explicit("resize_")
def resize_(self: Tensor, size: Any, memory_format: Any) -> Tensor:
    if any(s < 0 for s in size):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(size)}: {list(size)}"
        )
    if memory_format is layouts.preserve_format:
        raise RuntimeError("Unsupported memory format preserve_format")
    if tuple(size) != self._size_ or memory_format is not None:
        _resize(self, tuple(size), formats.strides_in(tuple(size), memory_format))
    return self


def _resize(self: Tensor, size: tuple[int, ...], stride: Any) -> None:
    steps.Unrepeatable.note()
    before = self._storage_._nbytes
    tensors.resize(self, size, stride)
    unwritten.fill_grown(self, before)


@explicit("resize_as")
def resize_as(self: Tensor, the_template: Tensor, memory_format: Any) -> Tensor:
    return calls.resize_as_(calls.clone(self), the_template, memory_format)


@explicit("resize_as_")
@of_any_device
def resize_as_(self: Tensor, the_template: Tensor, memory_format: Any) -> Tensor:
    if memory_format is layouts.preserve_format:
        memory_format = None
        _resize(self, the_template._size_, formats.strides_like(the_template, None))
        return self
    return resize_(self, the_template._size_, memory_format)


def _adopt(self: Tensor, storage: Any, offset: int, size: Any, stride: Any) -> Tensor:
    """Put a tensor over another storage; its version goes on counting."""
    if storage.device is not self._storage_.device:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{self._storage_.device}" to a '
            f'storage on different device "{storage.device}". This is no longer allowed; the devices '
            "must match."
        )
    if not self._keys_ & keys.PYTHON:
        storage.check_memory()
    self._counter_ = tensors.VersionCounter(tensors.version(self) + 1)
    self._storage_ = storage
    self._keys_ |= storage.keys & keys.COPY_ON_WRITE
    tensors.set_geometry(self, tuple(size), tuple(stride), offset)
    return self


def set_storage(self: Tensor, storage: Any, offset: int, size: Any, stride: Any) -> Tensor:
    """`set_` to a part of a storage."""
    if any(s < 0 for s in stride):
        raise RuntimeError(f"negative strides are not supported: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    step = tuple(stride) if len(stride) or not len(size) else sizes.contiguous_strides(tuple(size))
    if len(step) != len(size):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(step)})")
    needed = sizes.storage_bytes(tuple(size), step, offset, self._dtype_.itemsize)
    if needed > storage._nbytes:
        storage.resize_(needed)
    return _adopt(self, storage, offset, size, step)


@explicit("set_.source_Tensor_storage_offset")
def set_to_part_of_tensor(
    self: Tensor, source: Tensor, storage_offset: int, size: Any, stride: Any
) -> Tensor:
    return set_storage(self, source._storage_, storage_offset, size, stride)


@explicit("set_.source_Tensor")
@of_any_device
def set_to_tensor(self: Tensor, source: Tensor) -> Tensor:
    if self._dtype_ is not source._dtype_:
        raise RuntimeError(
            f"Could not set tensor of type {source._dtype_._name} to a tensor of type {self._dtype_._name}"
        )
    return _adopt(self, source._storage_, source._offset_, source._size_, source._stride_)


@explicit("set_")
def set_empty(self: Tensor) -> Tensor:
    fresh = tensors.empty((0,), self._dtype_, self._storage_.device)
    return _adopt(self, fresh._storage_, 0, (0,), (1,))


@explicit("set_.source_Storage")
def set_to_storage(self: Tensor, source: Any) -> Tensor:
    held = _bytes_for(self, source)
    count = held._nbytes // self._dtype_.itemsize
    return _adopt(self, held, 0, (count,), (1,))


@explicit("set_.source_Storage_storage_offset")
def set_to_part_of_storage(
    self: Tensor, source: Any, storage_offset: int, size: Any, stride: Any
) -> Tensor:
    return set_storage(self, _bytes_for(self, source), storage_offset, size, stride)


def _bytes_for(self: Tensor, source: Any) -> Any:
    """The bytes of a storage, whose elements must be of the tensor's type if they have one."""
    kind = getattr(source, "dtype", self._dtype_)
    if kind is not self._dtype_:
        raise RuntimeError(
            f"Expected a Storage of type {c_name(self._dtype_)} or an UntypedStorage, but got "
            f"type {title(kind)} for argument 1 'storage'"
        )
    return source.untyped()


@explicit("is_set_to")
@of_any_device
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    return (
        self._storage_ is tensor._storage_
        and self._offset_ == tensor._offset_
        and self._size_ == tensor._size_
        and self._stride_ == tensor._stride_
    )


@explicit("_version")
def version_of(self: Tensor) -> int:
    return tensors.version(self)


@composite("is_pinned")
def is_pinned(self: Tensor, device: Any) -> bool:
    if state.has_pinned:
        return self._storage_.is_pinned()
    return steps.Known.note(False)  # type: ignore[no-any-return]


@composite("pin_memory")
def pin_memory(self: Tensor, device: Any) -> Tensor:
    if self._storage_.device is not devices.cpu:
        kind = f"torch.{self._storage_.device.type}.{title(self._dtype_)}Tensor"
        raise RuntimeError(f"cannot pin '{kind}' only dense CPU tensors can be pinned")
    return steps.Same.note(self) if self._storage_.is_pinned() else calls._pin_memory(self, device)


@cpu("_pin_memory")
def pinned_copy(self: Tensor, device: Any) -> Tensor:
    """The elements in memory that stays where it is, for a device to read."""
    # The first use of a device makes it known where such memory comes from.
    devices.device("cuda" if device is None else device).is_here  # noqa: B018
    steps.Unrepeatable.note()
    stride = formats.strides_like(self, layouts.preserve_format)
    nbytes = sizes.storage_bytes(self._size_, stride, 0, self._dtype_.itemsize)
    made = tensors.from_storage(storages.pinned(nbytes), self._dtype_, self._size_, stride)
    return calls.copy_(made, self, False)
