"""Rules: from a formula to a class of nodes, and to the function that records one.

Both are Python source made for one operator, without tests that its schema has already decided.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from rushlight.engine.autograd import formulas, saved
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.formulas import FACTS, Formula
from rushlight.engine.autograd.node import Node
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import history, keys, state, symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.dispatch.source import define, identifier
from rushlight.engine.loops.promotion import title
from rushlight.engine.native import heap_types

Entry = dict[str, Any]


@cache
def table() -> dict[str, Entry]:
    """The formulas of all families: overload name -> fields of its entry."""
    module = importlib.import_module("rushlight.engine.generated.derivatives")
    derivatives: dict[str, Entry] = module.DERIVATIVES
    return derivatives


@cache
def namespace(family: str) -> dict[str, Any]:
    """What the formulas of a family may call: its `rules.py` over the common ones."""
    names: dict[str, Any] = {}
    for module in ("rushlight.engine.ops.gradients", f"rushlight.engine.ops.{family}.rules"):
        if importlib.util.find_spec(module):
            found = vars(importlib.import_module(module))
            names.update({k: v for k, v in found.items() if not k.startswith("_")})
    return names


@cache
def functional_name(op: Operator) -> str:
    """The name of the overload whose rule serves an in-place one: it takes the same arguments."""
    packet = op.packet_name
    stem = packet[:-1] if packet.endswith("_") else packet
    if packet.startswith("__i"):
        stem = f"__{packet[3:]}"
    wanted = [(a.name, a.type.plain) for a in op.schema.arguments]
    for other in operators.overloads(f"{op.namespace}::{stem}"):
        if [(a.name, a.type.plain) for a in other.schema.arguments] == wanted:
            return other.base_name
    return f"{stem}.{op.overload}" if op.overload else stem


def noting_same(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula that says so if it gives a gradient back as it was."""

    def noting(*values: Any) -> Any:
        found = formula(*values)
        return steps.Same.note(found) if any(found is v for v in values) else found

    return noting


def is_whole(value: Any) -> bool:
    """Whether a value is an integer of Python's own, or a symbolic one."""
    return type(value) in symbolic.INTEGERS


