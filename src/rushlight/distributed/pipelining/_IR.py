"""Pipelines that are cut from an exported program.

A module is exported once. Marks in its graph say where a stage ends. What is computed before a mark and used behind it
goes from a stage to the next one, also through stages that have no use for it.
"""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from enum import Enum
from typing import Any

import rushlight as torch
from rushlight import export, fx, nn
from rushlight.distributed.pipelining.stage import PipelineStage
from rushlight.engine.native.records import dataclass
from rushlight.library import Library
from rushlight.utils import _pytree as pytree

__all__ = ["Pipe", "SplitPoint", "annotate_split_points", "pipe_split", "pipeline"]

_library = Library("pippy", "DEF")
_library.define("_pipe_split() -> ()")
_library.impl("_pipe_split", lambda: None, "CompositeExplicitAutograd")
_COPY = torch.ops.aten.copy_.default


class SplitPoint(Enum):
    """On which side of a submodule a module is cut."""

    BEGINNING = 1
    END = 2


def pipe_split() -> None:
    """Mark, in a module's code, where it is cut; it computes nothing."""
    torch.ops.pippy._pipe_split()


@dataclass
class PipeInfo:
    """What is told of a pipeline: the graph that calls its stages, and how many there are."""

    graph: fx.Graph
    num_stages: int
    has_loss_and_backward: bool = False


# -- marks --


def annotate_split_points(mod: nn.Module, spec: dict[str, SplitPoint]) -> None:
    """Let a module be cut before or behind submodules.

    Args:
        mod: the module
        spec: the sides, by the names of submodules
    """
    for name, point in spec.items():
        if not isinstance(point, SplitPoint):
            raise ValueError(f"Unknown split point type: {name} has {point!r}")
        try:
            child = mod.get_submodule(name)
        except AttributeError:
            raise AttributeError(
                f"Specified target {name} referenced nonexistent module in {type(mod).__name__}"
            ) from None
        child.forward = _marked(child.forward, point)  # type: ignore[method-assign]


def _marked(forward: Callable[..., Any], point: SplitPoint) -> Callable[..., Any]:
    @functools.wraps(forward)
    def run(*args: Any, **kwargs: Any) -> Any:
        if point is SplitPoint.BEGINNING:
            pipe_split()
        made = forward(*args, **kwargs)
        if point is SplitPoint.END:
            pipe_split()
        return made

    return run


@contextmanager
def _with_marks(mod: nn.Module, spec: dict[str, SplitPoint]) -> Iterator[None]:
    """Cut before or behind submodules for a block; the module is as it was afterwards."""
    before = {child: child.__dict__.get("forward") for _, child in mod.named_modules()}
    try:
        annotate_split_points(mod, spec)
        yield
    finally:
        for child, forward in before.items():
            if forward is None:
                child.__dict__.pop("forward", None)
            else:
                child.__dict__["forward"] = forward


# -- the cut --


@dataclass
class _Cut:
    """The nodes of a graph by stages.

    Args:
        stages: the nodes that each stage computes
        inputs: what the program is given
        output: what it returns
    """

    stages: list[list[fx.Node]] = field(default_factory=lambda: [[]])
    inputs: list[fx.Node] = field(default_factory=list)
    output: Any = None
    stage_of: dict[fx.Node, int] = field(default_factory=dict)

    def carried(self, stage: int) -> list[fx.Node]:
        """What a stage is given: all that was made before it and is used in it or behind it."""
        if stage == 0:
            return self.inputs
        last = len(self.stages) - 1
        found = []
        for node, made in self.stage_of.items():
            uses = [
                last if user.op == "output" else self.stage_of.get(user, -1) for user in node.users
            ]
            if made < stage and max(uses, default=-1) >= stage:
                found.append(node)
        return found


