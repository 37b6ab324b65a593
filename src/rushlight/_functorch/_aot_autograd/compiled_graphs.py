"""The function of compiled graphs, with what has to be done around them.

The graphs come from a compiler, or from disk: then nothing that captures or cuts graphs is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._functorch._aot_autograd import runtime_wrappers
from rushlight._functorch._aot_autograd.differentiable import Differentiable
from rushlight._functorch._aot_autograd.schemas import AOTConfig, ViewAndMutationMeta
from rushlight.engine.native.records import dataclass

__all__ = ["Facts", "Keep", "differentiable", "put_together", "without_history"]


@dataclass
class Facts:
    """What has to be done around compiled graphs.

    Args:
        meta: what the program does
        outs: how results are put together
        grads: how gradients are; None without gradients
        num_symints: how many numbers are kept for the backward graph
        copied: the places of kept tensors that are going to be changed
        detached: the places of arguments that have no gradient in any case: nobody goes on to their histories
    """

    meta: ViewAndMutationMeta
    outs: list[Any]
    grads: list[Any] | None = None
    num_symints: int = 0
    copied: frozenset[int] = frozenset()
    detached: frozenset[int] = frozenset()

    @property
    def are_plain(self) -> bool:
        """Whether they are the same in another process: no classes of tensors."""
        places = (*self.outs, *(self.grads or ()), *self.meta.subclass_inp_meta)
        return all(isinstance(place, int) for place in places)


# Told of a program whose graphs have been compiled: the facts, the function of the forward graph, that of the backward one.
Keep = Callable[[Facts, Any, Any], None]


def put_together(
    facts: Facts, forward: Any, backward: Any, config: AOTConfig
) -> Callable[[list[Any]], Any]:
    """The function of a program whose graphs were compiled before.

    Args:
        facts: what has to be done around them
        forward: the function of the forward graph, or of the only one
        backward: that of the backward graph
        config: how it was compiled
    """
    compiled = (
        without_history(facts, forward)
        if facts.grads is None
        else differentiable(facts, forward, backward)
    )
    return runtime_wrappers.create_runtime_wrapper(compiled, facts.meta, config.aot_id)


def without_history(facts: Facts, compiled: Callable[[list[Any]], Any]) -> Any:
    """The function of a graph without gradients."""
    meta = facts.meta
    if not all(isinstance(place, int) for place in (*facts.outs, *meta.subclass_inp_meta)):
        compiled = runtime_wrappers.wrap_subclasses(compiled, facts.outs)
    if not any(info.requires_grad for info in meta.input_info):
        return compiled

    def run(args: list[Any]) -> Any:
        # The graph has no gradients, and its results none of what it was given.
        with rushlight.no_grad():
            return compiled(args)

    return _boxing(run)


def differentiable(facts: Facts, forward: Any, backward: Any) -> Callable[[list[Any]], Any]:
    """The function of a forward and a backward graph."""
    assert facts.grads is not None
    made = Differentiable(
        forward,
        backward,
        facts.meta,
        out_metas=facts.outs,
        grad_metas=facts.grads,
        num_symints_saved=facts.num_symints,
        copied=facts.copied,
        detached=facts.detached,
    )
    return _boxing(made)  # type: ignore[no-any-return]


def _boxing(run: Any) -> Any:
    run._boxed_call = True
    return run
