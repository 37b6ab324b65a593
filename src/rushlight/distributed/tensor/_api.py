"""Distributed tensors: the class, how they are made, and what is done with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh, _mesh_resources
from rushlight.distributed.tensor import _collective_utils as pieces
from rushlight.distributed.tensor._dispatch import OpDispatcher
from rushlight.distributed.tensor._dtensor_spec import (
    DTensorSpec,
    TensorMeta,
    meta_of,
    shard_order,
)
from rushlight.distributed.tensor._redistribute import (
    Redistribute,
    redistribute_local_tensor,
    without_partial,
)
from rushlight.distributed.tensor._utils import (
    compute_global_tensor_info,
    compute_local_shape_and_global_offset,
)
from rushlight.distributed.tensor.placement_types import (
    Partial,
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)

__all__ = ["DTensor", "distribute_tensor"]

Placements = Sequence[Placement]


class _ToTorchTensor(torch.autograd.Function):
    """This device's part, whose gradient is a part."""

    @staticmethod
    def forward(ctx: Any, given: DTensor, grad_placements: Any) -> Any:
        ctx.spec, ctx.grad_placements = given._spec, grad_placements
        local = given._local_tensor
        return local.view_as(local)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        placements = ctx.grad_placements or without_partial(ctx.spec.placements)
        stride = _stride_like(grad, ctx.spec.shape)
        meta = TensorMeta(ctx.spec.shape, stride, grad.dtype)
        spec = DTensorSpec(ctx.spec.mesh, placements, meta)
        return DTensor(grad, spec, requires_grad=grad.requires_grad), None


