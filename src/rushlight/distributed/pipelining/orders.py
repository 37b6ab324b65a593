"""In which order each rank computes, schedule by schedule."""

from __future__ import annotations

from collections import Counter, deque

from rushlight.distributed.pipelining.actions import (
    OVERLAP_F_B,
    B,
    F,
    I,
    W,
    _Action,
    _ComputationType,
)

__all__ = [
    "dual_pipe_v",
    "fill_and_drain",
    "interleaved",
    "looped_breadth_first",
    "one_forward_one_backward",
    "zero_bubble_v",
]

Row = list[_Action | None]


def fill_and_drain(rank: int, size: int, microbatches: int) -> Row:
    """GPipe: all forward passes, then all backward passes.

    Args:
        rank: whose order this is
        size: how many ranks, with a stage each
        microbatches: how many microbatches there are
    """
    forwards: Row = [_Action(rank, F, k) for k in range(microbatches)]
    backwards: Row = [_Action(rank, B, k) for k in range(microbatches)]
    return [*[None] * rank, *forwards, *[None] * (3 * (size - 1 - rank)), *backwards]


def one_forward_one_backward(rank: int, size: int, microbatches: int) -> Row:
    """1F1B: as many forward passes as there are ranks from here on, then backward and forward in turn.

    Args:
        rank: whose order this is
        size: how many ranks, with a stage each
        microbatches: how many microbatches there are
    """
    ahead = min(microbatches, size - rank)
    row: Row = [None] * rank
    row += [_Action(rank, F, k) for k in range(ahead)]
    row += [None] * (2 * (size - 1 - rank))
    for k in range(microbatches):
        row.append(_Action(rank, B, k))
        row.append(_Action(rank, F, ahead + k) if ahead + k < microbatches else None)
    return row


def looped_breadth_first(rank: int, size: int, local: int, microbatches: int) -> Row:
    """Breadth first: every stage of the rank takes all microbatches before the next stage does.

    Args:
        rank: whose order this is
        size: how many ranks there are
        local: how many stages each rank has
        microbatches: how many microbatches there are
    """
    stages = range(rank, size * local, size)
    row: Row = [None] * rank
    row += [_Action(stage, F, k) for stage in stages for k in range(microbatches)]
    row += [None] * (2 * (size - 1 - rank))
    row += [
        _Action(stage, B, k) for stage in reversed(stages) for k in reversed(range(microbatches))
    ]
    return row


