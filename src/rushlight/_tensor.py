"""What PyTorch has here, too: a tensor's attributes, Python's protocols, conversions.

Its other members besides operators are in `_tensor_members`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

from rushlight._functions.methods import METHODS
from rushlight._tensor_members.deprecated import DeprecatedMembers
from rushlight._tensor_members.gradients import GradientMembers
from rushlight.engine.calls import comparison, copy, view
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state, symbolic, wrapped
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.objects import ELEMENT_TYPES
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import argument_types, call_cache, layers, overrides_hook
from rushlight.engine.dispatch.call_cache import HAS_SUBSCRIPT, Numbers, Sizes, steps
from rushlight.engine.dispatch.invalid_arguments import wrong_type
from rushlight.engine.native import heap_types
from rushlight.engine.ops import formats
from rushlight.engine.ops.dims import wrap_dim

# The views that an iteration goes through.
_rows = call_cache.public_function("unbind", lambda self: view.unbind_int(self, 0))

# Looked at in members that programs read often.
_SPARSE = keys.SPARSE_LAYOUTS
_COPY_ON_WRITE = keys.COPY_ON_WRITE


class Members:
    """Members of the tensor class that no operator schema describes."""

    __array_priority__ = 1000

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        from rushlight._tensor_members import construction

        return construction.new_tensor(cls, *args, **kwargs)

    # -- metadata --
    @property
    def shape(self: Any) -> Size:
        return self._size_

    def size(self: Any, dim: int | None = None) -> Any:
        """The sizes, or the size of one dimension."""
        if dim is None:
            return steps.Known.note(self._size_)
        return steps.Known.note(self._size_[wrap_dim(dim, len(self._size_), False)])

    def stride(self: Any, dim: int | None = None) -> Any:
        """The strides, or the stride of one dimension."""
        if self._keys_ & keys.SPARSE_CSR:
            sparse_tensors.check_has_strides(self)
        if dim is None:
            return steps.Known.note(self._stride_)
        return steps.Known.note(self._stride_[wrap_dim(dim, len(self._size_), False)])

    def dim(self: Any) -> int:
        return len(self._size_)

    ndimension = dim

    @property
    def ndim(self: Any) -> int:
        return len(self._size_)

    def numel(self: Any) -> int:
        return self._numel_

    nelement = numel

    @property
    def dtype(self: Any) -> dtypes.dtype:
        return self._dtype_

    @property
    def device(self: Any) -> devices.device:
        return self._storage_.device

    @property
    def layout(self: Any) -> layouts.layout:
        return sparse_tensors.layout_of(self) if self._keys_ & _SPARSE else layouts.strided

    @property
    def is_quantized(self: Any) -> bool:
        return self._keys_ & keys.QUANTIZED != 0

    @property
    def is_sparse(self: Any) -> bool:
        return self._keys_ & keys.SPARSE != 0

    @property
    def is_sparse_csr(self: Any) -> bool:
        return self.layout is layouts.sparse_csr

    def to_sparse_coo(self: Any) -> Any:
        """The tensor with coordinates and values of what is not zero."""
        return self.to_sparse()

    @property
    def itemsize(self: Any) -> int:
        return self._dtype_.itemsize

    def element_size(self: Any) -> int:
        return self._dtype_.itemsize

    @property
    def nbytes(self: Any) -> int:
        sparse_tensors.check_has_bytes(self)
        return self._numel_ * self._dtype_.itemsize

    def storage_offset(self: Any) -> int:
        return self._offset_

    def data_ptr(self: Any) -> int:
        """The address of the first element; 0 without elements."""
        if self._keys_ & _SPARSE:
            sparse_tensors.check_has_address(self)
        if self._keys_ & _COPY_ON_WRITE:
            self._storage_.own_bytes()
        first = self._storage_._ptr
        return first + self._offset_ * self._dtype_.itemsize if first and self._numel_ else 0

    def untyped_storage(self: Any) -> Any:
        sparse_tensors.check_has_storage(self)
        return self._storage_

    def is_contiguous(self: Any, memory_format: Any = layouts.contiguous_format) -> bool:
        if self._keys_ & keys.SPARSE_CSR:
            sparse_tensors.check_has_strides(self, "is_contiguous")
        is_usual = memory_format is layouts.contiguous_format
        if self._keys_ & keys.WRAPPED and not is_usual and wrapped.goes_through_batch(self):
            raise RuntimeError(
                "NYI: querying is_contiguous inside of vmap for memory_format other than "
                "torch.contiguous_format"
            )
        return steps.Known.note(formats.is_in_format(self, memory_format))

    def is_floating_point(self: Any) -> bool:
        return self._dtype_.category == dtypes.FLOATING

    def is_complex(self: Any) -> bool:
        return self._dtype_.category == dtypes.COMPLEX

    def is_signed(self: Any) -> bool:
        return self._dtype_.is_signed

    def is_conj(self: Any) -> bool:
        return bool(self._keys_ & keys.CONJUGATE)

    def is_neg(self: Any) -> bool:
        return bool(self._keys_ & keys.NEGATIVE)

    def dim_order(self: Any) -> tuple[int, ...]:
        """Dimensions from outermost to innermost in memory."""
        from rushlight.engine.loops.geometry import dimension_order

        if sparse_tensors.is_sparse(self):
            raise AttributeError(
                f"Can't get dim order on sparse type: {self.type()} Use Tensor.to_dense() to convert "
                "to a dense tensor first."
            )
        return tuple(reversed(dimension_order(self._size_, [self._stride_])))

    @property
    def is_cuda(self: Any) -> bool:
        return self._storage_.device.type == "cuda"

    @property
    def is_cpu(self: Any) -> bool:
        return self._storage_.device.type == "cpu"

    @property
    def is_meta(self: Any) -> bool:
        return self._storage_.device.type == "meta"

    is_mkldnn = is_nested = is_mps = False
    is_xpu = is_xla = is_ipu = is_vulkan = is_maia = is_mtia = False

    def get_device(self: Any) -> int:
        index = self._storage_.device.index
        return -1 if index is None else index

    @property
    def _version(self: Any) -> int:
        return tensors.version(self)

    def _is_view(self: Any) -> bool:
        return self._base is not None

    # -- transposes --
    @property
    def T(self: Any) -> Any:
        return view.numpy_T(self)

    @property
    def mT(self: Any) -> Any:
        return view.mT(self)

    @property
    def H(self: Any) -> Any:
        return view.matrix_H(self)

    @property
    def mH(self: Any) -> Any:
        return view.mH(self)

    @property
    def real(self: Any) -> Any:
        return view.real(self)

    @real.setter
    def real(self: Any, source: Any) -> None:
        view.real(self)[...] = source

    @property
    def imag(self: Any) -> Any:
        return view.imag(self)

    @imag.setter
    def imag(self: Any, source: Any) -> None:
        view.imag(self)[...] = source

    # -- types --
    def type(self: Any, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        """The name of the tensor's type, or the tensor as another type."""
        if dtype is None:
            from rushlight.engine.loops.promotion import title

            where = "sparse." if sparse_tensors.is_sparse(self) else ""
            where = "quantized." if self.is_quantized else where
            where = f"cuda.{where}" if self.is_cuda else where
            return steps.Known.note(f"torch.{where}{title(self._dtype_)}Tensor")
        if isinstance(dtype, dtypes.dtype):
            return self.to(dtype, non_blocking=non_blocking)
        from rushlight._tensor_members import construction

        kind, there = construction.type_named(dtype)
        own = self._storage_.device
        return self.to(own if there in (None, own.type) else there, kind, non_blocking=non_blocking)

    def cpu(self: Any, memory_format: Any = layouts.preserve_format) -> Any:
        return self.to("cpu", memory_format=memory_format)

    def cuda(
        self: Any,
        device: Any = None,
        non_blocking: bool = False,
        memory_format: Any = layouts.preserve_format,
    ) -> Any:
        """The tensor on a CUDA device."""
        return self.to(
            "cuda" if device is None else device, non_blocking=non_blocking,
            memory_format=memory_format,
        )  # fmt: skip

    # -- Python's protocols --
    def __len__(self: Any) -> int:
        if not self._size_:
            raise TypeError("len() of a 0-d tensor")
        return self._size_[0]

    def __iter__(self: Any) -> Iterator[Any]:
        if not self._size_:
            raise TypeError("iteration over a 0-d tensor")
        return iter(_rows(self))

    def __contains__(self: Any, element: Any) -> bool:
        if isinstance(element, (Tensor, int, float, complex)) and not isinstance(element, str):
            return bool((element == self).any().item())
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )

    def __bool__(self: Any) -> bool:
        if self._numel_ != 1:
            if self._numel_ == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if self._keys_ & keys.WRAPPED:
            return bool(self.is_nonzero())
        return bool(self.item())

    def __int__(self: Any) -> int:
        value = self.item() if self._numel_ == 1 else _one_number(self)
        return int(value if type(value) is not complex else _real_part(value, "int64_t"))

    def __float__(self: Any) -> float:
        _warn_of_lost_history(self)
        value = self.item() if self._numel_ == 1 else _one_number(self)
        return float(value if type(value) is not complex else _real_part(value, "double"))

    def __complex__(self: Any) -> complex:
        _warn_of_lost_history(self)
        return complex(_one_number(self))

    def __index__(self: Any) -> int:
        if self._numel_ != 1 or self._dtype_.category > dtypes.INTEGRAL:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __hash__(self) -> int:
        return id(self)

    def __dir__(self: Any) -> list[str]:
        return sorted({*object.__dir__(self)} - {"volatile", "__cuda_array_interface__"})

    def __format__(self: Any, spec: str) -> str:
        if not self._size_ and not self.is_meta and type(self) is Tensor:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    # -- subscripts --
    def __delitem__(self, index: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    # -- conversions --
    @property
    def __cuda_array_interface__(self: Any) -> dict[str, Any]:
        """Where a tensor on a GPU has its elements, for other libraries."""
        from rushlight.engine.ops import bridge

        if not self.is_cuda:
            raise AttributeError(
                f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data "
                "is required use tensor.cuda() to copy tensor to device memory."
            )
        sparse_tensors.check_has_address(self)
        if self.requires_grad:
            raise RuntimeError(
                "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
                "required, use var.detach() to get Variable that doesn't require grad."
            )
        item = self._dtype_.itemsize
        return {
            "typestr": bridge.TYPE_TEXTS.get(self._dtype_, f"<V{item}"),
            "shape": tuple(self._size_),
            "strides": None if self.is_contiguous() else tuple(s * item for s in self._stride_),
            "data": (self.data_ptr() if self._numel_ else 0, False),
            "version": 2,
        }

    def tolist(self: Any) -> Any:
        """The elements as nested lists of Python numbers."""
        is_plain = type(self) is Tensor and self._keys_ & ~keys.AUTOGRAD == keys.CPU
        if is_plain and self._dtype_ in ELEMENT_TYPES and heap_types.supported():
            # A trace has no elements.
            is_read = symbolic.trace() is None
            return steps.NestedList.note(
                self, tensors.machine()["to_list"](self) if is_read else []
            )
        if self._keys_ & keys.PYTHON:
            raise RuntimeError(
                f".tolist() is not supported for tensor subclasses, got {type(self).__name__}"
            )
        if self._keys_ & keys.WRAPPED and not wrapped.goes_through_batch(self):
            with layers.without_layers():
                return wrapped.bottom_of(self).tolist()
        sparse_tensors.check_has_address(self)
        if self._storage_.device.type in devices.memories:
            return self.cpu().tolist()
        if self._dtype_ in _WITHOUT_ARRAYS:
            return self.to(
                dtypes.float32 if self._dtype_.category == dtypes.FLOATING else dtypes.complex64
            ).tolist()
        from rushlight.engine.ops import bridge

        return bridge.array(self.resolve_conj().resolve_neg()).tolist()

    def numpy(self: Any, *, force: bool = False) -> Any:
        """The elements as a numpy array over the same memory."""
        from rushlight._tensor_members import construction

        if not isinstance(force, bool):
            raise TypeError(
                f"numpy(): argument 'force' must be bool, not {argument_types.name_of_type(force)}"
            )
        return construction.to_numpy(self, force)

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
        values = self.numpy()
        if dtype is not None and values.dtype != dtype:
            return values.astype(dtype)
        return values.copy() if copy else values

    def __dlpack__(
        self: Any,
        *,
        stream: Any = -1,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        from rushlight._tensor_members import dlpack

        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"cannot export a tensor on {self._storage_.device} to {dl_device}")
        lent = self.clone() if copy else self
        dlpack.prepare(lent, stream)
        return dlpack.capsule(lent, max_version)

    def __dlpack_device__(self: Any) -> tuple[int, int]:
        from rushlight._tensor_members import dlpack

        return dlpack.place_of(self)

    def __reversed__(self: Any) -> Any:
        return self.flip(0) if self._size_ else self

    def __array_wrap__(
        self: Any, array: Any, context: Any = None, return_scalar: bool = False
    ) -> Any:
        from rushlight._tensor_members import construction

        return construction.from_numpy(array.astype("uint8") if array.dtype == bool else array)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        from rushlight._tensor_members import copies

        return copies.deep_copy(self, memo)

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        from rushlight._tensor_members import copies

        return copies.reduce_tensor(self)

    def __repr__(self: Any, *, tensor_contents: str | None = None) -> str:
        from rushlight import _tensor_str

        return _tensor_str.text(self, tensor_contents)

    def __setstate__(self: Any, state: Any) -> None:
        from rushlight import _utils

        _utils.set_state(self, state)

    # -- subclasses --
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from rushlight._tensor_members import subclasses

        return subclasses.default_torch_function(cls, func, types, args, kwargs or {})

    def as_subclass(self: Any, cls: Any) -> Any:
        """The same tensor as an object of a subclass."""
        from rushlight._tensor_members import subclasses

        return subclasses.as_subclass(self, cls)

    @staticmethod
    def _make_subclass(cls: Any, data: Any, require_grad: bool = False, **unused: Any) -> Any:
        from rushlight._tensor_members import subclasses

        return subclasses.make_subclass(cls, data, require_grad)

    @staticmethod
    def _make_wrapper_subclass(cls: Any, size: Any, *args: Any, **options: Any) -> Any:
        from rushlight._tensor_members import subclasses

        return subclasses.make_wrapper_subclass(cls, size, *args, **options)

    def new(self: Any, *args: Any, **kwargs: Any) -> Any:
        """A tensor of this type and device from sizes, data or another tensor."""
        from rushlight._tensor_members import construction

        if self._keys_ & keys.SPARSE and not kwargs:
            return construction.legacy_sparse_tensor(self, *args)
        return construction.new_like(self, *args, **kwargs)

    def storage(self: Any) -> Any:
        from rushlight.storage import TypedStorage

        sparse_tensors.check_has_storage(self)
        return TypedStorage(wrap_storage=self._storage_, dtype=self._dtype_, _internal=True)

    _typed_storage = storage

    def storage_type(self: Any) -> Any:
        from rushlight import storage

        return storage.legacy_class(self._dtype_)

    def share_memory_(self: Any) -> Any:
        """Move the storage to memory that other processes can map."""
        # Python's own multiprocessing is to share it too, not to copy it.
        import rushlight.multiprocessing  # noqa: F401

        sparse_tensors.check_has_storage(self)
        self._storage_.share_memory_()
        return self

    def is_shared(self: Any) -> bool:
        sparse_tensors.check_has_storage(self)
        return self._storage_.is_shared()

    def new_tensor(
        self: Any,
        data: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **unused: Any,
    ) -> Any:
        """A new tensor with a copy of the data, like this one where nothing else is said."""
        from rushlight._tensor_members import construction

        return construction.tensor(
            data,
            dtype=dtype or self._dtype_,
            device=device or self._storage_.device,
            requires_grad=requires_grad,
        )

    def apply_(self: Any, function: Any) -> Any:
        """Replace every element by a Python function of it, one at a time."""
        from rushlight.engine.ops import bridge

        check_has_no_history("apply_", self)
        values = bridge.array(self)
        for position in _positions(self._size_):
            values[position] = function(values[position].item())
        tensors.bump_version(self)
        return self

    def map_(self: Any, other: Any, function: Any) -> Any:
        """Replace every element by a Python function of it and another tensor's element."""
        from rushlight.engine.ops import bridge

        if not isinstance(other, Tensor):
            raise wrong_type("map_", "other", 1, "Tensor", other)
        check_has_no_history("map_", self, other)
        values, others = bridge.array(self), bridge.array(other.expand_as(self))  # type: ignore[attr-defined]
        for position in _positions(self._size_):
            values[position] = function(values[position].item(), others[position].item())
        tensors.bump_version(self)
        return self


def check_has_no_history(name: str, *given: Any) -> None:
    """A Python function of elements has no gradient."""
    if any(tensor.requires_grad for tensor in given):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )


