"""What programs ask operators for, besides calling them: members of `OpOverload`."""

from __future__ import annotations

from typing import Any

from rushlight.engine.dispatch.function_schema import FunctionSchema, schema_of
from rushlight.engine.dispatch.key_names import names_of
from rushlight.engine.dispatch.key_sets import DispatchKey, DispatchKeySet, bits_of
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema_call import match
from rushlight.engine.dispatch.tags import Tag, tags_of


def redispatch(self: Operator, keys: DispatchKeySet | int, /, *args: Any, **kwargs: Any) -> Any:
    """Call the operator as if its tensors had these keys, and the thread none."""
    return self.exactly(bits_of(keys))(*match(self, args, kwargs, wrap=False))


def _schema(self: Operator) -> FunctionSchema:
    return schema_of(self)


def tags(self: Operator) -> list[Tag]:
    """What the operator is marked with."""
    return tags_of(self)


def has_kernel_for_dispatch_key(self: Operator, key: DispatchKey | str) -> bool:
    """Whether a kernel is registered for a key itself."""
    from rushlight._library.computed_table import stacks_of

    return getattr(key, "name", key) in stacks_of(self.full_name)


def has_kernel_for_any_dispatch_key(self: Operator, keys: DispatchKeySet) -> bool:
    """Whether a kernel is registered for one of some keys."""
    from rushlight._library.computed_table import stacks_of

    return not stacks_of(self.full_name).keys().isdisjoint(names_of(keys.raw))


def _can_decompose(self: Operator) -> bool:
    return self.composite is not None


def decompose(self: Operator, *args: Any, **kwargs: Any) -> Any:
    """What the operator is made of, called; NotImplemented if it is one by itself."""
    return NotImplemented if self.composite is None else self.composite(*match(self, args, kwargs))


for _member in (
    redispatch, has_kernel_for_dispatch_key, has_kernel_for_any_dispatch_key, _can_decompose, decompose,
):  # fmt: skip
    setattr(Operator, _member.__name__, _member)
Operator._schema = property(_schema)
Operator.tags = property(tags)
