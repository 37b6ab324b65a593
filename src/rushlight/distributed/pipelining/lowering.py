"""From what ranks compute to all that they do: messages between them, weights that are fetched, gradients that are scaled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rushlight.distributed.pipelining.actions import (
    RECV_B,
    RECV_F,
    REDUCE_GRAD,
    RESHARD,
    SEND_B,
    SEND_F,
    UNSHARD,
    B,
    F,
    I,
    Order,
    W,
    _Action,
    _ComputationType,
    _format_pipeline_order,
    leaves,
)

__all__ = [
    "_add_reduce_grad",
    "_add_send_recv",
    "_add_unshard_reshard",
    "_merge_bw",
    "_simulate_comms_compute",
    "_validate_schedule",
]

RankOf = Callable[[int], int]
Actions = dict[int, list[_Action]]


def _add_reduce_grad(actions: Sequence[_Action | None], n_microbatches: int) -> list[_Action]:
    """Put ``REDUCE_GRAD`` after each stage's last gradient of weights.

    Args:
        actions: what a rank does
        n_microbatches: how many microbatches there are
    """
    done: Counter[int] = Counter()
    found = []
    for action in actions:
        if action is None:
            continue
        found.append(action)
        for leaf in leaves(action):
            if leaf.computation_type in (W, B):
                done[leaf.stage_index] += 1
                if done[leaf.stage_index] == n_microbatches:
                    found.append(_Action(leaf.stage_index, REDUCE_GRAD))
    return found


def _next_stages(actions: Iterable[_Action | None], count: int) -> list[int]:
    """The first stages that these actions are for."""
    found: dict[int, None] = {}
    for action in actions:
        if len(found) >= count:
            break
        found.update((leaf.stage_index, None) for leaf in leaves(action))
    return list(found)


def _add_unshard_reshard(
    compute_actions: list[_Action | None], max_active_stages: int = 3
) -> list[_Action]:
    """Put ``UNSHARD`` before stages that come next, and ``RESHARD`` after those that do not.

    Args:
        compute_actions: what a rank computes
        max_active_stages: how many stages have their weights whole at a time
    """
    active: dict[int, None] = {}
    found = []
    for position, action in enumerate(compute_actions):
        if action is None:
            continue
        soon = _next_stages(compute_actions[position:], max_active_stages)
        for stage in [stage for stage in active if stage not in soon]:
            del active[stage]
            found.append(_Action(stage, RESHARD))
        for stage in soon:
            if stage not in active:
                active[stage] = None
                found.append(_Action(stage, UNSHARD))
        found.append(action)
    found += [_Action(stage, RESHARD) for stage in active]
    return found


def _merge_bw(compute_actions: Sequence[_Action | None]) -> list[_Action]:
    """Make one backward pass of one for inputs that is followed by one for weights.

    Args:
        compute_actions: what a rank computes
    """
    found: list[_Action] = []
    for action in compute_actions:
        if action is None:
            continue
        stage, kind, microbatch, _ = action
        if kind is W and found and found[-1] == _Action(stage, I, microbatch):
            found[-1] = _Action(stage, B, microbatch)
        else:
            found.append(action)
    return found


class _Neighbours:
    """What actions need of others, and whom they give something.

    Args:
        rank_of: the rank of a stage
        count: how many stages there are
    """

    def __init__(self, rank_of: RankOf, count: int) -> None:
        self._rank_of, self._count = rank_of, count

    def sources(self, action: _Action) -> tuple[_Action, ...]:
        """Actions of the stage's own rank, one of which must have been; none if nothing is needed."""
        stage, kind, microbatch, _ = action
        if kind is F and stage > 0:
            return _Action(stage, RECV_F, microbatch), _Action(stage - 1, F, microbatch)
        if kind in (I, B) and stage < self._count - 1:
            return tuple(
                _Action(*where, microbatch)
                for where in ((stage, RECV_B), (stage + 1, I), (stage + 1, B))
            )
        return ()

    def messages(self, action: _Action) -> tuple[_Action, _Action] | None:
        """The send that follows an action and the receive it is met by; None within a rank."""
        stage, kind, microbatch, _ = action
        if kind is F:
            target, send, receive = stage + 1, SEND_F, RECV_F
        elif kind in (I, B):
            target, send, receive = stage - 1, SEND_B, RECV_B
        else:
            return None
        if not 0 <= target < self._count or self._rank_of(target) == self._rank_of(stage):
            return None
        return _Action(stage, send, microbatch), _Action(target, receive, microbatch)


