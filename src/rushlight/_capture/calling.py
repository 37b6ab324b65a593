"""Calling: which functions are entered while a graph is captured, which are noted in it, and which end it."""

from __future__ import annotations

import collections
import enum
import functools
import inspect
import operator
import re
import types
from typing import Any

from rushlight._C import _set_grad_enabled
from rushlight._capture import numpy_calls, polyfills
from rushlight._capture.arrays import Array
from rushlight._capture.breaks import Break, Spoilt
from rushlight._capture.frames import NULL, Frame, Steps
from rushlight._capture.interpreter import done
from rushlight._capture.kinds import (
    ASKS_FOR_CLASSES,
    CALLS_BACK,
    CONTAINERS,
    GIVE_FUNCTIONS,
    INLINED,
    LISTED,
    MADE,
    NEW,
    OF_DATA,
    OF_SYMBOLS,
    OF_TEXTS,
    OUTSIDE,
    PURE,
    SETTERS,
    TRANSFORMS,
    WRITING,
    is_of_program,
    is_of_tensors,
    is_ours,
    of_symbol,
)
from rushlight._capture.modes import GRAD_MODES, MODES, fields, leave, switch_of
from rushlight._capture.operators import noting_operators, with_callbacks
from rushlight._capture.reading import (
    CONSTANTS,
    HOLDERS,
    has_forward_hooks_only,
    has_no_hooks,
    holder,
    in_class,
    items_of,
)
from rushlight._capture.reality import Reality
from rushlight._capture.recording import SYMBOLIC
from rushlight._capture.recording import outside as outside_of_graphs
from rushlight._capture.special import BY_NAME, PLAINLY, SPECIAL
from rushlight._capture.status import in_graph, outside
from rushlight._capture.values import Values
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight.alias import own_module
from rushlight.autograd.grad_mode import set_grad_enabled
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.numpy_later import is_array, is_number
from rushlight.nn import Module
from rushlight.overrides import DisableTorchFunctionSubclass
from rushlight.utils import _pytree as pytree

# What reads from an object as it was told when it was made, and how.
GETTERS: dict[type, Any] = {
    operator.itemgetter: polyfills.items_at, operator.attrgetter: polyfills.attributes_at,
    operator.methodcaller: polyfills.method_called,
}  # fmt: skip
# Functions of classes, whose first argument is what they belong to.
_OF_CLASSES = (types.MethodDescriptorType, types.WrapperDescriptorType)


