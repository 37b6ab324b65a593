"""CopyOnWrite: lazy clones and what they are of get elements of their own when they are written.

Tensors over such a storage carry the key, views that were there before as well. It is taken from
a tensor when a call meets it after its storage has got its own bytes.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys as key_bits
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.specialise import Rest, Writer


def part(op: Operator, keys: int, writer: Writer, rest: Rest) -> str:
    """What the key adds to an operator."""
    given = [
        (name, argument)
        for name, argument in zip(writer.arguments, op.schema.arguments)
        if argument.is_tensor_like
    ]
    written = [name for name, argument in given if argument.is_write]
    names = ", ".join(name for name, _ in given)
    writer.line(f"{writer.bind('prepare', prepare)}([{', '.join(written)}], {names})")
    return rest()


def prepare(written: list[Any], *given: Any) -> None:
    """Give what is written bytes of its own, and take the key from tensors that have them."""
    steps.Unrepeatable.note()
    for tensor in tensors_in(written):
        tensor._storage_.own_bytes()
    for tensor in tensors_in(given):
        if not tensor._storage_.is_copied_later():
            tensor._keys_ &= ~key_bits.COPY_ON_WRITE


registry.register_part("CopyOnWrite", part)
