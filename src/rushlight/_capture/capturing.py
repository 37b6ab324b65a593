"""Capturing: the interpreter over fakes, which reads the program's objects and writes a graph."""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
import math
import operator
import types
from collections.abc import Callable
from typing import Any

from rushlight import _dynamo, compiler
from rushlight._C import _set_grad_enabled
from rushlight._capture.breaks import Break, Uncapturable
from rushlight._capture.frames import Frame, Steps, Unread, bound, read
from rushlight._capture.interpreter import Generator, Interpreter
from rushlight._capture.modes import GRAD_MODES, leave_grad_mode
from rushlight._capture.reading import CLEAR, Reader, has_no_hooks
from rushlight._capture.recording import Recorder
from rushlight._capture.status import in_graph
from rushlight._dynamo import eval_frame
from rushlight._subclasses import fake_tensor
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import Module
from rushlight.nn.parameter import Parameter

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
CONTAINERS = (list, tuple, dict, set, frozenset, str, bytes, int, float, range, slice)


class Capture(Interpreter):
    """Interprets frames until something cannot be in a graph.

    Args:
        frames: the calls that are being interpreted, with `Unread` values of the program
        reader: notes guards
        recorder: notes the graph
    """

    def __init__(self, frames: list[Frame], reader: Reader, recorder: Recorder) -> None:
        super().__init__(frames)
        self.reader, self.recorder = reader, recorder

    def handle(self, error: BaseException, frame: Frame, place: int) -> None:
        if not isinstance(error, Exception):
            if frame.code.instructions[place].name in ("RAISE_VARARGS", "RERAISE"):
                raise Break(f"{type(error).__name__} is raised")
            raise error
        if isinstance(error, OF_FAKES):
            raise Break(f"{type(error).__name__}: {error}")
        places = [place, *(f.place - 1 for f in self.frames[-2::-1])]
        if not any(f.code.handler(p) for f, p in zip(reversed(self.frames), places)):
            raise Break(f"{type(error).__name__}: {error}")
        super().handle(error, frame, place)

    # -- values --

    def value(self, item: Any) -> Any:
        return self.reader.admit_unread(item) if isinstance(item, Unread) else item

    def attribute(self, owner: Any, name: str) -> None:
        if isinstance(owner, Tensor):
            if name in ("grad", "data", "grad_fn", "_version") or not hasattr(type(owner), name):
                raise Break(f"the attribute {name} of a tensor")
            return self.push(getattr(owner, name))
        if isinstance(owner, super):
            return self.push(getattr(owner, name))
        how, found = self.reader.attribute(owner, name)
        if how == "value":
            self.push(found)
        elif isinstance(found, functools.partial):
            self.call(found, [], {})
        else:
            self.reader.fixed(found)
            self.call(found, [owner], {})

    def set_attribute(self, owner: Any, name: str, value: Any) -> None:
        if isinstance(owner, (Tensor, type, types.ModuleType, types.FunctionType)):
            raise Break(f"the attribute {name} of a {type(owner).__name__} is set")
        found = inspect.getattr_static(type(owner), name, None)
        setter = type(owner).__setattr__
        if isinstance(owner, Module):
            tables = ("_parameters", "_buffers", "_modules")
            is_told = any(name in owner.__dict__.get(table, ()) for table in tables)
            if is_told or isinstance(value, (Tensor, Module)) or setter is not Module.__setattr__:
                raise Break(f"the attribute {name} of a module is set")
        elif setter is not object.__setattr__ or isinstance(found, property):
            raise Break(f"the attribute {name} is set by a function")
        if self.reader.is_ours(owner):
            setattr(owner, name, value)
        else:
            self.reader.attributes[id(owner), name] = owner, value

    def delete_attribute(self, owner: Any, name: str) -> None:
        raise Break(f"the attribute {name} is deleted")

    def set_global(self, frame: Frame, name: str, value: Any) -> None:
        raise Break(f"the global variable {name} is set")

    def global_of(self, frame: Frame, name: str) -> Any:
        if name in frame.globals:
            value = frame.globals[name]
            source = f"{self.reader.name(frame.globals)}[{name!r}]"
            return Unread(value, source)
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name '{name}' is not defined")

    def cell(self, frame: Frame, name: str) -> Any:
        cell = frame.cells[name]
        return self.value(cell) if isinstance(cell, Unread) else cell.cell_contents

    def set_cell(self, frame: Frame, name: str, value: Any) -> None:
        if isinstance(frame.cells[name], Unread) or not self.reader.is_ours(frame.cells[name]):
            raise Break(f"the variable {name} of an outer function is set")
        frame.cells[name].cell_contents = value

    def do_LOAD_CLOSURE(self, frame: Frame, i: Any) -> None:
        unread = frame.cells[i.value]
        if isinstance(unread, Unread):
            # A cell that the program has, with what stands for its value.
            shown = types.CellType(self.value(unread))
            source = unread.source.removesuffix(".cell_contents")
            frame.cells[i.value] = self.reader.know(shown, source, unread)
        super().do_LOAD_CLOSURE(frame, i)

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
        if isinstance(value, (list, dict, set)) and not self.reader.is_ours(value):
            if type(value) not in CLEAR:
                raise Break(f"a {type(value).__name__} of the program is changed")
            self.reader.changed[id(value)] = value

    def operate(self, function: Callable[..., Any], *values: Any) -> None:
        name = f"__{function.__name__.strip('_')}__"
        found = inspect.getattr_static(type(values[0]), name, None)
        if isinstance(found, types.FunctionType) and not isinstance(values[0], Tensor):
            self.reader.fixed(found)
            return self.call(found, list(values), {})
        self._check_clear(function, values, {})
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
        if type(iterator) is Generator:
            if not self.reader.is_ours(iterator):
                raise Break("a generator of the program is gone on with")
            try:
                return self.resume(iterator)
            except Break as found:
                # What its body has done by then cannot be taken back.
                raise Uncapturable(f"{found.reason} in a generator") from None
        if not isinstance(iterator, Steps):
            if isinstance(iterator, LISTED) and self.reader.is_ours(iterator):
                iterator = self.frame.stack[-1] = Steps(list(iterator))
            else:
                raise Break(f"a loop over {type(iterator).__name__}")
        return next(iterator)

    def listed(self, value: Any) -> Any:
        """A generator's items, which Python's own functions are given in its place."""
        if type(value) is not Generator:
            return value
        found = []
        try:
            while True:
                found.append(self.next(value))
        except StopIteration:
            return found

    def items(self, value: Any, count: int) -> Any:
        value = self.listed(value)
        if isinstance(value, Tensor):
            return list(value.unbind(0))
        if isinstance(value, (*CONTAINERS, *LISTED, Steps)) and self.reader.is_clear(value):
            return value
        raise Break(f"{type(value).__name__} is taken apart")

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
        frame.stack[-1] = self.listed(self.value(frame.stack[-1]))
        super().do_SET_UPDATE(frame, i)

    def do_FORMAT_VALUE(self, frame: Frame, i: Any) -> None:
        value = self.value(frame.stack[-2 if i.arg & 4 else -1])
        plain = isinstance(value, (*CONTAINERS, type(None), type)) and self.reader.is_clear(value)
        if isinstance(value, Tensor) or not plain:
            raise Break("an object becomes text")
        super().do_FORMAT_VALUE(frame, i)

    # -- calls --

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if isinstance(function, types.MethodType):
            return self.call(function.__func__, [function.__self__, *args], kwargs)
        if isinstance(function, functools.partial):
            self._guard_partial(function)
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
                                 types.WrapperDescriptorType, types.MethodWrapperType)):  # fmt: skip
            return self._call_builtin(function, args, kwargs)
        if isinstance(function, (operator.attrgetter, operator.itemgetter)):
            return self.push(function(*args))
        if type(function).__module__.startswith("rushlight."):
            # Such as an operator by its name.
            return self.push(function(*args, **kwargs))
        called = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(called, types.FunctionType):
            self.reader.fixed(called)
            return self.call(called, [function, *args], kwargs)
        raise Break(f"a call of {type(function).__name__}")

    def _guard_partial(self, function: Any) -> None:
        source = self.reader.source_of(function)
        if source is not None:
            self.reader.admit(function.func, f"{source}.func")
            if function.args or function.keywords:
                raise Break("a partial function of the program is called")

    def _call_module(self, module: Module, args: list[Any], kwargs: dict[str, Any]) -> None:
        source = self.reader.source_of(module)
        if not has_no_hooks(module) or "forward" in module.__dict__:
            raise Break("a module with hooks is called")
        if type(module).__call__ is not Module.__call__:
            called: Any = type(module).__call__
            return self._call_function(called, [module, *args], kwargs)
        if source is not None:
            self.reader.guard_hooks(source)
        return self._enter(type(module).forward, [module, *args], kwargs)  # type: ignore[arg-type]

    def _call_function(
        self, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]
    ) -> None:
        special = SPECIAL.get(function)
        if special is not None:
            return special(self, args, kwargs)
        if id(function) in in_graph:
            return self.push(self.recorder.call(function, tuple(args), kwargs))
        if getattr(function, "_torchdynamo_disable", False):
            raise Break(f"{function.__qualname__} is kept out of graphs")
        captured = getattr(function, "_captured", None)
        if captured is not None and "__wrapped__" in function.__dict__:
            # A compiled function within another one is read like any.
            return self._call_function(captured.function, args, kwargs)
        home = function.__globals__.get("__name__") or ""
        if home.partition(".")[0] == "rushlight" and not home.startswith(INLINED):
            return self._call_ours(function, args, kwargs)
        if home.partition(".")[0] in (
            "contextlib",
            "warnings",
            "logging",
            "threading",
            "os",
            "random",
        ):
            raise Break(f"a call of {home}.{function.__qualname__}")
        return self._enter(function, args, kwargs)

    def _call_ours(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """A function of the library, whose calls of operators are noted one by one.

        What it may do to the program's objects, or to the state of the library, nobody would do again.
        """
        self._check_clear(function, args, kwargs)
        name = function.__name__
        if name.lstrip("_").startswith(SETTERS):
            raise Break(f"a call of {name}")
        self.push(function(*args, **kwargs))

    def _enter(
        self,
        function: types.FunctionType,
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
        source = self.reader.source_of(function)
        if source is None:
            defaults, named = function.__defaults__, function.__kwdefaults__
            closure: Any = function.__closure__ or ()
        else:
            defaults = tuple(
                Unread(v, f"{source}.__defaults__[{k}]")
                for k, v in enumerate(function.__defaults__ or ())
            )
            named = {
                k: Unread(v, f"{source}.__kwdefaults__[{k!r}]")
                for k, v in (function.__kwdefaults__ or {}).items()
            }
            closure = []
            for k, cell in enumerate(function.__closure__ or ()):
                try:
                    value = cell.cell_contents
                except ValueError:
                    raise Break("a variable of an outer function has no value yet") from None
                closure.append(Unread(value, f"{source}.__closure__[{k}].cell_contents"))
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
        if kind in PURE:
            return self._call_pure(kind, args, kwargs)
        home = kind.__module__
        if home.partition(".")[0] == "rushlight":
            if kind not in GRAD_MODES[:2] and not home.startswith(MADE):
                raise Break(f"a {kind.__name__} is made")
            return self._call_ours(kind, args, kwargs)
        if home.partition(".")[0] in ("builtins", "collections", "itertools"):
            self._check_clear(kind, args, kwargs)
            return self.push(kind(*args, **kwargs))
        own = inspect.getattr_static(kind, "__init__", None)
        plain = type(kind) is type and kind.__new__ is object.__new__
        if plain and isinstance(own, types.FunctionType) and not issubclass(kind, BaseException):
            made = object.__new__(kind)
            self.reader.fixed(own)
            return self._enter(own, [made, *args], kwargs, made)
        if issubclass(kind, (tuple, BaseException)) or (plain and own is object.__init__):
            return self.push(kind(*args, **kwargs))
        raise Break(f"a {kind.__name__} is made")

    def _type_of(self, value: Any) -> type:
        if isinstance(value, Tensor):
            return Parameter if isinstance(value, Parameter) else Tensor
        return type(value)

    def _call_builtin(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if function in BY_NAME:
            return BY_NAME[function](self, args, kwargs)
        if function in PURE:
            return self._call_pure(function, args, kwargs)
        args = [self.listed(value) for value in args]
        owner = getattr(function, "__self__", None)
        if isinstance(owner, (list, dict, set)) and function.__name__ in WRITING:
            self.changed(owner)
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
        if not isinstance(owner, (list, dict, set, tuple)):
            # These keep what they are given; others look at it.
            self._check_clear(function, args, kwargs)
        return self.push(function(*args, **kwargs))

    def _check_clear(self, function: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """What Python's own functions are given is told by guards, or is a tensor."""
        for value in (*args, *kwargs.values()):
            if not isinstance(value, Tensor) and not self.reader.is_clear(value):
                raise Break(f"{function.__name__} of {type(value).__name__}")

    def _call_pure(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if function is not next and function is not iter:
            args = [self.listed(value) for value in args]
        if function not in (isinstance, issubclass, callable, iter, next, bool, len):
            self._check_clear(function, args, kwargs)
        if function in (map, filter, sorted, max, min) and (
            "key" in kwargs or function in (map, filter)
        ):
            called = kwargs.get("key", args[0])
            if isinstance(called, types.FunctionType):
                raise Break(f"{function.__name__} calls a function")
        if function is iter:
            return self.iterator(args[0])
        if function is next:
            return self.push(self.next(args[0]) if len(args) == 1 else next(args[0], args[1]))
        if function in (bool, len, int, float, str, repr, format) and args:
            value = args[0]
            if function is bool:
                return self.push(self.truth(value))
            if isinstance(value, Tensor):
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
        return self.push(function(*args, **kwargs))

    def do_BEFORE_WITH(self, frame: Frame, i: Any) -> None:
        manager = self.value(frame.stack[-1])
        if not isinstance(manager, GRAD_MODES):
            raise Break(f"a block of {type(manager).__name__}")
        frame.stack.pop()
        frame.stack.append(types.MethodType(leave_grad_mode, manager))
        result = manager.__enter__()
        self.recorder.note(_set_grad_enabled, state.thread.grad_enabled)
        frame.stack.append(result)


OF_FAKES = (
    fake_tensor.DataDependentOutputException, fake_tensor.DynamicOutputShapeException,
    fake_tensor.UnsupportedFakeTensorException, fake_tensor.UnsupportedOperatorException,
)  # fmt: skip
# Functions that set what later calls do begin with one of these.
SETTERS = ("set_", "use_", "manual_seed", "seed", "fork_rng", "init_", "register_")
# Classes of the library whose objects hold nothing but what they are given.
MADE = ("rushlight.engine.core.size", "rushlight.engine.core.device", "rushlight.distributions")
# Modules whose functions are read like a program's.
INLINED = ("rushlight.nn.modules",)


def _leave_in_graph(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    manager, *error = args
    manager.__exit__(*error)
    capture.recorder.note(_set_grad_enabled, state.thread.grad_enabled)
    capture.push(None)


class Identity(int):
    """What `id` gives: good for comparing within a graph, and another number in the next call."""


def _id(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.push(Identity(id(args[0])))


def _getattr(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    owner, name, *default = args
    try:
        capture.attribute(owner, name)
    except AttributeError:
        if not default:
            raise
        capture.push(default[0])


def _hasattr(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    owner, name = args
    if isinstance(owner, Tensor):
        return capture.push(hasattr(owner, name))
    try:
        how, _ = capture.reader.attribute(owner, name)
    except AttributeError:
        return capture.push(False)
    if how != "value":
        raise Break("hasattr of what a function gives")
    return capture.push(True)


def _setattr(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.set_attribute(*args)
    capture.push(None)


def _is_of_tensors(function: Any) -> bool:
    """Whether it is a method of the class of tensors."""
    return isinstance(getattr(function, "__objclass__", None), type) and issubclass(
        Tensor, function.__objclass__
    )


def _end(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    raise Break("the program asks for it")


def _compiled(capture: Capture, args: list[Any], kwargs: dict[str, Any]) -> None:
    capture.push(True)


SPECIAL: dict[Any, Any] = {
    leave_grad_mode: _leave_in_graph,
    _dynamo.graph_break: _end,
    eval_frame.unsupported: _end,
    compiler.is_compiling: _compiled,
    _dynamo.is_compiling: _compiled,
}
BY_NAME: dict[Any, Any] = {getattr: _getattr, hasattr: _hasattr, setattr: _setattr, id: _id}
PURE |= {getattr(math, name) for name in dir(math) if callable(getattr(math, name))}
