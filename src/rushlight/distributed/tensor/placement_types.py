"""How a tensor lies on a dimension of a mesh: in pieces, as a copy everywhere, or as terms of a sum."""

from __future__ import annotations

import operator
from typing import Any

from rushlight._names.absent import absent_class

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class Placement:
    """How a tensor lies on a dimension of a mesh. Equal ones mean the same."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each process has a piece; with ``dim``, along that dimension."""
        return False

    def is_replicate(self) -> bool:
        """Whether each process has all of it."""
        return False

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether what processes have is yet to be combined; with ``reduce_op``, in that way."""
        return False

    def _facts(self) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._facts() == other._facts()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._facts()))


class Shard(Placement):
    """Each process has a piece.

    Args:
        dim: the dimension along which the tensor is divided
    """

    def __init__(self, dim: int) -> None:
        self.dim = operator.index(dim)

    def is_shard(self, dim: int | None = None) -> bool:
        return dim is None or dim == self.dim

    @staticmethod
    def local_shard_size_and_offset(
        curr_local_size: int, num_chunks: int, rank: int
    ) -> tuple[int, int]:
        """How long the piece of a rank is, and where it begins; the last ones may be shorter, or empty.

        Args:
            curr_local_size: how long the whole is
            num_chunks: how many pieces there are
            rank: which of them
        """
        longest = -(-curr_local_size // num_chunks)
        start = min(longest * rank, curr_local_size)
        return min(longest, curr_local_size - start), start

    _local_shard_size_and_offset = local_shard_size_and_offset

    def _facts(self) -> tuple[Any, ...]:
        return (self.dim,)

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


class _StridedShard(Placement):
    """Each process has a part of every one of some pieces.

    Args:
        dim: the dimension along which the tensor is divided
        split_factor: how many pieces there are
    """

    def __init__(self, dim: int, *, split_factor: int) -> None:
        self.dim, self.split_factor = operator.index(dim), operator.index(split_factor)

    def _facts(self) -> tuple[Any, ...]:
        return self.dim, self.split_factor

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


class Replicate(Placement):
    """Each process has all of it."""

    def is_replicate(self) -> bool:
        return True

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


class Partial(Placement):
    """Each process has a term; together they make the tensor.

    Args:
        reduce_op: how they are combined
    """

    def __init__(self, reduce_op: str | None = "sum") -> None:
        if not isinstance(reduce_op, str | None):
            raise TypeError(f"Partial: reduce_op is a str, not {type(reduce_op).__name__}")
        self.reduce_op = "sum" if reduce_op is None else reduce_op

    def is_partial(self, reduce_op: str | None = None) -> bool:
        return reduce_op is None or reduce_op == self.reduce_op

    def _facts(self) -> tuple[Any, ...]:
        return (self.reduce_op,)

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


DTensorSpec: Any = absent_class(
    __name__, "DTensorSpec", "tensors that are spread over several devices"
)
