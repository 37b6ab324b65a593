"""What happens around a sharded module's forward and backward passes.

Before the forward pass its parameters are gathered, after it they are given back. A hook on each result gathers them again
before gradients go through the module; a node before its inputs reduces gradients behind it. Modules whose inputs want no
gradient, and parameters that come last, are reduced when the backward pass ends.
"""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy
from rushlight.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup
from rushlight.distributed.utils import _cast_floating
from rushlight.nn.modules.module import Module
from rushlight.utils._pytree import tree_flatten, tree_map, tree_unflatten


class Together:
    """What the states under one root share."""

    def __init__(self) -> None:
        self.states: list[FSDPState] = []
        # In which order modules were done in the forward pass: gradients come the other way.
        self.order: list[FSDPState] = []
        self.ends_pass = False
        self.is_last_backward = True


class FSDPState:
    """The state of a sharded module, or of several that are one group.

    Args:
        modules: the modules
        groups: their parameters
        mp_policy: element types
        reshard_after_forward: whether parameters are given back after the forward pass; None to do so in all but the root
    """

    def __init__(
        self,
        modules: tuple[Module, ...],
        groups: list[FSDPParamGroup],
        mp_policy: MixedPrecisionPolicy,
        reshard_after_forward: bool | None,
    ) -> None:
        self.modules, self.groups, self.mp_policy = modules, groups, mp_policy
        self.reshard_after_forward = reshard_after_forward
        self.reshard_after_backward = True
        self.unshard_in_backward = True
        self.together: Together | None = None
        self.is_root = False
        self.in_backward = False
        self.to_come: set[Module] = set()
        self.forward_prefetch: list[FSDPState] = []
        self.backward_prefetch: list[FSDPState] | None = None
        for module in modules:
            module.register_forward_pre_hook(self.pre_forward, prepend=True, with_kwargs=True)
            module.register_forward_hook(self.post_forward, prepend=False, always_call=False)

    # -- the root --
    def find_root(self) -> Together:
        """Make this state the root, if there is none yet: its module is called first."""
        if self.together is None:
            self.is_root = True
            together = Together()
            for module in (m for own in self.modules for m in own.modules()):
                state = state_of(module)
                if state is not None and state.together is None:
                    state.together = together
                    together.states.append(state)
            if self.reshard_after_forward is None:
                self.reshard_after_forward = False
        assert self.together is not None
        return self.together

    # -- forward --
    def pre_forward(self, module: Module, args: Any, kwargs: Any) -> Any:
        """Before the module is called."""
        together = self.find_root()
        if self.in_backward:
            # A part of the forward pass is computed once more.
            self.unshard()
            return args, kwargs
        if self.is_root:
            together.order.clear()
        if module not in self.to_come:
            self.to_come = set(self.modules)
        self.begin_forward()
        self.unshard()
        for state in self.forward_prefetch:
            state.begin_forward()
        args, kwargs = self._cast_inputs((args, kwargs))
        return self._watch_inputs(args, kwargs)

    def _cast_inputs(self, given: Any) -> Any:
        kind = self.mp_policy.param_dtype
        if kind is None or not self.mp_policy.cast_forward_inputs:
            return given
        return tree_map(lambda x: _cast_floating(x, kind), given)

    def _watch_inputs(self, args: Any, kwargs: Any) -> Any:
        """Put a node before the inputs that want a gradient, which the backward pass takes when it has left the module."""
        if not torch.is_grad_enabled() or not self.groups:
            return args, kwargs
        leaves, spec = tree_flatten((args, kwargs))
        places = [
            k for k, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.requires_grad
        ]
        if places:
            watched = _AfterBackward.apply(self, *[leaves[k] for k in places])
            for k, x in zip(places, watched):
                leaves[k] = x
        return tree_unflatten(leaves, spec)

    def post_forward(self, module: Module, args: Any, output: Any) -> Any:
        """After the module was called."""
        if self.in_backward:
            return output
        self.to_come.discard(module)
        together = self.find_root()
        if not self.to_come:
            if self.reshard_after_forward is not False:
                self.reshard(until_backward=torch.is_grad_enabled())
            together.order.append(self)
        if self.mp_policy.output_dtype is not None:
            output = tree_map(lambda x: _cast_floating(x, self.mp_policy.output_dtype), output)
        if torch.is_grad_enabled():
            for x in tree_flatten(output)[0]:
                if isinstance(x, torch.Tensor) and x.requires_grad:
                    x.register_hook(self.pre_backward)
        return output

    # -- backward --
    def pre_backward(self, grad: Any) -> Any:
        """Before gradients go through the module."""
        together = self.find_root()
        if not together.ends_pass:
            together.ends_pass = True
            torch.autograd.Variable._execution_engine.queue_callback(
                lambda: end_of_backward(together)
            )
        if not self.in_backward:
            self.in_backward = True
            if self.unshard_in_backward:
                self.unshard()
            for state in self._next_backward(together):
                state.begin_unshard()
        return grad

    def _next_backward(self, together: Together) -> list[FSDPState]:
        if self.backward_prefetch is not None:
            return self.backward_prefetch
        if self not in together.order:
            return []
        place = together.order.index(self)
        return together.order[max(place - 1, 0) : place]

    def post_backward(self) -> None:
        """When gradients have left the module."""
        self.in_backward = False
        for group in self.groups:
            group.reduce_grads()
        if self.reshard_after_backward:
            self.reshard()

    def reset(self) -> None:
        """Forget an iteration that has failed: its gradients, and what it was about to do."""
        self.in_backward = False
        self.to_come.clear()
        for group in self.groups:
            group.waiting = None
            for param in group.params:
                if param.unsharded_param is not None:
                    param.unsharded_param.grad = None
        self.reshard()

    # -- parameters --
    def unshard(self) -> None:
        for group in self.groups:
            group.unshard()

    def begin_unshard(self) -> None:
        for group in self.groups:
            group.begin_unshard()

    def reshard(self, until_backward: bool = False) -> None:
        for group in self.groups:
            group.reshard(until_backward)

    def begin_forward(self) -> None:
        """Begin to gather the parameters for a forward pass."""
        for group in self.groups:
            if group.kept is not None:
                group.forget_near()
            group.begin_unshard()


def end_of_backward(together: Together) -> None:
    """When the backward pass has ended."""
    together.ends_pass = False
    for state in together.states:
        state.post_backward()


class _AfterBackward(torch.autograd.Function):
    """Passes gradients on, and tells a state that they have left its module."""

    @staticmethod
    def forward(ctx: Any, state: FSDPState, *inputs: Any) -> Any:
        ctx.state = state
        return tuple(x.view_as(x) for x in inputs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        ctx.state.post_backward()
        return (None, *grads)


_NAME = "_fsdp_state"


def state_of(module: Module) -> FSDPState | None:
    """The state of a sharded module."""
    found: FSDPState | None = module.__dict__.get(_NAME)
    return found


def set_state(module: Module, state: FSDPState) -> None:
    """Let a module be a sharded one."""
    module.__dict__[_NAME] = state
