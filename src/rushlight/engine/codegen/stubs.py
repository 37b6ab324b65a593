"""Writes type stubs for the generated modules: every overload with its types."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.bindings.signatures import Binding, Signature
from rushlight.engine.bindings.text import options_of, python_name, spelled_list
from rushlight.engine.codegen.index import HEADER
from rushlight.engine.dispatch.named_results import fields_of
from rushlight.engine.dispatch.schema import Argument, Constant, Schema, Type

LEAVES = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "int": "_int",
    "SymInt": "_int",
    "DeviceIndex": "_int",
    "float": "_float",
    "bool": "_bool",
    "SymBool": "_bool",
    "str": "str",
    "ScalarType": "_dtype",
    "Device": "_device | str | _int",
    "Layout": "_layout",
    "MemoryFormat": "_memory_format",
}
PREAMBLE = """\
# Overloads are in the order in which they are tried; one for tensors may take numbers, too.
# mypy: disable-error-code="overload-cannot-match"

from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import Any, NamedTuple, overload

from rushlight.engine.core.device import device as _device
from rushlight.engine.core.dtype import dtype as _dtype
from rushlight.engine.core.layout import layout as _layout, memory_format as _memory_format
from rushlight.engine.core.tensor import Tensor

Number = _int | _float | _bool | complex
"""


def stub_source(what: str, found: list[Binding]) -> str:
    """The stub of one generated module."""
    lines = [HEADER.format(what=what) + PREAMBLE, "FUNCTIONS: dict[str, str]"]
    lines += result_classes(found)
    for binding in found:
        lines += definitions(binding)
    return "\n".join(lines) + "\n"


def methods_stub_source(found: list[Binding], signs: Sequence[str]) -> str:
    """A class that has every generated method of tensors."""
    lines = [HEADER.format(what="Types of the methods of tensors.") + PREAMBLE]
    lines.append("RESOLVERS: dict[str, Any]")
    lines += [*result_classes(found), "", "class TensorMethods:"]
    for binding in found:
        lines += ["    " + line for line in definitions(binding)]
    for sign in signs:
        ignore = "  # type: ignore[override]" if sign in ("__eq__", "__ne__") else ""
        operand = "" if sign in ("__neg__", "__pos__", "__abs__", "__invert__") else ", other: Any"
        lines.append(f"    def {sign}(self{operand}) -> Tensor: ...{ignore}")
    return "\n".join(lines) + "\n"


def result_classes(found: list[Binding]) -> list[str]:
    """A named tuple for each operator that returns named values."""
    classes: dict[str, list[str]] = {}
    for binding in found:
        for signature in binding.signatures:
            fields = fields_of(signature.schema)
            types = [python_type(r.type) for r in signature.schema.returns]
            if fields:
                body = [f"    {field}: {text}" for field, text in zip(fields, types)]
                classes.setdefault(f"_{signature.schema.name}_result", body)
    return [
        line for name, body in classes.items() for line in ("", f"class {name}(NamedTuple):", *body)
    ]


def definitions(binding: Binding) -> list[str]:
    visible = [s for s in binding.signatures if not s.is_hidden]
    texts: list[str] = []
    for signature in visible:
        texts.append(definition(binding, signature, False))
        if spelled_list(binding, signature) is not None:
            texts.append(definition(binding, signature, True))
    unique = list(dict.fromkeys(texts))
    return [
        line for text in unique for line in (["@overload", text] if len(unique) > 1 else [text])
    ]


def definition(binding: Binding, signature: Signature, spelled: bool) -> str:
    """One `def`; with `spelled`, the integers are given one by one."""
    schema = signature.schema
    listed = spelled_list(binding, signature) if spelled else None
    parts: list[str] = []
    starred = defaulted = False
    for index, argument in enumerate(signature.arguments):
        name = python_name(binding, argument)
        if binding.is_method and index == 0:
            parts.append("self")
            continue
        if argument is listed:
            parts.append(f"*{name}: _int")
            starred = True
            continue
        # An argument that must be given may follow optional ones only as a keyword.
        if not starred and (argument.keyword_only or (defaulted and not argument.has_default)):
            parts.append("*")
            starred = True
        defaulted = defaulted or argument.has_default
        default = f" = {default_text(argument)}" if argument.has_default else ""
        parts.append(f"{name}: {argument_type(binding, argument)}{default}")
    types = {"requires_grad": "_bool = False", "out": out_type(signature)}
    for name in options_of([signature]):
        parts += [] if starred else ["*"]
        starred = True
        parts.append(f"{name}: {types[name]}")
    return f"def {binding.name}({', '.join(parts)}) -> {return_type(schema)}: ..."


def out_type(signature: Signature) -> str:
    if signature.out is None:
        return ""
    outs = signature.out.out_arguments
    one = python_type(outs[0].type)
    return f"{one if len(outs) == 1 else 'Sequence[Tensor]'} | None = None"


def argument_type(binding: Binding, argument: Argument) -> str:
    text = python_type(argument.type)
    if binding.takes_numbers and argument.type.plain == "Tensor":
        text += " | Number"
    return text


def python_type(of_type: Type) -> str:
    if of_type.is_optional:
        return f"{python_type(of_type.required)} | None"
    if of_type.kind == "list":
        text = f"Sequence[{python_type(of_type.inner[0])}]"
        return f"{python_type(of_type.inner[0])} | {text}" if of_type.size is not None else text
    return LEAVES.get(of_type.name, "Any")


def default_text(argument: Argument) -> str:
    return "..." if isinstance(argument.default, Constant) else repr(argument.default)


def return_type(schema: Schema) -> str:
    if not schema.returns:
        return "None"
    if fields_of(schema):
        return f"_{schema.name}_result"
    texts = [returned(item.type) for item in schema.returns]
    return texts[0] if len(texts) == 1 else f"tuple[{', '.join(texts)}]"


def returned(of_type: Type) -> str:
    if of_type.kind == "list":
        return f"tuple[{returned(of_type.inner[0])}, ...]"
    return python_type(of_type)
