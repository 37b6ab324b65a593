"""A program that was exported: its graph, what its inputs and outputs are, and its parameters."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rushlight.engine.native.records import dataclass
from rushlight.export.decomp_utils import CustomDecompTable
from rushlight.export.graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    CustomObjArgument,
    ExportGraphSignature,
    InputKind,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.nn import Parameter
from rushlight.utils import _pytree as pytree

__all__ = [
    "ArgumentSpec",
    "ConstantArgument",
    "CustomObjArgument",
    "ExportedProgram",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "SymBoolArgument",
    "SymFloatArgument",
    "SymIntArgument",
    "TensorArgument",
    "default_decompositions",
]


@dataclass
class ModuleCallSignature:
    """How a module is called.

    Args:
        inputs: the nodes of its arguments
        outputs: the nodes of its results
        in_spec: how its arguments are nested
        out_spec: how its results are nested
        forward_arg_names: what its arguments are called
    """

    inputs: list[ArgumentSpec]
    outputs: list[ArgumentSpec]
    in_spec: Any
    out_spec: Any
    forward_arg_names: list[str] | None = None

    def replace_all_uses_with(self, original_node: Any, new_node: Any) -> None:
        """Let one node stand for another."""
        for one in (*self.inputs, *self.outputs):
            if one.name == original_node.name:
                one.name = new_node.name


@dataclass
class ModuleCallEntry:
    """A module that is called, and how, if that was asked for."""

    fqn: str
    signature: ModuleCallSignature | None = None


@dataclass(frozen=True)
class CallSpec:
    """How a program's arguments and results are nested."""

    in_spec: Any
    out_spec: Any


def default_decompositions() -> CustomDecompTable:
    """What `run_decompositions` takes operators apart with unless it is told otherwise."""
    return CustomDecompTable()


