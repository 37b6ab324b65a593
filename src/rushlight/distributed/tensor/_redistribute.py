"""From one set of placements to another: which steps that takes, and the steps."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.distributed.tensor import _collective_utils as pieces
from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, shard_order
from rushlight.distributed.tensor.placement_types import (
    Partial,
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)

__all__ = ["redistribute_local_tensor"]


class Step(NamedTuple):
    """One change along one dimension of a mesh.

    ``length`` is how long the dimension is that is or comes in pieces, as this device sees it.
    """

    mesh_dim: int
    source: Placement
    target: Placement
    length: int = 0


def redistribute_local_tensor(
    local_tensor: Any, current_spec: DTensorSpec, target_spec: DTensorSpec
) -> Any:
    """This device's part of a tensor under other placements."""
    if current_spec.mesh != target_spec.mesh:
        raise NotImplementedError(
            f"redistribution from {current_spec.mesh} to {target_spec.mesh}: only the placements can change"
        )
    mesh = current_spec.mesh
    coordinate = mesh.get_coordinate()
    if coordinate is None or current_spec.placements == target_spec.placements:
        return local_tensor
    for step in steps_between(
        tuple(current_spec.shape),
        tuple(mesh.shape),
        tuple(coordinate),
        current_spec.placements,
        target_spec.placements,
    ):
        local_tensor = _done(step, local_tensor, mesh)
    return local_tensor


def _done(step: Step, local: Any, mesh: Any) -> Any:
    """What a device has after a step."""
    i, source, target = step.mesh_dim, step.source, step.target
    if isinstance(source, Partial):
        if isinstance(target, Shard):
            return pieces.reduced_piece(local, source, target.dim, mesh, i)
        return pieces.reduced(local, source, mesh, i)
    if isinstance(source, Shard):
        if isinstance(target, Shard):
            return pieces.exchanged(local, source.dim, step.length, target.dim, mesh, i)
        return pieces.gathered(local, source.dim, step.length, mesh, i)
    if isinstance(target, Shard):
        return pieces.piece(local, target.dim, mesh, i).contiguous()
    assert isinstance(target, Partial)
    return pieces.shared(local, target, mesh, i)


@functools.lru_cache(maxsize=4096)
def steps_between(
    shape: tuple[int, ...],
    mesh_shape: tuple[int, ...],
    coordinate: tuple[int, ...],
    current: tuple[Placement, ...],
    target: tuple[Placement, ...],
) -> tuple[Step, ...]:
    """The steps from some placements to others.

    Pieces of pieces are taken apart from the inside and made from the outside. So what a dimension of the tensor has in
    common with the target, counted from the outside, stays; the rest is gathered, or exchanged for pieces of another
    dimension where that one is ready for them; and then it is cut.
    """
    return tuple(_Way(shape, mesh_shape, coordinate, current, target).steps())


class _Way:
    """The placements on the way."""

    def __init__(
        self,
        shape: Sequence[int],
        mesh_shape: Sequence[int],
        coordinate: Sequence[int],
        current: Sequence[Placement],
        target: Sequence[Placement],
    ) -> None:
        self.shape, self.mesh_shape, self.coordinate = shape, mesh_shape, coordinate
        self.now = list(current)
        self.target = list(target)
        self.order = {d: list(dims) for d, dims in shard_order(current, mesh_shape).items()}
        self.wanted = {d: list(dims) for d, dims in shard_order(target, mesh_shape).items()}

    def steps(self) -> Iterator[Step]:
        yield from self.taken_apart()
        yield from self.cut()
        for i, (source, target) in enumerate(zip(self.now, self.target)):
            if source == target or isinstance(target, (Shard, _StridedShard)):
                continue
            if isinstance(source, Partial):
                yield Step(i, source, Replicate())
            if isinstance(target, Partial):
                yield Step(i, Replicate(), target)

    def taken_apart(self) -> Iterator[Step]:
        """Until what is in pieces is in pieces of the target's."""
        for dim in list(self.order):
            while not self.is_begun(dim):
                i = self.order[dim][-1]
                length = self.length(dim, self.order[dim][:-1])
                self.order[dim].pop()
                other = self.ready_for(i)
                if other is not None and other != dim:
                    yield Step(i, Shard(dim), Shard(other), length)
                    self.order.setdefault(other, []).append(i)
                else:
                    yield Step(i, Shard(dim), Replicate(), length)
                    self.now[i] = Replicate()

    def is_begun(self, dim: int) -> bool:
        """Whether the pieces of a dimension are those of the target, or larger ones."""
        have = self.order[dim]
        return have == self.wanted.get(dim, [])[: len(have)]

    def ready_for(self, mesh_dim: int) -> int | None:
        """The dimension of the tensor whose next pieces are to be made along a dimension of the mesh."""
        for dim, mesh_dims in self.wanted.items():
            have = self.order.get(dim, [])
            if [*have, mesh_dim] == mesh_dims[: len(have) + 1]:
                return dim
        return None

    def cut(self) -> Iterator[Step]:
        """Pieces that are missing."""
        for dim, mesh_dims in self.wanted.items():
            have = self.order.setdefault(dim, [])
            for i in mesh_dims[len(have) :]:
                yield Step(i, self.now[i], Shard(dim), self.length(dim, have))
                have.append(i)

    def length(self, dim: int, mesh_dims: Sequence[int]) -> int:
        """How long this device's piece of a dimension is, after some dimensions of the mesh have cut it."""
        found = self.shape[dim]
        for i in mesh_dims:
            found, _ = Shard.local_shard_size_and_offset(
                found, self.mesh_shape[i], self.coordinate[i]
            )
        return found


def without_partial(placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """Placements of a gradient: what is still to be reduced has the same gradient everywhere."""
    return tuple(Replicate() if isinstance(p, Partial) else p for p in placements)


class Redistribute(torch.autograd.Function):
    """Redistribution with a gradient, which goes the other way."""

    @staticmethod
    def forward(
        ctx: Any, given: Any, placements: Any, forward_dtype: Any, backward_dtype: Any
    ) -> Any:
        ctx.spec, ctx.backward_dtype = given._spec, backward_dtype
        ctx.original_dtype = given._local_tensor.dtype
        local, spec = given._local_tensor, given._spec
        if forward_dtype is not None and forward_dtype is not local.dtype:
            local = local.to(forward_dtype)
            spec = spec.shallow_copy_with_tensor_meta(spec.meta._replace(dtype=forward_dtype))
        target = spec.with_placements(placements)
        made = redistribute_local_tensor(local, spec, target)
        if made is given._local_tensor:
            made = made.view_as(made)
        return type(given)(made, target, requires_grad=given.requires_grad)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        local, spec = grad._local_tensor, grad._spec
        if ctx.backward_dtype is not None:
            local = local.to(ctx.backward_dtype)
        placements = tuple(
            now
            if isinstance(before, Partial) and not isinstance(now, (Shard, _StridedShard))
            else then
            for before, now, then in zip(
                ctx.spec.placements, spec.placements, without_partial(ctx.spec.placements)
            )
        )
        target = spec.with_placements(placements)
        made = redistribute_local_tensor(local, spec, target)
        if made.dtype is not ctx.original_dtype:
            made = made.to(ctx.original_dtype)
        meta = target.meta._replace(dtype=made.dtype)
        found = type(grad)(made, target.shallow_copy_with_tensor_meta(meta), requires_grad=False)
        return found, None, None, None
