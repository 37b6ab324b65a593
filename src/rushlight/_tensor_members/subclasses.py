"""Subclasses of the tensor: their making, and what operators give them by default."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, layout, state
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import cached, has_symbols, known
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import overrides_hook
from rushlight.engine.native import heap_types

_FIELDS = (*tensors.objects.TENSOR_WORDS, *tensors.objects.TENSOR_SLOTS)


def as_subclass(source: Tensor, cls: type) -> Any:
    """The same tensor as an object of a subclass."""
    from rushlight.engine.calls import copy

    _check(cls)
    with overrides_hook.without_subclasses():
        return _dressed(copy.alias(source), cls)


def make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
    """An object of a subclass over a tensor's memory, apart from the tensor's history."""
    from rushlight.engine.calls import copy

    _check(cls)
    with overrides_hook.without_subclasses():
        made = _dressed(copy.detach(data), cls)
        made._base = None
        return made.requires_grad_() if require_grad else made


def make_wrapper_subclass(
    cls: type,
    size: Any,
    strides: Any = None,
    storage_offset: int | None = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = layout.strided,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    *unused: Any,
    **unused_too: Any,
) -> Any:
    """An object of a subclass that has metadata but no memory of its own."""
    _check(cls)
    if not hasattr(cls, "__torch_dispatch__"):
        raise RuntimeError(
            "_make_wrapper_subclass requires that the class has a __torch_dispatch__ method"
        )
    where = device if type(device) is devices.device else devices.device(device or "cpu")
    kind = dtype or state.default_dtype()
    shape = size if type(size) is sizes.Size else sizes.Size(size)
    stride = sizes.contiguous_strides(shape) if strides is None else tuple(strides)
    offset = storage_offset or 0
    if has_symbols((*shape, *stride, offset)):
        made = _of_symbols(kind, shape, stride, offset, where, cls)
    else:
        made = _of_integers(_template(shape, stride, offset, kind, where), cls)
    return made.requires_grad_() if requires_grad else made


def wrapper_maker(
    cls: type, size: sizes.Size, stride: tuple[int, ...], dtype: Any, device: Any
) -> Callable[[], Any]:
    """What makes such wrappers one after the other, as `make_wrapper_subclass` does each time anew."""
    if has_symbols((*size, *stride)) or not heap_types.supported():
        return lambda: make_wrapper_subclass(cls, size, stride, dtype=dtype, device=device)
    template = _template(size, stride, 0, dtype, device)
    made: Any = functools.partial(tensors.machine()["wrap"], template.address, cls)
    made.template = template
    return made  # type: ignore[no-any-return]


class WrapperTemplate(NamedTuple):
    """What a tensor without memory looks like: its metadata, and words for machine code (`objects.WRAPPER`)."""

    size: sizes.Size
    stride: tuple[int, ...]
    offset: int
    dtype: Any
    device: Any
    words: Any
    address: int


@cached(4096)
def _template(
    size: sizes.Size, stride: tuple[int, ...], offset: int, dtype: Any, device: Any
) -> WrapperTemplate:
    stride = sizes.intern_strides(stride)
    nbytes = sizes.storage_bytes(size, stride, offset, dtype.itemsize)
    found = device.key | keys.PYTHON
    if dtype.category == dtypes.QUANTIZED:
        found |= keys.QUANTIZED
    words = (ctypes.c_int64 * 9)(
        id(size), id(stride), id(dtype), tensors.flags_for(dtype, size, stride),
        found, sizes.numel(size), nbytes, offset, device.code,
    )  # fmt: skip
    return WrapperTemplate(size, stride, offset, dtype, device, words, ctypes.addressof(words))


def _of_integers(template: WrapperTemplate, cls: type) -> Any:
    if heap_types.supported():
        return tensors.machine()["wrap"](template.address, cls)
    from rushlight.engine.core import storage

    size, stride, offset, dtype, device, words, _ = template
    held = storage.from_pointer(0, words[6], device, cls)
    made: Any = tensors.from_storage(held, dtype, size, stride, offset, cls)
    made._keys_ |= keys.PYTHON
    return made


def _of_symbols(kind: Any, shape: Any, stride: Any, offset: Any, where: Any, cls: type) -> Any:
    """A tensor whose sizes are symbols; counts, which fields hold as words, are what they are now."""
    from rushlight.engine.core import storage

    nbytes = sizes.storage_bytes(shape, stride, offset, kind.itemsize)
    held = storage.from_pointer(0, known(nbytes), where, cls)
    size_now, stride_now = (tuple(map(known, items)) for items in (shape, stride))
    made: Any = tensors.from_storage(held, kind, size_now, stride_now, known(offset), cls)
    made._size_, made._stride_ = sizes.intern(shape), sizes.intern_strides(stride)
    made._flags_ = tensors.flags_for(kind, shape, stride)
    if isinstance(getattr(cls, "_offset_", None), property):
        made._offset_ = offset
    made._keys_ |= keys.PYTHON
    return made


def _check(cls: Any) -> None:
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not "
            "possible. Make sure your class inherits from Tensor."
        )


def _dressed(source: Tensor, cls: type) -> Any:
    """An object of another class with all that makes up a tensor."""
    made: Any = object.__new__(cls)
    for name in _FIELDS:
        setattr(made, name, getattr(source, name))
    if hasattr(cls, "__torch_dispatch__"):
        made._keys_ |= keys.PYTHON
    return made


def _converted(result: Any, cls: type) -> Any:
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else as_subclass(result, cls)
    if isinstance(result, (tuple, list)):
        return type(result)(_converted(item, cls) for item in result)
    return result


def default_torch_function(
    cls: type, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a subclass does with a call by default: make it, and dress the results."""
    if not all(issubclass(cls, other) for other in types):
        return NotImplemented
    with overrides_hook.without_subclasses():
        result = func(*args, **kwargs)
    return result if cls is Tensor else _converted(result, cls)
