"""How tensors come back from files, and what else libraries expect under this name of PyTorch's.

The names of the functions are part of PyTorch's file format.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from rushlight._functions import flattening
from rushlight._tensor_members import construction
from rushlight.engine.calls import sparse as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, quantized, sparse
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.device import device
from rushlight.engine.core.storage import UntypedStorage
from rushlight.engine.core.tensor import Tensor
from rushlight.storage import TypedStorage

_ANY_NUMBER = (1 << 63) - 1
_FLAGS = {"conj": keys.CONJUGATE, "neg": keys.NEGATIVE}


def _is_geometry(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(type(v) is int and v >= 0 for v in value)


def _check_geometry(nbytes: int, itemsize: int, offset: Any, size: Any, stride: Any) -> None:
    """A file may say anything: refuse a tensor that would reach outside its storage."""
    if not (_is_geometry(size) and _is_geometry(stride) and _is_geometry((offset,))):
        raise RuntimeError(f"invalid geometry of a tensor: {size}, {stride}, {offset}")
    if len(size) != len(stride):
        raise RuntimeError(f"a tensor has {len(size)} sizes and {len(stride)} strides")
    if sizes.numel(size) > _ANY_NUMBER:
        raise RuntimeError(f"a tensor cannot have the size {list(size)}")
    needed = 0 if 0 in size else sizes.storage_extent(size, stride, offset) * itemsize
    if needed > nbytes:
        raise RuntimeError(
            f"a tensor of size {list(size)} needs a storage of {needed} bytes, which has {nbytes}"
        )


def _over(held: Any, kind: dtypes.dtype, offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor that looks at a storage."""
    if not (isinstance(held, UntypedStorage) and isinstance(kind, dtypes.dtype)):
        raise RuntimeError(f"a tensor cannot be made of {type(held)} and {kind}")
    abstract = held.device.type == "meta"
    # Without bytes nothing can be read beyond their end: the storage becomes as large as it has to be.
    nbytes = _ANY_NUMBER if abstract else held.nbytes()
    _check_geometry(nbytes, kind.itemsize, offset, size, stride)
    if abstract:
        needed = sizes.storage_extent(size, stride, offset) * kind.itemsize
        held.resize_(max(held.nbytes(), needed))
    dtypes.check_not_quantized(kind)
    return tensors.from_storage(held, kind, tuple(size), tuple(stride), offset)


def _finish(made: Any, requires_grad: bool, metadata: dict[str, bool] | None) -> Any:
    """Add what a file says beyond elements and geometry."""
    for name in metadata or {}:
        made._keys_ |= _FLAGS[name] if metadata[name] else 0  # type: ignore[index]
    return made.requires_grad_() if requires_grad else made


def tensor_metadata(source: Tensor) -> dict[str, bool]:
    """The marks of a tensor that its elements do not show."""
    return {name: True for name, flag in _FLAGS.items() if source._keys_ & flag}


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    if not isinstance(storage, TypedStorage):
        raise RuntimeError(f"a tensor cannot be made of {type(storage)}")
    return _over(storage.untyped(), storage.dtype, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Any:
    made = _rebuild_tensor(storage, storage_offset, size, stride)
    return _finish(made, requires_grad, metadata)


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: dtypes.dtype,
    metadata: Any = None,
) -> Any:
    held = storage.untyped() if isinstance(storage, TypedStorage) else storage
    made = _over(held, dtype, storage_offset, size, stride)
    return _finish(made, requires_grad, metadata)


def _rebuild_qtensor(
    storage: Any, storage_offset: int, size: Any, stride: Any, quantizer_params: Any,
    requires_grad: bool, backward_hooks: Any,
) -> Any:  # fmt: skip
    if not isinstance(storage, TypedStorage):
        raise RuntimeError(f"a tensor cannot be made of {type(storage)}")
    held, kind = storage.untyped(), storage.dtype
    return rebuild_quantized(held, kind, storage_offset, size, stride, quantizer_params)


