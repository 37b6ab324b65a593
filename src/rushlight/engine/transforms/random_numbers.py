"""Random operators in `vmap`: an error, the same numbers for all elements, or different ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops import batching
from rushlight.engine.transforms import batch, derived, loop, refusals

_SAME = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue "
    "with functorch"
)
_UNSHARED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
    "randomness. If this is necessary for your usage, please file an issue with functorch."
)
_OUT = (
    "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out "
    "variants as a workaround"
)


def procedure(op: Operator, special: batching.Rule | None) -> Callable[..., Any]:
    """How a random operator is processed; ``special`` is the rule of its family, if there is one."""
    if op.schema.out_arguments:
        return refusals.raising(_OUT)
    whole = special or drawn_at_once(op)
    dropout = next((k for k, a in enumerate(op.schema.arguments) if a.name == "dropout_p"), None)

    def run(*values: Any) -> Any:
        layer = batch.current()
        if dropout is not None and not values[dropout]:
            # Where nothing is dropped no numbers are drawn.
            return batch.by_rule(op, whole)(*values)
        if layer.randomness == "error":
            raise RuntimeError(refusals.RANDOM)
        dims = [layer.opened(value)[1] for value in values]
        if layer.randomness == "same":
            refuse_batched_parameters(op, dims)
            return (
                batch.by_rule(op, same(op))(*values)
                if _some(dims)
                else layers.lower(op.call, *values)
            )
        if op.schema.mutated and not _some(dims):
            raise RuntimeError(_UNSHARED)
        if op.schema.mutated and dims[0] is None:
            refusals.check_written(op, layer, values, dims, f"inplace {op.packet_name.rstrip('_')}")
        return batch.by_rule(op, whole)(*values)

    return run


def _some(dims: Sequence[Any]) -> bool:
    return any(dim is not None for dim in dims)


def drawn_at_once(op: Operator) -> batching.Rule:
    """Different numbers: those of a call on the whole batch, its dimension first."""
    sized = next((k for k, a in enumerate(op.schema.arguments) if a.name == "size"), None)
    places = derived.tensor_places(op)

    def draw(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        given = list(values)
        held = [k for k in places if isinstance(values[k], Tensor)]
        if sized is not None and not held:
            given[sized] = [size, *values[sized]]
            return op.call(*given), 0
        if not held:
            return loop.stacked([op.call(*values) for _ in range(size)]), 0
        top = max(batching.rank(values[k], dims[k]) for k in held)
        for k in held:
            own = batching.filled(values[k], dims[k], size)
            given[k] = (
                batching.padded(own, 0, top) if k != held[0] or not op.schema.mutated else own
            )
        if op.schema.mutated:
            op.call(*given)
            return None, None
        return op.call(*given), 0

    return draw


def refuse_batched_parameters(op: Operator, dims: Sequence[Any]) -> None:
    """Raise where the same numbers are wanted, and what they follow from differs."""
    decides = not (op.schema.mutated or derived.is_made_like(op))
    if (decides and _some(dims)) or (op.schema.mutated and _some(dims[1:])):
        raise RuntimeError(_SAME)


def same(op: Operator) -> batching.Rule:
    """The same numbers for all elements: one draw is copied to each."""

    def draw(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        element = loop.element(values[0], dims[0], 0)
        if not op.schema.mutated:
            return op.call(element, *values[1:]), None
        fresh = op.call(creation.empty_like(element), *values[1:])
        copies.copy_(batching.front(values[0], dims[0]), fresh, False)
        return None, None

    return draw
