"""Random operators in `vmap`: an error, the same numbers for all elements, or different ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops import batching
from rushlight.engine.transforms import loop, refusals


def procedure(op: Operator, rule: batching.Rule) -> Callable[..., Any]:
    """How a random operator is processed.

    ``rule`` draws for a whole batch at once where the call has one.
    """

    def run(*values: Any) -> Any:
        from rushlight.engine.transforms import batch

        layer = batch.current()
        if layer.randomness == "error":
            raise RuntimeError(refusals.RANDOM)
        dims = [layer.opened(value)[1] for value in values]
        has_batch = any(dim is not None for dim in dims)
        if layer.randomness == "same":
            if not has_batch:
                return layers.lower(op.call, *values)
            return batch.by_rule(op, same(op))(*values)
        if op.schema.mutated:
            target = values[0]
            if isinstance(target, Tensor) and not layer.owns(target):
                raise RuntimeError(
                    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This "
                    "will appear like same randomness. If this is necessary for your usage, please file "
                    "an issue with functorch."
                )
        if has_batch:
            return batch.by_rule(op, rule)(*values)
        return batch.by_rule(op, repeated(op))(*values)

    return run


def repeated(op: Operator) -> batching.Rule:
    """A draw for each element, where the call itself has no batch."""
    sized = next((k for k, a in enumerate(op.schema.arguments) if a.name == "size"), None)

    def draw(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        if sized is not None:
            given = list(values)
            given[sized] = [size, *values[sized]]
            return op.call(*given), 0
        return loop.stacked([op.call(*values) for _ in range(size)]), 0

    return draw


def same(op: Operator) -> batching.Rule:
    """The same numbers for all elements: the draw of the first one is repeated for each."""

    def draw(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:

        given = next((v for v in values if isinstance(v, generators.Generator)), None)
        source = given or generators.default_generator
        before = source.get_state()
        made = []
        for place in range(size):
            source.set_state(before)
            made.append(op.call(*(loop.element(v, d, place) for v, d in zip(values, dims))))
        return (None, None) if op.schema.mutated else (loop.stacked(made), 0)

    return draw
