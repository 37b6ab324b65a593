"""The cheap test that shows a value to be of an argument's type, and what to pass on."""

from __future__ import annotations

from rushlight.engine.dispatch.schema import Argument

TESTS = {
    "Tensor": "type({0}) in plain",
    "Scalar": "type({0}) in number_types",
    "int": "type({0}) is int",
    "SymInt": "type({0}) is int",
    "float": "type({0}) is float",
    "bool": "type({0}) is bool",
    "str": "type({0}) is str",
    "ScalarType": "type({0}) is Dtype",
    "Device": "type({0}) is Device",
    "Layout": "type({0}) is Layout",
    "MemoryFormat": "type({0}) is MemoryFormat",
}


def guard(argument: Argument, name: str, local: str = "") -> tuple[str | None, str]:
    """(test, value) for the expression `name`; the test is None where only the resolver can tell."""
    of_type = argument.type.required
    optional = f"{name} is None or " if argument.type.is_optional else ""
    local = local or f"{name}_"
    if of_type.kind == "list":
        test, value = list_guard(argument, name, local)
        if test is None:
            return None, name
        if optional:
            value = name if value == name else f"({name} if {name} is None else {value})"
        return f"({optional}{test})" if optional else test, value
    text = TESTS.get(of_type.name)
    if text is None:
        return (f"{name} is None", name) if optional else (None, name)
    test = text.format(name)
    return f"({optional}{test})" if optional else test, name


def list_guard(argument: Argument, name: str, local: str) -> tuple[str | None, str]:
    of_type = argument.type.required
    inner = of_type.inner[0]
    if inner.name == "Tensor" and inner.kind == "base":
        return f"(type({name}) in sequence_types and plain.issuperset(map(type, {name})))", name
    if inner.name in ("int", "SymInt") and inner.kind == "base":
        test = f"({local} := int_list({name})) is not None"
        if of_type.size is not None:
            one = f"({name},) * {of_type.size}" if of_type.size > 1 else f"({name},)"
            test = f"({local} := {one} if type({name}) is int else int_list({name})) is not None"
        return test, local
    return None, name
