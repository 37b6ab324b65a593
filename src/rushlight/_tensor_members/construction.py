"""Tensors from data and back: `tensor`, `as_tensor`, numpy arrays, buffers, legacy constructors."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls.remembered import creation as remembered
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, sparse, state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import argument_types, modes, resolver
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import promotion
from rushlight.engine.native.array_objects import ArrayStandIn, is_plain_array
from rushlight.engine.native.numpy_later import is_array, is_number, np
from rushlight.engine.ops import bridge, numbers
from rushlight.engine.ops.creation import from_data
from rushlight.engine.ops.kinds import pinning


def _placed(made: Tensor, device: Any, requires_grad: bool) -> Tensor:
    target = state.default_device() if device is None else devices.device(device)
    if target.type != "cpu":
        made = copies.to_device(made, target, made._dtype_)
    return _finished(made, requires_grad)


def _finished(made: Tensor, requires_grad: bool) -> Tensor:
    if state.thread.inference:
        made._keys_ |= keys.INFERENCE
    if not requires_grad:
        return made
    steps.Unrepeatable.note()
    return resolver.wanting_gradient(made)


def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new tensor with a copy of the data.

    Args:
        data: a number, nested sequences of numbers, an array or a tensor
        dtype: the element type; inferred from the data if not given
        device: where the tensor is made
        requires_grad: whether operations on it are recorded
        pin_memory: whether it is in memory that devices read
    """
    if pin_memory:
        made = pinning.pinned(tensor(data, dtype=dtype, device=device))
        return _finished(made, requires_grad)
    if isinstance(data, Tensor):
        steps.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than "
            "torch.tensor(sourceTensor).",
            stacklevel=2,
        )
        device = device or data._storage_.device
    kind = None if dtype is None else argument_types.dtype_argument("tensor", dtype)
    if modes.is_watched():
        return _watched(data, kind, device, requires_grad)
    if type(data) in (float, int, bool) and not requires_grad:
        kind = kind or promotion.number_dtype(data)
        if _fits(data, kind):
            return creation.full((), data, kind, None, devices.device(device) if device else None)
    if type(data) not in (list, tuple) and _is_lent(data):
        made = copies.clone(_over(data))
        return _finished(_moved(made, kind, device), requires_grad)
    return _placed(from_data.tensor_from_data(data, kind), device, requires_grad)


def _watched(data: Any, kind: Any, device: Any, requires_grad: bool) -> Tensor:
    """A tensor of data within modes, which see what comes of it and not how it is made."""
    if isinstance(data, Tensor):
        made = _placed(from_data.tensor_from_data(data, kind), device, False)
        return _finished(copies.lift_fresh(made), requires_grad)
    target = state.default_device() if device is None else devices.device(device)
    with state.excluding(keys.PYTHON_MODE):
        made = from_data.tensor_from_data(data, kind)
        if target.is_here:
            made = _placed(made, target, False)
    lifted = copies.lift_fresh(made)
    if target.is_here:
        return _finished(lifted, requires_grad)
    return _placed(lifted, target, requires_grad)


def _fits(number: Any, kind: dtypes.dtype) -> bool:
    """Whether a number can be an element; what cannot be one meets the errors of data."""
    if kind.category == dtypes.INTEGRAL:
        is_whole = kind is not dtypes.uint64 or (type(number) is not float and number >= 0)
        return is_whole and numbers.fits_integer(number, kind)
    return abs(number) < 2**127 or not math.isfinite(number)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """The data as a tensor, without a copy where that is possible."""
    if dtype is not None:
        dtype = argument_types.dtype_argument("as_tensor", dtype)
    if isinstance(data, Tensor):
        return data.to(device=device or data.device, dtype=dtype or data.dtype)  # type: ignore[attr-defined, no-any-return]
    if type(data) not in (list, tuple) and _is_lent(data):
        return _moved(_over(data), dtype, device)
    if is_array(data) or is_plain_array(data):
        made = from_numpy(data)
        return _placed(made if dtype is None else copies.to_dtype(made, dtype), device, False)
    if hasattr(data, "__dlpack__"):
        made = from_dlpack(data)
        return _placed(made if dtype is None else copies.to_dtype(made, dtype), device, False)
    return tensor(data, dtype=dtype, device=device)


def _is_lent(data: Any) -> bool:
    """Whether an object of another library says where its elements are on a GPU."""
    return hasattr(data, "__cuda_array_interface__") and not isinstance(data, Tensor)


def _over(array: Any) -> Tensor:
    """A tensor over such an object's elements."""
    from rushlight._tensor_members import cuda_arrays

    return cuda_arrays.tensor_over(array)


