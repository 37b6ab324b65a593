"""How overrides get to answer for a tensor's metadata: ``x.shape``, ``x.dim()``, ``len(x)``.

These members are read often and do next to nothing, so they look at no switch. A class that
overrides `__torch_function__` gets members of its own that ask; the tensor class itself has them
only while some thread has a function mode.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import overrides_hook

_METHODS = (
    "size", "stride", "dim", "ndimension", "numel", "nelement", "element_size", "storage_offset",
    "data_ptr", "untyped_storage", "storage", "storage_type", "is_contiguous", "is_floating_point",
    "is_complex", "is_signed", "is_conj", "is_neg", "is_inference", "is_shared", "dim_order",
    "get_device", "_is_view", "share_memory_", "register_post_accumulate_grad_hook", "detach_",
    "__len__", "__contains__", "__bool__", "__int__", "__float__", "__complex__", "__index__",
    "__rsub__", "__rdiv__", "__rtruediv__", "__pow__", "__ipow__", "__rmod__", "__rpow__",
    "__floordiv__", "__rfloordiv__", "__rlshift__", "__rrshift__", "split",
    "__array__", "__array_wrap__", "__setstate__", "__dlpack__", "__dlpack_device__",
)  # fmt: skip
_PROPERTIES = (
    "shape", "ndim", "dtype", "device", "layout", "itemsize", "nbytes", "is_cuda", "is_cpu",
    "is_meta", "_version", "requires_grad", "grad", "_grad", "output_nr", "retains_grad",
    "grad_dtype", "grad_fn", "is_leaf",
)  # fmt: skip
# Of these, those that count only arguments that override.
_PARSED = ("size", "stride", "storage_offset", "detach_")


def _told(plain: Any, name: str) -> Any:
    """What overrides are told was called: what the class has while they answer.

    The innermost mode is off by then; with more modes around it, the members that ask stay.
    """
    shown = vars(Tensor)[name] if len(overrides_hook.local.modes) > 1 else plain
    return shown.__get__(None, Tensor)


def _asking_method(plain: Any, name: str) -> Any:
    function = plain.__get__(None, Tensor)
    found = overrides_hook.overloaded if name in _PARSED else overrides_hook.overloaded_or_tensor
    return overrides_hook.asking(function, lambda: _told(plain, name), found)


def _asking_property(plain: property, name: str) -> property:
    def part(function: Any, verb: str) -> Any:
        if function is None:
            return None
        return overrides_hook.asking(function, lambda: getattr(_told(plain, name), verb))

    return property(
        part(plain.fget, "__get__"), part(plain.fset, "__set__"), part(plain.fdel, "__delete__")
    )


def _members() -> dict[str, tuple[Any, Any]]:
    """Each member as it is, and as it is when it asks."""
    of_class = vars(Tensor)
    properties = {n: (of_class[n], _asking_property(of_class[n], n)) for n in _PROPERTIES}
    methods = {n: (of_class[n], _asking_method(of_class[n], n)) for n in _METHODS if n in of_class}
    return properties | methods


_known: dict[str, tuple[Any, Any]] = {}


def members() -> dict[str, tuple[Any, Any]]:
    """The members that can ask: each as it is, and as it is when it asks."""
    return dict(_known)


def attach() -> None:
    """Watch for classes and modes that want to be asked. The tensor class is complete by now."""
    _known.update(_members())
    overrides_hook.watchers.append(_switch)
    overrides_hook.name_of = _public_name
    overrides_hook.as_told = _as_told
    Tensor.__init_subclass__ = classmethod(_prepare)  # type: ignore[assignment]


def _public_name(function: Any) -> str:
    from rushlight import overrides

    return overrides.resolve_name(function) or str(getattr(function, "__name__", function))


def _as_told(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from rushlight._names import told

    return told.as_told(function, args, kwargs)


def _switch(on: bool) -> None:
    # All of them are methods already: the class of tensor classes need not see to that.
    put = type.__setattr__
    for name, (plain, asking) in _known.items():
        put(Tensor, name, asking if on else plain)


def _prepare(cls: type, **arguments: Any) -> None:
    """Give a new class of tensors members that ask, unless its bases have them or it has its own."""
    super(Tensor, cls).__init_subclass__(**arguments)  # type: ignore[misc]
    if "__torch_dispatch__" in vars(cls) and _has_default(cls):
        # Its answers to operators are the whole of it: functions are called, results stay as given.
        # With that, bindings make its calls as those of plain tensors.
        cls.__torch_function__ = classmethod(overrides_hook.disabled_torch_function)  # type: ignore[attr-defined]
    if not _overrides(cls):
        return
    below = [vars(base) for base in cls.__mro__ if base is not Tensor and base is not object]
    for name, (_, asking) in _known.items():
        if not any(name in members for members in below):
            setattr(cls, name, asking)


def _overrides(cls: Any) -> bool:
    return not _has_default(cls) and overrides_hook.type_overrides(cls)


def _has_default(cls: Any) -> bool:
    method = cls.__torch_function__
    return getattr(method, "__func__", method) is vars(Tensor)["__torch_function__"].__func__