class Rule:
    """How one operator differentiates.

    Args:
        op: the operator; for an in-place one, its results are the written arguments
        entry: gradient formulas by argument, and `name`
        names: what formulas may call
    """

    def __init__(self, op: Operator, entry: Entry, names: dict[str, Any]) -> None:
        self.op = op
        self.entry = entry
        self.names = names
        self.arguments = [a for a in op.schema.arguments if a not in op.schema.out_arguments]
        self.parameters = [identifier(a.name) for a in self.arguments]
        self.results = self.result_names()
        # Whether a result of whole numbers is no fault.
        self.only_floating = bool(entry.get("only_floating"))
        known = {*self.parameters, *self.results}
        self.formulas = [
            formulas.parse(identifier_list(targets), text, known)
            for targets, text in entry["gradients"].items()
        ]
        self.targets = [
            a for a in self.arguments if any(identifier(a.name) in f.targets for f in self.formulas)
        ]
        self.kept = self.find_kept()
        self.cls = self.node_class()
        self.make = self.recorder(False)
        self.record = self.recorder(True)
        self.record.machine_words = self.machine_words  # type: ignore[attr-defined]
        self.record.defaults = [a.default for a in self.arguments]  # type: ignore[attr-defined]
        # The rule that says how tangents go forward, where that is another one.
        self.transposable = self
        # Whether the operator itself, applied to tangents, gives the tangent.
        self.is_linear = bool(entry.get("linear"))

    @property
    def is_several(self) -> bool:
        """Whether the operator gives a tuple or a list."""
        returns = self.op.schema.returns
        return len(returns) > 1 or (len(returns) == 1 and returns[0].type.kind == "list")

    @property
    def is_list(self) -> bool:
        returns = self.op.schema.returns
        return len(returns) == 1 and returns[0].type.kind == "list"

    def result_names(self) -> list[str]:
        returns = self.op.schema.returns
        if len(returns) == 1:
            return ["result"]
        return [f"result{i}" for i in range(len(returns))]

    def uses(self, name: str) -> bool:
        """Whether some formula keeps an argument or result itself."""
        return any(name in formula.names for formula in self.formulas)

    def users(self, name: str) -> list[int]:
        """The places of the arguments whose gradients need an argument itself."""
        targets = {t for f in self.formulas if name in f.names for t in f.targets}
        return [k for k, parameter in enumerate(self.parameters) if parameter in targets]

    # -- what is kept --
    def find_kept(self) -> list[tuple[str, str, list[Formula]]]:
        """(variable in `run`, source of what is kept, formulas that use it)."""
        kept = []
        by_name = {identifier(a.name): a for a in self.arguments}
        for name in [*self.parameters, *self.results]:
            users = [f for f in self.formulas if name in f.names]
            if users:
                kept.append((name, self.kept_source(name, by_name.get(name)), users))
        for name, fact in sorted({pair for f in self.formulas for pair in f.facts}):
            users = [f for f in self.formulas if (name, fact) in f.facts]
            kept.append((f"{name}_{fact}", fact_source(name, fact, by_name.get(name)), users))
        for argument in self.targets:
            if is_list(argument):
                name = identifier(argument.name)
                kept.append((f"{name}_length", f"len({name})", self.formulas))
        return kept

    def kept_source(self, name: str, argument: Argument | None) -> str:
        if argument is None:
            if self.is_several and self.results.index(name) in self.nondifferentiable():
                # It has no history, and so keeps no node alive.
                return f"({name}, {name}._storage._version)"
            if self.op.schema.is_inplace or not self.is_several:
                return f"SavedResult({name})"
            return f"SavedResult({name}, {self.results.index(name)})"
        if not argument.is_tensor_like:
            return name
        if is_list(argument):
            return f"[None if t is None else pair_of(t) for t in {name}]"
        pair = (
            f"({name}, {name}._storage._version if {name}._counter is None "
            f"else {name}._counter.value)"
        )
        return f"None if {name} is None else {pair}" if argument.type.is_optional else pair

    def is_tensor(self, variable: str) -> bool:
        return variable in self.results or any(
            identifier(a.name) == variable and a.is_tensor_like for a in self.arguments
        )

    # -- the node --
    def node_class(self) -> type[Node]:
        body: dict[str, Any] = {"run": self.run_function(), "rule": self}
        keeps_tensors = any(self.is_tensor(variable) for variable, _, _ in self.kept)
        body["same_kind"] = bool(self.entry.get("same_kind"))
        targets = {identifier(a.name) for a in self.targets}
        body["keeps_sometimes"] = not self.entry.get("released") and all(
            {t for f in users for t in f.targets} < targets
            for variable, _, users in self.kept
            if self.is_tensor(variable)
        )
        body["keeps_tensors"] = keeps_tensors or bool(self.entry.get("released"))
        for place, (variable, _, _) in enumerate(self.kept):
            getter = saved_tensor(place) if self.is_tensor(variable) else saved_value(place)
            body[f"_saved_{variable.rstrip('_')}"] = property(getter)
            if self.is_tensor(variable):
                body[f"_raw_saved_{variable.rstrip('_')}"] = property(raw_saved(place))
        name = self.entry.get("name") or node_name(self.op)
        return type(name, (Node,), body)

    def run_function(self) -> Callable[..., Any]:
        lines = ["def run(node, grads):"]
        uses_grads = self.gets_several() or any("grads" in f.source for f in self.formulas)
        lines.append("    grad = grads[0]")
        nothing = "all(g is None for g in grads)" if uses_grads else "grad is None"
        lines.append(f"    if {nothing}:")
        lines.append("        return (None,) * len(node.edges)")
        if uses_grads and not self.entry.get("undefined"):
            lines.append("    grads = defined(grads, node)")
            lines.append("    grad = grads[0]")
        if self.kept:
            lines.append("    kept = node.saved")
            lines.append("    if kept is None:")
            lines.append("        raise freed()")
        opened = {name for formula in self.formulas for name in formula.opened}
        for place, (variable, _, _) in enumerate(self.kept):
            value = f"kept[{place}]"
            if self.is_tensor(variable):
                unpack = "unpack_plain" if variable in opened else "unpack"
                value = f"{unpack}({value}, node)"
            lines.append(f"    {variable} = {value}")
        lines.append("    edges = node.edges")
        position = "0"
        places: dict[str, str] = {}
        for argument in self.targets:
            name = identifier(argument.name)
            if is_list(argument):
                stop = f"{position} + {name}_length"
                places[name] = f"edges[{position}:{stop}]"
                position = stop
            else:
                places[name] = f"edges[{position}]"
                position = str(int(position) + 1) if position.isdigit() else f"{position} + 1"
        lists = {identifier(a.name) for a in self.targets if is_list(a)}
        answers: dict[str, str] = {}
        reachable = {
            **self.names,
            "unpack": saved.unpack,
            "unpack_plain": saved.unpack_plain,
            "freed": nodes.freed,
            "leads_nowhere": nodes.leads_nowhere,
            "defined": defined,
            "thread": state.thread,
        }
        if any(not f.is_name for f in self.formulas):
            lines.append("    recorded = thread.grad_enabled")
        for number, formula in enumerate(self.formulas):
            wanted = [
                f"any(e is not None for e in {places[t]})"
                if t in lists
                else f"{places[t]} is not None"
                for t in formula.targets
            ]
            if "not_implemented(" in formula.source:
                # Nobody asks for what leads nowhere.
                wanted[0] += f" and not leads_nowhere({places[formula.targets[0]]})"
            value = self.formula_call(number, formula, lists, reachable)
            if len(formula.targets) == 1:
                target = formula.targets[0]
                empty = f"[None] * {target}_length" if target in lists else "None"
                lines.append(f"    for_{target} = {value} if {wanted[0]} else {empty}")
            else:
                lines.append(f"    wanted = [{', '.join(wanted)}]")
                together = ", ".join(f"for_{t}" for t in formula.targets)
                lines.append(f"    {together} = {value}")
            for target in formula.targets:
                answers[target] = f"*for_{target}" if target in lists else f"for_{target}"
        given = [answers[identifier(a.name)] for a in self.targets]
        tied = self.entry.get("tied")
        if tied:
            reachable["tied"] = nodes.tied
            further = [f"({places[name]}, {what == 'zeros'})" for name, what in tied.items()]
            lines.append("    if recorded:")
            lines.append(f"        return tied(({', '.join(given)},), ({', '.join(further)},))")
        lines.append(f"    return ({', '.join(given)},)")
        source = "\n".join([*self.comment(), *lines, ""])
        return define("run", source, reachable, f"{self.op.full_name} backward")

    def formula_call(
        self, number: int, formula: Formula, lists: set[str], reachable: dict[str, Any]
    ) -> str:
        """The source that computes a formula: a function of what it uses, which calls repeat.

        A pass that is recorded itself calls the function outright.
        """
        if formula.is_name:
            return formula.source
        used = ["grad", "grads", "wanted", *(variable for variable, _, _ in self.kept)]
        names = [name for name in used if name in formula.variables]
        parameters = ", ".join(names)
        sizes = sum(1 << k for k, name in enumerate(names) if self.is_size(name))
        plain, again = f"formula{number}", f"repeated{number}"
        several = len(formula.targets) == 1 and formula.targets[0] in lists
        value = f"tuple({formula.source})" if several else formula.source
        text = f"def {plain}({parameters}):\n    return {value}\n"
        title = f"{self.op.full_name} gradient {number}"
        reachable[plain] = define(plain, text, reachable, title)
        noted = noting_same(reachable[plain])
        reachable[again] = call_cache.public_function(title, noted, sizes=lambda: sizes)
        return f"({plain} if recorded else {again})({parameters})"

    def is_size(self, name: str) -> bool:
        """Whether integers that are kept under this name follow from sizes."""
        types = [str(a.type) for a in self.arguments if identifier(a.name) == name]
        facts = ("_shape", "_count", "_strides", "_offset")
        return types[0].startswith("SymInt") if types else name.endswith(facts)

    def comment(self) -> list[str]:
        return [f"# {', '.join(f.targets)}: {f.source}" for f in self.formulas]

    # -- recording --
    def recorder(self, attaches: bool) -> Callable[..., Any]:
        """`make(result, *arguments)` gives a new node, or None; `record` also attaches it."""
        result = "result"
        lines = [f"def record({result}, {', '.join(self.parameters)}):"]
        edges, tests = [], []
        for place, argument in enumerate(self.targets):
            name, edge = identifier(argument.name), f"e{place}"
            one = "{0}._autograd.edge if {0}._keys & AUTOGRAD else None"
            if is_list(argument):
                each = one.format("t")
                if "?" in str(argument.type):
                    each = f"None if t is None else {each}"
                lines.append(f"    {edge} = [{each} for t in {name}]")
                tests.append(f"not any({edge})")
                edges.append(f"*{edge}")
                continue
            own = one.format(name)
            if argument.type.is_optional:
                own = f"None if {name} is None else {own}"
            lines.append(f"    {edge} = {own}")
            tests.append(f"{edge} is None")
            edges.append(edge)
        nothing = "result" if attaches else "None"
        lines.append(f"    if {' and '.join(tests)}:")
        lines.append(f"        return {nothing}")
        if not self.is_several and attaches:
            lines.append("    if result._dtype.category < FLOATING:")
            lines.append(
                "        return result" if self.only_floating else "        raise whole(result)"
            )
        if self.is_several and not self.is_list and any(self.uses(r) for r in self.results):
            lines.append(f"    {', '.join(self.results)}, = result")
        if self.entry.get("real_only"):
            lines.append("    if result._dtype.category == COMPLEX:")
            lines.append("        raise only_real(name)")
        lines.append("    node = new(cls)")
        lines.append(f"    node.edges = ({', '.join(edges)},)")
        if self.kept:
            parts = [self.conditional(source, users) for _, source, users in self.kept]
            lines.append(f"    node.saved = ({', '.join(parts)},)")
            lines.append("    if hooks.active:")
            lines.append("        node.saved = pack_all(node.saved)")
        else:
            lines.append("    node.saved = ()")
        lines.append("    node.seq = next(sequence)")
        if self.is_several:
            lines.append("    node.outputs = tuple([(r._size, r._dtype) for r in result])")
        else:
            lines.append("    node.outputs = ((result._size, result._dtype),)")
        lines.append("    if when_made:")
        lines.append("        when_made[0](node)")
        if not attaches:
            lines.append("    return node")
        elif self.op.schema.is_view:
            lines.append("    return attach_view(result, node, replay, self)")
            if self.parameters[0] != "self":
                lines[-1] = lines[-1].replace("self)", f"{self.parameters[0]})")
        elif self.is_several:
            lines.append("    return attach_several(result, node, nondifferentiable)")
        else:
            lines.append("    meta = Meta()")
            lines.append("    meta.edge = (node, 0)")
            lines.append("    result._autograd = meta")
            lines.append("    result._keys |= AUTOGRAD")
            lines.append("    return result")
        others = ", ".join(self.parameters[1:])
        if self.op.schema.is_view and attaches:
            again = f"        return call(self{', ' + others if others else ''})"
            again = again.replace("call(self", f"call({self.parameters[0]}")
            at = next(i for i, line in enumerate(lines) if "attach_view" in line)
            lines[at:at] = [f"    def replay({self.parameters[0]}):", again]
        known = {
            "AUTOGRAD": keys.AUTOGRAD,
            "FLOATING": dtypes.FLOATING,
            "cls": self.cls,
            "new": object.__new__,
            "sequence": nodes.sequence,
            "when_made": nodes.when_made,
            "hooks": saved.hooks,
            "pack_all": saved.pack_all,
            "pair_of": saved.pair_of,
            "SavedResult": saved.SavedResult,
            "Meta": metas.Meta,
            "whole": whole,
            "COMPLEX": dtypes.COMPLEX,
            "only_real": only_real,
            "name": self.op.packet_name,
            "attach_view": attach_view,
            "attach_several": attach_several,
            "nondifferentiable": self.nondifferentiable(),
            "call": self.op.call,
        }
        source = "\n".join([*lines, ""])
        return define("record", source, known, f"{self.op.full_name} record")

    def machine_words(
        self, places: list[int | None], values: list[Any], result: Any
    ) -> list[int] | None:
        """The step as `core.history` takes it, or None if it is not of the simple kind.

        Args:
            places: for each argument, the leaf of the call that it is, if it is one
            values: the arguments of the call at hand
            result: what it gave
        """
        wanted = self.wanted_results(result)
        if wanted is None or len(self.targets) > history.MOST_TARGETS:
            return None
        place_of = dict(zip(self.parameters, places))
        value_of = dict(zip(self.parameters, values))
        targets = [identifier(a.name) for a in self.targets]
        given = [t for t in targets if value_of[t] is not None]
        if given != targets or any(place_of[t] is None for t in targets):
            return None
        kind = history.VIEW if self.op.schema.is_view else history.NEW
        flags = kind, int(self.is_several), wanted
        words = [
            id(self.cls),
            len(targets),
            len(self.kept),
            *flags,
            *(place_of[t] for t in targets),
        ]
        for variable, source, users in self.kept:
            thing = self.machine_thing(variable, source, place_of, value_of)
            if thing is None:
                return None
            used = {t for formula in users for t in formula.targets}
            words += [*thing, sum(1 << k for k, t in enumerate(targets) if t in used)]
        return words  # type: ignore[return-value]

    def wanted_results(self, result: Any) -> int | None:
        """Which of several results get a history, as bits; None where machine code cannot say."""
        if not self.is_several:
            return 1 if result._dtype.category >= dtypes.FLOATING else None
        if type(result) is not tuple or (len(result) > 60 and not self.op.schema.is_view):
            return None
        without = self.nondifferentiable()
        if self.op.schema.is_view and any(i._dtype.category < dtypes.FLOATING for i in result):
            return None
        return sum(
            1 << k for k, item in enumerate(result[:60])
            if item._dtype.category >= dtypes.FLOATING and k not in without
        )  # fmt: skip

    def machine_thing(
        self, variable: str, source: str, place_of: dict[str, Any], value_of: dict[str, Any]
    ) -> tuple[int, int] | None:
        """Kind and place of one thing that is kept."""
        if variable in self.results:
            if self.is_list:
                return None
            number = self.results.index(variable)
            is_plain = number in self.nondifferentiable()
            return history.KEPT_PLAIN_RESULT if is_plain else history.KEPT_RESULT, number
        for fact, kind in (("_shape", history.KEPT_SIZE), ("_dtype", history.KEPT_DTYPE)):
            owner = variable.removesuffix(fact)
            if variable.endswith(fact) and source == fact_source(owner, fact[1:], None):
                place = place_of.get(owner)
                return None if place is None else (kind, place)
        if variable not in value_of:
            return None
        value = value_of[variable]
        if isinstance(value, Tensor):
            place = place_of[variable]
            return None if place is None else (history.KEPT_TENSOR, place)
        if type(value) is list or (type(value) is tuple and not all(map(is_whole, value))):
            return None
        if place_of[variable] is not None:
            is_integer = isinstance(value, int) and type(value) is not bool
            return (history.KEPT_NUMBER, place_of[variable]) if is_integer else None
        return history.KEPT_OBJECT, symbolic.address(value)

    def gets_several(self) -> bool:
        """Whether gradients of other outputs than the first may arrive, and the first's may not."""
        if not self.is_several or self.op.schema.is_inplace:
            return False
        others = set(range(1, len(self.results)))
        return self.is_list or bool(others - self.nondifferentiable())

    def nondifferentiable(self) -> frozenset[int]:
        return frozenset(self.entry.get("nondifferentiable", ()))

    def conditional(self, source: str, users: list[Formula]) -> str:
        """What is kept, or None where no formula that needs it will run."""
        names = [identifier(a.name) for a in self.targets]
        used = {t for formula in users for t in formula.targets}
        if used >= set(names) or source.startswith("len("):
            return source
        tests = []
        for place, name in enumerate(names):
            if name in used:
                tests.append(
                    f"any(e{place})" if is_list(self.targets[place]) else f"e{place} is not None"
                )
        return f"({source}) if {' or '.join(tests)} else None"


