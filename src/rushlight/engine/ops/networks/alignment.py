"""The loss of a sequence that may be aligned with another in many ways."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.windows.sizes import integers

NONE, MEAN = 0, 1
# Stands for the logarithm of zero: sums of exponentials of it have gradients.
NOTHING = -1e30
HARDLY_ANYTHING = -1e29


def _lengths(name: str, given: Any, batch: int, most: int, what: str) -> list[int]:
    values = [int(n) for n in given]
    if len(values) != batch:
        raise RuntimeError(f"{name} must be of size batch_size")
    for n in values:
        if n < 0:
            raise RuntimeError(f"{name} must not be negative, but got {n}")
        if n > most:
            raise RuntimeError(
                f"Expected {name} to have value at most {most}, but got value {n} (while checking "
                f"{what} of ctc_loss)"
            )
    return values


def _padded_targets(targets: Any, lengths: list[int], batch: int) -> Any:
    """The labels of each sequence as a row; sequences may lie one after the other."""
    longest = max(lengths, default=0)
    if targets.dim() == 2:
        if targets.shape[0] != batch or targets.shape[1] < longest:
            raise RuntimeError(
                f"Expected targets of size at least {[batch, longest]}, but got "
                f"{list(targets.shape)}"
            )
        return targets[:, :longest].long()
    if targets.dim() != 1 or targets.shape[0] != sum(lengths):
        raise RuntimeError(
            f"Expected targets of size {[sum(lengths)]}, but got {list(targets.shape)}"
        )
    rows = targets.new_zeros((batch, longest)).long()
    first = 0
    for row, n in enumerate(lengths):
        rows[row, :n] = targets[first : first + n]
        first += n
    return rows


def _losses(logs: Any, targets: Any, given: list[int], wanted: list[int], blank: int) -> Any:
    """The negative log likelihood of each sequence."""
    steps, batch, _ = logs.shape
    # Between labels, and around them, there may be blanks.
    states = 2 * targets.shape[1] + 1
    labels = targets.new_full((batch, states), blank)
    labels[:, 1::2] = targets
    scores = logs.gather(2, labels.expand(steps, -1, -1)).clamp_min(NOTHING)
    leap = labels.new_zeros((batch, states)).bool()
    leap[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    nothing = scores.new_full((batch, 2), NOTHING)
    start = scores.new_full((batch, states), NOTHING)
    start[:, 0] = 0.0
    # Before the first step, a sequence stands in front of the first two states.
    state: Any = functions.cat([start[:, :1], start[:, :1], start[:, 2:]], 1)[:, :states]
    lengths = integers(given, logs).unsqueeze(1)
    for t in range(steps):
        if t == 0:
            reached = state
        else:
            before = functions.cat([nothing, state], 1)
            ways = functions.stack(
                [
                    state,
                    before[:, 1 : states + 1],
                    before[:, :states].masked_fill(~leap, NOTHING),
                ]
            )
            reached = functions.logsumexp(ways, 0)
        state = functions.where(t < lengths, (reached + scores[t]).clamp_min(NOTHING), state)
    ends = integers([[2 * n, max(2 * n - 1, 0)] for n in wanted], logs)
    last = state.gather(1, ends)
    # An empty sequence has but one end.
    only = integers([[False, n == 0] for n in wanted], logs).bool()
    total = functions.logsumexp(last.masked_fill(only, NOTHING), 1)
    # Without any step, only the empty sequence is possible, and certain.
    certain = integers([g == 0 and w == 0 for g, w in zip(given, wanted)], logs).bool()
    impossible = integers([g == 0 and w > 0 for g, w in zip(given, wanted)], logs).bool()
    total = functions.where(certain, total * 0, total)
    return -functions.where(impossible | (total < HARDLY_ANYTHING), -float("inf"), total)


def _ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int,
    reduction: int, zero_infinity: bool,
) -> Any:  # fmt: skip
    is_batch = log_probs.dim() == 3
    logs = log_probs if is_batch else log_probs.unsqueeze(1)
    if logs.dim() != 3 or not logs.dtype.is_floating_point:
        raise RuntimeError("log_probs must be a floating point tensor of 2 or 3 dimensions")
    if not is_batch and targets.dim() == 1:
        targets = targets.unsqueeze(0)
    steps, batch, classes = logs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    given = _lengths("input_lengths", input_lengths, batch, steps, "argument 3")
    wanted = [int(n) for n in target_lengths]
    if len(wanted) != batch:
        raise RuntimeError("target_lengths must be of size batch_size")
    rows = _padded_targets(targets, wanted, batch)
    # Sums of long sequences lose too much in single precision.
    losses = _losses(logs.double(), rows, given, wanted, blank).to(logs.dtype)
    # As elsewhere, the gradient is that of scores in front of a softmax.
    lengths = integers(given, logs)
    here = functions.arange(steps, device=logs.device).unsqueeze(1) < lengths
    mass = (logs.exp() * here.unsqueeze(2)).sum((0, 2))
    losses = losses + (mass - mass.detach())
    if zero_infinity:
        losses = functions.where(losses == float("inf"), 0, losses)
    if reduction == MEAN:
        counts = integers(wanted, logs).clamp_min(1)
        return (losses / counts.to(losses.dtype)).mean()
    if reduction == NONE:
        return losses if is_batch else losses.squeeze(0)
    return losses.sum()


@composite("ctc_loss.IntList")
def ctc_loss_of_lists(log_probs: Tensor, *rest: Any) -> Any:
    return _ctc_loss(log_probs, *rest)


@composite("ctc_loss.Tensor")
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, *rest: Any
) -> Any:
    for name, given in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if given.dtype.is_floating_point or given.dtype.is_complex:
            raise RuntimeError(f"{name} must be integral")
    return _ctc_loss(
        log_probs, targets, input_lengths.reshape(-1).tolist(),
        target_lengths.reshape(-1).tolist(), *rest,
    )  # fmt: skip