class Capture(Values):
    """Interprets frames until something cannot be in a graph."""

    # -- calls --

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if id(function) in outside:
            raise Break(f"{getattr(function, '__name__', function)} is kept out of graphs")
        if self.is_answered(function, args):
            return None
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
        args, kwargs = self._looked_at(args, kwargs)
        if numpy_calls.is_numpys(function):
            return numpy_calls.call(self, function, args, kwargs)
        if isinstance(function, type):
            return self._call_class(function, args, kwargs)
        if isinstance(function, (types.BuiltinFunctionType, types.MethodDescriptorType,
                                 types.ClassMethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)):  # fmt: skip
            return self._call_builtin(function, args, kwargs)
        if type(function) in GETTERS:
            return self._call_getter(function, args)
        if isinstance(function, functools._lru_cache_wrapper):
            return self._call_remembering(function, args, kwargs)
        if isinstance(function, HigherOrderOperator):
            args, kwargs = pytree.tree_map(self._called_back, (args, kwargs))
            return self.push(done(function, args, kwargs))
        if own_module(type(function)).startswith("rushlight."):
            # Such as an operator by its name.
            return self.push(done(function, args, kwargs))
        called = inspect.getattr_static(type(function), "__call__", None)
        if isinstance(called, types.FunctionType):
            self.reader.guard_method(type(function), "__call__")
            self.reader.fixed(called)
            return self.call(called, [function, *args], kwargs)
        raise Break(f"a call of {type(function).__name__}")

    def _call_getter(self, function: Any, args: list[Any]) -> None:
        (owner,) = args
        made_by, given = function.__reduce__()
        if type(function) is operator.methodcaller:
            name, *rest = given if made_by is operator.methodcaller else (*made_by.args, *given)
            named = {} if made_by is operator.methodcaller else made_by.keywords
            return self.enter(polyfills.method_called, [owner, name, tuple(rest), named], {})
        return self.enter(GETTERS[type(function)], [owner, given], {})

    def _looked_at(
        self, args: list[Any], kwargs: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Arguments for what is not interpreted."""
        return [*map(self.value, args)], {k: self.value(v) for k, v in kwargs.items()}

    def _call_remembering(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """A function that remembers what it gave: only the first call does something.

        With the program's own objects it is called now, so that it remembers; otherwise it is read as a plain one.
        """
        if all(map(self._is_older, (*args, *kwargs.values()))):
            real = self.reader.real
            found = done(function, [*map(real, args)], {k: real(v) for k, v in kwargs.items()})
            if type(found) in CONSTANTS:
                return self.push(found)
        return self.call(function.__wrapped__, args, kwargs)

    def _is_older(self, value: Any) -> bool:
        """Whether a value is the program's own, or a constant: no tensor or symbol, nothing that was made within the graph."""
        if isinstance(value, (Tensor, *SYMBOLIC)):
            return False
        return type(value) in CONSTANTS or not self.reader.is_ours(value)

    def _call_module(self, module: Module, args: list[Any], kwargs: dict[str, Any]) -> None:
        source = self.reader.source_of(module)
        if type(module).__call__ is not Module.__call__:
            called: Any = type(module).__call__
            return self._call_function(called, [module, *args], kwargs)
        if source is not None and self.reader.changes_hooks(module):
            raise Break("a module whose hooks have changed is called")
        if not has_no_hooks(module):
            return self._call_with_hooks(module, *self._looked_at(args, kwargs))
        if source is not None:
            self.reader.guard_hooks(source)
        forward: Any = type(module).forward
        self.reader.guard_method(type(module), "forward")
        if "forward" in module.__dict__:
            return self.enter(polyfills.forwarded, [module, *self._looked_at(args, kwargs)], {})
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
            return special(self, *self._looked_at(args, kwargs))
        if id(function) in in_graph:
            args, kwargs = self._looked_at(args, kwargs)
            return self.push(self.recorder.as_one(function, tuple(args), kwargs))
        if getattr(function, "_dynamo_marked_constant", False):
            return self._call_constant(function, *self._looked_at(args, kwargs))
        if getattr(function, "_torchdynamo_disable", False):
            raise Break(f"{function.__qualname__} is kept out of graphs")
        captured = getattr(function, "_captured", None)
        if captured is not None and "__wrapped__" in function.__dict__:
            # A compiled function within another one is read like any.
            inner, source = function.__dict__["__wrapped__"], self.reader.source_of(function)
            if isinstance(inner, types.MethodType):
                source = source or self.reader.name(function)
                inner = self.reader.admit(inner, f"{source}.__wrapped__")
                return self.call(inner, args, kwargs)
            return self._call_function(captured.function, args, kwargs)
        if numpy_calls.is_numpys(function):
            return numpy_calls.call(self, function, *self._looked_at(args, kwargs))
        home = function.__globals__.get("__name__") or ""
        if home in TRANSFORMS:
            return self._call_transform(function, *self._looked_at(args, kwargs))
        inner = function.__dict__.get("__wrapped__")
        decorates = isinstance(inner, types.FunctionType) and not is_ours(inner)
        makes = function.__name__ == "__init__" and args and isinstance(args[0], Module)
        inlined = decorates or makes or home.startswith(INLINED)
        if is_ours(function) and not inlined:
            return self._call_ours(function, *self._looked_at(args, kwargs))
        if function in OF_TEXTS:
            args, kwargs = self._looked_at(args, kwargs)
            given = (*args, *kwargs.values())
            if all(
                type(x) in CONSTANTS or isinstance(x, (re.Pattern, re.RegexFlag)) for x in given
            ):
                return self.push(done(function, args, kwargs))
        if home.partition(".")[0] in OUTSIDE and function not in ASKS_FOR_CLASSES:
            raise Break(f"a call of {home}.{function.__qualname__}")
        return self.enter(function, args, kwargs)

    def _call_constant(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """A function whose result is constant: it is called now, with what its arguments are in this run."""
        reality = Reality(self.recorder)

        def real(value: Any) -> Any:
            is_ours = isinstance(value, (Tensor, *SYMBOLIC))
            return reality.of(value) if is_ours else self.reader.real(value)

        given, named = pytree.tree_map(real, (args, kwargs))
        with outside_of_graphs():
            found = done(function, given, named)
        self.push(pytree.tree_map(lambda x: self.reader.admit(x, self.reader.name(x)), found))

    def _call_transform(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """A transformation of functions, or a function that was transformed: nodes are operators below the layers."""
        if not function.__closure__ and function.__name__ in GIVE_FUNCTIONS:
            return self.push(done(function, args, kwargs))
        source = self.reader.source_of(function)
        if source is not None:
            self.reader.guard(f"{source} is {self.reader.name(function)}")
        function, args, kwargs = pytree.tree_map(
            lambda one: with_callbacks(one, self._called_back, is_ours), (function, args, kwargs)
        )
        with noting_operators(self.recorder, lambda t: self.reader.admit(t, self.reader.name(t))):
            self.push(done(function, args, kwargs))

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
        self.check_clear(function, args, kwargs)
        read = [
            (value, items_of(value))
            for value in (*args, *kwargs.values())
            if isinstance(value, (set, *HOLDERS)) and not self.reader.is_ours(value)
        ]
        self.push(done(function, args, kwargs))
        for value, items in read:
            if items != items_of(value):
                self.changed(value)

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

    def _call_class(self, kind: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if kind is super and not args:
            return self.push(self.bases(self.frame))
        if kind is type and len(args) == 1:
            return self.push(self.kind_of(args[0]))
        if self._is_interpreted(kind, args, kwargs):
            return None
        if kind in PURE:
            return self._call_pure(kind, args, kwargs)
        if kind is Tensor:
            return self.push(self.recorder.as_one(kind, tuple(args), kwargs))
        home = own_module(kind)
        if issubclass(kind, Module) and home.startswith("rushlight.nn."):
            made = self.new(object.__new__(kind))
            self.whole(kind.__init__, [made, *args], kwargs)
            return self.push(made)
        if home.partition(".")[0] == "rushlight" and home != polyfills.__name__:
            if kind not in MODES and not home.startswith(MADE):
                raise Break(f"a {kind.__name__} is made")
            if kind in GRAD_MODES[:2] and args and is_of_program(args[0]):
                raise Break("a function is decorated")
            self.check_clear(kind, args, kwargs)
            self.push(done(kind, args, kwargs))
            return self.note_grad_mode() if kind is set_grad_enabled else None
        if kind is functools.partial or kind in GETTERS or issubclass(kind, enum.Enum):
            return self.push(done(kind, args, kwargs))
        if home.partition(".")[0] in ("builtins", "collections", "itertools"):
            self.check_clear(kind, args, kwargs)
            return self.push(done(kind, args, kwargs))
        own = inspect.getattr_static(kind, "__init__", None)
        plain = type(kind).__call__ is type.__call__ and kind.__new__ is object.__new__
        if plain and isinstance(own, types.FunctionType) and not issubclass(kind, BaseException):
            made = self.new(object.__new__(kind))
            self.reader.fixed(own)
            if own is Module.__init__:
                own(made, *args, **kwargs)
                return self.push(made)
            return self.enter(own, [made, *args], kwargs, made)
        if holder(kind) is not None and type(kind).__call__ is type.__call__:
            return self._make_holder(kind, args, kwargs)
        made_by = in_class(kind, "__new__")
        if isinstance(made_by, staticmethod) and type(kind).__call__ is type.__call__:
            return self.enter(polyfills.made, [made_by.__func__, kind, args, kwargs], {})
        if issubclass(kind, (tuple, BaseException)) or (plain and own is object.__init__):
            return self.push(done(kind, args, kwargs))
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
        self.check_clear(kind, args, kwargs)
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
        elif function in polyfills.LOOPS and any(isinstance(arg, Tensor) for arg in args):
            self.enter(polyfills.LOOPS[function], args, kwargs)
        elif any(map(self.is_loop, args)):
            if function in polyfills.LOOPS:
                self.enter(polyfills.LOOPS[function], args, kwargs)
            elif function in (max, min) and len(args) > 1:
                self.enter(polyfills.KEYED[function], args, kwargs)
            elif self._takes_items(function):
                self._enter_with_lists(function, args, kwargs)
            else:
                return False
        elif (
            len(args) == 1 and isinstance(args[0], (Tensor, Array)) and self._takes_items(function)
        ):
            self._enter_with_lists(function, args, kwargs)
        else:
            return False
        return True

    def _enter_with_lists(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """A built-in function that goes through what has to be looped over by interpreting."""
        most = 1 if function.__name__ in polyfills.TAKES_ITEMS_OF_THE_FIRST else len(args)
        loops = [
            k < most and (self.is_loop(arg) or isinstance(arg, (Tensor, Array)))
            for k, arg in enumerate(args)
        ]
        self.enter(polyfills.with_lists, [function, args, kwargs, loops], {})

    @staticmethod
    def _takes_items(function: Any) -> bool:
        """Whether a built-in function goes through all that an argument has."""
        if isinstance(function, type):
            return function in polyfills.TAKES_ITEMS
        owner = getattr(function, "__self__", None)
        of_container = isinstance(
            owner, (list, dict, set, frozenset, str, bytes, collections.deque)
        ) or (isinstance(function, types.MethodDescriptorType) or owner is dict)
        return function in polyfills.TAKES_ITEMS or (
            of_container and function.__name__ in polyfills.METHODS_THAT_TAKE_ITEMS
        )

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
        if numpy_calls.makes_tensor(self, function, args):
            return numpy_calls.tensor_of(self, function, args, kwargs)
        if function in OF_DATA:
            args, kwargs = self.plain(args), self.plain(kwargs)
        owner = getattr(function, "__self__", None)
        if isinstance(function, _OF_CLASSES) and args:
            owner = args[0]
        if isinstance(owner, (set, *HOLDERS)) and function.__name__ in WRITING:
            self.changed(owner)
        if function.__name__ in ("__subclasses__", "mro") and isinstance(owner, type):
            return self.push(done(function, args, {}))
        if function.__name__ == "__new__" and owner in NEW:
            return self.push(done(function, args, kwargs))
        home = getattr(function, "__module__", None) or own_module(type(owner))
        plain = isinstance(owner, (*CONTAINERS, *LISTED, Steps)) and self.reader.is_clear(owner)
        makes = function.__name__ == "fromkeys" and (
            owner is dict or owner is collections.OrderedDict
        )
        known = plain or makes or isinstance(owner, Tensor) or is_of_tensors(function)
        known = known or isinstance(owner, (re.Pattern, re.Match)) or is_number(owner)
        known = known or (is_array(owner) and self.reader.is_clear(owner))
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
            self.check_clear(function, args, kwargs)
        return self.push(done(function, args, kwargs))

    def _plainly(self, name: str, args: list[Any]) -> None:
        """What the methods of ``object`` do to attributes."""
        if name == "init":
            return self.push(None)
        if name == "find":
            found, given = self.attributes.find_plainly(*args)
            return self.push(found) if given is None else self.call(found, given, {})
        how = self.attributes.set_plainly if name == "set" else self.attributes.delete_plainly
        return self.with_none(how(*args))

    def _call_pure(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        if function not in (isinstance, issubclass, callable, iter, next, bool, len):
            self.check_clear(function, args, kwargs)
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
            if not self.reader.is_clear(value) and not self.is_fixed(function, value):
                raise Break(f"{function.__name__} of {type(value).__name__}")
        if function is isinstance and isinstance(args[0], Array):
            return self.push(issubclass(args[0].kind, args[1]))
        if function is isinstance and isinstance(args[0], Tensor):
            kinds = args[1] if isinstance(args[1], tuple) else (args[1],)
            return self.push(any(isinstance(args[0], k) for k in kinds))
        if function in (isinstance, int, float) and args and isinstance(args[0], SYMBOLIC):
            return self.push(of_symbol(function, *args))
        return self.push(done(function, args, kwargs))

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
        if isinstance(manager, DisableTorchFunctionSubclass):
            # There are no subclasses in a graph; behind it the block goes on.
            self.open_modes.append((manager, None))
            return manager.__enter__()
        switch = switch_of(manager)
        assert switch is not None
        told = [getattr(manager, name) for name in switch.fields]
        self.open_modes.append((manager, self.recorder.note(switch.begin, *told)))
        return manager.__enter__()

    def leave_mode(self, manager: Any) -> None:
        """End such a block."""
        if isinstance(manager, GRAD_MODES):
            manager.__exit__(None, None, None)
            return self.note_grad_mode()
        if not self.open_modes or self.open_modes[-1][0] is not manager:
            raise Break("a block ends that began before the graph")
        manager.__exit__(None, None, None)
        node = self.open_modes.pop()[1]
        switch = switch_of(manager)
        if switch is not None:
            self.recorder.note(switch.end, node)
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