class ExportedProgram:
    """A graph of operators, with the tensors that it needs besides a call's arguments.

    Args:
        root: a module with the graph's attributes
        graph: the graph
        graph_signature: what its inputs and outputs are
        state_dict: parameters and buffers
        range_constraints: between which numbers sizes lie
        module_call_graph: the modules that were called
        example_inputs: what it was exported with
        constants: other tensors, by name
    """

    _guards_code: list[str]
    # What was in the way, of a program of `draft_export`.
    _report: Any = None

    def __init__(
        self,
        root: Any,
        graph: Graph,
        graph_signature: ExportGraphSignature,
        state_dict: dict[str, Any],
        range_constraints: dict[Any, Any],
        module_call_graph: list[ModuleCallEntry],
        example_inputs: Any = None,
        constants: dict[str, Any] | None = None,
        *,
        verifiers: list[Any] | None = None,
    ) -> None:
        from rushlight._export.verifier import TrainingIRVerifier

        if isinstance(root, GraphModule) and root.graph is graph:
            self._graph_module = root
        else:
            self._graph_module = GraphModule(root, graph)
        self._graph_signature = graph_signature
        self._state_dict = state_dict
        self._range_constraints = range_constraints
        self._module_call_graph = module_call_graph
        self._example_inputs = example_inputs
        self._constants = constants or {}
        self._guards_code = []
        self._verifiers = [TrainingIRVerifier] if verifiers is None else verifiers
        self._validate()

    # -- its parts --

    @property
    def graph_module(self) -> GraphModule:
        """The graph as a module of flat inputs: parameters, buffers, constants, arguments."""
        return self._graph_module

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph_module.graph

    @property
    def graph_signature(self) -> ExportGraphSignature:
        """What the graph's inputs and outputs are."""
        return self._graph_signature

    @property
    def state_dict(self) -> dict[str, Any]:
        """Parameters and persistent buffers."""
        return self._state_dict

    @property
    def constants(self) -> dict[str, Any]:
        """Other tensors that the graph takes, by name."""
        return self._constants

    tensor_constants = constants

    @property
    def range_constraints(self) -> dict[Any, Any]:
        """Between which numbers sizes lie."""
        return self._range_constraints

    @property
    def module_call_graph(self) -> list[ModuleCallEntry]:
        """The modules that were called."""
        return self._module_call_graph

    @property
    def example_inputs(self) -> Any:
        """The arguments, and those by name, that it was exported with."""
        return self._example_inputs

    @example_inputs.setter
    def example_inputs(self, value: Any) -> None:
        if value is None:
            self._example_inputs = None
            return
        if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], tuple)):
            raise ValueError(
                "Example inputs should be a tuple containing example arguments (as a tuple), and "
                "example kwargs (as a dictionary)."
            )
        from rushlight.export._unlift import check_inputs_match

        check_inputs_match(value[0], value[1], self.call_spec.in_spec)
        self._example_inputs = value

    @property
    def call_spec(self) -> CallSpec:
        """How arguments and results are nested."""
        root = self._module_call_graph[0].signature
        assert root is not None
        return CallSpec(root.in_spec, root.out_spec)

    @property
    def verifier(self) -> Any:
        """What checks the graph."""
        return self._verifiers[0]

    @property
    def verifiers(self) -> list[Any]:
        """All that check the graph."""
        return self._verifiers

    @property
    def dialect(self) -> str:
        """The name of what the graph is made of."""
        return self._verifiers[0].dialect  # type: ignore[no-any-return]

    def parameters(self) -> Iterator[Parameter]:
        """The parameters."""
        for _, value in self.named_parameters():
            yield value

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their names."""
        for name in self.graph_signature.parameters:
            yield name, self.state_dict[name]

    def buffers(self) -> Iterator[Any]:
        """The buffers."""
        for _, value in self.named_buffers():
            yield value

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """The buffers with their names."""
        passing = set(self.graph_signature.non_persistent_buffers)
        for name in self.graph_signature.buffers:
            yield name, self.constants[name] if name in passing else self.state_dict[name]

    @property
    def _num_lifted_params_buffers(self) -> int:
        kinds = [s.kind is InputKind.USER_INPUT for s in self.graph_signature.input_specs]
        return kinds.index(True) if True in kinds else len(kinds)

    # -- what it does --

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def module(self, check_guards: bool = True) -> GraphModule:
        """A module that is called as the exported one was, with parameters and buffers of its own.

        Args:
            check_guards: whether it checks that arguments have sizes that the program allows
        """
        from rushlight.export._unlift import unlifted

        return unlifted(self, check_guards)

    def run_decompositions(
        self,
        decomp_table: Mapping[Any, Callable[..., Any]] | None = None,
        decompose_custom_triton_ops: bool = False,
    ) -> ExportedProgram:
        """The same program with no writes in its graph, and operators taken apart.

        Args:
            decomp_table: what operators are traced as; core operators are left without it
            decompose_custom_triton_ops: accepted
        """
        from rushlight.export._decomposing import decomposed

        table = default_decompositions() if decomp_table is None else decomp_table
        materialized = table.materialize() if isinstance(table, CustomDecompTable) else dict(table)
        return decomposed(self, materialized)

    def _transform_do_not_use(self, *passes: Callable[[GraphModule], Any]) -> ExportedProgram:
        """The program after passes over its graph, which keep its inputs."""
        module: Any = self.graph_module
        for one in passes:
            found = one(module)
            if found is not None and found.modified:
                module = found.graph_module
        signature = copy.deepcopy(self.graph_signature)
        places = module.graph.find_nodes(op="placeholder")
        for spec, node in zip(signature.input_specs, places, strict=True):
            if spec.arg.name != node.name:
                signature.replace_all_uses(spec.arg.name, node.name)
        returned = pytree.tree_leaves(module.graph.output_node().args[0])
        for out, node in zip(signature.output_specs, returned, strict=True):
            if hasattr(node, "name"):
                out.arg.name = node.name
        made = ExportedProgram(
            module, module.graph, signature, self.state_dict, dict(self.range_constraints),
            copy.deepcopy(self.module_call_graph), self.example_inputs, self.constants,
            verifiers=self.verifiers,
        )  # fmt: skip
        made._guards_code = self._guards_code
        return made

    def _update(
        self, graph_module: GraphModule, graph_signature: Any, **other: Any
    ) -> ExportedProgram:
        """The program with another graph, in which each part of a result is fetched once."""
        _fetch_once(graph_module, graph_signature)
        made = ExportedProgram(
            graph_module, graph_module.graph, graph_signature,
            other.get("state_dict", self.state_dict), copy.deepcopy(self.range_constraints),
            copy.deepcopy(self.module_call_graph), self.example_inputs,
            other.get("constants", self.constants), verifiers=other.get("verifiers", self.verifiers),
        )  # fmt: skip
        made._guards_code = self._guards_code
        return made

    def _get_flat_args_with_check(self, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], Any]:
        from rushlight.export._unlift import check_inputs_match, check_sizes

        flat = check_inputs_match(args, kwargs, self.call_spec.in_spec)
        check_sizes(self, flat)
        return tuple(flat), self.call_spec.in_spec

    def _graph_module_flat_inputs(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """What the graph takes for a call's arguments."""
        flat, _ = self._get_flat_args_with_check(args, kwargs)
        return (*self._lifted_inputs(), *flat)

    def _lifted_inputs(self) -> list[Any]:
        found = []
        for spec in self.graph_signature.input_specs:
            if spec.kind is InputKind.USER_INPUT:
                continue
            is_kept = (
                spec.kind in (InputKind.PARAMETER, InputKind.BUFFER)
                and spec.persistent is not False
            )
            assert spec.target is not None
            table = (
                self.state_dict if is_kept and spec.target in self.state_dict else self.constants
            )
            found.append(table[spec.target])
        return found

    def validate(self) -> None:
        """Raise if the graph is not what it should be."""
        self._validate()

    def _validate(self) -> None:
        for verifier in self._verifiers:
            verifier().check(self)

    def __str__(self) -> str:
        text = self.graph_module.print_readable(
            print_output=False, colored=False, include_stride=False, include_device=False
        )
        lines = [
            "ExportedProgram:",
            "    " + text.replace("\n", "\n    "),
            "Graph signature: " + str(self.graph_signature).replace("\n", "\n    "),
            f"Range constraints: {self.range_constraints}",
        ]
        return "\n".join(lines) + "\n"

    __repr__ = object.__repr__


def _fetch_once(module: GraphModule, signature: ExportGraphSignature) -> None:
    """Let nodes that fetch the same part of a result be one."""
    known: dict[Any, Any] = {}
    for node in module.graph.find_nodes(op="call_function", target=operator.getitem):
        first = known.setdefault(tuple(node.args), node)
        if first is not node:
            node.replace_all_uses_with(first)
            signature.replace_all_uses(node.name, first.name)
            module.graph.erase_node(node)
    module.recompile()