def _cut(graph: fx.Graph) -> _Cut:
    found = _Cut()
    for node in graph.nodes:
        if node.op == "placeholder":
            found.inputs.append(node)
            found.stage_of[node] = 0
        elif node.op == "output":
            found.output = node.args[0]
        elif node.target is torch.ops.pippy._pipe_split.default:
            found.stages.append([])
        elif node.op == "call_function":
            # A buffer is written where what is written to it was computed.
            place = len(found.stages) - 1
            if node.target is _COPY and node.args[0].op == "get_attr":
                place = found.stage_of.get(node.args[1], place)
            found.stages[place].append(node)
            found.stage_of[node] = place
    return found


def _writes(node: fx.Node, name: str) -> bool:
    """Whether an operator writes to an attribute of the module."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return False
    return any(
        argument.alias_info is not None and argument.alias_info.is_write
        for argument, given in zip(node.target._schema.arguments, node.args)
        if isinstance(given, fx.Node) and given.op == "get_attr" and str(given.target) == name
    )


def _check_written_in_one_stage(cut: _Cut, graph: fx.Graph) -> None:
    """Raise for a buffer that one stage writes and another one has: each stage has its own, so they would differ."""
    users: dict[str, set[fx.Node]] = {}
    for node in graph.nodes:
        if node.op == "get_attr":
            users.setdefault(str(node.target), set()).update(node.users)
    for name, using in users.items():
        stages = sorted({cut.stage_of[user] for user in using if user in cut.stage_of})
        is_written = any(_writes(user, name) for user in using)
        if is_written and len(stages) > 1:
            raise NotImplementedError(
                f"pipeline: {name} is used by the stages {stages} and written by one of them; a buffer that is "
                "written can be in one stage only"
            )


def _stage_graph(cut: _Cut, stage: int, out_spec: Any) -> fx.Graph:
    """What a stage computes, from what it is given to what the next one is."""
    graph = fx.Graph()
    made: dict[fx.Node, fx.Node] = {}
    for node in cut.carried(stage):
        made[node] = graph.placeholder(str(node.target) if node.op == "placeholder" else node.name)

    def own(node: fx.Node) -> fx.Node:
        if node not in made:
            assert node.op == "get_attr"
            made[node] = graph.get_attr(str(node.target))
        return made[node]

    for node in cut.stages[stage]:
        made[node] = graph.node_copy(node, own)
    if stage + 1 < len(cut.stages):
        graph.output(tuple(made[node] for node in cut.carried(stage + 1)))
    else:
        leaves = [own(x) if isinstance(x, fx.Node) else x for x in pytree.tree_leaves(cut.output)]
        graph.output(pytree.tree_unflatten(leaves, out_spec))
    return graph


def _replicate(stages: dict[str, nn.Module]) -> list[dict[str, str]]:
    """Give each stage its own copy of parameters that several have; their names by stage, for each such parameter."""
    names: dict[nn.Parameter, dict[str, list[str]]] = {}
    for stage, module in stages.items():
        for name, parameter in module.named_parameters(remove_duplicate=False):
            names.setdefault(parameter, {}).setdefault(stage, []).append(name)
    shared = {p: by_stage for p, by_stage in names.items() if len(by_stage) > 1}
    for parameter, by_stage in shared.items():
        for stage, own_names in by_stage.items():
            own = copy.deepcopy(parameter)
            for name in own_names:
                path, _, last = name.rpartition(".")
                setattr(stages[stage].get_submodule(path), last, own)
    return [{stage: own[0] for stage, own in by_stage.items()} for by_stage in shared.values()]


class Pipe(nn.Module):
    """A module in stages: a module for each, and a graph that calls one after the other.

    A parameter that several stages use is copied for each of them. `replicated_params` has its names by stage: the
    program adds up their gradients before the optimizer's step.

    Args:
        split_gm: calls the stages, its submodules
        num_stages: how many there are
    """

    def __init__(self, split_gm: fx.GraphModule, num_stages: int) -> None:
        super().__init__()
        self.split_gm, self.num_stages = split_gm, num_stages
        self.has_loss_and_backward = False
        self.replicated_params = _replicate(dict(split_gm.named_children()))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What all stages compute, one after the other, in this process."""
        return self.split_gm(*args, **kwargs)

    def get_stage_module(self, stage_idx: int) -> nn.Module:
        """The module of a stage."""
        if not 0 <= stage_idx < self.num_stages:
            raise ValueError(f"Invalid stage index {stage_idx}!")
        return self.split_gm.get_submodule(f"submod_{stage_idx}")

    def info(self) -> PipeInfo:
        """What `build_stage` is told of the pipeline."""
        return PipeInfo(self.split_gm.graph, self.num_stages, self.has_loss_and_backward)

    def build_stage(self, stage_index: int, device: Any, group: Any = None) -> PipelineStage:
        """A stage for schedules.

        Args:
            stage_index: its number
            device: where it computes
            group: the processes of the pipeline; None for all
        """
        return build_stage(
            self.get_stage_module(stage_index), stage_index, self.info(), device, group
        )

    def print_readable(self) -> None:
        """Print the code of the pipeline and of its stages."""
        self.split_gm.print_readable()

    def __str__(self) -> str:
        return str(self.split_gm)

    def __repr__(self) -> str:
        return repr(self.split_gm)


