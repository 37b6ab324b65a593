"""Tensors that know their device, sizes and type and have no elements.

Under a `FakeTensorMode` every operator works out what its result is like and nothing else: tensors
that are made have no memory, whatever device they are on, and be it one that this machine has not. A
kernel sees the *twins* of fakes (`twins.py`), on the meta device; what it returns is a fake again, on
the device that the real call would give.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import rushlight
from rushlight._dynamo.source import ConstantSource
from rushlight._subclasses import real_tensors, twins
from rushlight._subclasses.meta_utils import assert_eq, assert_metadata_eq
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.size import intern, intern_strides, numel
from rushlight.engine.core.symbolic import SymInt, Untraceable, has_symbols
from rushlight.engine.core.symbolic_fields import numel_field, offset_field
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.overrides_hook import disabled_torch_function
from rushlight.engine.ops.errors import NoElements
from rushlight.overrides import TorchFunctionMode
from rushlight.utils.weak import WeakIdKeyDictionary

__all__ = [
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "FakeCopyMode",
    "FakeTensor",
    "FakeTensorConverter",
    "FakeTensorDeviceMismatchError",
    "FakeTensorMode",
    "MetadataMismatchError",
    "TensorMetadata",
    "UnsupportedFakeTensorException",
    "UnsupportedMutationAliasingException",
    "UnsupportedOperatorException",
    "assert_eq",
    "assert_metadata_eq",
    "extract_tensor_metadata",
    "is_fake",
    "maybe_get_fake_mode",
    "unset_fake_temporarily",
]

aten = rushlight.ops.aten

# Tensors with so many elements at most may be known to programs while they are traced.
CONSTANT_NUMEL_LIMIT = 1


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor that no fake can stand for."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _OfOperator(RuntimeError):
    def __init__(self, func: Operator) -> None:
        super().__init__(func)
        self.func = func


class DynamicOutputShapeException(_OfOperator):
    """The elements of an argument decide how large a result is."""


class DataDependentOutputException(_OfOperator):
    """The elements of an argument decide what a result is, and it is no tensor."""


class UnsupportedOperatorException(_OfOperator):
    """Nothing tells what an operator returns."""


class UnsupportedMutationAliasingException(RuntimeError):
    """A program changes or shares tensors in a way that cannot be followed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class MetadataMismatchError(RuntimeError):
    """What an operator was said to return is not what it returned."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FakeTensorDeviceMismatchError(RuntimeError):
    """Tensors of one call are on several devices."""

    def __init__(self, func: Operator, one: devices.device, other: devices.device) -> None:
        super().__init__(
            f"Unhandled FakeTensor Device Propagation for {func}, found two different devices "
            f"{one}, {other}. Expected all tensors to be on the same device"
        )


class FakeTensorConfig:
    """What fakes remember for who looks for faults."""

    debug = False


class _TLS:
    """Whether real tensors are taken, whatever the mode says; None if nothing is said."""

    allow_non_fake_inputs_override: bool | None = None


fake_tensor_tls = _TLS()


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
    taken = [mode for mode in modes.stack() if isinstance(mode, FakeTensorMode)]
    for mode in taken:
        modes.remove(mode)
    try:
        yield taken[-1] if taken else None
    finally:
        for mode in taken:
            modes.push(mode)


def _numbered(device: Any) -> devices.device:
    """A device with a number, where devices of its kind have one."""
    found = devices.device(device)
    if found.index is None and found.type not in ("cpu", "meta", "hpu", "mps"):
        return devices.device(found.type, 0)
    return found


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
        where = _numbered(device)
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
        self._storage_._device_code = _numbered(where).code

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
        if _has_other_class(types):
            return NotImplemented
        found = None
        for value in _tensors(args, kwargs):
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


def _has_other_class(types: Any) -> bool:
    """Whether a class that answers for itself is among the types of a call."""
    return any(not issubclass(kind, FakeTensor) for kind in types if kind is not Tensor)


def _tensors(*values: Any) -> list[Any]:
    """The tensors in nested arguments."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(*value)
        elif isinstance(value, dict):
            found += _tensors(*value.values())
    return found


def mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """Nested arguments with something else in the place of each tensor."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(change, item) for item in value))
    if isinstance(value, tuple) and type(value).__name__ != "Size":
        items = [mapped(change, item) for item in value]
        return tuple(items) if type(value) is tuple else type(value)(items)
    if isinstance(value, list):
        return [mapped(change, item) for item in value]
    if isinstance(value, dict):
        return {name: mapped(change, item) for name, item in value.items()}
    return value


class FakeTensorConverter:
    """Makes fakes of real tensors, the same one for the same tensor, with storages shared as theirs are.

    Args:
        copy_data: whether copies of the tensors go along
        export: accepted
    """

    def __init__(self, *, copy_data: bool = False, export: bool = False) -> None:
        self.copy_data = copy_data
        self._copies: Any = WeakIdKeyDictionary()
        self.export = export
        self.tensor_memo: Any = WeakIdKeyDictionary()
        self._storages: Any = WeakIdKeyDictionary()
        # How many tensors came from nowhere that anybody said.
        self.arg_cnt = 0
        # Fakes whose elements are known, by the storages of these.
        self.constant_storage_mapping: dict[int, list[Any]] = {}

    def set_tensor_memo(self, t: Tensor, v: Any) -> None:
        """Let a fake stand for a tensor."""
        # Weakly: a fake knows its mode, which knows the memo.
        self.tensor_memo[t] = weakref.ref(v)

    def add_constant_storage_mapping(self, fake: FakeTensor) -> None:
        """Note that a fake's elements are known for as long as nobody writes to them."""
        assert fake.constant is not None
        known = self.constant_storage_mapping.setdefault(id(fake.constant._storage_), [])
        known.append(weakref.ref(fake))

    def invalidate_constant_aliases(self, constant: Tensor) -> None:
        """Forget the elements of all fakes that share a known tensor's."""
        for one in self.constant_storage_mapping.pop(id(constant._storage_), []):
            fake = one()
            if fake is not None:
                fake.constant = None

    def from_real_tensor(
        self,
        fake_mode: FakeTensorMode,
        t: Tensor,
        make_constant: bool = False,
        shape_env: Any = None,
        *,
        source: Any = None,
        symbolic_context: Any = None,
        trace: bool = True,
    ) -> Any:
        """The fake of a tensor."""
        if not make_constant:
            known_one = self.tensor_memo.get(t)
            found = None if known_one is None else known_one()
            if found is not None:
                return found
        made = self._made(fake_mode, t, shape_env, source, symbolic_context)
        if self.copy_data and isinstance(made, FakeTensor) and not is_fake(t):
            with unset_fake_temporarily():
                made.__dict__["_real_tensor"] = real_tensors.copy_of(t, self._copies)
        if make_constant:
            made.constant = t
            self.add_constant_storage_mapping(made)
        else:
            self.set_tensor_memo(t, made)
        return made

    def from_meta_and_device(
        self, fake_mode: FakeTensorMode, t: Tensor, device: Any, *unused: Any
    ) -> FakeTensor:
        """The fake before a meta tensor."""
        known_one = self.tensor_memo.get(t)
        found = None if known_one is None else known_one()
        if found is None:
            found = FakeTensor(fake_mode, t, device)
            self.set_tensor_memo(t, found)
        return found

    def _made(self, mode: FakeTensorMode, t: Any, shape_env: Any, source: Any, context: Any) -> Any:
        from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

        if t._keys_ & keys.WRAPPED:
            return self._of_wrapper(mode, t, shape_env, source, context)
        if is_traceable_wrapper_subclass(t):
            names, facts = t.__tensor_flatten__()
            parts = {
                name: self.from_real_tensor(mode, getattr(t, name), False, shape_env)
                for name in names
            }
            with mode:
                made = type(t).__tensor_unflatten__(parts, facts, t.size(), t.stride())
            return _with_gradient(made, t, mode)
        if t.is_quantized:
            raise UnsupportedFakeTensorException("quant nyi in meta tensors")
        device = t.fake_device if isinstance(t, FakeTensor) else t._storage_.device
        if t._base is not None and not isinstance(t, FakeTensor):
            base = self.from_real_tensor(mode, t._base, False, shape_env)
        else:
            base = None
        with contextlib.nullcontext() if mode.shape_env is None else mode.shape_env.planning():
            twin = self._twin(t, shape_env, source, context)
            made = FakeTensor(mode, twin, device)
        if base is not None and isinstance(base, FakeTensor):
            made._base, made._counter_ = base, base._counter_
        if getattr(t, "_is_param", False) or isinstance(t, rushlight.nn.Parameter):
            made._is_param = True  # type: ignore[attr-defined]
        return _with_gradient(made, t, mode)

    def _twin(self, t: Any, shape_env: Any, source: Any, context: Any) -> Tensor:
        """A meta tensor with the geometry of a real one, over the storage that stands for its own."""
        if t._keys_ & keys.SPARSE_LAYOUTS:
            raise UnsupportedFakeTensorException(f"{t.layout} layout in meta converter")
        meta = self._storages.get(t._storage_)
        if meta is None:
            meta = self._storages[t._storage_] = twins.new_storage(t._storage_._nbytes)
        size, stride, offset = t._size_, t._stride_, t._offset_
        made: Any = object.__new__(Tensor)
        made._storage_, made._dtype_ = meta, t._dtype_
        made._keys_ = keys.META | t._keys_ & twins.READING
        made._base = made._autograd_ = made._counter_ = None
        if shape_env is None and not has_symbols((*size, *stride, offset)):
            made._size_, made._stride_, made._offset_ = size, stride, offset
            made._numel_, made._flags_ = t._numel_, t._flags_ & ~objects.WRAPPED_NUMBER
            return made  # type: ignore[no-any-return]
        if shape_env is not None:
            if source is None:
                source = ConstantSource(f"__meta_utils_unknown_tensor{self.arg_cnt}")
                self.arg_cnt += 1
            size, stride, offset = shape_env.create_symbolic_sizes_strides_storage_offset(
                t, source, symbolic_context=context
            )
        made._size_, made._stride_ = intern(size), intern_strides(stride)
        made._offset_, made._numel_ = offset, numel(size)
        made._flags_ = tensors.flags_for(t._dtype_, size, stride)
        return made  # type: ignore[no-any-return]

    def _of_wrapper(
        self, mode: FakeTensorMode, t: Any, shape_env: Any, source: Any, context: Any
    ) -> Any:
        """The same wrapping around the fake of what is wrapped."""
        from rushlight.engine.core import wrapped

        meaning = wrapped.meaning_of(t)
        inner = self.from_real_tensor(mode, meaning.value, False, shape_env)
        return wrapped.wrap(inner, meaning.layer, meaning.dim)


