"""What is known of a distributed tensor besides its elements: the mesh, placements, and the whole's metadata."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any, NamedTuple

import rushlight as torch
from rushlight._tensor_members.subclasses import wrapper_maker
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placement_types import (
    Partial,
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)
from rushlight.engine.native.records import dataclass

__all__ = ["DTensorSpec", "TensorMeta", "shard_order"]


class TensorMeta(NamedTuple):
    """The metadata of the whole tensor."""

    shape: Any
    stride: tuple[int, ...]
    dtype: Any


@dataclass(eq=False)
class DTensorSpec:
    """How a tensor lies on a mesh.

    Args:
        mesh: the devices
        placements: one for each dimension of the mesh
        tensor_meta: the metadata of the whole tensor
    """

    mesh: DeviceMesh
    placements: tuple[Placement, ...]
    tensor_meta: TensorMeta | None = None
    _hash: int | None = field(default=None, repr=False)
    # The class, element type and device of the last wrapper that was made, and what makes others.
    _maker: tuple[Any, Any, Any, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.placements = tuple(self.placements)

    def __getstate__(self) -> dict[str, Any]:
        """Without what only this process knows."""
        return {**self.__dict__, "_hash": None, "_maker": None}

    def wrapper(self, cls: type, dtype: Any, device: Any) -> Any:
        """A new tensor of a class with the whole's sizes, and no memory."""
        known = self._maker
        if known is None or known[0] is not cls or known[1] is not dtype or known[2] is not device:
            make = wrapper_maker(cls, self.meta.shape, self.meta.stride, dtype, device)
            known = self._maker = (cls, dtype, device, make)
        return known[3]()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.mesh, self.placements, self.tensor_meta))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, DTensorSpec)
            and hash(self) == hash(other)
            and self.placements == other.placements
            and self.tensor_meta == other.tensor_meta
            and self.mesh == other.mesh
        )

    def __str__(self) -> str:
        placed = "".join(map(str, self.placements))
        shape = tuple(self.shape) if self.tensor_meta is not None else "unknown shape"
        return f"Spec({placed} on {shape})"

    # -- facts of the whole --
    @property
    def meta(self) -> TensorMeta:
        """The metadata, which must be known."""
        if self.tensor_meta is None:
            raise ValueError("the specification of this distributed tensor has no tensor_meta")
        return self.tensor_meta

    @property
    def shape(self) -> Any:
        return self.meta.shape

    @property
    def stride(self) -> tuple[int, ...]:
        return self.meta.stride

    @property
    def dtype(self) -> Any:
        return self.meta.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def device_mesh(self) -> DeviceMesh:
        return self.mesh

    # -- facts of the pieces --
    @property
    def num_shards(self) -> int:
        """In how many pieces the tensor lies on the mesh."""
        return math.prod(
            self.mesh.size(i)
            for i, p in enumerate(self.placements)
            if isinstance(p, (Shard, _StridedShard))
        )

    @property
    def num_shards_map(self) -> list[int]:
        """In how many pieces each dimension of the tensor lies."""
        found = [1] * self.ndim
        for dim, mesh_dims in shard_order(self.placements, self.mesh.shape).items():
            found[dim] = math.prod(self.mesh.size(i) for i in mesh_dims)
        return found

    @property
    def dim_map(self) -> list[int]:
        """For each dimension of the tensor, the dimension of the mesh that shards it, or -1."""
        found = [-1] * self.ndim
        for dim, mesh_dims in shard_order(self.placements, self.mesh.shape).items():
            if len(mesh_dims) > 1:
                raise ValueError(f"dimension {dim} is sharded by several dimensions of the mesh")
            found[dim] = mesh_dims[0]
        return found

    @property
    def sums(self) -> list[int]:
        """The dimensions of the mesh along which the tensor is still to be reduced."""
        return [i for i, p in enumerate(self.placements) if isinstance(p, Partial)]

    @classmethod
    def from_dim_map(
        cls,
        mesh: DeviceMesh,
        dim_map: Sequence[int],
        sums: Sequence[int],
        tensor_meta: TensorMeta | None = None,
    ) -> DTensorSpec:
        """The specification with these `dim_map` and `sums`."""
        placements: list[Placement] = [Replicate()] * mesh.ndim
        for i in sums:
            placements[i] = Partial()
        for dim, i in enumerate(dim_map):
            if i >= 0:
                if not placements[i].is_replicate():
                    raise RuntimeError(f"mesh dimension {i} has {placements[i]} and Shard({dim})")
                placements[i] = Shard(dim)
        return cls(mesh, tuple(placements), tensor_meta)

    def is_replicated(self) -> bool:
        """Whether each device has all of the tensor."""
        return all(isinstance(p, Replicate) for p in self.placements)

    def is_sharded(self) -> bool:
        """Whether some dimension of the mesh shards the tensor."""
        return any(isinstance(p, (Shard, _StridedShard)) for p in self.placements)

    def with_placements(self, placements: Sequence[Placement]) -> DTensorSpec:
        """The same tensor, placed otherwise."""
        return DTensorSpec(self.mesh, tuple(placements), self.tensor_meta)

    def shallow_copy_with_tensor_meta(self, tensor_meta: TensorMeta | None) -> DTensorSpec:
        """The same placements for another tensor."""
        return DTensorSpec(self.mesh, self.placements, tensor_meta)


def meta_of(tensor: Any) -> TensorMeta:
    """The metadata of a tensor."""
    return TensorMeta(torch.Size(tensor.shape), tuple(tensor.stride()), tensor.dtype)


def shard_order(
    placements: Sequence[Placement], mesh_shape: Sequence[int]
) -> dict[int, tuple[int, ...]]:
    """For each sharded dimension of a tensor the dimensions of the mesh that shard it, outermost first.

    Outermost is the one whose pieces are largest: the leftmost, but a strided shard lies within as many pieces as its
    factor says.
    """
    found: dict[int, list[int]] = {}
    for i in reversed(range(len(placements))):
        placed = placements[i]
        if isinstance(placed, Shard):
            found.setdefault(placed.dim, []).insert(0, i)
        elif isinstance(placed, _StridedShard):
            inside = found.setdefault(placed.dim, [])
            inside.insert(_place_within(inside, mesh_shape, placed.split_factor), i)
    return {dim: tuple(mesh_dims) for dim, mesh_dims in found.items()}


def _place_within(mesh_dims: Sequence[int], mesh_shape: Sequence[int], factor: int) -> int:
    """Behind how many dimensions of a mesh there are so many pieces."""
    for place in range(len(mesh_dims) + 1):
        if math.prod(mesh_shape[i] for i in mesh_dims[:place]) == factor:
            return place
    raise NotImplementedError(
        f"a strided shard with split_factor {factor} does not fit the dimensions "
        f"{tuple(mesh_dims)} of a mesh {tuple(mesh_shape)}"
    )
