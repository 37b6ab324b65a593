"""What a program chooses about sharded modules: element types, and where parts are kept."""

from __future__ import annotations

from typing import Any

from rushlight.engine.native.records import dataclass

__all__ = ["CPUOffloadPolicy", "DataParallelMeshDims", "MixedPrecisionPolicy", "OffloadPolicy"]


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """Element types other than those of the parameters.

    Args:
        param_dtype: in which the module computes
        reduce_dtype: in which gradients are reduced; as computed, if not given
        output_dtype: to which the module's results are brought
        cast_forward_inputs: whether inputs are brought to ``param_dtype``
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Parts are kept where the mesh's devices are."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parts are kept in the memory of the host.

    Args:
        pin_memory: whether that memory is pinned; it is not where devices are processors
    """

    pin_memory: bool = True


@dataclass
class DataParallelMeshDims:
    """Which dimensions of a mesh are for data parallelism.

    Args:
        shard: those along which parameters are sharded
        replicate: those along which they are the same
    """

    shard: str | tuple[str, ...] | None = None
    replicate: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.shard is None and self.replicate is None:
            raise ValueError("At least one of shard or replicate must be set")
