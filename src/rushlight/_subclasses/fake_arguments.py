"""The arguments of a call on fakes: their tensors, the device they ask for, real ones in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._subclasses.fake_errors import FakeTensorDeviceMismatchError
from rushlight.engine.core import device as devices
from rushlight.engine.core.symbolic import SymInt, has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator


def tensors_in(*values: Any) -> list[Any]:
    """The tensors in nested arguments."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += tensors_in(*value)
        elif isinstance(value, dict):
            found += tensors_in(*value.values())
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


def numbered(device: Any) -> devices.device:
    """A device with a number, where devices of its kind have one."""
    found = devices.device(device)
    if found.index is None and found.type not in ("cpu", "meta", "hpu", "mps"):
        return devices.device(found.type, 0)
    return found


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


def takes_device(func: Operator) -> bool:
    return any(a.name == "device" for a in func.schema.arguments)


def _place_of_device(func: Operator) -> int | None:
    names = [a.name for a in func.schema.positional]
    return names.index("device") if "device" in names else None


def device_argument(func: Operator, args: Any, kwargs: Any) -> Any:
    place = _place_of_device(func)
    if place is not None and place < len(args):
        return args[place]
    return kwargs.get("device")


def on_meta(func: Operator, args: Any, kwargs: Any) -> Any:
    """Arguments that ask for the meta device."""
    place = _place_of_device(func)
    if place is not None and place < len(args):
        return (*args[:place], devices.meta, *args[place + 1 :]), kwargs
    kept = {name: value for name, value in kwargs.items() if name != "pin_memory"}
    return args, {**kept, "device": devices.meta}


def has_symbols_in(*values: Any) -> bool:
    for value in values:
        if isinstance(value, Tensor):
            if has_symbols(value._size_) or has_symbols(value._stride_):
                return True
        elif isinstance(value, (list, tuple)):
            if has_symbols_in(*value):
                return True
        elif isinstance(value, dict):
            if has_symbols_in(*value.values()):
                return True
        elif type(value) is SymInt:
            return True
    return False


def run_filled(func: Operator, args: Any, kwargs: Any, number: int) -> Any:
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
