"""Compiled programs on disk, beside the kernels that they call.

What is kept of a program is what is left when it has been traced, cut and fused: two lists of calls, and what has to be done
around them. A second process captures the program, finds the lists by the captured graph, and has neither to trace it
nor to fuse it again. A program is kept when its backward graph is compiled, so that it is whole.

It is found by the text of its graph (`codecache`), in which objects are named so that another process has the same
names, and by the sources of this package: programs of another version are not found.
"""

from __future__ import annotations

import ctypes
import functools
import io
import os
import pickle
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import rushlight
from rushlight._functorch._aot_autograd.compiled_graphs import Facts, put_together
from rushlight._functorch._aot_autograd.schemas import VARIES, AOTConfig, Varies
from rushlight._functorch._aot_autograd.utils import OWNED
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._inductor import chunks
from rushlight._inductor.codecache import BypassFxGraphCache, FxGraphHashDetails, guards_on, holds
from rushlight._inductor.kernels import Kernel
from rushlight._inductor.scalar_program import Spec, stand_in
from rushlight._subclasses.fake_tensor import FakeTensor
from rushlight.engine.core import device as devices
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt, has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import registrations
from rushlight.engine.dispatch.call_cache.binding import Binding
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.engine.dispatch.public_names import place_of
from rushlight.engine.loops.target import host_target
from rushlight.engine.native import object_cache, threads
from rushlight.engine.native.digest import digest
from rushlight.engine.native.records import dataclass
from rushlight.fx._lazy_graph_module import _LazyGraphModule
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node

# A larger tensor of a graph is not kept.
MOST_BYTES = 1 << 16
# Of so many programs that differ in what they need of symbols the latest are kept.
MOST_VARIANTS = 8


class NotKept(Exception):
    """A program that is not written to disk."""


# -- names that another process has, too --


class StableDetails(FxGraphHashDetails):
    """The text of a graph with names that are the same in every process."""

    def named(self, value: Any) -> str:
        if isinstance(value, (Operator, OperatorPacket)):
            return _name_of_ours(value)
        if isinstance(value, Binding):
            return repr(place_of(value, value._name))
        if isinstance(value, types.CodeType):
            return f"{os.path.basename(value.co_filename)}:{value.co_firstlineno}"
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        found: Any = sys.modules.get(module or "")
        for part in (name or "").split("."):
            found = getattr(found, part, None)
        if found is not value and not (isinstance(value, type) and module == "builtins"):
            raise BypassFxGraphCache(f"{value} has no name by which it is found elsewhere")
        return f"{module}.{name}"

    def meaning_of_operators(self) -> int:
        if registrations.fallbacks or any(e.op is None for e in registrations.entries.values()):
            raise BypassFxGraphCache("kernels were registered for operators that were there before")
        return 0


def _name_of_ours(op: Operator | OperatorPacket) -> str:
    """The name of an operator that no program has defined."""
    name = op.full_name
    if any(known == name or known.startswith(f"{name}.") for known in registrations.entries):
        raise BypassFxGraphCache(f"{name} is a program's own operator")
    return name


@functools.cache
def version() -> str:
    """What tells this package's sources, and Python, from others."""
    parts, folders = [], [os.path.dirname(rushlight.__file__)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".yaml")):
                    facts = entry.stat()
                    parts.append(f"{entry.path} {facts.st_size} {facts.st_mtime_ns}")
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return digest("\n".join([sys.version, *sorted(parts)]).encode()).hex()


def file_of(lines: Sequence[str]) -> str:
    """The name under which a program is kept that has a text."""
    # What was measured holds for this processor, and for so many threads.
    machine = [str(host_target()), str(threads.get_size())]
    # Classes are written by name, and say that they are the alias's while there is one.
    package = rushlight.__name__
    return digest("\n".join(["program", version(), package, *machine, *lines]).encode()).hex()


# -- graphs as lists --


class Place(NamedTuple):
    """The node with a number, among arguments."""

    number: int


class Constant(NamedTuple):
    """A tensor that belongs to a graph, such as ``torch.tensor(0.5)`` in a program.

    Args:
        name: the attribute of the graph's module
        spec: its size, strides and type
        elements: as they lie in memory, row by row
    """

    name: str
    spec: Spec
    elements: bytes


class Step(NamedTuple):
    """A node.

    Args:
        op: the kind of node
        name: its name
        target: what it calls; a `Constant` where it is one
        args: what it is given, with a `Place` for each node
        kwargs: the same by name
        owned: the bytes of an input that the graph may let go of
    """

    op: str
    name: str
    target: Any
    args: Any
    kwargs: Any
    owned: int


def steps_of(module: GraphModule) -> list[Step]:
    """The nodes of a graph of kernels and operators."""
    places: dict[Node, Place] = {}
    found = []
    for node in module.graph.nodes:
        target = node.target
        if node.op == "get_attr":
            target = _constant(str(target), getattr(module, str(target), None))
        elif node.op not in ("placeholder", "output") and not _is_known(node):
            raise NotKept(f"{node.op} {target}")
        args, kwargs = (_mapped(x, Node, places.__getitem__) for x in (node.args, node.kwargs))
        owned = node.meta.get(OWNED, 0)
        found.append(Step(node.op, node.name, target, args, kwargs, owned))
        places[node] = Place(len(places))
    return found


def _is_known(node: Node) -> bool:
    """Whether a node calls what another process has, too: operators, kernels, and arithmetic with sizes."""
    if node.op != "call_function":
        return False
    if isinstance(node.target, types.BuiltinFunctionType):
        return node.target.__module__ in ("_operator", "math", "builtins")
    return isinstance(node.target, (Operator, HigherOrderOperator, Kernel))


