"""Reading: what a graph has seen of the program's objects, as guards, and where they are found again.

A *source* is an expression over ``F``, the frames that are interpreted, and ``O0`` …, objects that stay the same.
A *guard* is one that must be true for the graph to be right.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import inspect
import re
import sys
import types
import typing
from typing import Any

from rushlight import from_numpy
from rushlight._capture.arrays import Array, is_admitted, share_memory
from rushlight._capture.breaks import Break
from rushlight._capture.frames import Steps, Unread
from rushlight._capture.interpreter import Generator
from rushlight._capture.naming import shown_source
from rushlight._capture.recording import Recorder, outside
from rushlight._capture.varying import (
    DYNAMIC,
    MAYBE,
    UNBACKED,
    has_fixed_address,
    is_marked_within,
    marks,
)
from rushlight._dynamo import config
from rushlight.alias import own_module
from rushlight.engine.core.device import device
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.layout import layout, memory_format
from rushlight.engine.core.size import Size
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt, has_symbols
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.core.tensor_guards import Expected
from rushlight.engine.dispatch import overrides_hook
from rushlight.engine.native.numpy_later import is_a, is_array, is_number
from rushlight.fx.experimental._shape_guards import FUNCTIONS
from rushlight.nn import Module
from rushlight.nn.modules import module as modules
from rushlight.nn.parameter import Parameter

# Compared by value.
CONSTANTS = (
    int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range,
    dtype, device, layout, memory_format, Size,
)  # fmt: skip
# The same object each time.
IDENTICAL = (
    type, types.ModuleType, types.BuiltinFunctionType, types.MethodDescriptorType,
    types.WrapperDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
    types.MethodWrapperType, types.ClassMethodDescriptorType, enum.Enum, types.CodeType,
    types.GenericAlias, types.UnionType, re.Pattern, re.Match, type(sys.version_info), dataclasses.Field, inspect.Signature, inspect.Parameter,
    type(typing.Any), type(typing.Union), type(list), type(list[int]), typing.TypeVar,
)  # fmt: skip
# What guards tell item by item, when it is admitted.
CLEAR = {
    *CONSTANTS, SymInt, SymFloat, SymBool, list, tuple, dict, collections.OrderedDict, set, frozenset, slice,
    types.MappingProxyType,
}  # fmt: skip
# Larger containers are looked at one item at a time, or not at all.
MOST_ITEMS = 512


# What is noted of an attribute that was deleted.
DELETED: Any = type("Deleted", (), {"__repr__": lambda self: "DELETED"})()


def vars_of(owner: Any) -> dict[str, Any]:
    """The dictionary that holds an object's attributes, if it has one."""
    found = getattr(owner, "__dict__", None)
    return found if isinstance(found, dict) else {}


def same_constant(a: Any, b: Any) -> bool:
    """Whether a value is a constant that was seen, NaN and the signs of zeros included."""
    return type(a) is type(b) and (a == b or a != a) and repr(a) == repr(b)


_KINDS_OF_HOOKS = (
    "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks",
)  # fmt: skip


def has_forward_hooks_only(module: Any) -> bool:
    """Whether the hooks of a module are its own, and of forward passes."""
    if any(getattr(module, kind) for kind in _KINDS_OF_HOOKS[2:]):
        return False
    return not any(getattr(modules, f"_global{kind}") for kind in _KINDS_OF_HOOKS)


def has_no_hooks(module: Any) -> bool:
    """Whether calling a module is calling its ``forward``."""
    own = any(getattr(module, kind) for kind in _KINDS_OF_HOOKS)
    return not own and not any(getattr(modules, f"_global{kind}") for kind in _KINDS_OF_HOOKS)


def is_empty(cell: Any) -> bool:
    """Whether a variable that functions share has no value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def is_named_tuple(kind: type) -> bool:
    """Whether a class is one of tuples with names."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


# Containers that programs derive classes from, and whose objects are worked on as copies.
HOLDERS = (list, dict, collections.deque)
_BASES = (collections.OrderedDict, collections.defaultdict, dict, list, collections.deque)


def items_of(container: Any) -> list[Any]:
    """What tells if a container is changed: its items, as the objects that they are."""
    if isinstance(container, dict):
        return [(key, id(value)) for key, value in dict.items(container)]
    return list(map(id, container))


