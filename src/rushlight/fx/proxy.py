"""Stand-ins for values: what is done with them becomes nodes."""

from __future__ import annotations

import collections
import copy
import dataclasses
import dis
import enum
import inspect
import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import rushlight
from rushlight import overrides
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx import traceback as fx_traceback
from rushlight.fx.codegen import magic_methods, reflectable_magic_methods
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node, base_types, map_aggregate
from rushlight.fx.operator_schemas import check_for_mutable_operation

__all__ = [
    "Attribute",
    "GraphAppendingTracer",
    "MetaProxy",
    "ParameterProxy",
    "Proxy",
    "Scope",
    "ScopeContextManager",
    "TraceError",
    "TracerBase",
    "assert_fn",
]


class Scope:
    """The module whose `forward` is traced now.

    Args:
        module_path: its path from the root
        module_type: its class
    """

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path = module_path
        self.module_type = module_type


class ScopeContextManager:
    """Within the block another module is the scope."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._before = copy.copy(scope)
        scope.module_path = current_scope.module_path
        scope.module_type = current_scope.module_type
        self._scope = scope

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *exception: object) -> None:
        self._scope.module_path = self._before.module_path
        self._scope.module_type = self._before.module_type


class TraceError(ValueError):
    """The program does something with a value that is not known while it is traced."""


_PLAIN_ARGUMENTS = frozenset((*base_types[:5], type(None), type(Ellipsis), rushlight.dtype,
                              rushlight.device, rushlight.layout, rushlight.memory_format))  # fmt: skip

_CANNOT_ITERATE = (
    "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as "
    "a *args or **kwargs function argument. See the torch.fx docs on pytorch.org for a more "
    "detailed explanation of what types of control flow can be traced, and check out the Proxy "
    "docstring for help troubleshooting Proxy iteration errors"
)


class TracerBase:
    """What makes nodes for what is done with proxies."""

    graph: Graph
    record_stack_traces: bool = False
    _record_forward_stack_traces_only: bool = False
    # Whether an argument that is written is an error.
    check_mutable_operations: bool = False
    # Whether `assert` on a proxy becomes a node.
    trace_asserts: bool = False
    # Whether buffers are proxies as parameters are.
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"
    scope: Scope
    module_stack: collections.OrderedDict[str, tuple[str, Any]]
    node_name_to_scope: dict[str, tuple[str, type]]

    def create_node(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
    ) -> Node:
        """Add a node to the graph. Subclasses may refuse, or note something of it."""
        if kind == "call_function" and self.check_mutable_operations:
            check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            fx_traceback._take_over(node)
        elif self.module_stack:
            node.meta["nn_module_stack"] = self.module_stack.copy()
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = self._stack_text()
        return node

    def _stack_text(self) -> str:
        """Where the traced program is now, from outside in."""
        frames = traceback.StackSummary.from_list(traceback.extract_stack(sys._getframe(1)))
        return "".join(self._filter_traceback_frames(frames).format()).strip()

    def _filter_traceback_frames(
        self, user_stack_summary: traceback.StackSummary
    ) -> traceback.StackSummary:
        """The frames that are of the program, not of the tracer."""
        kept = [f for f in user_stack_summary if not _is_of_the_tracer(f.filename)]
        if self._record_forward_stack_traces_only:
            kept = [f for f in kept if f.name == self.traced_func_name]
        return traceback.StackSummary.from_list(kept)

    def proxy(self, node: Node) -> Proxy:
        """The stand-in for a node's value."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any | None = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Add a node for something done with proxies; the stand-in for its value."""
        args_ = self.create_arg(args)
        kwargs_ = self.create_arg(kwargs) if kwargs else {}
        if not isinstance(args_, tuple):
            raise AssertionError(f"Expected args_ to be tuple, got {type(args_)}")
        if not isinstance(kwargs_, dict):
            raise AssertionError(f"Expected kwargs_ to be dict, got {type(kwargs_)}")
        node = self.create_node(kind, target, args_, kwargs_, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def _find_user_frame(self) -> FrameType | None:
        """The innermost frame of the traced program."""
        frame = inspect.currentframe()
        while frame is not None and _is_of_the_tracer(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def create_arg(self, a: Any) -> Any:
        """An argument as nodes have it: proxies are their nodes."""
        kind = type(a)
        if kind in _PLAIN_ARGUMENTS:
            return a
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            if hasattr(a, "_fields") and not isinstance(a, NamedResult):
                return kind(*[self.create_arg(item) for item in a])
            return tuple([self.create_arg(item) for item in a])
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return _create_arg_dict(self, a)
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, Operator):
            return a
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {f.name: self.create_arg(getattr(a, f.name)) for f in dataclasses.fields(a)}
            return self.create_node("call_function", a.__class__, (), fields)
        if isinstance(a, (*base_types, enum.Enum)) or a is None or a is ...:
            return a
        if isinstance(a, (rushlight.SymInt, rushlight.SymFloat, rushlight.SymBool)):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        """What happens when a proxy decides which way the program goes."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """What happens when a program loops over a proxy."""
        raise TraceError(_CANNOT_ITERATE)

    def keys(self, obj: Proxy) -> Any:
        """What happens when a proxy stands behind two stars, or is asked for its keys."""
        return Attribute(obj, "keys")()


def _create_arg_dict(self: TracerBase, a: dict[Any, Any]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}

    def refuse(part: Any) -> Any:
        if isinstance(part, Node):
            raise RuntimeError(
                f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key}"
            )
        return part

    for key, value in a.items():
        if not isinstance(key, str):
            key = self.create_arg(key)
            map_aggregate(key, refuse)
        made[key] = self.create_arg(value)
    return made


_HERE = __file__.rpartition("proxy.py")[0]
_TRACER_FILES = frozenset(
    _HERE + name for name in ("proxy.py", "_symbolic_trace.py", "graph_module.py", "interpreter.py")
)
_MACHINERY = (
    _HERE.rpartition("fx")[0] + "engine",
    _HERE.rpartition("fx")[0] + "nn/modules",
    _HERE.rpartition("fx")[0] + "_names",
    _HERE.rpartition("fx")[0] + "overrides.py",
)


def _is_of_the_tracer(filename: str) -> bool:
    return filename in _TRACER_FILES or filename.startswith(_MACHINERY)


class GraphAppendingTracer(TracerBase):
    """Adds nodes to a graph that is there, as when graphs are edited by proxies."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope = {}


def assert_fn(x: object) -> None:
    """What `assert` on a proxy becomes."""
    assert x


class Proxy:
    """Stands for the value of a node: what is done with it is added to the graph.

    Args:
        node: the node
        tracer: what adds to the graph
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        if tracer is None:
            # The value is used outside of a trace, to add to a graph.
            tracer = GraphAppendingTracer(node.graph)
        self.tracer = tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        # The node comes later, if at all: a method that is called needs none.
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        # `__getattr__` must not answer for a proxy that has no fields yet.
        fields = {name: copy.deepcopy(value, memo) for name, value in self.__dict__.items()}
        made = Proxy.__new__(type(self))
        made.__dict__ = fields
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        frame = inspect.currentframe()
        if frame is None or frame.f_back is None:
            raise AssertionError("Proxy.__iter__: no frame of a program")
        count = _unpacked_by(frame.f_back.f_code, frame.f_back.f_lasti)
        if count is not None:
            return (self[i] for i in range(count))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> Any:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts:
            frame = inspect.currentframe()
            if frame is None or frame.f_back is None:
                raise AssertionError("Proxy.__bool__: no frame of a program")
            if _is_asserted_by(frame.f_back.f_code, frame.f_back.f_lasti):
                self.tracer.create_proxy("call_function", assert_fn, (self,), {})
                return True
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """What a program gets that asks for the keys, or puts two stars before a proxy."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be "
            "recorded, please call torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(
        cls,
        orig_method: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        args = args if args else ()
        kwargs = kwargs if kwargs else {}
        tracer = _tracer_of(args, kwargs)
        if _is_method(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        if getattr(orig_method, "__name__", None) == "__get__":
            name = _property_name(orig_method)
            return tracer.create_proxy("call_function", getattr, (*args, name), kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def _is_method(function: Any) -> bool:
    if getattr(function, "__name__", None) == "__get__":
        return False
    return overrides.is_tensor_method_or_property(function)


def _property_name(getter: Any) -> str:
    """The property that a `__get__` reads."""
    known = overrides.resolve_name(getter) or ""
    return known.split(".")[-2]


def _tracer_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> TracerBase:
    """The tracer of the proxies among arguments; all of them must have the same."""
    found: list[TracerBase] = []

    def note(value: Any) -> None:
        if isinstance(value, Proxy):
            if all(value.tracer is not tracer for tracer in found):
                found.append(value.tracer)
        elif isinstance(value, (list, tuple)):
            for item in value:
                note(item)
        elif isinstance(value, dict):
            for item in value.values():
                note(item)
        elif isinstance(value, slice):
            note((value.start, value.stop, value.step))

    note((*args, *kwargs.values()))
    if len(found) != 1:
        raise RuntimeError(
            f"Found multiple different tracers {found} while trying to trace operations"
            if found
            else "Found no tracer among the arguments of an operation"
        )
    return found[0]


# -- what a program does with a proxy --

_UNPACK = dis.opmap["UNPACK_SEQUENCE"]
_EXTENDED = dis.opmap["EXTENDED_ARG"]


def _unpacked_by(code: CodeType, at: int) -> int | None:
    """Into how many variables the instruction at an offset takes a value apart."""
    raw = code.co_code
    if raw[at] != _UNPACK:
        return None
    count = raw[at + 1]
    shift = 8
    while at >= 2 and raw[at - 2] == _EXTENDED:
        at -= 2
        count |= raw[at + 1] << shift
        shift += 8
    return count


def _is_asserted_by(code: CodeType, at: int) -> bool:
    """Whether the truth asked for at an offset decides about an `AssertionError`."""
    steps = [step for step in dis.get_instructions(code) if step.offset >= at]
    for index, step in enumerate(steps[:3]):
        if step.opname.startswith(("POP_JUMP_IF_TRUE", "POP_JUMP_FORWARD_IF_TRUE")):
            return any(
                later.opname in ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT")
                for later in steps[index + 1 : index + 3]
            )
    return False


class Attribute(Proxy):
    """An attribute of a proxy: a node if its value is needed, part of a method call if it is called."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node that fetches the attribute."""
        if self._node is None:
            made = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {})
            self._node = made.node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy for a parameter, whose sizes the program may know while it is traced."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, rushlight.nn.Parameter):
            raise AssertionError(f"Expected nn.Parameter, got {type(param)}")
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        """The sizes."""
        return self.param.shape

    def size(self) -> Any:
        """The sizes."""
        return self.param.size()

    def dim(self) -> int:
        """How many dimensions there are."""
        return self.param.dim()  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return self.param.ndim  # type: ignore[no-any-return]

    def numel(self) -> int:
        """How many elements there are."""
        return self.param.numel()  # type: ignore[no-any-return]

    def nelement(self) -> int:
        """How many elements there are."""
        return self.param.nelement()  # type: ignore[no-any-return]


class MetaProxy(Proxy):
    """A proxy whose operations are also run on what is known of the values."""

    def __init__(self, node: Node, tracer: TracerBase | None = None, fake_mode: Any = None) -> None:
        super().__init__(node, tracer)
        self.fake_mode = fake_mode

    def __repr__(self) -> str:
        return f"MetaProxy({self.node.name})"

    @classmethod
    def __torch_function__(
        cls,
        orig_method: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        args = args if args else ()
        kwargs = kwargs if kwargs else {}
        proxies = [a for a in args if isinstance(a, cls)]
        if not proxies:
            raise AssertionError(f"no MetaProxy found in arguments, but one expected: {args}")
        known = proxies[0]
        made = super().__torch_function__(orig_method, types, args, kwargs)
        plain = [a.node.meta["val"] if isinstance(a, MetaProxy) else a for a in args]
        if known.fake_mode is None:
            raise AssertionError("fake_mode must not be None")
        with known.fake_mode:
            made.node.meta["val"] = orig_method(*plain, **kwargs)
        return MetaProxy(made.node, made.tracer, known.fake_mode)


def _operation(name: str) -> Callable[..., Any]:
    target = getattr(operator, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        return args[0].tracer.create_proxy("call_function", target, args, kwargs)

    return method


def _reflected(name: str) -> Callable[..., Any]:
    target = getattr(operator, name)

    def method(self: Proxy, rhs: Any) -> Any:
        return self.tracer.create_proxy("call_function", target, (rhs, self), {})

    return method


def _attach_operators() -> None:
    """Python's operators. `__eq__` comes after the class, so that proxies keep their hash."""
    for name in magic_methods:
        if name == "div":
            continue
        method = _operation(name)
        method.__name__ = f"__{name.strip('_')}__"
        setattr(Proxy, method.__name__, method)
    for name in reflectable_magic_methods:
        if name == "div":
            continue
        method = _reflected(name)
        method.__name__ = f"__r{name.strip('_')}__"
        setattr(Proxy, method.__name__, method)


_attach_operators()
