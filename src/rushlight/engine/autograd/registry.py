"""Which rule differentiates an operator."""

from __future__ import annotations

from typing import Any

from rushlight.engine.autograd.derivative_table import entry_for, namespace
from rushlight.engine.autograd.rules import Rule
from rushlight.engine.dispatch.operator import Operator


def _has_formulas(entry: dict[str, Any]) -> bool:
    """Whether an entry says how an operator differentiates, without its scalar function."""
    return "gradients" in entry and not entry.keys() & {"partial", "scalar"}


def has_rule(op: Operator) -> bool:
    """Whether something says how an operator differentiates; its rule is not made for that."""
    entry = entry_for(op)
    if entry is not None and _has_formulas(entry):
        return not entry.get("unknown")
    return rule_for(op) is not None


def rule_for(op: Operator) -> Rule | None:
    """The rule of an operator; None if nothing says how it differentiates."""
    # Brings the mathematical functions with it: loaded once something is differentiated.
    from rushlight.engine.autograd import pointwise_rules

    entry = entry_for(op)
    if entry is not None and entry.get("unknown"):
        return None
    if entry is not None and _has_formulas(entry):
        rule = Rule(op, entry, namespace(entry["family"]))
        if "forward" in entry:
            other = {**entry, "gradients": entry["forward"]}
            rule.transposable = Rule(op, other, namespace(entry["family"]))
        return rule
    return pointwise_rules.rule_for(op, entry)