def rebuild_quantized(
    storage: UntypedStorage, dtype: dtypes.dtype, offset: int, size: Any, stride: Any, meaning: Any
) -> Tensor:
    """A quantized tensor from its parts, as `copies.quantized_parts` gives them."""
    quantized.check_quantized_type(dtype)
    quantized.check_whole_bytes(dtype)
    _check_geometry(storage.nbytes(), dtype.itemsize, offset, size, stride)
    made = tensors.from_storage(storage, dtype, tuple(size), tuple(stride), offset)
    return quantized.describe(made, _quantizer(tuple(size), meaning))


def _quantizer(size: tuple[int, ...], meaning: Any) -> quantized.Quantizer:
    """What numbers mean, as a file says it; that is checked."""
    if not (isinstance(meaning, tuple) and meaning and isinstance(meaning[0], layouts.qscheme)):
        raise RuntimeError(f"invalid scale of a quantized tensor: {meaning}")
    scheme, *rest = meaning
    if scheme is layouts.per_tensor_affine and len(rest) == 2:
        return quantized.PerTensor(float(rest[0]), int(rest[1]))
    if len(rest) == 3 and all(isinstance(part, Tensor) for part in rest[:2]):
        from rushlight.engine.ops.quantized.making import channels

        return channels(size, *rest)
    raise RuntimeError(f"Can't deserialize quantized tensor with qscheme {scheme}")


def _rebuild_meta_tensor_no_storage(
    dtype: dtypes.dtype, size: Any, stride: Any, requires_grad: bool
) -> Any:
    if not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"a tensor cannot have the type {dtype}")
    _check_geometry(_ANY_NUMBER, dtype.itemsize, 0, size, stride)
    made = tensors.empty_strided(tuple(size), tuple(stride), dtype, device("meta"))
    return _finish(made, requires_grad, None)


def _rebuild_wrapper_subclass(
    cls: Any, dtype: Any, size: Any, stride: Any, storage_offset: int, layout: Any, device: Any,
    requires_grad: bool,
) -> Any:  # fmt: skip
    return Tensor._make_wrapper_subclass(
        cls, size, strides=stride, storage_offset=storage_offset, layout=layout, device=device,
        requires_grad=requires_grad, dtype=dtype,
    )  # fmt: skip


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    if layout in layouts.COMPRESSED:
        return _rebuild_compressed(layout, data)
    if layout is not layouts.sparse_coo:
        raise NotImplementedError(f"tensors of layout {layout} cannot be read yet")
    if not (isinstance(data, tuple) and len(data) in (3, 4) and _is_geometry(data[2])):
        raise RuntimeError(f"invalid parts of a sparse tensor: {data}")
    _check_parts(data[:2])
    coalesced = len(data) == 4 and bool(data[3])
    indices, values, size = data[:3]
    made: Tensor = calls._sparse_coo_tensor_unsafe(indices, values, size, is_coalesced=coalesced)
    return _to_be_checked(made)


def _check_parts(parts: tuple[Any, ...]) -> None:
    """Refuse parts whose elements share memory: looking at them all could take for ever."""
    for part in parts:
        if not isinstance(part, Tensor):
            raise RuntimeError("the parts of a sparse tensor are tensors")
        if part._numel_ * part._dtype_.itemsize > part._storage_.nbytes():
            raise RuntimeError(
                f"a part of a sparse tensor of size {list(part._size_)} does not fit into its "
                f"storage of {part._storage_.nbytes()} bytes"
            )


def _rebuild_compressed(layout: Any, data: Any) -> Any:
    if not (isinstance(data, tuple) and len(data) == 4 and _is_geometry(data[3])):
        raise RuntimeError(f"invalid parts of a sparse tensor: {data}")
    _check_parts(data[:3])
    compressed, plain, values, size = data
    made: Tensor = calls._sparse_compressed_tensor_unsafe(
        compressed, plain, values, size, layout=layout
    )
    return _to_be_checked(made)


def _to_be_checked(made: Tensor) -> Tensor:
    """Check a sparse tensor, now or at the end of the file."""
    if _unchecked.pending is None:
        _check_sparse(made)
    else:
        _unchecked.pending.append(made)
    return made


class _Unchecked(threading.local):
    """Sparse tensors of the file that this thread reads, if it reads one."""

    pending: list[Tensor] | None = None


_unchecked = _Unchecked()


