"""Which machine each process is on, and so what carries collectives between processes."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.engine.core.errors import DistBackendError, DistStoreError

__all__ = ["Machine", "are_one", "connect_by_mpi", "machines_of_all", "this_machine"]


class Machine(NamedTuple):
    """What processes have in common that can map each other's memory.

    Args:
        kernel: the number of the system since it was started, and the namespace of processes
        host: what the machine is called
    """

    kernel: str
    host: str


def this_machine() -> Machine:
    """The machine of this process. A container with processes of its own counts as a machine."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    return Machine(f"{boot}/{os.readlink('/proc/self/ns/pid')}", socket.gethostname())


def machines_of_all(store: Store, rank: int, size: int, timeout: timedelta) -> list[Machine]:
    """The machine of each process, as each says itself.

    Args:
        store: where processes find each other
        rank: this one
        size: how many there are
        timeout: how long to wait for the others
    """
    own = this_machine()
    if size == 1:
        return [own]
    store, before = PrefixStore("machine", store), store.timeout
    store.set(str(rank), " ".join(own))
    keys = [str(other) for other in range(size)]
    store.set_timeout(timeout)
    try:
        # one question where the store takes such: it waits for all
        found = store.multi_get(keys) if store.has_extended_api() else [store.get(k) for k in keys]
    except DistStoreError as error:
        missing = [key for key in keys if not store.check([key])]
        raise DistBackendError(
            f"joining the group: Timed out waiting {timeout.total_seconds() * 1000:.0f}ms for "
            f"rank {', '.join(missing)}"
        ) from error
    finally:
        store.set_timeout(before)
    return [Machine(*text.decode().split(" ", 1)) for text in found]


def are_one(machines: Sequence[Machine]) -> bool:
    """Whether all processes are on one machine."""
    return len({machine.kernel for machine in machines}) <= 1


def connect_by_mpi(
    machines: Sequence[Machine],
    ranks: Sequence[int],
    size: int,
    rank: int,
    store: Store,
    timeout: timedelta,
    what: str = "collectives",
) -> None:
    """Let MPI carry what processes of several machines say to each other; all call this.

    Args:
        machines: of the processes
        ranks: their global ranks
        size: how many processes there are in all
        rank: this process's, among those
        store: where the processes find each other
        timeout: how long to wait for the others
        what: what they say, for the error
    """
    from rushlight.distributed._groups import joining, mpi

    where: dict[Machine, list[str]] = {}
    for member, machine in zip(ranks, machines, strict=True):
        where.setdefault(machine, []).append(str(member))
    told = "; ".join(f"{machine.host} has rank {', '.join(own)}" for machine, own in where.items())
    how = f"{told}: {what} between machines, or containers, go through MPI:"
    if len(machines) == size and not joining.is_started_by_mpi(size):
        nodes = list(where)
        try:
            joining.join(store, rank, [nodes.index(machine) for machine in machines], timeout)
        except joining.CannotJoin as error:
            raise DistBackendError(f"{how} {error}") from error
    if len(machines) == size and mpi.rank() != rank:
        raise DistBackendError(
            f"{how} rank {rank} is rank {mpi.rank()} of MPI; ranks must be those that MPI has given"
        )
