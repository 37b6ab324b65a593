"""Tensors whose elements are a function of what their memory holds: the shared part.

A conjugate or negative view carries a key instead of new elements. Views of it carry the key on;
every other operator gets such an argument with the function applied. What it writes to one is
written to a plain temporary and goes back to the memory through the function, which is its own
inverse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy
from rushlight.engine.core import keys, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator, operator
from rushlight.engine.dispatch.specialise import Rest, Writer

# What gives plain elements, as classes and modes see it.
_COPY = "clone"


class LazyValues:
    """One such key.

    Args:
        key: its bit
        apply: the function, on tensors without the key
    """

    def __init__(self, key: int, apply: Callable[[Tensor], Tensor]) -> None:
        self.key = key
        self.apply = apply

    def without_key(self, tensor: Tensor) -> Tensor:
        """The memory itself."""
        plain = tensors.view_of(tensor, tensor._size_, tensor._stride_, tensor._offset_)
        plain._keys_ &= ~self.key
        return steps.OtherView.note(tensor, steps.OtherView.RELATIVE, plain)  # type: ignore[no-any-return]

    def resolve(self, value: Any) -> Any:
        """An argument with the function applied: a tensor, None, or a list of such."""
        if isinstance(value, (list, tuple)):
            return [self.resolve(item) for item in value]
        if value is None or not value._keys_ & self.key:
            return value
        if self.is_seen(value):
            return self.asked(_COPY, value, None)
        return self.apply(self.without_key(value))

    def resolve_unseen(self, value: Any) -> Any:
        """The same for what nobody is going to be asked about."""
        return value if value._keys_ & self.key and self.is_seen(value) else self.resolve(value)

    def is_seen(self, value: Tensor) -> bool:
        """Whether a class or a mode sees what is done to a tensor."""
        return bool(value._keys_ & keys.PYTHON) or modes.is_watched()

    def asked(self, name: str, tensor: Tensor, *others: Any) -> Any:
        """What a tensor's class makes of a call, which knows itself what the elements stand for."""
        below = state.effective(tensor._keys_) & (self.key - 1)
        return operator(name).exactly(below)(tensor, *others)

    def finish(self, result: Any, written: tuple[tuple[Any, Any], ...]) -> Any:
        """Write temporaries back; the result with the caller's own tensors in their place."""
        for given, temporary in written:
            if isinstance(given, (list, tuple)):
                self.finish(None, tuple(zip(given, temporary)))
            elif given is not temporary:
                if given._keys_ & keys.PYTHON:
                    self.asked("copy_", given, temporary, False)
                    continue
                if given._size_ != temporary._size_:
                    tensors.resize(given, temporary._size_)
                copy.copy_(self.without_key(given), self.apply(temporary))
        if type(result) is tuple:
            return tuple(_given(item, written) for item in result)
        return _given(result, written)

    def part(self, op: Operator, key_set: int, writer: Writer, rest: Rest) -> str:
        """What the key adds to an operator."""
        schema = op.schema
        if op.sees_lazy_values or schema.is_view or "inplace_view" in op.declared_tags:
            return rest()
        # Whoever sees the copy is not shown it twice.
        resolve = self.resolve_unseen if op.base_name == _COPY else self.resolve
        written = []
        for position, argument in enumerate(schema.arguments):
            if not argument.is_tensor_like:
                continue
            given = writer.arguments[position]
            plain = writer.fresh(f"plain_{argument.name}")
            writer.line(f"{plain} = {writer.bind('resolve', resolve)}({given})")
            writer.arguments[position] = plain
            if argument.is_write:
                written.append(f"({given}, {plain})")
        result = rest()
        if not written:
            return result
        finish = writer.bind("finish", self.finish)
        finished = writer.fresh("finished")
        writer.line(f"{finished} = {finish}({result}, ({', '.join(written)},))")
        return finished


def _given(result: Any, written: tuple[tuple[Any, Any], ...]) -> Any:
    return next((given for given, temporary in written if result is temporary), result)