def _constant(name: str, value: Any) -> Constant:
    """A tensor of a graph: small, and of the host. What decides its elements is in the graph's text."""
    is_plain = type(value) is Tensor and value._storage_.device is devices.cpu
    if (
        not is_plain
        or value.requires_grad
        or value.is_conj()
        or value.is_neg()
        or value.nbytes > MOST_BYTES
    ):
        raise NotKept(f"the attribute {name}")
    elements = value.contiguous()
    content = ctypes.string_at(elements.data_ptr(), elements.nbytes) if elements.nbytes else b""
    return Constant(name, (value._size_, value._stride_, value._dtype_), content)


def _tensor(constant: Constant) -> Tensor:
    """The tensor again."""
    made = tensors.empty_strided(*constant.spec, devices.cpu)
    if constant.elements:
        rows = rushlight.frombuffer(bytearray(constant.elements), dtype=made.dtype)
        made.copy_(rows.view(made.size()))
    return made


def graph_of(steps: Sequence[Step]) -> GraphModule:
    """The graph of nodes that were kept."""
    graph = Graph()
    nodes: list[Node] = []
    constants: dict[str, Any] = {}

    for step in steps:
        target = step.target
        if isinstance(target, Constant):
            constants[target.name] = _tensor(target)
            target = target.name
        args, kwargs = (
            _mapped(x, Place, lambda place: nodes[place.number]) for x in (step.args, step.kwargs)
        )
        nodes.append(graph.create_node(step.op, target, args, kwargs, name=step.name))
        if step.owned:
            nodes[-1].meta[OWNED] = step.owned
    return _LazyGraphModule(constants, graph)


def _mapped(x: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """Nested arguments, with what is of a kind changed."""
    if isinstance(x, kind):
        return change(x)
    if isinstance(x, tuple):
        return tuple(_mapped(item, kind, change) for item in x)
    if isinstance(x, list):
        return [_mapped(item, kind, change) for item in x]
    if isinstance(x, dict):
        return {k: _mapped(item, kind, change) for k, item in x.items()}
    if isinstance(x, slice):
        return slice(*(_mapped(item, kind, change) for item in (x.start, x.stop, x.step)))
    return x


# -- files --


@dataclass
class Program:
    """A program with its gradients, or without.

    Args:
        graphs: the nodes of the forward graph, and of the backward one, if there is one
        facts: what has to be done around them
    """

    graphs: list[list[Step]]
    facts: Facts


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, (SymInt, SymFloat, SymBool)):
            raise NotKept("the program has a symbol in it")
        if not isinstance(obj, Tensor):
            return NotImplemented
        if not isinstance(obj, FakeTensor) and obj._storage_.device is not devices.meta:
            raise NotKept("the program has elements of a tensor in it")
        # Of a gradient that was traced only its layout is asked.
        if has_symbols((*obj._size_, *obj._stride_)):
            return Varies, (VARIES.value,)
        return stand_in, ((obj._size_, obj._stride_, obj._dtype_),)


class Variant(NamedTuple):
    """A program, and what it needs of the symbols among its arguments.

    Args:
        guards: an expression (`codecache.guards_on`); None if nothing is needed
        program: a `Program`, pickled
    """

    guards: str | None
    program: bytes


def save(name: str, symbols: Sequence[SymInt], facts: Facts, forward: Any, backward: Any) -> None:
    """Keep a program under a name, if all of it can be written.

    Args:
        name: see `file_of`
        symbols: those of its arguments, in their order
        facts: what has to be done around the graphs
        forward: the function of the forward graph, or of the only one
        backward: that of the backward graph, if there is one
    """
    graphs: list[Any] = [getattr(f, "lowered", None) for f in (forward, backward) if f is not None]
    if None in graphs or not facts.are_plain:
        return
    stream = io.BytesIO()
    try:
        program = Program([*map(steps_of, graphs)], facts)
        _Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(program)
    except NotKept:
        return
    made = Variant(guards_on(symbols), stream.getvalue())
    others = [one for one in _variants(name) if one.guards != made.guards]
    object_cache.store(name, pickle.dumps([*others[1 - MOST_VARIANTS :], made]))


def _variants(name: str) -> list[Variant]:
    """What is kept under a name, the latest last."""
    content = object_cache.load(name)
    try:
        return [] if content is None else pickle.loads(content)
    except Exception as error:
        _warn(error)
        return []


def _warn(error: Exception) -> None:
    # The program can be compiled anew, and whoever reads the warning can tell us.
    warnings.warn(
        f"a compiled program on disk cannot be read, and is compiled again: {type(error).__name__}: {error}",
        RuntimeWarning,
        stacklevel=3,
    )


def load(name: str, symbols: Sequence[SymInt], config: AOTConfig) -> Any:
    """The function of the program that is kept under a name, or None. What it needs of symbols is guarded.

    Args:
        name: see `file_of`
        symbols: those of its arguments, in their order
        config: how it was compiled
    """
    content = next((v.program for v in _variants(name) if holds(v.guards, symbols)), None)
    if content is None:
        return None
    try:
        program = pickle.loads(content)
        forward, backward = ([*(boxed(graph_of(steps)) for steps in program.graphs), None])[:2]
    except Exception as error:
        _warn(error)
        return None
    return put_together(program.facts, forward, backward, config)


def boxed(lowered: GraphModule) -> Any:
    """The function of a graph of kernels, which takes a list."""
    made = chunks.boxed(lowered)
    made.lowered = lowered  # type: ignore[attr-defined]
    return made