def holder(kind: type) -> Any:
    """The built-in container that a class is derived from; None if its objects cannot be copied."""
    base = next((base for base in _BASES if issubclass(kind, base)), None)
    if base is None or in_class(kind, "__new__") not in (
        in_class(base, "__new__"), in_class(dict, "__new__"),
    ):  # fmt: skip
        return None
    return base


# What guards call.
HELPERS = {
    "is_empty": is_empty, "same_constant": same_constant, "modules": modules, "is_marked_within": is_marked_within,
    **FUNCTIONS,
}  # fmt: skip
# Modules of programs that have a name of Python's library.
_PROGRAMS = frozenset({"__main__"})
# Parts of sources of what does not come with a call.
_FIXED = (".cells[", "__defaults__", "__kwdefaults__", "__closure__", ".function")


class Identity(int):
    """What `id` gives: good for comparing within a graph, and another number in the next call."""

    of: Any


class Reader:
    """The sources and guards of one graph.

    Args:
        recorder: gives what stands for tensors and open integers in the graph
    """

    def __init__(self, recorder: Recorder) -> None:
        self.guards: dict[str, None] = {}
        # What tensors have to be like, by their sources, and the guards that say so.
        self.tensors: dict[str, tuple[Expected, list[str]]] = {}
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        # By the identity of what the interpreter works with: the source, and the program's own object.
        self._known: dict[int, tuple[str, Any, Any]] = {}
        self._admitted: dict[int, Any] = {}
        self._recorder = recorder
        recorder.shown = self.shown
        # Integers that are symbols, by their sources; and the sources of modules, whose numbers are none.
        self._symbols: dict[str, Any] = {}
        self._modules: list[str] = []
        # What is to be written behind the graph: attributes of the program's objects, and its containers, which
        # are worked on as copies.
        self.attributes: dict[tuple[int, str], tuple[Any, Any]] = {}
        self.changed: dict[int, Any] = {}
        # Arrays made within the graph of which tensors were made that share their memory.
        self.shared: dict[int, Any] = {}
        # The program's arrays, and tensors that belong to no module, that have been read, with their sources.
        self._arrays: list[tuple[Any, str]] = []
        self._tensors: list[tuple[Any, str]] = []
        # Further: items of the tables of modules, global variables, and variables that functions share.
        self.items: dict[tuple[int, str, str], tuple[Any, Any]] = {}
        self.globals: dict[tuple[int, str], tuple[dict[str, Any], Any]] = {}
        self.cells: dict[int, Any] = {}
        # While a function is interpreted that an operator is given: the objects that it has made; and how often
        # such functions have written to older ones.
        self.recent: dict[int, Any] | None = None
        self.outer_writes = 0
        # Functions that were made within the graph.
        self.functions: dict[int, Any] = {}
        # Objects that were made within the graph, by their dictionaries that the program has in its hands.
        self.fields: dict[int, Any] = {}
        # Generators of the program that have gone on.
        self.generators: dict[int, Any] = {}

    def shown(self, source: str) -> str:
        """A source as programs know it: ``G`` has the global variables."""

        def known(match: re.Match[str]) -> str:
            value = self.objects[int(match[1])]
            if isinstance(value, dict) and "__name__" in value:
                return "G"
            return f"{value.__name__}" if hasattr(value, "__name__") else match[0]

        return shown_source(re.sub(r"\bO(\d+)\b", known, source))

    def name(self, value: Any) -> str:
        """A name for an object that stays the same."""
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return f"O{number}"

    def guard(self, text: str) -> None:
        self.guards[text] = None

    def source_of(self, value: Any) -> str | None:
        """Where the program has an object, if it was there before the graph began."""
        found = self._known.get(id(value))
        return None if found is None else found[0]

    def writes(self, owner: Any) -> None:
        """Note that an object is written to which may be older than the function that does it."""
        if self.recent is not None and id(owner) not in self.recent:
            self.outer_writes += 1

    def effects(self) -> list[int]:
        """How much is to be written behind the graph, to be compared."""
        tables: tuple[dict[Any, Any], ...] = (
            self.attributes, self.changed, self.items, self.globals, self.cells, self.generators,
        )  # fmt: skip
        return [self.outer_writes, *map(len, tables)]

    def real(self, value: Any) -> Any:
        """The program's own object for what the interpreter works with."""
        found = self._known.get(id(value))
        return value if found is None else found[2]

    def is_ours(self, value: Any) -> bool:
        """Whether an object came to be within the graph."""
        return id(value) not in self._known

    def is_clear(self, value: Any) -> bool:
        """Whether guards say all about a value that Python's own functions may look at."""
        kind = type(value)
        if kind in CLEAR or isinstance(value, IDENTICAL) or is_named_tuple(kind):
            return True
        if isinstance(value, HOLDERS):
            return True
        if kind is Array:
            return True
        return self.is_ours(value) and id(value) not in self.shared

    def know(self, shown: Any, source: str, real: Any) -> Any:
        self._known[id(shown)] = source, shown, real
        return shown

    def fixed(self, value: Any) -> Any:
        """Know an object that stays the same, such as a method of a class."""
        return self.know(value, self.name(value), value)

    def forget(self) -> None:
        """Hold none of the program's objects any more but those that guards name."""
        self._known.clear()
        self._arrays.clear()
        self._tensors.clear()
        self._admitted.clear()

    # -- admission --

    def admit(self, value: Any, source: str) -> Any:
        """What the interpreter works with in the place of a value of the program."""
        if isinstance(value, Unread):
            return self.admit_unread(value)
        kind = type(value)
        if kind is int and self._is_open(value, source):
            return self._symbols[source]
        if kind in CONSTANTS:
            self._guard_constant(value, source)
            return value
        if id(value) in self._admitted:
            shown, first, _ = self._admitted[id(value)]
            if first != source:
                self.guard(f"{source} is {first}")
            return shown
        shown = self._admit_object(value, kind, source)
        self._admitted[id(value)] = shown, source, value
        return shown

    def admit_unread(self, unread: Unread) -> Any:
        if not unread.is_admitted:
            unread.admitted = self.admit(unread.value, unread.source)
            unread.is_admitted = True
        return unread.admitted

    def _is_open(self, value: int, source: str) -> bool:
        """Whether an integer of the program is a symbol."""
        if source in self._symbols:
            return True
        if not self._is_of_call(source) or not self._recorder.variation.is_open(value, source):
            return False
        self.guard(f"type({source}) is int")
        self._symbols[source] = self._recorder.admit_integer(value, source)
        return True

    def _is_of_call(self, source: str) -> bool:
        """Whether a value comes with the arguments of a call: what is fixed elsewhere seldom varies."""
        if not source.startswith("F[") or any(part in source for part in _FIXED):
            return False
        return config.allow_unspec_int_on_nn_module or not self._is_of_module(source)

    def _is_of_module(self, source: str) -> bool:
        return any(source.startswith(one) for one in self._modules)

    def _guard_constant(self, value: Any, source: str) -> None:
        if value is None or value is True or value is False:
            self.guard(f"{source} is {value}")
        elif type(value) in (int, str):
            self.guard(f"type({source}) is {type(value).__name__}")
            self.guard(f"{source} == {value!r}")
        else:
            self.guard(f"same_constant({source}, {self.name(value)})")

    def _admit_object(self, value: Any, kind: type, source: str) -> Any:
        if isinstance(value, Tensor):
            if overrides_hook.overrides(value):
                raise Break(f"a tensor of the class {kind.__name__}, which answers calls itself")
            is_of_module = self._is_of_module(source)
            if not is_of_module:
                self._keep_apart(value, source)
            fake = self._recorder.admit(value, source, is_of_module)
            self._guard_tensor(value, fake, source)
            return self.know(fake, source, value)
        if kind is types.FunctionType:
            self.guard(f"{source}.__code__ is {self.name(value.__code__)}")
            return self.know(value, source, value)
        if kind is types.MethodType:
            owner = self.admit(value.__self__, f"{source}.__self__")
            function = self.admit(value.__func__, f"{source}.__func__")
            shown = value if owner is value.__self__ else types.MethodType(function, owner)
            return self.know(shown, source, value)
        if kind is Steps:
            # Going on with it changes it: what is gone on with is a new one.
            self.guard(f"{source}.place == {value.place}")
            return Steps(self.admit(value.items, f"{source}.items"), value.place)
        if kind is Generator:
            return self._admit_generator(value, source)
        if kind is types.BuiltinFunctionType and is_bound(value):
            # Such as `items.append`: a new object each time.
            owner = self.admit(value.__self__, f"{source}.__self__")
            self.guard(f"{source}.__name__ == {value.__name__!r}")
            same = owner is value.__self__
            return self.know(value if same else getattr(owner, value.__name__), source, value)
        is_constant = isinstance(value, (int, float, complex, str, bytes))
        is_constant = is_constant or is_number(value) or is_a(value, "dtype")
        if is_constant and not isinstance(value, enum.Enum):
            # Numbers and texts of other types, such as NumPy's.
            self._guard_constant(value, source)
            return value
        if isinstance(value, IDENTICAL) or (callable(value) and kind.__module__ == "builtins"):
            self.guard(f"{source} is {self.name(value)}")
            return value
        self.guard(f"type({source}) is {self.name(kind)}")
        if is_array(value) and is_admitted(value):
            return self._admit_array(value, source)
        if kind is functools.partial:
            return self._admit_partial(value, source)
        if kind in (list, tuple) or is_named_tuple(kind):
            return self._admit_sequence(value, kind, source)
        if kind in (dict, collections.OrderedDict):
            return self._admit_mapping(value, kind, source)
        if kind in (set, frozenset):
            if not all(map(is_key, value)):
                raise Break("a set of objects is read")
            self.guard(f"{source} == {self.name(kind(value))}")
            return self.know(kind(value), source, value)
        if isinstance(value, Module):
            self._modules.append(f"{source}.")
        if isinstance(value, HOLDERS):
            return self._admit_holder(value, kind, source)
        return self.know(value, source, value)

    def _admit_array(self, value: Any, source: str) -> Any:
        """An array is a tensor that shares its memory; guards tell its layout."""
        self.guard(f"{self.name(is_admitted)}({source})")
        self._keep_apart(value, source)
        given = f"{self.name(from_numpy)}({source})"
        with outside():
            tensor = from_numpy(value)
        fake = self._recorder.admit(tensor, given, self._is_of_module(source))
        self._guard_tensor(tensor, fake, given)
        self.know(fake, given, fake)
        return self.know(Array(fake), source, value)

    def _keep_apart(self, value: Any, source: str) -> None:
        """A graph does not know what an array has in common with what else a program is called with."""
        others = [*self._arrays, *self._tensors] if is_array(value) else self._arrays
        with outside():
            if any(share_memory(value, other) for other, _ in others):
                raise Break("an array shares memory with what else is read")
        for _, its in others:
            self.guard(f"not {self.name(share_memory)}({source}, {its})")
        (self._arrays if is_array(value) else self._tensors).append((value, source))

    def _admit_partial(self, value: Any, source: str) -> Any:
        parts = [
            self.admit(getattr(value, name), f"{source}.{name}")
            for name in ("func", "args", "keywords")
        ]
        return self.know(functools.partial(parts[0], *parts[1], **parts[2]), source, value)

    def _admit_holder(self, value: Any, kind: Any, source: str) -> Any:
        """An object of a class that is made of a container's: a copy with the items."""
        base = holder(kind)
        if base is None:
            raise Break(f"a {kind.__name__} is read")
        if len(value) > MOST_ITEMS:
            raise Break(f"a {kind.__name__} of {len(value)} items is read")
        read = self.name(base)
        made = kind.__new__(kind)
        self.know(made, source, value)
        if issubclass(base, dict):
            if not all(map(is_key, dict.keys(value))):
                raise Break("a dictionary with keys that are objects is read")
            keys = list(base.keys(value))
            self.guard(f"[*{read}.keys({source})] == {self.name(keys)}")
            if kind is collections.defaultdict:
                made.default_factory = self.admit(
                    value.default_factory, f"{source}.default_factory"
                )
            for key in keys:
                item = self.admit(
                    dict.__getitem__(value, key), f"{read}.__getitem__({source}, {self._key(key)})"
                )
                base.__setitem__(made, key, item)
            return made
        if base is collections.deque:
            self.guard(f"{source}.maxlen == {value.maxlen}")
            base.__init__(made, (), value.maxlen)
        self.guard(f"{read}.__len__({source}) == {base.__len__(value)}")
        for k in range(base.__len__(value)):
            item = self.admit(base.__getitem__(value, k), f"{read}.__getitem__({source}, {k})")
            base.append(made, item)
        return made

    def cell(self, cell: Any, source: str) -> Any:
        """What stands for a variable that functions share."""
        known = self._admitted.get(id(cell))
        if known is not None:
            if known[1] != source:
                self.guard(f"{source} is {known[1]}")
            return known[0]
        shown = types.CellType()
        try:
            shown.cell_contents = Unread(cell.cell_contents, f"{source}.cell_contents")
        except ValueError:
            self.guard(f"is_empty({source})")
        self._admitted[id(cell)] = self.know(shown, source, cell), source, cell
        return shown

    def _admit_generator(self, value: Generator, source: str) -> Any:
        """A generator of the program goes on as a copy."""
        self.guard(f"type({source}) is {self.name(Generator)}")
        self.guard(f"{source}.is_done is {value.is_done}")
        here, frame = f"{source}.frame", value.frame
        if value.is_done:
            made = Generator(frame.copy())
            made.is_done = True
            return self.know(made, source, value)
        self.guard(f"{here}.code is {self.name(frame.code)}")
        self.guard(f"({here}.place, len({here}.stack)) == {(frame.place, len(frame.stack))}")
        self.guard(f"[*{here}.locals] == {[*frame.locals]}")
        made = Generator(frame.unread(here, self.cell))
        made.frame.source = None
        self.know(frame.function, f"{here}.function", frame.function)
        return self.know(made, source, value)

    def know_running(self, generator: Generator, shown: Generator, source: str) -> None:
        """A generator whose body is being interpreted."""
        self._admitted[id(generator)] = self.know(shown, source, generator), source, generator
        self.has_run(shown)

    def has_run(self, generator: Generator) -> None:
        """Note that a generator goes on."""
        if not self.is_ours(generator):
            self.generators[id(generator)] = generator

    def _guard_tensor(self, value: Any, fake: Any, source: str) -> None:
        """Sizes and strides are unique objects, and all that matters of a tensor is in a few fields."""
        plain: dict[str, Any] = {"_size_": None, "_stride_": None}
        texts = []
        for field in plain:
            numbers = getattr(fake, field)
            if not has_symbols(numbers):
                plain[field] = getattr(value, field)
                texts.append(f"{source}.{field} is {self.name(plain[field])}")
                continue
            self.guard(f"len({source}.{field}) == {len(numbers)}")
            for k, number in enumerate(numbers):
                here = f"{source}.{field}[{k}]"
                if not self._recorder.is_at(number, here):
                    self.guard(f"{here} == {self._recorder.written(number)}")
        if not isinstance(value, Parameter):
            marked = tuple(frozenset(marks(value, kind)) for kind in (DYNAMIC, MAYBE, UNBACKED))
            own = f"not {source}.__dict__ or " if hasattr(value, "__dict__") else ""
            self.guard(f"{own}is_marked_within({source}, {self.name(marked)})")
        if has_fixed_address(value):
            self.guard(f"{source}.data_ptr() == {value.data_ptr()}")  # type: ignore[attr-defined]
        texts.append(f"{source}._dtype_ is {self.name(value._dtype_)}")
        texts.append(f"{source}._keys_ == {value._keys_}")
        texts.append(f"type({source}) is {self.name(type(value))}")
        for text in texts:
            self.guard(text)
        expected = Expected(
            type(value), plain["_size_"], plain["_stride_"], value._dtype_, value._keys_
        )
        self.tensors[source] = expected, texts

    def _admit_sequence(self, value: Any, kind: Any, source: str) -> Any:
        if len(value) > MOST_ITEMS:
            raise Break(f"a {kind.__name__} of {len(value)} items is read")
        self.guard(f"len({source}) == {len(value)}")
        items = [self.admit(item, f"{source}[{k}]") for k, item in enumerate(value)]
        if kind is not list and all(a is b for a, b in zip(items, value)):
            return self.know(value, source, value)
        shown = tuple.__new__(kind, items) if is_named_tuple(kind) else kind(items)
        return self.know(shown, source, value)

    def _admit_mapping(self, value: Any, kind: Any, source: str) -> Any:
        if len(value) > MOST_ITEMS or not all(map(is_key, value)):
            raise Break("a dictionary with many keys, or keys that are objects, is read")
        keys = list(value)
        if all(type(k) in (int, str) for k in keys):
            self.guard(f"list({source}) == {keys!r}")
        else:
            self.guard(f"list({source}) == {self.name(keys)}")
        items = {k: self.admit(v, f"{source}[{self._key(k)}]") for k, v in value.items()}
        made = self.know(kind(items), source, value)
        self._take_over(value, made)
        return made

    def _take_over(self, dictionary: dict[str, Any], shown: dict[str, Any]) -> None:
        """What was noted of an object's attributes, or of a module's tables, goes into the copy of their dictionary from now on."""
        noted: list[tuple[dict[Any, Any], Any, Any]] = [
            *((self.attributes, key, vars_of(self.real(self.attributes[key][0]))) for key in self.attributes),
            *((self.items, key, vars_of(self.items[key][0]).get(key[1])) for key in self.items),
        ]  # fmt: skip
        for table, key, home in noted:
            if home is not dictionary:
                continue
            _, value = table.pop(key)
            self.changed[id(shown)] = shown
            if value is DELETED:
                shown.pop(key[-1], None)
            else:
                shown[key[-1]] = value

    def copy_of(self, dictionary: Any) -> Any:
        """What the interpreter works with in the place of a dictionary of the program; None if it was not read."""
        found = self._admitted.get(id(dictionary))
        return None if found is None else found[0]

    def _key(self, key: Any) -> str:
        return repr(key) if type(key) in (int, str) else self.name(key)

    def guard_method(self, kind: type, name: str) -> None:
        """A function of a program's class stays the one that was called."""
        for base in kind.__mro__:
            if name in base.__dict__:
                found = base.__dict__[name]
                home = own_module(base).partition(".")[0]
                if home in ("rushlight", "builtins") or home in sys.stdlib_module_names - _PROGRAMS:
                    return
                where = f"{self.name(base)}.__dict__"
                self.guard(f"{where}.get({name!r}) is {self.name(found)}")
                return

    def guard_distinct(self, tensors: list[str]) -> None:
        """No two of the graph's inputs are one tensor."""
        if len(tensors) == 2:
            self.guard(f"{tensors[0]} is not {tensors[1]}")
        elif len(tensors) > 2:
            shown = ", ".join(f"id({source})" for source in tensors)
            self.guard(f"len({{{shown}}}) == {len(tensors)}")

    def guard_apart(self) -> None:
        """What is written behind the graph is no other object of the program that was looked at."""
        owners = {id(owner): owner for owner, _ in self.attributes.values()}
        for written in (*self.changed.values(), *owners.values(), *self.cells.values()):
            for shown, source, _ in list(self._admitted.values()):
                if shown is not written and type(shown) is type(written):
                    self.guard(f"{self.source_of(written)} is not {source}")

    # -- modules --

    def changes_hooks(self, module: Any) -> bool:
        """Whether a module of the program is to have other hooks behind the graph."""
        fields = vars_of(module)
        return any(id(self.copy_of(fields.get(kind))) in self.changed for kind in _KINDS_OF_HOOKS)

    def guard_hooks(self, source: str) -> None:
        """A call of a module is one of its ``forward`` as long as nobody has hooks on it."""
        for kind in _KINDS_OF_HOOKS:
            self.guard(f"not modules._global{kind}")
            self.guard(f"not {source}.{kind}")


def is_key(value: Any) -> bool:
    """Whether a guard can tell a key of a dictionary, or what is in a set."""
    if type(value) is tuple:
        return all(map(is_key, value))
    return type(value) in CONSTANTS or isinstance(value, IDENTICAL)


def is_bound(function: Any) -> bool:
    """Whether a built-in function is a method of an object of the program."""
    owner = function.__self__
    if owner is None or isinstance(owner, (type, types.ModuleType)):
        return False
    return not own_module(type(owner)).startswith("rushlight.")


def in_class(kind: type, name: str) -> Any:
    """What a class, or one of its bases, has for an attribute, before it is bound."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None
