"""What training in several processes does to modules, arguments and state dicts, whichever way it trains."""

from __future__ import annotations

import dataclasses
import traceback
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed._local_tensor import maybe_run_for_local_tensor
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.rnn import PackedSequence

__all__: list[str] = []

Tensor = torch.Tensor


# -- arguments --
def _pack_kwargs(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """All arguments in one tuple, and the names of those at its end that were given by name."""
    return (*args, *kwargs.values()), tuple(kwargs)


def _unpack_kwargs(
    flat_args: tuple[Any, ...], kwarg_keys: tuple[str, ...]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What `_pack_kwargs` was given."""
    first = len(flat_args) - len(kwarg_keys)
    if first < 0:
        raise AssertionError(f"too many keys {len(kwarg_keys)} vs. {len(flat_args)}")
    return flat_args[:first], dict(zip(kwarg_keys, flat_args[first:]))


def _apply_to_tensors(fn: Callable[[Tensor], Any], container: Any) -> Any:
    """A container of the same kind, with a function's results in the place of its tensors."""
    if isinstance(container, torch.Tensor):
        return fn(container)
    if dataclasses.is_dataclass(container) and not isinstance(container, type):
        fields = [field.name for field in dataclasses.fields(container)]
        parts = {name: _apply_to_tensors(fn, getattr(container, name)) for name in fields}
        return dataclasses.replace(container, **parts)
    if isinstance(container, PackedSequence):
        _apply_to_tensors(fn, container.data)
        return container
    if isinstance(container, dict):
        kind = type(container) if isinstance(container, OrderedDict) else dict
        return kind((key, _apply_to_tensors(fn, value)) for key, value in container.items())
    if isinstance(container, (list, tuple, set)):
        parts_of_it = [_apply_to_tensors(fn, value) for value in container]
        named = hasattr(container, "_fields")
        return type(container)(*parts_of_it) if named else type(container)(parts_of_it)
    return container


def _cast_floating(value: Any, dtype: Any) -> Any:
    """A tensor of floating point numbers in another type; anything else as it is."""
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.to(dtype) if floating else value


def _cast_forward_inputs(dtype: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """Arguments, with tensors of floating point numbers in the type that a module computes in."""
    if dtype is None:
        return args, kwargs

    def cast(x: Tensor) -> Tensor:
        return _cast_floating(x, dtype)  # type: ignore[no-any-return]

    return _apply_to_tensors(cast, args), _apply_to_tensors(cast, kwargs)


def _recursive_to(
    inputs: Any, target_device: Any, use_side_stream_for_tensor_copies: bool
) -> list[Any]:
    """The inputs on one device, as a list with one element: what `scatter` gives for one device."""
    return [_moved(inputs, target_device)]


def _moved(value: Any, device: Any) -> Any:
    """What is in lists, tuples and dicts, on a device."""
    if isinstance(value, (torch.Tensor, PackedSequence)):
        own = value.data.device if isinstance(value, PackedSequence) else value.device
        return value if own == device else value.to(device)
    if isinstance(value, dict):
        return type(value)((_moved(key, device), _moved(x, device)) for key, x in value.items())
    if isinstance(value, (list, tuple)):
        parts = [_moved(x, device) for x in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _to_kwargs(
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    target_device: Any,
    use_side_stream_for_tensor_copies: bool,
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Positional and named arguments on a device, each in a tuple with one element; nothing gives nothing."""
    if not inputs and not kwargs:
        return (), ()
    side = use_side_stream_for_tensor_copies
    (positional,) = _recursive_to(tuple(inputs), target_device, side)
    (named,) = _recursive_to(kwargs or {}, target_device, side)
    return (positional,), (named,)


# -- states of modules --
def _verify_param_shape_across_processes(
    process_group: Any, tensors: Sequence[Tensor], logger: Any = None
) -> None:
    """Raise RuntimeError if tensors of another process have other sizes or types."""
    from rushlight.distributed._reducer import _verify_params_across_processes

    _verify_params_across_processes(process_group, tensors, logger)


def _sync_module_states(
    module: Module,
    process_group: Any,
    broadcast_bucket_size: int,
    src: int,
    params_and_buffers_to_ignore: Container[str],
    broadcast_buffers: bool = True,
) -> None:
    """Give all processes the parameters and buffers of one of them."""
    named: list[tuple[str, Tensor]] = [*module.named_parameters()]
    if broadcast_buffers:
        named += module.named_buffers()
    states = [t.detach() for name, t in named if name not in params_and_buffers_to_ignore]
    _sync_params_and_buffers(process_group, states, broadcast_bucket_size, src)


def _sync_params_and_buffers(
    process_group: Any, module_states: Sequence[Tensor], broadcast_bucket_size: int, src: int
) -> None:
    """Give all processes the tensors of one of them."""
    from rushlight.distributed._reducer import _broadcast_coalesced

    if module_states:
        _broadcast_coalesced(process_group, module_states, broadcast_bucket_size, src)


def _replace_by_prefix(state_dict: dict[str, Any], old_prefix: str, new_prefix: str) -> None:
    """Rename what begins with a prefix, in place: it begins with another one afterwards."""
    if old_prefix == new_prefix:
        raise ValueError("old_prefix and new_prefix must be distinct")
    for key in [key for key in state_dict if key.startswith(old_prefix)]:
        state_dict[new_prefix + key[len(old_prefix) :]] = state_dict.pop(key)


def _get_root_modules(modules: Iterable[Module]) -> list[Module]:
    """Those of some modules that are not within another one of them."""
    every = list(modules)
    inner = {part for one in every for part in one.modules() if part is not one}
    return [one for one in every if one not in inner]


# -- storages --
def _alloc_storage(tensor: Tensor, size: torch.Size) -> None:
    """Give a tensor without memory the memory for a size."""
    storage = tensor.untyped_storage()
    wanted = size.numel() * tensor.element_size()
    if storage.nbytes() != wanted:
        _p_assert(storage.nbytes() == 0, f"the storage has {storage.nbytes()} bytes, expected none")
        storage.resize_(wanted)


def _free_storage(tensor: Tensor) -> None:
    """Take a tensor's memory; there is to be no other tensor in it."""
    storage = tensor.untyped_storage()
    if storage.nbytes():
        _p_assert(
            tensor.storage_offset() == 0,
            "Freeing a tensor's storage is unsafe when it is not the sole occupant\n"
            f"storage offset: {tensor.storage_offset()}\n"
            f"storage size: {storage.nbytes() // tensor.element_size()}\n"
            f"tensor shape: {tensor.shape}",
        )
        storage.resize_(0)


def _data_ptr_allocated(tensor: Tensor) -> bool:
    """Whether a tensor has memory."""
    return tensor.untyped_storage().nbytes() > 0


def _p_assert(cond: Any, s: str, raise_assertion_error: bool = True) -> None:
    """Raise AssertionError where a condition does not hold, and print it: hooks may hide what is raised."""
    if not cond:
        print(s)
        traceback.print_stack()
        if raise_assertion_error:
            raise AssertionError(s)


@maybe_run_for_local_tensor
def lies_in(flat: Any, offset: int, view: Any) -> bool:
    """Whether a tensor is where it should be in a buffer; one without elements is anywhere.

    Args:
        flat: the buffer
        offset: how many elements there are before it
        view: the tensor
    """
    return not view.numel() or view.data_ptr() == flat.data_ptr() + offset * flat.element_size()
