"""Starting workers, watching them, and starting them again."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import field
from datetime import timedelta
from types import FrameType
from typing import Any

from rushlight.distributed.elastic.agent.workers import LogsSpecs, Workers
from rushlight.distributed.elastic.multiprocessing.errors import ChildFailedError
from rushlight.distributed.elastic.rendezvous.api import RendezvousConnectionError
from rushlight.distributed.elastic.rendezvous.meeting import (
    Meeting,
    Place,
    Times,
    free_port,
    open_store,
)
from rushlight.engine.core.errors import DistNetworkError
from rushlight.engine.native.records import dataclass

__all__ = ["LaunchConfig", "SignalException", "elastic_launch", "launch_agent"]

_DEFAULT_PORT = 29500


class SignalException(Exception):
    """Somebody wants the launcher to end.

    Args:
        msg: what happened
        sigval: the signal
    """

    def __init__(self, msg: str, sigval: signal.Signals) -> None:
        super().__init__(msg)
        self.sigval = sigval


@dataclass
class LaunchConfig:
    """How a program is to be started.

    Args:
        min_nodes: how many launchers there are at least
        max_nodes: how many there are at most
        nproc_per_node: how many workers each starts
        run_id: the program's name, by which launchers find each other
        role: what the workers are called
        rdzv_endpoint: ``host:port`` where launchers meet
        rdzv_backend: ``"static"``, where launchers have numbers, or ``"c10d"``
        rdzv_configs: ``rank``, ``timeout``, ``is_host``, and the names of `rendezvous.meeting.Times`
        rdzv_timeout: older way to give the time-out; -1 if it is not said
        max_restarts: how often workers are started again
        monitor_interval: how often to look, in seconds
        start_method: how functions are started; ``"spawn"``
        logs_specs: where what workers say goes
        local_addr: what this machine is called
    """

    min_nodes: int
    max_nodes: int
    nproc_per_node: int
    run_id: str = ""
    role: str = "default_role"
    rdzv_endpoint: str = ""
    rdzv_backend: str = "c10d"
    rdzv_configs: dict[str, Any] = field(default_factory=dict)
    rdzv_timeout: int = -1
    max_restarts: int = 3
    monitor_interval: float = 0.1
    start_method: str = "spawn"
    logs_specs: LogsSpecs | None = None
    local_addr: str | None = None
    log_line_prefix_template: str | None = None
    metrics_cfg: dict[str, str] = field(default_factory=dict)
    event_log_handler: str = "null"

    def __post_init__(self) -> None:
        if self.rdzv_backend not in ("static", "c10d"):
            raise ValueError(
                f"rdzv_backend {self.rdzv_backend!r} is not there: use 'static' or 'c10d'"
            )
        if self.rdzv_timeout != -1:
            self.rdzv_configs["timeout"] = self.rdzv_timeout
        self.rdzv_configs.setdefault("timeout", 900)
        self.run_id = self.run_id or uuid.uuid4().hex
        if self.logs_specs is None:
            self.logs_specs = LogsSpecs()


class elastic_launch:
    """Starts a command or a function; calling it gives the results of functions by global rank.

    Args:
        config: how
        entrypoint: the command, or the function
    """

    def __init__(self, config: LaunchConfig, entrypoint: str | Callable[..., Any] | None) -> None:
        self._config, self._entry = config, entrypoint

    def __call__(self, *args: Any) -> dict[int, Any]:
        return launch_agent(self._config, self._entry, list(args))


def launch_agent(
    config: LaunchConfig, entrypoint: str | Callable[..., Any] | None, args: list[Any]
) -> dict[int, Any]:
    """Start workers, and watch them until all have ended.

    Args:
        config: how
        entrypoint: a command, or a function
        args: what it gets
    """
    if entrypoint is None:
        raise ValueError("there is nothing to start")
    return _Agent(config, entrypoint, args).run()


def _address(endpoint: str, default_port: int) -> tuple[str, int]:
    host, _, port = endpoint.rpartition(":") if ":" in endpoint else (endpoint, "", "")
    return host.strip("[]") or "localhost", int(port) if port else default_port


class _Agent:
    """The launcher of one machine."""

    def __init__(
        self, config: LaunchConfig, entry: str | Callable[..., Any], args: list[Any]
    ) -> None:
        self._config, self._entry, self._args = config, entry, args
        times = Times.of(config.rdzv_configs)
        timeout = timedelta(seconds=times.join_timeout)
        host, port = _address(config.rdzv_endpoint, 0 if config.max_nodes == 1 else _DEFAULT_PORT)
        is_static = config.rdzv_backend == "static"
        number = int(config.rdzv_configs.get("rank", 0)) if is_static else None
        alone = config.max_nodes == 1
        if is_static and alone:
            # nobody else comes: the port is the workers'
            store = open_store("localhost", 0, True, timeout)
            worker_port = port
        else:
            is_host = number == 0 if is_static else config.rdzv_configs.get("is_host")
            store = open_store(host, port, is_host, timeout)
            worker_port = 0
        address = host if is_static else config.local_addr
        if alone and not is_static:
            address = "localhost"
        self._store = store
        self._meeting = Meeting(
            store, config.run_id, config.min_nodes, config.max_nodes, config.nproc_per_node,
            number, address, worker_port, times,
        )  # fmt: skip
        self._restarts = 0

    def run(self) -> dict[int, Any]:
        """Start workers until they end well, or too often badly."""
        with _signals_raise():
            while True:
                place = self._join()
                workers = self._start(place)
                outcome = self._watched(workers)
                if outcome == "done":
                    self._meeting.say_done()
                    limit = timedelta(seconds=300)
                    if not self._meeting.wait_for_others(len(place.sizes), limit):
                        workers.end()
                        return {place.first_rank + k: r for k, r in workers.results.items()}
                    outcome = "again"
                failures = workers.failures(place.first_rank) if outcome == "failed" else {}
                workers.end()
                if outcome == "failed":
                    self._after(failures)
                elif self._meeting.has_failed():
                    raise RuntimeError(
                        f"the workers of another machine have failed: {self._meeting.failure()}"
                    )
                self._restarts += outcome == "failed"

    def _join(self) -> Place:
        """Take part in the next round; if this launcher is told to end meanwhile, the others do not wait for it."""
        try:
            return self._meeting.join()
        except SignalException:
            self._meeting.leave()
            raise

    def _watched(self, workers: Workers) -> str:
        """Watch workers; if this launcher is told to end, the others are told before its workers end."""
        try:
            return self._watch(workers)
        except BaseException as error:
            try:
                if not isinstance(error, DistNetworkError):
                    self._meeting.leave()
            finally:
                workers.end(getattr(error, "sigval", signal.SIGTERM))
            if isinstance(error, DistNetworkError):
                raise RendezvousConnectionError(
                    "the launcher that has the store where all meet has gone: workers are ended"
                ) from error
            raise

    def _after(self, failures: Any) -> None:
        """Ask for another round, or give up."""
        if self._restarts >= self._config.max_restarts:
            rank, failure = min(failures.items(), key=lambda item: item[1].timestamp)
            self._meeting.fail(f"rank {rank} (exitcode {failure.exitcode})")
            name = self._entry if isinstance(self._entry, str) else self._entry.__qualname__
            shown = next((str(a) for a in self._args if str(a).endswith(".py")), name)
            raise ChildFailedError(shown, failures)
        rank, failure = min(failures.items())
        print(
            f"rank {rank} failed (exitcode {failure.exitcode}); starting the workers again, "
            f"{self._config.max_restarts - self._restarts - 1} restarts are left",
            file=sys.stderr,
        )
        self._meeting.ask_for_next()

    def _watch(self, workers: Workers) -> str:
        """Wait for the end of an attempt: ``done``, ``failed``, or ``again`` if others want another round."""
        looked = 0.0
        while True:
            all_done, failed = workers.poll()
            if failed:
                # whoever failed first may pull others along: give its file the time to be written
                time.sleep(0.05)
                # others have left: that is why these could not go on
                return "again" if self._meeting.is_over() else "failed"
            if all_done:
                return "done"
            now = time.monotonic()
            if now - looked > max(self._config.monitor_interval, 0.1):
                looked = now
                if self._meeting.is_over():
                    return "again"
            time.sleep(min(self._config.monitor_interval, 0.02))

    def _start(self, place: Place) -> Workers:
        config = self._config
        logs = config.logs_specs
        assert logs is not None
        if place.port == 0:
            place.port = free_port()
        every = [self._environment(place, rank) for rank in range(config.nproc_per_node)]
        folder = logs.folder(config.run_id, self._restarts)
        return Workers(self._entry, self._args, every, logs, folder, config.role)

    def _environment(self, place: Place, local_rank: int) -> dict[str, str]:
        config, size = self._config, sum(place.sizes)
        rank = place.first_rank + local_rank
        given = {
            "LOCAL_RANK": local_rank, "RANK": rank, "GROUP_RANK": place.number,
            "ROLE_RANK": rank, "ROLE_NAME": config.role, "LOCAL_WORLD_SIZE": config.nproc_per_node,
            "WORLD_SIZE": size, "GROUP_WORLD_SIZE": len(place.sizes), "ROLE_WORLD_SIZE": size,
            "MASTER_ADDR": place.address, "MASTER_PORT": place.port,
            "TORCHELASTIC_RESTART_COUNT": self._restarts,
            "TORCHELASTIC_MAX_RESTARTS": config.max_restarts,
            "TORCHELASTIC_RUN_ID": config.run_id, "TORCHELASTIC_USE_AGENT_STORE": False,
        }  # fmt: skip
        if config.nproc_per_node > 1 and "OMP_NUM_THREADS" not in os.environ:
            # workers that take all processors each would take them from each other
            given["OMP_NUM_THREADS"] = max(1, (os.cpu_count() or 1) // config.nproc_per_node)
        return {name: str(value) for name, value in given.items()}


class _signals_raise:
    """Within, signals that ask for the end raise `SignalException`."""

    def __enter__(self) -> None:
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
                self._before[number] = signal.signal(number, self._raise)

    @staticmethod
    def _raise(number: int, frame: FrameType | None) -> None:
        name = signal.Signals(number)
        raise SignalException(f"Process {os.getpid()} got signal: {name.name}", name)

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
