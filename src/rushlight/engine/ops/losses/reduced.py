"""Losses: a scalar function of every element, then the mean or the sum of the results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import reduction as reductions
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.loops import geometry
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import Kernel, Pointwise

NONE, MEAN, SUM = 0, 1, 2

# The kernels of the unreduced losses, by the full names of their operators.
kernels: dict[str, Kernel] = {}


def reduced(losses: Tensor, reduction: int) -> Tensor:
    """What a loss gives for each of its reductions."""
    if reduction == NONE:
        return losses
    return reductions.mean(losses) if reduction == MEAN else reductions.sum(losses)


def for_each(grad: Any, reduction: int, *sizes: Any) -> Any:
    """What the gradient of a reduced loss is for each of the losses.

    Args:
        sizes: of the operands, which were broadcast; None for one that was left out
    """
    if reduction != MEAN:
        return grad
    return grad / math.prod(geometry.broadcast_sizes(*(s for s in sizes if s is not None)))


def loss(name: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a scalar function of the arguments, without ``reduction``, as a loss."""

    def decorate(body: Callable[..., Any]) -> Callable[..., Any]:
        operators.when_needed(name, lambda: install(body))
        return body

    def install(body: Callable[..., Any]) -> None:
        op = operators.operator(name)
        position = [a.name for a in op.schema.arguments].index("reduction")

        def without(*args: Any) -> Any:
            return body(*args[:position], *args[position + 1 :])

        rule = Pointwise(name, without, compiled=("reduction",), **facts)
        kernel = kernels[op.full_name] = Kernel(op, rule)
        functional = kernel.functional()

        def with_none(args: tuple[Any, ...]) -> tuple[Any, ...]:
            return (*args[:position], NONE, *args[position + 1 :])

        def compute(*args: Any) -> Tensor:
            return reduced(functional(*with_none(args)), args[position])

        def on_meta(*args: Any) -> Tensor:
            return reduced(kernel.meta(*with_none(args)), args[position])

        operators.register_kernel(op.full_name, "CPU", compute)
        operators.register_kernel(op.full_name, "Meta", on_meta)
        for variant in outputs.variants(op)[1]:
            _install_out(variant, rule, position, compute, on_meta)

    return decorate


def _install_out(
    op: operators.Operator,
    rule: Pointwise,
    position: int,
    compute: Callable[..., Tensor],
    on_meta: Callable[..., Tensor],
) -> None:
    kernel = Kernel(op, rule)

    def out(*args: Any) -> Tensor:
        if args[position] == NONE:
            return kernel.out(*args)  # type: ignore[no-any-return]
        is_cpu = tensors.is_computed(args[-1])
        return outputs.copy_result(args[-1], (compute if is_cpu else on_meta)(*args[:-1]))

    operators.register_kernel(op.full_name, "CPU", out)
    operators.register_kernel(op.full_name, "Meta", out)