def _check_sparse(made: Tensor) -> None:
    """Raise for parts that do not make a sparse tensor."""
    parts = sparse.parts_of(made)
    if sparse.is_coordinates(made):
        calls._validate_sparse_coo_tensor_args(
            parts.indices, parts.values, made._size_, parts.coalesced
        )
    else:
        from rushlight.engine.ops.sparse.making_compressed import look_at_indices

        look_at_indices(made)


@contextlib.contextmanager
def checking_at_the_end() -> Iterator[None]:
    """A block at whose end the indices of the sparse tensors made in it are looked at."""
    before, _unchecked.pending = _unchecked.pending, []
    try:
        yield
        for made in _unchecked.pending:
            _check_sparse(made)
    finally:
        _unchecked.pending = before


def _rebuild_parameter(data: Any, requires_grad: bool, backward_hooks: Any) -> Any:
    from rushlight.nn.parameter import Parameter

    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(
    data: Any, requires_grad: bool, backward_hooks: Any, state: Any
) -> Any:
    made = _rebuild_parameter(data, requires_grad, backward_hooks)
    set_attributes(made, state)
    return made


def set_state(made: Tensor, state: Any) -> None:
    """Give a rebuilt tensor its attributes."""
    attributes, slots = state if isinstance(state, tuple) else (state, {})
    made.__dict__.update(attributes or {})
    for name, value in slots.items():
        setattr(made, name, value)


def set_attributes(made: Tensor, state: Any) -> None:
    """Give a tensor the attributes that a file says it has, but nothing that tensors rely on."""
    slots = state[1] if isinstance(state, tuple) and len(state) == 2 else {}
    for name in slots or {}:
        if hasattr(Tensor, name):
            raise RuntimeError(f"a file cannot set the attribute {name} of a tensor")
    set_state(made, state)


def _rebuild_from_type_v2(func: Any, new_type: type, args: Any, state: Any) -> Any:
    """A tensor of a subclass, or one with attributes."""
    made = func(*args)
    if not (isinstance(made, Tensor) and issubclass(new_type, Tensor)):
        raise RuntimeError(f"{new_type} is not a class of tensors")
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    if type(made).__setstate__ is not Tensor.__setstate__:
        made.__setstate__(state)
    else:
        set_attributes(made, state)
    return made


def __getattr__(name: str) -> Any:
    if name == "_rebuild_nested_tensor":
        from rushlight.engine.ops.nested import classes

        return classes._rebuild_nested_tensor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _rebuild_device_tensor_from_numpy(
    data: Any, dtype: dtypes.dtype, device: Any, requires_grad: bool
) -> Any:
    made = construction.from_numpy(data).to(dtype=dtype, device=device)  # type: ignore[attr-defined]
    return _finish(made, requires_grad, None)


def _rebuild_device_tensor_from_cpu_tensor(
    data: Any, dtype: dtypes.dtype, device: Any, requires_grad: bool
) -> Any:
    return _finish(data.to(dtype=dtype, device=device), requires_grad, None)


# -- what libraries ask about types, devices and names --
_flatten_dense_tensors = flattening.flatten_dense
_unflatten_dense_tensors = flattening.unflatten_dense
_flatten_sparse_tensors = flattening.flatten_sparse
_unflatten_sparse_tensors = flattening.unflatten_sparse
_take_tensors = flattening.take
_reorder_tensors_as = flattening.reorder_as


def _element_size(dtype: Any) -> int:
    """The number of bytes of an element."""
    if not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _handle_complex(tensor: Any) -> Any:
    """A complex tensor as a view of pairs; any other as it is."""
    from rushlight import view_as_real

    return view_as_real(tensor) if tensor.is_complex() else tensor


