"""What backends have bytes moved by, and contiguous memory for tensors that have none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Protocol

import rushlight as torch
from rushlight.engine.core.tensor import Tensor, bump_version, data_pointer

__all__ = ["Staging", "Transport"]


class Transport(Protocol):
    """Moves bytes between ranks, while the caller waits. Places are addresses."""

    def barrier(self, timeout: timedelta) -> None: ...
    def all_reduce(
        self, source: int, target: int, count: int, dtype: Any, op: Any, timeout: timedelta
    ) -> None: ...
    def reduce(
        self,
        source: int,
        target: int,
        count: int,
        dtype: Any,
        op: Any,
        root: int,
        timeout: timedelta,
    ) -> None: ...
    def broadcast(self, place: int, nbytes: int, root: int, timeout: timedelta) -> None: ...
    def all_gather(
        self, source: int, targets: Sequence[int], lengths: Sequence[int], timeout: timedelta
    ) -> None: ...
    def gather(
        self, source: int, targets: Sequence[int], nbytes: int, root: int, timeout: timedelta
    ) -> None: ...
    def scatter(
        self, sources: Sequence[int], target: int, nbytes: int, root: int, timeout: timedelta
    ) -> None: ...
    def reduce_scatter(
        self, sources: Sequence[int], target: int, counts: Sequence[int], dtype: Any, op: Any,
        timeout: timedelta,
    ) -> None: ...  # fmt: skip
    def all_to_all(
        self, sources: Sequence[int], targets: Sequence[int], sent: Sequence[int],
        received: Sequence[int], timeout: timedelta,
    ) -> None: ...  # fmt: skip
    def send(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None: ...
    def receive(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None: ...
    def receive_any(self, place: int, nbytes: int, tag: int, timeout: timedelta) -> int: ...
    def missing(self) -> list[int]: ...
    def abort(self, reason: str) -> None: ...
    def close(self) -> None: ...


def _is_plain(tensor: Tensor) -> bool:
    """Whether the elements lie one after the other as they are."""
    return tensor.is_contiguous() and not (tensor.is_conj() or tensor.is_neg())


class Staging:
    """Contiguous memory for tensors, where they have none: copied before, or copied back afterwards."""

    def __init__(self) -> None:
        self._written: list[tuple[Tensor, Tensor]] = []
        self._kept: list[Tensor] = []

    def read(self, tensor: Tensor) -> int:
        """Where the elements are."""
        if not _is_plain(tensor):
            with torch.no_grad():
                tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
        self._kept.append(tensor)
        return data_pointer(tensor)

    def write(self, tensor: Tensor, read: bool = False) -> int:
        """Where new elements go; with ``read``, the present ones are there."""
        memory = tensor
        if not _is_plain(tensor):
            with torch.no_grad():
                memory = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
                if read:
                    memory.copy_(tensor.detach())
        self._written.append((tensor, memory))
        return data_pointer(memory)

    def memory(self) -> list[Tensor]:
        """All tensors that were read or written."""
        return [*self._kept, *(t for pair in self._written for t in pair)]

    def end(self) -> None:
        """Give the tensors what was written."""
        for tensor, memory in self._written:
            if tensor is not memory:
                with torch.no_grad():
                    tensor.detach().copy_(memory)
            bump_version(tensor)
