"""The class of tensors without elements, and who is one of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from rushlight._subclasses import twins
from rushlight._subclasses.fake_arguments import numbered, tensors_in
from rushlight._subclasses.fake_errors import UnsupportedFakeTensorException
from rushlight.engine.core import device as devices
from rushlight.engine.core import keys
from rushlight.engine.core.symbolic_fields import numel_field, offset_field
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.overrides_hook import disabled_torch_function

if TYPE_CHECKING:
    from rushlight._subclasses.fake_tensor import FakeTensorMode


class FakeTensor(Tensor):
    """A tensor without elements, on a device that it names.

    Args:
        fake_mode: the mode that it belongs to
        elem: a tensor on the meta device, with its sizes and type
        device: where it is said to be
        constant: a real tensor with its elements, where they are known
    """

    fake_mode: FakeTensorMode
    constant: Tensor | None
    # Texts say sizes in place of elements.
    _has_no_elements = True
    __torch_function__ = classmethod(disabled_torch_function)

    def __new__(
        cls, fake_mode: FakeTensorMode, elem: Tensor, device: Any, constant: Tensor | None = None,
        **unused: Any,
    ) -> Self:  # fmt: skip
        if elem._keys_ & keys.SPARSE_LAYOUTS:
            raise UnsupportedFakeTensorException(f"{elem.layout} layout in meta converter")  # type: ignore[attr-defined]
        if not elem._keys_ & keys.META:
            raise AssertionError(f"elem.device.type must be 'meta', got {elem.device.type}")  # type: ignore[attr-defined]
        where = numbered(device)
        if not fake_mode.allow_meta and where.type == "meta":
            raise AssertionError("device.type must not be 'meta' when allow_meta is False")
        made: Any = object.__new__(cls)
        twins.dress(made, elem, where)
        made.fake_mode, made.constant = fake_mode, constant
        return made  # type: ignore[no-any-return]

    _numel_, _offset_ = numel_field, offset_field

    @property
    def fake_device(self) -> devices.device:
        """Where the tensor is said to be."""
        return self._storage_.device  # type: ignore[no-any-return]

    @fake_device.setter
    def fake_device(self, where: Any) -> None:
        self._storage_._device_code = numbered(where).code

    device = fake_device

    def as_it_is_now(self) -> FakeTensor:
        """A fake of the same geometry over the same storage, without a history, that no call changes."""
        with self.fake_mode._symbols():
            return FakeTensor(self.fake_mode, twins.twin_of(self), self.fake_device)

    @property
    def real_tensor(self) -> Tensor | None:
        """The tensor that goes along, if real ones do."""
        return self.__dict__.get("_real_tensor", self.constant)

    @staticmethod
    def from_tensor(t: Tensor, fake_mode: FakeTensorMode) -> FakeTensor:
        """The fake that stands for a tensor within a mode."""
        return fake_mode.from_tensor(t)  # type: ignore[no-any-return]

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if has_other_class(types):
            return NotImplemented
        found = None
        for value in tensors_in(args, kwargs):
            if isinstance(value, FakeTensor):
                if found is not None and found is not value.fake_mode:
                    raise AssertionError("Mixing fake modes NYI")
                found = value.fake_mode
        assert found is not None
        return found.dispatch(func, types, args, kwargs)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from rushlight import _tensor_str

        return _tensor_str.text(self, "...")

    __str__ = __repr__  # type: ignore[assignment]

    def tolist(self) -> Any:
        """The elements as lists, if they are known or may be symbols."""
        if not self._size_:
            return self.item()  # type: ignore[attr-defined]
        if len(self._size_) == 1:
            return [elem.item() for elem in self]
        return [elem.tolist() for elem in self]

    def is_contiguous(self, *args: Any, **kwargs: Any) -> bool:
        """Whether the elements are in order; sizes that elements decide count as large ones."""
        with self.fake_mode._symbols():
            return Tensor.is_contiguous(self, *args, **kwargs)  # type: ignore[attr-defined, no-any-return]

    def numpy(self, *args: Any, **kwargs: Any) -> Any:
        """Raises: there are no elements."""
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")


def has_other_class(types: Any) -> bool:
    """Whether a class that answers for itself is among the types of a call."""
    return any(not issubclass(kind, FakeTensor) for kind in types if kind is not Tensor)


def is_fake(x: Any) -> bool:
    """Whether a tensor has no elements, or consists of such."""
    from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

    if isinstance(x, FakeTensor):
        return True
    if is_traceable_wrapper_subclass(x):
        parts = [is_fake(getattr(x, name)) for name in x.__tensor_flatten__()[0]]
        if any(parts) and not all(parts):
            raise AssertionError("got mixed fake and real tensors!")
        return all(parts)
    if isinstance(x, Tensor) and x._keys_ & keys.WRAPPED:
        return is_fake(x._storage_._owner.value)
    return False


def maybe_get_fake_mode(t: Any) -> FakeTensorMode | None:
    """The mode of a fake, or of those that a tensor consists of."""
    from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

    if isinstance(t, FakeTensor):
        return t.fake_mode
    if is_traceable_wrapper_subclass(t):
        found = [maybe_get_fake_mode(getattr(t, name)) for name in t.__tensor_flatten__()[0]]
        if not all(mode is found[0] for mode in found):
            raise AssertionError("not all inner tensors have the same fake mode")
        return found[0]
    if isinstance(t, Tensor) and t._keys_ & keys.WRAPPED:
        return maybe_get_fake_mode(t._storage_._owner.value)
    return None


@contextlib.contextmanager
def unset_fake_temporarily() -> Iterator[FakeTensorMode | None]:
    """Within the block no fake mode sees calls."""
    from rushlight._subclasses.fake_tensor import FakeTensorMode

    taken = [mode for mode in modes.stack() if isinstance(mode, FakeTensorMode)]
    for mode in taken:
        modes.remove(mode)
    try:
        yield taken[-1] if taken else None
    finally:
        for mode in taken:
            modes.push(mode)
