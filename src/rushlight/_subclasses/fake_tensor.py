"""Tensors that know their device, sizes and type and have no elements.

Under a `FakeTensorMode` every operator works out what its result is like and nothing else: tensors
that are made have no memory, whatever device they are on, and be it one that this machine has not. A
kernel sees the *twins* of fakes (`twins.py`), on the meta device; what it returns is a fake again, on
the device that the real call would give.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Self

import rushlight
from rushlight._names import class_files
from rushlight._subclasses import known_elements, real_tensors, twins
from rushlight._subclasses.fake_arguments import (
    common_device,
    device_argument,
    has_symbols_in,
    mapped,
    numbered,
    on_meta,
    run_filled,
    takes_device,
    tensors_in,
)
from rushlight._subclasses.fake_converter import FakeTensorConverter
from rushlight._subclasses.fake_errors import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorDeviceMismatchError,
    MetadataMismatchError,
    UnsupportedFakeTensorException,
    UnsupportedMutationAliasingException,
    UnsupportedOperatorException,
)
from rushlight._subclasses.fakes import (
    FakeTensor,
    has_other_class,
    is_fake,
    maybe_get_fake_mode,
    unset_fake_temporarily,
)
from rushlight._subclasses.known_elements import CONSTANT_NUMEL_LIMIT
from rushlight._subclasses.meta_utils import assert_eq, assert_metadata_eq
from rushlight._subclasses.tensor_metadata import TensorMetadata, extract_tensor_metadata
from rushlight.engine.core import device as devices
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import Untraceable
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.errors import NoElements
from rushlight.overrides import TorchFunctionMode

__all__ = [
    "CONSTANT_NUMEL_LIMIT",
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
    "common_device",
    "extract_tensor_metadata",
    "is_fake",
    "mapped",
    "maybe_get_fake_mode",
    "unset_fake_temporarily",
]

# Programs, pickles and errors know these classes by this file.
class_files.also_in(
    "rushlight._subclasses",
    {
        "fake_tensor": (
            "DataDependentOutputException",
            "DynamicOutputShapeException",
            "FakeTensor",
            "FakeTensorConverter",
            "FakeTensorDeviceMismatchError",
            "MetadataMismatchError",
            "TensorMetadata",
            "UnsupportedFakeTensorException",
            "UnsupportedMutationAliasingException",
            "UnsupportedOperatorException",
        )
    },
    globals(),
)

aten = rushlight.ops.aten


class FakeTensorConfig:
    """What fakes remember for who looks for faults."""

    debug = False


class _TLS:
    """Whether real tensors are taken, whatever the mode says; None if nothing is said."""

    allow_non_fake_inputs_override: bool | None = None


fake_tensor_tls = _TLS()


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

    def may_turn_const(self, t: Tensor) -> bool:
        """Whether the elements of a real tensor are few enough to be known."""
        return known_elements.may_turn_const(t)

    # -- calls --

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.dispatch(func, types, args, kwargs or {})

    def dispatch(self, func: Operator, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What an operator returns, as fakes."""
        kwargs = kwargs or {}
        if has_other_class(types):
            return NotImplemented
        given = tensors_in(args, kwargs)
        fakes = [t for t in given if self.is_our_fake(t)]
        if func in _LIFTS and not fakes:
            return known_elements.lifted(self, args[0])
        has_numbers_only = not fakes and all(t._flags_ & objects.WRAPPED_NUMBER for t in given)
        if has_numbers_only and func.schema.tensors and not takes_device(func):
            return known_elements.of_numbers(self, func, args, kwargs)
        if known_elements.are_all_known(func, fakes, len(given)):
            found = known_elements.outcome(self, func, args, kwargs)
            if found is not None:
                return found
        args, kwargs, fakes = self._only_fakes(func, args, kwargs)
        known_elements.forget_written(self, func, args, kwargs)
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
                if takes_device(func):
                    inner, named = on_meta(func, inner, named)
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
        if "inplace_view" in func.declared_tags or has_symbols_in(args, kwargs):
            raise UnsupportedOperatorException(func) from error
        where = self._device_of(func, args, kwargs)
        with unset_fake_temporarily():
            try:
                made, found = run_filled(func, args, kwargs, 0)
            except Exception:
                try:
                    made, found = run_filled(func, args, kwargs, 1)
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
        if takes_device(func):
            asked = device_argument(func, args, kwargs)
            if asked is not None:
                return numbered(asked)
        found = common_device(func, tensors_in(args, kwargs))
        return numbered(state.default_device()) if found is None else found


# How errors begin that say that there is no kernel, or that it wants elements.
_MISSING = ("Could not run", "Cannot copy out of meta")


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
