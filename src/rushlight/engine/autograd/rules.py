"""Rules: from a formula to a class of nodes, and to the function that records one.

Both are Python source made for one operator, without tests that its schema has already decided.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import formulas, saved
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.backward_source import run_function
from rushlight.engine.autograd.derivative_table import Entry, functional_name, table
from rushlight.engine.autograd.formulas import Formula, fact_source
from rushlight.engine.autograd.node import Node
from rushlight.engine.autograd.recording.machine_words import machine_words
from rushlight.engine.autograd.recording.record_source import recorder
from rushlight.engine.core.size import Size
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument, is_tensor_list
from rushlight.engine.dispatch.source import identifier


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
        self.make = recorder(self, False)
        self.record = recorder(self, True)
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
            if is_tensor_list(argument):
                name = identifier(argument.name)
                kept.append((f"{name}_length", f"len({name})", self.formulas))
        return kept

    def kept_source(self, name: str, argument: Argument | None) -> str:
        if argument is None:
            if self.is_several and self.results.index(name) in self.nondifferentiable():
                # It has no history, and so keeps no node alive.
                return (
                    f"({name}, {name}._storage_._version if {name}._counter_ is None "
                    f"else {name}._counter_.value)"
                )
            if self.op.schema.is_inplace or not self.is_several:
                return f"SavedResult({name})"
            return f"SavedResult({name}, {self.results.index(name)})"
        if not argument.is_tensor_like:
            return name
        if is_tensor_list(argument):
            return f"[None if t is None else pair_of(t) for t in {name}]"
        pair = (
            f"({name}, {name}._storage_._version if {name}._counter_ is None "
            f"else {name}._counter_.value)"
        )
        return f"None if {name} is None else {pair}" if argument.type.is_optional else pair

    def is_tensor(self, variable: str) -> bool:
        return variable in self.results or any(
            identifier(a.name) == variable and a.is_tensor_like for a in self.arguments
        )

    # -- the node --
    def node_class(self) -> type[Node]:
        body: dict[str, Any] = {"run": run_function(self), "rule": self}
        keeps_tensors = any(self.is_tensor(variable) for variable, _, _ in self.kept)
        # PyTorch has the number as one more tensor, which wants no gradient.
        body["numbers"] = int(modes.shown(self.op) is not self.op)
        body["same_kind"] = bool(self.entry.get("same_kind"))
        targets = {identifier(a.name) for a in self.targets}
        body["keeps_sometimes"] = not self.entry.get("released") and all(
            {t for f in users for t in f.targets} < targets
            for variable, _, users in self.kept
            if self.is_tensor(variable)
        )
        body["keeps_tensors"] = self.entry.get("released", keeps_tensors)
        for place, (variable, _, _) in enumerate(self.kept):
            getter = saved_tensor(place) if self.is_tensor(variable) else saved_value(place)
            body[f"_saved_{shown_name(variable)}"] = property(getter)
            if self.is_tensor(variable):
                body[f"_raw_saved_{variable.rstrip('_')}"] = property(raw_saved(place))
        name = self.entry.get("name") or node_name(self.op)
        return type(name, (Node,), body)

    def is_size(self, name: str) -> bool:
        """Whether integers that are kept under this name follow from sizes."""
        types = [str(a.type) for a in self.arguments if identifier(a.name) == name]
        facts = ("_shape", "_count", "_strides", "_offset")
        return types[0].startswith("SymInt") if types else name.endswith(facts)

    def machine_words(
        self, places: list[int | None], values: list[Any], result: Any
    ) -> list[int] | None:
        """The step as words for machine code, if it is of the simple kind."""
        return machine_words(self, places, values, result)

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
                    f"any(e{place})"
                    if is_tensor_list(self.targets[place])
                    else f"e{place} is not None"
                )
        return f"({source}) if {' or '.join(tests)} else None"


def shown_name(variable: str) -> str:
    """The name by which programs find what a node keeps."""
    for fact, name in _SHOWN_FACTS.items():
        if variable.endswith(fact):
            return variable.removesuffix(fact) + name
    return variable.rstrip("_")


_SHOWN_FACTS = {"_shape": "_sym_sizes", "_strides": "_sym_strides", "_count": "_sym_numel"}


def identifier_list(names: str) -> str:
    return ", ".join(identifier(name.strip()) for name in names.split(","))


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
        found = node.saved[place]
        return tuple(found) if type(found) is Size else found

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
