"""Logs by name: what ``TORCH_LOGS`` and `set_logs` switch on.

A name is a part of the library, whose log has levels (``dynamo``), or an *artifact*, which is one kind of
message (``graph_breaks``).
"""

from __future__ import annotations

import logging
import os
from typing import Any

__all__ = ["getArtifactLogger", "set_logs"]

# The parts of the library, and the loggers that are theirs.
PARTS = {
    "dynamo": "torch._dynamo", "aot": "torch._functorch", "inductor": "torch._inductor",
    "dynamic": "torch.fx.experimental", "export": "torch.export", "distributed": "torch.distributed",
}  # fmt: skip
ARTIFACTS = {
    "aot_graphs": "graphs of forward and backward passes",
    "autotuning": "what was measured, and what was chosen",
    "graph_breaks": "where graphs end in programs, and why",
    "graph_code": "captured graphs as Python",
    "graph_sizes": "the sizes of the tensors in captured graphs",
    "guards": "what must hold for graphs",
    "output_code": "what back ends make of graphs",
    "recompiles": "which guard failed where a function is captured again",
}
_PREFIX = "torch.__"


class _Format(logging.Formatter):
    """A line's level, time, process and place, and the artifact, before each line of a message."""

    def format(self, record: logging.LogRecord) -> str:
        name = record.name.removeprefix(_PREFIX) if record.name.startswith(_PREFIX) else ""
        time = self.formatTime(record, "%m%d %H:%M:%S")
        shown = f"{record.levelname[0]}{time} {record.process} {record.filename}:{record.lineno}]"
        if name:
            shown += f" [__{name}]"
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return "\n".join(f"{shown} {line}" for line in text.split("\n"))


_handler = logging.StreamHandler()
_handler.setFormatter(_Format())


def getArtifactLogger(module_qname: str, artifact_name: str) -> logging.Logger:
    """The logger of a kind of message.

    Args:
        module_qname: who asks
        artifact_name: the name of the kind
    """
    if artifact_name not in ARTIFACTS:
        raise ValueError(f"Artifact name: {artifact_name!r} not registered in the log registry.")
    return logging.getLogger(_PREFIX + artifact_name)


def _switch(logger: logging.Logger, level: int | None) -> None:
    """Let a logger write from a level on; None: as if nobody had asked."""
    if _handler in logger.handlers:
        logger.removeHandler(_handler)
    if level is not None:
        logger.addHandler(_handler)
    logger.setLevel(logging.NOTSET if level is None else level)
    logger.propagate = level is None


def _switch_artifact(name: str, is_on: bool) -> None:
    logger = getArtifactLogger(__name__, name)
    _switch(logger, logging.DEBUG if is_on else None)
    if not is_on:
        logger.setLevel(logging.WARNING)


def set_logs(*, all: int | None = None, **names: Any) -> None:
    """Switch logs: those that are not named are off.

    Args:
        all: the level of all parts of the library
        names: the levels of parts, and for artifacts whether they are written
    """
    for name in names:
        if name not in PARTS and name not in ARTIFACTS:
            raise ValueError(f"Unrecognized log or artifact name passed to set_logs: {name!r}")
    for part, qualified in PARTS.items():
        _switch(logging.getLogger(qualified), names.get(part, all))
    for artifact in ARTIFACTS:
        is_on = names.get(artifact, False)
        if not isinstance(is_on, bool):
            raise ValueError(
                f"Expected bool value for artifact {artifact!r}, received type {type(is_on)}"
            )
        _switch_artifact(artifact, is_on)


def _from_environment(text: str) -> dict[str, Any]:
    """The arguments of `set_logs` that a text says, such as ``+dynamo,graph_breaks``."""
    found: dict[str, Any] = {}
    levels = {"+": logging.DEBUG, "-": logging.ERROR}
    for item in filter(None, (one.strip() for one in text.split(","))):
        sign, name = (item[0], item[1:]) if item[0] in levels else ("", item)
        level = levels.get(sign, logging.INFO)
        if name == "all":
            found.update(dict.fromkeys(PARTS, level))
        elif name in PARTS:
            found[name] = level
        elif name in ARTIFACTS:
            found[name] = sign != "-"
        else:
            raise ValueError(
                f"Invalid log settings: {text!r}, must be a comma separated list of names of "
                f"{sorted([*PARTS, *ARTIFACTS])}, each with + or - before it, or without."
            )
    return found


set_logs(**_from_environment(os.environ.get("TORCH_LOGS", "")))
