"""Random numbers for distributed tensors: the same ones that one process would have drawn.

All devices of a mesh draw the numbers of the whole tensor, from generators in the same state, and keep those of their part.
"""

from __future__ import annotations

import weakref
from typing import Any

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor import _collective_utils as pieces

__all__ = ["is_rng_supported_mesh", "manual_seed"]

# Meshes whose devices have generators in the same state, by the group along the first dimension.
_in_step: weakref.WeakKeyDictionary[Any, set[Any]] = weakref.WeakKeyDictionary()


def is_rng_supported_mesh(device_mesh: DeviceMesh) -> bool:
    """Whether random operators on a mesh give what one process would."""
    return device_mesh.device_type == "cpu"


def manual_seed(seed: int, device_mesh: DeviceMesh) -> None:
    """Seed the generators of all devices of a mesh.

    Args:
        seed: the same for all of them
        device_mesh: the devices
    """
    if device_mesh.get_coordinate() is None:
        raise RuntimeError(
            "manual_seed requires the current rank to be a part of the device mesh otherwise DTensor RNG state on "
            "the rank will not be initialized and the behavior of DTensor random ops is undefined."
        )
    torch.manual_seed(seed)
    _known(device_mesh).add(device_mesh._identity)


def _known(mesh: DeviceMesh) -> set[Any]:
    return _in_step.setdefault(mesh.get_group(0), set())


def bring_in_step(mesh: DeviceMesh) -> None:
    """Give all devices of a mesh, the first time, the state of the first one's generator."""
    if mesh.get_coordinate() is None or mesh._identity in _known(mesh):
        return
    state = torch.get_rng_state()
    for i in range(mesh.ndim):
        pieces.mesh_broadcast(state, mesh, i)
    torch.set_rng_state(state)
    _known(mesh).add(mesh._identity)
