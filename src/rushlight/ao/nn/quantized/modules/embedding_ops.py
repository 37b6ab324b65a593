"""Tables of quantized rows, which are looked up as real numbers."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn
from rushlight.ao.nn.quantized.modules.utils import _hide_packed_params_repr, quantized_weight

__all__ = ["Embedding", "EmbeddingBag", "EmbeddingPackedParams"]


class EmbeddingPackedParams(nn.Module):
    """A table as lookups want it.

    Args:
        num_embeddings: how many rows there are
        embedding_dim: how long they are
        dtype: ``quint8``
    """

    _version = 1

    def __init__(
        self, num_embeddings: int, embedding_dim: int, dtype: Any = rushlight.quint8
    ) -> None:
        super().__init__()
        self.dtype = dtype
        if dtype is not rushlight.quint8:
            raise NotImplementedError(
                "Unsupported dtype on quantized embedding! Supports quint8 and quint4x2. "
                f"Got dtype: {dtype}"
            )
        self.set_weight(
            rushlight._empty_per_channel_affine_quantized(
                [num_embeddings, embedding_dim],
                scales=rushlight.ones(num_embeddings, dtype=rushlight.float),
                zero_points=rushlight.zeros(num_embeddings, dtype=rushlight.float),
                axis=0,
                dtype=rushlight.quint8,
            )
        )

    def set_weight(self, weight: Any) -> None:
        """Take a quantized table."""
        self._packed_weight = rushlight.ops.quantized.embedding_bag_prepack(weight)

    def _weight(self) -> Any:
        return rushlight.ops.quantized.embedding_bag_unpack(self._packed_weight)

    def forward(self, x: Any) -> Any:
        """The input."""
        return x

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "dtype"] = self.dtype
        destination[prefix + "_packed_weight"] = self._weight()

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *rest: Any
    ) -> None:
        self.dtype = state_dict.pop(prefix + "dtype")
        self.set_weight(state_dict.pop(prefix + "_packed_weight"))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, False, *rest)

    def __repr__(self) -> str:
        return repr(self._weight())


class Embedding(nn.Module):
    """`nn.Embedding` with quantized rows; what it gives are real numbers.

    Args:
        num_embeddings: how many rows there are
        embedding_dim: how long they are
        padding_idx: a row that trains with no gradient; for the layer of real numbers only
        max_norm: as ``padding_idx``
        norm_type: as ``padding_idx``
        scale_grad_by_freq: as ``padding_idx``
        sparse: as ``padding_idx``
        _weight: the table
        dtype: ``quint8``
    """

    _version = 1
    _FLOAT_MODULE: Any = nn.Embedding

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False, _weight: Any = None, dtype: Any = rushlight.quint8,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.dtype = num_embeddings, embedding_dim, dtype
        self._packed_params = EmbeddingPackedParams(num_embeddings, embedding_dim, dtype)
        if _weight is not None:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self._packed_params.set_weight(_weight)

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"

    def extra_repr(self) -> str:
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"dtype={self._packed_params.dtype}, qscheme={self.weight().qscheme()}"
        )

    def __repr__(self) -> str:
        return _hide_packed_params_repr(self, EmbeddingPackedParams)

    def set_weight(self, w: Any) -> None:
        """Take a quantized table."""
        self._packed_params.set_weight(w)

    def weight(self) -> Any:
        """The quantized table."""
        return self._packed_params._weight()

    def forward(self, indices: Any) -> Any:
        """The rows at some places."""
        return rushlight.ops.quantized.embedding_byte(self._packed_params._packed_weight, indices)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers."""
        from rushlight.ao.quantization.qconfig import float_qparams_weight_only_qconfig

        name = cls.__name__
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"nnq.{name}.from_float only works for {cls._FLOAT_MODULE.__name__}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Embedding input float module must have qconfig defined")
        given = mod.qconfig.weight if mod.qconfig is not None else None
        observer = (given or float_qparams_weight_only_qconfig.weight)()
        if observer.qscheme is not rushlight.per_channel_affine_float_qparams:
            raise AssertionError(
                f"{name} quantization is only supported with float_qparams_weight_only_qconfig."
            )
        observer(mod.weight)
        made = cls(**cls._settings(mod), dtype=observer.dtype)
        made.set_weight(quantized_weight(mod.weight.detach().float(), observer))
        return made

    @classmethod
    def _settings(cls, mod: Any) -> dict[str, Any]:
        return {"num_embeddings": mod.num_embeddings, "embedding_dim": mod.embedding_dim}


class EmbeddingBag(Embedding):
    """`nn.EmbeddingBag` with quantized rows, whose sums are real numbers.

    Args:
        num_embeddings: how many rows there are
        embedding_dim: how long they are
        max_norm: for the layer of real numbers only
        norm_type: as ``max_norm``
        scale_grad_by_freq: as ``max_norm``
        mode: ``"sum"``
        sparse: as ``max_norm``
        _weight: the table
        include_last_offset: whether the last offset is the number of places
        dtype: ``quint8``
    """

    _FLOAT_MODULE = nn.EmbeddingBag

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "sum",
        sparse: bool = False, _weight: Any = None, include_last_offset: bool = False,
        dtype: Any = rushlight.quint8,
    ) -> None:  # fmt: skip
        super().__init__(num_embeddings, embedding_dim, _weight=_weight, dtype=dtype)
        self.mode, self.pruned_weights = mode, False
        self.include_last_offset = include_last_offset

    def forward(
        self, indices: Any, offsets: Any = None, per_sample_weights: Any = None,
        compressed_indices_mapping: Any = None,
    ) -> Any:  # fmt: skip
        """The sums of rows, bag by bag."""
        return rushlight.ops.quantized.embedding_bag_byte(
            self._packed_params._packed_weight, indices, offsets, False, 0, self.pruned_weights,
            per_sample_weights, compressed_indices_mapping, self.include_last_offset,
        )  # fmt: skip

    @classmethod
    def _settings(cls, mod: Any) -> dict[str, Any]:
        more = {"mode": mod.mode, "include_last_offset": mod.include_last_offset}
        return {**super()._settings(mod), **more}
