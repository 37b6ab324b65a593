"""Says what a changed schema would break for programs written against the old one."""

from __future__ import annotations

from collections.abc import Mapping

from rushlight.engine.dispatch.schema import Schema, parse


def breaks(old: Schema, new: Schema) -> list[str]:
    """Each way in which a call that `old` accepted fails or means something else under `new`."""
    found: list[str] = []
    old_names = [argument.name for argument in old.positional]
    new_names = [argument.name for argument in new.positional]
    if new_names[: len(old_names)] != old_names:
        found.append(f"positional arguments {old_names} became {new_names}")
    by_name = {argument.name: argument for argument in new.arguments}
    for argument in old.arguments:
        other = by_name.pop(argument.name, None)
        if other is None:
            found.append(f"argument '{argument.name}' is gone")
            continue
        before, after = argument.type, other.type
        if before != after and not widens(before.plain, after.plain):
            found.append(f"argument '{argument.name}' was {before} and is {after}")
        if before.aliases != after.aliases:
            found.append(f"argument '{argument.name}' aliases differently: {before} and {after}")
        if argument.has_default and argument.default != other.default:
            found.append(
                f"the default of '{argument.name}' was {argument.default_text} "
                f"and is {other.default_text}"
            )
    for argument in by_name.values():
        if not argument.has_default:
            found.append(f"the new argument '{argument.name}' has no default")
    before_returns = [(str(r.type), r.name) for r in old.returns]
    after_returns = [(str(r.type), r.name) for r in new.returns]
    if before_returns != after_returns:
        found.append("the returns differ: " + f"{old} and {new}")
    return found


def widens(before: str, after: str) -> bool:
    """True if every value that `before` takes is also taken by `after`."""
    if after.endswith("?"):
        return widens(before.removesuffix("?"), after[:-1])
    if before.endswith("?"):
        return False
    before, after = before.replace("SymInt", "int"), after.replace("SymInt", "int")
    numbers = ["bool", "int", "float", "Scalar"]
    if before in numbers and after in numbers:
        return numbers.index(before) <= numbers.index(after)
    return before == after


def compare(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Compare two snapshots, operator name to schema text; one line for each break."""
    lines: list[str] = []
    for name, text in old.items():
        if name not in new:
            lines.append(f"{name}: the operator is gone")
        elif new[name] != text:
            lines.extend(f"{name}: {what}" for what in breaks(parse(text), parse(new[name])))
    return lines
