"""Where in the results of a graph's nodes the symbols are that stand for what elements decide."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.expressions import EQUAL
from rushlight.engine.core.symbolic import SymBool, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.fx.experimental._shape_env import ShapeEnv
from rushlight.fx.experimental.sym_node import symbols_of
from rushlight.fx.interpreter import Interpreter
from rushlight.utils import _pytree as pytree


@dataclass(frozen=True)
class CallMethodKey:
    """What a method of a value gives."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}()"

    def get(self, o: Any) -> Any:
        """The same of another value."""
        return getattr(o, self.name)()


@dataclass(frozen=True)
class InnerTensorKey:
    """A tensor that another one consists of."""

    inner_name: str

    def __str__(self) -> str:
        return f".{self.inner_name}"

    def get(self, o: Any) -> Any:
        """The same of another value."""
        return getattr(o, self.inner_name)


@dataclass(frozen=True)
class DivideByKey:
    """What a number gives divided by another one."""

    divisor: Any

    def __str__(self) -> str:
        return f".__floordiv__({self.divisor})"

    def get(self, o: Any) -> Any:
        """The same of another value."""
        return o // self.divisor


@dataclass(frozen=True)
class ConvertIntKey:
    """A truth value as a number."""

    def __str__(self) -> str:
        return ".cast_symbool_to_symint_guardless()"

    def get(self, b: Any) -> Any:
        """The same of another value."""
        return int(b)


def compute_unbacked_bindings(
    shape_env: ShapeEnv | None, example_value: Any, old_example_value: Any = None,
    peek: bool = False,
) -> dict[Any, Any] | None:  # fmt: skip
    """Where in a value the new symbols are that elements decide.

    Args:
        shape_env: whose symbols
        example_value: the value
        old_example_value: accepted
        peek: whether the symbols go on being new
    """
    if shape_env is None or not shape_env.pending_fresh_unbacked_symbols:
        return None
    pending = {str(s): s for s in shape_env.pending_fresh_unbacked_symbols}
    found: dict[Any, Any] = {}

    def look(value: Any, path: tuple[Any, ...]) -> None:
        if isinstance(value, Tensor):
            for name, items in (("size", value._size_), ("stride", value._stride_)):
                for k, x in enumerate(items):
                    look(x, (*path, CallMethodKey(name), pytree.SequenceKey(k)))
            look(value._offset_, (*path, CallMethodKey("storage_offset")))
        elif isinstance(value, SymBool):
            for symbol in symbols_of(value):
                if str(symbol) in pending:
                    found.setdefault(pending.pop(str(symbol)), (*path, ConvertIntKey()))
        elif type(value) is SymInt:
            if str(value) in pending:
                found.setdefault(pending.pop(str(value)), path)
        elif isinstance(value, (tuple, list)):
            for k, item in enumerate(value):
                look(item, (*path, pytree.SequenceKey(k)))

    look(example_value, ())
    if not peek:
        shape_env.pending_fresh_unbacked_symbols.clear()
    return found


def rebind_unbacked(shape_env: ShapeEnv | None, n: Any, result: Any) -> None:
    """Let the symbols of a node that is run again equal those that it had.

    Args:
        shape_env: whose symbols
        n: the node
        result: what it gives now
    """
    bindings = n.meta.get("unbacked_bindings")
    if shape_env is None or not bindings:
        return
    for symbol, path in bindings.items():
        value = result
        for key in path:
            value = value[key.idx] if isinstance(key, pytree.SequenceKey) else key.get(value)
        old = symbol.value
        if type(value) is SymInt and type(old) is SymInt and value.place != old.place:
            shape_env._trace.learn(SymBool(shape_env._trace, EQUAL, value, old))
    shape_env.pending_fresh_unbacked_symbols.clear()


def resolve_unbacked_bindings(
    shape_env: ShapeEnv | None, bindings: dict[Any, Any] | None
) -> dict[Any, Any] | None:
    """Bindings with what symbols equal in their place."""
    return bindings


def is_accessor_node(node: Any) -> bool:
    """Whether a node asks a tensor for its metadata."""
    import rushlight

    names = ("size", "stride", "storage_offset", "item")
    if node.op == "call_method" and isinstance(node.args[0].meta.get("example_value"), Tensor):
        return node.target in names
    aten = rushlight.ops.aten
    return node.op == "call_function" and node.target in (
        aten.sym_size, aten.sym_size.default, aten.sym_size.int, aten.sym_stride,
        aten.sym_stride.default, aten.sym_stride.int, aten.sym_storage_offset,
        aten.sym_storage_offset.default, aten.sym_numel.default,
    )  # fmt: skip


class PropagateUnbackedSymInts(Interpreter):
    """Runs a graph on fakes; symbols that elements decide equal those that nodes had before."""

    def run_node(self, n: Any) -> Any:
        """What a node gives, with its symbols bound."""
        from rushlight._guards import detect_fake_mode

        result = super().run_node(n)
        mode = detect_fake_mode()
        rebind_unbacked(None if mode is None else mode.shape_env, n, result)
        return result
