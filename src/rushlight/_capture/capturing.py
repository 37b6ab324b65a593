"""Capturing: the interpreter over fakes, which reads the program's objects and writes a graph."""

from __future__ import annotations

import builtins
import collections
import enum
import functools
import inspect
import itertools
import math
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight import _dynamo, compiler, sym_float
from rushlight._C import _set_grad_enabled
from rushlight._capture import polyfills
from rushlight._capture.attributes import Attributes, found_or, is_found
from rushlight._capture.breaks import Break, Spoilt
from rushlight._capture.frames import NULL, Frame, Steps, Unread, bound, read
from rushlight._capture.interpreter import (
    ATTRIBUTE,
    BINARY,
    DONE,
    ITEMS,
    Generator,
    Interpreter,
    Then,
)
from rushlight._capture.modes import GRAD_MODES, MODES, arguments, fields, leave
from rushlight._capture.reading import (
    CLEAR,
    HOLDERS,
    Identity,
    Reader,
    has_forward_hooks_only,
    has_no_hooks,
    holder,
    in_class,
)
from rushlight._capture.recording import SYMBOLIC, Recorder
from rushlight._capture.status import in_graph
from rushlight._dynamo import eval_frame
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._higher_order_ops.wrap import tag_activation_checkpoint
from rushlight._subclasses import fake_tensor
from rushlight.amp.autocast_mode import _enter_autocast, _exit_autocast
from rushlight.autograd.function import Function
from rushlight.autograd.grad_mode import Decorating, set_grad_enabled
from rushlight.engine.core import state
from rushlight.engine.core.size import Size
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, guard_scalar
from rushlight.nn import Module
from rushlight.nn.parameter import Parameter
from rushlight.utils import _pytree as pytree
from rushlight.utils import checkpoint

# Built-in functions that only look at what they are given.
PURE = {
    abs, all, any, bool, callable, chr, complex, dict, divmod, enumerate, filter, float, format,
    frozenset, hash, int, isinstance, issubclass, iter, len, list, map, max, min, next, ord, pow, range,
    repr, reversed, round, set, slice, sorted, str, sum, tuple, zip, bytes, object,
}  # fmt: skip
# Methods that write into what they belong to.
WRITING = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
    "popitem", "add", "discard", "move_to_end", "__setitem__", "__delitem__", "appendleft", "popleft",
}  # fmt: skip
# Iterators whose items can be had at once.
_ITERATORS: tuple[Any, ...] = (
        iter([]), iter(()), iter({}), iter({}.values()), iter({}.items()), iter(range(0)), iter(""),
        zip(), enumerate(()), reversed([]), reversed(range(0)), map(str, ()), filter(None, ()), iter(set()),
        reversed({}), {}.keys(), {}.values(), {}.items(), itertools.chain(), itertools.product(),
        itertools.combinations((), 1), itertools.permutations(()), itertools.islice((), 1),
)  # fmt: skip
LISTED = tuple(type(x) for x in _ITERATORS)
CONTAINERS = (
    list, tuple, dict, set, frozenset, str, bytes, int, float, range, slice, collections.deque,
)  # fmt: skip