_WITHOUT_ARRAYS = frozenset({dtypes.bfloat16, dtypes.complex32, *dtypes.FLOAT8})


def _positions(size: tuple[int, ...]) -> Any:
    import itertools

    return itertools.product(*map(range, size))


def _only_element(tensor: Any) -> Any:
    """The value of a tensor with one element, as a Python number."""
    return comparison.item(tensor)


def _warn_of_lost_history(tensor: Any) -> None:
    """Say once that a number does not know what it was made of."""
    if tensor.requires_grad and state.thread.grad_enabled and state.may_warn("scalar"):
        warnings.warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
            "behavior.\nConsider using tensor.detach() first.",
            UserWarning,
            stacklevel=3,
        )


def _one_number(tensor: Any) -> Any:
    if tensor._numel_ != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return tensor.item()


def _real_part(value: complex, kind: str) -> float:
    """The number that a complex one is, if it has one part."""
    if value.imag:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return value.real


@cache
def _subscript() -> Any:
    """The module of subscripts, which is loaded with the first of them."""
    from rushlight.engine.ops.indexing import subscript

    return subscript


def _getitem(self: Any, index: Any) -> Any:
    found = _subscript().with_tensors(index)
    return _subscript().get(self, index) if found is index else self[found]


def _setitem(self: Any, index: Any, value: Any) -> None:
    found = _subscript().with_tensors(index)
    if found is index:
        _subscript().put(self, index, value)
    else:
        self[found] = value


