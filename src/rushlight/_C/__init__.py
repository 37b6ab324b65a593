"""Names that PyTorch's compiled part has and that Python programs reach for."""

from __future__ import annotations

import warnings
import weakref as _weakref
from typing import Any

from rushlight._C import _dispatcher
from rushlight._files.reader import PyTorchFileReader
from rushlight._state import settings
from rushlight._state.dispatch_keys import DisableTorchDispatch as _DisableTorchDispatch
from rushlight._state.dispatch_keys import DispatchKey, DispatchKeySet
from rushlight._state.dispatch_keys import ExcludeKeys as _ExcludeDispatchKeyGuard
from rushlight._state.dispatch_keys import IncludeKeys as _IncludeDispatchKeyGuard
from rushlight.autograd.forward_ad import _is_fwd_grad_enabled
from rushlight.engine.autograd.backward import will_run as _will_engine_execute_node
from rushlight.engine.autograd.forward import enable as _set_fwd_grad_enabled
from rushlight.engine.core import keys as _keys
from rushlight.engine.core import state as _state
from rushlight.engine.core.device import device
from rushlight.engine.core.device import private_use_name as _private_use_name
from rushlight.engine.core.device import rename_private_use as _rename_private_use
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.errors import (
    AcceleratorError,
    FatalError,
    JITException,
    OutOfMemoryError,
)
from rushlight.engine.core.errors import DistBackendError as _DistBackendError
from rushlight.engine.core.errors import DistError as _DistError
from rushlight.engine.core.errors import DistNetworkError as _DistNetworkError
from rushlight.engine.core.errors import DistStoreError as _DistStoreError
from rushlight.engine.core.errors import LinAlgError as _LinAlgError
from rushlight.engine.core.errors import QueueEmptyError as _DistQueueEmptyError
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.layout import layout, memory_format
from rushlight.engine.core.size import Size
from rushlight.engine.core.storage import StorageBase
from rushlight.engine.core.tensor import Tensor as TensorBase
from rushlight.engine.core.tensor import TensorMeta as _TensorMeta
from rushlight.engine.dispatch import schema_types as _schema_types
from rushlight.engine.dispatch.function_schema import FunctionSchema, parse_schema
from rushlight.engine.dispatch.function_schema import SchemaArgument as Argument
from rushlight.engine.dispatch.overrides_hook import (
    disabled_torch_function as _disabled_torch_function_impl,
)
from rushlight.engine.dispatch.tags import Tag as _Tag
from rushlight.engine.native.garbage import import_module as _import_module
from rushlight.engine.transforms import loop as _loop
from rushlight.functional import get_default_device as _get_default_device
from rushlight.overrides import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    _EnableTorchFunction,
    _is_torch_function_enabled,
    _is_torch_function_mode_enabled,
    _len_torch_function_stack,
)
from rushlight.overrides import has_torch_function as _has_torch_function
from rushlight.overrides import has_torch_function_unary as _has_torch_function_unary
from rushlight.overrides import has_torch_function_variadic as _has_torch_function_variadic

__all__ = [
    "AcceleratorError",
    "Argument",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "DispatchKey",
    "DispatchKeySet",
    "FatalError",
    "FunctionSchema",
    "Generator",
    "JITException",
    "OutOfMemoryError",
    "PyTorchFileReader",
    "Size",
    "StorageBase",
    "TensorBase",
    "_DisableTorchDispatch",
    "_DistBackendError",
    "_DistError",
    "_DistNetworkError",
    "_DistQueueEmptyError",
    "_DistStoreError",
    "_EnableTorchFunction",
    "_ExcludeDispatchKeyGuard",
    "_IncludeDispatchKeyGuard",
    "_LinAlgError",
    "_TensorBase",
    "_TensorMeta",
    "_WeakTensorRef",
    "_are_functorch_transforms_active",
    "_autograd",
    "_disabled_torch_function_impl",
    "_dynamo",
    "_fft",
    "_functions",
    "_functorch",
    "_get_default_device",
    "_get_tracing_state",
    "_has_torch_function",
    "_has_torch_function_unary",
    "_has_torch_function_variadic",
    "_is_fwd_grad_enabled",
    "_is_torch_function_enabled",
    "_is_torch_function_mode_enabled",
    "_jit_clear_class_registry",
    "_len_torch_function_stack",
    "_linalg",
    "_nn",
    "_set_conj",
    "_set_fwd_grad_enabled",
    "_set_grad_enabled",
    "_set_neg",
    "_special",
    "_will_engine_execute_node",
    "device",
    "dtype",
    "layout",
    "memory_format",
    "parse_schema",
]

