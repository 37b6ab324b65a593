"""What is noted of nodes while others are run and traced again."""

from __future__ import annotations

import contextlib
import copy
import functools
import traceback
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, ParamSpec, TypeVar

from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

__all__ = [
    "NodeSource",
    "NodeSourceAction",
    "annotate",
    "annotate_fn",
    "format_stack",
    "get_current_meta",
    "get_current_replay_node",
    "get_graph_provenance_json",
    "has_preserved_node_meta",
    "preserve_node_meta",
    "reset_grad_fn_seq_nr",
    "set_current_meta",
    "set_current_replay_node",
    "set_grad_fn_seq_nr",
    "set_stack_trace",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")

current_meta: dict[str, Any] = {}
current_replay_node: Node | None = None
should_preserve_node_meta = False

# What a node takes over from the one that is replayed.
_COPY_META_FIELDS = [
    "nn_module_stack", "torch_fn", "source_fn_stack", "original_aten", "recompute", "ac_graph_id",
    "has_backward_hook", "from_node", "quantization_tag", "_numeric_debug_handle", "custom",
    "partitioner_tag", "arg_kwarg_vals",
]  # fmt: skip


class NodeSourceAction(Enum):
    """What a pass did to a node."""

    CREATE = "create"
    REPLACE = "replace"


class NodeSource:
    """Where a node comes from: another one, or a pass.

    Args:
        node: the other node
        pass_name: the pass
        action: what it did
    """

    class NodeInfo:
        """What is kept of the other node."""

        def __init__(self, name: str, target: str, graph_id: int) -> None:
            self.name = name
            self.target = target
            self.graph_id = graph_id

    def __init__(
        self,
        node: Node | None,
        pass_name: str = "",
        action: NodeSourceAction | list[NodeSourceAction] | None = None,
    ) -> None:
        self.pass_name = pass_name
        actions = [] if action is None else action if isinstance(action, list) else [action]
        if not all(isinstance(one, NodeSourceAction) for one in actions):
            raise AssertionError(f"action must be of NodeSourceAction, got {action}")
        self.action = actions
        self.from_node: list[NodeSource] = []
        self.node_info: NodeSource.NodeInfo | None = None
        if node is not None:
            self.node_info = self.NodeInfo(node.name, str(node.target), id(node.graph))
            self.from_node = copy.deepcopy(node.meta.get("from_node", []))

    @property
    def name(self) -> str:
        """The other node's name."""
        return self.node_info.name if self.node_info else ""

    @property
    def target(self) -> str:
        """The other node's target."""
        return self.node_info.target if self.node_info else ""

    @property
    def graph_id(self) -> int:
        """A number of the other node's graph."""
        return self.node_info.graph_id if self.node_info else -1

    def __repr__(self) -> str:
        return self.print_readable()

    def _get_action_string(self) -> str:
        return "+".join(one.name.lower() for one in self.action)

    def print_readable(self, indent: int = 0) -> str:
        """The source and its own sources, one in a line."""
        if indent > 9:
            return ""
        text = (
            " " * (indent * 4)
            + f"(name={self.name}, pass_name={self.pass_name}, "
            + f"action={self._get_action_string()}, graph_id={self.graph_id})\n"
        )
        return text + "".join(one.print_readable(indent + 1) for one in self.from_node)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "name": self.name,
            "target": self.target,
            "graph_id": self.graph_id,
            "pass_name": self.pass_name,
            "action": self._get_action_string(),
            "from_node": [one.to_dict() for one in self.from_node],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeSource) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(_frozen(self.to_dict()))

    @classmethod
    def _from_dict(cls, d: dict[str, Any] | None) -> NodeSource | None:
        if not isinstance(d, dict):
            raise AssertionError(f"Expected a dict, got {type(d)}")
        made = cls.__new__(cls)
        made.pass_name = d.get("pass_name", "")
        text = d.get("action", "")
        made.action = [NodeSourceAction[one.upper()] for one in text.split("+") if one]
        made.node_info = None
        if "name" in d and "graph_id" in d:
            made.node_info = cls.NodeInfo(d["name"], d.get("target", ""), d["graph_id"])
        made.from_node = [
            one for one in map(cls._from_dict, d.get("from_node", [])) if one is not None
        ]
        return made


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _frozen(item)) for key, item in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Within the block new nodes take over what is noted now."""
    global should_preserve_node_meta, current_meta
    before, noted = should_preserve_node_meta, current_meta.copy()
    should_preserve_node_meta = enable or before
    try:
        yield
    finally:
        should_preserve_node_meta = before
        current_meta = noted


def has_preserved_node_meta() -> bool:
    """Whether new nodes take over what is noted now."""
    return should_preserve_node_meta


def _take_over(node: Node) -> None:
    """Let a new node have what is noted now."""
    if current_meta.get("stack_trace"):
        node.stack_trace = current_meta["stack_trace"]
    for field in _COPY_META_FIELDS:
        if field in current_meta:
            node.meta[field] = copy.copy(current_meta[field])
    for key in ("seq_nr", "autograd_backward"):
        if key in current_meta:
            node.meta[key] = current_meta[key]


def set_stack_trace(stack: list[str]) -> None:
    """Note where the program is."""
    if should_preserve_node_meta and stack:
        current_meta["stack_trace"] = "".join(stack)


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Within the block new nodes have entries of their own in `meta["custom"]`."""
    before = current_meta.get("custom", {})
    had = "custom" in current_meta
    current_meta["custom"] = {**before, **annotation_dict}
    try:
        yield
    finally:
        if had:
            current_meta["custom"] = before
        else:
            current_meta.pop("custom", None)


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """`annotate` as a decorator."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def annotated(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return annotated

    return decorate


def set_grad_fn_seq_nr(seq_nr: int) -> None:
    """Note the number of the node of autograd that is run."""
    if should_preserve_node_meta:
        current_meta["grad_fn_seq_nr"] = [*current_meta.get("grad_fn_seq_nr", []), seq_nr]
        current_meta["in_grad_fn"] = current_meta.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr() -> None:
    """Take `set_grad_fn_seq_nr` back."""
    if should_preserve_node_meta:
        level = current_meta["in_grad_fn"]
        if level <= 0:
            raise AssertionError(f"current_level must be > 0, got {level}")
        if level == 1:
            del current_meta["in_grad_fn"], current_meta["grad_fn_seq_nr"]
        else:
            current_meta["in_grad_fn"] = level - 1
            current_meta["grad_fn_seq_nr"].pop()


def format_stack() -> list[str]:
    """Where the program is: as noted, or as it is."""
    if should_preserve_node_meta:
        return [current_meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


@contextlib.contextmanager
def set_current_meta(node: Node, pass_name: str = "") -> Iterator[None]:
    """Within the block new nodes take over what is noted of a node."""
    global current_meta
    if not (should_preserve_node_meta and node.meta):
        yield
        return
    before = current_meta
    noted = node.meta.copy()
    # The new node comes from this one.
    noted["from_node"] = [NodeSource(node, pass_name, NodeSourceAction.CREATE)]
    current_meta = noted
    try:
        yield
    finally:
        current_meta = before


def get_current_meta() -> dict[str, Any]:
    """What is noted now."""
    return current_meta


@contextlib.contextmanager
def set_current_replay_node(node: Node | None) -> Iterator[None]:
    """Within the block a node is the one that is run."""
    global current_replay_node
    before = current_replay_node
    current_replay_node = node
    try:
        yield
    finally:
        current_replay_node = before


def get_current_replay_node() -> Node | None:
    """The node that is run now."""
    return current_replay_node


def get_graph_provenance_json(graph: Graph) -> dict[str, Any]:
    """Where the calls of a graph come from, by their names."""
    return {
        node.name: [source.to_dict() for source in node.meta["from_node"]]
        if "from_node" in node.meta
        else []
        for node in graph.nodes
        if node.op == "call_function" or "from_node" in node.meta
    }
