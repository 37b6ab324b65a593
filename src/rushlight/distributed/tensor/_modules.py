"""Modules whose parameters are distributed tensors."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from rushlight.distributed.device_mesh import DeviceMesh, _mesh_resources
from rushlight.distributed.tensor._api import DTensor, distribute_tensor
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["distribute_module"]


def distribute_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable[[str, Module, DeviceMesh], None] | None = None,
    input_fn: Callable[..., Any] | None = None,
    output_fn: Callable[..., Any] | None = None,
) -> Module:
    """Make the parameters and buffers of a module distributed tensors, in place.

    Args:
        module: the module
        device_mesh: the devices; those of the innermost ``with mesh``
        partition_fn: called with the name, the module and the mesh for each module within; may register distributed
            parameters. Those that it leaves lie on each device
        input_fn: called with the module, its inputs and the mesh before the module is; gives other inputs
        output_fn: called with the module, its result and the mesh; gives another result
    """
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError(
            "distribute_module should only be called once on a module, but it has already been called on this "
            "module!"
        )
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    for name, part in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, part, mesh)
        _replicate(part, mesh)
    if input_fn is not None:
        before = _with_mesh(input_fn, "input_fn", mesh)
        module.register_forward_pre_hook(lambda m, inputs: before(m, inputs))
    if output_fn is not None:
        after = _with_mesh(output_fn, "output_fn", mesh)
        module.register_forward_hook(lambda m, inputs, result: after(m, result))
    module._distribute_module_applied = True  # type: ignore[assignment]
    return module


def _replicate(module: Module, mesh: DeviceMesh) -> None:
    """Spread what a module has itself, and is no distributed tensor yet, over all devices."""
    for name, parameter in list(module._parameters.items()):
        if parameter is not None and not isinstance(parameter, DTensor):
            made = Parameter(distribute_tensor(parameter.detach(), mesh), parameter.requires_grad)
            module.register_parameter(name, made)
    for name, buffer in list(module._buffers.items()):
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh)


def _with_mesh(function: Callable[..., Any], name: str, mesh: DeviceMesh) -> Callable[..., Any]:
    """A function of the module and its values; an older form takes the values only."""
    count = len(inspect.signature(function).parameters)
    if count == 2:
        warnings.warn(
            f"Deprecating {name} that takes two arguments ({name[:-3]}s, device_mesh), please use {name} that "
            f"takes in (module, {name[:-3]}s, device_mesh) instead!",
            FutureWarning,
            stacklevel=3,
        )
        return lambda module, values: function(values, mesh)
    if count == 3:
        return lambda module, values: function(module, values, mesh)
    raise ValueError(f"{name} should take in 3 arguments, but got {count} arguments!")
