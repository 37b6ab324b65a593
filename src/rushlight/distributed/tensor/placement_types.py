"""How a tensor lies on a mesh of devices: one placement for each dimension of the mesh."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from rushlight.distributed._local_tensor import maybe_run_for_local_tensor
from rushlight.engine.native.records import dataclass

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


@dataclass(frozen=True, repr=False)
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
    @maybe_run_for_local_tensor
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


@dataclass(frozen=True, repr=False)
class _StridedShard(Placement):
    """A part of each of several equal pieces of a dimension."""

    dim: int
    split_factor: int = dataclasses.field(kw_only=True)

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclass(frozen=True, repr=False)
class Replicate(Placement):
    """All of the tensor on each device."""

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """On each device what is still to be reduced.

    A subclass may change the elements before they are reduced (`before`), and what comes of it (`after`).

    Args:
        reduce_op: how, such as "sum", "avg", "max"
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"

    @property
    def collective(self) -> str:
        """The name of the reduction in a collective."""
        return self.reduce_op

    def before(self, tensor: Any) -> Any:
        """What is reduced of a device's elements."""
        return tensor

    def after(self, tensor: Any) -> Any:
        """The elements, from what was reduced."""
        return tensor

    def share(self, tensor: Any, is_first: bool) -> Any:
        """What a device holds if all of them together are to give ``tensor``."""
        if self.reduce_op == "sum":
            return tensor.clone() if is_first else tensor.new_zeros(tensor.shape)
        if self.reduce_op == "product":
            return tensor.clone() if is_first else tensor.new_ones(tensor.shape)
        return tensor.clone()


@dataclass(frozen=True, repr=False)
class _NormPartial(Partial):
    """On each device the norm of its elements.

    Args:
        reduce_op: what is done with the powers
        norm_type: which norm
    """

    norm_type: float = 2.0

    @property
    def collective(self) -> str:
        if self.norm_type in (math.inf, -math.inf):
            return "max" if self.norm_type > 0 else "min"
        return "sum"

    def before(self, tensor: Any) -> Any:
        return (
            tensor if math.isinf(self.norm_type) or not self.norm_type else tensor**self.norm_type
        )

    def after(self, tensor: Any) -> Any:
        if math.isinf(self.norm_type) or not self.norm_type:
            return tensor
        return tensor ** (1.0 / self.norm_type)

    def share(self, tensor: Any, is_first: bool) -> Any:
        if math.isinf(self.norm_type) or is_first:
            return tensor.clone()
        return tensor.new_zeros(tensor.shape)

    def __repr__(self) -> str:
        return f"_NormPartial(reduce_op={self.reduce_op}, norm_type={self.norm_type})"

    def __str__(self) -> str:
        return f"_NormP({self.reduce_op}, {self.norm_type})"


@dataclass(frozen=True, repr=False)
class _MaskPartial(Partial):
    """On each device the rows that it has of a table, and zeros for those of others."""

    def __repr__(self) -> str:
        return "MaskPartial()"

    def __str__(self) -> str:
        return "MaskP"
