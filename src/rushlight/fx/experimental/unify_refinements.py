"""Types of nodes from what must be equal."""

from __future__ import annotations

import importlib.util
from typing import Any

from rushlight.fx.experimental.graph_gradual_typechecker import Refine
from rushlight.fx.experimental.unification import reify, unify
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule

__all__ = [
    "check_for_type_equality",
    "convert_eq",
    "infer_symbolic_types",
    "infer_symbolic_types_single_pass",
    "substitute_all_types",
    "substitute_solution_one_type",
    "unify_eq",
]


def infer_symbolic_types_single_pass(traced: GraphModule) -> None:
    """Give nodes types with variables, equal ones where they must be equal."""
    _refined(traced)


def infer_symbolic_types(traced: GraphModule) -> None:
    """The same until nothing more is found; where sympy is installed, its symbols take the variables' places."""
    _refined(traced)
    refined = _refined(traced)
    if importlib.util.find_spec("sympy") is not None:
        refined.symbolic_relations()


def _refined(traced: GraphModule) -> Refine:
    refined = Refine(traced)
    refined.refine()
    substitute_all_types(traced.graph, unify_eq(refined.constraints))
    return refined


def convert_eq(list_of_eq: list[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The left sides and the right sides."""
    return tuple(one.lhs for one in list_of_eq), tuple(one.rhs for one in list_of_eq)


def unify_eq(list_of_eq: list[Any]) -> Any:
    """What variables must stand for."""
    left, right = convert_eq(list_of_eq)
    return unify(left, right)


def substitute_solution_one_type(mapping: dict[Any, Any], t: Any) -> Any:
    """A type with what its variables stand for."""
    return reify(t, mapping)


def substitute_all_types(graph: Graph, mapping: Any) -> None:
    """The types of all nodes with what their variables stand for."""
    if mapping is False:
        raise TypeError("The types of the graph cannot be made equal where they must be")
    for node in graph.nodes:
        node.type = substitute_solution_one_type(mapping, node.type)


def check_for_type_equality(g1: Graph, g2: Graph) -> bool:
    """Whether the nodes of two graphs have the same kinds and types."""
    return all(a.op == b.op and a.type == b.type for a, b in zip(g1.nodes, g2.nodes))
