"""Schemas as programs see them, `op._schema`: PyTorch's names, and defaults written as it writes them."""

from __future__ import annotations

import functools
import math
from typing import Any

from rushlight.engine.dispatch import schema as schemas
from rushlight.engine.dispatch import schema_types as types
from rushlight.engine.dispatch.constants import python_default
from rushlight.engine.dispatch.schema import Constant, Schema

# Names of defaults that are numbers to PyTorch.
_NUMBERS = {
    "contiguous_format": 0,
    "preserve_format": 1,
    "long": 4,
    "strided": 0,
    "Mean": 1,
    "Sum": 2,
}


class AliasInfo:
    """What a value shares with others, and whether it is written."""

    def __init__(self, aliases: tuple[schemas.Alias, ...], own: bool) -> None:
        self.is_write = own and any(alias.is_write for alias in aliases)
        self.before_set = {name for alias in aliases for name in alias.before} if own else set()
        after = {name for alias in aliases for name in (alias.after or alias.before)}
        self.after_set = after if own else set()


class SchemaArgument:
    """An argument, or a returned value."""

    def __init__(self, of: schemas.Argument | schemas.Return) -> None:
        self._of = of
        self.name = of.name
        self.type = types.of(of.type)
        self.real_type = types.of(of.type, real=True)
        inner = of.type.required
        self.N = inner.size if inner.kind == "list" else None
        aliases = of.type.aliases
        # Of a list whose items are views, the list itself shares nothing.
        own = of.type.alias is not None or of.type.kind != "list" or not of.type.inner[0].aliases
        own = own or any(alias.is_write for alias in aliases)
        self.alias_info = AliasInfo(aliases, own) if aliases else None
        self.is_write = self.alias_info is not None and self.alias_info.is_write
        self.kwarg_only = isinstance(of, schemas.Argument) and of.keyword_only
        self.is_out = self.kwarg_only and self.is_write

    def has_default_value(self) -> bool:
        """Whether the argument may be left out."""
        return isinstance(self._of, schemas.Argument) and self._of.has_default

    @property
    def default_value(self) -> Any:
        """What an argument is that is left out."""
        if not self.has_default_value():
            return None
        assert isinstance(self._of, schemas.Argument)
        return plain_default(self._of)

    def __str__(self) -> str:
        text = f"{self._of.type} {self.name}" if self.name else str(self._of.type)
        if not self.has_default_value():
            return text
        assert isinstance(self._of, schemas.Argument)
        return f"{text}={default_text(self._of)}"


def plain_default(argument: schemas.Argument) -> Any:
    """A default as a number, a text or a list of these."""
    value = argument.default
    if isinstance(value, Constant):
        return _NUMBERS.get(value, value)
    value = python_default(argument)[0]
    if isinstance(value, tuple):
        return list(value)
    floats = argument.type.required.leaf in ("float", "complex")
    return float(value) if floats and isinstance(value, int) else value


def default_text(argument: schemas.Argument) -> str:
    """A default as PyTorch writes it."""
    value = plain_default(argument)
    if isinstance(value, list):
        one = argument.type.required.leaf == "int" and len(value) > 1 and len(set(value)) == 1
        return value_text(value[0]) if one else f"[{', '.join(map(value_text, value))}]"
    return value_text(value)


def value_text(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    text = f"{value:.17g}"
    return text if set(text) & set(".e") else f"{text}."


class FunctionSchema:
    """What an operator takes and gives."""

    def __init__(self, of: Schema, namespace: str = "") -> None:
        self._of = of
        namespace = of.namespace or namespace
        self.name = f"{namespace}::{of.name}" if namespace else of.name
        self.overload_name = of.overload
        self.arguments = [SchemaArgument(each) for each in of.arguments]
        self.returns = [SchemaArgument(each) for each in of.returns]

    @property
    def is_mutable(self) -> bool:
        """Whether an argument is written."""
        return bool(self._of.mutated)

    def _is_view_op(self) -> bool:
        """Whether a result shares memory with an argument that is not written."""
        return self._of.is_view

    def is_backward_compatible_with(self, old: FunctionSchema) -> bool:
        """Whether each call that fits an older schema fits this one."""
        return not self._misfit(old)

    def check_forward_compatible_with(self, old: FunctionSchema) -> tuple[bool, str]:
        """Whether calls of this schema that leave out what is new fit an older one."""
        reason = self._misfit(old)
        return (not reason, reason)

    def _misfit(self, old: FunctionSchema) -> str:
        if self.name != old.name or self.overload_name != old.overload_name:
            return "the names differ"
        if len(self.returns) != len(old.returns):
            return "the number of results differs"
        before = {argument.name: argument for argument in self.arguments}
        for argument in old.arguments:
            mine = before.pop(argument.name, None)
            if mine is None:
                return f"the argument {argument.name} is gone"
            if not argument.type.isSubtypeOf(mine.type):
                return f"the argument {argument.name} is of another type"
            if argument.has_default_value() and not mine.has_default_value():
                return f"the argument {argument.name} has no default any more"
        needed = [name for name, argument in before.items() if not argument.has_default_value()]
        if needed:
            return f"the new argument {needed[0]} has no default"
        for one, other in zip(self.returns, old.returns):
            if not one.type.isSubtypeOf(other.type):
                return "a result is of another type"
        return ""

    def __str__(self) -> str:
        return _text(self)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionSchema) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return parse_schema, (str(self),)


def _text(schema: FunctionSchema) -> str:
    parts: list[str] = []
    for place, argument in enumerate(schema.arguments):
        if argument.kwarg_only and (place == 0 or not schema.arguments[place - 1].kwarg_only):
            parts.append("*")
        parts.append(str(argument))
    if schema._of.is_vararg:
        parts.append("...")
    returns = ", ".join(map(str, schema.returns))
    if len(schema.returns) != 1 or returns.startswith("("):
        returns = f"({returns})"
    overload = f".{schema.overload_name}" if schema.overload_name else ""
    return f"{schema.name}{overload}({', '.join(parts)}) -> {returns}"


@functools.cache
def schema_of(op: Any) -> FunctionSchema:
    """The schema of an operator."""
    return FunctionSchema(op.schema, op.namespace)


def parse_schema(text: str) -> FunctionSchema:
    """The schema that a text describes."""
    return FunctionSchema(schemas.parse(text))