class Capture(Interpreter):
    """Interprets frames until something cannot be in a graph.

    Args:
        frames: the calls that are being interpreted, with `Unread` values of the program
        reader: notes guards
        recorder: notes the graph
    """

    is_real = False

    def __init__(self, frames: list[Frame], reader: Reader, recorder: Recorder) -> None:
        super().__init__(frames)
        self.reader, self.recorder = reader, recorder
        self.attributes = Attributes(reader)
        # Regions of mixed precision that have begun here, and the nodes that began them.
        self.open_modes: list[tuple[Any, Any]] = []
        recorder.where = lambda: [(f.code, f.place - 1) for f in self.frames]

    def handle(self, error: BaseException, frame: Frame, place: int) -> None:
        if not isinstance(error, Exception):
            if frame.code.instructions[place].name in ("RAISE_VARARGS", "RERAISE"):
                raise Break(f"{type(error).__name__} is raised")
            raise error
        if isinstance(error, OF_FAKES):
            raise Break(f"{type(error).__name__}: {error}")
        if not self._is_handled(error, place):
            raise Break(f"{type(error).__name__}: {error}")
        super().handle(error, frame, place)

    def _is_handled(self, error: Exception, place: int) -> bool:
        """Whether a frame handles an exception that the innermost one has raised."""
        places = [place, *(f.place - 1 for f in self.frames[-2::-1])]
        awaited = {StopIteration: ITEMS, AttributeError: (ATTRIBUTE,)}.get(type(error), ())
        for frame, where in zip(reversed(self.frames), places):
            if frame.code.handler(where):
                return True
            if frame.generator is not None and isinstance(error, StopIteration):
                awaited = ()
            elif frame.then is not None and frame.then[0] in awaited and not frame.generator:
                return True
        return False

    # -- values --

    def value(self, item: Any) -> Any:
        return self.reader.admit_unread(item) if isinstance(item, Unread) else item

    def attribute(self, owner: Any, name: str) -> None:
        if isinstance(owner, Tensor):
            if name in ("grad", "data", "grad_fn", "_version") or not hasattr(type(owner), name):
                raise Break(f"the attribute {name} of a tensor")
            return self.push(getattr(owner, name))
        if isinstance(owner, SYMBOLIC):
            has_it = name.startswith("__") and hasattr(type(owner), name) and name != "__class__"
            return self.push(getattr(owner if has_it else self.plain(owner), name))
        if isinstance(owner, super):
            return self._of_super(owner, name)
        found, args = self.attributes.find(owner, name)
        if args is None:
            return self.push(found)
        getter = in_class(type(owner), "__getattr__")
        self.call(found, args, {})
        if getter is not None and found is in_class(type(owner), "__getattribute__"):
            self.frame.then = ATTRIBUTE, (self.reader.fixed(getter), owner, name)

    def _of_super(self, owner: Any, name: str) -> None:
        """An attribute as classes further up have it."""
        first, this = owner.__self__, owner.__thisclass__
        bases = owner.__self_class__.__mro__
        for base in bases[bases.index(this) + 1 :]:
            if name in base.__dict__:
                found = base.__dict__[name]
                if isinstance(found, property):
                    return self.call(self.reader.fixed(found.fget), [first], {})
                if isinstance(found, types.FunctionType):
                    if isinstance(first, type) and name != "__new__":
                        return self.push(self.reader.fixed(found))
                    return self.push(types.MethodType(self.reader.fixed(found), first))
                break
        self.push(getattr(owner, name))

    def set_attribute(self, owner: Any, name: str, value: Any) -> None:
        self._done(self.attributes.set(owner, name, value))

    def delete_attribute(self, owner: Any, name: str) -> None:
        self._done(self.attributes.delete(owner, name))

    def _done(self, call: Any) -> None:
        """Make a call whose result nobody wants."""
        if call is not None:
            depth = len(self.frames)
            self.call(call[0], call[1], {})
            if len(self.frames) > depth:
                self.frame.then = DONE, None
            else:
                self.frame.stack.pop()

    def with_none(self, call: Any) -> None:
        """Make a call in the place of which None is the result."""
        if call is None:
            return self.push(None)
        depth = len(self.frames)
        self.call(call[0], call[1], {})
        if len(self.frames) > depth:
            self.frame.gives = None
        else:
            self.frame.stack[-1] = None
        return None

    def set_global(self, frame: Frame, name: str, value: Any) -> None:
        self.reader.globals[id(frame.globals), name] = frame.globals, value

    def global_of(self, frame: Frame, name: str) -> Any:
        written = self.reader.globals.get((id(frame.globals), name))
        if written is not None:
            return written[1]
        if name in frame.globals:
            value = frame.globals[name]
            source = f"{self.reader.name(frame.globals)}[{name!r}]"
            return Unread(value, source)
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name '{name}' is not defined")

    def cell(self, frame: Frame, name: str) -> Any:
        return self.value(frame.cells[name].cell_contents)

    def set_cell(self, frame: Frame, name: str, value: Any) -> None:
        cell = frame.cells[name]
        self.reader.writes(cell)
        cell.cell_contents = value
        if not self.reader.is_ours(cell):
            self.reader.cells[id(cell)] = cell

    def do_MAKE_CELL(self, frame: Frame, i: Any) -> None:
        super().do_MAKE_CELL(frame, i)
        self.new(frame.cells[i.value])

    def new(self, made: Any) -> Any:
        """Note an object that has just been made."""
        if self.reader.recent is not None:
            self.reader.recent[id(made)] = made
        return made

    def do_MAKE_FUNCTION(self, frame: Frame, i: Any) -> None:
        super().do_MAKE_FUNCTION(frame, i)
        made = frame.stack[-1]
        self.reader.functions[id(made)] = made

    def for_text(self, value: Any) -> Any:
        """A value that is to become text, with plain numbers."""
        if any(isinstance(leaf, Tensor) for leaf in pytree.tree_leaves(value)):
            raise Break("a tensor becomes text")
        return self.plain(value)

    def plain(self, value: Any) -> Any:
        """A value for functions that know no symbols: the graph is for these numbers only."""
        if isinstance(value, SYMBOLIC):
            return guard_scalar(value)
        if type(value) in (list, tuple, Size, set, frozenset) and pytree_has_symbols(value):
            return type(value)(map(self.plain, value))
        if type(value) is dict and pytree_has_symbols(value):
            return {self.plain(k): self.plain(v) for k, v in value.items()}
        return value

    def truth(self, value: Any) -> bool:
        if isinstance(value, Tensor):
            raise Break("a branch on a tensor")
        if type(value) in CLEAR:
            return bool(value)
        for name in ("__bool__", "__len__"):
            found = inspect.getattr_static(type(value), name, None)
            if isinstance(found, types.FunctionType) or (
                found is not None and not self.reader.is_clear(value)
            ):
                raise Break(f"a branch on an object with {name}")
        return bool(value)

    def changed(self, value: Any) -> None:
        if isinstance(value, (set, *HOLDERS)) and not self.reader.is_ours(value):
            if type(value) not in CLEAR and holder(type(value)) is None:
                raise Break(f"a {type(value).__name__} of the program is changed")
            self.reader.changed[id(value)] = value

    def operate(self, function: Callable[..., Any], *values: Any) -> None:
        name = f"__{function.__name__.strip('_')}__"
        found = inspect.getattr_static(type(values[0]), name, None)
        if isinstance(found, types.FunctionType) and not isinstance(values[0], Tensor):
            self.reader.fixed(found)
            return self.call(found, list(values), {})
        if function in IN_PLACE and not isinstance(values[0], (Tensor, *HOLDERS, set)):
            return self.operate(IN_PLACE[function], *values)
        if function is operator.getitem and isinstance(values[0], dict):
            missing = in_class(type(values[0]), "__missing__")
            if missing is not None and not dict.__contains__(values[0], values[1]):
                if isinstance(missing, types.FunctionType):
                    return self.call(self.reader.fixed(missing), list(values), {})
                if is_of_program(getattr(values[0], "default_factory", None)):
                    return self.enter(polyfills.missing, list(values), {})
                self.changed(values[0])
        self._check_clear(function, values, {})
        if isinstance(values[0], (str, bytes)):
            # Only a plain number becomes part of a text.
            return self.push(function(*map(self.for_text, values)))
        if any(isinstance(value, Tensor) for value in values):
            return self.push(self.recorder.as_one(function, values, {}))
        return self.push(function(*values))

    def iterator(self, value: Any) -> None:
        if isinstance(value, Tensor):
            return self.push(Steps(list(value.unbind(0))))
        if isinstance(value, LISTED) and self.reader.is_ours(value):
            return self.push(Steps(list(value)))
        if isinstance(value, (Steps, Generator)):
            return self.push(value)
        if isinstance(value, CONTAINERS) and self.reader.is_clear(value):
            return super().iterator(value)
        found = inspect.getattr_static(type(value), "__iter__", None)
        if isinstance(found, types.FunctionType):
            self.reader.fixed(found)
            return self.call(found, [value], {})
        raise Break(f"a loop over {type(value).__name__}")

    def next(self, iterator: Any) -> Any:
        if not isinstance(iterator, Steps):
            if isinstance(iterator, LISTED) and self.reader.is_ours(iterator):
                iterator = self.frame.stack[-1] = Steps(list(iterator))
            else:
                raise Break(f"a loop over {type(iterator).__name__}")
        return next(iterator)

    def _enter_next(self, iterator: Any, then: Then) -> bool:
        """Interpret an iterator's ``__next__``, if it is a function of the program."""
        found = inspect.getattr_static(type(iterator), "__next__", None)
        if not isinstance(found, types.FunctionType) or isinstance(iterator, (Steps, Generator)):
            return False
        self.reader.fixed(found)
        self.enter(found, [iterator], {})
        self.frame.then = then
        return True

    def do_FOR_ITER(self, frame: Frame, i: Any) -> None:
        if not self._enter_next(self.value(frame.stack[-1]), ("for", i.value)):
            super().do_FOR_ITER(frame, i)

    def next_item(self, iterator: Any, default: Any) -> None:
        """What ``next`` does."""
        then = ("next", default)
        if type(iterator) is Generator:
            return self.go_on(iterator, then)
        if self._enter_next(iterator, then):
            return None
        if not isinstance(iterator, Steps) and not (
            isinstance(iterator, LISTED) and self.reader.is_ours(iterator)
        ):
            raise Break(f"next of {type(iterator).__name__}")
        try:
            self.push(next(iterator))
        except StopIteration:
            self.exhausted(then, None)

    def go_on(self, generator: Generator, then: Then | None, sent: Any = None) -> None:
        self.reader.has_run(generator)
        super().go_on(generator, then, sent)

    def throw_into(self, generator: Generator, then: Then | None, error: BaseException) -> None:
        self.reader.has_run(generator)
        super().throw_into(generator, then, error)

    def is_loop(self, value: Any) -> bool:
        """Whether a value has to be looped over by interpreting."""
        if isinstance(value, (Tensor, type, Steps, Module)):
            return False
        if type(value) is Generator:
            return True
        return isinstance(inspect.getattr_static(type(value), "__iter__", None), types.FunctionType)

    def _is_drained(self, frame: Frame, most: int | None = None) -> bool:
        """Whether what is on top of the stack becomes a list first, after which the instruction is done again."""
        value = self.value(frame.stack[-1])
        if not self.is_loop(value):
            return False
        frame.stack.pop()
        frame.place -= 1
        if most is None:
            self.enter(polyfills.drained, [value], {})
        else:
            self.enter(polyfills.taken, [value, most], {})
        return True

    def items(self, value: Any, count: int) -> Any:
        if isinstance(value, Tensor):
            return list(value.unbind(0))
        if isinstance(value, (*CONTAINERS, *LISTED, Steps)) and self.reader.is_clear(value):
            return value
        raise Break(f"{type(value).__name__} is taken apart")

    def do_UNPACK_SEQUENCE(self, frame: Frame, i: Any) -> None:
        if not self._is_drained(frame, i.arg):
            super().do_UNPACK_SEQUENCE(frame, i)

    def do_UNPACK_EX(self, frame: Frame, i: Any) -> None:
        if not self._is_drained(frame):
            super().do_UNPACK_EX(frame, i)

    def do_LIST_EXTEND(self, frame: Frame, i: Any) -> None:
        if not self._is_drained(frame):
            super().do_LIST_EXTEND(frame, i)

    def do_CALL_FUNCTION_EX(self, frame: Frame, i: Any) -> None:
        if not i.arg & 1 and self._is_drained(frame):
            return
        super().do_CALL_FUNCTION_EX(frame, i)

    def do_IS_OP(self, frame: Frame, i: Any) -> None:
        a, b = self.pops(frame, 2)
        sources = self.reader.source_of(a), self.reader.source_of(b)
        if a is not b and None not in sources:
            self.reader.guard(f"{sources[0]} is not {sources[1]}")
        frame.stack.append((a is b) != bool(i.arg))

    def do_CONTAINS_OP(self, frame: Frame, i: Any) -> None:
        a, b = self.pops(frame, 2)
        plain = isinstance(b, (*CONTAINERS, *LISTED)) and self.reader.is_clear(b)
        if isinstance(a, Tensor) or not plain:
            found = inspect.getattr_static(type(b), "__contains__", None)
            if isinstance(found, types.FunctionType) and not i.arg and not isinstance(a, Tensor):
                self.reader.fixed(found)
                return self.call(found, [b, a], {})
            raise Break("membership in an object")
        frame.stack.append((a in b) != bool(i.arg))
        return None

    def do_SET_UPDATE(self, frame: Frame, i: Any) -> None:
        if not self._is_drained(frame):
            super().do_SET_UPDATE(frame, i)

    def do_FORMAT_VALUE(self, frame: Frame, i: Any) -> None:
        value = self.value(frame.stack[-2 if i.arg & 4 else -1])
        plain = isinstance(
            value, (*CONTAINERS, *SYMBOLIC, type(None), type)
        ) and self.reader.is_clear(value)
        if isinstance(value, Tensor) or not plain:
            raise Break("an object becomes text")
        frame.stack[-2 if i.arg & 4 else -1] = self.for_text(value)
        super().do_FORMAT_VALUE(frame, i)

    # -- calls --

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if isinstance(function, types.MethodType):
            return self.call(function.__func__, [function.__self__, *args], kwargs)
        if isinstance(function, functools.partial):
            return self.call(
                function.func, [*function.args, *args], {**function.keywords, **kwargs}
            )
        if isinstance(function, Module):
            return self._call_module(function, args, kwargs)
        if isinstance(function, types.FunctionType):
            return self._call_function(function, args, kwargs)
        if isinstance(function, type):
            return self._call_class(function, args, kwargs)
        if isinstance(function, (types.BuiltinFunctionType, types.MethodDescriptorType,
                                 types.ClassMethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)):  # fmt: skip
            return self._call_builtin(function, args, kwargs)
        if isinstance(function, (operator.attrgetter, operator.itemgetter)):
            return self.push(function(*args))
        if isinstance(function, HigherOrderOperator):
            args, kwargs = pytree.tree_map(self._called_back, (args, kwargs))
            return self.push(function(*args, **kwargs))
        if type(function).__module__.startswith("rushlight."):
            # Such as an operator by its name.
            return self.push(function(*args, **kwargs))
        called = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(called, types.FunctionType):
            self.reader.guard_method(type(function), "__call__")
            self.reader.fixed(called)
            return self.call(called, [function, *args], kwargs)
        raise Break(f"a call of {type(function).__name__}")

    def _call_module(self, module: Module, args: list[Any], kwargs: dict[str, Any]) -> None:
        source = self.reader.source_of(module)
        if type(module).__call__ is not Module.__call__:
            called: Any = type(module).__call__
            return self._call_function(called, [module, *args], kwargs)
        if not has_no_hooks(module):
            return self._call_with_hooks(module, args, kwargs)
        if source is not None:
            self.reader.guard_hooks(source)
        forward: Any = type(module).forward
        self.reader.guard_method(type(module), "forward")
        if "forward" in module.__dict__:
            return self.enter(polyfills.forwarded, [module, args, kwargs], {})
        return self.call(forward, [module, *args], kwargs)

    def _call_with_hooks(self, module: Module, args: list[Any], kwargs: dict[str, Any]) -> None:
        if not has_forward_hooks_only(module):
            raise Break("a module with hooks of backward passes is called")
        self.enter(polyfills.called_with_hooks, [module, args, kwargs], {})

    def _call_function(
        self, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
    ) -> None:
        special = SPECIAL.get(function)
        if special is not None:
            return special(self, args, kwargs)
        if id(function) in in_graph:
            return self.push(self.recorder.as_one(function, tuple(args), kwargs))
        if getattr(function, "_torchdynamo_disable", False):
            raise Break(f"{function.__qualname__} is kept out of graphs")
        captured = getattr(function, "_captured", None)
        if captured is not None and "__wrapped__" in function.__dict__:
            # A compiled function within another one is read like any.
            return self._call_function(captured.function, args, kwargs)
        home = function.__globals__.get("__name__") or ""
        inner = function.__dict__.get("__wrapped__")
        decorates = isinstance(inner, types.FunctionType) and not is_ours(inner)
        if is_ours(function) and not decorates and not home.startswith(INLINED):
            return self._call_ours(function, args, kwargs)
        if home.partition(".")[0] in OUTSIDE:
            raise Break(f"a call of {home}.{function.__qualname__}")
        return self.enter(function, args, kwargs)

    def _call_ours(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """A function of the library, whose calls of operators are noted one by one.

        What it may do to the program's objects, or to the state of the library, nobody would do again.
        """
        name = function.__name__
        if name.lstrip("_").startswith(SETTERS):
            raise Break(f"a call of {name}")
        home = function.__globals__["__name__"] if isinstance(function, types.FunctionType) else ""
        if home.startswith(CALLS_BACK):
            args, kwargs = pytree.tree_map(self._called_back, (args, kwargs))
        self._check_clear(function, args, kwargs)
        self.push(function(*args, **kwargs))

    def _called_back(self, value: Any) -> Any:
        """A function of the program for a function of the library that calls it."""
        if isinstance(value, types.FunctionType) and is_ours(value):
            return value
        return Callback(self, value) if is_of_program(value) else value

    def whole(self, function: Any, args: Any, kwargs: Any) -> Any:
        """What a function gives, which is interpreted as part of one instruction."""
        depth, effects = len(self.frames), self.reader.effects()
        recent, self.reader.recent = self.reader.recent, {}
        try:
            self.call(function, list(args), kwargs)
            while len(self.frames) > depth:
                self.step()
            found = self.pop(self.frame)
        except Break as refusal:
            raise Spoilt(refusal.reason) from None
        finally:
            self.reader.recent = recent
        if self.reader.effects() != effects and self.recorder.is_in_body:
            raise Spoilt("a function that an operator is given has effects")
        return found

    def enter(
        self,
        function: Any,
        args: list[Any],
        kwargs: dict[str, Any],
        gives: Any = None,
    ) -> None:
        """Interpret a function's own frame."""
        code = function.__code__
        if not read(code).is_known:
            raise Break(f"{function.__qualname__} has instructions that are not interpreted")
        if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise Break(f"{function.__qualname__} is asynchronous")
        if len(self.frames) > 200:
            raise Break("calls are nested deeply")
        if id(function) not in self.reader.functions and self.reader.source_of(function) is None:
            self.reader.fixed(function)
        source = self.reader.source_of(function)
        closure: Any = function.__closure__ or ()
        if source is None:
            defaults, named = function.__defaults__, function.__kwdefaults__
        else:
            defaults = tuple(
                Unread(v, f"{source}.__defaults__[{k}]")
                for k, v in enumerate(function.__defaults__ or ())
            )
            named = {
                k: Unread(v, f"{source}.__kwdefaults__[{k!r}]")
                for k, v in (function.__kwdefaults__ or {}).items()
            }
            closure = [
                self.reader.cell(cell, f"{source}.__closure__[{k}]")
                for k, cell in enumerate(closure)
            ]
        found = bound(function, args, kwargs, defaults, named)
        frame = Frame(function, found, tuple(closure))
        if gives is not None:
            frame.gives = gives
        self.frames.append(frame)

    def _call_class(self, kind: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if kind is super and not args:
            frame = self.frame
            first = frame.code.code.co_varnames[0]
            owner = (
                frame.locals[first] if first in frame.locals else frame.cells[first].cell_contents
            )
            return self.push(super(self.cell(frame, "__class__"), self.value(owner)))
        if kind is type and len(args) == 1:
            return self.push(self._type_of(args[0]))
        if self._is_interpreted(kind, args, kwargs):
            return None
        if kind in PURE:
            return self._call_pure(kind, args, kwargs)
        home = kind.__module__
        if home.partition(".")[0] == "rushlight":
            if kind not in MODES and not home.startswith(MADE):
                raise Break(f"a {kind.__name__} is made")
            if kind in GRAD_MODES[:2] and args and is_of_program(args[0]):
                raise Break("a function is decorated")
            self._check_clear(kind, args, kwargs)
            self.push(kind(*args, **kwargs))
            return self.note_grad_mode() if kind is set_grad_enabled else None
        if kind is functools.partial or issubclass(kind, enum.Enum):
            return self.push(kind(*args, **kwargs))
        if home.partition(".")[0] in ("builtins", "collections", "itertools"):
            self._check_clear(kind, args, kwargs)
            return self.push(kind(*args, **kwargs))
        own = inspect.getattr_static(kind, "__init__", None)
        plain = type(kind).__call__ is type.__call__ and kind.__new__ is object.__new__
        if plain and isinstance(own, types.FunctionType) and not issubclass(kind, BaseException):
            made = self.new(object.__new__(kind))
            self.reader.fixed(own)
            return self.enter(own, [made, *args], kwargs, made)
        if holder(kind) is not None and type(kind).__call__ is type.__call__:
            return self._make_holder(kind, args, kwargs)
        made_by = in_class(kind, "__new__")
        if isinstance(made_by, staticmethod) and type(kind).__call__ is type.__call__:
            return self.enter(polyfills.made, [made_by.__func__, kind, args, kwargs], {})
        if issubclass(kind, (tuple, BaseException)) or (plain and own is object.__init__):
            return self.push(kind(*args, **kwargs))
        raise Break(f"a {kind.__name__} is made")

    def _make_holder(self, kind: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """An object of a class that is made of a container's."""
        made = self.new(kind.__new__(kind))
        own = in_class(kind, "__init__")
        if isinstance(own, types.FunctionType):
            self.reader.fixed(own)
            return self.enter(own, [made, *args], kwargs, made)
        if any(map(self.is_loop, args)):
            return self.enter(polyfills.filled, [made, own, args, kwargs], {})
        self._check_clear(kind, args, kwargs)
        own(made, *args, **kwargs)
        return self.push(made)

    def _is_interpreted(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
        """Whether a built-in function is interpreted, as it calls what it is given, or loops over it."""
        owner = getattr(function, "__self__", None)
        if function in polyfills.ALWAYS:
            self.enter(polyfills.ALWAYS[function], args, kwargs)
        elif function in polyfills.KEYED and is_of_program(kwargs.get("key")):
            self.enter(polyfills.KEYED[function], args, kwargs)
        elif (
            type(owner) is list and function.__name__ == "sort" and is_of_program(kwargs.get("key"))
        ):
            self.changed(owner)
            self.enter(polyfills._sort, [owner, *args], kwargs)
        elif function in (next, iter, isinstance, bool, len, callable, type, id):
            return False
        elif any(map(self.is_loop, args)):
            if function in polyfills.LOOPS:
                self.enter(polyfills.LOOPS[function], args, kwargs)
            elif getattr(function, "__name__", "") in ("append", "add", "__setitem__", "insert"):
                return False
            else:
                loops = [self.is_loop(arg) for arg in args]
                if function in PURE and function not in (list, tuple, set, frozenset, dict, sum,
                                                         max, min, sorted, slice):  # fmt: skip
                    return False
                self.enter(polyfills.with_lists, [function, args, kwargs, loops], {})
        else:
            return False
        return True

    def _type_of(self, value: Any) -> type:
        if isinstance(value, Tensor):
            return Parameter if isinstance(value, Parameter) else Tensor
        return PLAIN_KINDS.get(type(value), type(value))

    def _call_builtin(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if isinstance(function, types.MethodWrapperType):
            # Such as ``super().__setattr__``: the function of the class, with its object.
            args = [function.__self__, *args]
            function = getattr(function.__objclass__, function.__name__)
        if function in BY_NAME:
            return BY_NAME[function](self, args, kwargs)
        if function in PLAINLY:
            return self._plainly(PLAINLY[function], args)
        if self._is_interpreted(function, args, kwargs):
            return None
        if function in PURE:
            return self._call_pure(function, args, kwargs)
        if function in OF_DATA:
            args, kwargs = self.plain(args), self.plain(kwargs)
        owner = getattr(function, "__self__", None)
        if isinstance(owner, (set, *HOLDERS)) and function.__name__ in WRITING:
            self.changed(owner)
        if function.__name__ in ("__subclasses__", "mro") and isinstance(owner, type):
            return self.push(function(*args))
        if function.__name__ == "__new__" and owner in NEW:
            return self.push(function(*args, **kwargs))
        home = getattr(function, "__module__", None) or type(owner).__module__
        plain = isinstance(owner, (*CONTAINERS, *LISTED, Steps)) and self.reader.is_clear(owner)
        known = plain or isinstance(owner, Tensor) or _is_of_tensors(function)
        if not known and home.partition(".")[0] not in (
            "math",
            "_operator",
            "rushlight",
            "itertools",
        ):
            raise Break(f"a call of {getattr(function, '__qualname__', function)}")
        if isinstance(owner, (str, bytes)):
            args, kwargs = self.for_text(args), self.for_text(kwargs)
        elif not isinstance(owner, (list, dict, set, tuple)):
            # These keep what they are given; others look at it.
            self._check_clear(function, args, kwargs)
        return self.push(function(*args, **kwargs))

    def _plainly(self, name: str, args: list[Any]) -> None:
        """What the methods of ``object`` do to attributes."""
        if name == "init":
            return self.push(None)
        if name == "find":
            found, given = self.attributes.find_plainly(*args)
            return self.push(found) if given is None else self.call(found, given, {})
        how = self.attributes.set_plainly if name == "set" else self.attributes.delete_plainly
        return self.with_none(how(*args))

    def _check_clear(self, function: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """What Python's own functions are given is told by guards, or is a tensor."""
        for value in (*args, *kwargs.values()):
            if not isinstance(value, Tensor) and not self.reader.is_clear(value):
                raise Break(f"{function.__name__} of {type(value).__name__}")

    def _call_pure(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if function not in (isinstance, issubclass, callable, iter, next, bool, len):
            self._check_clear(function, args, kwargs)
        if function in (str, repr, format):
            args, kwargs = self.for_text(args), self.for_text(kwargs)
        elif function not in OF_SYMBOLS:
            args, kwargs = self.plain(args), self.plain(kwargs)
        if function is iter:
            return self.iterator(args[0])
        if function is next:
            return self.next_item(args[0], args[1] if len(args) > 1 else NULL)
        if function in (bool, len, int, float, str, repr, format) and args:
            value = args[0]
            if function is bool:
                return self.push(self.truth(value))
            if isinstance(value, Tensor):
                if function is len and value._size_:
                    return self.push(value._size_[0])
                if function is len:
                    return self.push(len(value))
                raise Break(f"{function.__name__} of a tensor")
            method = inspect.getattr_static(type(value), f"__{function.__name__}__", None)
            if isinstance(method, types.FunctionType):
                self.reader.fixed(method)
                return self.call(method, [value], {})
            if not self.reader.is_clear(value):
                raise Break(f"{function.__name__} of {type(value).__name__}")
        if function is isinstance and isinstance(args[0], Tensor):
            kinds = args[1] if isinstance(args[1], tuple) else (args[1],)
            return self.push(any(isinstance(args[0], k) for k in kinds))
        if function in (isinstance, int, float) and args and isinstance(args[0], SYMBOLIC):
            return self.push(_of_symbol(function, *args))
        return self.push(function(*args, **kwargs))

    def do_BEFORE_WITH(self, frame: Frame, i: Any) -> None:
        manager = self.value(frame.stack[-1])
        if isinstance(manager, MODES):
            frame.stack.pop()
            frame.stack.append(types.MethodType(leave, manager))
            frame.stack.append(self.enter_mode(manager))
            return
        begin, end = (
            inspect.getattr_static(type(manager), name, None) for name in ("__enter__", "__exit__")
        )
        if not all(isinstance(one, types.FunctionType) for one in (begin, end)) or is_ours(begin):
            raise Break(f"a block of {type(manager).__name__}")
        frame.stack.pop()
        frame.stack.append(types.MethodType(self.reader.fixed(end), manager))
        self.call(self.reader.fixed(begin), [manager], {})

    def enter_mode(self, manager: Any) -> Any:
        """Begin a block that switches what operators do."""
        source = self.reader.source_of(manager)
        if source is not None:
            for name in fields(manager):
                self.reader.admit(getattr(manager, name), f"{source}.{name}")
        if isinstance(manager, GRAD_MODES):
            found = manager.__enter__()
            self.note_grad_mode()
            return found
        node = self.recorder.note(_enter_autocast, *arguments(manager))
        self.open_modes.append((manager, node))
        return manager.__enter__()

    def leave_mode(self, manager: Any) -> None:
        """End such a block."""
        if isinstance(manager, GRAD_MODES):
            manager.__exit__(None, None, None)
            return self.note_grad_mode()
        if not self.open_modes or self.open_modes[-1][0] is not manager:
            raise Break("a block ends that began before the graph")
        manager.__exit__(None, None, None)
        self.recorder.note(_exit_autocast, self.open_modes.pop()[1])
        return None

    def note_grad_mode(self) -> None:
        self.recorder.note(_set_grad_enabled, state.thread.grad_enabled)

    def do_WITH_EXCEPT_START(self, frame: Frame, i: Any) -> None:
        error = self.value(frame.stack[-1])
        self.call(self.value(frame.stack[-4]), [type(error), error, None], {})


class Callback:
    """A function of the program, interpreted when the library calls it."""

    def __init__(self, capture: Capture, function: Any) -> None:
        self.capture, self.function = capture, function
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.capture.whole(self.function, args, kwargs)


def is_of_program(function: Any) -> bool:
    """Whether calling something runs Python that is to be interpreted."""
    kinds = (types.FunctionType, types.MethodType, functools.partial, Module)
    return isinstance(function, kinds) or isinstance(
        in_class(type(function), "__call__"), types.FunctionType
    )


def is_ours(function: Any) -> bool:
    """Whether a function is the library's: what a module says of its functions is for people, the text counts."""
    home = function.__globals__.get("__name__") or ""
    return home.partition(".")[0] == "rushlight"


def pytree_has_symbols(value: Any) -> bool:
    """Whether there are symbolic numbers in a container."""
    return any(isinstance(leaf, SYMBOLIC) for leaf in pytree.tree_leaves(value))


def _of_symbol(function: Any, number: Any, *kinds: Any) -> Any:
    """What built-in functions say of symbolic numbers."""
    if function is isinstance:
        return issubclass(PLAIN_KINDS[type(number)], *kinds)
    if function is float:
        return number if isinstance(number, SymFloat) else sym_float(number)
    return number if isinstance(number, SymInt) else math.trunc(guard_scalar(number))


# Signs that change what they are used on, and the same without that.
IN_PLACE = {BINARY[sign]: BINARY[sign[:-1]] for sign in BINARY if sign.endswith("=")}
# What programs take symbolic numbers for.
PLAIN_KINDS = {SymInt: int, SymFloat: float, SymBool: bool}
# Functions of the library that take numbers for data.
OF_DATA = {rushlight.tensor, rushlight.as_tensor, rushlight.asarray, rushlight.scalar_tensor}
# Built-in functions that work on symbolic numbers.
OF_SYMBOLS = {
    abs, all, any, bool, callable, dict, divmod, enumerate, filter, float, int, isinstance, issubclass,
    iter, len, list, map, max, min, next, pow, reversed, slice, sorted, sum, tuple, zip, math.ceil,
    math.floor,
}  # fmt: skip

OF_FAKES = (
    GuardOnDataDependentSymNode,
    fake_tensor.DataDependentOutputException, fake_tensor.DynamicOutputShapeException,
    fake_tensor.UnsupportedFakeTensorException, fake_tensor.UnsupportedOperatorException,
)  # fmt: skip
# Functions that set what later calls do begin with one of these.
SETTERS = ("set_", "use_", "manual_seed", "seed", "fork_rng", "init_", "register_")
# Classes of the library whose objects hold nothing but what they are given.
MADE = ("rushlight.engine.core.size", "rushlight.engine.core.device", "rushlight.distributions")
# Modules of Python whose functions ask, or tell, what no guard knows.
OUTSIDE = {"warnings", "logging", "threading", "os", "random", "time", "subprocess", "tempfile"}
# Modules whose functions call at once what they are given.
CALLS_BACK = (
    "rushlight._higher_order_ops",
    "rushlight.utils._pytree",
    "rushlight.utils.checkpoint",
)
# Modules whose functions are read like a program's.
INLINED = ("rushlight.nn.modules",)


def _leave(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.leave_mode(args[0])
    capture.push(None)


def _set_grad(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    _set_grad_enabled(*args, **kwargs)
    capture.note_grad_mode()
    capture.push(None)


def _clone(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    (manager,) = args
    source = capture.reader.source_of(manager)
    for name in fields(manager) if source else ():
        capture.reader.admit(getattr(manager, name), f"{source}.{name}")
    capture.push(manager.clone())
    capture.note_grad_mode()


def _id(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    found = Identity(id(args[0]))
    found.of = args[0]
    capture.push(found)


def _getattr(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    if len(args) == 2:
        return capture.attribute(*args)
    return capture.enter(found_or, args, kwargs)


def _hasattr(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    owner, name = args
    if isinstance(owner, Tensor):
        return capture.push(hasattr(owner, name))
    return capture.enter(is_found, args, kwargs)


def _delattr(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.with_none(capture.attributes.delete(*args))


def _setattr(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.with_none(capture.attributes.set(*args))


def _is_of_tensors(function: Any) -> bool:
    """Whether it is a method of the class of tensors."""
    return isinstance(getattr(function, "__objclass__", None), type) and issubclass(
        Tensor, function.__objclass__
    )


def _end(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    raise Break("the program asks for it")


def _compiled(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.push(True)


def _send(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    generator, sent = args
    capture.go_on(generator, ("next", NULL), sent)


def _throw(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    generator, error, *more = args
    if isinstance(error, type):
        error = more[0] if more and more[0] is not None else error()
    capture.throw_into(generator, ("next", NULL), error)


def _close(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    (generator,) = args
    if not generator.is_done and generator.has_begun:
        raise Break("a generator is closed in the middle")
    capture.reader.has_run(generator)
    generator.is_done = True
    capture.push(None)


def _checkpoint(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.call(tag_activation_checkpoint, args, kwargs)


def _apply(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    # One node, as it has a backward pass of its own.
    kind, *given = args
    capture.push(capture.recorder.as_one(_applied(kind), tuple(given), kwargs))


@functools.lru_cache(1024)
def _applied(kind: Any) -> Any:
    """What calls a function that has a backward pass of its own."""

    def apply(*args: Any, **kwargs: Any) -> Any:
        return kind.apply(*args, **kwargs)

    apply.__module__, apply.__name__ = kind.__module__, f"{kind.__name__}_apply"
    apply.__qualname__ = apply.__name__
    return apply


def _init_module(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    if not capture.reader.is_ours(args[0]):
        raise Break("a module of the program is initialized")
    Module.__init__(*args, **kwargs)
    capture.push(None)


SPECIAL: dict[Any, Any] = {
    Module.__init__: _init_module,
    checkpoint.checkpoint: _checkpoint,
    Function.apply.__func__: _apply,  # type: ignore[attr-defined]
    Generator.__next__: lambda capture, args, kwargs: capture.next_item(args[0], NULL),
    Generator.__iter__: lambda capture, args, kwargs: capture.push(args[0]),
    Generator.send: _send,
    Generator.throw: _throw,
    Generator.close: _close,
    leave: _leave,
    _set_grad_enabled: _set_grad,
    Decorating.clone: _clone,
    set_grad_enabled.clone: _clone,
    _dynamo.graph_break: _end,
    eval_frame.unsupported: _end,
    compiler.is_compiling: _compiled,
    _dynamo.is_compiling: _compiled,
}
# Classes whose ``__new__`` only makes an object.
NEW = (object, tuple, list, dict, set, frozenset, str, int, float, collections.OrderedDict)
PLAINLY = {
    object.__getattribute__: "find", object.__setattr__: "set", object.__delattr__: "delete",
    object.__init__: "init",
}  # fmt: skip
BY_NAME: dict[Any, Any] = {
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setattr,
    delattr: _delattr,
    id: _id,
}
PURE |= {sys.getrecursionlimit}
PURE |= {getattr(math, name) for name in dir(math) if callable(getattr(math, name))}
