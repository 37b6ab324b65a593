"""Records of what happens to workers and launchers, written by Python's `logging`."""

from __future__ import annotations

import logging
import os
import socket
import traceback

from rushlight.distributed.elastic.events.api import (
    Event,
    EventMetadataValue,
    EventSource,
    NodeState,
    RdzvEvent,
)
from rushlight.distributed.elastic.events.handlers import get_logging_handler

__all__ = [
    "Event",
    "EventMetadataValue",
    "EventSource",
    "NodeState",
    "RdzvEvent",
    "construct_and_record_rdzv_event",
    "get_logging_handler",
    "record",
    "record_rdzv_event",
]

_events_loggers: dict[str, logging.Logger] = {}


def _get_or_create_logger(destination: str = "null") -> logging.Logger:
    """The logger that writes to a destination."""
    found = _events_loggers.get(destination)
    if found is None:
        found = logging.getLogger(f"torchelastic-events-{destination}")
        found.setLevel(os.environ.get("LOGLEVEL", "INFO"))
        # events are no part of what the program says
        found.propagate = False
        found.addHandler(get_logging_handler(destination))
        _events_loggers[destination] = found
    return found


def record(event: Event, destination: str = "null") -> None:
    """Write an event down.

    Args:
        event: what happened
        destination: ``"console"``, or ``"null"`` for nowhere
    """
    _get_or_create_logger(destination).info(event.serialize())


def record_rdzv_event(event: RdzvEvent) -> None:
    """Write down what happened while launchers met."""
    _get_or_create_logger("dynamic_rendezvous").info(event.serialize())


def construct_and_record_rdzv_event(
    run_id: str,
    message: str,
    node_state: NodeState,
    name: str = "",
    hostname: str = "",
    pid: int | None = None,
    master_endpoint: str = "",
    local_id: int | None = None,
    rank: int | None = None,
) -> None:
    """Write down what happened while launchers met; what is not given is this process's.

    Args:
        run_id: the program's name
        message: what happened
        node_state: how far the launcher has come
        name: a name for it; where the caller is otherwise
        hostname: the machine
        pid: the process
        master_endpoint: where they meet
        local_id: the launcher's number on its machine
        rank: its number
    """
    if isinstance(get_logging_handler("dynamic_rendezvous"), logging.NullHandler):
        return
    if not name:
        caller = traceback.extract_stack(limit=2)[0]
        name = f"{os.path.basename(caller.filename)}:{caller.lineno}"
    record_rdzv_event(
        RdzvEvent(
            name=name,
            run_id=run_id,
            message=message,
            hostname=hostname or socket.getfqdn(),
            pid=pid or os.getpid(),
            node_state=node_state,
            master_endpoint=master_endpoint,
            rank=rank,
            local_id=local_id,
            error_trace=traceback.format_exc() if node_state is NodeState.FAILED else "",
        )
    )
