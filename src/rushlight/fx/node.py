"""A step of a graph, its arguments and its users."""

from __future__ import annotations

import operator
import types
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Union

import rushlight
from rushlight.amp import autocast_mode
from rushlight.autograd import grad_mode
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.engine.dispatch.tags import Tag
from rushlight.fx._names import qualified_name as _get_qualified_name
from rushlight.fx.immutable_collections import immutable_dict, immutable_list
from rushlight.nn import attention

if TYPE_CHECKING:
    from rushlight.fx.graph import Graph

__all__ = [
    "Argument",
    "BaseArgumentTypes",
    "Node",
    "Target",
    "has_side_effect",
    "map_aggregate",
    "map_arg",
]

BaseArgumentTypes = Union[
    str, int, float, bool, complex, "rushlight.dtype", "rushlight.Tensor", "rushlight.device",
    "rushlight.memory_format", "rushlight.layout",
]  # fmt: skip
base_types = (str, int, float, bool, complex, rushlight.dtype, rushlight.Tensor, rushlight.device,
              rushlight.memory_format, rushlight.layout)  # fmt: skip
Target = Union[Callable[..., Any], str]
Argument = Any
_Function = TypeVar("_Function", bound=Callable[..., Any])

_legal_ops = dict.fromkeys(("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"))  # fmt: skip

# Functions that are called for what they do and not for what they return.
_side_effectful_need_to_be_preserved_pre_dispatch: list[Callable[..., Any]] = []
_side_effectful_functions: set[Callable[..., Any]] = {
    rushlight._assert,
    rushlight._C._set_grad_enabled,
    autocast_mode._enter_autocast,
    autocast_mode._exit_autocast,
    grad_mode._enter_inference_mode,
    grad_mode._exit_inference_mode,
    attention._enter_kernels,
    attention._exit_kernels,
    operator.setitem,
}


def has_side_effect(fn: _Function) -> _Function:
    """Say that a function is called for what it does: its calls are never dead code."""
    _side_effectful_functions.add(fn)
    return fn


# -- arguments --


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """An argument with every node in it replaced by ``fn(node)``."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def map_aggregate(
    a: Any, fn: Callable[[Any], Any], made: Callable[[list[Any]], list[Any]] = immutable_list
) -> Any:
    """An argument with every leaf replaced; lists and dictionaries become immutable.

    Args:
        a: the argument
        fn: what replaces a leaf
        made: the class of the new lists
    """
    kind = type(a)
    if kind is tuple:
        return tuple([map_aggregate(item, fn, made) for item in a])
    if isinstance(a, list):
        return made([map_aggregate(item, fn, made) for item in a])
    if isinstance(a, tuple):
        items = [map_aggregate(item, fn, made) for item in a]
        return kind(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn, made) for key, value in a.items()})
    if kind is slice:
        return slice(*[map_aggregate(part, fn, made) for part in (a.start, a.stop, a.step)])
    return fn(a)


_LEAVES = frozenset((int, float, bool, str, type(None), complex, type(Ellipsis)))


def _collect(a: Any, inputs: dict[Node, None]) -> Any:
    """An argument as a node keeps it; the nodes in it are added to `inputs`."""
    kind = type(a)
    if kind is Node:
        inputs[a] = None
        return a
    if kind in _LEAVES:
        return a
    if kind is tuple:
        return tuple([_collect(item, inputs) for item in a])
    if kind is list or kind is immutable_list:
        return immutable_list([_collect(item, inputs) for item in a])
    if kind is dict or kind is immutable_dict:
        return immutable_dict({key: _collect(value, inputs) for key, value in a.items()})
    if kind is slice:
        return slice(_collect(a.start, inputs), _collect(a.stop, inputs), _collect(a.step, inputs))
    return map_aggregate(a, lambda item: _noted(item, inputs))


def _noted(item: Any, inputs: dict[Node, None]) -> Any:
    if isinstance(item, Node):
        inputs[item] = None
    return item


# -- text --


def _type_repr(obj: object) -> str:
    """The text of a type."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        if obj.__module__ == "builtins":
            return obj.__qualname__
        named = _get_qualified_name(obj)
        return f"{named.rpartition('.')[0]}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    origin = getattr(obj, "__origin__", None)
    if origin is not None and getattr(obj, "__args__", None):
        text = repr(obj)
        return text.replace("rushlight.engine.core.tensor.Tensor", "torch.Tensor")
    return repr(obj).replace("rushlight.engine.core.tensor.Tensor", "torch.Tensor")


def _format_arg(arg: object, max_list_len: float = float("inf")) -> str:
    """The text of an argument in the text of a graph."""
    if hasattr(arg, "_custom_fx_repr_fn"):
        return str(arg._custom_fx_repr_fn())
    if isinstance(arg, (list, tuple)):
        items = [_format_arg(item) for n, item in enumerate(arg) if n < max_list_len]
        if len(arg) > max_list_len:
            items.append(f"...[total_len={len(arg)}]")
        if isinstance(arg, list):
            return f"[{', '.join(items)}]"
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_format_arg(value)}" for key, value in arg.items()) + "}"
    return "%" + str(arg) if isinstance(arg, Node) else str(arg)


