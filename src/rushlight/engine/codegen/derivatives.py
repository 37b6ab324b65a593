"""Writes the rules of derivatives in the operators' entries as one Python table.

The field `derivative` of an entry has a formula for each differentiable argument (or for several,
`self, other`); `inplace_derivative` has them for the in-place variant, if they are others. Fields that
are no arguments:

    partial, scalar    scalar formulas of pointwise operators, by argument
    node               the name of the step, where it is not made from the operator's
    nondifferentiable  positions of results without a gradient
    forward            formulas that forward mode transposes instead, by argument
    linear             tangents go through the operator itself: its transposed rule would add where
                       an index that comes twice writes
    undefined          the formulas take None for gradients that did not arrive
    same_kind          a complex gradient of a real argument is refused, as PyTorch refuses it
    real_only          a step with a complex result is refused
    flat               for arguments: those with which their gradient changes in steps only, which is
                       not recorded
    steps              an argument with which the result changes in steps only where it is real: its
                       gradient is zeros without a history
    tied               for arguments: what a further gradient is ("zeros" or "nothing") where a recorded
                       gradient does not change with them, and has their history all the same
    released           a step can be passed once only, although what it keeps is no tensor; or, if false,
                       again, although it keeps some: they follow from sizes
    none               the operator has no gradient at all
    unknown            its steps are recorded, and raise when a gradient reaches them
    only_floating      a result of whole numbers is no fault, and has no history
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rushlight.engine.codegen.index import HEADER
from rushlight.engine.codegen.model import Entry, YamlError
from rushlight.engine.dispatch.source import identifier

FIELDS = {
    "partial",
    "scalar",
    "forward",
    "linear",
    "nondifferentiable",
    "undefined",
    "none",
    "unknown",
    "only_floating",
    "real_only",
    "same_kind",
    "flat",
    "steps",
    "tied",
    "released",
}


def load_derivatives(entries: list[Entry]) -> dict[str, dict[str, Any]]:
    """The rules by overload name."""
    return {
        entry.schema.full_name: read_rule(entry.derivative, entry)
        for entry in entries
        if entry.derivative is not None
    }


def read_rule(item: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    arguments = {identifier(a.name) for a in entry.schema.arguments}
    rule: dict[str, Any] = {"family": entry.family}
    gradients: dict[str, str] = {}
    for key, value in item.items():
        if key == "line":
            continue
        if key == "node":
            rule["name"] = value
        elif key in FIELDS:
            rule[key] = strip_lines(value)
        else:
            unknown = {identifier(t.strip()) for t in key.split(",")} - arguments
            if unknown:
                name = entry.schema.base_name
                raise YamlError(
                    f"{entry.place}: {name} has no argument {', '.join(sorted(unknown))}"
                )
            gradients[key] = str(value)
    if gradients:
        rule["gradients"] = gradients
    return rule


def strip_lines(value: Any) -> Any:
    """A mapping without the line number that the loader adds."""
    if isinstance(value, dict):
        return {k: str(v) for k, v in value.items() if k != "line"}
    return value


def derivatives_source(entries: list[Entry]) -> str:
    """`DERIVATIVES`: overload name -> the fields of its rule."""
    lines = [HEADER.format(what="How built-in operators differentiate.") + "DERIVATIVES = {"]
    for name, rule in load_derivatives(entries).items():
        lines.append(f"    {name!r}: {rule!r},")
    return "\n".join([*lines, "}", ""])