def _stride_like(local: Any, shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of a dense whole whose dimensions are in the order of a part's."""
    order = sorted(range(local.dim()), key=lambda d: (local.stride(d), d), reverse=True)
    if local.is_contiguous():
        order = list(range(local.dim()))
    stride, step = [0] * local.dim(), 1
    for dim in reversed(order):
        stride[dim] = step
        step *= max(int(shape[dim]), 1)
    return tuple(stride)


class _FromTorchTensor(torch.autograd.Function):
    """A distributed tensor of parts, whose gradient is taken apart."""

    @staticmethod
    def forward(ctx: Any, local: Any, spec: DTensorSpec, grad_placements: Any) -> Any:
        ctx.spec, ctx.grad_placements = spec, grad_placements
        return DTensor(local.view_as(local), spec, requires_grad=local.requires_grad)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        placements = ctx.grad_placements or without_partial(ctx.spec.placements)
        target = grad._spec.with_placements(placements)
        return redistribute_local_tensor(grad._local_tensor, grad._spec, target), None, None


class DTensor(torch.Tensor):
    """A tensor that lies on the devices of a mesh, in parts or on each of them.

    Operators compute with the parts and communicate where they have to; results are distributed tensors, too. Make
    one by `distribute_tensor`, `DTensor.from_local`, or functions such as `distributed.tensor.zeros`.
    """

    _local_tensor: torch.Tensor
    _spec: DTensorSpec

    @staticmethod
    def __new__(
        cls: Any, local_tensor: torch.Tensor, spec: DTensorSpec, *, requires_grad: bool
    ) -> Any:
        meta, dtype = spec.meta, local_tensor.dtype
        if dtype is not meta.dtype:
            spec = spec.shallow_copy_with_tensor_meta(meta._replace(dtype=dtype))
        made = spec.wrapper(cls, dtype, local_tensor.device)
        if local_tensor.requires_grad:
            local_tensor = local_tensor.detach()
        made._local_tensor, made._spec = local_tensor, spec
        return made.requires_grad_() if requires_grad else made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    _op_dispatcher = OpDispatcher()

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return cls._op_dispatcher.dispatch(func, args, kwargs or {})

    @staticmethod
    def _answer_again(op: Any, values: tuple[Any, ...]) -> Any:
        """What `__torch_dispatch__` would make of a call that it has made before; otherwise `NotImplemented`."""
        return DTensor._op_dispatcher.again(op, values)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return (
            f"DTensor(local_tensor={self._local_tensor}, device_mesh={self._spec.mesh}, "
            f"placements={self._spec.placements})"
        )

    __str__ = __repr__

    def __format__(self, format_spec: str) -> str:
        if self.dim() == 0 and format_spec:
            return format(self.item(), format_spec)
        return object.__format__(self, "") if format_spec else repr(self)

    # -- flattened, and as a value of files --
    def __tensor_flatten__(self) -> Any:
        facts = (self._spec.placements, self._spec.tensor_meta, self.requires_grad)
        return ["_local_tensor", "device_mesh"], facts

    @staticmethod
    def __tensor_unflatten__(
        inner_tensors: Any, flatten_spec: Any, outer_size: Any, outer_stride: Any
    ) -> DTensor:
        placements, meta, requires_grad = flatten_spec
        made = TensorMeta(outer_size, outer_stride, meta.dtype)
        spec = DTensorSpec(inner_tensors["device_mesh"], placements, made)
        return DTensor(inner_tensors["_local_tensor"], spec, requires_grad=requires_grad)

    # -- from parts, and parts --
    @staticmethod
    def from_local(
        local_tensor: torch.Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Placements | None = None,
        *,
        run_check: bool = False,
        shape: Any = None,
        stride: Any = None,
        grad_placements: Placements | None = None,
    ) -> DTensor:
        """A distributed tensor of the parts that devices have.

        Args:
            local_tensor: this device's part
            device_mesh: the devices; those of the innermost ``with mesh``
            placements: what the parts are, along each dimension of the mesh; all of it if not given
            run_check: whether to make sure that parts are what they should be: devices that have all of it get
                the first one's elements
            shape: the size of the whole; if not given, all devices have as much as this one
            stride: the strides of the whole
            grad_placements: how the gradient is to lie
        """
        if isinstance(local_tensor, DTensor):
            raise RuntimeError(
                f"the local_tensor argument only accepts torch.Tensor but got {type(local_tensor)} value."
            )
        mesh = device_mesh or _mesh_resources.get_current_mesh()
        placed = normal_placements(mesh, placements, local_tensor.dim())
        if (shape is None) != (stride is None):
            raise RuntimeError(
                f"Found shape:{shape}, stride:{stride}.Please pass both shape and stride at the same time."
            )
        if shape is None:
            shape, stride = compute_global_tensor_info(local_tensor, mesh, placed)
        if run_check and mesh.get_coordinate() is not None:
            local_tensor = local_tensor.contiguous()
            for i, placement in enumerate(placed):
                if isinstance(placement, Replicate):
                    with torch.no_grad():
                        pieces.mesh_broadcast(local_tensor, mesh, i)
        meta = TensorMeta(torch.Size(shape), tuple(stride), local_tensor.dtype)
        wanted = tuple(grad_placements) if grad_placements is not None else None
        made: DTensor = _FromTorchTensor.apply(
            local_tensor, DTensorSpec(mesh, placed, meta), wanted
        )
        return made

    def to_local(self, *, grad_placements: Placements | None = None) -> torch.Tensor:
        """This device's part.

        Args:
            grad_placements: what parts of the gradient come back as; like this tensor, if not given
        """
        if not torch.is_grad_enabled():
            return self._local_tensor
        wanted = tuple(grad_placements) if grad_placements is not None else None
        found: torch.Tensor = _ToTorchTensor.apply(self, wanted)
        return found

    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Placements | None = None,
        *,
        async_op: bool = False,
        forward_dtype: Any = None,
        backward_dtype: Any = None,
    ) -> DTensor:
        """The same tensor, placed otherwise.

        Args:
            device_mesh: the devices: those it is on
            placements: one for each dimension of the mesh
            async_op: the result is always there when this returns
            forward_dtype: the type that is communicated, and that the result has
            backward_dtype: the type in which the gradient is communicated
        """
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        placed = normal_placements(self.device_mesh, placements, self.dim())
        for now, then in zip(self.placements, placed):
            if isinstance(then, Partial) and then != now:
                raise RuntimeError(
                    f"Can not redistribute from {now} to {then}, redistributing to Partial is for internal "
                    "use only!"
                )
        made: DTensor = Redistribute.apply(self, placed, forward_dtype, backward_dtype)
        return made

    def full_tensor(self, *, grad_placements: Placements | None = None) -> torch.Tensor:
        """The whole tensor, on every device.

        Args:
            grad_placements: what the gradient comes back as; all of it on every device, if not given
        """
        whole = self.redistribute(placements=[Replicate()] * self.device_mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    @property
    def device_mesh(self) -> DeviceMesh:
        """The devices."""
        return self._spec.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """How the tensor lies along each dimension of the mesh."""
        return self._spec.placements

    def __elementwise_parts__(self, tensors: Sequence[Any]) -> list[Any] | None:
        """The local tensors, where these can be changed element by element in place of the whole ones.

        Args:
            tensors: this one and others that are written, which have to lie alike; the last one is only read, and
                redistributed if it lies otherwise

        Returns: None if the local tensors are not enough
        """
        spec = self._spec
        if any(isinstance(p, Partial) for p in spec.placements):
            return None
        found = []
        for tensor in tensors:
            own = getattr(tensor, "_spec", None)
            if own is None or own.mesh != spec.mesh or own.shape != spec.shape:
                return None
            if own.placements == spec.placements:
                found.append(tensor._local_tensor)
            elif tensor is tensors[-1]:
                # What is only read.
                found.append(redistribute_local_tensor(tensor._local_tensor, own, spec))
            else:
                return None
        torch.autograd.graph.increment_version(self)
        return found

    # -- in checkpoints --
    def _own_chunk(self) -> Any:
        """The box of the whole that is here; None if there is nothing of it."""
        from rushlight.distributed.checkpoint.metadata import ChunkStorageMetadata

        if any(isinstance(p, Partial) for p in self.placements):
            raise ValueError(
                "Any checkpointing related operations are not supported for DTensor with partial placements!"
            )
        shape, offset = compute_local_shape_and_global_offset(
            self._spec.shape, self.device_mesh, self.placements
        )
        if self.numel() and not torch.Size(shape).numel():
            return None
        return ChunkStorageMetadata(torch.Size(offset), torch.Size(shape))

    def __create_write_items__(self, fqn: str, object: Any) -> Any:
        from rushlight.distributed.checkpoint import planner_helpers

        chunk = self._own_chunk()
        if chunk is None:
            return []
        return [planner_helpers._create_write_item_for_chunk(fqn, self, chunk)]

    def __create_chunk_list__(self) -> Any:
        chunk = self._own_chunk()
        return [] if chunk is None else [chunk]

    def __get_tensor_shard__(self, index: Any) -> Any:
        return self._local_tensor


def normal_placements(
    mesh: DeviceMesh, placements: Placements | None, rank: int
) -> tuple[Placement, ...]:
    """Placements for each dimension of a mesh, with dimensions counted from the front."""
    if placements is None:
        return (Replicate(),) * mesh.ndim
    if len(placements) != mesh.ndim:
        raise ValueError(
            f"`placements` must have the same length as `device_mesh.ndim`! Found placements length: "
            f"{len(placements)}, and device_mesh.ndim: {mesh.ndim}."
        )
    return tuple(_normal(placement, rank) for placement in placements)


def _normal(placement: Placement, rank: int) -> Placement:
    if not isinstance(placement, (Shard, _StridedShard)):
        return placement
    dim = placement.dim + rank if placement.dim < 0 else placement.dim
    if not 0 <= dim < rank:
        raise AssertionError(
            f"Sharding dim {placement.dim} greater than or equal to tensor ndim {rank}: {placement!r}"
        )
    if isinstance(placement, _StridedShard):
        return _StridedShard(dim, split_factor=placement.split_factor)
    return Shard(dim)


def distribute_tensor(
    tensor: torch.Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Placements | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """Spread a whole tensor over devices. A leaf of the graph comes of it.

    Args:
        tensor: the whole
        device_mesh: the devices; those of the innermost ``with mesh``
        placements: how it is to lie along each dimension of the mesh; all of it on each device if not given
        src_data_rank: whose elements count along each dimension of the mesh; each device's own for None, which needs
            no communication
    """
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    placed = normal_placements(mesh, placements, tensor.dim())
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError(
                f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different device mesh "
                f"{mesh}."
            )
        if tensor.placements != placed:
            raise ValueError(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different placements "
                f"{placed}. do you want to call `redistribute` instead?"
            )
        return tensor
    if not tensor.is_leaf:
        raise RuntimeError(
            "`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!"
        )
    spec = DTensorSpec(mesh, placed, meta_of(tensor))
    with torch.no_grad():
        local = _part_of(pieces.everywhere(tensor.detach()), spec, src_data_rank)
    return DTensor(local, spec, requires_grad=tensor.requires_grad)


def _part_of(whole: torch.Tensor, spec: DTensorSpec, source: int | None) -> torch.Tensor:
    """This device's part of a tensor that another one has."""
    mesh = spec.mesh
    if mesh.get_coordinate() is None:
        return whole.new_empty((0,))
    local = whole if source is None or whole.is_meta else whole.contiguous()
    order = shard_order(spec.placements, mesh.shape)
    cut = {i: dim for dim, mesh_dims in order.items() for i in mesh_dims}
    steps = [i for mesh_dims in order.values() for i in mesh_dims]
    for i in sorted(set(range(mesh.ndim)) - set(steps)) + steps:
        placement = spec.placements[i]
        if source is None or whole.is_meta:
            local = pieces.piece(local, cut[i], mesh, i) if i in cut else local
        elif i in cut:
            local = pieces.scattered(local, cut[i], mesh, i, source)
        else:
            local = local.clone()
            pieces.mesh_broadcast(local, mesh, i, group_src=source)
        if isinstance(placement, Partial):
            local = pieces.shared(local, placement, mesh, i)
    # The whole must not stay because of a view of it.
    return local.clone() if local.untyped_storage().nbytes() > _bytes(local) else local


def _bytes(tensor: torch.Tensor) -> int:
    return int(tensor.numel() * tensor.dtype.itemsize)
