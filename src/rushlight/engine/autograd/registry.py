"""Which rule differentiates an operator."""

from __future__ import annotations

from rushlight.engine.autograd.derivative_table import entry_for, namespace
from rushlight.engine.autograd.rules import Rule
from rushlight.engine.dispatch.operator import Operator


def rule_for(op: Operator) -> Rule | None:
    """The rule of an operator; None if nothing says how it differentiates."""
    # Brings the mathematical functions with it: loaded once something is differentiated.
    from rushlight.engine.autograd import pointwise_rules

    entry = entry_for(op)
    if entry is not None and entry.get("unknown"):
        return None
    if entry is not None and "gradients" in entry and not entry.keys() & {"partial", "scalar"}:
        rule = Rule(op, entry, namespace(entry["family"]))
        if "forward" in entry:
            other = {**entry, "gradients": entry["forward"]}
            rule.transposable = Rule(op, other, namespace(entry["family"]))
        return rule
    return pointwise_rules.rule_for(op, entry)
