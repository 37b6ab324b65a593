"""Random operators in `vmap`: an error, the same numbers for all elements, or different ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import view
from rushlight.engine.core import generator as generators
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops import batching
from rushlight.engine.transforms import derived, loop, refusals

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
    from rushlight.engine.transforms import batch

    if op.schema.out_arguments:
        return refusals.raising(_OUT)
    whole = special or drawn_at_once(op)

    def run(*values: Any) -> Any:
        layer = batch.current()
        if layer.randomness == "error":
            raise RuntimeError(refusals.RANDOM)
        dims = [layer.opened(value)[1] for value in values]
        if layer.randomness == "same":
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


def drawn_by_rows(op: Operator) -> batching.Rule:
    """The same for operators that draw a row for each row of weights."""

    def draw(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        weights = batching.filled(values[0], dims[0], size)
        if len(weights._size) == 2:
            return op.call(weights, *values[1:]), 0
        found = op.call(batching.joined(weights, 0), *values[1:])
        return view.reshape(found, [size, found._size[0] // size, *found._size[1:]]), 0

    return draw


def same(op: Operator) -> batching.Rule:
    """The same numbers for all elements: the draw of the first one is repeated for each."""

    def draw(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        decides = not (op.schema.mutated or derived.is_made_like(op))
        if (decides and _some(dims)) or (op.schema.mutated and _some(dims[1:])):
            raise RuntimeError(_SAME)
        given = next((v for v in values if isinstance(v, generators.Generator)), None)
        source = given or generators.default_generator()
        before = source.get_state()
        made = []
        for place in range(size):
            source.set_state(before)
            made.append(op.call(*(loop.element(v, d, place) for v, d in zip(values, dims))))
        return (None, None) if op.schema.mutated else (loop.stacked(made), 0)

    return draw