def _get_device_index(found: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device, which may be a number, a name or a device.

    Args:
        found: the device
        optional: whether None and a device without a number stand for the current one
        allow_cpu: whether the processor, whose number is -1, is allowed
    """
    if isinstance(found, int):
        return found
    place = device(found) if isinstance(found, str) else found
    if isinstance(place, device):
        if place.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {found}")
        if place.type == "cpu":
            return -1
        if place.index is not None:
            return place.index
    if optional and (place is None or isinstance(place, device)):
        return get_current_device_index()
    raise ValueError(
        f"Expected a torch.device with a specified index or an integer, but got:{found}"
    )


def _get_available_device_type() -> str | None:
    """The kind of accelerator that is there."""
    from rushlight import accelerator

    found = accelerator.current_accelerator(check_available=True)
    return None if found is None else found.type


def _get_device_module(device_type: str) -> Any:
    """The module of a kind of device: ``torch.cuda`` for "cuda"."""
    import rushlight

    found = getattr(rushlight, device_type, None)
    if found is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return found


def _get_device_attr(get_member: Callable[[Any], Any]) -> Any:
    """What a function finds in the module of the accelerator; None if there is no accelerator."""
    kind = _get_available_device_type()
    return None if kind is None else get_member(_get_device_module(kind))


def _get_all_device_indices() -> list[int] | None:
    """The numbers of all accelerators, if there are any."""
    found: list[int] | None = _get_device_attr(lambda module: list(range(module.device_count())))
    return found


def _get_current_device_index() -> int | None:
    """The number of the current accelerator, if there is one."""
    found: int | None = _get_device_attr(lambda module: module.current_device())
    return found


def _get_devices_properties(device_ids: Iterable[int]) -> list[Any]:
    """The properties of accelerators."""

    def properties(index: int) -> Any:
        return _get_device_attr(lambda module: module.get_device_properties(index))

    return [properties(index) for index in device_ids]


def get_current_device_index() -> int:
    """The number of the current accelerator; -1 for none."""
    found = _get_current_device_index()
    return -1 if found is None else found


def _get_async_or_non_blocking(
    function_name: str, non_blocking: bool, kwargs: dict[str, Any]
) -> bool:
    """Whether a copy may go on in the background, also by the name that this had before."""
    if not kwargs:
        return non_blocking
    if len(kwargs) != 1 or "async" not in kwargs:
        raise TypeError(
            f"{function_name}() got an unexpected keyword argument '{next(iter(kwargs))}'"
        )
    warnings.warn("'async' is deprecated; use 'non_blocking'", stacklevel=2)
    return bool(kwargs["async"])


def _import_dotted_name(name: str) -> Any:
    """The object that a name with dots stands for."""
    first, *rest = name.split(".")
    found = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


class classproperty:
    """A property of a class, as it is one of its instances."""

    def __init__(self, func: Any) -> None:
        self.func = func

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.func(type(instance) if owner is None else owner)


# -- what `pickle` finds in rushlight's own pickles --
def rebuild_sparse(
    layout: Any, parts: tuple[Tensor, ...], size: Any, coalesced: bool, requires_grad: bool
) -> Tensor:
    """A sparse tensor from its pickled parts."""
    *indices, values = parts
    if len(indices) == 1:
        made = calls.sparse_coo_tensor_indices_size(
            indices[0], values, size, is_coalesced=coalesced
        )
    else:
        made = calls.sparse_compressed_tensor_comp_plain_value_size(
            indices[0], indices[1], values, size, layout=layout
        )
    return made.requires_grad_() if requires_grad else made  # type: ignore[attr-defined, no-any-return]


def rebuild_tensor(
    cls: type,
    storage: Any,
    dtype: dtypes.dtype,
    size: Any,
    stride: Any,
    offset: int,
    flags: int,
    requires_grad: bool,
) -> Tensor:
    """A tensor from its pickled parts."""
    made = tensors.from_storage(storage, dtype, size, stride, offset, cls)
    made._keys_ |= flags
    return made.requires_grad_() if requires_grad else made  # type: ignore[attr-defined, no-any-return]


# -- exceptions that are carried to another thread or process --
class KeyErrorMessage(str):
    """A text that a KeyError shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception that was caught in one place and is to be raised in another.

    Args:
        exc_info: what `sys.exc_info` gave; that of the exception being handled if None
        where: the place, as it stands in a sentence
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind: Any
        kind, error, trace = sys.exc_info() if exc_info is None else exc_info
        self.exc_type: type[BaseException] = kind
        self.exc_msg = "".join(traceback.format_exception(kind, error, trace))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise the exception here; a RuntimeError if its class wants other arguments."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if issubclass(self.exc_type, KeyError):
            raise self.exc_type(KeyErrorMessage(text))
        try:
            error = self.exc_type(text)
        except Exception:
            # The class is somebody else's: what it does with one text cannot be foreseen.
            raise RuntimeError(text) from None
        raise error
