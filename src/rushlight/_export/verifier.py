"""What an exported graph may be made of."""

from __future__ import annotations

import operator
from typing import Any

import rushlight
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight.engine.dispatch.operator import Operator
from rushlight.export.graph_signature import InputKind, OutputKind
from rushlight.fx.node import Node
from rushlight.utils import _pytree as pytree

__all__ = ["SpecViolationError", "TrainingIRVerifier", "Verifier", "load_verifier"]


class SpecViolationError(Exception):
    """A graph has what exported graphs do not have."""


_BUILTINS = {
    operator.getitem, operator.add, operator.mul, operator.sub, operator.truediv, operator.ge,
    operator.le, operator.gt, operator.lt, operator.eq, operator.ne, operator.floordiv, operator.mod,
    operator.and_, operator.or_, operator.not_, operator.pow, operator.neg, operator.abs,
    operator.lshift, operator.rshift, rushlight.sym_float, rushlight.sym_int, rushlight.sym_max,
    rushlight.sym_min, rushlight.sym_not, rushlight.sym_ite, rushlight._C._set_grad_enabled,
}  # fmt: skip
_WRITES = (
    OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION, OutputKind.PARAMETER_MUTATION,
)  # fmt: skip


class Verifier:
    """Checks that a graph calls operators only, and writes to nothing."""

    dialect = "ATEN"

    def check(self, program: Any) -> None:
        """Raise `SpecViolationError` if a program's graph is not of this kind."""
        self.check_graph_module(program.graph_module)
        _check_signature(program)

    def check_graph_module(self, module: Any) -> None:
        """Raise `SpecViolationError` if a graph, or one within, is not of this kind."""
        for one in [module, *module.modules()]:
            if not isinstance(one, rushlight.fx.GraphModule):
                continue
            one.graph.lint()
            for node in one.graph.nodes:
                self._check_node(one, node)

    def _check_node(self, module: Any, node: Node) -> None:
        if node.op in ("call_module", "call_method"):
            raise SpecViolationError(
                f"call_{node.op[5:]} is not valid: got a {node.op} node {node}."
            )
        if node.op == "call_function":
            self.check_valid_op(node.target)

    def check_valid_op(self, op: Any) -> None:
        """Raise `SpecViolationError` if graphs of this kind do not call an operator."""
        if op in _BUILTINS or isinstance(op, HigherOrderOperator):
            return
        if not isinstance(op, Operator):
            raise SpecViolationError(
                f"Operator '{op}' is not an allowed operator type: an overload of an operator"
            )
        self.check_operator(op)

    def check_operator(self, op: Operator) -> None:
        """Raise `SpecViolationError` if an operator writes to its arguments."""
        writes = op.schema.mutated and not op.schema.out_arguments
        if writes and op.overloadpacket.__name__ not in ("copy_", "sym_constrain_range"):
            raise SpecViolationError(f"operator '{op}' is not functional")

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.check(*args, **kwargs)


class TrainingIRVerifier(Verifier):
    """Checks that a graph calls operators only; they may write."""

    dialect = "TRAINING"

    def check_operator(self, op: Operator) -> None:
        """Operators may write."""


def _check_signature(program: Any) -> None:
    signature, graph = program.graph_signature, program.graph
    places = graph.find_nodes(op="placeholder")
    if len(places) != len(signature.input_specs):
        raise SpecViolationError(
            f"Number of graph inputs ({len(places)}) does not match number of inputs in the graph "
            f"signature ({len(signature.input_specs)})"
        )
    for node, spec in zip(places, signature.input_specs):
        if spec.arg.name != node.name:
            raise SpecViolationError(
                f"Input spec {spec} does not match the graph's input {node.name}"
            )
        if spec.kind is InputKind.PARAMETER and spec.target not in program.state_dict:
            raise SpecViolationError(f"Parameter {spec.target} is not in the state dict.")
        if spec.kind is InputKind.CONSTANT_TENSOR and spec.target not in program.constants:
            raise SpecViolationError(
                f"Constant tensor {spec.target} is not in the constants dictionary."
            )
    returned = pytree.tree_leaves(graph.output_node().args[0])
    if len(returned) != len(signature.output_specs):
        raise SpecViolationError(
            f"Number of output nodes {len(returned)} is different Than the number of outputs specified "
            f"by the graph signature: {len(signature.output_specs)}"
        )
    targets = {s.target for s in signature.input_specs} | {
        s.arg.name for s in signature.input_specs
    }
    for node, out in zip(returned, signature.output_specs):
        if isinstance(node, Node) and node.name != out.arg.name:
            raise SpecViolationError(
                f"Output spec {out} does not match the graph's output {node.name}"
            )
        if out.kind in _WRITES and out.target not in targets:
            raise SpecViolationError(f"{out.target}, which the graph changes, is no input of it")


def load_verifier(dialect: str) -> type[Verifier]:
    """The verifier of graphs of a kind."""
    found = {kind.dialect: kind for kind in (Verifier, TrainingIRVerifier)}
    return found.get(dialect, Verifier)
