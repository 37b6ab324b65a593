"""Collectives between GPUs of one process: for these NCCL is not used here, `torch.cuda.comm` copies and adds."""

from __future__ import annotations

from typing import Any

from rushlight._names import absent_devices as _absent_devices

_FUNCTIONS = ["all_gather", "all_reduce", "broadcast", "reduce", "reduce_scatter"]
__all__: list[str] = []
__all__ += _FUNCTIONS

SUM = 0
globals().update(_absent_devices.raising(
    NotImplementedError, "torch.cuda.nccl.{name} is absent: NCCL is not used. torch.cuda.comm copies and adds",
    [*_FUNCTIONS, "init_rank", "unique_id"],
))  # fmt: skip


def is_available(tensors: Any) -> bool:
    """Whether collectives of this module take tensors: none does."""
    return False


def version() -> tuple[int, ...]:
    """The version of NCCL, which the backend ``nccl`` of `torch.distributed` calls."""
    from rushlight.engine.cuda import nccl

    if not nccl.is_there():
        raise RuntimeError("PyTorch built without NCCL support")
    return nccl.version()