@contextlib.contextmanager
def _recording() -> Iterator[None]:
    """A block in which histories are recorded, also within what a mode answers."""
    before, state.thread.excluded = state.thread.excluded, 0
    try:
        with rushlight.enable_grad():
            yield
    finally:
        state.thread.excluded = before


def _with_gradient(made: Any, t: Any, mode: FakeTensorMode) -> Any:
    """A fake that wants a gradient, has one and has a history as a tensor does."""
    if t.requires_grad and not made.requires_grad:
        made.requires_grad_()
        if not t.is_leaf:
            parameter = getattr(made, "_is_param", False)
            with _recording(), mode:
                made = made.view_as(made) if t._base is not None else made.clone()
            if parameter:
                made._is_param = True
    grad = t.grad if t.is_leaf else None
    if grad is not None and made.is_leaf and made.grad is None:
        made.grad = mode.from_tensor(grad)
    return made


def _render(func: Operator, args: Any, kwargs: Any) -> str:
    """A call as a text, without elements."""

    def one(value: Any) -> str:
        if isinstance(value, FakeTensor):
            return repr(value)
        if isinstance(value, Tensor):
            return _tensor_text(value)
        if isinstance(value, (list, tuple)):
            items = ", ".join(map(one, value))
            return f"[{items}]" if isinstance(value, list) else f"({items})"
        return repr(value)

    parts = [*map(one, args), *(f"{name}={one(value)}" for name, value in kwargs.items())]
    return f"{func}({', '.join(parts)})"


