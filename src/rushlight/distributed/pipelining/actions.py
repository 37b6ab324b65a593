"""What a rank does in a pipeline, one action after the other, and how it is written as text."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

__all__ = [
    "BACKWARD_INPUT",
    "BACKWARD_WEIGHT",
    "FORWARD",
    "FULL_BACKWARD",
    "OVERLAP_F_B",
    "RECV_B",
    "RECV_F",
    "REDUCE_GRAD",
    "RESHARD",
    "SEND_B",
    "SEND_F",
    "UNSHARD",
    "B",
    "F",
    "I",
    "Order",
    "W",
    "_Action",
    "_ComputationType",
    "_format_pipeline_order",
    "leaves",
]


class _ComputationType(StrEnum):
    """The kinds of actions."""

    FORWARD = "F"
    BACKWARD_INPUT = "I"
    BACKWARD_WEIGHT = "W"
    UNSHARD = "UNSHARD"
    RESHARD = "RESHARD"
    SEND_F = "SEND_F"
    RECV_F = "RECV_F"
    SEND_B = "SEND_B"
    RECV_B = "RECV_B"
    FULL_BACKWARD = "B"
    OVERLAP_F_B = "OVERLAP_F_B"
    REDUCE_GRAD = "REDUCE_GRAD"

    @staticmethod
    def from_str(action: str) -> _ComputationType:
        """The kind that is written so."""
        try:
            return _ComputationType(action)
        except ValueError as error:
            raise RuntimeError(f"Invalid computation type {action}") from error


FORWARD = _ComputationType.FORWARD
BACKWARD_INPUT = _ComputationType.BACKWARD_INPUT
BACKWARD_WEIGHT = _ComputationType.BACKWARD_WEIGHT
UNSHARD = _ComputationType.UNSHARD
RESHARD = _ComputationType.RESHARD
SEND_F = _ComputationType.SEND_F
RECV_F = _ComputationType.RECV_F
SEND_B = _ComputationType.SEND_B
RECV_B = _ComputationType.RECV_B
FULL_BACKWARD = _ComputationType.FULL_BACKWARD
OVERLAP_F_B = _ComputationType.OVERLAP_F_B
REDUCE_GRAD = _ComputationType.REDUCE_GRAD
# The letters by which schedules are written.
F, I, W, B = FORWARD, BACKWARD_INPUT, BACKWARD_WEIGHT, FULL_BACKWARD  # noqa: E741

_TEXT = re.compile(r"(\d+)(F|I|B|W|UNSHARD|RESHARD|REDUCE_GRAD|SEND_F|RECV_F|SEND_B|RECV_B)(\d*)")
_SEVERAL = re.compile(r"\(([^)]*)\)(\w+)")


class _Action(NamedTuple):
    """Something done for a stage, and mostly for one microbatch; or several actions side by side."""

    stage_index: int
    computation_type: _ComputationType
    microbatch_index: int | None = None
    sub_actions: tuple[_Action, ...] | None = None

    def __str__(self) -> str:
        return self.__repr__()

    def __repr__(self) -> str:
        if self.sub_actions is not None:
            return f"({';'.join(map(repr, self.sub_actions))}){self.computation_type.value}"
        microbatch = "" if self.microbatch_index is None else self.microbatch_index
        return f"{self.stage_index}{self.computation_type.value}{microbatch}"

    @property
    def is_compute_op(self) -> bool:
        """Whether it calls the module or its derivative."""
        return self.computation_type in (F, B, I, W, OVERLAP_F_B)

    @staticmethod
    def from_str(action_string: str) -> _Action | None:
        """The action that is written so, such as ``2F0``, ``1UNSHARD``, ``3SEND_F1``; None for a blank."""
        text = action_string.strip()
        if not text:
            return None
        if several := _SEVERAL.match(text):
            inner, kind = several.groups()
            parts = [_Action.from_str(part) for part in inner.split(";")]
            found = tuple(part for part in parts if part is not None)
            return _Action(-1, _ComputationType.from_str(kind), None, found or None)
        one = _TEXT.match(text)
        if one is None:
            raise RuntimeError(
                f"Invalid action string: {action_string}, should be formatted as "
                "[stage][action type][(microbatch)] e.g. 2F0"
            )
        stage, kind, microbatch = one.groups()
        return _Action(
            int(stage), _ComputationType.from_str(kind), int(microbatch) if microbatch else None
        )


# What each rank does, step by step; None where it waits.
Order = dict[int, list[_Action | None]]


def leaves(action: _Action | None) -> tuple[_Action, ...]:
    """An action's parts; itself if it has none."""
    if action is None:
        return ()
    return action.sub_actions if action.sub_actions is not None else (action,)


def _format_pipeline_order(pipeline_order: Order, error_step_number: int | None = None) -> str:
    """A table of a schedule: a line for each step, a column for each rank.

    Args:
        pipeline_order: what each rank does
        error_step_number: a step that is marked
    """
    steps = max((len(row) for row in pipeline_order.values()), default=0)
    ranks = sorted(pipeline_order)
    columns = []
    for rank in ranks:
        cells = ["" if action is None else str(action) for action in pipeline_order[rank]]
        cells = [f"Rank {rank}", *cells, *[""] * (steps - len(cells))]
        width = max(map(len, cells))
        columns.append([cell.ljust(width) for cell in cells])
    names = ["", *(f"Step {step}:" for step in range(steps))]
    width = max(map(len, names))
    lines = [
        " ".join([name.ljust(width), *(column[line] for column in columns)])
        for line, name in enumerate(names)
    ]
    if error_step_number is not None:
        lines[error_step_number + 1] += " <-- ERROR HERE"
    return "\n".join(lines) + "\n"
