"""CUDA: the kernels of the CPU, run while their loops are planned for a GPU.

A kernel says which loops fill its results; it is the loops that know machines. So an operator whose kernel is
made of loops that are printed as PTX runs here as it is. One that needs another kind of loop is refused when it
is planned; what looks at memory itself has a kernel of its own, or is refused, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, driver
from rushlight.engine.cuda.transfers import DeviceMemory
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache import steps, validity
from rushlight.engine.dispatch.call_cache.steps import produced
from rushlight.engine.dispatch.call_cache.steps.on_device import on_device
from rushlight.engine.dispatch.operator import Operator, plans_loops
from rushlight.engine.dispatch.specialise import MissingKernel, Rest, Writer
from rushlight.engine.loops import placement
from rushlight.engine.loops.device_planner import Planner
from rushlight.engine.loops.placement import planning
from rushlight.engine.ops.copy import device_copies
from rushlight.engine.ops.losses import device_losses as device_losses
from rushlight.engine.ops.quantized import device_products as device_products
from rushlight.engine.ops.sampling import device_distributions as device_distributions
from rushlight.engine.ops.sampling import device_draws as device_draws
from rushlight.engine.ops.sampling import device_dropout as device_dropout
from rushlight.engine.ops.sampling import device_trials as device_trials
from rushlight.engine.ops.sampling import device_words as device_words
from rushlight.engine.ops.searching import device_runs as device_runs
from rushlight.engine.ops.searching import device_search as device_search

# The namespaces of operators whose kernels are rushlight's.
OWN = ("aten", "rushlight")
_planners: dict[tuple[devices.device, str], Planner] = {}


def use_device() -> None:
    """Make ``cuda`` usable, where there is a driver and a device."""
    if driver.find() is not None and context.count():
        devices.register("cuda", key_bits.CUDA, has_numbers=True, current=context.number_of_thread)
        devices.set_memory("cuda", DeviceMemory())
        placement.planners["cuda"] = planner_of


context.when_stopped.append(validity.forget_calls)
produced.for_devices["cuda"] = on_device


def planner_of(where: devices.device, name: str) -> Planner:
    """What plans the loops of an operator for a device."""
    found = _planners.get((where, name))
    if found is None:
        found = _planners[where, name] = Planner(where, name)
    return found


class OnDevice:
    """A kernel of the CPU, whose loops are planned for the device that the call's tensors are on."""

    def __init__(self, op: Operator, kernel: Callable[..., Any]) -> None:
        self.op, self.kernel = op, kernel
        self.written = [k for k, argument in enumerate(op.schema.arguments) if argument.is_write]
        self.__name__ = getattr(kernel, "__name__", op.base_name)
        # It looks for itself which tensors are where.
        self.of_any_device = True
        # Whether its steps say all that it does on a device, too.
        self.notes_steps = plans_loops(kernel)
        self.calls_nothing = getattr(kernel, "calls_nothing", False)

    def __call__(self, *args: Any) -> Any:
        where = device_of(args)
        args = tuple(x if k in self.written else moved(x, where) for k, x in enumerate(args))
        if not self.notes_steps:
            steps.Unrepeatable.note()
        with context.on(where.index or 0), planning(planner_of(where, self.op.full_name)):
            return self.kernel(*args)


def device_of(args: tuple[Any, ...]) -> devices.device:
    """The device that a call is for: its tensors', or the one that it asks for."""
    for tensor in tensors_in(args):
        if tensor._keys_ & key_bits.CUDA:
            return tensor._storage_.device  # type: ignore[no-any-return]
    for item in args:
        if isinstance(item, devices.device) and item.type == "cuda":
            return devices.place(item)
    return devices.device("cuda", context.current())


def moved(item: Any, where: devices.device) -> Any:
    """A number in a tensor of the host, on the device; anything else as it is."""
    if isinstance(item, Tensor) and not item._size_ and item._storage_.device is devices.cpu:
        return device_copies.number_to_device(item, where)
    return item


def part(op: Operator, key_set: int, writer: Writer, rest: Rest) -> str | Callable[..., Any] | None:
    """The CPU's kernel of an operator, for a GPU."""
    if op.namespace not in OWN:
        # What programs register for the CPU need not be made of loops.
        return op.explicit or MissingKernel(op, key_bits.CUDA)
    kernel = op.kernels.get(key_bits.CPU) or op.explicit
    if kernel is None:
        return MissingKernel(op, key_bits.CUDA)
    return OnDevice(op, kernel)


registry.register_part("CUDA", part, runs_explicit=True)