def identifier_list(names: str) -> str:
    return ", ".join(identifier(name.strip()) for name in names.split(","))


def is_list(argument: Argument) -> bool:
    return argument.type.required.kind == "list" and argument.is_tensor_like


def fact_source(name: str, fact: str, argument: Argument | None) -> str:
    one = FACTS[fact]
    if argument is not None and is_list(argument):
        return f"[None if t is None else {one.format('t')} for t in {name}]"
    if argument is not None and argument.type.is_optional:
        return f"None if {name} is None else {one.format(name)}"
    return one.format(name)


def node_name(op: Operator) -> str:
    """`add.Tensor` -> `AddBackward0`; the number counts the overloads that have rules."""
    words = functional_name(op).partition(".")[0].strip("_").removesuffix("_forward").split("_")
    stem = "".join(word[:1].upper() + word[1:] for word in words)
    stem = re.sub(r"\d[a-z]", lambda found: found[0].upper(), stem)
    siblings = [n for n in table() if n.partition(".")[0] == functional_name(op).partition(".")[0]]
    own = functional_name(op)
    return f"{stem}Backward{siblings.index(own) if own in siblings else 0}"


# -- helpers of the generated functions --


def saved_value(place: int) -> Callable[[Node], Any]:
    def get(node: Node) -> Any:
        if node.saved is None:
            raise nodes.freed()
        return node.saved[place]

    return get


