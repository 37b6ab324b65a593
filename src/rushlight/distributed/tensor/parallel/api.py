"""Applying styles of tensor parallelism to the modules within a module."""

from __future__ import annotations

import warnings
from fnmatch import fnmatch

from rushlight.distributed.device_mesh import DeviceMesh, _mesh_resources
from rushlight.distributed.tensor.parallel.style import ParallelStyle
from rushlight.nn.modules.module import Module

__all__ = ["parallelize_module"]


def parallelize_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> Module:
    """Spread the parameters of a module over devices, in place.

    Args:
        module: the module
        device_mesh: the devices, in one dimension; those of the innermost ``with mesh``
        parallelize_plan: a style for the module, or styles for modules within it, by their names; each part of a name
            may have wildcards
        src_data_rank: whose parameters count; each device's own for None
    """
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    if parallelize_plan is None:
        warnings.warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this "
            "parallelize_module call will do nothing.",
            stacklevel=2,
        )
        return module
    if mesh.ndim != 1:
        raise ValueError(
            f"parallelize_module takes a mesh of one dimension, such as mesh['tp'], and got {mesh}"
        )
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        for found in _named(module, path):
            parallelize_module(found, mesh, style, src_data_rank=src_data_rank)
    return module


def _named(module: Module, path: str) -> list[Module]:
    """The modules that a name with wildcards means."""
    if not path:
        return [module]
    first, _, rest = path.partition(".")
    matched = [child for name, child in module.named_children() if fnmatch(name, first)]
    if not matched:
        warnings.warn(
            f"Parallelize plan key '{path}' could not be resolved: no submodule matching token '{first}' in "
            f"module {module}, skipping this plan entry.",
            stacklevel=3,
        )
    return [found for child in matched for found in _named(child, rest)]
