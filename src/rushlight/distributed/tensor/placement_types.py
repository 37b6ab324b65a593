"""How a tensor lies on a mesh of devices: one placement for each dimension of the mesh."""

from __future__ import annotations

import dataclasses

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class Placement:
    """What a tensor is along one dimension of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each device has a part, of dimension ``dim`` if that is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each device has all of it."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether devices have what is still to be reduced, by ``reduce_op`` if that is given."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclasses.dataclass(frozen=True, repr=False)
class Shard(Placement):
    """A part of a dimension for each device; the last ones may have less, or nothing.

    Args:
        dim: the dimension of the tensor
    """

    dim: int

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"

    @staticmethod
    def local_shard_size_and_offset(
        curr_local_size: int, num_chunks: int, rank: int
    ) -> tuple[int, int]:
        """How many elements a device has of a dimension, and which is the first.

        Args:
            curr_local_size: the elements of the dimension
            num_chunks: how many devices share it
            rank: which of them
        """
        whole = -(-curr_local_size // num_chunks)
        first = min(rank * whole, curr_local_size)
        return min(whole, curr_local_size - first), first


@dataclasses.dataclass(frozen=True, repr=False)
class _StridedShard(Placement):
    """A part of each of several equal pieces of a dimension."""

    dim: int
    split_factor: int = dataclasses.field(kw_only=True)

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclasses.dataclass(frozen=True, repr=False)
class Replicate(Placement):
    """All of the tensor on each device."""

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


@dataclasses.dataclass(frozen=True, repr=False)
class Partial(Placement):
    """On each device what is still to be reduced.

    Args:
        reduce_op: how, such as "sum", "avg", "max"
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"
