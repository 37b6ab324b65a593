"""One parameter of a sharded module: its part as a distributed tensor, and the whole while it is needed."""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor._api import DTensor, normal_placements
from rushlight.distributed.tensor._collective_utils import piece
from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from rushlight.distributed.tensor.placement_types import (
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

Tensor = torch.Tensor


class FSDPParam:
    """A parameter, whatever modules have it under whatever names.

    Rows are what the sharded dimension is counted in; each device has as many of them, but for the last ones.

    Args:
        parameter: what it is now: a tensor, or a distributed one of tensor parallelism
        places: the modules that have it, with the names
        mesh: the devices: of one dimension, or of two whose first one has copies
        shard_dim: the dimension that is cut
    """

    def __init__(
        self,
        parameter: Parameter,
        places: list[tuple[Module, str]],
        mesh: DeviceMesh,
        shard_dim: int,
    ) -> None:
        self.places, self.mesh, self.dim = places, mesh, shard_dim
        self.shard_mesh_dim = mesh.ndim - 1
        self.world = mesh.size(self.shard_mesh_dim)
        self.requires_grad = parameter.requires_grad  # type: ignore[attr-defined]
        self.inner_spec = parameter._spec if isinstance(parameter, DTensor) else None
        local: Any = (
            parameter._local_tensor if isinstance(parameter, DTensor) else parameter.detach()
        )  # type: ignore[attr-defined]
        self.shape = tuple(local.shape)
        self.dtype = local.dtype
        self.spec = self._spec_of(local)
        length = self.shape[shard_dim]
        self.rows = -(-length // self.world)
        self.own_rows, _ = Shard.local_shard_size_and_offset(
            length, self.world, mesh.get_local_rank(self.shard_mesh_dim)
        )
        self.row_shape = (*self.shape[:shard_dim], *self.shape[shard_dim + 1 :])
        self.row = math.prod(self.row_shape)
        self.room = self.offset = 0
        self.sharded_param: Any = None
        self.unsharded_param: Any = None
        self._take(parameter, local)

    def _take(self, parameter: Any, local: Tensor) -> None:
        """Take this device's part."""
        # How much of the flat buffer is this parameter's, and where that begins.
        self.room, self.offset = self.rows * self.row, 0
        part = piece(local, self.dim, self.mesh, self.shard_mesh_dim).contiguous()
        self.sharded_param = self._as_parameter(part)

    def _spec_of(self, local: Tensor) -> DTensorSpec:
        """How the parameter lies once it is sharded: on all devices that have parts of it."""
        copies: list[Placement] = [Replicate()] * self.shard_mesh_dim
        inner = self.inner_spec
        if inner is None:
            meta = TensorMeta(torch.Size(local.shape), tuple(local.stride()), local.dtype)
            return DTensorSpec(self.mesh, (*copies, Shard(self.dim)), meta)
        mesh = self._joined(inner.mesh)
        pieces = math.prod(
            inner.mesh.size(i) for i, p in enumerate(inner.placements) if p == Shard(self.dim)
        )
        # What tensor parallelism has cut already is cut again within its pieces.
        own: Placement = Shard(self.dim)
        if pieces > 1:
            own = _StridedShard(self.dim, split_factor=pieces)
        return DTensorSpec(mesh, (*copies, own, *inner.placements), inner.tensor_meta)

    def _joined(self, inner: DeviceMesh) -> DeviceMesh:
        """The mesh that both meshes are parts of."""
        outer, root = self.mesh, self.mesh._get_root_mesh()
        if inner._get_root_mesh() is not root or outer.mesh_dim_names is None:
            raise ValueError(
                "FSDP requires the DP and model parallel TP/EP mesh to have the same parent mesh but got: "
                f"DP's global mesh: {root} TP/EP's global mesh: {inner._get_root_mesh()}"
            )
        names = (*outer.mesh_dim_names, *(inner.mesh_dim_names or ()))
        return root[names]

    def _as_parameter(self, part: Tensor) -> Any:
        made = DTensor(part, self.spec, requires_grad=False)
        return Parameter(made, self.requires_grad)

    # -- the part --
    def own_numel(self) -> int:
        """How many elements this device has."""
        return self.own_rows * self.row

    def in_rows(self, tensor: Tensor) -> Tensor:
        """A tensor with the sharded dimension first."""
        return tensor.movedim(self.dim, 0)

    def view_of(self, flat: Tensor) -> Tensor:
        """This device's part in a flat buffer."""
        own = flat.narrow(0, self.offset, self.own_numel())
        return own.view(self.own_rows, *self.row_shape).movedim(0, self.dim)

    def refreshed(self) -> bool:
        """Take the parameter that the modules have now; whether that is another one."""
        module, name = self.places[0]
        now: Any = module._parameters[name]
        if now is self.sharded_param or now is self.unsharded_param:
            return False
        if not isinstance(now, DTensor):
            raise ValueError(f"the sharded parameter {name} was replaced by {type(now).__name__}")
        self.sharded_param = now
        self.spec, self.dtype = now._spec, now.dtype
        for other, its_name in self.places[1:]:
            other._parameters[its_name] = now
        return True

    def set_grad(self, part: Tensor) -> None:
        """Add this device's part of the gradient."""
        meta = self.spec.meta._replace(dtype=part.dtype)
        made = DTensor(part, self.spec.shallow_copy_with_tensor_meta(meta), requires_grad=False)
        if self.sharded_param.grad is None:
            self.sharded_param.grad = made
        else:
            self.sharded_param.grad += made

    # -- the whole --
    def make_whole(self, region: Tensor) -> None:
        """The whole parameter, over memory that is filled when it is needed."""
        whole = self.with_inner_spec(self._shaped(region))
        self.unsharded_param = Parameter(whole, self.requires_grad)

    def _shaped(self, region: Tensor) -> Tensor:
        """The elements of a region, which has the devices' rows, as they lie in the parameter."""
        length = self.shape[self.dim]
        return region.view(self.world * self.rows, *self.row_shape)[:length].movedim(0, self.dim)

    def with_inner_spec(self, local: Tensor) -> Any:
        """The whole, as far as tensor parallelism has left it here, as the tensor that it is."""
        if self.inner_spec is None:
            return local
        meta = self.inner_spec.meta._replace(dtype=local.dtype)
        spec = self.inner_spec.shallow_copy_with_tensor_meta(meta)
        return DTensor(local, spec, requires_grad=False)

    def part_of_whole(self) -> Tensor:
        """This device's part of the whole parameter."""
        whole: Any = self.unsharded_param.detach()
        local = whole._local_tensor if isinstance(whole, DTensor) else whole
        return piece(local, self.dim, self.mesh, self.shard_mesh_dim)

    def taken_grad(self) -> Any:
        """The gradient of the whole, which it has no more; None if there is none."""
        grad = self.unsharded_param.grad
        if grad is None:
            return None
        self.unsharded_param.grad = None
        if self.inner_spec is not None:
            placements = normal_placements(
                self.inner_spec.mesh, self.inner_spec.placements, grad.dim()
            )
            with torch.no_grad():
                grad = grad.redistribute(placements=placements)._local_tensor
        return grad.detach()

    # -- in the modules --
    def show(self, parameter: Any) -> None:
        """Let the modules have one form of the parameter."""
        for module, name in self.places:
            module._parameters[name] = parameter
