"""Gradients averaged as matrices of low rank, by the power iteration of PowerSGD (Vogels et al., 2019).

A matrix M of gradients becomes P Qᵀ, of few columns each: P is M Q, summed over processes and made orthogonal, and Q is
the average of Mᵀ P. What this leaves out is kept and added to the gradients of the next step, and Q is where the next
step begins.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed._groups.world import world
from rushlight.distributed._reducer import GradBucket
from rushlight.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from rushlight.futures import Future

__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]

Tensor = torch.Tensor
_linalg: Any = torch.linalg
logger = logging.getLogger(__name__)
_SEEDS = 1_000_000_000


class PowerSGDState:
    """Settings of the hooks, and what they keep from one step to the next.

    Args:
        process_group: the processes; None for all
        matrix_approximation_rank: how many columns P and Q have
        start_powerSGD_iter: so many steps are averaged as they are
        min_compression_rate: a matrix is approximated if that makes it more than so many times smaller
        use_error_feedback: whether what was left out is added in the next step
        warm_start: whether a step begins with the last step's Q
        orthogonalization_epsilon: added to the lengths of columns, which may be zero
        random_seed: of the first Q; the same in all processes
        compression_stats_logging_frequency: after how many steps sizes are logged
        batch_tensors_with_same_shape: whether matrices of one shape are multiplied together
    """

    def __init__(
        self,
        process_group: Any,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1_000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, "
                "because PowerSGD can only be applied after the first two iterations in DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.rng = np.random.RandomState(random_seed)
        # By the numbers of buckets: what was left out, and P and Q of all matrices in one tensor each.
        self.error_dict: dict[int, Tensor] = {}
        self.p_memory_dict: dict[int, Tensor] = {}
        self.q_memory_dict: dict[int, Tensor] = {}
        self.iter = 0
        self.total_numel_before_compression = self.total_numel_after_compression = 0
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.next_stats_report = 0
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape

    def __getstate__(self) -> dict[str, Any]:
        """All but the group, which is of this process."""
        return {name: value for name, value in vars(self).items() if name != "process_group"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = world.member(None).group
        vars(self).update(state)

    def has_begun(self) -> bool:
        """Whether steps are approximated by now."""
        return self.iter >= self.start_powerSGD_iter

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count a step when its last bucket comes."""
        if bucket.is_last():
            self.iter += 1
            if self.iter == self.start_powerSGD_iter:
                logger.info("Start to apply PowerSGD after %s iterations.", self.iter)

    def compression_stats(self) -> tuple[float, int, int]:
        """How many times smaller what was sent is than the gradients, and the numbers of elements of both."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return before / after if after else 0, before, after

    def _count(self, bucket: GradBucket, before: int, after: int) -> None:
        self.total_numel_before_compression += before
        self.total_numel_after_compression += after
        if bucket.is_last() and self.iter >= self.next_stats_report:
            rate, *sizes = self.compression_stats()
            logger.info(
                "Compression stats: iter %s, total before compression %s, total after compression %s, rate %s",
                self.iter, *sizes, rate,
            )  # fmt: skip
            self.next_stats_report = self.iter + self.compression_stats_logging_frequency


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Any]:
    """Average a bucket, its large matrices by approximations of low rank.

    Args:
        state: the settings
        bucket: the gradients
    """
    if not state.has_begun():
        return _averaged_as_it_is(state, bucket)
    flat = bucket.buffer()
    before = _with_error(state, bucket.index(), flat)
    matrices: list[Tensor] = []
    others: list[Tensor] = []
    after = 0
    for gradient in bucket.gradients():
        matrix = gradient.view(gradient.shape[0] if gradient.dim() else 1, -1)
        rows, columns = matrix.shape
        small = (rows + columns) * min(rows, columns, state.matrix_approximation_rank)
        is_worth_it = small * state.min_compression_rate < matrix.numel()
        (matrices if is_worth_it else others).append(matrix)
        after += small if is_worth_it else matrix.numel()
    state._count(bucket, flat.numel(), after)
    _average(state, others)
    _average_by_low_rank(state, bucket.index(), matrices)
    return _finished(state, bucket, flat, before)


def batched_powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Any]:
    """Average a bucket as one square matrix, by an approximation of low rank.

    Args:
        state: the settings
        bucket: the gradients
    """
    if not state.has_begun():
        return _averaged_as_it_is(state, bucket)
    flat = bucket.buffer()
    side = math.ceil(math.sqrt(flat.numel()))
    state._count(bucket, flat.numel(), 2 * side * state.matrix_approximation_rank)
    before = _with_error(state, bucket.index(), flat)
    square = flat.new_zeros(side * side)
    square[: flat.numel()] = flat
    _average_by_low_rank(state, bucket.index(), [square.view(side, side)])
    flat.copy_(square[: flat.numel()])
    return _finished(state, bucket, flat, before)


def _averaged_as_it_is(state: PowerSGDState, bucket: GradBucket) -> Future[Any]:
    state.maybe_increase_iter(bucket)
    return allreduce_hook(state.process_group, bucket)


def _with_error(state: PowerSGDState, index: int, flat: Tensor) -> Tensor | None:
    """Add what the last step left out; the gradients then, to tell what this one leaves out."""
    if not state.use_error_feedback:
        return None
    if index in state.error_dict:
        flat.add_(state.error_dict[index])
    return flat.clone()


def _finished(
    state: PowerSGDState, bucket: GradBucket, flat: Tensor, before: Tensor | None
) -> Future[Any]:
    """Keep what the next step needs. The sums are made one after the other, so nothing is waited for."""
    if before is not None:
        state.error_dict[bucket.index()] = before - flat
    if not state.warm_start:
        state.p_memory_dict.clear()
        state.q_memory_dict.clear()
    state.maybe_increase_iter(bucket)
    future: Future[Any] = Future()
    future.set_result(flat)
    return future


def _average(state: PowerSGDState, matrices: Sequence[Tensor]) -> None:
    """Average matrices as they are, in place."""
    if not matrices:
        return
    joined = torch.cat([matrix.reshape(-1) for matrix in matrices])
    dist.all_reduce(joined, group=state.process_group)
    joined /= world.member(state.process_group).group.size()
    for matrix, part in zip(matrices, joined.split([m.numel() for m in matrices])):
        matrix.copy_(part.view_as(matrix))


def _average_by_low_rank(state: PowerSGDState, index: int, matrices: Sequence[Tensor]) -> None:
    """Average matrices by approximations, in place."""
    groups = _in_batches(state, matrices)
    if not groups:
        return
    batches = [group[0][None] if len(group) == 1 else torch.stack(group) for group in groups]
    is_new = not state.warm_start or index not in state.q_memory_dict
    ranks = [min(*batch.shape[1:], state.matrix_approximation_rank) for batch in batches]
    shapes_of_p = [(b.shape[0], b.shape[1], rank) for b, rank in zip(batches, ranks)]
    shapes_of_q = [(b.shape[0], b.shape[2], rank) for b, rank in zip(batches, ranks)]
    ps, qs = (
        _kept(memory, index, shapes, batches[0])
        for memory, shapes in (
            (state.p_memory_dict, shapes_of_p), (state.q_memory_dict, shapes_of_q),
        )
    )  # fmt: skip
    if is_new:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(state.rng.randint(_SEEDS)))
            for q in qs:
                q.copy_(torch.randn(*q.shape, dtype=q.dtype))
    for batch, p, q in zip(batches, ps, qs):
        _orthogonalize(q, state.orthogonalization_epsilon)
        p.copy_(batch @ q)
    dist.all_reduce(state.p_memory_dict[index], group=state.process_group)
    for batch, p, q in zip(batches, ps, qs):
        _orthogonalize(p, state.orthogonalization_epsilon)
        q.copy_(batch.mT @ p)
    dist.all_reduce(state.q_memory_dict[index], group=state.process_group)
    state.q_memory_dict[index].div_(world.member(state.process_group).group.size())
    for group, p, q in zip(groups, ps, qs):
        for matrix, found in zip(group, p @ q.mT):
            matrix.copy_(found)


def _in_batches(state: PowerSGDState, matrices: Sequence[Tensor]) -> list[list[Tensor]]:
    """Matrices of one shape together, if the settings say so."""
    by_shape: dict[Any, list[Tensor]] = {}
    for matrix in matrices:
        by_shape.setdefault(matrix.shape, []).append(matrix)
    if state.batch_tensors_with_same_shape:
        return list(by_shape.values())
    return [[matrix] for group in by_shape.values() for matrix in group]


def _kept(
    memory: dict[int, Tensor], index: int, shapes: Sequence[tuple[int, ...]], like: Tensor
) -> list[Tensor]:
    """Parts, of these shapes, of the tensor that is kept for a bucket."""
    sizes = [math.prod(shape) for shape in shapes]
    if index not in memory:
        memory[index] = like.new_empty(sum(sizes))
    return [part.view(shape) for part, shape in zip(memory[index].split(sizes), shapes)]


def _orthogonalize(matrices: Tensor, epsilon: float = 0) -> None:
    """Make the columns of each matrix orthogonal and of length one, in place."""
    columns = matrices.shape[2]
    if columns > 2 and matrices.dtype not in (torch.float16, torch.bfloat16):
        matrices.copy_(_linalg.qr(matrices).Q)
        return
    for k in range(columns):
        column = matrices[:, :, k : k + 1]
        column /= _linalg.vector_norm(column, dim=1, keepdim=True) + epsilon
        if k + 1 < columns:
            rest = matrices[:, :, k + 1 :]
            rest -= (column * rest).sum(1, keepdim=True) * column
