"""Taking a module apart into what a backend can run and what stays."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import rushlight
from rushlight.engine.native.records import dataclass
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.operator_support import OperatorSupportBase
from rushlight.fx.passes.shape_prop import ShapeProp
from rushlight.fx.passes.split_utils import (
    move_non_tensor_nodes_on_boundary,
    split_by_tags,
)
from rushlight.fx.passes.tools_common import (
    CALLABLE_NODE_OPS,
    FxNetAccFusionsFinder,
    NodeList,
    NodeSet,
    get_node_target,
    is_node_output_tensor,
)

__all__ = [
    "FxNetAccNodesFinder",
    "FxNetSplitterInternalError",
    "SplitResult",
    "Subgraph",
    "generate_inputs_for_submodules",
]

DEFAULT_MIN_ACC_MODULE_SIZE = 1
DEFAULT_SKIP_FUSION = False
DEFAULT_ALLOW_NON_TENSOR = False


class FxNetSplitterInternalError(Exception):
    """The module cannot be taken apart."""


class _SplitterSettingBase:
    """What decides how a module is taken apart.

    Args:
        min_acc_module_size: how many nodes a part for the backend has at least
        skip_fusion: whether nodes between which no tensors go may be separated
        allow_non_tensor: whether what goes to and from the backend may be no tensor
        max_acc_splits: how many parts for the backend there may be; any number if negative
        move_non_tensor_nodes_on_boundary: whether nodes whose values are no tensors move at the ends
    """

    def __init__(
        self,
        min_acc_module_size: int = DEFAULT_MIN_ACC_MODULE_SIZE,
        skip_fusion: bool = DEFAULT_SKIP_FUSION,
        allow_non_tensor: bool = DEFAULT_ALLOW_NON_TENSOR,
        max_acc_splits: int = -1,
        move_non_tensor_nodes_on_boundary: bool = False,
    ) -> None:
        parser = argparse.ArgumentParser()
        parser.add_argument("--min-acc-module-size", "--min_acc_module_size", type=int)
        parser.add_argument("--max-acc-splits", "--max_acc_splits", type=int)
        parser.add_argument("--skip-fusion", "--skip_fusion", action="store_true", default=None)
        parser.add_argument(
            "--allow-non-tensor", "--allow_non_tensor", action="store_true", default=None
        )
        asked, _ = parser.parse_known_args()
        self.min_acc_module_size = _first(asked.min_acc_module_size, min_acc_module_size)
        self.skip_fusion = _first(asked.skip_fusion, skip_fusion)
        self.allow_non_tensor = _first(asked.allow_non_tensor, allow_non_tensor)
        self.max_acc_splits = _first(asked.max_acc_splits, max_acc_splits)
        self.move_non_tensor_nodes_on_boundary = move_non_tensor_nodes_on_boundary


def _first(asked: Any, otherwise: Any) -> Any:
    return otherwise if asked is None else asked


class FxNetAccNodesFinder:
    """Finds the nodes that a backend can run.

    Args:
        module: the module
        operator_support: says which nodes can be run
        allow_non_tensor: whether what goes to and from the backend may be no tensor
    """

    def __init__(
        self, module: GraphModule, operator_support: OperatorSupportBase, allow_non_tensor: bool
    ) -> None:
        self.module = module
        self.operator_support = operator_support
        self.allow_non_tensor = allow_non_tensor
        self.acc_nodes: NodeSet = set()

    def __call__(self) -> NodeSet:
        """The nodes."""
        submodules = dict(self.module.named_modules())
        self.acc_nodes = {
            node
            for node in self.module.graph.nodes
            if node.op in CALLABLE_NODE_OPS
            and self.operator_support.is_node_supported(submodules, node)
        }
        if not self.allow_non_tensor:
            self._keep_tensors_at_the_ends()
        return self.acc_nodes

    def _keep_tensors_at_the_ends(self) -> None:
        """Take away nodes that get or give, across the border, what is no tensor."""
        changed = True
        while changed:
            crossing = {
                node
                for node in self.acc_nodes
                if any(
                    used not in self.acc_nodes
                    and used.op in CALLABLE_NODE_OPS
                    and not is_node_output_tensor(used)
                    for used in node.all_input_nodes
                )
                or (
                    not is_node_output_tensor(node)
                    and any(user not in self.acc_nodes for user in node.users)
                )
            }
            self.acc_nodes -= crossing
            changed = bool(crossing)


@dataclass
class Subgraph:
    """Nodes that stay together."""

    is_acc: bool
    nodes: NodeList
    device_ordinal: int | None = None


class SplitResult(NamedTuple):
    """A module taken apart.

    Attributes:
        split_module: the module
        submodule_inputs: what each part gets when the module gets its sample
        non_acc_submodule_prefix: what the names of parts that stay begin with
    """

    split_module: GraphModule
    submodule_inputs: dict[str, Any]
    non_acc_submodule_prefix: str


def generate_inputs_for_submodules(
    model: Any, inputs: Sequence[Any], target_submodules: Iterable[str], deepcopy: bool = False
) -> dict[str, Any]:
    """What submodules get when a module gets some arguments.

    Args:
        model: the module
        inputs: the arguments
        target_submodules: the paths of the submodules
        deepcopy: whether to copy what they get before they may change it
    """
    wanted, found, hooks = set(target_submodules), {}, []

    def note(name: str) -> Any:
        def hook(module: Any, given: Any) -> None:
            found[name] = copy.deepcopy(given) if deepcopy else given

        return hook

    for name, module in model.named_modules():
        if name in wanted:
            hooks.append(module.register_forward_pre_hook(note(name)))
    try:
        with rushlight.no_grad():
            model(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return found


class _SplitterBase:
    """Takes a module apart. Subclasses say how a part becomes the backend's.

    Args:
        module: the module
        sample_input: arguments that it runs with
        operator_support: says which nodes can be run
        settings: what decides how
        non_acc_submodule_name: what the names of parts that stay begin with
        return_tuple: whether a part with one result returns a tuple too
        nodes_finder: finds the nodes that can be run
    """

    PCIe_BW = 100 * 2**30

    def __init__(
        self,
        module: GraphModule,
        sample_input: Sequence[Any],
        operator_support: OperatorSupportBase,
        settings: _SplitterSettingBase,
        non_acc_submodule_name: str = "_run_on_cpu_",
        return_tuple: bool = False,
        nodes_finder: FxNetAccNodesFinder | None = None,
    ) -> None:
        if not isinstance(module, GraphModule):
            raise AssertionError(f"Expected GraphModule, got {type(module)}")
        self.module = module
        ShapeProp(module).propagate(*sample_input)
        self.settings = settings
        self.operator_support = operator_support
        self.sample_input = sample_input
        finder = nodes_finder or FxNetAccNodesFinder(
            module, operator_support, settings.allow_non_tensor
        )
        self.acc_nodes = finder()
        self.fusions: dict[Node, NodeSet] = (
            {} if settings.skip_fusion else FxNetAccFusionsFinder(module, self.acc_nodes)()
        )
        self.non_acc_submodule_name = non_acc_submodule_name
        self._return_tuple = return_tuple
        self.tags: list[str] = []
        self._node_submodule_map: dict[str, str] = {}

    def get_node_submodule_map(self) -> dict[str, str]:
        """The part that each node came to, by names."""
        return self._node_submodule_map

    # -- parts --

    def put_nodes_into_subgraphs(self) -> list[Subgraph]:
        """The nodes in groups, by turns for the backend and not, each as large as can be."""
        nodes = [node for node in self.module.graph.nodes if node.op in CALLABLE_NODE_OPS]
        waiting = {
            node: {used for used in node.all_input_nodes if used.op in CALLABLE_NODE_OPS}
            for node in nodes
        }
        left = dict.fromkeys(nodes)
        done: NodeSet = set()
        groups: list[Subgraph] = []
        is_acc = not any(node not in self.acc_nodes for node in nodes if not waiting[node])
        while left:
            group: NodeList = []
            changed = True
            while changed:
                changed = False
                for node in list(left):
                    if (node in self.acc_nodes) is is_acc and self._can_come(
                        node, is_acc, waiting, done
                    ):
                        for member in self._together(node, left):
                            del left[member]
                            done.add(member)
                            group.append(member)
                        changed = True
            if group:
                order = {node: place for place, node in enumerate(nodes)}
                groups.append(Subgraph(is_acc, sorted(group, key=order.__getitem__)))
            elif (
                groups
                and groups[-1].is_acc is not is_acc
                and not self._any_can_come(left, waiting, done)
            ):
                raise FxNetSplitterInternalError("Subgraph can't be empty")
            is_acc = not is_acc
        return groups

    def _together(self, node: Node, left: Mapping[Node, Any]) -> list[Node]:
        return [n for n in self.fusions.get(node, {node}) if n in left]

    def _can_come(
        self, node: Node, is_acc: bool, waiting: Mapping[Node, NodeSet], done: NodeSet
    ) -> bool:
        """Whether all that a node, and those that stay with it, need is there."""
        members = self.fusions.get(node, {node})
        return all(waiting[member] <= done | members for member in members)

    def _any_can_come(
        self, left: Mapping[Node, Any], waiting: Mapping[Node, NodeSet], done: NodeSet
    ) -> bool:
        return any(self._can_come(n, n in self.acc_nodes, waiting, done) for n in left)

    def remove_small_acc_subgraphs(self, subgraphs: list[Subgraph]) -> list[Subgraph]:
        """Let groups that are too small for the backend stay; those that meet become one."""
        result: list[Subgraph] = []
        for group in subgraphs:
            is_acc = group.is_acc and len(group.nodes) >= self.settings.min_acc_module_size
            if result and not is_acc and not result[-1].is_acc:
                result[-1].nodes.extend(group.nodes)
            else:
                result.append(Subgraph(is_acc, list(group.nodes), group.device_ordinal))
        return result

    def tag(self, subgraphs: list[Subgraph]) -> None:
        """Give nodes the names of their parts."""
        self.tags = []
        for index, group in enumerate(subgraphs):
            name = (
                f"_run_on_acc_{index}" if group.is_acc else f"{self.non_acc_submodule_name}{index}"
            )
            self.tags.append(name)
            for node in group.nodes:
                if hasattr(node, "tag"):
                    raise FxNetSplitterInternalError(f"Node {node} was already tagged")
                node.tag = name  # type: ignore[attr-defined]
                self._node_submodule_map[node.name] = name

    def split(self, remove_tag: bool = False) -> GraphModule:
        """The module of the parts, by the names that nodes were given."""
        made: GraphModule = split_by_tags(self.module, self.tags, return_tuple=self._return_tuple)
        if remove_tag:
            for node in self.module.graph.nodes:
                if hasattr(node, "tag"):
                    del node.tag
        return made

    def _groups(self) -> list[Subgraph]:
        groups = self.remove_small_acc_subgraphs(self.put_nodes_into_subgraphs())
        count = sum(group.is_acc for group in groups)
        most = self.settings.max_acc_splits
        if 0 < most < count:
            raise ValueError(
                f"Cannot fulfill max_acc_splits limit. This may cause split fragmentation and "
                f"result in performance issues: {count} parts, at most {most} are allowed"
            )
        if self.settings.move_non_tensor_nodes_on_boundary:
            move_non_tensor_nodes_on_boundary(groups)
        return groups

    def __call__(self) -> GraphModule:
        """The module of the parts."""
        self.tag(self._groups())
        return self.split()

    def generate_split_results(self) -> SplitResult:
        """The module of the parts, and what these get for the sample."""
        split = self()
        names = [name for name, _ in split.named_children()]
        inputs = generate_inputs_for_submodules(split, self.sample_input, names)
        return SplitResult(split, inputs, self.non_acc_submodule_name)

    # -- what would happen --

    def _lower_model_to_backend(self, mod: GraphModule, inputs: Any) -> Any:
        """A part as the backend has it; as it is, unless a subclass says otherwise."""
        return mod

    def node_support_preview(self, dump_graph: bool = False) -> str:
        """Which targets can be run, with the types of their arguments."""
        submodules = dict(self.module.named_modules())
        kinds: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
        for node in self.module.graph.nodes:
            if node.op in CALLABLE_NODE_OPS:
                types = tuple(
                    str(getattr(used.meta.get("tensor_meta"), "dtype", None))
                    for used in node.all_input_nodes
                )
                target = get_node_target(submodules, node)
                kinds[node in self.acc_nodes].add((target, str(types)))
        lines = []
        for title, found in (("Supported", kinds[True]), ("Unsupported", kinds[False])):
            lines.append(f"{title} node types in the model:")
            lines += [f"{target}: {types}" for target, types in sorted(found)] or ["none"]
            lines.append("")
        return "\n".join(lines)

    def split_preview(self, dump_graph: bool = False) -> str:
        """How many parts there would be, and what is in them."""
        groups = self._groups()
        count = sum(group.is_acc for group in groups)
        lines = [
            f"Before removing small acc subgraphs, total {len(self.put_nodes_into_subgraphs())} "
            f"subgraphs are created.",
            f"After removing small acc subgraphs, total {len(groups)} subgraphs are created: "
            f"{count} acc subgraphs and {len(groups) - count} cpu subgraphs.",
        ]
        for index, group in enumerate(groups):
            name = (
                f"_run_on_acc_{index}" if group.is_acc else f"{self.non_acc_submodule_name}{index}"
            )
            lines.append(f"{name}: {len(group.nodes)} node(s)")
        return "\n".join(lines)