# The element type of a number that `to` takes as a tensor to be like; whole ones are devices there.
NUMBERS: dict[type, Any] = {
    bool: dtypes.bool_,
    float: dtypes.float64,
    complex: dtypes.complex128,
}


def _to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The tensor with another element type, device or layout of memory; itself if nothing changes.

    Takes a dtype, a device (with an optional dtype), or another tensor or number to be like.
    """
    names = {"non_blocking", "copy", "memory_format", "dtype", "device", "other"}
    for name in kwargs:
        if name not in names:
            raise TypeError(f"to() got an unexpected keyword argument '{name}'")
    positional = list(args)
    dtype, device, other = kwargs.get("dtype"), kwargs.get("device"), kwargs.get("other")
    if positional and isinstance(positional[0], Tensor):
        other = positional.pop(0)
    elif positional and argument_types.is_dtype(positional[0]):
        dtype = positional.pop(0)
    elif positional and type(positional[0]) in NUMBERS:
        dtype = NUMBERS[type(positional.pop(0))]
    elif positional and isinstance(positional[0], (devices.device, str, int, type(None))):
        device = positional.pop(0)
        if positional and (positional[0] is None or argument_types.is_dtype(positional[0])):
            dtype = positional.pop(0)
    non_blocking = positional.pop(0) if positional else kwargs.get("non_blocking", False)
    copied = positional.pop(0) if positional else kwargs.get("copy", False)
    if positional or not isinstance(non_blocking, bool) or not isinstance(copied, bool):
        raise TypeError(
            "to() received an invalid combination of arguments - got "
            f"({', '.join(type(a).__name__ for a in args)})"
        )
    memory_format = kwargs.get("memory_format")
    if other is not None:
        return copy.to_other(self, other, non_blocking, copied, memory_format)
    if dtype is not None:
        dtype = argument_types.dtype_argument("to", dtype)
    if device is None:
        if dtype is None:
            return copy.to_dtype_layout(
                self, None, None, None, None, non_blocking, copied, memory_format
            )
        return copy.to_dtype(self, dtype, non_blocking, copied, memory_format)
    where = devices.device(device)
    if dtype is None:
        return copy.to_dtype_layout(
            self, self._dtype_, self.layout, where, None, non_blocking, copied, memory_format
        )
    return copy.to_device(self, where, dtype, non_blocking, copied, memory_format)


def _contiguous(self: Any, *, memory_format: Any = layouts.contiguous_format) -> Any:
    """The tensor with its elements in order in memory; itself if they are."""
    return copy.contiguous(self, memory_format)


def _copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Take over the elements of another tensor, broadcast and converted."""
    if isinstance(src, (int, float, complex)):
        return copy.fill__Scalar(self, src)
    if not isinstance(src, Tensor):
        raise wrong_type("copy_", "other", 1, "Tensor", src)
    return copy.copy_(self, src, non_blocking)


