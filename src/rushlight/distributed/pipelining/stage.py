"""A stage of a pipeline: a module, what it was given and gave for each microbatch, and its messages.

Before an activation goes its description (sizes, kind of elements, whether a gradient is wanted), so no stage has to
know beforehand what comes. Messages of a rank come in the order in which its schedule sends them.
"""

from __future__ import annotations

import json
from abc import ABC
from collections.abc import Callable, Sequence
from typing import Any

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.pipelining._backward import (
    stage_backward,
    stage_backward_input,
    stage_backward_weight,
)
from rushlight.utils import _pytree as pytree

__all__ = ["PipelineStage"]


class _PipelineStageBase(ABC):  # noqa: B024  a base that programs test for and derive from
    """A stage.

    Args:
        submodule: what it computes
        stage_index: its number
        num_stages: how many stages there are
        device: where it computes
        group: the processes of the pipeline; None for all
        dw_builder: makes, after each backward pass for inputs, what computes gradients of weights
    """

    def __init__(
        self,
        submodule: nn.Module,
        stage_index: int,
        num_stages: int,
        device: Any,
        group: Any = None,
        dw_builder: Callable[[], Callable[..., None]] | None = None,
    ) -> None:
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        self.submod, self.stage_index, self.num_stages = submodule, stage_index, num_stages
        self.device, self.group, self.dw_builder = torch.device(device), group, dw_builder
        self.group_rank, self.group_size = dist.get_rank(group), dist.get_world_size(group)
        if self.group_size > num_stages:
            raise RuntimeError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages "
                f"{num_stages}"
            )
        self.stage_index_to_group_rank = {k: k % self.group_size for k in range(num_stages)}
        self.has_backward = False
        self.clear_runtime_states()

    @property
    def is_first(self) -> bool:
        """Whether it is given the batch."""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Whether it gives the result."""
        return self.stage_index == self.num_stages - 1

    def clear_runtime_states(self) -> None:
        """Forget all microbatches."""
        self.output_chunks: list[Any] = []
        # By microbatch: what came, what went through, gradients that came, gradients of what had come.
        self._arrived: dict[int, tuple[Any, ...]] = {}
        self._passed: dict[int, tuple[tuple[Any, ...], list[Any]]] = {}
        self._output_grads: dict[int, tuple[Any, ...]] = {}
        self._input_grads: dict[int, tuple[Any, ...]] = {}
        self._late: dict[int, Any] = {}

    # -- computing --

    def forward_one_chunk(
        self, fwd_chunk_id: int, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call the module on a microbatch; what it gives.

        Args:
            fwd_chunk_id: the number of the microbatch
            args: the arguments, for the first stage; others take what came
            kwargs: arguments with names, for any stage
        """
        inputs = tuple(args) if self.is_first else self._arrived.pop(fwd_chunk_id)
        output = self.submod(*inputs, **(kwargs or {}))
        outputs = (output,) if isinstance(output, torch.Tensor) else tuple(output)
        for item in outputs:
            if not isinstance(item, torch.Tensor):
                raise TypeError(
                    f"stage {self.stage_index} gave a {type(item).__name__}; stages give tensors"
                )
        given = pytree.tree_flatten((inputs, kwargs or {}))[0]
        self._passed[fwd_chunk_id] = outputs, given
        if self.is_last:
            self.output_chunks.append(output)
        return output

    def backward_one_chunk(
        self,
        bwd_chunk_id: int,
        loss: Any = None,
        full_backward: bool = True,
        last_backward: bool = False,
    ) -> None:
        """Go back through a microbatch.

        Args:
            bwd_chunk_id: the number of the microbatch
            loss: where the last stage begins
            full_backward: whether gradients are added to the weights now, not by `backward_weight_one_chunk`
            last_backward: whether this is the step's last one
        """
        outputs, given = self._passed.pop(bwd_chunk_id)
        root = loss if self.is_last else outputs
        grads = None if self.is_last else self._output_grads.pop(bwd_chunk_id)
        if full_backward or self.dw_builder is not None:
            found = stage_backward(root, grads, given)
            if not full_backward and self.dw_builder is not None:
                self._late[bwd_chunk_id] = self.dw_builder()
        else:
            found, groups = stage_backward_input(root, grads, given, self.submod.parameters())
            self._late[bwd_chunk_id] = groups
        if not self.is_first:
            self._input_grads[bwd_chunk_id] = tuple(
                torch.zeros_like(value) if grad is None else grad
                for value, grad in zip(given, found, strict=True)
                if self._goes_back(value)
            )

    def backward_weight_one_chunk(self, bwd_chunk_id: int, last_backward: bool = False) -> None:
        """Add a microbatch's gradients to the weights.

        Args:
            bwd_chunk_id: the number of the microbatch
            last_backward: whether this is the step's last one
        """
        late = self._late.pop(bwd_chunk_id)
        if callable(late):
            late()
        else:
            stage_backward_weight(self.submod.parameters(), late)

    def scale_grads(self, grad_scale_factor: int) -> None:
        """Divide gradients of the weights.

        Args:
            grad_scale_factor: by what
        """
        if grad_scale_factor != 1:
            for param in self.submod.parameters():
                if param.grad is not None:
                    param.grad.div_(grad_scale_factor)

    def perform_reduce_grad(self, grad_scale_factor: int) -> None:
        """What is left to do when all microbatches have gone back.

        Args:
            grad_scale_factor: what gradients are divided by
        """
        self.scale_grads(grad_scale_factor)

    def _goes_back(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf

    # -- what comes from the stage before, and goes back to it --

    def take(self, microbatch: int, tensors: Sequence[Any]) -> None:
        """Take activations; a gradient is made for those that want one.

        Args:
            microbatch: whose they are
            tensors: the activations
        """
        self._arrived[microbatch] = tuple(
            tensor.detach().requires_grad_(tensor.requires_grad and self.has_backward)
            for tensor in tensors
        )

    def activations(self, microbatch: int) -> tuple[Any, ...]:
        """What the module gave for a microbatch."""
        return self._passed[microbatch][0]

    def take_gradients(self, microbatch: int, grads: Sequence[Any]) -> None:
        """Take the gradients of those outputs that want one.

        Args:
            microbatch: whose they are
            grads: the gradients
        """
        rest = iter(grads)
        self._output_grads[microbatch] = tuple(
            next(rest) if output.requires_grad else None for output in self.activations(microbatch)
        )

    def gradients(self, microbatch: int) -> tuple[Any, ...]:
        """The gradients for the stage before."""
        return self._input_grads.pop(microbatch)

    # -- messages --

    def rank_beside(self, hop: int) -> int:
        """The rank, in the group, of the stage before (-1) or after (1)."""
        return self.stage_index_to_group_rank[self.stage_index + hop]

    def _message(self, operation: Any, tensor: Any, hop: int) -> Any:
        return dist.P2POp(operation, tensor, group=self.group, group_peer=self.rank_beside(hop))

    def get_fwd_send_ops(self, fwd_chunk_id: int) -> list[Any]:
        """The messages that take a microbatch to the next stage.

        Args:
            fwd_chunk_id: the number of the microbatch
        """
        tensors = self.activations(fwd_chunk_id)
        text = json.dumps([
            [list(one.shape), str(one.dtype).removeprefix("torch."), one.requires_grad]
            for one in tensors
        ])  # fmt: skip
        described = torch.tensor(list(text.encode()), dtype=torch.uint8)
        length = torch.tensor([len(described)])
        plain = [tensor.detach().contiguous() for tensor in tensors]
        return [self._message(dist.isend, part, 1) for part in (length, described, *plain)]

    def get_bwd_send_ops(self, bwd_chunk_id: int) -> list[Any]:
        """The messages that take gradients to the stage before.

        Args:
            bwd_chunk_id: the number of the microbatch
        """
        grads = self.gradients(bwd_chunk_id)
        return [self._message(dist.isend, grad.detach().contiguous(), -1) for grad in grads]

    def _receive(self, tensor: Any, hop: int) -> Any:
        dist.recv(tensor, group=self.group, group_src=self.rank_beside(hop))
        return tensor

    def receive_activations(self, microbatch: int) -> None:
        """Wait for what the stage before sends.

        Args:
            microbatch: whose activations are next
        """
        length = int(self._receive(torch.zeros(1, dtype=torch.int64), -1))
        described = self._receive(torch.zeros(length, dtype=torch.uint8), -1)
        tensors = []
        for shape, kind, wants_grad in json.loads(bytes(described.tolist())):
            dtype = getattr(torch, kind)
            tensor = self._receive(torch.empty(shape, dtype=dtype, device=self.device), -1)
            tensors.append(tensor.requires_grad_(wants_grad))
        self.take(microbatch, tensors)

    def receive_gradients(self, microbatch: int) -> None:
        """Wait for what the next stage sends back.

        Args:
            microbatch: whose gradients are next
        """
        wanted = [one for one in self.activations(microbatch) if one.requires_grad]
        grads = [self._receive(torch.empty(one.shape, dtype=one.dtype), 1) for one in wanted]
        self.take_gradients(microbatch, grads)


class PipelineStage(_PipelineStageBase):
    """A stage that a program has made by hand.

    Args:
        submodule: what it computes
        stage_index: its number
        num_stages: how many stages there are
        device: where it computes
        input_args: an example of what it is given; stages tell each other, so it is not needed
        output_args: an example of what it gives, not needed either
        group: the processes of the pipeline; None for all
        dw_builder: makes, after each backward pass for inputs, what computes gradients of weights
    """

    def __init__(
        self,
        submodule: nn.Module,
        stage_index: int,
        num_stages: int,
        device: Any,
        input_args: Any = None,
        output_args: Any = None,
        group: Any = None,
        dw_builder: Callable[[], Callable[..., None]] | None = None,
    ) -> None:
        super().__init__(submodule, stage_index, num_stages, device, group, dw_builder)