def saved_tensor(place: int) -> Callable[[Node], Any]:
    def get(node: Node) -> Any:
        if node.saved is None:
            raise nodes.freed()
        return saved.unpack(node.saved[place], node)

    return get


def raw_saved(place: int) -> Callable[[Node], Any]:
    def get(node: Node) -> Any:
        return RawSaved(node, place)

    return get


class RawSaved:
    """A place where a node keeps a tensor: hooks may be put on it."""

    def __init__(self, node: Node, place: int) -> None:
        self._node, self._place = node, place

    def register_hooks(self, pack: Callable[..., Any], unpack: Callable[..., Any]) -> None:
        kept = self._node.saved
        if kept is None:
            raise nodes.freed()
        item = saved.pack_one(kept[self._place], (pack, unpack))
        self._node.saved = (*kept[: self._place], item, *kept[self._place + 1 :])


def defined(grads: tuple[Any, ...], node: Node) -> list[Any]:
    """Gradients with zeros for those that did not arrive."""
    from rushlight.engine.calls import creation

    return [
        creation.zeros(list(size), dtype) if g is None and dtype.category >= dtypes.FLOATING else g
        for g, (size, dtype) in zip(grads, node.outputs)
    ]


def whole(result: Tensor) -> RuntimeError:
    """What is raised where whole numbers or truth values would get a history."""
    return RuntimeError(f"Autograd not support dtype: {title(result._dtype)}")