def _conversion(kind: dtypes.dtype) -> Any:
    def convert(self: Any, *, memory_format: Any = None) -> Any:
        return copy.to_dtype(self, kind, False, False, memory_format)

    convert.__doc__ = f"The tensor with elements of type {kind}."
    return convert


_CONVERSIONS = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16, "long": dtypes.int64, "int": dtypes.int32, "short": dtypes.int16,
    "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_, "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128, "chalf": dtypes.complex32,
}  # fmt: skip


_MEMBERS = {**vars(DeprecatedMembers), **vars(Members), **vars(GradientMembers)}

# Methods whose result the metadata decide, so that the call cache knows it.
_KNOWN = ("size", "stride", "is_contiguous")
# Views that are properties.
_TRANSPOSES = ("T", "mT", "H", "mH")
_VIEWS = (*_TRANSPOSES, "real", "imag", "data")

# Members that a subclass's `__torch_function__` may answer, besides the generated ones.
_ASKING = (
    "requires_grad_", "backward", "register_hook", "retain_grad",
    *_TRANSPOSES, "real", "imag", "data", "cpu", "type", "new_tensor", "numpy",
    "__repr__", "__deepcopy__", "__reduce_ex__", "__reversed__", "__format__", "apply_", "map_",
    "map2_", "resize", "resize_as", "module_load", "to_sparse_coo",
    "is_distributed",
)  # fmt: skip

