"""Values: what instructions do with the program's objects and with fakes while a graph is captured."""

from __future__ import annotations

import builtins
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

from rushlight._capture import polyfills, tracebacks
from rushlight._capture.arrays import Array, checked, has_attribute
from rushlight._capture.attributes import Attributes
from rushlight._capture.breaks import Break, Uncapturable
from rushlight._capture.frames import Frame, Steps, Unread, bound, read
from rushlight._capture.interpreter import (
    ATTRIBUTE,
    ITEMS,
    Generator,
    Interpreter,
    Then,
    done,
)
from rushlight._capture.kinds import (
    CONTAINERS,
    IN_PLACE,
    LISTED,
    OF_FAKES,
    PLAIN_KINDS,
    has_symbols_within,
    is_of_program,
)
from rushlight._capture.reading import (
    CLEAR,
    CONSTANTS,
    HOLDERS,
    Reader,
    holder,
    in_class,
)
from rushlight._capture.recording import SYMBOLIC, Recorder, is_known, outside
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental.sym_node import plain_number
from rushlight.nn.parameter import Parameter
from rushlight.utils import _pytree as pytree


class Values(Interpreter):
    """Interprets frames until something cannot be in a graph; `calling.Capture` says what calls do.

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
        # Whether the program has heard that it is being compiled.
        self.has_told = False
        recorder.where = lambda: [(f.code, f.place - 1) for f in self.frames]

    def handle(self, error: BaseException, frame: Frame, place: int) -> None:
        # A generator that is closed is sent the one that says so.
        if not isinstance(error, (Exception, GeneratorExit)):
            if frame.code.instructions[place].name in ("RAISE_VARARGS", "RERAISE"):
                raise Break(f"{type(error).__name__} is raised")
            raise error
        if isinstance(error, OF_FAKES) or not tracebacks.is_of_program(error, done.__code__):
            raise Break(f"{type(error).__name__}: {error}")
        if not self._is_handled(error, place):
            if self.has_told:
                # Without a graph it may go another way.
                raise Uncapturable(f"{type(error).__name__}: {error}")
            raise Break(f"{type(error).__name__}: {error}")
        super().handle(error, frame, place)

    def _is_handled(self, error: BaseException, place: int) -> bool:
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

    @staticmethod
    def kind_of(value: Any) -> type:
        """The class that programs see: fakes stand for tensors, symbols for numbers."""
        if isinstance(value, Array):
            return value.kind
        if isinstance(value, Tensor):
            return Parameter if isinstance(value, Parameter) else Tensor
        return PLAIN_KINDS.get(type(value), type(value))

    def value(self, item: Any) -> Any:
        return self.reader.admit_unread(item) if isinstance(item, Unread) else item

    def arguments(self, frame: Frame, count: int) -> list[Any]:
        """What a call is given. Arguments that its function does not look at are not read."""
        if not count:
            return []
        found = frame.stack[-count:]
        del frame.stack[-count:]
        return found

    def positional(self, given: Any) -> list[Any]:
        if not isinstance(given, Unread) or given.is_admitted or type(given.value) is not tuple:
            return super().positional(given)
        self.reader.guard(f"type({given.source}) is tuple")
        self.reader.guard(f"len({given.source}) == {len(given.value)}")
        return [Unread(v, f"{given.source}[{k}]") for k, v in enumerate(given.value)]

    def do_STORE_FAST(self, frame: Frame, i: Any) -> None:
        if frame.globals is not vars(polyfills):
            self.recorder.call_it(frame.stack[-1], i.value)
        super().do_STORE_FAST(frame, i)

    def attribute(self, owner: Any, name: str) -> None:
        if isinstance(owner, Tensor):
            if name in ("grad", "data", "grad_fn", "_version"):
                raise Break(f"the attribute {name} of a tensor")
            if not hasattr(Tensor, name):
                return self.push(self.attributes.of_tensor(owner, name))
            if name == "__class__":
                return self.push(self.kind_of(owner))
            return self.push(getattr(owner, name))
        if isinstance(owner, Array):
            if not has_attribute(name):
                raise Break(f"the attribute {name} of an array")
            return self.push(self.kind_of(owner) if name == "__class__" else getattr(owner, name))
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
        if isinstance(owner, Array):
            raise Break("an attribute of an array is set")
        self._done(self.attributes.set(owner, name, value))

    def delete_attribute(self, owner: Any, name: str) -> None:
        self._done(self.attributes.delete(owner, name))

    def _done(self, call: Any) -> None:
        """Make a call whose result nobody wants."""
        if call is not None:
            self.do_alone(self.call, call[0], call[1], {})

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
            return plain_number(value)
        if type(value) in (list, tuple, Size, set, frozenset) and has_symbols_within(value):
            return type(value)(map(self.plain, value))
        if type(value) is dict and has_symbols_within(value):
            return {self.plain(k): self.plain(v) for k, v in value.items()}
        return value

    def truth(self, value: Any) -> bool:
        if isinstance(value, Array):
            raise Break("a branch on an array")
        if isinstance(value, Tensor):
            if is_known(value):
                with outside():
                    return bool(value.constant)  # type: ignore[attr-defined]
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

    def _is_asked(self, frame: Frame) -> bool:
        """Whether what is on top of the stack says itself if it is true: then the instruction is done again."""
        value = self.value(frame.stack[-1])
        if isinstance(value, (Tensor, Array)) or type(value) in CLEAR:
            return False
        found = in_class(type(value), "__bool__") or in_class(type(value), "__len__")
        if not isinstance(found, types.FunctionType):
            return False
        frame.stack.pop()
        frame.place -= 1
        self.enter(polyfills.is_true, [self.reader.fixed(found), value], {})
        return True

    def _jump_if(self, frame: Frame, i: Any, wanted: bool) -> None:
        if not self._is_asked(frame):
            super()._jump_if(frame, i, wanted)

    def do_UNARY_NOT(self, frame: Frame, i: Any) -> None:
        if not self._is_asked(frame):
            super().do_UNARY_NOT(frame, i)

    def changed(self, value: Any) -> None:
        if isinstance(value, (set, *HOLDERS)) and not self.reader.is_ours(value):
            if type(value) not in CLEAR and holder(type(value)) is None:
                raise Break(f"a {type(value).__name__} of the program is changed")
            self.reader.changed[id(value)] = value

    def operate(self, function: Callable[..., Any], *values: Any) -> None:
        if any(isinstance(value, Array) for value in values):
            self.check_clear(function, values, {})
            return self.push(done(checked, [function, *map(self.plain, values)], {}))
        name = f"__{function.__name__.strip('_')}__"
        found = inspect.getattr_static(type(values[0]), name, None)
        if isinstance(found, types.FunctionType) and not isinstance(values[0], (Tensor, *SYMBOLIC)):
            self.reader.fixed(found)
            swapped = getattr(type(values[-1]), f"__r{name[2:]}", None)
            if swapped is not None and type(values[0]) is not type(values[-1]):
                return self.enter(polyfills.either, [found, swapped, name, *values], {})
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
        by_identity = function in (operator.eq, operator.ne) and all(
            type(value).__eq__ is object.__eq__ and not self.reader.is_clear(value)
            for value in values
        )
        if by_identity:
            return self.push(self.same(*values) == (function is operator.eq))
        looked_at = values[:2] if function is operator.setitem else values
        self.check_clear(function, looked_at, {})
        if isinstance(values[0], (str, bytes)):
            # Only a plain number becomes part of a text.
            return self.push(done(function, [*map(self.for_text, values)], {}))
        of_tensors = values[:1] if isinstance(values[0], HOLDERS) else values
        if any(isinstance(value, Tensor) for value in of_tensors):
            return self.push(self.recorder.as_one(function, values, {}))
        return self.push(done(function, values, {}))

    def check_clear(self, function: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """What Python's own functions are given is told by guards, or is a tensor."""
        for value in (*args, *kwargs.values()):
            if isinstance(value, Tensor) or self.reader.is_clear(value):
                continue
            if not self.is_fixed(function, value):
                raise Break(f"{function.__name__} of {type(value).__name__}")

    def is_fixed(self, function: Any, value: Any) -> bool:
        """Whether a text is that of a function of the program, which has to be the same one from now on."""
        source = self.reader.source_of(value)
        if function not in (str, repr) or type(value) is not types.FunctionType or source is None:
            return False
        self.reader.guard(f"{source} is {self.reader.name(value)}")
        return True

    def iterator(self, value: Any) -> None:
        if isinstance(value, Tensor):
            return self.push(Steps(list(value.unbind(0))))
        if isinstance(value, Array):
            return self.push(Steps(value.rows()))
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
        if not hasattr(type(value), "__iter__") and not hasattr(type(value), "__getitem__"):
            # The program's own mistake, or its question.
            done(iter, [value], {})
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
        if isinstance(value, (Tensor, Array, type, Steps)):
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
        frame.stack.append(self.same(*self.pops(frame, 2)) != bool(i.arg))

    def same(self, a: Any, b: Any) -> bool:
        """Whether two objects are one."""
        sources = self.reader.source_of(a), self.reader.source_of(b)
        if a is not b and None not in sources:
            self.reader.guard(f"{sources[0]} is not {sources[1]}")
        return a is b

    def do_CONTAINS_OP(self, frame: Frame, i: Any) -> None:
        a, b = self.pops(frame, 2)
        plain = isinstance(b, (*CONTAINERS, *LISTED)) and self.reader.is_clear(b)
        if isinstance(a, Tensor) and plain and isinstance(b, (set, frozenset, dict)):
            # Tensors are keys by what they are, not by their elements.
            return self.push(any(key is a for key in b) is not bool(i.arg))
        if isinstance(a, Tensor) or not plain:
            found = inspect.getattr_static(type(b), "__contains__", None)
            if isinstance(found, types.FunctionType) and not isinstance(a, Tensor):
                asked = polyfills.lacks if i.arg else polyfills.contains
                return self.enter(asked, [self.reader.fixed(found), b, a], {})
            raise Break("membership in an object")
        frame.stack.append((a in b) != bool(i.arg))
        return None

    def do_SET_UPDATE(self, frame: Frame, i: Any) -> None:
        if not self._is_drained(frame):
            super().do_SET_UPDATE(frame, i)

    def do_FORMAT_VALUE(self, frame: Frame, i: Any) -> None:
        value = self.value(frame.stack[-2 if i.arg & 4 else -1])
        plain = isinstance(
            value, (*CONTAINERS, *SYMBOLIC, *CONSTANTS, type)
        ) and self.reader.is_clear(value)
        if isinstance(value, Tensor) or not plain:
            raise Break("an object becomes text")
        frame.stack[-2 if i.arg & 4 else -1] = self.for_text(value)
        super().do_FORMAT_VALUE(frame, i)

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
        # What is gathered becomes a container, which others look into.
        count = code.co_argcount + code.co_kwonlyargcount
        if code.co_flags & inspect.CO_VARARGS:
            found[code.co_varnames[count]] = tuple(map(self.value, found[code.co_varnames[count]]))
            count += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            gathered = found[code.co_varnames[count]]
            gathered.update({k: self.value(v) for k, v in gathered.items()})
        frame = Frame(function, found, tuple(closure))
        if gives is not None:
            frame.gives = gives
        self.frames.append(frame)