def only_real(name: str) -> RuntimeError:
    """What is raised where a complex result would get a history that PyTorch does not give it."""
    return RuntimeError(
        f"{name} does not support automatic differentiation for outputs with complex dtype."
    )


def attach_several(result: Any, node: Node, nondifferentiable: frozenset[int]) -> Any:
    """Make several tensors outputs of a node."""
    for place, item in enumerate(result):
        if item._dtype.category >= dtypes.FLOATING and place not in nondifferentiable:
            metas.set_edge(item, (node, place))
    return result


def attach_view(result: Any, node: Node, replay: Callable[..., Any], source: Tensor) -> Any:
    """Make views outputs of a node."""
    several = type(result) in (tuple, list)
    origin = source._autograd
    for place, item in enumerate(result if several else (result,)):
        if item._dtype.category < dtypes.FLOATING:
            raise whole(item)
        made = metas.ONE_OF_SEVERAL if several else None
        again = None
        if isinstance(origin, metas.ViewMeta):
            made = made or origin.made
        plain = (source if source._base is None else source._base)._dtype
        changes = item._dtype is not plain or (item._keys ^ source._keys) & ~keys.AUTOGRAD
        before = origin.replay if isinstance(origin, metas.ViewMeta) else None
        if changes or before is not None:
            again = view_replay(source, before, replay, place if several else None)
        item._autograd = metas.ViewMeta(item, (node, place), again, made)
        item._keys |= keys.AUTOGRAD
    return result


