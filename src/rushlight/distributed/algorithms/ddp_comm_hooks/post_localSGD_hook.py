"""Gradients that are averaged over all processes at first, and over small groups later."""

from __future__ import annotations

from typing import Any

from rushlight.distributed._groups.membership import new_subgroups
from rushlight.distributed._reducer import GradBucket
from rushlight.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from rushlight.futures import Future

__all__ = ["PostLocalSGDState", "post_localSGD_hook"]


class PostLocalSGDState:
    """What the hook remembers.

    Args:
        process_group: all processes; None for the group of all
        subgroup: over whom gradients are averaged later; None for the processes of a machine
        start_localSGD_iter: how many iterations gradients are averaged over all
        post_local_gradient_allreduce: whether they are averaged at all after that
    """

    def __init__(
        self,
        process_group: Any,
        subgroup: Any,
        start_localSGD_iter: int,
        post_local_gradient_allreduce: bool = True,
    ) -> None:
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count an iteration at its last bucket."""
        if bucket.is_last():
            self.iter += 1


def post_localSGD_hook(state: PostLocalSGDState, bucket: GradBucket) -> Future[Any]:
    """Average a bucket over those whose turn it is.

    Args:
        state: how far training has come
        bucket: the gradients
    """
    is_global = state.iter < state.start_localSGD_iter
    state.maybe_increase_iter(bucket)
    if is_global:
        return allreduce_hook(state.process_group, bucket)
    if not state.post_local_gradient_allreduce:
        own: Future[Any] = Future()
        own.set_result(bucket.buffer())
        return own
    if state.subgroup is None:
        state.subgroup, _ = new_subgroups()
    return allreduce_hook(state.subgroup, bucket)