def _moved(made: Tensor, dtype: Any, device: Any) -> Tensor:
    """A tensor of a GPU, where it is wanted, which is there if nobody says."""
    return made.to(device=device or made._storage_.device, dtype=dtype or made._dtype_)  # type: ignore[attr-defined, no-any-return]


def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """An object as a tensor, sharing its memory where possible unless ``copy`` says otherwise."""
    if dtype is not None:
        dtype = argument_types.dtype_argument("asarray", dtype)
    if copy is False and is_number(obj):
        raise RuntimeError(
            "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "
        )
    if type(obj).__name__ == "PyCapsule":
        shared = from_dlpack(obj)
        made = as_tensor(shared, dtype, device)
    elif isinstance(obj, Tensor) or any(hasattr(obj, name) for name in _INTERFACES):
        shared = as_tensor(obj)
        made = as_tensor(shared, dtype, device)
    elif _has_buffer(obj):
        shared = made = frombuffer(obj, dtype=dtype or dtypes.float32)
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    if copy is False and made._storage_ is not shared._storage_:
        here, there = shared._storage_.device, made._storage_.device
        if here is not there:
            raise ValueError(f"can't alias tensor from device '{here}' to '{there}'.")
        raise ValueError(
            f"can't alias tensor with dtype '{promotion.title(shared._dtype_)}' into dtype "
            f"'{promotion.title(made._dtype_)}'."
        )
    if copy and made._storage_ is shared._storage_:
        made = copies.clone(made)
    return made.requires_grad_() if requires_grad else made  # type: ignore[attr-defined, no-any-return]


# By what objects show their elements to other libraries.
_INTERFACES = "__cuda_array_interface__", "__array__", "__dlpack__"


def _has_buffer(obj: Any) -> bool:
    """Whether an object shows its memory as a buffer."""
    try:
        memoryview(obj).release()
    except (TypeError, BufferError):
        return False
    return True


def _check_strides(values: Any) -> None:
    """Raise for an array whose elements are at places that no strides of a tensor tell."""
    if any(s % values.dtype.itemsize for s in values.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy "
            "array to reallocate the memory."
        )
    if any(s < 0 for s in values.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) "
        )


def from_numpy(ndarray: Any) -> Tensor:
    """A tensor over a numpy array's memory."""
    if not is_array(ndarray) and not is_plain_array(ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    from_data.native(ndarray)
    if not ndarray.flags.c_contiguous:
        _check_strides(ndarray)
    if not ndarray.flags.writeable:
        _warn_of_read_only("NumPy array")
    made = _finished(bridge.tensor_over(ndarray), False)
    if modes.is_watched():
        return copies.lift_fresh(made)  # type: ignore[no-any-return]
    if ndarray.flags.writeable:
        steps.Adopted.note(ndarray, made)
    else:
        steps.Unrepeatable.note()
    return made


def _warn_of_read_only(what: str) -> None:
    """Say once for each caller that memory which must not be written is lent to a tensor."""
    warnings.warn(
        f"The given {what} is not writable, and tensors always are: a change of this tensor would "
        "change memory that others rely on. Copy it before, if the tensor is to be changed.",
        UserWarning,
        stacklevel=3,
    )


def frombuffer(
    buffer: Any,
    *,
    dtype: dtypes.dtype,
    count: int = -1,
    offset: int = 0,
    requires_grad: bool = False,
) -> Tensor:
    """A one-dimensional tensor over the memory of an object with the buffer protocol."""
    if not _has_buffer(buffer):
        raise ValueError("object does not implement Python buffer protocol.")
    if not memoryview(buffer).c_contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    count, offset = operator.index(count), operator.index(offset)
    raw = np.frombuffer(buffer, np.uint8)
    length = raw.nbytes
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({length} bytes) minus 1"
        )
    if count < 0:
        if (length - offset) % dtype.itemsize:
            raise ValueError(
                f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a "
                f"multiple of element size ({dtype.itemsize})"
            )
        count = (length - offset) // dtype.itemsize
    if offset + count * dtype.itemsize > length:
        raise ValueError(
            f"requested buffer length ({count} * {dtype.itemsize} bytes) after offset ({offset} "
            f"bytes) must not be greater than actual buffer length ({length} bytes)"
        )
    if not raw.flags.writeable:
        _warn_of_read_only("buffer")
    part = raw[offset : offset + count * dtype.itemsize]
    over = bridge.tensor_over(part)
    made = tensors.from_storage(over._storage_, dtype, (count,), (1,))
    return made.requires_grad_() if requires_grad else made  # type: ignore[attr-defined, no-any-return]


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory that another library's tensor exports.

    Args:
        ext_tensor: an object with the method `__dlpack__`, or a capsule from one
        device: where the tensor is to be
        copy: whether the memory is copied; None for only where that is necessary
    """
    from rushlight._tensor_members import dlpack

    if isinstance(ext_tensor, Tensor):
        made = copies.clone(ext_tensor) if copy else copies.alias(ext_tensor)
    else:
        made = dlpack.tensor_from(ext_tensor, copy)
    if device is not None and devices.device(device) is not made._storage_.device:
        if copy is False:
            raise ValueError(f"cannot move the tensor to {device} without a copy")
        made = made.to(device)  # type: ignore[attr-defined]
    return made


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: Any = None,
    **unused: Any,
) -> Tensor:
    """A one-dimensional tensor over a file."""
    from rushlight.engine.core import state
    from rushlight.engine.core.storage import UntypedStorage

    kind = dtype or state.default_dtype()
    count = size or 0
    held = UntypedStorage.from_file(filename, bool(shared), count * kind.itemsize)
    return tensors.from_storage(held, kind, (count,), (1,))


def new_tensor(cls: type, *args: Any, **kwargs: Any) -> Tensor:
    """``Tensor(...)``: sizes, data, or another tensor, always of the default type."""
    from rushlight.engine.core import state

    only = args[0] if len(args) == 1 and not kwargs else None
    kind = only._dtype_ if isinstance(only, Tensor) else state.default_dtype()
    made = legacy_tensor(kind, *args, **kwargs)
    if cls is Tensor:
        return made
    from rushlight._tensor_members import subclasses

    return subclasses.make_subclass(cls, made)


def _is_size(item: Any) -> bool:
    """Whether an argument is a whole number, which may be numpy's, and no data."""
    is_number = hasattr(item, "__index__") and not isinstance(item, bool)
    return is_number and not getattr(item, "ndim", 0)


