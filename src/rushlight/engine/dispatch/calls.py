"""The text of an operator's call function: join the keys of its tensors, look up, call."""

from __future__ import annotations

from rushlight.engine.dispatch.schema import Argument, Constant, Schema
from rushlight.engine.dispatch.source import identifier


def call_source(schema: Schema, name: str, table: str) -> str:
    """A function `name` over every schema argument, in order, positionally or by name.

    The names `state`, `constants` and `factory_keys` and the table must be among its globals.
    """
    names = [identifier(argument.name) for argument in schema.arguments]
    lines = [f"def {name}({parameters(schema.arguments)}):"]
    lines += [f"    {line}" for line in key_lines(schema)]
    lines.append("    if state.active:")
    lines.append("        keys = state.effective(keys)")
    lines.append(f"    return {table}[keys]({', '.join(names)})")
    return "\n".join(lines) + "\n"


def parameters(arguments: tuple[Argument, ...]) -> str:
    """The parameter list with defaults; one without a default after one with needs a `*`."""
    parts: list[str] = []
    defaulted = starred = False
    for argument in arguments:
        if argument.has_default:
            defaulted = True
        elif defaulted and not starred:
            parts.append("*")
            starred = True
        default = f"={default_source(argument)}" if argument.has_default else ""
        parts.append(identifier(argument.name) + default)
    # Every argument may be given by position, so a missing default becomes a sentinel instead.
    if starred:
        return ", ".join(
            part if "=" in part or index < parts.index("*") else f"{part}=constants.REQUIRED"
            for index, part in enumerate(parts)
            if part != "*"
        )
    return ", ".join(parts)


def default_source(argument: Argument) -> str:
    """The default as a Python expression."""
    value = argument.default
    if isinstance(value, Constant):
        return f"constants.{value}"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return f"float({str(value)!r})"
    # `int[2] dim=0` means the same number for every place.
    if argument.type.kind == "list" and isinstance(value, int) and argument.type.size:
        return repr((value,) * argument.type.size)
    return repr(value)


def key_lines(schema: Schema) -> list[str]:
    """Statements that leave the joined keys of the tensor arguments in `keys`."""
    always = [identifier(a.name) for a in schema.tensors if a.type.kind == "base"]
    if always:
        lines = ["keys = " + " | ".join(f"{name}._keys_" for name in always)]
    elif any(a.name == "device" for a in schema.arguments) and not schema.tensors:
        return ["keys = factory_keys(device)"]
    else:
        lines = ["keys = 0"]
    for argument in schema.tensors:
        name, of_type = identifier(argument.name), argument.type
        if of_type.kind == "base":
            continue
        indent = ""
        if of_type.is_optional:
            lines.append(f"if {name} is not None:")
            indent = "    "
        if of_type.required.kind == "base":
            lines.append(f"{indent}keys |= {name}._keys_")
            continue
        lines.append(f"{indent}for item in {name}:")
        indent += "    "
        if of_type.required.inner[0].is_optional:
            lines.append(f"{indent}if item is not None:")
            indent += "    "
        lines.append(f"{indent}keys |= item._keys_")
    if lines[0] == "keys = 0":
        lines.append("if not keys:")
        lines.append("    keys = factory_keys(None)")
    return lines