# Methods written in Python that go through the call cache, with what their calls are like.
_REMEMBERED = {
    "numpy": 0,
    "cpu": 0,
    "type": 0,
    "new_tensor": call_cache.TAKES_LISTS | call_cache.TAKES_ARRAYS,
}


def _let_overrides_answer(name: str) -> None:
    member = _MEMBERS[name]
    if isinstance(member, property):
        assert member.fget is not None
        getter = overrides_hook.asking(member.fget, lambda: made.__get__)
        if name in _VIEWS:
            getter = call_cache.public_function(name, getter)
        made: Any = property(getter, member.fset, member.fdel)
    else:
        parsed = name in ("requires_grad_", "type", "new_tensor", "apply_", "map_", "map2_")
        found = overrides_hook.overloaded if parsed else overrides_hook.overloaded_or_tensor
        habits = _REMEMBERED.get(name)
        told = None if habits is None else lambda: getattr(Tensor, name)
        made = overrides_hook.asking(member, told, found)
        if habits is not None:
            made = call_cache.public_method(name, made, habits=habits)
    setattr(Tensor, name, made)


# Methods for which others are asked than arguments and those in lists.
_ASKED = {
    "item": overrides_hook.overloaded_or_tensor,
    "tolist": overrides_hook.overloaded_or_tensor,
    "__getitem__": overrides_hook.overloaded_in_subscript,
    "__setitem__": overrides_hook.overloaded_in_subscript,
}