def _tensor_text(value: Any) -> str:
    words = [f"size={tuple(value._size_)}"]
    if value._dtype_ is not state.default_dtype():
        words.append(f"dtype={value._dtype_}")
    if value.requires_grad:
        words.append("requires_grad=True")
    kind = "Parameter containing:\ntensor" if type(value).__name__ == "Parameter" else "tensor"
    return f"{kind}([...], {', '.join(words)})"


class FakeTensorMode(TorchDispatchMode):
    """Within its ``with`` block tensors are made, and operators run, without elements.

    Args:
        allow_fallback_kernels: whether operators of the library that do not know what they return may
            be run on zeros to see
        allow_non_fake_inputs: whether real tensors are taken, as fakes of them
        shape_env: makes the sizes of tensors symbols, and elements that programs ask for, too
        static_shapes: whether sizes are numbers; without it they are unless there is a ``shape_env``
        export: accepted
    """

    rank = 0
    is_infra_mode = True

    def __init__(
        self,
        *,
        allow_fallback_kernels: bool = True,
        allow_non_fake_inputs: bool = False,
        shape_env: Any = None,
        static_shapes: bool | None = None,
        export: bool = False,
    ) -> None:
        from rushlight._functorch import config

        super().__init__()
        self.allow_fallback_kernels = allow_fallback_kernels
        self.allow_non_fake_inputs = allow_non_fake_inputs
        self.allow_meta = config.fake_tensor_allow_meta
        self.allow_scalar_outputs = False
        self.shape_env = shape_env
        self.static_shapes = shape_env is None if static_shapes is None else static_shapes
        self.export = export
        self.propagate_real_tensors = config.fake_tensor_propagate_real_tensors
        self.fake_tensor_converter = FakeTensorConverter(
            copy_data=self.propagate_real_tensors, export=export
        )
        self.in_kernel_invocation = False
        self.enter_stack: list[tuple[bool, list[Any]]] = []
        self.epoch = 0
        self._allow_unsafe_data_ptr_access = True

    # -- the stack of modes --

    def __enter__(self) -> Self:
        """Fakes are the lowest way to run programs; one mode of them counts at a time."""
        others = [mode for mode in modes.stack() if isinstance(mode, FakeTensorMode)]
        is_new = not (others and others[-1] is self)
        if is_new:
            for mode in others:
                modes.remove(mode)
            modes.push(self)
        self.enter_stack.append((is_new, others))
        return self

    def __exit__(self, *exception: object) -> None:
        is_new, others = self.enter_stack.pop()
        if is_new:
            modes.remove(self)
            for mode in others:
                modes.push(mode)

    def __deepcopy__(self, memo: dict[int, Any]) -> FakeTensorMode:
        """Itself: a fake that is copied belongs to the same mode."""
        return self

    @property
    def avoid_device_init(self) -> bool:
        """Whether devices of fakes are left alone: always."""
        return True

    def is_our_fake(self, t: object) -> bool:
        """Whether a value is a fake of this mode."""
        return isinstance(t, FakeTensor) and t.fake_mode is self

    # -- real tensors --

    def from_tensor(
        self,
        tensor: Tensor,
        *,
        static_shapes: bool | None = None,
        source: Any = None,
        symbolic_context: Any = None,
        trace: bool = True,
    ) -> Any:
        """The fake that stands for a tensor: always the same one.

        Args:
            tensor: a real tensor, or a fake of another mode
            static_shapes: whether its sizes are numbers; as the mode says if None
            source: where guards find it
            symbolic_context: which of its sizes are symbols
            trace: accepted
        """
        if self.is_our_fake(tensor):
            return tensor
        if static_shapes is None:
            static_shapes = self.static_shapes
        if static_shapes and symbolic_context is not None:
            raise AssertionError("cannot set both static_shapes and symbolic_context")
        return self.fake_tensor_converter.from_real_tensor(
            self, tensor, shape_env=None if static_shapes else self.shape_env, source=source,
            symbolic_context=symbolic_context, trace=trace,
        )  # fmt: skip

    # -- calls --

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.dispatch(func, types, args, kwargs or {})

    def dispatch(self, func: Operator, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What an operator returns, as fakes."""
        kwargs = kwargs or {}
        if _has_other_class(types):
            return NotImplemented
        given = _tensors(args, kwargs)
        fakes = [t for t in given if self.is_our_fake(t)]
        if func in _LIFTS and not fakes:
            return self._lifted(func, args[0])
        has_numbers_only = not fakes and all(t._flags_ & objects.WRAPPED_NUMBER for t in given)
        if has_numbers_only and func.schema.tensors and not _takes_device(func):
            return self._of_numbers(func, args, kwargs)
        if self._is_known(func, fakes, len(given)):
            found = self._with_known_elements(func, args, kwargs)
            if found is not None:
                return found
        args, kwargs, fakes = self._only_fakes(func, args, kwargs)
        self._forget_written(func, args, kwargs)
        if not self.propagate_real_tensors:
            return self._outcome(func, args, kwargs, fakes)
        real = real_tensors.outcome(self, func, args, kwargs)
        found = self._outcome(func, args, kwargs, fakes)
        return found if real is None else real_tensors.go_along(self, func, found, real[0])

    def _outcome(self, func: Operator, args: Any, kwargs: Any, fakes: list[Any]) -> Any:
        from rushlight._subclasses import fake_impls

        if func.fake is not None:
            with self:
                return fake_impls.answer_of_program(self, func, args, kwargs)
        own = fake_impls.implementation(func)
        if own is not None:
            found = fake_impls.run(self, own, func, args, kwargs)
            if found is not NotImplemented:
                return found
        return self.run_kernel(func, args, kwargs)

    def run_kernel(self, func: Operator, args: Any, kwargs: Any, device: Any = None) -> Any:
        """What the kernel for tensors without elements makes of the twins of fakes.

        Args:
            func: the operator
            args: its arguments
            kwargs: those with names
            device: where new tensors are; where the call would have them if None
        """
        where = self._device_of(func, args, kwargs) if device is None else device
        pairs: dict[int, tuple[Any, Tensor]] = {}
        by_twin: dict[int, Any] = {}

        def twin(value: Any) -> Any:
            if not isinstance(value, FakeTensor):
                return value
            known = pairs.get(id(value))
            if known is None:
                known = pairs[id(value)] = (value, twins.twin_of(value))
                by_twin[id(known[1])] = value
            return known[1]

        def back(value: Any) -> Any:
            known_one = by_twin.get(id(value))
            if known_one is not None:
                return known_one
            if value._keys_ & keys.META:
                return FakeTensor(self, value, where)
            return self.from_tensor(value)

        before = self.in_kernel_invocation
        self.in_kernel_invocation = True
        try:
            with state.excluding(keys.PYTHON_MODE), self._symbols():
                inner, named = mapped(twin, args), mapped(twin, kwargs)
                if _takes_device(func):
                    inner, named = _on_meta(func, inner, named)
                found = func(*inner, **named)
                if func.schema.mutated:
                    for fake, behind in pairs.values():
                        twins.follow(fake, behind)
                return mapped(back, found)
        except (NotImplementedError, NoElements, Untraceable) as error:
            return self._without_kernel(func, args, kwargs, error)
        finally:
            self.in_kernel_invocation = before

    def _symbols(self) -> contextlib.AbstractContextManager[Any]:
        """What sizes that are symbols need while a kernel runs."""
        if self.shape_env is None:
            return contextlib.nullcontext()
        return self.shape_env.planning()  # type: ignore[no-any-return]

    def _without_kernel(self, func: Operator, args: Any, kwargs: Any, error: Exception) -> Any:
        """What an operator returns whose kernel is not there for the meta device, or wants elements."""
        is_missing = isinstance(error, (NoElements, Untraceable)) or str(error).startswith(_MISSING)
        if not is_missing:
            raise error
        if func.namespace not in ("aten", "prims") and not func.schema.returns:
            # One of a program that gives nothing.
            return None
        if not self.can_run_unsafe_fallback(func):
            raise UnsupportedOperatorException(func) from error
        return self._run_on_zeros(func, args, kwargs, error)

    def can_run_unsafe_fallback(self, func: Operator) -> bool:
        """Whether an operator may be run on zeros to see what it returns."""
        return self.allow_fallback_kernels and func.namespace in ("aten", "prims")

    def _run_on_zeros(self, func: Operator, args: Any, kwargs: Any, error: Exception) -> Any:
        """What an operator returns for tensors of zeros, or of ones where it does not take those."""
        if "inplace_view" in func.declared_tags or _has_symbols(args, kwargs):
            raise UnsupportedOperatorException(func) from error
        where = self._device_of(func, args, kwargs)
        with unset_fake_temporarily():
            try:
                made, found = _run_filled(func, args, kwargs, 0)
            except Exception:
                try:
                    made, found = _run_filled(func, args, kwargs, 1)
                except Exception as fault:
                    raise UnsupportedOperatorException(func) from fault
        back: dict[int, Any] = {}
        for fake, real in made.values():
            back[id(real)] = fake
            if func.schema.mutated and real._size_ != fake._size_:
                twin = twins.twin_of(fake)
                tensors.resize(twin, real._size_, real._stride_)
                twins.follow(fake, twin)
        storages = {id(real._storage_) for _, real in made.values()}

        def as_fake(value: Any) -> Any:
            if id(value) in back:
                return back[id(value)]
            if id(value._storage_) in storages:
                raise UnsupportedOperatorException(func) from error
            return FakeTensor(self, FakeTensorConverter()._twin(value, None, None, None), where)

        return mapped(as_fake, found)

    # -- what elements are known --

    def _lifted(self, func: Operator, value: Tensor) -> Any:
        """The fake of a tensor that a program has just made of numbers."""
        if self.may_turn_const(value):
            with unset_fake_temporarily():
                value = value.clone()  # type: ignore[attr-defined]
            return self.fake_tensor_converter.from_real_tensor(self, value, make_constant=True)
        return self.fake_tensor_converter.from_real_tensor(self, value)

    def _of_numbers(self, func: Operator, args: Any, kwargs: Any) -> Any:
        """What an operator over tensors makes of numbers: it is known."""
        with unset_fake_temporarily():
            found = func(*args, **kwargs)
        return mapped(
            lambda t: self.fake_tensor_converter.from_real_tensor(
                self, t, make_constant=self.may_turn_const(t)
            ),
            found,
        )

    def may_turn_const(self, t: Tensor) -> bool:
        """Whether the elements of a real tensor are few enough to be known."""
        return (
            t._numel_ <= CONSTANT_NUMEL_LIMIT
            and not t._keys_ & (keys.SPARSE_LAYOUTS | keys.META | keys.WRAPPED)
            and not is_fake(t)
        )

    def _is_known(self, func: Operator, fakes: list[Any], count: int) -> bool:
        return (
            bool(fakes)
            and len(fakes) == count
            and all(t.constant is not None for t in fakes)
            and "nondeterministic_seeded" not in func.declared_tags
            and not any(a.name == "device" for a in func.schema.arguments)
        )

    def _with_known_elements(self, func: Operator, args: Any, kwargs: Any) -> Any:
        """The result of a call whose elements all are known; None if it is too large to be."""
        fakes = {id(t.constant): t for t in _tensors(args, kwargs)}
        constants = mapped(lambda t: t.constant, (args, kwargs))
        with unset_fake_temporarily():
            out = func(*constants[0], **constants[1])
        results = _tensors(out)
        if not all(map(self.may_turn_const, results)):
            for t in fakes.values():
                if func.schema.mutated or func.schema.is_view:
                    self.fake_tensor_converter.invalidate_constant_aliases(t.constant)
            return None
        if func.schema.mutated:
            for t in fakes.values():
                twins.follow(t, self.fake_tensor_converter._twin(t.constant, None, None, None))
        return mapped(
            lambda t: fakes[id(t)] if id(t) in fakes
            else self.fake_tensor_converter.from_real_tensor(self, t, make_constant=True),
            out,
        )  # fmt: skip

    def _forget_written(self, func: Operator, args: Any, kwargs: Any) -> None:
        """Whose elements a call writes, they are not known any more."""
        if not func.schema.mutated:
            return
        for t in _tensors(args, kwargs):
            if t.constant is not None:
                self.fake_tensor_converter.invalidate_constant_aliases(t.constant)

    # -- arguments --

    def _only_fakes(self, func: Operator, args: Any, kwargs: Any) -> Any:
        """Arguments with fakes in the place of real tensors."""
        fakes: list[Any] = []
        allowed = fake_tensor_tls.allow_non_fake_inputs_override
        allowed = self.allow_non_fake_inputs if allowed is None else allowed

        def fake(x: Any) -> Any:
            if not self.is_our_fake(x):
                is_number = bool(x._flags_ & objects.WRAPPED_NUMBER)
                if not is_number and "inplace_view" in func.declared_tags:
                    raise AssertionError(
                        "Can't call metadata mutating ops on non-Fake Tensor inputs. Found in "
                        f"{_render(func, args, kwargs)}"
                    )
                if isinstance(x, FakeTensor):
                    raise AssertionError(f"Mixing fake modes NYI {x.fake_mode=} vs {self=}")
                if not allowed and not is_number:
                    raise AssertionError(
                        "Please convert all Tensors to FakeTensors first or instantiate "
                        "FakeTensorMode with 'allow_non_fake_inputs'. Found in "
                        f"{_render(func, args, kwargs)}"
                    )
                x = self.fake_tensor_converter.from_real_tensor(
                    self, x, shape_env=None if self.static_shapes else self.shape_env
                )
            fakes.append(x)
            return x

        return mapped(fake, tuple(args)), mapped(fake, kwargs), fakes

    def _device_of(self, func: Operator, args: Any, kwargs: Any) -> devices.device:
        """Where the new tensors of a call are."""
        if _takes_device(func):
            asked = _device_argument(func, args, kwargs)
            if asked is not None:
                return _numbered(asked)
        found = common_device(func, _tensors(args, kwargs))
        return _numbered(state.default_device()) if found is None else found


# Operators whose tensors may be on several devices: where the result is, is said by the first.
_OF_FIRST = frozenset({
    "aten::copy", "aten::copy_", "aten::slice_scatter", "aten::index", "aten::index_put",
    "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index", "aten::_unsafe_index_put",
    "aten::set_", "aten::resize_as_", "aten::_to_copy", "aten::diagonal_scatter",
    "aten::select_scatter", "aten::embedding", "aten::_embedding_bag",
    "aten::_embedding_bag_forward_only",
})  # fmt: skip


def common_device(func: Operator, tensors: Sequence[Any]) -> devices.device | None:
    """The device of a call's tensors; numbers on the CPU may go with any."""
    found: devices.device | None = None
    may_change = False
    takes_first = func.full_name.partition(".")[0] in _OF_FIRST
    for t in tensors:
        is_number = t.device.type == "cpu" and not t._size_
        if found is None:
            found, may_change = t.device, is_number and not takes_first
        elif t.device is found:
            may_change = may_change and is_number
        elif takes_first or is_number:
            continue
        elif may_change:
            found, may_change = t.device, False
        else:
            raise FakeTensorDeviceMismatchError(func, found, t.device)
    return found


def _takes_device(func: Operator) -> bool:
    return any(a.name == "device" for a in func.schema.arguments)


def _place_of_device(func: Operator) -> int | None:
    names = [a.name for a in func.schema.positional]
    return names.index("device") if "device" in names else None


def _device_argument(func: Operator, args: Any, kwargs: Any) -> Any:
    place = _place_of_device(func)
    if place is not None and place < len(args):
        return args[place]
    return kwargs.get("device")


def _on_meta(func: Operator, args: Any, kwargs: Any) -> Any:
    """Arguments that ask for the meta device."""
    place = _place_of_device(func)
    if place is not None and place < len(args):
        return (*args[:place], devices.meta, *args[place + 1 :]), kwargs
    kept = {name: value for name, value in kwargs.items() if name != "pin_memory"}
    return args, {**kept, "device": devices.meta}


def _has_symbols(*values: Any) -> bool:
    for value in values:
        if isinstance(value, Tensor):
            if has_symbols(value._size_) or has_symbols(value._stride_):
                return True
        elif isinstance(value, (list, tuple)):
            if _has_symbols(*value):
                return True
        elif isinstance(value, dict):
            if _has_symbols(*value.values()):
                return True
        elif type(value) is SymInt:
            return True
    return False


# How errors begin that say that there is no kernel, or that it wants elements.
_MISSING = ("Could not run", "Cannot copy out of meta")


def _run_filled(func: Operator, args: Any, kwargs: Any, number: int) -> Any:
    """The fakes of a call with the real tensors that were made for them, and what it returned."""
    made: dict[int, tuple[Any, Tensor]] = {}

    def filled(value: Any) -> Any:
        if id(value) not in made:
            made[id(value)] = value, _filled_like(value, number)
        return made[id(value)][1]

    inner, named = mapped(filled, args), mapped(filled, kwargs)
    return made, func(*inner, **named)


def _filled_like(fake: Any, number: int) -> Any:
    """A real tensor on the CPU with a fake's geometry."""
    with rushlight.no_grad():
        return rushlight.empty_strided(
            tuple(fake._size_), tuple(fake._stride_), dtype=fake._dtype_, device="cpu"
        ).fill_(number)


# Factories of tensors like a given one.
_like_tensor_constructors = tuple(
    getattr(getattr(aten, name), overload)
    for name in (
        "empty_like", "full_like", "ones_like", "rand_like", "randn_like", "randint_like",
        "zeros_like", "new_empty", "new_empty_strided", "new_full", "new_zeros", "new_ones",
    )
    for overload in getattr(aten, name).overloads()
)  # fmt: skip


@functools.cache
def _is_tensor_constructor(func: Operator) -> bool:
    """Whether an operator makes a tensor of no other."""
    schema = func.schema
    if any(a.type.required.plain in ("Tensor", "Tensor[]") for a in schema.arguments):
        return False
    return [r.type.plain for r in schema.returns] == ["Tensor"]


_LIFTS = frozenset({aten.lift_fresh.default, aten.lift_fresh_copy.default})


class FakeCopyMode(TorchFunctionMode):
    """Within its ``with`` block tensors that are copied deeply become fakes.

    Args:
        fake_mode: the mode of these
    """

    def __init__(self, fake_mode: FakeTensorMode) -> None:
        super().__init__()
        self.fake_mode = fake_mode

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "clone" and func is Tensor.clone:  # type: ignore[attr-defined]
            return func(
                self.fake_mode.from_tensor(args[0], static_shapes=True), *args[1:], **kwargs
            )
        if name == "__deepcopy__":
            tensor, memo = args
            if id(tensor) in memo:
                return memo[id(tensor)]
            made = self.fake_mode.from_tensor(tensor, static_shapes=True)
            memo[id(tensor)] = made
            return made
        return func(*args, **kwargs)


@dataclasses.dataclass
class TensorMetadata:
    """What a tensor is like, without its elements."""

    dtype: dtypes.dtype
    shape: tuple[Any, ...]
    stride: tuple[Any, ...]
    device: devices.device
    layout: Any
    memory_format: Any
    storage_offset: Any
    storage_bytes: Any
    requires_grad: bool
    is_quantized: bool
    is_conj: bool
    is_neg: bool
    is_inference: bool
    is_sparse: bool
    is_coalesced: bool | None
    dense_dim: int | None
    sparse_dim: int | None


def extract_tensor_metadata(t: Any) -> TensorMetadata:
    """What a tensor is like."""
    from rushlight.engine.core import layout

    format = None
    if not t.is_sparse and t.layout is layout.strided:
        for candidate in layout.contiguous_format, layout.channels_last, layout.channels_last_3d:
            if t.is_contiguous(memory_format=candidate):
                format = candidate
                break
    is_strided = t.layout is layout.strided
    return TensorMetadata(
        t.dtype, t.shape, t.stride() if is_strided else (), t.device, t.layout, format,
        t.storage_offset() if is_strided else 0,
        t.untyped_storage().nbytes() if is_strided else None,
        t.requires_grad, t.is_quantized, t.is_conj(), t.is_neg(), t.is_inference(), t.is_sparse,
        t.is_coalesced() if t.is_sparse else None, t.dense_dim() if t.is_sparse else None,
        t.sparse_dim() if t.is_sparse else None,
    )  # fmt: skip