def build_stage(
    stage_module: nn.Module,
    stage_index: int,
    pipe_info: PipeInfo,
    device: Any,
    group: Any = None,
) -> PipelineStage:
    """A stage for schedules, of a module that `Pipe.get_stage_module` has given.

    Args:
        stage_module: the module
        stage_index: its number
        pipe_info: what `Pipe.info` gives
        device: where it computes
        group: the processes of the pipeline; None for all
    """
    return PipelineStage(
        stage_module.to(device), stage_index, pipe_info.num_stages, device, group=group
    )


def _split(traced: fx.GraphModule) -> Pipe:
    cut = _cut(traced.graph)
    _check_written_in_one_stage(cut, traced.graph)
    out_spec = traced.graph._codegen.pytree_info.out_spec  # type: ignore[attr-defined]
    root = nn.Module()
    graph = fx.Graph()
    values: Any = tuple(graph.placeholder(str(node.target)) for node in cut.inputs)
    for stage in range(len(cut.stages)):
        own = _stage_graph(cut, stage, out_spec)
        root.add_module(f"submod_{stage}", fx.GraphModule(traced, own, f"Stage{stage}"))
        called: Any = graph.call_module(f"submod_{stage}", values)
        if stage + 1 < len(cut.stages):
            count = len(cut.carried(stage + 1))
            values = tuple(graph.call_function(operator.getitem, (called, k)) for k in range(count))
        else:
            graph.output(called)
    return Pipe(fx.GraphModule(root, graph, "Pipe"), len(cut.stages))


def pipeline(
    module: nn.Module,
    mb_args: tuple[Any, ...],
    mb_kwargs: dict[str, Any] | None = None,
    split_spec: dict[str, SplitPoint] | None = None,
    split_policy: Callable[[fx.GraphModule], fx.GraphModule] | None = None,
) -> Pipe:
    """Cut a module into stages.

    Args:
        module: the module; it may say in its code where it is cut (`pipe_split`)
        mb_args: arguments for a microbatch, as an example
        mb_kwargs: those with names
        split_spec: on which side of submodules it is cut, by their names
        split_policy: puts marks (`torch.ops.pippy._pipe_split`) into the graph
    """
    if split_spec is not None and split_policy is not None:
        raise ValueError(
            "Cannot specify both `split_spec` and `split_policy`. Please use only one of them."
        )
    with _with_marks(module, split_spec or {}):
        traced: Any = export.export(module, tuple(mb_args), mb_kwargs).module()
    if split_policy is not None:
        traced = split_policy(traced)
    return _split(traced)