def _public(
    name: str,
    function: Any,
    numbers: Any = call_cache.no_numbers,
    habits: int = 0,
    sizes: Any = call_cache.no_sizes,
) -> Any:
    """A method in Python that goes through the call cache and asks overrides."""
    found = _ASKED.get(name, overrides_hook.overloaded)
    asking = overrides_hook.asking(function, lambda: getattr(Tensor, name), found)
    return call_cache.public_method(name, asking, numbers, habits, sizes)


def attach() -> None:
    """Complete the tensor class: generated methods first, then the members above."""
    from rushlight._names import namespace
    from rushlight._tensor_members import metadata_overrides

    namespace.fill_methods()
    for name, value in _MEMBERS.items():
        if name not in ("__dict__", "__weakref__", "__module__", "__qualname__", "__doc__"):
            setattr(Tensor, name, value)
    for name in _KNOWN:
        setattr(Tensor, name, call_cache.public_method(name, _MEMBERS[name]))
    for name in _ASKING:
        _let_overrides_answer(name)
    Tensor.to = _public("to", _to)  # type: ignore[attr-defined]
    Tensor.contiguous = _public("contiguous", _contiguous)  # type: ignore[attr-defined]
    Tensor.copy_ = _public("copy_", _copy_)  # type: ignore[attr-defined]
    Tensor.item = _public("item", _only_element)  # type: ignore[attr-defined]
    Tensor.tolist = _public("tolist", Members.tolist)  # type: ignore[attr-defined]
    for name, function in METHODS.items():
        setattr(Tensor, name, _public(name, function))
    for name, kind in _CONVERSIONS.items():
        setattr(Tensor, name, _public(name, _conversion(kind)))
    Tensor.__getitem__ = _public(  # type: ignore[attr-defined]
        "__getitem__", _getitem, habits=HAS_SUBSCRIPT, sizes=lambda: Sizes(0b10)
    )
    Tensor.__setitem__ = _public(  # type: ignore[attr-defined]
        "__setitem__",
        _setitem,
        lambda: Numbers.at([2], checked=True),
        HAS_SUBSCRIPT,
        lambda: Sizes(0b10),
    )
    Tensor.__str__ = Tensor.__repr__  # type: ignore[method-assign, assignment]
    metadata_overrides.attach()


def __getattr__(name: str) -> Any:
    """Programs look here for what pickled tensors are made with."""
    if name == "_rebuild_from_type_v2":
        from rushlight import _utils

        return _utils._rebuild_from_type_v2
    raise AttributeError(f"module 'rushlight._tensor' has no attribute '{name}'")