def _legacy_device(device: Any, expected: str) -> devices.device:
    """The device that an old constructor is given, which must be of its own kind."""
    kind = device.type if isinstance(device, devices.device) else str(device).partition(":")[0]
    if kind != expected:
        raise RuntimeError(
            f"legacy constructor expects device type: {expected} but device type: {kind} was passed"
        )
    return devices.device(device)


def new_like(source: Tensor, *args: Any, device: Any = None, **kwargs: Any) -> Tensor:
    """``tensor.new(...)``: the same for the type and the device of a tensor."""
    if len(args) == 1 and isinstance(args[0], Tensor) and device is not None:
        raise RuntimeError(
            "Legacy tensor new of the form tensor.new(tensor, device=device) is not supported.  "
            "Use torch.as_tensor(...) instead."
        )
    own = source._storage_.device
    if device is None and not (len(args) == 1 and isinstance(args[0], Tensor)):
        device = own
    return legacy_tensor(source._dtype_, *args, device=device, expected=own.type, **kwargs)


def legacy_tensor(
    kind: dtypes.dtype, *args: Any, device: Any = None, expected: str = "cpu", **kwargs: Any
) -> Tensor:
    """What ``FloatTensor(...)`` and the like make: of sizes, data, a storage or another tensor."""
    data = kwargs.pop("data", None)
    if kwargs:
        raise TypeError(f"new() received an unexpected keyword argument '{next(iter(kwargs))}'")
    if data is not None:
        args = (data,)
    only = args[0] if len(args) == 1 else None
    where = None if device is None else _legacy_device(device, expected)
    if isinstance(only, Tensor):
        if where is not None:
            raise RuntimeError(
                "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not "
                "supported.  Use torch.tensor(...) or torch.as_tensor(...) instead."
            )
        if only._dtype_ is not kind:
            raise TypeError(f"expected {kind} (got {only._dtype_})")
        return copies.alias(only)
    if hasattr(only, "untyped"):
        return from_data.over_storage(only, kind)
    if isinstance(only, Size) or all(map(_is_size, args)):
        size = only if isinstance(only, Size) else tuple(map(operator.index, args)) or (0,)
        return remembered.empty_memory_format(size, kind, None, where)  # type: ignore[no-any-return]
    if hasattr(only, "__len__") or hasattr(only, "__array__"):
        return _placed(from_data.remembered_tensor(only, kind), where, False)
    if len(args) == 1:
        raise TypeError(f"new(): data must be a sequence (got {type(only).__name__})")
    raise TypeError(
        f"new(): invalid combination of arguments: {', '.join(type(a).__name__ for a in args)}"
    )


