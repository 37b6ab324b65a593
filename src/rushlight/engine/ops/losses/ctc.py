"""`ctc_loss`: the loss of a sequence that may be aligned with another in many ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import losses as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.generated import functions
from rushlight.engine.loops import promotion
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds.views import composite, cpu, meta
from rushlight.engine.ops.losses import ctc_steps
from rushlight.engine.ops.windows.sizes import integers

NONE, MEAN = 0, 1
WHERE = "(while checking arguments for ctc_loss_allocate_outputs)"


# -- what is given --


def _check_lengths(name: str, lengths: Sequence[int], batch: int, most: int | None) -> None:
    if len(lengths) != batch:
        raise RuntimeError(f"{name} must be of size batch_size")
    for n in lengths:
        if n < 0:
            raise RuntimeError(
                f"Expected {name} to have value at least 0, but got value {n} {WHERE}"
            )
        if most is not None and n > most:
            raise RuntimeError(
                f"Expected {name} to have value at most {most}, but got value {n} {WHERE}"
            )


def _check_scores(log_probs: Tensor, blank: int) -> None:
    if log_probs.dim() != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for "
            f"argument #1 'log_probs' {WHERE}"
        )
    if not log_probs._numel_:
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs._dtype_ not in (dtypes.float32, dtypes.float64):
        name = promotion.title(log_probs._dtype_)
        raise NotImplementedError(f"\"ctc_loss_cpu\" not implemented for '{name}'")
    if not 0 <= blank < log_probs._size_[2]:
        raise RuntimeError("blank must be in label range")


def _check_targets(targets: Tensor, wanted: Sequence[int], batch: int) -> None:
    what = "argument #2 'targets'"
    if targets._dtype_ not in (dtypes.int32, dtypes.int64):
        name = promotion.title(targets._dtype_)
        raise RuntimeError(
            f"Expected tensor for {what} to have scalar type Int; but got torch.{name}Tensor "
            f"instead {WHERE}"
        )
    if targets.dim() not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor for {what} "
            f"{WHERE}"
        )
    first = sum(wanted) if targets.dim() == 1 else batch
    if targets._size_[0] != first:
        raise RuntimeError(
            f"Expected tensor to have size {first} at dimension 0, but got size "
            f"{targets._size_[0]} for {what} {WHERE}"
        )
    longest = max(wanted, default=0)
    if targets.dim() == 2 and targets._size_[1] < longest:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest} at dimension 1, but got size "
            f"{targets._size_[1]} for {what} {WHERE}"
        )


def _check(
    log_probs: Tensor, targets: Tensor, given: Sequence[int], wanted: Sequence[int], blank: int
) -> None:
    _check_scores(log_probs, blank)
    length, batch, _ = log_probs._size_
    _check_lengths("input_lengths", given, batch, length)
    _check_lengths("target_lengths", wanted, batch, None)
    _check_targets(targets, wanted, batch)


def _starts(targets: Tensor, wanted: Sequence[int]) -> list[int]:
    """Where each sequence begins in the flat targets."""
    if targets.dim() == 2:
        return [row * targets._size_[1] for row in range(len(wanted))]
    return [sum(wanted[:row]) for row in range(len(wanted))]


def _check_labels(labels: Any, starts: list[int], wanted: Sequence[int], classes: int) -> None:
    """Labels behind the ends of sequences do not matter."""
    if answers.are_within(labels, 0, classes - 1):
        return
    for first, count in zip(starts, wanted):
        used = labels[first : first + count]
        if count and not answers.are_within(used, 0, classes - 1):
            raise IndexError(f"targets must be labels from 0 to {classes - 1}")


def _labels(targets: Tensor, wanted: Sequence[int], classes: int) -> Tensor:
    """The labels of all sequences, side by side."""
    labels: Any = targets.reshape(-1).long().contiguous()
    _check_labels(labels, _starts(targets, wanted), wanted, classes)
    return labels  # type: ignore[no-any-return]


def _facts(
    log_probs: Tensor, wanted: Sequence[int], blank: int, zero_infinity: bool
) -> dict[str, int]:
    length, batch, classes = log_probs._size_
    return {
        "steps": length,
        "batch": batch,
        "classes": classes,
        "width": 2 * max(wanted, default=0) + 1,
        "blank": blank,
        "single": int(log_probs._dtype_ is dtypes.float32),
        "zero_infinity": int(zero_infinity),
    }


# -- the steps --

_plans = PlanTable()


def _shapes(log_probs: Tensor, wanted: Sequence[int]) -> list[tuple[int, ...]]:
    """The sizes of the losses, and of the states after every step."""
    length, batch, _ = log_probs._size_
    return [(batch,), (batch, length, 2 * max(wanted, default=0) + 1)]


@meta("_ctc_loss")
def alignment_shapes(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int,
    zero_infinity: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    _check(log_probs, targets, input_lengths, target_lengths, blank)
    kind, device = log_probs._dtype_, log_probs._storage_.device
    return tuple(tensors.empty(size, kind, device) for size in _shapes(log_probs, target_lengths))


@cpu("_ctc_loss")
def alignment(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int,
    zero_infinity: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The negative log likelihood of each sequence, and of every state after every step."""
    _check(log_probs, targets, input_lengths, target_lengths, blank)
    given, wanted = tuple(input_lengths), tuple(target_lengths)
    facts = _facts(log_probs, wanted, blank, False)
    labels = _labels(targets, wanted, facts["classes"])
    key = (False, given, wanted, targets._size_, *facts.values())
    plan = _plans.get(key)
    if plan is None:
        kind = log_probs._dtype_
        outputs = [tensors.template_for(sizes.intern(x), kind) for x in _shapes(log_probs, wanted)]
        lists = _starts(targets, wanted), given, wanted
        plan = _plans[key] = ctc_steps.aligning(facts, lists, outputs)
    operands = copies.contiguous(log_probs), labels
    return steps.Produced.note(plan, operands, plan.produce(*operands))  # type: ignore[no-any-return]


