"""Schedules: which rank computes which stage of which microbatch when.

Every schedule is an order for each rank (`orders.py`). Messages are put in (`lowering.py`), and one loop does
what the order says (`_PipelineSchedule._run`). A receive waits no sooner than its tensors are needed.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed.pipelining import orders
from rushlight.distributed.pipelining._utils import generate_stage_to_rank_mapping
from rushlight.distributed.pipelining.actions import (
    BACKWARD_INPUT,
    BACKWARD_WEIGHT,
    FORWARD,
    FULL_BACKWARD,
    OVERLAP_F_B,
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
from rushlight.distributed.pipelining.lowering import (
    _add_reduce_grad,
    _add_send_recv,
    _add_unshard_reshard,
    _merge_bw,
    _simulate_comms_compute,
    _validate_schedule,
)
from rushlight.distributed.pipelining.microbatch import (
    TensorChunkSpec,
    _split_tensor,
    merge_chunks,
    split_args_kwargs_into_chunks,
)
from rushlight.distributed.pipelining.stage import _PipelineStageBase

__all__ = [
    "BACKWARD_INPUT",
    "BACKWARD_WEIGHT",
    "FORWARD",
    "FULL_BACKWARD",
    "OVERLAP_F_B",
    "REDUCE_GRAD",
    "RESHARD",
    "UNSHARD",
    "B",
    "F",
    "I",
    "PipelineScheduleMulti",
    "PipelineScheduleSingle",
    "Schedule1F1B",
    "ScheduleDualPipeV",
    "ScheduleGPipe",
    "ScheduleInterleaved1F1B",
    "ScheduleInterleavedZeroBubble",
    "ScheduleLoopedBFS",
    "ScheduleZBVZeroBubble",
    "W",
    "_Action",
    "_ComputationType",
    "_add_reduce_grad",
    "_add_send_recv",
    "_add_unshard_reshard",
    "_format_pipeline_order",
    "_merge_bw",
    "_simulate_comms_compute",
    "_validate_schedule",
    "get_schedule_class",
]


def _batch_p2p(p2p_ops: list[Any], desc: str | None = None) -> list[Any]:
    """Begin several messages: together if some are sent and some received, else each for itself.

    Args:
        p2p_ops: the messages
        desc: what they are for
    """
    kinds = {id(op.op) for op in p2p_ops}
    if len(kinds) > 1:
        return dist.batch_isend_irecv(p2p_ops)
    works = []
    for op in p2p_ops:
        peer = {"group_dst" if op.op is dist.isend else "group_src": op.group_peer}
        works.append(op.op(op.tensor, group=op.group, tag=op.tag, **peer))
    return [work for work in works if work is not None]


class _Step:
    """The microbatches of one step: arguments, targets, losses.

    Args:
        args: the arguments of each microbatch
        kwargs: those with names
        targets: what the loss compares with
        loss_kwargs: more arguments of the loss
    """

    def __init__(
        self, args: list[Any], kwargs: list[Any], targets: list[Any] | None, loss_kwargs: Any
    ) -> None:
        self.args, self.kwargs, self.targets = args, kwargs, targets
        self.loss_kwargs = loss_kwargs or {}
        self.losses: dict[int, Any] = {}
        # Messages on their way, with their tensors; receives that are due, by rank.
        self.sent: list[tuple[list[Any], list[Any]]] = []
        self.due: dict[int, deque[_Action]] = {}


class _PipelineSchedule(ABC):
    """What all schedules have in common.

    Args:
        n_microbatches: how many microbatches a batch is cut into
        loss_fn: takes output and target; without it there is no backward pass
        args_chunk_spec: how arguments are cut
        kwargs_chunk_spec: how arguments with names are cut
        output_merge_spec: how results are put together
        scale_grads: whether gradients are divided by the number of microbatches
    """

    pipeline_order: Order | None
    # Whether a step refuses to run without gradients.
    _backward_requires_autograd = True

    def __init__(
        self,
        n_microbatches: int,
        loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Any = None,
        kwargs_chunk_spec: Any = None,
        output_merge_spec: Any = None,
        scale_grads: bool = True,
    ) -> None:
        self._n_microbatches, self._loss_fn = n_microbatches, loss_fn
        self._args_chunk_spec, self._kwargs_chunk_spec = args_chunk_spec, kwargs_chunk_spec
        self._output_merge_spec, self.scale_grads = output_merge_spec, scale_grads
        self._has_backward = loss_fn is not None
        self.pipeline_order_with_comms: dict[int, list[_Action]] | None = None

    @property
    @abstractmethod
    def _local_stages(self) -> Sequence[_PipelineStageBase]:
        """The stages of this rank."""

    def step(
        self,
        *args: Any,
        target: Any = None,
        losses: list[Any] | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Take a batch through the pipeline and back; the rank of the last stage gets the result, others None.

        Args:
            args: the module's arguments, on the rank of the first stage
            target: what the loss compares with, on the rank of the last stage
            losses: gets each microbatch's loss
            return_outputs: whether the result is wanted
            loss_kwargs: more arguments of the loss
            kwargs: arguments with names
        """
        needs_grad = self._has_backward and self._backward_requires_autograd
        if needs_grad and not torch.is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be "
                "used under torch.no_grad() context. Please call eval() instead."
            )
        for stage in self._local_stages:
            stage.has_backward = self._has_backward
            stage.clear_runtime_states()
        many = self._n_microbatches
        args_split, kwargs_split = self._split_inputs(args, kwargs)
        targets = None if target is None else _split_tensor(target, TensorChunkSpec(0), many)
        self._step_microbatches(
            args_split, kwargs_split, targets, losses, return_outputs, loss_kwargs
        )
        for stage in self._local_stages:
            if stage.is_last and return_outputs:
                return merge_chunks(stage.output_chunks, self._output_merge_spec)
        return None

    def eval(
        self, *args: Any, target: Any = None, losses: list[Any] | None = None, **kwargs: Any
    ) -> Any:
        """Take a batch through the pipeline, without the way back.

        Args:
            args: the module's arguments, on the rank of the first stage
            target: what the loss compares with
            losses: gets each microbatch's loss
            kwargs: arguments with names
        """
        before, self._has_backward = self._has_backward, False
        try:
            with torch.no_grad():
                return self.step(*args, target=target, losses=losses, **kwargs)
        finally:
            self._has_backward = before

    def _split_inputs(self, args: Any, kwargs: Any) -> tuple[list[Any], list[Any]]:
        if not args and not kwargs:
            return [()] * self._n_microbatches, [{}] * self._n_microbatches
        return split_args_kwargs_into_chunks(
            args, kwargs, self._n_microbatches, self._args_chunk_spec, self._kwargs_chunk_spec
        )

    def _check_inputs(self, **lists: Any) -> None:
        for name, items in lists.items():
            if items is None:
                continue
            if not isinstance(items, list):
                raise TypeError(f"{name} must be a list but got a {type(items)}")
            if len(items) != self._n_microbatches:
                raise ValueError(f"Expecting {self._n_microbatches} {name} but got {len(items)}")

    def _step_microbatches(
        self,
        arg_mbs: list[Any] | None = None,
        kwarg_mbs: list[Any] | None = None,
        target_mbs: list[Any] | None = None,
        losses: list[Any] | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Do what the schedule says with these microbatches."""
        self._check_inputs(arg_mbs=arg_mbs, kwarg_mbs=kwarg_mbs, target_mbs=target_mbs)
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")
        step = _Step(
            arg_mbs or [()] * self._n_microbatches,
            kwarg_mbs or [{}] * self._n_microbatches,
            target_mbs,
            loss_kwargs,
        )
        self._run(step)
        if losses is not None:
            losses[:] = [step.losses[k] for k in sorted(step.losses)]

    # -- from an order to actions --

    @abstractmethod
    def _stage_to_rank(self, stage: int) -> int:
        """The rank of a stage."""

    def _prepare_schedule_with_comms(self, actions: Order, format: str = "compute_only") -> None:
        """Take an order of all ranks.

        Args:
            actions: what each rank does
            format: "compute_only", or "compute_comms" if messages are in it
        """
        if format == "compute_comms":
            self.pipeline_order_with_comms = {
                rank: [action for action in row if action is not None]
                for rank, row in actions.items()
            }
            return
        if format != "compute_only":
            raise NotImplementedError(f"{format=} is not implemented")
        whole: Order = {
            rank: [*_add_reduce_grad(_add_unshard_reshard(row), self._n_microbatches)]
            for rank, row in actions.items()
        }
        stages = self._local_stages[0].num_stages
        self.pipeline_order_with_comms = _add_send_recv(whole, self._stage_to_rank, stages)

    def _actions(self) -> Iterator[_Action]:
        """What this rank does in a step."""
        if self.pipeline_order_with_comms is None:
            if not self.pipeline_order:
                raise RuntimeError(f"{type(self).__name__} has no order of actions")
            self._prepare_schedule_with_comms(self.pipeline_order)
        assert self.pipeline_order_with_comms is not None
        forward_only = (F, SEND_F, RECV_F, UNSHARD, RESHARD)
        for action in self.pipeline_order_with_comms[self._local_stages[0].group_rank]:
            for leaf in leaves(action):
                if self._has_backward or leaf.computation_type in forward_only:
                    yield leaf

    # -- doing it --

    def _run(self, step: _Step) -> None:
        stages = {stage.stage_index: stage for stage in self._local_stages}
        scale = self._n_microbatches if self.scale_grads else 1
        actions = list(self._actions())
        reduced = any(action.computation_type is REDUCE_GRAD for action in actions)
        for action in actions:
            self._do(action, stages, step, scale)
        for queue in step.due.values():
            while queue:
                self._receive(queue.popleft(), stages)
        for works, _ in step.sent:
            for work in works:
                work.wait()
        if self._has_backward and not reduced:
            for stage in stages.values():
                stage.perform_reduce_grad(scale)

    def _do(
        self, action: _Action, stages: dict[int, _PipelineStageBase], step: _Step, scale: int
    ) -> None:
        index, kind, microbatch, _ = action
        stage = stages[index]
        with torch.autograd.profiler.record_function(f"PP:{action}"):
            if kind is UNSHARD:
                _call_if_sharded(stage, "unshard")
            elif kind is RESHARD:
                _call_if_sharded(stage, "reshard")
            elif kind is REDUCE_GRAD:
                stage.perform_reduce_grad(scale)
            else:
                assert microbatch is not None
                self._do_for_microbatch(action, microbatch, stage, stages, step)

    def _do_for_microbatch(
        self,
        action: _Action,
        microbatch: int,
        stage: _PipelineStageBase,
        stages: dict[int, _PipelineStageBase],
        step: _Step,
    ) -> None:
        index, kind, _, _ = action
        if kind in (RECV_F, RECV_B):
            peer = stage.rank_beside(-1 if kind is RECV_F else 1)
            step.due.setdefault(peer, deque()).append(action)
        elif kind in (SEND_F, SEND_B):
            ops = (
                stage.get_fwd_send_ops(microbatch)
                if kind is SEND_F
                else stage.get_bwd_send_ops(microbatch)
            )
            step.sent.append((_batch_p2p(ops), [op.tensor for op in ops]))
        elif kind is F:
            self._wait_for(_Action(index, RECV_F, microbatch), stages, step)
            output = stage.forward_one_chunk(
                microbatch, step.args[microbatch], step.kwargs[microbatch]
            )
            if stage.is_last and self._loss_fn is not None and step.targets is not None:
                target = step.targets[microbatch]
                step.losses[microbatch] = self._loss_fn(output, target, **step.loss_kwargs)
            if index + 1 in stages:
                stages[index + 1].take(microbatch, stage.activations(microbatch))
        elif kind in (B, I):
            self._wait_for(_Action(index, RECV_B, microbatch), stages, step)
            if stage.is_last and microbatch not in step.losses:
                raise RuntimeError("the last stage has no loss: step() needs a target there")
            stage.backward_one_chunk(
                microbatch, step.losses.get(microbatch), full_backward=kind is B
            )
            if index - 1 in stages:
                stages[index - 1].take_gradients(microbatch, stage.gradients(microbatch))
        elif kind is W:
            stage.backward_weight_one_chunk(microbatch)
        else:
            raise ValueError(f"{action} cannot be done")

    def _wait_for(
        self, wanted: _Action, stages: dict[int, _PipelineStageBase], step: _Step
    ) -> None:
        """Receive, in order, what a rank has sent, as far as this message."""
        for queue in step.due.values():
            while wanted in queue:
                self._receive(queue.popleft(), stages)

    def _receive(self, action: _Action, stages: dict[int, _PipelineStageBase]) -> None:
        stage = stages[action.stage_index]
        assert action.microbatch_index is not None
        if action.computation_type is RECV_F:
            stage.receive_activations(action.microbatch_index)
        else:
            stage.receive_gradients(action.microbatch_index)


def _call_if_sharded(stage: _PipelineStageBase, name: str) -> None:
    """Have a module in shares fetch its weights, or let go of them."""
    method = getattr(stage.submod, name, None)
    if method is not None:
        method()


class PipelineScheduleSingle(_PipelineSchedule):
    """A schedule with one stage per rank.

    Args:
        stage: this rank's stage
        n_microbatches: how many microbatches a batch is cut into
        loss_fn: takes output and target; without it there is no backward pass
        args_chunk_spec: how arguments are cut
        kwargs_chunk_spec: how arguments with names are cut
        output_merge_spec: how results are put together
        scale_grads: whether gradients are divided by the number of microbatches
    """

    def __init__(
        self,
        stage: _PipelineStageBase,
        n_microbatches: int,
        loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Any = None,
        kwargs_chunk_spec: Any = None,
        output_merge_spec: Any = None,
        scale_grads: bool = True,
    ) -> None:
        super().__init__(
            n_microbatches,
            loss_fn,
            args_chunk_spec,
            kwargs_chunk_spec,
            output_merge_spec,
            scale_grads,
        )
        self._stage, self._num_stages = stage, stage.num_stages
        self.pipeline_order = self._get_pipeline_order()

    @property
    def _local_stages(self) -> Sequence[_PipelineStageBase]:
        return [self._stage]

    def _stage_to_rank(self, stage: int) -> int:
        return stage

    def _get_pipeline_order(self) -> Order | None:
        """What each rank computes."""
        return None


class ScheduleGPipe(PipelineScheduleSingle):
    """All forward passes, then all backward passes."""

    def _get_pipeline_order(self) -> Order:
        return {
            rank: orders.fill_and_drain(rank, self._num_stages, self._n_microbatches)
            for rank in range(self._num_stages)
        }


class Schedule1F1B(PipelineScheduleSingle):
    """One forward and one backward pass in turn, so that few microbatches are kept at a time."""

    def _get_pipeline_order(self) -> Order:
        if self._n_microbatches < self._num_stages:
            raise ValueError(
                f"Number of microbatches ({self._n_microbatches}) must be greater than or equal to "
                f"the number of stages ({self._num_stages})."
            )
        return {
            rank: orders.one_forward_one_backward(rank, self._num_stages, self._n_microbatches)
            for rank in range(self._num_stages)
        }


class PipelineScheduleMulti(_PipelineSchedule):
    """A schedule with several stages per rank.

    Args:
        stages: this rank's stages
        n_microbatches: how many microbatches a batch is cut into
        loss_fn: takes output and target; without it there is no backward pass
        args_chunk_spec: how arguments are cut
        kwargs_chunk_spec: how arguments with names are cut
        output_merge_spec: how results are put together
        scale_grads: whether gradients are divided by the number of microbatches
        backward_requires_autograd: whether a step refuses to run without gradients
    """

    # How stages lie on ranks: "loop" or "v".
    _style = "loop"
    # Whether gradients of weights are made apart.
    _splits_backward = False

    def __init__(
        self,
        stages: Sequence[_PipelineStageBase],
        n_microbatches: int,
        loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Any = None,
        kwargs_chunk_spec: Any = None,
        output_merge_spec: Any = None,
        scale_grads: bool = True,
        backward_requires_autograd: bool = True,
    ) -> None:
        super().__init__(
            n_microbatches,
            loss_fn,
            args_chunk_spec,
            kwargs_chunk_spec,
            output_merge_spec,
            scale_grads,
        )
        if self._splits_backward:
            _check_not_compiled(stages, type(self).__name__)
        self._stages, self._num_stages = list(stages), stages[0].num_stages
        self.pp_group_size, self.rank = stages[0].group_size, stages[0].group_rank
        self.n_local_stages = len(stages)
        self._backward_requires_autograd = backward_requires_autograd
        self.stage_index_to_group_rank = generate_stage_to_rank_mapping(
            self.pp_group_size, self._num_stages, self._style
        )
        for stage in stages:
            stage.stage_index_to_group_rank = self.stage_index_to_group_rank
        self._check()
        self.pipeline_order = {
            rank: row
            for rank in range(self.pp_group_size)
            if (row := self._calculate_single_rank_operations(rank)) is not None
        }

    @property
    def _local_stages(self) -> Sequence[_PipelineStageBase]:
        return self._stages

    def _stage_to_rank(self, stage: int) -> int:
        return self.stage_index_to_group_rank[stage]

    def _check(self) -> None:
        """Refuse numbers that the schedule cannot do with."""

    def _calculate_single_rank_operations(self, rank: int) -> list[_Action | None] | None:
        """What a rank computes; None if a program is to say it."""
        return None

    def _load_csv(self, filename: str, format: str = "compute_only") -> None:
        """Read a schedule: a line for each rank, with an action in each column.

        Args:
            filename: the file
            format: "compute_only", or "compute_comms" if messages are in it
        """
        with open(filename, newline="") as file:
            rows = [[_Action.from_str(cell) for cell in row] for row in csv.reader(file)]
        order: Order = dict(enumerate(rows))
        if format == "compute_only":
            many, stages = self._n_microbatches, self._num_stages
            ranks = _validate_schedule(order, self.pp_group_size, stages, many)
            self.stage_index_to_group_rank = ranks
            for stage in self._stages:
                stage.stage_index_to_group_rank = ranks
            self.pipeline_order = order
        self._prepare_schedule_with_comms(order, format)

    def _dump_csv(self, filename: str, format: str = "compute_only") -> None:
        """Write the schedule as `_load_csv` reads it.

        Args:
            filename: the file
            format: "compute_only", or "compute_comms" with messages
        """
        if format == "compute_comms":
            list(self._actions())
        order = self.pipeline_order if format == "compute_only" else self.pipeline_order_with_comms
        with open(filename, "w", newline="") as file:
            writer = csv.writer(file)
            for rank in sorted(order or {}):
                writer.writerow(["" if a is None else str(a) for a in (order or {})[rank]])


class _PipelineScheduleRuntime(PipelineScheduleMulti):
    """A schedule whose actions, messages included, a program may set itself."""

    def _simulate(self) -> Order:
        """What each rank does in each step."""
        list(self._actions())
        assert self.pipeline_order_with_comms is not None
        return _simulate_comms_compute(
            self.pipeline_order_with_comms, self._stage_to_rank, self._num_stages
        )


class ScheduleLoopedBFS(_PipelineScheduleRuntime):
    """Several stages per rank; each takes all microbatches before the next one."""

    def _calculate_single_rank_operations(self, rank: int) -> list[_Action | None]:
        return orders.looped_breadth_first(
            rank, self.pp_group_size, self.n_local_stages, self._n_microbatches
        )


class ScheduleInterleaved1F1B(_PipelineScheduleRuntime):
    """Several stages per rank; earlier microbatches come first."""

    def _check(self) -> None:
        self.number_of_rounds = max(1, self._n_microbatches // self.pp_group_size)
        self.microbatches_per_round = self._n_microbatches // self.number_of_rounds
        if self._n_microbatches % self.number_of_rounds != 0:
            name = "Zero bubble" if self._splits_backward else "Interleaved 1F1B"
            raise ValueError(
                f"{name} requires the number of microbatches to be a multiple of the number of "
                f"rounds ({self.number_of_rounds}), but got {self._n_microbatches}."
            )

    def _calculate_single_rank_operations(self, rank: int) -> list[_Action | None]:
        return orders.interleaved(
            rank,
            self.pp_group_size,
            self.n_local_stages,
            self._n_microbatches,
            self.microbatches_per_round,
            self._splits_backward,
        )


class ScheduleInterleavedZeroBubble(ScheduleInterleaved1F1B):
    """Interleaved, with the gradients of weights where there would be gaps."""

    _splits_backward = True


class _ScheduleV(_PipelineScheduleRuntime):
    """Two stages per rank, in the shape of a V: the first rank has the first and the last stage."""

    _style = "v"
    _splits_backward = True

    def _check(self) -> None:
        if self.n_local_stages != 2:
            raise ValueError(
                f"{type(self).__name__} requires exactly 2 stages per rank, but got "
                f"{self.n_local_stages}."
            )


class ScheduleZBVZeroBubble(_ScheduleV):
    """Zero bubble in the shape of a V."""

    def _calculate_single_rank_operations(self, rank: int) -> list[_Action | None]:
        return orders.zero_bubble_v(rank, self.pp_group_size, self._n_microbatches)


class ScheduleDualPipeV(_ScheduleV):
    """Forward passes of one stage beside backward passes of the other."""

    def _check(self) -> None:
        super()._check()
        if self._n_microbatches < self._num_stages:
            raise ValueError(
                "DualPipeV requires at least as many microbatches as stages, but got "
                f"{self._n_microbatches} microbatches for {self._num_stages} stages."
            )

    def _calculate_single_rank_operations(self, rank: int) -> list[_Action | None]:
        return orders.dual_pipe_v(rank, self.pp_group_size, self._n_microbatches)


def _check_not_compiled(stages: Sequence[_PipelineStageBase], name: str) -> None:
    """Refuse compiled modules, whose backward pass is in one piece."""
    from rushlight._dynamo import OptimizedModule

    for stage in stages:
        if isinstance(stage.submod, torch.nn.Module):
            for module in stage.submod.modules():
                if isinstance(module, OptimizedModule):
                    raise RuntimeError(
                        f"The {name} schedule is not supported with stage modules that have used "
                        f"torch.compile. Found OptimizedModule in {type(module).__name__}"
                    )


_BY_NAME: dict[str, type[_PipelineSchedule]] = {
    "1F1B": Schedule1F1B,
    "Interleaved1F1B": ScheduleInterleaved1F1B,
    "GPipe": ScheduleGPipe,
    "LoopedBFS": ScheduleLoopedBFS,
    "InterleavedZeroBubble": ScheduleInterleavedZeroBubble,
    "PipelineScheduleSingle": PipelineScheduleSingle,
    "PipelineScheduleMulti": PipelineScheduleMulti,
    "ZBVZeroBubble": ScheduleZBVZeroBubble,
    "DualPipeV": ScheduleDualPipeV,
}


def get_schedule_class(schedule_name: str) -> type[_PipelineSchedule]:
    """The schedule of this name, in letters of either case.

    Args:
        schedule_name: the name
    """
    for name, found in _BY_NAME.items():
        if name.lower() == schedule_name.lower():
            return found
    raise ValueError(
        f"Unknown schedule name '{schedule_name}'. The valid options are {list(_BY_NAME)}"
    )
