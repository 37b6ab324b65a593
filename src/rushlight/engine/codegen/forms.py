"""Groups overloads into what one Python name accepts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rushlight.engine.bindings.signatures import Binding, Signature
from rushlight.engine.codegen.model import Entry
from rushlight.engine.dispatch.resolver import TENSOR_OPTIONS
from rushlight.engine.dispatch.schema import Argument, Schema


def core_arguments(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Names and types without `out` and tensor options: equal for an overload and its out form."""
    return tuple(
        (a.name, a.type.plain)
        for a in schema.arguments
        if not (a.keyword_only and (a.is_write or a.name in TENSOR_OPTIONS))
    )


def bindings(entries: Iterable[Entry], is_method: bool) -> list[Binding]:
    """The functions or methods of some entries, in the order of their first overload."""
    variant = "method" if is_method else "function"
    by_name: dict[str, list[Entry]] = {}
    for entry in entries:
        if variant in entry.variants:
            by_name.setdefault(entry.schema.name, []).append(entry)
    found = []
    for name, members in by_name.items():
        if any(entry.is_bound for entry in members):
            numbers = any(entry.takes_numbers for entry in members)
            found.append(Binding(name, is_method, tuple(signatures(members, is_method)), numbers))
    return found


def signatures(members: list[Entry], is_method: bool) -> list[Signature]:
    outs = [e for e in members if e.schema.kind == "out"]
    found: list[Signature] = []
    for entry in members:
        if entry.schema.kind == "out":
            continue
        core = core_arguments(entry.schema)
        out = next((o for o in outs if core_arguments(o.schema) == core), None)
        if out is not None:
            outs.remove(out)
        found.append(signature(entry, out, is_method))
    found += [signature(out, None, is_method) for out in outs]
    return ordered([s for s in found if not s.is_hidden]) + [s for s in found if s.is_hidden]


def signature(entry: Entry, out: Entry | None, is_method: bool) -> Signature:
    out_schema = out.schema if out is not None else None
    hidden, old = not entry.is_bound, entry.deprecated
    return Signature(entry.schema, entry.family, out_schema, is_method, hidden, old)


def ordered(found: list[Signature]) -> list[Signature]:
    """The order in which overloads are tried and listed: by text, but the narrower type last.

    A 0-dimensional tensor is also taken as a number, so the overload for tensors must come first.
    """
    found = sorted(found, key=lambda s: (sort_text(s.schema), not takes_generator(s.schema)))
    larger = {
        i: {j for j, other in enumerate(found) if is_narrower(one, other)}
        for i, one in enumerate(found)
    }
    waiting = {i: others for i, others in larger.items() if others}
    done = [i for i in range(len(found)) if i not in waiting]
    for i in done:
        for j in sorted(waiting):
            waiting[j].discard(i)
            if not waiting[j]:
                del waiting[j]
                done.append(j)
    return [found[i] for i in done]


def takes_generator(schema: Schema) -> bool:
    return any(a.type.plain.startswith("Generator") for a in schema.keyword_only)


def sort_text(schema: Schema) -> str:
    parts = [argument_text(a) for a in schema.positional]
    if not schema.keyword_only:
        return ", ".join(parts)
    named = [argument_text(a) for a in schema.keyword_only if not a.is_write]
    return ", ".join([*parts, "*", *named])


def argument_text(argument: Argument) -> str:
    name = "input" if argument.name == "self" else argument.name
    default = f"={argument.default_text}" if argument.has_default else ""
    return f"{parser_type(argument.type.plain)} {name}{default}"


def parser_type(plain: str) -> str:
    """A type as PyTorch's generator writes it where it sorts overloads by their text."""
    plain = re.sub(r"^(SymInt|int|float|bool)\[", lambda m: PARSER_LISTS[m[1]] + "[", plain)
    plain = re.sub(r"^(Scalar|Tensor)\[\]", r"\1List", plain)
    return re.sub(r"^(int|float)(?=\??$)", lambda m: PARSER_NUMBERS[m[1]], plain)


PARSER_NUMBERS = {"int": "int64_t", "float": "double"}
PARSER_LISTS = {
    "SymInt": "SymIntArrayRef",
    "int": "IntArrayRef",
    "float": "ArrayRef<double>",
    "bool": "std::array<bool>",
}


def is_narrower(one: Signature, other: Signature) -> bool:
    """True if every argument of `one` has the type of `other`'s or a narrower one."""
    mine, theirs = plain_types(one.schema), plain_types(other.schema)
    if len(mine) != len(theirs) or mine == theirs:
        return False
    return all(a == b or type_is_narrower(a, b) for a, b in zip(mine, theirs))


def plain_types(schema: Schema) -> list[str]:
    return [a.type.plain for a in schema.arguments if not (a.keyword_only and a.is_write)]


def type_is_narrower(one: str, other: str) -> bool:
    return (
        (one.removesuffix("?"), other.removesuffix("?"))
        in (("Scalar", "Tensor"), ("SymInt", "Tensor"))
        or (one == "int[]" and other in ("int", "int?"))
        or (one == "Tensor[]" and "[]" in other)
        or (one == "SymInt[]" and other == "int[]")
    )