def _add_send_recv(compute_actions: Order, stage_to_rank: RankOf, num_stages: int) -> Actions:
    """Put a send after each action whose result another rank needs, and the receive at the same time there.

    As receives are put where the sends are, all ranks agree in which order messages come.

    Args:
        compute_actions: what each rank computes
        stage_to_rank: the rank of a stage
        num_stages: how many stages there are
    """
    neighbours = _Neighbours(stage_to_rank, num_stages)
    found: Actions = {rank: [] for rank in compute_actions}
    done: dict[int, set[_Action]] = {rank: set() for rank in compute_actions}
    positions = dict.fromkeys(sorted(compute_actions), 0)

    def add(rank: int, action: _Action) -> None:
        found[rank].append(action)
        done[rank].add(action)

    def is_ready(rank: int, action: _Action) -> bool:
        sources = neighbours.sources(action)
        return not sources or any(source in done[rank] for source in sources)

    while positions:
        progress = False
        for rank, position in list(positions.items()):
            if position == len(compute_actions[rank]):
                del positions[rank]
                progress = True
                continue
            action = compute_actions[rank][position]
            if not all(is_ready(rank, leaf) for leaf in leaves(action)):
                continue
            positions[rank] += 1
            progress = True
            if action is None:
                continue
            found[rank].append(action)
            for leaf in leaves(action):
                done[rank].add(leaf)
                if pair := neighbours.messages(leaf):
                    add(rank, pair[0])
                    add(stage_to_rank(pair[1].stage_index), pair[1])
        if not progress:
            raise AssertionError("Malformed compute schedule, can't schedule sends/recvs")
    return found


def _validate_schedule(
    actions: Order, pp_group_size: int, num_stages: int, num_microbatches: int
) -> dict[int, int]:
    """Check that every stage does all it has to for each microbatch, in a possible order; the rank of each stage.

    Args:
        actions: what each rank computes
        pp_group_size: how many ranks there are
        num_stages: how many stages there are
        num_microbatches: how many microbatches there are
    """
    if sorted(actions) != list(range(pp_group_size)):
        raise AssertionError(
            f"Schedule has incorrect number of ranks - expected {pp_group_size}, actual "
            f"{len(actions)}: {sorted(actions)}"
        )
    done: dict[tuple[int, _ComputationType], set[int | None]] = {
        (stage, kind): set() for stage in range(num_stages) for kind in (F, B, I, W)
    }
    before = {F: None, B: F, I: F, W: I}
    rank_of: dict[int, int] = {}
    for rank, row in actions.items():
        for step, action in enumerate(row):
            for leaf in leaves(action):
                stage, kind, microbatch, _ = leaf
                where = f"Rank {rank}, step {step}: {leaf}"
                if (stage, kind) not in done:
                    raise AssertionError(f"{where} is not an action that computes in this schedule")
                earlier = before[kind]
                if earlier is not None and microbatch not in done[stage, earlier]:
                    raise AssertionError(f"{where} comes before its {earlier.value}")
                if rank_of.setdefault(stage, rank) != rank:
                    raise AssertionError(f"{where}: the stage is rank {rank_of[stage]}'s")
                done[stage, kind].add(microbatch)
    for stage in range(num_stages):
        counts = {kind: len(done[stage, kind]) for kind in (F, B, I, W)}
        right = (
            counts[F] == num_microbatches
            and counts[B] + counts[I] == num_microbatches
            and counts[I] == counts[W]
            and not done[stage, B] & done[stage, I]
        )
        if not right:
            shown = ", ".join(f"{count} {kind.value}" for kind, count in counts.items())
            raise AssertionError(f"Stage {stage} has {shown} for {num_microbatches} microbatches")
    return rank_of


def _simulate_comms_compute(
    pipeline_order: Order | Actions, stage_to_rank: RankOf, num_stages: int
) -> Order:
    """Go through a schedule step by step, each rank as far as it can; what each did in each step.

    Args:
        pipeline_order: what each rank does, messages included
        stage_to_rank: the rank of a stage
        num_stages: how many stages there are

    Raises:
        ValueError: if all ranks wait for each other
    """
    neighbours = _Neighbours(stage_to_rank, num_stages)
    waiting = {
        rank: [a for a in pipeline_order[rank] if a is not None] for rank in sorted(pipeline_order)
    }
    steps: Order = {rank: [] for rank in waiting}
    done: set[_Action] = set()
    needs = {SEND_F: (F,), SEND_B: (I, B)}
    sender = {RECV_F: (-1, SEND_F), RECV_B: (1, SEND_B)}

    def is_ready(action: _Action) -> bool:
        stage, kind, microbatch, _ = action
        if kind in needs:
            return any(_Action(stage, before, microbatch) in done for before in needs[kind])
        if kind in sender:
            hop, send = sender[kind]
            return _Action(stage + hop, send, microbatch) in done
        here = stage_to_rank(stage)
        sources = neighbours.sources(action)
        return not sources or any(
            source in done for source in sources if stage_to_rank(source.stage_index) == here
        )

    def do_next(rank: int) -> _Action | None:
        """The next action of a rank, if it can be done."""
        if not waiting[rank] or not all(map(is_ready, leaves(waiting[rank][0]))):
            return None
        action = waiting[rank].pop(0)
        done.add(action)
        done.update(leaves(action))
        return action

    while any(waiting.values()):
        in_step = [rank for rank in waiting if waiting[rank]]
        made = {rank: do_next(rank) for rank in in_step}
        # what a later rank has done may have freed one that waited
        freed = {rank: do_next(rank) for rank in in_step if made[rank] is None}
        for rank in in_step:
            steps[rank].append(made[rank] or freed.get(rank))
        if all(steps[rank][-1] is None for rank in in_step):
            stuck = ", ".join(f"rank {rank} at {waiting[rank][0]}" for rank in in_step)
            raise ValueError(
                f"Schedule is not progressing: {stuck}\n{_format_pipeline_order(steps)}"
            )
    return steps
