"""What a tensor is like, without its elements."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.native.records import dataclass


@dataclass
class TensorMetadata:
    """What a tensor is like, without its elements."""

    dtype: dtypes.dtype
    shape: tuple[Any, ...]
    stride: tuple[Any, ...]
    device: devices.device
    layout: Any
    memory_format: Any
    storage_offset: Any
    storage_bytes: Any
    requires_grad: bool
    is_quantized: bool
    is_conj: bool
    is_neg: bool
    is_inference: bool
    is_sparse: bool
    is_coalesced: bool | None
    dense_dim: int | None
    sparse_dim: int | None


def extract_tensor_metadata(t: Any) -> TensorMetadata:
    """What a tensor is like."""
    from rushlight.engine.core import layout

    format = None
    if not t.is_sparse and t.layout is layout.strided:
        for candidate in layout.contiguous_format, layout.channels_last, layout.channels_last_3d:
            if t.is_contiguous(memory_format=candidate):
                format = candidate
                break
    is_strided = t.layout is layout.strided
    return TensorMetadata(
        t.dtype, t.shape, t.stride() if is_strided else (), t.device, t.layout, format,
        t.storage_offset() if is_strided else 0,
        t.untyped_storage().nbytes() if is_strided else None,
        t.requires_grad, t.is_quantized, t.is_conj(), t.is_neg(), t.is_inference(), t.is_sparse,
        t.is_coalesced() if t.is_sparse else None, t.dense_dim() if t.is_sparse else None,
        t.sparse_dim() if t.is_sparse else None,
    )  # fmt: skip