def view_replay(
    source: Tensor, before: Callable[..., Any] | None, step: Callable[..., Any], place: int | None
) -> Callable[[Tensor], Any]:
    """The function from a base to a view, through the tensor that the view was made of."""
    geometry = source._size, source._stride, source._offset
    is_base = source._base is None

    def replay(base: Tensor) -> Any:
        from rushlight.engine.calls import view

        middle = base
        if before is not None:
            middle = before(base)
        elif not is_base:
            middle = view.as_strided(base, *geometry)
        found = step(middle)
        return found if place is None else found[place]

    return replay


# -- finding rules --


def rule_for(op: Operator) -> Rule | None:
    """The rule of an operator; None if nothing says how it differentiates."""
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


def is_declared_nondifferentiable(op: Operator) -> bool:
    entry = entry_for(op)
    return entry is not None and bool(entry.get("none"))


def entry_for(op: Operator) -> Entry | None:
    """The entry of an operator: its own, that of its functional form, or of the view it copies."""
    if op.namespace != "aten":
        return None
    known = table()
    packet, _, overload = op.base_name.partition(".")
    suffix = f".{overload}" if overload else ""
    for name in (op.base_name, functional_name(op), packet.removesuffix("_copy") + suffix):
        if name in known:
            return known[name]
    return None


