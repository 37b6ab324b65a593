"""Finding the nodes that two ways to run a module disagree about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.native.records import dataclass
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg
from rushlight.fx.passes.shape_prop import ShapeProp
from rushlight.fx.passes.split_utils import split_by_tags
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS, NodeList, NodeSet

__all__ = [
    "FxNetMinimizerBadModuleError",
    "FxNetMinimizerResultMismatchError",
    "FxNetMinimizerRunFuncError",
]


class FxNetMinimizerBadModuleError(Exception):
    """The module cannot be taken apart as asked."""


class FxNetMinimizerRunFuncError(Exception):
    """One of the two ways fails."""


class FxNetMinimizerResultMismatchError(Exception):
    """The two ways disagree."""


@dataclass
class _MinimizerSettingBase:
    """How nodes are searched.

    Attributes:
        accumulate_error: whether the second way goes on with its own results
        traverse_method: `sequential`, `binary`, `accumulate` or `skip`
        find_all: whether to go on after the first node
        return_intermediate: whether all values within are compared
        all_outputs: whether all values of a part are compared
    """

    accumulate_error: bool = False
    traverse_method: str = "sequential"
    find_all: bool = False
    return_intermediate: bool = False
    all_outputs: bool = False

    def __str__(self) -> str:
        lines = [f"\t{name}: {value}\n" for name, value in vars(self).items()]
        return "FX Minimizer Settings:\n" + "".join(lines)


class _MinimizerBase:
    """Finds the nodes. Subclasses define `run_a` and `run_b`.

    Args:
        module: the module
        sample_input: arguments that it runs with
        compare_fn: gives for two results and a name a number, and whether they agree
        settings: how to search
        module_exporter: is given parts that disagree
        exclusion_fn: takes nodes away from those that are searched
    """

    def __init__(
        self,
        module: GraphModule,
        sample_input: Any,
        compare_fn: Callable[[Any, Any, list[str]], tuple[float, bool]],
        settings: _MinimizerSettingBase,
        module_exporter: Callable[[Any, GraphModule, str], None] | None = None,
        exclusion_fn: Callable[[NodeList, int, int], None] | None = None,
    ) -> None:
        if not isinstance(module, GraphModule):
            raise AssertionError(f"Expected GraphModule, got {type(module)}")
        self.module = module
        self.sample_input = sample_input
        self.compare_fn = compare_fn
        self.settings = settings
        self.module_exporter = module_exporter
        self.exclusion_fn = exclusion_fn
        # The results of both ways, by the nodes' names.
        self.a_outputs: dict[str, Any] = {}
        self.b_outputs: dict[str, Any] = {}
        self.results: dict[str, float] = {}
        self.reports: list[list[str]] = []
        self.iteration = 0
        parameters = module.graph.find_nodes(op="placeholder")
        for node, value in zip(parameters, sample_input):
            self.a_outputs[node.name] = self.b_outputs[node.name] = value
        self.run_shape_prop()

    def run_shape_prop(self) -> None:
        """Note what is known of the values."""
        ShapeProp(self.module).propagate(*self.sample_input)

    def run_a(self, mod: GraphModule, inputs: Any, report_idx: int = -1) -> Any:
        """Run a part the first way."""
        raise RuntimeError("run_a() is not implemented.")

    def run_b(self, mod: GraphModule, inputs: Any, report_idx: int = -1) -> Any:
        """Run a part the second way."""
        raise RuntimeError("run_b() is not implemented.")

    # -- parts --

    def _tag_nodes(self, selected_nodes: NodeSet) -> None:
        """Let nodes belong to what comes before, to the part, or to what comes behind."""
        behind: NodeSet = set()
        for node in self.module.graph.nodes:
            if node.op not in CALLABLE_NODE_OPS:
                continue
            if node in selected_nodes:
                node.tag = "minimize"
            elif any(used in selected_nodes or used in behind for used in node.all_input_nodes):
                node.tag = "main_1"
                behind.add(node)
            else:
                node.tag = "main_0"
        for node in selected_nodes:
            if any(used in behind for used in node.all_input_nodes):
                raise FxNetMinimizerBadModuleError(
                    f"Node {node} needs what comes behind the part that it is in"
                )

    def _build_submodule(self, nodes: NodeSet) -> tuple[GraphModule, str]:
        """The module taken apart so that some nodes are a part, and that part's name."""
        self._tag_nodes(nodes)
        tags = ["main_0", "minimize", "main_1"]
        used = {n.tag for n in self.module.graph.nodes if n.op in CALLABLE_NODE_OPS}
        split = split_by_tags(self.module, [tag for tag in tags if tag in used])
        if not hasattr(split, "minimize"):
            raise FxNetMinimizerBadModuleError(f"Did not find the part with nodes {nodes}")
        return split, "minimize"

    def _values(self, part: GraphModule) -> tuple[list[Any], list[Any]]:
        """What a part gets in both ways."""
        first, second = [], []
        for node in part.graph.find_nodes(op="placeholder"):
            name = node.name
            if name not in self.a_outputs:
                self._run_first_up_to(name)
            first.append(self.a_outputs[name])
            own = self.settings.accumulate_error and name in self.b_outputs
            second.append(self.b_outputs[name] if own else self.a_outputs[name])
        return first, second

    def _run_first_up_to(self, name: str) -> None:
        """Find the values of all nodes by running the module as it is."""
        from rushlight.fx.interpreter import Interpreter

        outputs = self.a_outputs

        class Noting(Interpreter):
            """Notes values."""

            def run_node(self, n: Node) -> Any:
                outputs.setdefault(n.name, super().run_node(n))
                return outputs[n.name]

        Noting(self.module).run(*self.sample_input)
        if name not in outputs:
            raise FxNetMinimizerBadModuleError(f"There is no value of {name}")

    def _run_and_compare(
        self,
        split_module: GraphModule,
        submod_name: str,
        output_names: list[str],
        report_idx: int = -1,
    ) -> None:
        """Run a part both ways. An error if they disagree."""
        part = getattr(split_module, submod_name)
        first, second = self._values(part)
        names: list[str] = []
        map_arg(part.graph.output_node().args[0], lambda n: names.append(n.name))
        try:
            result_a = self.run_a(part, first, report_idx)
            result_b = self.run_b(part, second, report_idx)
        except Exception as error:
            raise FxNetMinimizerRunFuncError(
                f"Running the part of {names} failed: {error}"
            ) from error
        for store, result in ((self.a_outputs, result_a), (self.b_outputs, result_b)):
            values = result if isinstance(result, (tuple, list)) else (result,)
            store.update(zip(names, values))
        number, agree = self.compare_fn(result_a, result_b, output_names or names)
        name = str(output_names or names)
        self.results[name] = number
        if not agree:
            if self.module_exporter is not None:
                self.module_exporter(first, part, f"{names[0]}_both_ways")
            raise FxNetMinimizerResultMismatchError(f"Result mismatch for {name}")

    def _fails(self, nodes: NodeList, report: list[str]) -> bool:
        """Whether the two ways disagree about nodes."""
        self.iteration += 1
        report.append(f"Iteration {self.iteration}: {[node.name for node in nodes]}")
        try:
            split, name = self._build_submodule(set(nodes))
            self._run_and_compare(split, name, [])
        except (FxNetMinimizerResultMismatchError, FxNetMinimizerRunFuncError) as error:
            report.append(f"  {error}")
            return True
        report.append("  agree")
        return False

    # -- searches --

    def _sequential_traverse(self, nodes: NodeList) -> NodeSet:
        """Look at one node after the other."""
        report: list[str] = []
        self.reports.append(report)
        culprits: NodeSet = set()
        for node in nodes:
            if self._fails([node], report):
                culprits.add(node)
                if not self.settings.find_all:
                    break
        return culprits

    def _binary_search_impl(self, all_nodes: NodeList, start_idx: int, end_idx: int) -> NodeSet:
        nodes = all_nodes[start_idx:end_idx]
        report: list[str] = []
        self.reports.append(report)
        if not nodes or not self._fails(nodes, report):
            return set()
        if len(nodes) == 1:
            return set(nodes)
        middle = start_idx + len(nodes) // 2
        found = self._binary_search_impl(all_nodes, start_idx, middle)
        if found and not self.settings.find_all:
            return found
        found |= self._binary_search_impl(all_nodes, middle, end_idx)
        # If no half fails alone, it is both together.
        return found or set(nodes)

    def _binary_traverse(self, nodes: NodeList) -> NodeSet:
        """Look at halves."""
        return self._binary_search_impl(nodes, 0, len(nodes))

    def _accumulate_traverse(self, nodes: NodeList) -> NodeSet:
        """Look at more and more nodes from the first on."""
        report: list[str] = []
        self.reports.append(report)
        for end in range(1, len(nodes) + 1):
            if self._fails(nodes[:end], report):
                return {nodes[end - 1]}
        return set()

    def _skip_traverse(self, all_nodes: NodeList, skip_nodes: list[str]) -> NodeSet:
        """Look at all nodes together but some."""
        report: list[str] = []
        self.reports.append(report)
        kept = [node for node in all_nodes if node.name not in skip_nodes]
        return set(kept) if kept and self._fails(kept, report) else set()

    def _collect_nodes(self, start: str | None, end: str | None) -> NodeList:
        """The nodes from one to another, by names."""
        nodes = [node for node in self.module.graph.nodes if node.op in CALLABLE_NODE_OPS]
        names = [node.name for node in nodes]
        first = names.index(start) if start is not None else 0
        last = names.index(end) if end is not None else len(nodes) - 1
        return nodes[first : last + 1]

    def run_nodes(self, start: str | None = None, end: str | None = None) -> None:
        """Run nodes both ways; an error if the ways disagree."""
        split, name = self._build_submodule(set(self._collect_nodes(start, end)))
        self._run_and_compare(split, name, [])

    def print_report(self, report: list[str]) -> None:
        """Print what one search did."""
        print("\n".join(report))

    def print_reports(self) -> None:
        """Print what all searches did."""
        for report in self.reports:
            self.print_report(report)

    def minimize(
        self,
        start: str | None = None,
        end: str | None = None,
        skip_nodes: list[str] | None = None,
        find_last_node: bool | None = None,
    ) -> NodeSet:
        """The nodes that the two ways disagree about.

        Args:
            start: the name of the first node to look at
            end: the name of the last one
            skip_nodes: names of nodes to leave out, for `skip`
            find_last_node: not used by these searches
        """
        print(self.settings)
        nodes = self._collect_nodes(start, end)
        if self.exclusion_fn is not None:
            self.exclusion_fn(nodes, 0, len(nodes))
        method = self.settings.traverse_method
        if method == "skip":
            return self._skip_traverse(nodes, skip_nodes or [])
        searches = {
            "sequential": self._sequential_traverse,
            "binary": self._binary_traverse,
            "accumulate": self._accumulate_traverse,
        }
        if method not in searches:
            raise RuntimeError(f"Unknown traverse method {method}!")
        return searches[method](nodes)