class Node:
    """A step of a graph.

    Args:
        graph: the graph that it belongs to
        name: its name in generated code
        op: what kind of step it is: `placeholder`, `get_attr`, `call_function`, `call_module`,
            `call_method` or `output`
        target: what it calls or fetches
        args: its positional arguments, among which are other nodes
        kwargs: its keyword arguments
        return_type: the type of its value
    """

    graph: Graph
    name: str
    op: str
    target: Any
    users: dict[Node, None]
    _input_nodes: dict[Node, None]
    _args: Any
    _kwargs: Any
    _prev: Node
    _next: Node
    _erased: bool
    _position: int
    type: Any
    meta: dict[str, Any]
    _repr_fn: Callable[[Node], str] | None

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        return_type: Any | None = None,
    ) -> None:
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                    f"{_type_name(target)} but a Callable is expected"
                )
        elif op not in _legal_ops:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        elif not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                f"{_type_name(target)} but a str is expected"
            )
        inputs: dict[Node, None] = {}
        # Past `__setattr__`, which tells others of changes.
        self.__dict__ = {
            "graph": graph, "name": name, "op": op, "target": target, "type": return_type,
            "users": {}, "meta": {}, "_input_nodes": inputs, "_args": (), "_kwargs": {},
            "_prev": self, "_next": self, "_erased": False, "_position": 0, "_repr_fn": None,
        }  # fmt: skip
        self.__dict__["_args"] = _collect(args, inputs)
        self.__dict__["_kwargs"] = _collect(kwargs, inputs)
        for node in inputs:
            node.users[self] = None

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "name":
            graph_module = self.graph.owning_module
            for hook in getattr(graph_module, "_replace_hooks", ()):
                for user in self.users:
                    hook(old=self, new=value, user=user)
        elif name in ("op", "target"):
            self.graph._forget_lookups()
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        del state["_erased"], state["_prev"], state["_next"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _erased=False, _prev=self, _next=self)

    # -- order --

    @property
    def next(self) -> Node:
        """The node behind this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    @property
    def _sort_key(self) -> tuple[int, ...]:
        self.graph._number_nodes()
        return (self._position,)

    def __lt__(self, other: Node) -> bool:
        return self._sort_key < other._sort_key

    def __gt__(self, other: Node) -> bool:
        return self._sort_key > other._sort_key

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or self > other

    def prepend(self, x: Node) -> None:
        """Move a node of this graph to the place before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            warnings.warn(
                "Trying to prepend a node to itself. This behavior has no effect on the graph.",
                stacklevel=2,
            )
            return
        _unlink(x)
        _link(self.__dict__["_prev"], x, self)
        self.graph._ordered = False

    def append(self, x: Node) -> None:
        """Move a node of this graph to the place behind this one."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        _unlink(self)

    # -- arguments and users --

    @property
    def args(self) -> tuple[Any, ...]:
        """The positional arguments."""
        return self.__dict__["_args"]  # type: ignore[no-any-return]

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        self._update_args_kwargs(args, self.__dict__["_kwargs"])

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keyword arguments."""
        return self.__dict__["_kwargs"]  # type: ignore[no-any-return]

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Any]) -> None:
        self._update_args_kwargs(self.__dict__["_args"], kwargs)

    def _update_args_kwargs(self, args: Any, kwargs: Any) -> None:
        """Take other arguments; those who are used, and no longer used, know it afterwards."""
        own = self.__dict__
        for node in own["_input_nodes"]:
            node.users.pop(self, None)
        inputs: dict[Node, None] = {}
        own["_args"], own["_kwargs"] = _collect(args, inputs), _collect(kwargs, inputs)
        own["_input_nodes"] = inputs
        for node in inputs:
            node.users[self] = None

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Any) -> None:
        """Replace one positional argument."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Put another positional argument before the one at an index."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError(
                f"insert_args index must be between 0 and len(self.args), got {idx}"
            )
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Set one keyword argument."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Put another node everywhere this one is an argument; returns the nodes that had it.

        Args:
            replace_with: the other node
            delete_user_cb: says which users change; all if None
            propagate_meta: whether the other node, which has none, takes over what is noted of this
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                    "replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [u for u in self.users if delete_user_cb is None or delete_user_cb(u)]
        hooks = getattr(self.graph.owning_module, "_replace_hooks", ())
        for user in changed:
            for hook in hooks:
                hook(old=self, new=replace_with.name, user=user)
            user._replace(self, replace_with)
        return changed

    def _replace(self, old: Node, new: Any) -> None:
        def other(node: Any) -> Any:
            return new if node is old else node

        self._update_args_kwargs(
            map_aggregate(self._args, other), map_aggregate(self._kwargs, other)
        )

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Put one node among the arguments in another's place."""
        for hook in getattr(self.graph.owning_module, "_replace_hooks", ()):
            hook(old=old_input, new=new_input.name, user=self)
        self._replace(old_input, new_input)

    def _rename(self, candidate: str) -> None:
        if candidate == self.name:
            return
        self.name = self.graph._graph_namespace.create_name(candidate, None)
        self.graph._graph_namespace._rename_object(self, self.name)

    # -- what it does --

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the node is needed even if nobody uses its value."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            return _is_impure_call(self, impure_random)
        if self.op == "call_method":
            return False
        if self.op == "call_module":
            module = self.graph.owning_module
            if module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            found = module.get_submodule(self.target)
            if found is None:
                raise AssertionError(f"Did not find expected submodule target {self.target}")
            return getattr(found, "_is_impure", False)
        return False

    def normalized_arguments(
        self,
        root: Any,
        arg_types: tuple[Any] | None = None,
        kwarg_types: dict[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> Any:
        """The arguments by the parameters of what is called; None if these are not known."""
        from rushlight.fx.operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types,
                normalize_to_only_use_kwargs,
            )  # fmt: skip
        if self.op == "call_module":
            return normalize_module(
                root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs
            )
        return None

    @property
    def stack_trace(self) -> str | None:
        """Where in the traced program the node comes from, if that was recorded."""
        return self.meta.get("stack_trace", None)

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    # -- text --

    def __repr__(self) -> str:
        return self.__dict__["name"] if self._repr_fn is None else self._repr_fn(self)

    @staticmethod
    def _pretty_print_target(target: object) -> str:
        if isinstance(target, str):
            return target
        if hasattr(target, "__module__") and not isinstance(target, (Operator, OperatorPacket)):
            name = getattr(target, "__name__", None)
            if name is None:
                return _get_qualified_name(target)  # type: ignore[arg-type]
            if target.__module__ == "builtins":
                return f"builtins.{name}"
            if target.__module__ == "_operator":
                return f"operator.{name}"
        return _get_qualified_name(target)  # type: ignore[arg-type]

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """The node's line in the text of a graph."""
        typename = f"{_type_repr(self.type)} " if self.type else ""
        users = f"[num_users={len(self.users)}]"
        if self.op == "placeholder":
            if placeholder_names is not None:
                kind = f": {_type_repr(self.type)}" if self.type else ""
                placeholder_names.append(f"{self.target}{kind}")
                return None
            kind = f": {typename}" if typename else ": "
            default = f"(default={self.args[0]})" if self.args else ""
            return f"%{self.name} {kind}{users} = {self.op}[target={self.target}]{default}"
        kind = f": {typename}" if typename else ": "
        if self.op == "get_attr":
            target = self._pretty_print_target(self.target)
            return f"%{self.name} {kind}{users} = {self.op}[target={target}]"
        if self.op == "output":
            if self.type and maybe_return_typename is not None:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        if include_tensor_metadata:
            kind += _tensor_text(self)
        return (
            f"%{self.name} {kind}{users} = "
            f"{self.op}[target={self._pretty_print_target(self.target)}]"
            f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
        )


def _tensor_text(node: Node) -> str:
    """The element type, sizes, strides and device of a node's value, where they are known."""
    from rushlight.fx.codegen import described_tensor

    value = node.meta.get("val", node.meta.get("tensor_meta"))
    text = described_tensor(value, include_stride=True, include_device=True)
    return f'Tensor "{text}"' if text else ""


def _type_name(value: object) -> str:
    """The name of a value's type, with its module unless it is a builtin."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _unlink(node: Node) -> None:
    before, behind = node.__dict__["_prev"], node.__dict__["_next"]
    before.__dict__["_next"], behind.__dict__["_prev"] = behind, before


def _link(before: Node, node: Node, behind: Node) -> None:
    before.__dict__["_next"] = behind.__dict__["_prev"] = node
    node.__dict__["_prev"], node.__dict__["_next"] = before, behind


# -- purity --


def _is_impure_call(node: Node, impure_random: bool) -> bool:
    target = node.target
    if target in _side_effectful_functions:
        return True
    if isinstance(target, Operator):
        if any(argument.is_write for argument in target.schema.arguments):
            return True
        if not target.schema.returns:
            # A check.
            return True
        return impure_random and Tag.nondeterministic_seeded in target.tags
    name = getattr(target, "__name__", None)
    if name in _CHECKS:
        places = rushlight, rushlight.ops.aten
        return any(getattr(place, name, None) is target for place in places)
    return name in _RANDOM and getattr(rushlight, name, None) is target


# The functions that only check something.
_CHECKS = frozenset(
    (
        "_assert_async", "_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range",
        "sym_constrain_range_for_size",
    )
)  # fmt: skip


# The functions whose calls draw, so that leaving one out would change all later ones.
_RANDOM = frozenset(
    (
        "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal",
        "poisson", "bernoulli", "multinomial",
    )
)  # fmt: skip