def legacy_sparse_tensor(like: Tensor, *args: Any) -> Tensor:
    """What ``new`` of a sparse tensor makes: of nothing, of sizes, or of indices and values."""
    from rushlight.sparse.construct import sparse_coo_tensor

    if args and isinstance(args[0], Tensor):
        return sparse_coo_tensor(*args, dtype=like._dtype_)
    size = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    return sparse_coo_tensor(tuple(size) or (0,), dtype=like._dtype_)


def to_numpy(source: Tensor, force: bool) -> Any:
    """The elements as an array over the same memory; with ``force``, whatever it takes."""
    if source._keys_ == keys.CPU and source._numel_ and source._dtype_ in bridge.NUMPY:
        return _array_over(source)
    if force and not sparse.is_sparse(source):
        source = source.detach().cpu().resolve_conj().resolve_neg()  # type: ignore[attr-defined]
    if source._keys_ & keys.PYTHON and not source._keys_ & keys.AUTOGRAD:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    if sparse.is_sparse(source):
        from rushlight.engine.ops.sparse.parts import title_of_layout

        raise TypeError(
            f"can't convert {title_of_layout(source)} layout tensor to numpy. Use Tensor.to_dense() "
            "first."
        )
    if source._storage_.device.type != "cpu":
        raise TypeError(
            f"can't convert {source._storage_.device} device type tensor to numpy. Use Tensor.cpu() "
            f"to copy the tensor to host memory first."
        )
    if source._keys_ & keys.AUTOGRAD and state.thread.grad_enabled:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if source._keys_ & keys.CONJUGATE:
        raise RuntimeError(
            "Can't call numpy() on Tensor that has conjugate bit set. Use "
            "tensor.resolve_conj().numpy() instead."
        )
    if source._keys_ & keys.NEGATIVE:
        raise RuntimeError(
            "Can't call numpy() on Tensor that has negative bit set. Use "
            "tensor.resolve_neg().numpy() instead."
        )
    if source._dtype_ not in bridge.NUMPY:
        raise TypeError(f"Got unsupported ScalarType {_title(source._dtype_)}")
    return _array_over(source)


def _title(kind: dtypes.dtype) -> str:
    from rushlight.engine.loops.promotion import title

    return title(kind)


class _Kept:
    """A tensor as numpy is told about it; an array over it keeps its storage alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Tensor) -> None:
        tensors.check_still_inside(owner)
        kind = owner._dtype_
        self.owner = owner._storage_.exported()
        self.__array_interface__ = {
            "version": 3,
            "shape": tuple(owner._size_),
            "typestr": bridge.TYPE_TEXTS[kind],
            "data": (tensors.data_pointer(owner), False),
            "strides": tuple([s * kind.itemsize for s in owner._stride_]),
        }


def _array_over(tensor: Tensor) -> Any:
    """An array over a tensor's memory."""
    if not tensor._numel_:
        return bridge.array(tensor)
    if symbolic.trace() is not None:
        kind = np.dtype(bridge.NUMPY[tensor._dtype_])
        strides = tuple(s * kind.itemsize for s in tensor._stride_)
        return steps.Exported.note(tensor, ArrayStandIn(kind, tuple(tensor._size_), strides))
    made = np.asarray(_Kept(tensor))
    return steps.Exported.note(tensor, made) if tensor._keys_ == keys.CPU else made


def type_named(kind: Any) -> tuple[dtypes.dtype, str | None]:
    """The element type and the kind of device that a name or a class such as ``torch.FloatTensor`` stands for."""
    from rushlight.engine.loops.promotion import title

    if not isinstance(kind, (str, type)) and not hasattr(kind, "__name__"):
        raise TypeError("dtype must be a type, str, or dtype object")
    if kind is Tensor or kind == "torch.Tensor":
        return state.default_dtype(), None
    name = kind if isinstance(kind, str) else f"torch.{getattr(kind, '__name__', kind)}"
    if getattr(kind, "__module__", None) == "torch.cuda":
        name = f"torch.cuda.{kind.__name__}"
    for found in dtypes.ALL:
        if name == f"torch.{title(found)}Tensor":
            return found, "cpu"
        if name == f"torch.cuda.{title(found)}Tensor":
            check_type_is_there(name)
            return found, "cuda"
    raise ValueError(f"invalid type: {name!r}")


def check_type_is_there(name: str) -> None:
    """Raise for a type of tensors or storages of CUDA devices where there are none."""
    from rushlight.engine.cuda import context

    if not context.count():
        raise TypeError(f"type {name} not available. Torch not compiled with CUDA enabled.")
