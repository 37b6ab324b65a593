"""A backend that talks to nobody: collectives succeed at once and leave tensors as they are.

Programs use it to look at one rank of a large group in one process.
"""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.distributed._groups.backend import Backend
from rushlight.distributed._groups.work import DoneWork, Work

__all__ = ["FakeBackend"]


class FakeBackend(Backend):
    """One rank among others that are not there; what all gather is this rank's, again and again."""

    def getBackendName(self) -> str:
        return "fake"

    supports_coalescing = True

    def _same(self, tensors: Any, *args: Any) -> Work:
        return DoneWork(list(tensors))

    broadcast = allreduce = allreduce_coalesced = reduce = _same
    send = recv = recv_anysource = _same

    def barrier(self, opts: Any = None) -> Work:
        return DoneWork([])

    def monitored_barrier(self, opts: Any = None, wait_all_ranks: bool = False) -> None:
        """Nobody is missing."""

    def _copy(self, output: Any, source: Any) -> None:
        with torch.no_grad():
            output.detach().copy_(source.detach())

    def allgather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for targets, own in zip(outputs, inputs, strict=True):
            for target in targets:
                self._copy(target, own)
        return DoneWork(list(outputs))

    allgather_coalesced = reduce_scatter_tensor_coalesced = allgather_into_tensor_coalesced = _same

    def _allgather_base(self, output: Any, own: Any, opts: Any = None) -> Work:
        for part in output.detach().reshape(-1).chunk(self._size):
            self._copy(part, own.reshape(-1))
        return DoneWork([output])

    def gather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for target in outputs[0] if outputs else ():
            self._copy(target, inputs[0])
        return DoneWork(list(outputs))

    def scatter(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        if inputs and inputs[0]:
            self._copy(outputs[0], inputs[0][self._rank])
        return DoneWork(list(outputs))

    def reduce_scatter(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        self._copy(outputs[0], inputs[0][self._rank])
        return DoneWork(list(outputs))

    def _reduce_scatter_base(self, output: Any, whole: Any, opts: Any = None) -> Work:
        self._copy(output.reshape(-1), whole.reshape(-1).chunk(self._size)[self._rank])
        return DoneWork([output])

    def alltoall(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for target, own in zip(outputs, inputs, strict=True):
            self._copy(target, own)
        return DoneWork(list(outputs))

    def alltoall_base(self, output: Any, whole: Any, *rest: Any) -> Work:
        if output.numel() == whole.numel():
            self._copy(output.reshape(-1), whole.reshape(-1))
        return DoneWork([output])

    def _end_coalescing(self) -> Work:
        return DoneWork([])
