"""What happens to workers and launchers, as records that can be written down."""

from __future__ import annotations

import json
from dataclasses import asdict, field
from enum import StrEnum
from typing import Any, Union

from rushlight.engine.native.records import dataclass

__all__ = ["Event", "EventMetadataValue", "EventSource", "NodeState", "RdzvEvent"]

EventMetadataValue = Union[str, int, float, bool, None]


class EventSource(StrEnum):
    """Who tells."""

    AGENT = "AGENT"
    WORKER = "WORKER"


class NodeState(StrEnum):
    """How far a launcher has come in a meeting."""

    INIT = "INIT"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


@dataclass
class Event:
    """Something that happened.

    Args:
        name: what it was
        source: who tells
        timestamp: when, in milliseconds
        metadata: more about it
    """

    name: str
    source: EventSource
    timestamp: int = 0
    metadata: dict[str, EventMetadataValue] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.serialize()

    @staticmethod
    def deserialize(data: str | Event) -> Event:
        """The event that a text stands for."""
        if isinstance(data, Event):
            return data
        facts: dict[str, Any] = json.loads(data)
        facts["source"] = EventSource[facts["source"]]
        return Event(**facts)

    def serialize(self) -> str:
        """The event as a text."""
        return json.dumps(asdict(self))


@dataclass
class RdzvEvent:
    """Something that happened while launchers met.

    Args:
        name: what it was
        run_id: the program's name
        message: the same in words
        hostname: the launcher's machine
        pid: its process
        node_state: how far it has come
        master_endpoint: where they meet
        rank: the launcher's number
        local_id: its number on its machine
        error_trace: the traceback of a failure
    """

    name: str
    run_id: str
    message: str
    hostname: str
    pid: int
    node_state: NodeState
    master_endpoint: str = ""
    rank: int | None = None
    local_id: int | None = None
    error_trace: str = ""

    def __str__(self) -> str:
        return self.serialize()

    @staticmethod
    def deserialize(data: str | RdzvEvent) -> RdzvEvent:
        """The event that a text stands for."""
        if isinstance(data, RdzvEvent):
            return data
        facts: dict[str, Any] = json.loads(data)
        facts["node_state"] = NodeState[facts["node_state"]]
        return RdzvEvent(**facts)

    def serialize(self) -> str:
        """The event as a text."""
        return json.dumps(asdict(self))
