"""The source of the function that records a step: edges, what is kept, the node, the result's history."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd import saved
from rushlight.engine.autograd.recording import attach
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.dispatch.schema import is_tensor_list
from rushlight.engine.dispatch.source import define, identifier

if TYPE_CHECKING:
    from rushlight.engine.autograd.rules import Rule


def recorder(rule: Rule, attaches: bool) -> Callable[..., Any]:
    """`make(result, *arguments)` gives a new node, or None; `record` also attaches it."""
    lines = [f"def record(result, {', '.join(rule.parameters)}):"]
    lines += [f"    {line}" for line in _find_edges(rule, attaches)]
    lines += [f"    {line}" for line in _make_node(rule)]
    lines += [f"    {line}" for line in (_attach(rule) if attaches else ["return node"])]
    source = "\n".join([*lines, ""])
    return define("record", source, _names(rule), f"{rule.op.full_name} record")


def _find_edges(rule: Rule, attaches: bool) -> list[str]:
    """Find the arguments' edges; leave if there are none, refuse what cannot have a history."""
    lines, tests = [], []
    one = "{0}._autograd_.edge if {0}._keys_ & AUTOGRAD else None"
    for place, argument in enumerate(rule.targets):
        name, edge = identifier(argument.name), f"e{place}"
        if is_tensor_list(argument):
            each = one.format("t")
            if "?" in str(argument.type):
                each = f"None if t is None else {each}"
            lines.append(f"{edge} = [{each} for t in {name}]")
            tests.append(f"not any({edge})")
            continue
        own = one.format(name)
        if argument.type.is_optional:
            own = f"None if {name} is None else {own}"
        lines.append(f"{edge} = {own}")
        tests.append(f"{edge} is None")
    lines.append(f"if {' and '.join(tests)}:")
    lines.append(f"    return {'result' if attaches else 'None'}")
    if not rule.is_several and attaches:
        lines.append("if result._dtype_.category < FLOATING:")
        lines.append("    return result" if rule.only_floating else "    raise whole(result)")
    if rule.entry.get("real_only"):
        lines.append("if result._dtype_.category == COMPLEX:")
        lines.append("    raise only_real(name)")
    return lines


def _make_node(rule: Rule) -> list[str]:
    lines = []
    if rule.is_several and not rule.is_list and any(rule.uses(r) for r in rule.results):
        lines.append(f"{', '.join(rule.results)}, = result")
    stars = ("*" if is_tensor_list(a) else "" for a in rule.targets)
    edges = ", ".join(f"{star}e{place}" for place, star in enumerate(stars))
    lines += ["node = new(cls)", f"node.edges = ({edges},)"]
    if rule.kept:
        parts = [rule.conditional(source, users) for _, source, users in rule.kept]
        lines.append(f"node.saved = ({', '.join(parts)},)")
        lines += ["if hooks.active:", "    node.saved = pack_all(node.saved)"]
    else:
        lines.append("node.saved = ()")
    lines.append("node.seq = next(sequence)")
    if rule.is_several:
        lines.append("node.outputs = tuple([(r._size_, r._dtype_) for r in result])")
    else:
        lines.append("node.outputs = ((result._size_, result._dtype_),)")
    return [*lines, "if when_made:", "    when_made[0](node)"]


def _attach(rule: Rule) -> list[str]:
    if rule.op.schema.is_view:
        source, *others = rule.parameters
        return [
            f"def replay({source}):",
            f"    return call({', '.join([source, *others])})",
            f"return attach_view(result, node, replay, {source})",
        ]
    if rule.is_several:
        return ["return attach_several(result, node, nondifferentiable)"]
    return [
        "meta = Meta()",
        "meta.edge = (node, 0)",
        "result._autograd_ = meta",
        "result._keys_ |= AUTOGRAD",
        "return result",
    ]


def _names(rule: Rule) -> dict[str, Any]:
    """What the source may name."""
    return {
        "AUTOGRAD": keys.AUTOGRAD,
        "FLOATING": dtypes.FLOATING,
        "COMPLEX": dtypes.COMPLEX,
        "cls": rule.cls,
        "new": object.__new__,
        "sequence": nodes.sequence,
        "when_made": nodes.when_made,
        "hooks": saved.hooks,
        "pack_all": saved.pack_all,
        "pair_of": saved.pair_of,
        "SavedResult": saved.SavedResult,
        "Meta": metas.Meta,
        "whole": attach.whole,
        "only_real": attach.only_real,
        "name": rule.op.packet_name,
        "attach_view": attach.attach_view,
        "attach_several": attach.attach_several,
        "nondifferentiable": rule.nondifferentiable(),
        "call": rule.op.call,
    }
