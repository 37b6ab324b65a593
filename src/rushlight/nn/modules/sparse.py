"""Tables of vectors."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class Embedding(Module):
    """A table of vectors, looked up by their positions.

    Args:
        num_embeddings: how many vectors there are
        embedding_dim: how long they are
        padding_idx: a vector that stays as it is, zero at first
        max_norm: vectors longer than this are shortened when they are looked up
        norm_type: the order of that norm
        scale_grad_by_freq: divide gradients by how often their vector was looked up
        sparse: give the table a sparse gradient
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            size = (num_embeddings, embedding_dim)
            made = rushlight.empty(size, device=device, dtype=dtype)
            self.weight = Parameter(made, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:  # type: ignore[attr-defined]
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with rushlight.no_grad():
                self.weight[self.padding_idx].fill_(0)  # type: ignore[index]

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(  # type: ignore[no-any-return]
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        parts = [str(self.num_embeddings), str(self.embedding_dim)]
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq:
            parts.append("scale_grad_by_freq=True")
        if self.sparse:
            parts.append("sparse=True")
        return ", ".join(parts)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> Embedding:
        """A table of given vectors, which are not trained if ``freeze``."""
        if embeddings.dim() != 2:  # type: ignore[attr-defined]
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape  # type: ignore[attr-defined]
        return cls(rows, columns, _weight=embeddings, _freeze=freeze, **options)


class EmbeddingBag(Module):
    """Sums, means or maxima of bags of a table's vectors; see `Embedding`."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
        sparse: bool = False, _weight: Tensor | None = None, include_last_offset: bool = False,
        padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        if _weight is None:
            size = (num_embeddings, embedding_dim)
            self.weight = Parameter(rushlight.empty(size, device=device, dtype=dtype))
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:  # type: ignore[attr-defined]
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with rushlight.no_grad():
                self.weight[self.padding_idx].fill_(0)  # type: ignore[index]

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, **options: Any
    ) -> EmbeddingBag:
        """Bags of given vectors, which are not trained if ``freeze``."""
        if embeddings.dim() != 2:  # type: ignore[attr-defined]
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape  # type: ignore[attr-defined]
        made = cls(rows, columns, _weight=embeddings, **options)
        made.weight.requires_grad = not freeze
        return made

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return F.embedding_bag(  # type: ignore[no-any-return]
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        if self.max_norm is not None:
            parts.append(f"max_norm={self.max_norm}")
        if self.norm_type != 2:
            parts.append(f"norm_type={self.norm_type}")
        if self.scale_grad_by_freq:
            parts.append("scale_grad_by_freq=True")
        parts.append(f"mode={self.mode!r}")
        if self.padding_idx is not None:
            parts.append(f"padding_idx={self.padding_idx}")
        return ", ".join(parts)
