"""Formulas of operators' entries as source: what they name is what a node keeps.

A formula is a Python expression over the operator's arguments, its results and `grad` (for several
results: `grads[i]`). `self.shape` and its kin keep the fact alone, not the tensor.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import field

from rushlight.engine.dispatch.schema import Argument, is_tensor_list
from rushlight.engine.native.records import dataclass

# Facts of a tensor that a formula may use without keeping the tensor.
FACTS = {
    "shape": "{0}._size_",
    "dtype": "{0}._dtype_",
    "ndim": "len({0}._size_)",
    "count": "{0}._numel_",
    "strides": "{0}._stride_",
    "offset": "{0}._offset_",
    "device": "{0}._storage_.device",
    "layout": "{0}.layout",
    # The sizes of the blocks that a sparse tensor's values are.
    "block": "getattr(getattr({0}._storage_, '_owner', None), 'block', None)",
    # What owns the memory: of a nested tensor, its parts.
    "parts": "getattr({0}._storage_, '_owner', None)",
    "is_complex": "({0}._dtype_.category == 3)",
}

# Helpers that only compute with the tensors they are given.
OPERANDS_OF = {"conj", "scaled"}


@dataclass
class Formula:
    """One expression, for the gradients of one or several arguments."""

    targets: tuple[str, ...]
    source: str
    # Arguments and results that are kept as they are.
    names: set[str] = field(default_factory=set)
    # (argument, fact)
    facts: set[tuple[str, str]] = field(default_factory=set)
    # Names that are more than operands: the formula calls their methods or hands them on.
    opened: set[str] = field(default_factory=set)

    @functools.cached_property
    def variables(self) -> set[str]:
        """All names in the source."""
        return {n.id for n in ast.walk(ast.parse(self.source)) if isinstance(n, ast.Name)}

    @property
    def is_name(self) -> bool:
        """Whether the formula is nothing but a value."""
        return self.source.isidentifier()


def parse(targets: str, text: str, known: set[str]) -> Formula:
    """Read a formula; ``known`` are the names of arguments and results."""
    formula = Formula(tuple(t.strip() for t in targets.split(",")), "")
    tree = ast.parse(" ".join(text.split()), mode="eval")
    tree = ast.fix_missing_locations(_Reader(formula, known).visit(tree))
    formula.source = ast.unparse(tree)
    return formula


class _Reader(ast.NodeTransformer):
    """Finds what an expression uses, and gives facts names of their own."""

    def __init__(self, formula: Formula, known: set[str]) -> None:
        self.formula = formula
        self.known = known

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = node.value
        if isinstance(owner, ast.Name) and owner.id in self.known and node.attr in FACTS:
            self.formula.facts.add((owner.id, node.attr))
            return ast.Name(f"{owner.id}_{node.attr}", ast.Load())
        if isinstance(owner, ast.Name):
            self.formula.opened.add(owner.id)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called not in OPERANDS_OF and not called.startswith("gradient_of_"):
            inner = [n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)]
            self.formula.opened.update(n for n in inner if n in self.known)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.known:
            self.formula.names.add(node.id)
        return node


def fact_source(name: str, fact: str, argument: Argument | None) -> str:
    one = FACTS[fact]
    if argument is not None and is_tensor_list(argument):
        return f"[None if t is None else {one.format('t')} for t in {name}]"
    if argument is not None and argument.type.is_optional:
        return f"None if {name} is None else {one.format(name)}"
    return one.format(name)
