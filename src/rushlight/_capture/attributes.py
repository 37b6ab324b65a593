"""Attributes: how Python finds, sets and deletes them, over objects whose changes are noted.

What a function of the program decides (a property, ``__getattr__``) is a *call* that whoever asks has to make.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from rushlight._capture import polyfills
from rushlight._capture.breaks import Break
from rushlight._capture.frames import Unread
from rushlight._capture.interpreter import Generator, done
from rushlight._capture.reading import CONSTANTS, DELETED, Reader, in_class, vars_of
from rushlight.alias import own_module
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import Module
from rushlight.nn.parameter import Parameter

# Packages whose modules do not change.
_FIXED_MODULES = ("rushlight", "torch", "math", "operator")
# What is found: a value, or a function and its arguments.
Found = tuple[Any, list[Any] | None]
_TABLES = ("_parameters", "_buffers", "_modules")
_OF_FUNCTIONS = ("__code__", "__globals__", "__name__", "__qualname__", "__module__", "__doc__")


def _value(value: Any) -> Found:
    return value, None


def _is_python(found: Any, name: str) -> bool:
    """Whether a descriptor's method is a function of the program."""
    return isinstance(in_class(type(found), name), types.FunctionType)


class Attributes:
    """The attributes of the objects that a graph has seen.

    Args:
        reader: knows where the objects are
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    # -- finding --

    def find(self, owner: Any, name: str) -> Found:
        """What ``owner.name`` is."""
        if isinstance(owner, types.ModuleType):
            return _value(self._of_module(owner, name))
        if isinstance(owner, type):
            return self._of_class(owner, name)
        if isinstance(owner, Generator):
            return _value(getattr(owner, name))
        if isinstance(owner, types.CellType) and name == "cell_contents":
            held = done(getattr, (owner, name), {})
            return _value(self.reader.admit_unread(held) if isinstance(held, Unread) else held)
        kind = type(owner)
        own = in_class(kind, "__getattribute__")
        if isinstance(own, types.FunctionType):
            return self.reader.fixed(own), [owner, name]
        return self.find_plainly(owner, name)

    def find_plainly(self, owner: Any, name: str) -> Found:
        """What ``object.__getattribute__`` finds, or ``__getattr__`` if it finds nothing."""
        kind, source = type(owner), self.reader.source_of(owner)
        found = in_class(kind, name)
        if isinstance(found, property):
            if found.fget is None:
                raise AttributeError(f"property '{name}' of '{kind.__name__}' object has no getter")
            self.reader.guard_method(kind, name)
            return self.reader.fixed(found.fget), [owner]
        is_data = found is not None and hasattr(type(found), "__set__")
        if is_data and _is_python(found, "__get__"):
            return self._descriptor(found, owner, kind)
        held = self._held(owner)
        if held is not None and name in held and not is_data:
            return _value(held[name])
        written = self.reader.attributes.get((id(owner), name))
        if written is not None and written[1] is not DELETED:
            return _value(written[1])
        own = self.own(owner)
        if held is None and written is None and name in own and not is_data:
            value = own[name]
            return _value(value if source is None else self.reader.admit(value, f"{source}.{name}"))
        if found is not None:
            return self._of_kind(owner, kind, name, found, source)
        return self._otherwise(owner, kind, name, source)

    def own(self, owner: Any) -> dict[str, Any]:
        """The dictionary of an object, as it was when it was first seen."""
        real = self.reader.real(owner)
        found = getattr(real, "__dict__", {})
        return found if isinstance(found, dict) else dict(found)

    def _held(self, owner: Any) -> Any:
        """The copy of the dictionary of an object of the program, if the program has that in its hands: attributes are there."""
        if self.reader.is_ours(owner):
            return None
        return self.reader.copy_of(vars_of(self.reader.real(owner)))

    def _descriptor(self, found: Any, owner: Any, kind: type) -> Found:
        get = in_class(type(found), "__get__")
        return self.reader.fixed(get), [self.reader.fixed(found), owner, kind]

    def _of_kind(self, owner: Any, kind: type, name: str, found: Any, source: str | None) -> Found:
        """What an attribute of a class is for its object."""
        if isinstance(found, functools.cached_property):
            return polyfills.cached, [found.func, owner, name]
        if isinstance(found, types.FunctionType):
            self._guard_absent(owner, name)
            self.reader.guard_method(kind, name)
            return _value(types.MethodType(self.reader.fixed(found), owner))
        if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
            return _value(types.MethodType(self.reader.fixed(found.__func__), kind))
        if _is_python(found, "__get__"):
            return self._descriptor(found, owner, kind)
        if source is None or (type(owner) is types.FunctionType and name in _OF_FUNCTIONS):
            value = getattr(owner, name)
            if name == "__dict__":
                self.reader.fields[id(value)] = owner
            if value is found and not own_module(kind).startswith(("rushlight.", "builtins")):
                # The object is of this graph, its class is older.
                value = self.reader.admit(value, f"{self.reader.name(kind)}.{name}")
            return _value(value)
        if hasattr(type(found), "__get__"):
            value = getattr(owner, name)
            if callable(value):
                return _value(value)
            return _value(self.reader.admit(value, f"{source}.{name}"))
        self._guard_absent(owner, name)
        return _value(self.reader.admit(found, f"{self.reader.name(kind)}.{name}"))

    def _otherwise(self, owner: Any, kind: type, name: str, source: str | None) -> Found:
        getter = in_class(kind, "__getattr__")
        if isinstance(owner, Module):
            found = self.of_neural_module(owner, name)
            if found is not None:
                return found
            if getter is Module.__getattr__:
                getter = None
        if getter is not None:
            return self.reader.fixed(getter), [owner, name]
        if source is not None and (id(owner), name) not in self.reader.attributes:
            self.reader.guard(f"not hasattr({source}, {name!r})")
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")

    def _guard_absent(self, owner: Any, name: str) -> None:
        """What a class has holds as long as no attribute of the object hides it."""
        source = self.reader.source_of(owner)
        if source is not None and hasattr(owner, "__dict__"):
            self.reader.guard(f"{name!r} not in {source}.__dict__")

    def _of_module(self, owner: types.ModuleType, name: str) -> Any:
        value = getattr(owner, name)
        if owner.__name__.partition(".")[0] in _FIXED_MODULES:
            return value
        written = self.reader.globals.get((id(owner.__dict__), name))
        if written is not None:
            return written[1]
        return self.reader.admit(value, f"{self.reader.name(owner)}.{name}")

    def _of_class(self, owner: type, name: str) -> Found:
        found = in_class(owner, name)
        if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
            return _value(types.MethodType(self.reader.fixed(found.__func__), owner))
        # Without such an attribute it is the program's error.
        value = done(getattr, (owner, name), {})
        if isinstance(value, types.FunctionType):
            return _value(self.reader.fixed(value))
        is_data = type(value) in CONSTANTS or isinstance(value, (list, dict, tuple, set, Tensor))
        if is_data and not name.startswith("__"):
            value = self.reader.admit(value, f"{self.reader.name(owner)}.{name}")
        return _value(value)

    def of_neural_module(self, owner: Module, name: str) -> Found | None:
        """A parameter, a buffer or a module within a module."""
        source = self.reader.source_of(owner)
        for table in _TABLES:
            items = owner.__dict__.get(table, {})
            held = items if source is None else self.reader.copy_of(items)
            if held is not None:
                if name in held:
                    return _value(held[name])
                continue
            if name in items:
                written = self.reader.items.get((id(owner), table, name))
                if written is not None:
                    return _value(written[1])
                return _value(self.reader.admit(items[name], f"{source}.{table}[{name!r}]"))
        return None

    def of_tensor(self, owner: Any, name: str) -> Any:
        """An attribute that a program has given a tensor."""
        written = self.reader.attributes.get((id(owner), name))
        if written is not None and written[1] is not DELETED:
            return written[1]
        source = self.reader.source_of(owner)
        own = {} if source is None else getattr(self.reader.real(owner), "__dict__", {})
        if written is None and name in own:
            return self.reader.admit(own[name], f"{source}.__dict__[{name!r}]")
        if source is not None:
            self.reader.guard(f"{name!r} not in {source}.__dict__")
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")

    # -- setting --

    def set(self, owner: Any, name: str, value: Any) -> Found | None:
        """Note that an attribute is set; a call, if a function of the program does it."""
        if id(owner) in self.reader.functions:
            setattr(owner, name, value)
            return None
        if isinstance(owner, Tensor) and not hasattr(Tensor, name):
            self.reader.writes(owner)
            self.reader.attributes[id(owner), name] = owner, value
            return None
        if isinstance(owner, (Tensor, type, types.ModuleType, types.FunctionType, types.CellType)):
            raise Break(f"the attribute {name} of a {type(owner).__name__} is set")
        setter = in_class(type(owner), "__setattr__")
        if isinstance(setter, types.FunctionType) and setter is not Module.__setattr__:
            return self.reader.fixed(setter), [owner, name, value]
        return self.set_plainly(owner, name, value)

    def set_plainly(self, owner: Any, name: str, value: Any) -> Found | None:
        """What ``object.__setattr__`` does, or that of modules."""
        found = in_class(type(owner), name)
        if isinstance(found, property):
            if found.fset is None:
                raise AttributeError(
                    f"property '{name}' of '{type(owner).__name__}' object has no setter"
                )
            return self.reader.fixed(found.fset), [owner, value]
        if found is not None and _is_python(found, "__set__"):
            setter = in_class(type(found), "__set__")
            return self.reader.fixed(setter), [self.reader.fixed(found), owner, value]
        if isinstance(owner, Module) and self._is_set_in_table(owner, name, value):
            return None
        self.reader.writes(owner)
        held = self._held(owner)
        if held is not None:
            held[name] = value
            self.reader.changed[id(held)] = held
        elif self.reader.is_ours(owner):
            object.__setattr__(owner, name, value) if not isinstance(
                owner, BaseException
            ) else setattr(owner, name, value)
        else:
            self.reader.attributes[id(owner), name] = owner, value
        return None

    def _is_set_in_table(self, owner: Module, name: str, value: Any) -> bool:
        """Whether an attribute of a module is in one of its tables."""
        if isinstance(value, Module) and self.reader.is_ours(owner):
            Module.__setattr__(owner, name, value)
            return True
        if isinstance(value, (Parameter, Module)):
            raise Break(f"the attribute {name} of a module is set")
        for table in ("_parameters", "_modules"):
            if name in owner.__dict__.get(table, ()):
                raise Break(f"the attribute {name} of a module is set")
        if name not in owner.__dict__.get("_buffers", ()):
            return False
        if value is not None and not isinstance(value, Tensor):
            raise Break(f"the buffer {name} is set to no tensor")
        held = self.reader.copy_of(owner._buffers)
        if self.reader.is_ours(owner):
            owner._buffers[name] = value
        elif held is not None:
            held[name] = value
            self.reader.changed[id(held)] = held
        else:
            self.reader.items[id(owner), "_buffers", name] = owner, value
        return True

    # -- deleting --

    def delete(self, owner: Any, name: str) -> Found | None:
        """Note that an attribute is deleted; a call, if a function of the program does it."""
        if isinstance(owner, (Tensor, type, types.ModuleType, types.FunctionType, Module)):
            raise Break(f"the attribute {name} of a {type(owner).__name__} is deleted")
        deleter = in_class(type(owner), "__delattr__")
        if isinstance(deleter, types.FunctionType):
            return self.reader.fixed(deleter), [owner, name]
        return self.delete_plainly(owner, name)

    def delete_plainly(self, owner: Any, name: str) -> Found | None:
        """What ``object.__delattr__`` does."""
        found = in_class(type(owner), name)
        if isinstance(found, property) and found.fdel is not None:
            return self.reader.fixed(found.fdel), [owner]
        if self.reader.is_ours(owner):
            object.__delattr__(owner, name)
            return None
        held = self._held(owner)
        if held is not None:
            if name not in held:
                raise AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'")
            del held[name]
            self.reader.changed[id(held)] = held
            return None
        written = self.reader.attributes.get((id(owner), name))
        source = self.reader.source_of(owner)
        is_there = name in self.own(owner) if written is None else written[1] is not DELETED
        if not is_there:
            self.reader.guard(f"{name!r} not in {source}.__dict__")
            raise AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'")
        if name in self.own(owner):
            self.reader.guard(f"{name!r} in {source}.__dict__")
            self.reader.attributes[id(owner), name] = owner, DELETED
        else:
            self.reader.guard(f"{name!r} not in {source}.__dict__")
            del self.reader.attributes[id(owner), name]
        return None
