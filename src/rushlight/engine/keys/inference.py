"""Inference: tensors made in inference mode stay out of recording, and are marked so.

The thread carries the key while it is in the mode, so that all calls come here; outside it, calls
with marked tensors do. Calls that are repeated in the mode mark what they make themselves
(`dispatch/call_cache/replay.py`).
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.specialise import Rest, Writer

OUTSIDE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details."
)


def part(op: Operator, keys: int, writer: Writer, rest: Rest) -> str:
    """What the key adds to an operator."""
    written = [
        name for name, argument in zip(writer.arguments, op.schema.arguments) if argument.is_write
    ]
    if written:
        writer.line(f"{writer.bind('refuse', refuse_outside)}({', '.join(written)})")
        return rest()
    given = [
        name
        for name, argument in zip(writer.arguments, op.schema.arguments)
        if argument.is_tensor_like
    ]
    result = rest()
    mark = mark_views if op.schema.is_view else mark_new
    writer.line(f"{writer.bind('mark', mark)}({', '.join([result, *given])})")
    return result


def refuse_outside(*targets: Any) -> None:
    """Raise if a marked tensor is to be changed outside the mode."""
    if state.thread.inference:
        return
    # Whether the call is allowed depends on the mode, so no call is remembered as a plan.
    steps.Unrepeatable.note()
    for tensor in tensors_in(targets):
        if tensor._keys_ & key_bits.INFERENCE:
            raise RuntimeError(OUTSIDE)


def mark_new(result: Any, *given: Any) -> None:
    """Mark what has been made in the mode, unless it was given or shares a plain tensor's memory."""
    if not state.thread.inference:
        steps.Unrepeatable.note()
        return
    plain = {id(t._storage_) for t in tensors_in(given) if not t._keys_ & key_bits.INFERENCE}
    for tensor in made(result):
        if id(tensor._storage_) not in plain:
            tensor._keys_ |= key_bits.INFERENCE


def mark_views(result: Any, *given: Any) -> None:
    """Views are what their base is."""
    if not state.thread.inference:
        steps.Unrepeatable.note()
    if any(t._keys_ & key_bits.INFERENCE for t in tensors_in(given)):
        for tensor in made(result):
            tensor._keys_ |= key_bits.INFERENCE


def made(result: Any) -> list[Tensor]:
    return tensors_in(result if isinstance(result, (tuple, list)) else (result,))


registry.register_part("Inference", part)
