"""Autocast: products compute in the lower type, delicate operators in float32.

An operator's entry says its policy, which is that of PyTorch on the CPU; on CUDA more operators have one
(`cuda_autocast`). One without a policy runs as it is; if it is made of others, they come here.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.dispatch import autocasting, registry
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.specialise import Rest, Writer
from rushlight.engine.keys import cuda_autocast


def _lowered(*values: Any) -> Any:
    return _all_cast(values, autocasting.lower_type(tensors_in(values)))


def _full(*values: Any) -> Any:
    return _all_cast(values, dtypes.float32)


def _widest(*values: Any) -> Any:
    return _all_cast(values, autocasting.widest(tensors_in(values)))


def _all_cast(values: tuple[Any, ...], wanted: dtypes.dtype) -> list[Any]:
    # What is made depends on the thread's settings, so no call is remembered as a plan.
    steps.Unrepeatable.note()
    return [autocasting.cast(value, wanted) for value in values]


# What the field `autocast` of an operator's entry says.
_POLICIES: dict[str, Any] = {"lower_precision": _lowered, "float32": _full, "widest": _widest}


def _without() -> state.excluding:
    return state.excluding(key_bits.AUTOCAST)


def part(op: Operator, keys: int, writer: Writer, rest: Rest) -> str | None:
    """What the key adds to an operator."""
    named = cuda_autocast.policy_of(op) if keys & key_bits.CUDA else op.autocast
    policy = _POLICIES.get(named)
    if policy is None:
        return rest()
    places = [i for i, argument in enumerate(op.schema.arguments) if argument.is_tensor_like]
    given = [writer.arguments[place] for place in places]
    # Below, everything is in its type already.
    with writer.block(f"with {writer.bind('without_autocast', _without)}():"):
        cast = [writer.fresh(f"{name}_cast") for name in given]
        writer.line(f"{', '.join(cast)}, = {writer.bind('cast', policy)}({', '.join(given)})")
        for place, variable in zip(places, cast):
            writer.arguments[place] = variable
        return rest()


registry.register_part("Autocast", part)
