"""Starting the processes of a group as workers of Ray: ``pip install 'rushlight[ray]'``."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from rushlight.distributed.constants import default_pg_timeout
from rushlight.distributed.elastic.rendezvous.meeting import free_port
from rushlight.engine.native.records import dataclass

__all__ = ["RayLauncher", "RayWorkerError"]


class RayWorkerError(RuntimeError):
    """A worker has failed.

    Args:
        rank: which
        host: where it was
        told: what it said
    """

    def __init__(self, rank: int, host: str, told: str) -> None:
        super().__init__(f"rank {rank} on {host} failed: {told}")
        self.rank, self.host = rank, host


class _Place(NamedTuple):
    """Where a worker is: Ray's number of the machine, and its address and name."""

    node: str
    address: str
    host: str


class _Worker:
    """What Ray keeps in each of the processes."""

    def place(self) -> _Place:
        ray = _ray()
        node = ray.get_runtime_context().get_node_id()
        return _Place(node, ray.util.get_node_ip_address(), socket.gethostname())

    def free_port(self) -> int:
        return free_port()

    def run(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        environment: dict[str, str],
        backend: str,
        timeout: timedelta,
    ) -> Any:
        """Call a function as one rank of a group."""
        import rushlight.distributed as dist

        os.environ.update(environment)
        dist.init_process_group(backend, timeout=timeout)
        result = function(*args)
        # not after a failure: others would fail as this one leaves, and hide what was first
        if dist.is_initialized():
            dist.destroy_process_group()
        return result


def _ray() -> Any:
    try:
        import ray
        import ray.util
    except ImportError as error:
        raise RuntimeError(
            f"RayLauncher needs Ray: pip install 'rushlight[ray]' ({error})"
        ) from None
    return ray


@dataclass
class RayLauncher:
    """Calls functions in so many workers of Ray, which form a group; gives the results by rank.

    A cluster that this process is connected to is used; otherwise Ray starts one on this machine.

    Args:
        num_workers: how many processes
        cpus_per_worker: the processors that each asks Ray for; it computes with as many threads
        resources_per_worker: what else each asks for
        strategy: how Ray places them; ``STRICT_PACK`` is on one machine, where they share memory
        backend: of the group
        timeout: how long collectives may take
        start_timeout: how long Ray may take to have room for all
    """

    num_workers: int
    cpus_per_worker: float = 1
    resources_per_worker: dict[str, float] | None = None
    strategy: str = "STRICT_PACK"
    backend: str = "gloo"
    timeout: timedelta = default_pg_timeout
    start_timeout: timedelta = timedelta(minutes=5)

    def __post_init__(self) -> None:
        if self.num_workers < 1:
            raise ValueError(f"num_workers has to be positive, got {self.num_workers}")

    def __call__(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """Call a function in all workers.

        Args:
            function: what to call
            args: what it gets
        """
        ray = _ray()
        if not ray.is_initialized():
            ray.init()
        room = self._room(ray)
        workers: list[Any] = []
        try:
            workers += self._started(ray, room)
            workers, places = self._by_machine(ray, workers)
            port = ray.get(workers[0].free_port.remote())
            calls = [
                worker.run.remote(function, args, environment, self.backend, self.timeout)
                for worker, environment in zip(workers, _environments(places, port))
            ]
            return _results(ray, calls, places)
        finally:
            for worker in workers:
                ray.kill(worker)
            ray.util.remove_placement_group(room)

    def _asked(self) -> dict[str, float]:
        return {"CPU": self.cpus_per_worker, **(self.resources_per_worker or {})}

    def _room(self, ray: Any) -> Any:
        """What Ray has set aside for all workers."""
        room = ray.util.placement_group([self._asked()] * self.num_workers, self.strategy)
        if not room.wait(self.start_timeout.total_seconds()):
            ray.util.remove_placement_group(room)
            raise RuntimeError(
                f"Ray had no room for {self.num_workers} workers with {self._asked()} each ({self.strategy}) within "
                f"{self.start_timeout.total_seconds():g} seconds; the cluster has {ray.cluster_resources()}"
            )
        return room

    def _started(self, ray: Any, room: Any) -> list[Any]:
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        made = ray.remote(_Worker)
        return [
            made.options(
                num_cpus=self.cpus_per_worker,
                resources=self.resources_per_worker,
                scheduling_strategy=PlacementGroupSchedulingStrategy(
                    room, placement_group_bundle_index=at
                ),
            ).remote()
            for at in range(self.num_workers)
        ]

    def _by_machine(self, ray: Any, workers: list[Any]) -> tuple[list[Any], list[_Place]]:
        """The workers in the order of their ranks: those of a machine follow each other."""
        places = ray.get([worker.place.remote() for worker in workers])
        first: dict[str, int] = {}
        for at, place in enumerate(places):
            first.setdefault(place.node, at)
        order = sorted(range(len(workers)), key=lambda at: first[places[at].node])
        return [workers[at] for at in order], [places[at] for at in order]


def _environments(places: Sequence[_Place], port: int) -> list[dict[str, str]]:
    """What each worker finds in its surroundings, as under torchrun."""
    nodes = list(dict.fromkeys(place.node for place in places))
    found = []
    for rank, place in enumerate(places):
        local = [q for q, other in enumerate(places) if other.node == place.node]
        given = {
            "RANK": rank, "WORLD_SIZE": len(places), "LOCAL_RANK": local.index(rank),
            "LOCAL_WORLD_SIZE": len(local), "GROUP_RANK": nodes.index(place.node),
            "GROUP_WORLD_SIZE": len(nodes), "MASTER_ADDR": places[0].address, "MASTER_PORT": port,
        }  # fmt: skip
        found.append({name: str(value) for name, value in given.items()})
    return found


def _results(ray: Any, calls: list[Any], places: Sequence[_Place]) -> list[Any]:
    """The results of all; the first failure, as soon as there is one: the others would wait for that worker."""
    waiting = list(calls)
    while waiting:
        (done, *_), waiting = ray.wait(waiting)
        try:
            ray.get(done)
        except ray.exceptions.RayError as error:
            rank = calls.index(done)
            raise RayWorkerError(rank, places[rank].host, str(error)) from error
    return list(ray.get(calls))
