"""Parameters and buffers: tensors that a module keeps."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys, objects
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache, overrides_hook, resolver
from rushlight.engine.dispatch.overrides_hook import disabled_torch_function

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "is_lazy",
]


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    """A tensor of another class counts as a parameter if it says so."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        return (
            cls is Parameter
            and isinstance(instance, Tensor)
            and getattr(instance, "_is_param", False)
        )


def _own_class(data: Tensor, cls: Any) -> Any:
    """The same elements as a tensor of the class, without a history."""
    made: Any = object.__new__(cls)
    made._storage_, made._size_, made._stride_ = data._storage_, data._size_, data._stride_
    made._dtype_, made._offset_, made._numel_ = data._dtype_, data._offset_, data._numel_
    made._flags_ = data._flags_ & ~objects.WRAPPED_NUMBER
    made._keys_, made._counter_ = data._storage_.device.key, data._counter_
    made._base = made._autograd_ = None
    made._keys_ |= data._keys_ & (keys.STORES | keys.COPY_ON_WRITE)
    return made


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a module trains: it is found by `Module.parameters`.

    Args:
        data: the elements
        requires_grad: whether they want a gradient
    """

    __torch_function__ = classmethod(disabled_torch_function)

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        import rushlight

        if data is None:
            data = rushlight.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            made = _own_class(data, cls)
            return resolver.wanting_gradient(made, is_new=True) if requires_grad else made
        found = data.detach().requires_grad_(requires_grad)
        if type(found) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that "
                "detach() returns an instance of the same type, but return type "
                f"{type(found).__name__} was found instead. To use the type as a Parameter, please "
                "correct the detach() semantics defined by its __torch_dispatch__() implementation."
            )
        found._is_param = True
        return found

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        held: Any = self.data
        made = type(self)(held.clone(memory_format=layouts.preserve_format), self.requires_grad)
        memo[id(self)] = made
        return made

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        plain = self.data.requires_grad_(self.requires_grad)
        return f"Parameter containing:\n{plain!r}"

    __str__ = __repr__  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild_parameter, (self.data, self.requires_grad, dict(self.__dict__))


call_cache.count_as_plain(Parameter)
overrides_hook.add_plain(Parameter)


def _rebuild_parameter(data: Any, requires_grad: bool, attributes: dict[str, Any]) -> Any:
    made = Parameter(data, requires_grad)
    made.__dict__.update(attributes)
    return made


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    """A tensor counts as a buffer if it says so."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        return (
            cls is Buffer
            and isinstance(instance, Tensor)
            and getattr(instance, "_is_buffer", False)
        )


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module keeps without training it.

    Args:
        data: the elements
        persistent: whether it is part of the module's `state_dict`
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        import rushlight

        if data is None:
            data = rushlight.empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    __torch_function__ = classmethod(disabled_torch_function)


REFUSED = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
    "`forward` to initialize the parameters before accessing their attributes."
)


# What makes sense without a shape.
_HARMLESS = {
    "__get__", "__set__", "__hash__", "__deepcopy__", "__reduce_ex__", "_own_class", "bfloat16",
    "bool", "byte", "char", "copy_", "cpu", "cuda", "detach", "double", "float", "get_device",
    "half", "int", "is_complex", "is_floating_point", "long", "requires_grad_", "short", "to",
}  # fmt: skip


class UninitializedTensorMixin:
    """What is common to tensors that get their shape later."""

    cls_to_become: Any = None

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Refuse what needs a shape."""
        if getattr(func, "__name__", "") not in _HARMLESS:
            raise ValueError(
                f"Attempted to use an uninitialized parameter in {func}. This error happens when "
                "you are using a `LazyModule` or explicitly manipulating "
                f"`torch.nn.parameter.{cls.__name__}` objects. When using LazyModules Call "
                "`forward` with a dummy batch to initialize the parameters before calling torch "
                "functions"
            )
        return disabled_torch_function(cls, func, types, args, kwargs)

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Give the tensor its shape; from now on it is an ordinary one."""
        import rushlight

        device = device or self._storage_.device
        self.data = rushlight.empty(shape, device=device, dtype=dtype or self._dtype_)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        raise RuntimeError(REFUSED)

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return type(self), (self.requires_grad, self._storage_.device, self._dtype_)

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"


def is_lazy(item: Any) -> bool:
    """Whether a tensor has no shape yet."""
    return isinstance(item, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is found when its module is first called."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        import rushlight

        data = rushlight.empty(0, device=device, dtype=dtype)
        return _own_class(data, cls).requires_grad_(requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self._storage_.device, self._dtype_)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is found when its module is first called."""

    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        import rushlight

        data = rushlight.empty(0, device=device, dtype=dtype)
        made = _own_class(data, cls)
        made.persistent = persistent
        made._is_buffer = True
        return made.requires_grad_(requires_grad)
