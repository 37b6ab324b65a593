"""Groups overloads into what one Python name accepts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rushlight.engine.codegen.model import Entry
from rushlight.engine.dispatch.schema import Argument, Schema

TENSOR_OPTIONS = ("dtype", "layout", "device", "pin_memory")
# At one position, an overload whose argument comes earlier here is tried first: a 0-dimensional
# tensor is also a number, and a list is never a number.
RANK = {"Tensor": 0, "Tensor[]": 0, "int[]": 1, "Scalar": 3, "float": 3, "int": 2, "bool": 2}


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
    def takes_numbers(self) -> bool:
        """True if a hidden `Scalar` overload says that numbers may stand for tensors."""
        return any(not s.entry.is_bound for s in self.signatures)


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
    return sorted(found, key=lambda s: (not s.entry.is_bound, order(s.schema)))


def order(schema: Schema) -> tuple[int, ...]:
    return tuple(rank(argument) for argument in schema.positional)


def rank(argument: Argument) -> int:
    plain = argument.type.required.plain.replace("SymInt", "int")
    return RANK.get("int[]" if plain.startswith("int[") else plain, 2)
