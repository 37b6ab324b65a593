"""Argument lists between the dispatcher's form (all positional) and Python's (args and kwargs)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import keys, state
from rushlight.engine.core.objects import WRAPPED_NUMBER
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.constants import python_default
from rushlight.engine.dispatch.schema import Argument, Schema


def box(schema: Schema, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """`args` and `kwargs` as a user would write them: defaults at the end are left out."""
    count = len(schema.positional)
    args = list(values[:count])
    for place, value in enumerate(args):
        # Most tensors stand for themselves.
        if type(value) is tuple or (isinstance(value, Tensor) and value._flags_ & WRAPPED_NUMBER):
            args[place] = written(schema.positional[place], value)
    while len(args) > schema.required and is_default(schema.positional[len(args) - 1], args[-1]):
        args.pop()
    kwargs = {}
    if len(values) > count:
        for argument, value in zip(schema.keyword_only, values[count:]):
            if not is_default(argument, value):
                kwargs[argument.name] = written(argument, value)
    return tuple(args), kwargs


def written(argument: Argument, value: Any) -> Any:
    """A value as programs get it: what a schema calls a list is one, and a number is no tensor."""
    if isinstance(value, Tensor):
        is_number = value._flags_ & WRAPPED_NUMBER and value._storage_._ptr
        return _number(value) if is_number else value
    is_list = isinstance(value, tuple) and argument.type.required.kind == "list"
    return list(value) if is_list else value


def _number(value: Any) -> Any:
    """The number that a tensor stands for."""
    with state.excluding(keys.PYTHON_MODE | keys.TRANSFORMS):
        return value.item()


def unbox(schema: Schema, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The other way from `box`: a value for every argument, in the schema's order."""
    if not kwargs:
        return (*args, *_defaults(schema)[len(args) :])
    given = dict(zip((a.name for a in schema.positional), args)) | kwargs
    return tuple(
        given[a.name] if a.name in given else python_default(a)[0]
        for a in (*schema.positional, *schema.keyword_only)
    )


def _defaults(schema: Schema) -> tuple[Any, ...]:
    """The value that each argument has if it is not given, kept with the schema as its other facts."""
    found: tuple[Any, ...] | None = vars(schema).get("_defaults")
    if found is None:
        arguments = (*schema.positional, *schema.keyword_only)
        found = vars(schema)["_defaults"] = tuple(python_default(a)[0] for a in arguments)
    return found


def is_default(argument: Argument, value: Any) -> bool:
    if argument.default_text is None or isinstance(value, Tensor):
        return False
    if value is argument.default:
        return True
    default = python_default(argument)[0]
    if type(value) in (list, tuple):
        return isinstance(default, tuple) and tuple(value) == default
    return type(value) is type(default) and bool(value == default)


def unboxed(schema: Schema, function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that calls `function(*args, **kwargs)` as `box` says."""
    if not any(argument.has_default or argument.keyword_only for argument in schema.arguments):
        return function

    def kernel(*values: Any) -> Any:
        args, kwargs = box(schema, values)
        return function(*args, **kwargs)

    return kernel


def tensors_in(values: Sequence[Any]) -> list[Tensor]:
    """The tensors among values and inside their lists."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif type(value) in (list, tuple):
            found += tensors_in(value)
    return found