def refuses_out(op: Operator) -> bool:
    """Whether an ``out=`` overload may not be called with tensors that want a gradient."""
    wanted = [a for a in op.schema.arguments if a not in op.schema.out_arguments]
    signature = [(a.name, a.type.plain) for a in wanted]
    for other in operators.overloads(f"{op.namespace}::{op.packet_name}"):
        if [(a.name, a.type.plain) for a in other.schema.arguments] == signature:
            entry = entry_for(other) or {}
            return not (entry.get("none") or entry.get("unknown"))
    return True


def tell_layout() -> None:
    """Let machine code make nodes."""
    offset = heap_types.slot_offset
    facts = history.facts
    facts.meta_type, facts.meta_edge = id(metas.Meta), offset(metas.Meta, "edge")
    for name in ("edges", "saved", "seq", "outputs"):
        setattr(facts, f"node_{name}", offset(Node, name))
    facts.meta_retained = offset(metas.Meta, "_retained")
    facts.accumulate_type, facts.nowhere_type = id(nodes.AccumulateGrad), id(nodes.Nowhere)
    facts.result_type = id(saved.SavedResult)
    for name in ("tensor", "version", "output"):
        setattr(facts, f"result_{name}", offset(saved.SavedResult, name))
    facts.result_original = offset(saved.SavedResult, "_original")
    facts.one_of_several = id(metas.ONE_OF_SEVERAL)
    facts.view_type = id(metas.ViewMeta)
    for name in ("view", "edge", "seen"):
        setattr(facts, f"view_{name}", offset(metas.ViewMeta, f"_{name}"))
    facts.view_made = offset(metas.ViewMeta, "made")
    facts.view_replay = offset(metas.ViewMeta, "replay")
    facts.steps, facts.watchers = id(nodes.sequence), id(nodes.when_made)


if heap_types.supported():
    tell_layout()
