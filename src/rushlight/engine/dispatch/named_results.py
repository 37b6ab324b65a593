"""Tuples with named fields, for operators that return several named values."""

from __future__ import annotations

import functools
from operator import itemgetter
from typing import Any

from rushlight.engine.dispatch.schema import Schema


class NamedResult(tuple[Any, ...]):
    """A tuple whose items are also attributes."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (type(self).__name__, self._fields, tuple(self))


@functools.cache
def named_result(name: str, fields: tuple[str, ...]) -> type[NamedResult]:
    """The class for an operator's results, one for each name and list of fields."""
    body: dict[str, Any] = {"__slots__": (), "_fields": fields, "__module__": "torch.return_types"}
    body |= {field: property(itemgetter(index)) for index, field in enumerate(fields)}
    body |= {"n_fields": len(fields), "n_sequence_fields": len(fields)}
    return type(name, (NamedResult,), body)


def restore(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> NamedResult:
    return named_result(name, fields)(values)


def fields_of(schema: Schema) -> tuple[str, ...]:
    """The names of the results, or nothing if the operator returns a plain tuple or one value."""
    names = tuple(result.name for result in schema.returns)
    return names if len(names) > 1 and all(names) else ()


def wrap(schema: Schema, result: Any) -> Any:
    fields = fields_of(schema)
    return named_result(schema.name, fields)(result) if fields else result
