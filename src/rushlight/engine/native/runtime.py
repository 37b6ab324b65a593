"""The run-time system: every function of the kernel language, linked as one object.

The rooms add their functions while they are imported; the first one that is needed compiles all.
"""

from __future__ import annotations

import ctypes
import types
from typing import Any

from rushlight.engine.native import machine
from rushlight.engine.native.lowlevel import Function, Module

module = Module("runtime", optimise=machine.TIDY)

_CTYPES: dict[str, Any] = {"int": ctypes.c_int64, "float": ctypes.c_double, "None": None}


def callable_from_python(function: Function, owner: Module = module) -> Any:
    """The compiled function of a module as a ctypes function that keeps the interpreter lock."""
    types = [_CTYPES[kind] for _, kind in function.parameters]
    prototype = ctypes.PYFUNCTYPE(_CTYPES[function.result], *types)
    return prototype(owner.address(function))


_keep_alive: list[Any] = []
_contexts: set[int] = set()
# Functions made here may be released after this module.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_keep_alive))


class MethodDefinition(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


_FASTCALL = 0x0080
_KEYWORDS = 0x0002
_new_function = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)(("PyCFunction_NewEx", ctypes.pythonapi))
_new_instance_method = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(
    ("PyInstanceMethod_New", ctypes.pythonapi)
)


def python_function(
    name: str, function: Function, context: Any = None, keywords: bool = False
) -> Any:
    """A built-in Python function made of compiled code.

    The code gets ``(context, arguments, count)`` and, with ``keywords``, the tuple of keyword names;
    ``context`` is the object given here (its address, or 0). It returns a new reference.
    """
    definition = definition_of(name, function, keywords)
    _keep_alive.append(context)
    return function_of(definition, context)


def definition_of(name: str, function: Function, keywords: bool = False) -> MethodDefinition:
    """What built-in functions made of compiled code have in common; it stays for good."""
    flags = _FASTCALL | (_KEYWORDS if keywords else 0)
    definition = MethodDefinition(name.encode(), module.address(function), flags, None)
    _keep_alive.append(definition)
    return definition


def function_of(definition: MethodDefinition, context: Any) -> Any:
    """A built-in function with this definition, which keeps its context."""
    owner = None if context is None else id(context)
    return _new_function(ctypes.addressof(definition), owner, None)


def method_descriptor(name: str, owner: type, function: Function) -> Any:
    """An unbound method of ``owner`` made of compiled code; it gets ``(self, arguments, count)``."""
    definition = MethodDefinition(name.encode(), module.address(function), _FASTCALL, None)
    _keep_alive.append(definition)
    make = ctypes.pythonapi.PyDescr_NewMethod
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.py_object, ctypes.c_void_p]
    return make(owner, ctypes.addressof(definition))


def keyword_function(
    name: str, address: int, context: Any, doc: str | None, stays: bool = True
) -> tuple[Any, MethodDefinition]:
    """A built-in function around a C function ``(context, arguments, count, names)``.

    The definition is given too: storing another address in it redirects the function. Unless the function
    ``stays`` for good, its context has to keep the definition.
    """
    text = doc.encode() if doc else None
    definition = MethodDefinition(name.encode(), address, _FASTCALL | _KEYWORDS, text)
    if stays:
        _keep_alive.extend((definition, context))
        _contexts.add(id(context))
    return _new_function(ctypes.addressof(definition), id(context), None), definition


def instance_method(function: Any) -> Any:
    """A wrapper that binds a built-in function to an instance, as a Python function does."""
    return _new_instance_method(function)


def as_method(value: Any) -> Any:
    """A class's attribute that binds its instance, if it is a function of `keyword_function`."""
    made_here = isinstance(value, types.BuiltinFunctionType) and id(value.__self__) in _contexts
    return instance_method(value) if made_here else value
