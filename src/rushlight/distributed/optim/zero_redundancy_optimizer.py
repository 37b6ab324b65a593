"""An optimizer whose state is divided among processes: each updates its parameters, and gives them to the others."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import rushlight as torch
from rushlight.distributed._groups.objects import gather_object
from rushlight.distributed._groups.options import BroadcastOptions
from rushlight.distributed._groups.world import world
from rushlight.distributed.algorithms.join import Join, JoinHook
from rushlight.optim import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class _StepHook(JoinHook):
    """Goes along with steps: gives this process's parameters, and takes those of the others."""

    def __init__(self, optimizer: ZeroRedundancyOptimizer) -> None:
        self._optimizer = optimizer

    def main_hook(self) -> None:
        self._optimizer.step()


class ZeroRedundancyOptimizer(Optimizer):
    """Divides an optimizer's parameters among the processes of a group.

    Args:
        params: the parameters, or groups of them; the same everywhere
        optimizer_class: the optimizer that each process has for its share
        process_group: the processes; None for all
        parameters_as_bucket_view: makes no difference to results; parameters stay where they are
        overlap_with_ddp: not supported
        defaults: what the optimizer gets besides parameters
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Optimizer],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if overlap_with_ddp:
            raise NotImplementedError(
                "ZeroRedundancyOptimizer: overlap_with_ddp is not supported yet"
            )
        self._member = world.member(process_group)
        self.process_group = self._member.group
        self.rank, self.world_size = self.process_group.rank(), self.process_group.size()
        self._optimizer_class = optimizer_class
        self._optim_defaults = defaults
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._join_context: Any = None
        # the rank of each parameter, by its number
        self._owners: list[int] = []
        self._loads = [0] * self.world_size
        self._all_states: list[dict[str, Any]] = []
        self._is_made = False
        super().__init__(params, defaults)
        self.optim = optimizer_class(self._own_groups(), **defaults)
        self._take_defaults()
        self._is_made = True

    # -- shares --
    def _parameters(self) -> list[torch.Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def _divide(self, parameters: list[torch.Tensor]) -> None:
        """Give each parameter to the rank that has least, the largest first."""
        owners = [0] * len(parameters)
        for k in sorted(range(len(parameters)), key=lambda k: (-parameters[k].numel(), k)):
            owners[k] = self._loads.index(min(self._loads))
            self._loads[owners[k]] += parameters[k].numel()
        self._owners += owners

    def _own_groups(self) -> list[dict[str, Any]]:
        """The groups with this rank's parameters only."""
        made, number = [], 0
        for group in self.param_groups:
            owners = self._owners[number : number + len(group["params"])]
            number += len(owners)
            mine = [p for p, owner in zip(group["params"], owners) if owner == self.rank]
            made.append({**group, "params": mine})
        return made

    def _take_defaults(self) -> None:
        """Settings that the optimizer itself has put into its groups."""
        for group, own in zip(self.param_groups, self.optim.param_groups):
            for name, value in own.items():
                group.setdefault(name, value)

    def _hand_settings_down(self) -> None:
        """Schedules change the groups of this optimizer; the one inside follows."""
        for group, own in zip(self.param_groups, self.optim.param_groups):
            own.update((name, value) for name, value in group.items() if name != "params")

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters.

        Args:
            param_group: the parameters, and their settings
        """
        super().add_param_group(param_group)
        self._divide(self.param_groups[-1]["params"])
        if self._is_made:
            self.optim.add_param_group(self._own_groups()[-1])
            self._take_defaults()

    # -- steps --
    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Update this process's parameters, and get the others'.

        Args:
            closure: computes the loss again
            kwargs: for the optimizer inside
        """
        Join.notify_join_context(self)
        self._hand_settings_down()
        given = () if closure is None else (closure,)
        loss = self.optim.step(*given, **kwargs)
        self._exchange()
        return loss

    def _exchange(self) -> None:
        parameters, works = self._parameters(), []
        for rank in range(self.world_size):
            theirs = [p.detach() for p, owner in zip(parameters, self._owners) if owner == rank]
            if theirs:
                opts = BroadcastOptions(rootRank=rank)
                works.append(self.process_group.broadcast(theirs, opts))
        for work in works:
            work.wait()

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a process does that has no inputs left."""
        return _StepHook(self)

    @property
    def join_device(self) -> Any:
        """Where `Join` counts processes."""
        return torch.device("cpu")

    @property
    def join_process_group(self) -> Any:
        """The processes that `Join` counts."""
        return self.process_group

    # -- state --
    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the states of all processes to one, whose `state_dict` has all then.

        Args:
            to: the global rank of who gets them
        """
        self._hand_settings_down()
        own = self.optim.state_dict()
        every: list[Any] | None = [None] * self.world_size
        root = self._member.rank_of(to)
        gather_object(
            own, every if self.rank == root else None, group=self.process_group, group_dst=root
        )
        self._all_states = list(every) if self.rank == root and every else []

    def state_dict(self) -> dict[str, Any]:
        """The state of all parameters, in the form that the optimizer alone would have."""
        if not self._all_states:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the "
                "global state."
            )
        state: dict[int, Any] = {}
        numbers = self._numbers_by_rank()
        for rank, theirs in enumerate(self._all_states):
            for local, value in theirs["state"].items():
                state[numbers[rank][local]] = value
        groups, first = [], 0
        for group in self.param_groups:
            count = len(group["params"])
            settings = {name: value for name, value in group.items() if name != "params"}
            groups.append({**settings, "params": list(range(first, first + count))})
            first += count
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def _numbers_by_rank(self) -> list[list[int]]:
        """The number of each parameter of each rank, in the order of that rank's optimizer."""
        found: list[list[int]] = [[] for _ in range(self.world_size)]
        for number, owner in enumerate(self._owners):
            found[owner].append(number)
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take this process's part of a state of all parameters.

        Args:
            state_dict: what `state_dict`, or the optimizer alone, gave
        """
        groups = state_dict["param_groups"]
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError("loaded state dict has other parameter groups than the optimizer")
        for group, loaded in zip(self.param_groups, groups):
            group.update((name, value) for name, value in loaded.items() if name != "params")
        self._hand_settings_down()
        mine = self._numbers_by_rank()[self.rank]
        own = copy.copy(self.optim.state_dict())
        own["state"] = {
            local: state_dict["state"][number]
            for local, number in enumerate(mine)
            if number in state_dict["state"]
        }
        self.optim.load_state_dict(own)
        self._all_states = []

    def __getstate__(self) -> dict[str, Any]:
        raise RuntimeError("a ZeroRedundancyOptimizer is saved by its state_dict")
