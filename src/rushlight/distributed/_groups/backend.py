"""What a backend does for a `ProcessGroup`. Those of programs derive from it, too."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NoReturn

from rushlight.distributed._groups.work import Work

__all__ = ["Backend", "BackendOptions"]


class BackendOptions:
    """How a backend is to be made.

    Args:
        backend: its name
        timeout: how long its collectives may take
    """

    def __init__(
        self, backend: str = "undefined", timeout: timedelta = timedelta(minutes=30)
    ) -> None:
        self.backend, self._timeout = backend, timeout
        self.global_ranks_in_group: list[int] = []
        self.group_name = ""

    def __repr__(self) -> str:
        return f"Options(backend={self.backend}, timeout={self._timeout})"


def _refused(name: str) -> Any:
    def refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"Backend {self.name()} does not support {name}")

    refused.__name__ = name
    refused.__doc__ = f"Raises: this backend has no {name}."
    return refused


class Backend:
    """Does the collectives of a group for some kinds of devices.

    Args:
        rank: this process's rank in the group
        size: how many processes the group has
    """

    Options = BackendOptions

    def __init__(self, rank: int, size: int) -> None:
        self._rank, self._size = rank, size
        self._sequence = 0
        self._timeout = timedelta(minutes=30)
        self.group_name, self.group_desc = "", "undefined"
        self.group_ranks: list[int] = list(range(size))

    def tell_group(self, name: str, description: str, ranks: Sequence[int]) -> None:
        """Say whose backend this is.

        Args:
            name: the name that the group is registered under
            description: what it is for
            ranks: the processes' ranks among all
        """
        self.group_name, self.group_desc, self.group_ranks = name, description, list(ranks)

    def rank(self) -> int:
        """This process's rank in the group."""
        return self._rank

    def size(self) -> int:
        """How many processes the group has."""
        return self._size

    def name(self) -> str:
        """What the backend is called."""
        return self.getBackendName()

    _get_backend_name = name

    def getBackendName(self) -> str:
        """What the backend is called; a program's own says so here."""
        return type(self).__name__.lower()

    @property
    def options(self) -> BackendOptions:
        """How it was made."""
        return BackendOptions(self.name(), self._timeout)

    supports_splitting = supports_coalescing = supports_time_estimate = False

    def set_timeout(self, timeout: timedelta) -> None:
        """How long a collective may take from now on."""
        self._timeout = timeout

    def _get_sequence_number_for_group(self) -> int:
        return self._sequence

    def _set_sequence_number_for_group(self) -> None:
        self._sequence = 0

    def _start_coalescing(self) -> None:
        """What follows is to be done together; each backend may do it one by one."""

    def _end_coalescing(self) -> Work:
        raise RuntimeError(f"Backend {self.name()} does not support coalescing")

    def shutdown(self) -> None:
        """Take no more calls."""

    def abort(self) -> None:
        """Let everything that is going on fail."""

    def eager_connect_single_device(self, device: Any) -> None:
        """Backends are connected when they are made."""


_COLLECTIVES = [
    "broadcast", "allreduce", "allreduce_sparse", "allreduce_coalesced", "reduce", "allgather",
    "_allgather_base", "allgather_coalesced", "allgather_into_tensor_coalesced", "gather", "scatter",
    "reduce_scatter", "_reduce_scatter_base", "reduce_scatter_tensor_coalesced", "alltoall_base",
    "alltoall", "send", "recv", "recv_anysource", "barrier", "monitored_barrier", "split",
]  # fmt: skip
for _name in _COLLECTIVES:
    setattr(Backend, _name, _refused(_name))