_TensorBase = TensorBase


def _jit_clear_class_registry() -> None:
    """Forget the classes that were compiled as scripts. There are none."""


_FILES = (
    "_autograd", "_dynamo", "_fft", "_functions", "_functorch", "_linalg", "_nn", "_special",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Files of names come with the first look at one of them."""
    if name in _FILES:
        return _import_module(f"rushlight._C.{name}")
    raise AttributeError(f"module 'rushlight._C' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILES})


def _get_accelerator(check: bool | None = None) -> device:
    """The device that programs would use besides the CPU; the CPU where there is none."""
    from rushlight import accelerator

    return accelerator.current_accelerator(bool(check)) or device("cpu")


def _set_grad_enabled(enabled: bool) -> None:
    """Switch the recording of this thread's operations on or off."""
    _state.set_grad(enabled)


def _storage_address(tensor: TensorBase) -> int:
    """A number that tensors share only if they have one storage."""
    return tensor._storage_._cdata


def _storage_id(tensor: TensorBase) -> int:
    """A number that tensors share only if they have one storage, whose memory may be nowhere."""
    return id(tensor._storage_)


def _data_address(tensor: TensorBase) -> int:
    """The address of the first element, for reading: a lazy clone is not copied for it."""
    return tensor._storage_._ptr + tensor._offset_ * tensor._dtype_.itemsize


def _is_cow_tensor(tensor: TensorBase) -> bool:
    """Whether the elements are copied when they are first written."""
    return tensor._storage_.is_copied_later()


def _warn() -> None:
    """Give a warning, for tests of how they are passed on."""
    warnings.warn("Test message for TORCH_WARN", UserWarning, stacklevel=2)


def _warn_deprecation() -> None:
    """Give a warning of what is going away, for tests of how they are passed on."""
    warnings.warn("Test message for TORCH_WARN_DEPRECATION", DeprecationWarning, stacklevel=2)


_get_deterministic_fill_uninitialized_memory = settings.fills_uninitialized_memory
_set_deterministic_fill_uninitialized_memory = settings.fill_uninitialized_memory


_get_privateuse1_backend_name = _private_use_name
_rename_privateuse1_backend = _rename_private_use


def _log_api_usage_once(event: str) -> None:
    """Nothing is recorded."""


def _get_tracing_state() -> Any:
    """What records a trace; calls are never traced here."""
    return None


def _debug_only_are_vmap_fallback_warnings_enabled() -> bool:
    """Whether `vmap` warns where it goes through the batch."""
    return _loop.Settings.warns


def _debug_only_display_vmap_fallback_warnings(enabled: bool) -> None:
    _loop.Settings.warns = enabled


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    """The keys that this thread leaves out."""
    return DispatchKeySet.of_bits(_state.thread.excluded)


def _dispatch_tls_local_include_set() -> DispatchKeySet:
    """The keys that this thread adds."""
    return DispatchKeySet.of_bits(_state.thread.included)


def _are_functorch_transforms_active() -> bool:
    """Whether a function that runs is being transformed."""
    return bool(_state.thread.layers)


def _set_conj(tensor: TensorBase, conj: bool) -> None:
    """Let the elements count as the conjugates of what lies in memory, or no longer."""
    _set_key(tensor, _keys.CONJUGATE, conj)


def _set_neg(tensor: TensorBase, neg: bool) -> None:
    """Let the elements count as the negatives of what lies in memory, or no longer."""
    _set_key(tensor, _keys.NEGATIVE, neg)


def _set_key(tensor: TensorBase, key: int, on: bool) -> None:
    tensor._keys_ = tensor._keys_ | key if on else tensor._keys_ & ~key


class _WeakTensorRef:
    """A weak reference to a tensor, which can be asked whether the tensor is gone."""

    def __init__(self, tensor: TensorBase) -> None:
        self._tensor = _weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether the tensor is gone."""
        return self._tensor() is None


globals().update((_name, getattr(_schema_types, _name)) for _name in _schema_types.NAMES)

# The dispatcher's own view has many names, all of which say whose they are.
globals().update(
    (_name, _value)
    for _name, _value in vars(_dispatcher).items()
    if getattr(_value, "__module__", "") == _dispatcher.__name__ or _name.endswith("_keyset")
)
