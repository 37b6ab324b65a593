"""Functions of parts as functions of distributed tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor._api import DTensor
from rushlight.distributed.tensor.placement_types import Placement
from rushlight.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["local_map"]


def local_map(
    func: Callable[..., Any] | None = None,
    out_placements: Any = None,
    in_placements: Any = None,
    in_grad_placements: Any = None,
    device_mesh: DeviceMesh | None = None,
    *,
    redistribute_inputs: bool = False,
) -> Any:
    """Call a function of devices' parts with distributed tensors.

    Args:
        func: gets this device's parts
        out_placements: how each result lies; None for one that is no tensor; one list of placements for all of them
        in_placements: how each input has to lie; None for one that is no tensor
        in_grad_placements: how gradients of the inputs lie, if it is otherwise
        device_mesh: the devices, for functions without distributed tensors among their inputs
        redistribute_inputs: whether inputs that lie otherwise are redistributed, rather than refused
    """
    if func is None:
        return functools.partial(
            local_map,
            out_placements=out_placements,
            in_placements=in_placements,
            in_grad_placements=in_grad_placements,
            device_mesh=device_mesh,
            redistribute_inputs=redistribute_inputs,
        )

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = tree_flatten(args)
        if in_placements is not None and len(in_placements) != len(leaves):
            raise AssertionError(
                f"in_placements length {len(in_placements)} does not match the number of input args {len(leaves)}!"
            )
        mesh, any_distributed = device_mesh, False
        for place, value in enumerate(leaves):
            if not isinstance(value, DTensor):
                continue
            any_distributed, mesh = True, mesh or value.device_mesh
            if in_placements is not None:
                value = _as_required(value, in_placements[place], redistribute_inputs)
            grads = None if in_grad_placements is None else in_grad_placements[place]
            leaves[place] = value.to_local(grad_placements=grads)
        made = func(*tree_unflatten(leaves, tree), **kwargs)
        return _distributed(made, out_placements, mesh) if any_distributed else made

    return mapped


def _as_required(value: DTensor, wanted: Sequence[Placement] | None, may_move: bool) -> DTensor:
    if wanted is None:
        raise AssertionError(f"expected placements for the input {value!r}, but got None")
    if tuple(wanted) == value.placements:
        return value
    if may_move:
        return value.redistribute(placements=wanted)
    raise ValueError(
        f"arg {value!r} in local_map has a mismatched placements: arg placements is {value.placements} but the input "
        f"placements is {tuple(wanted)}! If redistribute_inputs is wanted, set redistribute_inputs=True to local_map."
    )


def _distributed(made: Any, placements: Any, mesh: DeviceMesh | None) -> Any:
    """Results as distributed tensors."""
    leaves, tree = tree_flatten(made)
    if isinstance(placements, (list, tuple)) and all(isinstance(p, Placement) for p in placements):
        placements = (placements,) * len(leaves)
    if len(placements) != len(leaves):
        raise AssertionError(
            f"local_map requires one PlacementType for each output value, received {len(placements)} "
            f"out_placements but {len(leaves)} is expected!"
        )
    for place, (value, lies) in enumerate(zip(leaves, placements)):
        if isinstance(value, torch.Tensor):
            if isinstance(value, DTensor):
                raise AssertionError(f"Non-tensor output expected but received {value!r}")
            if lies is not None:
                leaves[place] = DTensor.from_local(value, mesh, lies, run_check=False)
        elif lies is not None:
            raise AssertionError(f"Non-tensor output expects None placements but received {lies}!")
    return tree_unflatten(leaves, tree)