@meta("_ctc_loss_backward")
def alignment_backward_shapes(grad: Tensor, log_probs: Tensor, *rest: Any) -> Tensor:
    return tensors.empty(log_probs._size_, log_probs._dtype_, log_probs._storage_.device)


@cpu("_ctc_loss_backward")
def alignment_backward(
    grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any,
    neg_log_likelihood: Tensor, log_alpha: Tensor, blank: int, zero_infinity: bool,
) -> Tensor:  # fmt: skip
    """The gradient for scores in front of a softmax, as PyTorch has it."""
    given, wanted = tuple(input_lengths), tuple(target_lengths)
    facts = _facts(log_probs, wanted, blank, zero_infinity)
    labels = _labels(targets, wanted, facts["classes"])
    key = (True, given, wanted, targets._size_, *facts.values())
    plan = _plans.get(key)
    if plan is None:
        room = facts["batch"], 2 * facts["width"] + facts["classes"]
        outputs = [
            tensors.template_for(sizes.intern(x), log_probs._dtype_)
            for x in (log_probs._size_, room)
        ]
        lists = _starts(targets, wanted), given, wanted
        plan = _plans[key] = ctc_steps.differentiating(facts, lists, *outputs)
    given_tensors = grad, neg_log_likelihood, log_alpha, log_probs
    operands = *map(copies.contiguous, given_tensors), labels
    return steps.Produced.note(plan, operands, plan.produce(*operands))  # type: ignore[no-any-return]


def _as_list(name: str, lengths: Any) -> list[int]:
    if lengths.dtype.is_floating_point or lengths.dtype.is_complex:
        raise RuntimeError(f"{name} must be integral")
    return [int(n) for n in lengths.reshape(-1).tolist()]


@composite("_ctc_loss.Tensor")
def alignment_of_tensors(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int,
    zero_infinity: bool,
) -> Any:  # fmt: skip
    given = _as_list("input_lengths", input_lengths)
    wanted = _as_list("target_lengths", target_lengths)
    return calls._ctc_loss(log_probs, targets, given, wanted, blank, zero_infinity)


# -- the loss --


def _ctc_loss(
    log_probs: Any, targets: Any, given: list[int], wanted: list[int], blank: int, reduction: int,
    zero_infinity: bool,
) -> Any:  # fmt: skip
    is_batch = log_probs.dim() == 3
    logs = log_probs if is_batch else log_probs.unsqueeze(1)
    losses: Any = functions._ctc_loss(logs, targets, given, wanted, blank, zero_infinity)[0]
    if zero_infinity:
        losses = functions.where(losses == float("inf"), 0, losses)
    if reduction == MEAN:
        counts = integers(wanted, logs).clamp_min(1)
        return (losses / counts.to(losses.dtype)).mean()
    if reduction == NONE:
        return losses if is_batch else losses.squeeze(0)
    return losses.sum()


@composite("ctc_loss.IntList")
def ctc_loss_of_lists(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, *rest: Any
) -> Any:
    return _ctc_loss(log_probs, targets, list(input_lengths), list(target_lengths), *rest)


@composite("ctc_loss.Tensor")
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, *rest: Any
) -> Any:
    given = _as_list("input_lengths", input_lengths)
    wanted = _as_list("target_lengths", target_lengths)
    return _ctc_loss(log_probs, targets, given, wanted, *rest)
