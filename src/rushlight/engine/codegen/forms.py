"""Groups overloads into what one Python name accepts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rushlight.engine.codegen.model import Entry
from rushlight.engine.dispatch.schema import Argument, Schema

TENSOR_OPTIONS = ("dtype", "layout", "device", "pin_memory")


@dataclass(frozen=True)
class Signature:
    """An overload with the `out=` overload that has the same arguments."""

    entry: Entry
    out: Entry | None = None
    is_method: bool = False

    @property
    def positional(self) -> list[Argument]:
        """The positional arguments in Python's order: a method's `self` comes first."""
        return sorted(
            self.schema.positional, key=lambda a: not (self.is_method and a.name == "self")
        )

    @property
    def arguments(self) -> list[Argument]:
        return [*self.positional, *self.schema.keyword_only]

    @property
    def schema(self) -> Schema:
        return self.entry.schema

    @property
    def spec(self) -> str:
        hidden = "" if self.entry.is_bound else "-"
        out = f"|{self.out.schema.base_name}" if self.out else ""
        return f"{hidden}{self.schema.base_name}{out}"


@dataclass(frozen=True)
class Binding:
    """One Python function or method."""

    name: str
    is_method: bool
    signatures: tuple[Signature, ...]

    @property
    def specs(self) -> tuple[str, ...]:
        """The forms for the resolver, old ways of calling last."""
        old = [
            f"-{s.spec}{'' if s.out else '|'}({','.join(names)})"
            for s in self.signatures
            for names in s.entry.deprecated
        ]
        return (*(s.spec for s in self.signatures), *old)

    @property
    def takes_numbers(self) -> bool:
        return any(s.entry.takes_numbers for s in self.signatures)


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
            found.append(Binding(name, is_method, tuple(signatures(members, is_method))))
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
        found.append(Signature(entry, out, is_method))
    found += [Signature(out, None, is_method) for out in outs]
    visible = [s for s in found if s.entry.is_bound]
    return ordered(visible) + [s for s in found if not s.entry.is_bound]


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
