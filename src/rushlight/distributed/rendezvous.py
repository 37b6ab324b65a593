"""How processes find each other: a URL gives a store, this process's rank and how many there are."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import ParseResult, parse_qsl, urlparse

from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.file import FileStore
from rushlight.distributed._stores.tcp import TCPStore
from rushlight.distributed.constants import default_pg_timeout

__all__ = ["register_rendezvous_handler", "rendezvous"]

Found = tuple[Store, int, int]
Handler = Callable[..., Iterator[Found]]
_handlers: dict[str, Handler] = {}


def register_rendezvous_handler(scheme: str, handler: Handler) -> None:
    """Say how processes find each other by URLs of a program's own scheme.

    Args:
        scheme: what such URLs begin with
        handler: called with a URL and what else was given; yields a store, the rank, and the number of processes
    """
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs: Any) -> Iterator[Found]:
    """What a URL gives: a store, the rank, and the number of processes, each time they meet.

    Args:
        url: where they meet
        rank: this process's rank; -1 if the URL says it
        world_size: how many there are; -1 if the URL says it
        kwargs: for the handler, such as ``timeout``
    """
    if not isinstance(url, (str, bytes)):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    if not isinstance(rank, int):
        raise RuntimeError(f"`rank` must be an integer. {rank}")
    if not isinstance(world_size, int):
        raise RuntimeError(f"`world_size` must be an integer. {world_size}")
    parts = urlparse(str(url))
    given = dict(parse_qsl(parts.query))
    if rank != -1:
        given["rank"] = str(rank)
    if world_size != -1:
        given["world_size"] = str(world_size)
    if parts.scheme not in _handlers:
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    query = "&".join(f"{name}={value}" for name, value in given.items())
    return _handlers[parts.scheme](parts._replace(query=query).geturl(), **kwargs)


def _number(parts: ParseResult, given: dict[str, str], name: str) -> int:
    if name not in given:
        shown = "rank" if name == "rank" else "world size"
        raise ValueError(
            f"Error initializing torch.distributed using {parts.scheme}:// rendezvous: "
            f"{shown} parameter missing"
        )
    return int(given[name])


def _only_once(what: str) -> RuntimeError:
    return RuntimeError(f"Unable to perform rerendezvous using {what} method")


def _by_file(url: str, **kwargs: Any) -> Iterator[Found]:
    parts = urlparse(url)
    given = dict(parse_qsl(parts.query))
    if not parts.path:
        raise ValueError(
            "Error initializing torch.distributed using file:// rendezvous: path missing"
        )
    rank, size = _number(parts, given, "rank"), _number(parts, given, "world_size")
    yield FileStore(parts.path, size), rank, size
    raise _only_once("file://")


def _agent_serves() -> bool:
    """Whether the launcher keeps the store's server."""
    return os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"


def _tcp_store(host: str, port: int, rank: int, size: int, timeout: timedelta) -> Store:
    if not 0 <= port < 1 << 16:
        raise ValueError(f"port must have value from 0 to 65535 but was {port}.")
    if _agent_serves():
        attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        store = TCPStore(host, port, size, is_master=False, timeout=timeout)
        return PrefixStore(f"/worker/attempt_{attempt}", store)
    return TCPStore(host, port, size, is_master=rank == 0, timeout=timeout, multi_tenant=True)


def _by_tcp(url: str, timeout: timedelta = default_pg_timeout, **kwargs: Any) -> Iterator[Found]:
    parts = urlparse(url)
    given = dict(parse_qsl(parts.query))
    if parts.port is None:
        raise ValueError(
            "Error initializing torch.distributed using tcp:// rendezvous: port number missing"
        )
    rank, size = _number(parts, given, "rank"), _number(parts, given, "world_size")
    assert parts.hostname is not None
    yield _tcp_store(parts.hostname, parts.port, rank, size, timeout), rank, size
    raise _only_once("tcp://")


# What launchers call the rank and the number of processes.
_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
_SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")
_LOCAL_RANKS = (
    "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
)  # fmt: skip


def from_launcher(names: tuple[str, ...]) -> str | None:
    """The first of some variables that the surroundings have."""
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def launcher_rank() -> str | None:
    """The rank that whatever started this process gave it."""
    return from_launcher(_RANKS)


def launcher_size() -> str | None:
    """How many processes were started."""
    return from_launcher(_SIZES)


def launcher_local_rank() -> str | None:
    """The rank among the processes of this machine."""
    return from_launcher(_LOCAL_RANKS)


def _surroundings(name: str, found: str | None = None) -> str:
    found = found or os.environ.get(name)
    if not found:
        raise ValueError(
            "Error initializing torch.distributed using env:// rendezvous: "
            f"environment variable {name} expected, but not set"
        )
    return found


def _by_environment(
    url: str, timeout: timedelta = default_pg_timeout, **kwargs: Any
) -> Iterator[Found]:
    given = dict(parse_qsl(urlparse(url).query))
    rank = int(given.get("rank") or _surroundings("RANK", launcher_rank()))
    size = int(given.get("world_size") or _surroundings("WORLD_SIZE", launcher_size()))
    # Who starts processes by MPI or by hand on one machine may leave the address out.
    started_by_mpi = not os.environ.get("RANK") and launcher_rank() is not None
    if started_by_mpi and "MASTER_ADDR" not in os.environ:
        yield _mpi_store(rank, size, timeout), rank, size
    else:
        address, port = _surroundings("MASTER_ADDR"), int(_surroundings("MASTER_PORT"))
        yield _tcp_store(address, port, rank, size, timeout), rank, size
    raise _only_once("env://")


def _mpi_store(rank: int, size: int, timeout: timedelta) -> Store:
    """A store whose address the processes of an MPI program tell each other by MPI."""
    from rushlight.distributed._groups.mpi import broadcast_text

    store: Store | None = None
    told = ""
    if rank == 0:
        store = TCPStore("127.0.0.1", 0, None, is_master=True, timeout=timeout)
        told = f"{socket.gethostname()} {store.port}"
    host, port = broadcast_text(told).split()
    return store or TCPStore(host, int(port), None, is_master=False, timeout=timeout)


register_rendezvous_handler("tcp", _by_tcp)
register_rendezvous_handler("env", _by_environment)
register_rendezvous_handler("file", _by_file)