def interleaved(
    rank: int, size: int, local: int, microbatches: int, per_round: int, splits_backward: bool
) -> Row:
    """Depth first: rounds of microbatches go through all stages; forward and backward take turns.

    Args:
        rank: whose order this is
        size: how many ranks there are
        local: how many stages each rank has
        microbatches: how many microbatches there are
        per_round: how many microbatches of a stage come in a row
        splits_backward: whether gradients of weights come later than those of inputs, to fill what would be gaps
    """
    turns = [
        (turn * per_round + k, stage)
        for turn in range(microbatches // per_round)
        for stage in range(local)
        for k in range(per_round)
    ]
    kind = I if splits_backward else B
    forwards = [_Action(stage * size + rank, F, k) for k, stage in turns]
    backwards = [_Action((local - 1 - stage) * size + rank, kind, k) for k, stage in turns]

    hops = size - 1 - rank
    ahead = (local - 1) * per_round + (1 if splits_backward else 2) * hops
    ahead = min(ahead, len(turns))
    gap = hops if splits_backward else local * size + 2 * hops - ahead - rank
    row: Row = [*[None] * rank, *forwards[:ahead], *[None] * (gap if ahead else 0)]
    for k, backward in enumerate(backwards):
        if ahead + k < len(forwards):
            row.append(forwards[ahead + k])
        elif not splits_backward:
            row.append(None)
        row.append(backward)
        if splits_backward and k >= rank:
            row.append(backwards[k - rank]._replace(computation_type=W))
    if splits_backward:
        late = backwards[max(0, len(backwards) - rank) :]
        row += [backward._replace(computation_type=W) for backward in late]
    return row


class _Counting:
    """A row that grows; each stage's microbatches come in order.

    Args:
        stages: the rank's stages, in which actions are put by their position here
    """

    def __init__(self, stages: tuple[int, int]) -> None:
        self._stages = stages
        self._counts: Counter[tuple[int, _ComputationType]] = Counter()
        # Gradients of weights that are still to be made.
        self.late: deque[_Action] = deque()
        self.row: Row = []

    def count(self, position: int, kind: _ComputationType) -> int:
        """How many actions of this kind there were; a whole backward pass counts as one for inputs."""
        return self._counts[position, I if kind is B else kind]

    def make(self, position: int, kind: _ComputationType) -> _Action:
        """A stage's next action of a kind."""
        key = position, I if kind is B else kind
        action = _Action(self._stages[position], kind, self._counts[key])
        self._counts[key] += 1
        if kind is I:
            self.late.append(action._replace(computation_type=W))
        return action

    def add(self, *actions: tuple[int, _ComputationType]) -> None:
        """Put next actions of stages into the row."""
        self.row += [self.make(*action) for action in actions]

    def add_late(self, stage: int | None = None) -> None:
        """Put the oldest gradient of weights that is still to be made, of this stage if one is given."""
        for action in self.late:
            if stage is None or action.stage_index == self._stages[stage]:
                self.late.remove(action)
                self.row.append(action)
                return

    def overlap(self, forward: int, backward: int) -> None:
        """Put a forward pass beside a backward pass."""
        both = self.make(forward, F), self.make(backward, B)
        self.row.append(_Action(-1, OVERLAP_F_B, None, both))


def zero_bubble_v(rank: int, size: int, microbatches: int) -> Row:
    """ZBV: two stages per rank in the shape of a V, backward passes split.

    Args:
        rank: whose order this is
        size: how many ranks, with two stages each
        microbatches: how many microbatches there are
    """
    row = _Counting((rank, 2 * size - 1 - rank))
    # as many as fill the pipeline; those that are not there are left out at the end
    many = max(2 * size - 1, microbatches)

    def backward(position: int) -> None:
        row.add((position, I))
        row.add_late(position)

    row.add(*[(0, F)] * (2 * (size - rank) - 1))
    row.add(*[(1, F), (0, F)] * rank)
    for _ in range(size - rank):
        row.add((1, F))
        backward(1)
    while row.count(1, F) < row.count(0, F) or row.count(0, F) < many:
        if row.count(0, F) < many:
            row.add((0, F))
        backward(0)
        row.add((1, F))
        backward(1)
    row.add(*[(0, I), (1, I)] * rank)
    for _ in range(size - rank):
        row.add((0, I))
        row.add_late(0)
    for position in (1, 0):
        while row.late and any(
            a.stage_index == (rank, 2 * size - 1 - rank)[position] for a in row.late
        ):
            row.add_late(position)
    kept = [
        a if a is not None and (a.microbatch_index or 0) < microbatches else None for a in row.row
    ]
    return [None] * rank + kept


def dual_pipe_v(rank: int, size: int, microbatches: int) -> Row:
    """DualPipeV: two stages per rank in the shape of a V, forward passes beside backward passes of the other.

    Args:
        rank: whose order this is
        size: how many ranks, with two stages each
        microbatches: how many microbatches there are
    """
    row = _Counting((rank, 2 * size - 1 - rank))
    hops = size - 1 - rank
    row.add(*[(0, F)] * (2 * hops))
    row.add(*[(0, F), (1, F)] * (rank + 1))
    for _ in range(hops):
        row.add((1, I))
        row.add_late()
        row.add((1, F))
    for k in range(microbatches - 2 * size + rank + 1):
        if k == 0 and hops == 0:
            row.add((0, F), (1, B))
        else:
            row.overlap(0, 1)
        row.overlap(1, 0)
    for _ in range(hops):
        row.add((1, B))
        row.overlap(1, 0)
    # from the middle of the last passes on, gradients of weights fill the gaps
    last = [(position, B) for _ in range(rank + 1) for position in (1, 0)]
    middle = (rank + 1) // 2 * 2 + (0 if rank % 2 else 1)
    row.add(*last[:middle], *[(position, I) for position, _ in last[middle:]])
    kind = I if middle < len(last) else B
    for _ in range(hops):
        row.add_late()
        row.add((0, kind))
    while row.late:
        row.add_late()
    return row.row
