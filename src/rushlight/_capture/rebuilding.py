"""Rebuilding: from the results of a graph to the values that the program goes on with, as a Python function."""

from __future__ import annotations

import collections
import functools
import inspect
import types
import weakref
from typing import Any

from rushlight._capture.arrays import Array
from rushlight._capture.breaks import Uncapturable
from rushlight._capture.frames import NULL, Frame, Steps, Unread
from rushlight._capture.interpreter import Generator
from rushlight._capture.modes import MODES
from rushlight._capture.reading import (
    CONSTANTS,
    DELETED,
    IDENTICAL,
    Identity,
    Reader,
    holder,
    is_bound,
    is_named_tuple,
)
from rushlight._capture.recording import SYMBOLIC, Recorder
from rushlight._subclasses.fake_tensor import FakeTensor
from rushlight.engine.core.size import Size
from rushlight.engine.core.symbolic import has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.numpy_later import is_a, is_array, is_number
from rushlight.fx.node import Node
from rushlight.nn import Module


def _has_slots(kind: type) -> bool:
    """Whether objects of a class have fields besides their dictionary."""
    return any(base.__dict__.get("__slots__") for base in kind.__mro__)


class Rebuilder:
    """The text of a function that makes values anew: statements, and a name for each object.

    Args:
        reader: knows where the program's objects are
        recorder: knows the graph's tensors
    """

    def __init__(self, reader: Reader, recorder: Recorder) -> None:
        self.reader, self.recorder = reader, recorder
        self.lines: list[str] = []
        # The graph's results, and the expressions of objects that were made.
        self.outputs: list[Node] = []
        self._made: dict[int, tuple[str, Any]] = {}

    def text(self, value: Any) -> str:
        """An expression for a value; `Uncapturable` if it cannot be made again."""
        if isinstance(value, Unread):
            # An iterator that was gone on with is another one by now.
            return self.text(value.admitted) if type(value.admitted) is Steps else value.source
        if value is NULL:
            return self.reader.name(NULL)
        found = self._made.get(id(value))
        if found is not None:
            return found[0]
        source = self.reader.source_of(value)
        if source is not None:
            return source
        made = self._text_of(value)
        self._made[id(value)] = made, value
        return made

    def _text_of(self, value: Any) -> str:
        kind = type(value)
        if isinstance(value, (Tensor, *SYMBOLIC)):
            return self._output(value)
        if kind is Size and has_symbols(value):
            return self._let(f"{self.reader.name(Size)}({self._container(tuple(value), tuple)})")
        if kind in (int, str, bool, type(None)):
            return repr(value)
        if kind is Identity:
            return self._let(f"id({self.text(value.of)})")
        if kind in (types.BuiltinFunctionType, types.MethodWrapperType) and is_bound(value):
            return self._let(f"{self.text(value.__self__)}.{value.__name__}")
        if (
            kind in CONSTANTS
            or isinstance(value, IDENTICAL)
            or is_number(value)
            or is_a(value, "dtype")
        ):
            return self.reader.name(value)
        if kind is Array:
            found = f"{self.text(value.tensor)}.numpy()"
            return self._let(f"{found}[()]" if value.is_number else found)
        if is_array(value):
            if id(value) in self.reader.shared:
                raise Uncapturable("an array that a tensor shares is in use where a graph ends")
            return self._let(f"{self.reader.name(value)}.copy()")
        if kind in (list, tuple, set, frozenset):
            return self._container(value, kind)
        if kind is dict and id(value) in self.reader.fields:
            return self._let(f"{self.text(self.reader.fields[id(value)])}.__dict__")
        if kind is dict:
            return self._dict(value)
        if is_named_tuple(kind):
            items = self._container(tuple(value), tuple)
            return self._let(f"tuple.__new__({self.reader.name(kind)}, {items})")
        if kind is slice:
            return f"slice({', '.join(map(self.text, (value.start, value.stop, value.step)))})"
        if kind is Steps:
            return self._let(f"{self.reader.name(Steps)}({self.text(value.items)}, {value.place})")
        if kind is Generator:
            name = self._let(f"{self.reader.name(Generator)}({self._frame(value.frame)}, True)")
            if value.is_done:
                self.lines.append(f"{name}.is_done = True")
            return name
        if kind is types.MethodType:
            owner = self.text(value.__self__)
            if isinstance(value.__self__, (FakeTensor, Array)):
                # Fakes and arrays have methods of their own.
                return self._let(f"{owner}.{value.__name__}")
            function = self.text(value.__func__)
            return self._let(f"{self.reader.name(types.MethodType)}({function}, {owner})")
        if kind is types.FunctionType:
            if value.__globals__.get(value.__name__) is value:
                return self.reader.name(value)
            return self._function(value)
        if kind is types.CellType:
            return self._cell(value)
        if isinstance(value, BaseException):
            return self._error(value, kind)
        if kind is weakref.ReferenceType and value() is not None:
            return self._let(f"{self.reader.name(kind)}({self.text(value())})")
        plain = kind.__new__ is object.__new__ or isinstance(value, MODES)
        if hasattr(value, "__dict__") and plain and not _has_slots(kind):
            return self._object(value, kind)
        if kind is inspect.BoundArguments:
            given = f"{self.text(value.signature)}, {self.text(value.arguments)}"
            return self._let(f"{self.reader.name(kind)}({given})")
        if holder(kind) is not None:
            return self._holder(value, kind)
        if kind is functools.partial:
            named = f"**{self._dict(value.keywords)}"
            args = ", ".join(map(self.text, (value.func, *value.args)))
            return self._let(f"{self.reader.name(kind)}({args}, {named})")
        raise Uncapturable(f"a {kind.__name__} is in use where a graph ends")

    def _let(self, text: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    keep = _let

    def _output(self, value: Any) -> str:
        """What the graph gives for a tensor or a symbolic number."""
        node = self.recorder.node_of(value)
        if not isinstance(node, Node) and node is not None:
            return repr(node)
        if node is None:
            raise Uncapturable("a tensor is in use that the graph does not know")
        if node not in self.outputs:
            self.outputs.append(node)
        return f"G[{self.outputs.index(node)}]"

    def _container(self, value: Any, kind: type) -> str:
        if kind is list:
            # It may hold itself.
            name = self._let("[]")
            self._made[id(value)] = name, value
            for item in value:
                self.lines.append(f"{name}.append({self.text(item)})")
            return name
        items = [self.text(item) for item in value]
        if kind is tuple:
            return self._let(f"({''.join(item + ', ' for item in items)})")
        return self._let(f"{kind.__name__}([{', '.join(items)}])")

    def _dict(self, value: dict[Any, Any]) -> str:
        name = self._let("{}")
        self._made[id(value)] = name, value
        for key, item in value.items():
            self.lines.append(f"{name}[{self.text(key)}] = {self.text(item)}")
        return name

    def _function(self, value: types.FunctionType) -> str:
        closure = "None"
        if value.__closure__:
            closure = f"({''.join(self.text(cell) + ', ' for cell in value.__closure__)})"
        parts = [
            self.reader.name(value.__code__), self.reader.name(value.__globals__),
            repr(value.__name__), self.text(value.__defaults__), closure,
        ]  # fmt: skip
        name = self._let(f"{self.reader.name(types.FunctionType)}({', '.join(parts)})")
        self._made[id(value)] = name, value
        if value.__kwdefaults__:
            self.lines.append(f"{name}.__kwdefaults__ = {self.text(value.__kwdefaults__)}")
        for attribute in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
            self.lines.append(f"{name}.{attribute} = {self.text(getattr(value, attribute))}")
        for attribute, item in value.__dict__.items():
            self.lines.append(f"{name}.__dict__[{attribute!r}] = {self.text(item)}")
        return name

    def _cell(self, cell: types.CellType) -> str:
        name = self._let(f"{self.reader.name(types.CellType)}()")
        self._made[id(cell)] = name, cell
        try:
            value = cell.cell_contents
        except ValueError:
            return name
        self.lines.append(f"{name}.cell_contents = {self.text(value)}")
        return name

    def _error(self, value: BaseException, kind: type) -> str:
        shown = self.reader.name(kind)
        args = self._container(value.args, tuple)
        name = self._let(f"{shown}.__new__({shown}, *{args})")
        self._made[id(value)] = name, value
        self.lines.append(f"{name}.args = {args}")
        if isinstance(value, StopIteration):
            self.lines.append(f"{name}.value = {self.text(value.value)}")
        for attribute, item in value.__dict__.items():
            self.lines.append(f"{name}.__dict__[{attribute!r}] = {self.text(item)}")
        for link in ("__cause__", "__context__"):
            found = getattr(value, link)
            if found is not None:
                self.lines.append(f"{name}.{link} = {self.text(found)}")
        self.lines.append(f"{name}.__suppress_context__ = {value.__suppress_context__}")
        return name

    def _object(self, value: Any, kind: type) -> str:
        name = self._let(f"object.__new__({self.reader.name(kind)})")
        self._made[id(value)] = name, value
        for attribute, item in value.__dict__.items():
            self.lines.append(f"{name}.__dict__[{attribute!r}] = {self.text(item)}")
        return name

    def _holder(self, value: Any, kind: type) -> str:
        """An object of a class that is made of a container's."""
        base, shown = holder(kind), self.reader.name(kind)
        name = self._let(f"{shown}.__new__({shown})")
        self._made[id(value)] = name, value
        read = self.reader.name(base)
        if issubclass(base, dict):
            if isinstance(value, collections.defaultdict):
                self.lines.append(f"{name}.default_factory = {self.text(value.default_factory)}")
            for key in list(base.keys(value)):
                item = self.text(base.__getitem__(value, key))
                self.lines.append(f"{read}.__setitem__({name}, {self.text(key)}, {item})")
        else:
            if base is collections.deque:
                self.lines.append(f"{read}.__init__({name}, (), {value.maxlen})")
            for item in base.__iter__(value):
                self.lines.append(f"{read}.append({name}, {self.text(item)})")
        for attribute, item in getattr(value, "__dict__", {}).items():
            self.lines.append(f"{name}.__dict__[{attribute!r}] = {self.text(item)}")
        return name

    def effects(self) -> list[str]:
        """Statements that write what the program has changed; what they need is computed before all of them."""
        made: list[str] = []
        for generator in list(self.reader.generators.values()):
            real = self._let(self.text(generator))
            frame = self._let(self._frame(generator.frame))
            made += [
                f"{real}.frame = {frame}",
                f"{real}.is_done = {generator.is_done}",
            ]
        for (_, name), (owner, value) in list(self.reader.attributes.items()):
            real = self._let(self.text(owner))
            if value is DELETED:
                made.append(f"object.__delattr__({real}, {name!r})")
            elif isinstance(owner, Module):
                made.append(f"setattr({real}, {name!r}, {self._let(self.text(value))})")
            else:
                made.append(f"object.__setattr__({real}, {name!r}, {self._let(self.text(value))})")
        for (_, table, name), (owner, value) in list(self.reader.items.items()):
            real = self._let(f"{self.text(owner)}.{table}")
            made.append(f"{real}[{name!r}] = {self._let(self.text(value))}")
        for (_, name), (variables, value) in list(self.reader.globals.items()):
            made.append(f"{self.reader.name(variables)}[{name!r}] = {self._let(self.text(value))}")
        for cell in list(self.reader.cells.values()):
            real = self._let(self.text(cell))
            made.append(f"{real}.cell_contents = {self._let(self.text(cell.cell_contents))}")
        for shown in list(self.reader.changed.values()):
            made += self._written(shown)
        return made

    def modes(self, switched: list[Any]) -> list[str]:
        """Statements that switch again what a graph has left at its end."""
        return [
            f"state.set_grad({one})" if isinstance(one, bool) else f"{self._let(self.text(one))}.__enter__()"
            for one in switched
        ]  # fmt: skip

    def _written(self, shown: Any) -> list[str]:
        """Statements that write the items of a container, not the container itself."""
        real = self._let(self.reader.source_of(shown) or "")
        base = next(
            kind for kind in (list, dict, set, collections.deque) if isinstance(shown, kind)
        )
        if base is dict:
            # An ordered one keeps an order of its own.
            ordered = isinstance(shown, collections.OrderedDict)
            pairs_of = collections.OrderedDict.items if ordered else dict.items
            pairs = [f"({self.text(k)}, {self.text(v)})" for k, v in pairs_of(shown)]
            items = self._let(f"[{', '.join(pairs)}]")
        else:
            items = self._let(f"[{', '.join(map(self.text, base.__iter__(shown)))}]")
        if base is list:
            return [f"list.__setitem__({real}, slice(None), {items})"]
        name, fill = self.reader.name(base), "update"
        if isinstance(shown, collections.OrderedDict):
            name = self.reader.name(collections.OrderedDict)
        elif base is collections.deque:
            fill = "extend"
        return [f"{name}.clear({real})", f"{name}.{fill}({real}, {items})"]

    def frames(self, frames: list[Frame]) -> str:
        """An expression for frames that are to be gone on with."""
        found = [self._frame(frame) for frame in frames]
        for frame, name in zip(frames, found):
            if frame.generator is not None:
                self.reader.has_run(frame.generator)
                self.lines.append(f"{name}.generator = {self.text(frame.generator)}")
        return f"[{', '.join(found)}]"

    def _frame(self, frame: Frame) -> str:
        known = self._made.get(id(frame))
        if known is not None:
            return known[0]
        function = self.text(frame.function)
        name = self._let(f"{self.reader.name(Frame)}({function}, {{}}, ())")
        self._made[id(frame)] = name, frame
        named = ", ".join(f"{name!r}: {self.text(v)}" for name, v in frame.locals.items())
        self.lines.append(f"{name}.locals = {{{named}}}")
        for variable, cell in frame.cells.items():
            text = self.text(cell)
            self.lines.append(f"{name}.cells[{variable!r}] = {text}")
        stack = ", ".join(self.text(item) for item in frame.stack)
        self.lines.append(f"{name}.stack = [{stack}]")
        self.lines.append(f"{name}.place = {frame.place}")
        if frame.names:
            self.lines.append(f"{name}.names = {frame.names!r}")
        if frame.gives is not NULL:
            self.lines.append(f"{name}.gives = {self.text(frame.gives)}")
        if frame.error is not None:
            self.lines.append(f"{name}.error = {self.text(frame.error)}")
        if frame.then is not None:
            self.lines.append(f"{name}.then = {self._container(frame.then, tuple)}")
        return name
