"""Processes with inputs of different number: those that run out go along with the others.

A process with inputs left counts itself at the beginning of each iteration. One without takes part in the
count, and does what an iteration's collectives need, until nobody has inputs left.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any

import rushlight as torch
from rushlight.distributed._groups import calls
from rushlight.distributed._groups.world import world

__all__ = ["Join", "JoinHook", "Joinable"]

# After so many iterations a process that waits says so.
_MANY = 1000


class JoinHook:
    """What a process does that has no inputs left."""

    def main_hook(self) -> None:
        """Called again and again, while somebody has inputs: does the collectives of an iteration."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called when nobody has inputs any more.

        Args:
            is_last_joiner: whether this process was among the last ones
        """


class Joinable(ABC):
    """Something whose collectives others can go along with."""

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What goes along."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """Where processes are counted."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The processes."""


class Join:
    """Lets processes have inputs of different number within a ``with`` block.

    Args:
        joinables: what does collectives in each iteration
        enable: whether to do anything
        throw_on_early_termination: whether to raise in all processes when the first one has no inputs left
        kwargs: for the hooks
    """

    def __init__(
        self,
        joinables: list[Any],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables, self._enable = joinables, enable
        self._throws = throw_on_early_termination
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        groups = [joinable.join_process_group for joinable in joinables]
        if any(group is not groups[0] for group in groups):
            raise ValueError("Using join context manager with multiple process groups")
        self._group = groups[0]
        self._device = joinables[0].join_device

    def __enter__(self) -> None:
        # the first one counts for all
        for joinable in self._joinables:
            joinable._join_context = None
        if self._enable:
            self._joinables[0]._join_context = self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if not self._enable or kind:
            return
        try:
            self._go_along()
        finally:
            for joinable in self._joinables:
                joinable._join_context = None

    def _go_along(self) -> None:
        is_last, rounds = True, 0
        while self._count(0):
            is_last = False
            if self._throws:
                # the others have found it by the same count
                raise RuntimeError(_EXHAUSTED)
            for hook in self._hooks:
                hook.main_hook()
            rounds += 1
            if rounds == _MANY:
                warnings.warn(
                    f"Detected uneven input skew of greater than {_MANY}: a process waits for the others "
                    "that have many more inputs",
                    stacklevel=3,
                )
        for hook in self._hooks:
            hook.post_hook(is_last)

    def _count(self, own: int) -> int:
        """How many processes have inputs left."""
        count = torch.tensor([own], device=self._device)
        calls.all_reduce(count, group=self._group)
        return int(count)

    @staticmethod
    def notify_join_context(joinable: Any) -> int | None:
        """Count this process as one with inputs; called before an iteration's collectives.

        Args:
            joinable: who does the collectives; None comes back where nobody counts
        """
        context = getattr(joinable, "_join_context", None)
        if context is None:
            return None
        present: int = context._count(1)
        if context._throws and present < world.member(context._group).group.size():
            raise RuntimeError(_EXHAUSTED)
        return present


_EXHAUSTED = "Detected at least one rank that exhausted inputs. Throwing across all ranks."


class ModuleJoinHook(JoinHook):
    """Goes along with a `DistributedDataParallel`."""

    def __init__(self, module: Any, divide_by_initial_world_size: bool) -> None:
        self._module = module
        module._divides_by_all = divide_by_initial_world_size

    def main_hook(self) -> None:
        module = self._module
        if module.broadcast_buffers:
            module._broadcast(module._buffers_to_send())
        module.reducer.shadow()

    def post_hook(self, is_last_joiner: bool) -> None:
        """Make the parameters those of a process that had inputs to the end."""
        module = self._module
        own = module.process_group.rank() if is_last_joiner else -1
        last = torch.tensor([own], device=module.device)
        calls.all_reduce(last, torch.distributed.ReduceOp.MAX, group=module.process_group)
        module._broadcast(module._state(), int(last))
