"""The source of a node's `run`: from the gradients of the results to those of the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd import saved
from rushlight.engine.autograd.formulas import Formula
from rushlight.engine.autograd.node import Node
from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.schema import is_tensor_list
from rushlight.engine.dispatch.source import define, identifier

if TYPE_CHECKING:
    from rushlight.engine.autograd.rules import Rule


def run_function(rule: Rule) -> Callable[..., Any]:
    """What a node of a rule runs in a backward pass."""
    return _Writer(rule).function()


class _Writer:
    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.lines = ["def run(node, grads):"]
        # What the source may name.
        self.names: dict[str, Any] = {
            **rule.names,
            "unpack": saved.unpack,
            "unpack_plain": saved.unpack_plain,
            "freed": nodes.freed,
            "leads_to_null_node": nodes.leads_to_null_node,
            "defined": defined,
            "thread": state.thread,
        }
        self.lists = {identifier(a.name) for a in rule.targets if is_tensor_list(a)}

    def line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def function(self) -> Callable[..., Any]:
        self.begin()
        self.unpack_kept()
        self.line("edges = node.edges")
        places = self.places_of_edges()
        if any(not f.is_name for f in self.rule.formulas):
            self.line("recorded = thread.grad_enabled")
        for number, formula in enumerate(self.rule.formulas):
            self.compute(number, formula, places)
        self.give(places)
        comment = [f"# {', '.join(f.targets)}: {f.source}" for f in self.rule.formulas]
        source = "\n".join([*comment, *self.lines, ""])
        return define("run", source, self.names, f"{self.rule.op.full_name} backward")

    def begin(self) -> None:
        """Leave at once if no gradient has arrived."""
        rule = self.rule
        uses_grads = rule.gets_several() or any("grads" in f.source for f in rule.formulas)
        self.line("grad = grads[0]")
        self.line(f"if {'all(g is None for g in grads)' if uses_grads else 'grad is None'}:")
        self.line("    return (None,) * len(node.edges)")
        if uses_grads and not rule.entry.get("undefined"):
            self.line("grads = defined(grads, node)")
            self.line("grad = grads[0]")

    def unpack_kept(self) -> None:
        rule = self.rule
        if not rule.kept:
            return
        self.line("kept = node.saved")
        self.line("if kept is None:")
        self.line("    raise freed()")
        opened = {name for formula in rule.formulas for name in formula.opened}
        for place, (variable, _, _) in enumerate(rule.kept):
            value = f"kept[{place}]"
            if rule.is_tensor(variable):
                unpack = "unpack_plain" if variable in opened else "unpack"
                value = f"{unpack}({value}, node)"
            self.line(f"{variable} = {value}")

    def places_of_edges(self) -> dict[str, str]:
        """Where each target's edge is among the node's, or a list's edges are."""
        position = "0"
        places: dict[str, str] = {}
        for argument in self.rule.targets:
            name = identifier(argument.name)
            if name in self.lists:
                stop = f"{position} + {name}_length"
                places[name] = f"edges[{position}:{stop}]"
                position = stop
            else:
                places[name] = f"edges[{position}]"
                position = str(int(position) + 1) if position.isdigit() else f"{position} + 1"
        return places

    def compute(self, number: int, formula: Formula, places: dict[str, str]) -> None:
        """The gradients that a formula gives, for those arguments that want them."""
        wanted = [
            f"any(e is not None for e in {places[t]})"
            if t in self.lists
            else f"{places[t]} is not None"
            for t in formula.targets
        ]
        if "not_implemented(" in formula.source:
            # Nobody asks for what leads nowhere.
            wanted[0] += f" and not leads_to_null_node({places[formula.targets[0]]})"
        value = self.call_of(number, formula)
        if len(formula.targets) == 1:
            target = formula.targets[0]
            empty = f"[None] * {target}_length" if target in self.lists else "None"
            self.line(f"for_{target} = {value} if {wanted[0]} else {empty}")
        else:
            self.line(f"wanted = [{', '.join(wanted)}]")
            self.line(f"{', '.join(f'for_{t}' for t in formula.targets)} = {value}")

    def call_of(self, number: int, formula: Formula) -> str:
        """The source that computes a formula: a function of what it uses, which calls repeat.

        A pass that is recorded itself calls the function outright.
        """
        if formula.is_name:
            return formula.source
        rule = self.rule
        used = ["grad", "grads", "wanted", *(variable for variable, _, _ in rule.kept)]
        names = [name for name in used if name in formula.variables]
        parameters = ", ".join(names)
        sizes = sum(1 << k for k, name in enumerate(names) if rule.is_size(name))
        plain, again = f"formula{number}", f"repeated{number}"
        several = len(formula.targets) == 1 and formula.targets[0] in self.lists
        value = f"tuple({formula.source})" if several else formula.source
        text = f"def {plain}({parameters}):\n    return {value}\n"
        title = f"{rule.op.full_name} gradient {number}"
        self.names[plain] = define(plain, text, self.names, title)
        noted = noting_same(self.names[plain])
        self.names[again] = call_cache.public_function(
            title, noted, sizes=lambda: call_cache.Sizes(sizes)
        )
        return f"({plain} if recorded else {again})({parameters})"

    def give(self, places: dict[str, str]) -> None:
        names = [identifier(a.name) for a in self.rule.targets]
        given = ", ".join(f"*for_{n}" if n in self.lists else f"for_{n}" for n in names)
        tied = self.rule.entry.get("tied")
        if tied:
            self.names["tied"] = nodes.tied
            further = [f"({places[name]}, {what == 'zeros'})" for name, what in tied.items()]
            self.line("if recorded:")
            self.line(f"    return tied(({given},), ({', '.join(further)},))")
        self.line(f"return ({given},)")


def noting_same(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula that says so if it gives a gradient back as it was."""

    def noting(*values: Any) -> Any:
        found = formula(*values)
        return steps.Same.note(found) if any(found is v for v in values) else found

    return noting


def defined(grads: tuple[Any, ...], node: Node) -> list[Any]:
    """Gradients with zeros for those that did not arrive."""
    return [
        creation.zeros(list(size), dtype) if g is None and dtype.category >= dtypes.FLOATING else g
        for g, (size, dtype) in zip(grads, node.outputs)
    ]
