"""Recording: what is done to fakes becomes nodes of a graph."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

from rushlight import overrides
from rushlight._C import DisableTorchFunction
from rushlight._capture.breaks import Break
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node
from rushlight.utils import _pytree as pytree

# Methods behind Python's signs, as functions of `operator`.
SIGNS: dict[str, Any] = {
    f"__{name}__": getattr(operator, name)
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
        "lshift", "rshift", "neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge",
        "iadd", "isub", "imul", "itruediv", "getitem", "setitem",
    )
}  # fmt: skip
SIGNS |= {"__and__": operator.and_, "__or__": operator.or_}
SWAPPED = {"__radd__": operator.add, "__rmul__": operator.mul, "__rsub__": operator.sub}
# What ends a graph: it asks for elements, or goes back through what the graph records.
ENDS = {
    "backward", "item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__",
    "__complex__", "__array__", "data_ptr", "register_hook", "requires_grad_", "retain_grad",
    "grad", "set_", "share_memory_", "__contains__", "is_nonzero", "storage",
    "untyped_storage", "set_default_dtype", "manual_seed", "seed", "save", "load",
}  # fmt: skip


class Recorder(overrides.TorchFunctionMode):
    """Notes calls with fakes as nodes; a mode of the thread while a graph is being made."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.fakes = FakeTensorMode()
        self._nodes: dict[int, tuple[Node, Any]] = {}
        self._last_input: Node | None = None
        # Whether gradients are recorded where the graph ends.
        self.grad_mode = True

    def admit(self, tensor: Tensor, source: str) -> Any:
        """The fake of a tensor of the program: an input of the graph."""
        with DisableTorchFunction():
            fake = self.fakes.from_tensor(tensor)
        name = "".join(c if c.isalnum() else "_" for c in source).strip("_")
        first = next(iter(self.graph.nodes), None)
        place = self.graph.inserting_before(first) if self._last_input is None else (
            self.graph.inserting_after(self._last_input)
        )  # fmt: skip
        with place:
            node = self.graph.placeholder(f"L_{name}_")
        self._last_input = node
        node.meta["example_value"] = fake
        self.track(fake, node)
        return fake

    def track(self, fake: Any, node: Node) -> None:
        self._nodes[id(fake)] = node, fake

    def node_of(self, fake: Any) -> Node | None:
        found = self._nodes.get(id(fake))
        return None if found is None else found[0]

    def note(self, target: Callable[..., Any], *args: Any) -> None:
        """A call that gives no tensor but changes how those behind it are made."""
        self.graph.call_function(target, args)

    # -- calls --

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return self.call(func, args, kwargs or {})

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function with fakes: a node of the graph."""
        name = getattr(func, "__name__", str(func))
        if name in ENDS:
            raise Break(f"a call of {name}")
        values, _ = pytree.tree_flatten((args, kwargs))
        for value in values:
            if isinstance(value, Tensor) and self.node_of(value) is None:
                raise Break(f"{name} with a tensor that the graph does not know")
        result = func(*args, **kwargs)
        found = [r for r in pytree.tree_leaves(result) if isinstance(r, FakeTensor)]
        if not found and name not in ("__setitem__", "manual_seed"):
            return result
        node = self._created(func, name, args, kwargs)
        node.meta["example_value"] = result
        self._track_results(result, node)
        return result

    def _track_results(self, result: Any, node: Node) -> None:
        if isinstance(result, FakeTensor):
            self.track(result, node)
        elif isinstance(result, (tuple, list)):
            for place, item in enumerate(result):
                if pytree.tree_leaves(item):
                    part = self.graph.call_function(operator.getitem, (node, place))
                    part.meta["example_value"] = item
                    self._track_results(item, part)
        elif isinstance(result, dict):
            for key, item in result.items():
                part = self.graph.call_function(operator.getitem, (node, key))
                self._track_results(item, part)

    def _created(self, func: Any, name: str, args: tuple[Any, ...], kwargs: Any) -> Node:
        given, named = pytree.tree_map(self._as_node, (args, kwargs))
        if name in SWAPPED and len(given) == 2:
            return self.graph.call_function(SWAPPED[name], given[::-1])
        if name in SIGNS:
            return self.graph.call_function(SIGNS[name], given, named)
        if name == "__get__":
            return self.graph.call_function(getattr, (given[0], _attribute_of(func)))
        is_method = hasattr(Tensor, name) and getattr(Tensor, name) == func
        if is_method and isinstance(args[0], Tensor):
            return self.graph.call_method(name, given, named)
        return self.graph.call_function(func, given, named)

    def _as_node(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self.node_of(value)
        return value


def _attribute_of(getter: Any) -> str:
    """The name of the attribute that a descriptor's ``__get__`` reads."""
    for name in dir(Tensor):
        if inspect.getattr_static(Tensor, name) is getter.__self__:
            return name
    raise Break("an attribute without a name is read")
