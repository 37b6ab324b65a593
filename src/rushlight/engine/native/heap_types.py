"""Python types whose instances hold raw machine words that generated code can reach.

`make_base` makes a heap type with 64-bit integer fields at known offsets, through the documented
`PyType_FromSpec`. Python subclasses add everything else; `slot_offset` tells where a subclass's
``__slots__`` entry lies. `supported` proves at start that all of it holds on this interpreter.
Where it does not (a free-threaded build, another implementation), the same class is made of plain
Python slots, and nothing reads its memory.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Callable
from typing import Any

HEADER = object.__basicsize__
TYPE_OFFSET = HEADER - 8

_MEMBER_LONG_LONG = 17
_MEMBER_OBJECT = 16
_MEMBER_SIZE = 19
_READ_ONLY = 1
_SLOT_MEMBERS = 72
_SLOT_DEALLOC = 52
_FLAG_BASETYPE = 1 << 10
_FLAG_DEFAULT = 1 << 18
_DESCRIPTOR_MEMBER = HEADER + 24


class _Member(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class _Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("value", ctypes.c_void_p)]


class _Spec(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    ]


def field_offset(fields: tuple[str, ...], name: str) -> int:
    """Where the named field of a type made by `make_base` lies in its instances."""
    return HEADER + 8 * fields.index(name)


def make_base(
    name: str,
    words: tuple[str, ...],
    objects: tuple[str, ...] = (),
    dealloc: int = 0,
    offsets: tuple[str, ...] = (),
) -> type:
    """A type with integer fields ``words`` and then object fields ``objects``, all writable.

    ``dealloc`` is the address of a C function that releases an instance; it is needed when there
    are object fields, since nobody else lets go of them. Behind the fields is a word for each of
    ``offsets``: where Python keeps weak references (``__weaklistoffset__``) and attributes
    (``__dictoffset__``).
    """
    fields = words + objects
    members = (_Member * (len(fields) + len(offsets) + 1))()
    for i, field in enumerate(fields + offsets):
        kind = _MEMBER_LONG_LONG if field in words else _MEMBER_OBJECT
        flags = 0
        if field in offsets:
            kind, flags = _MEMBER_SIZE, _READ_ONLY
        members[i] = _Member(field.encode(), kind, HEADER + 8 * i, flags, None)
    slots = [_Slot(_SLOT_MEMBERS, ctypes.addressof(members))]
    if dealloc:
        slots.append(_Slot(_SLOT_DEALLOC, dealloc))
    slot_array = (_Slot * (len(slots) + 1))(*slots)
    spec = _Spec(
        name.encode(),
        HEADER + 8 * len(fields + offsets),
        0,
        _FLAG_BASETYPE | _FLAG_DEFAULT,
        slot_array,
    )
    for kept in (members, slot_array, spec):
        # The type may outlive this module at the end of the process.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    from_spec = ctypes.pythonapi.PyType_FromSpec
    from_spec.restype = ctypes.py_object
    from_spec.argtypes = [ctypes.c_void_p]
    return from_spec(ctypes.addressof(spec))


def methods_for(base: type) -> Callable[[type], Any]:
    """A class decorator: put the class's members into ``base`` and stand for it.

    A Python subclass would be tracked by the garbage collector; its base need not be.
    """

    def decorate(members: type) -> type:
        for name, value in vars(members).items():
            if name not in ("__dict__", "__weakref__", "__module__", "__qualname__"):
                setattr(base, name, value)
        return base

    return decorate


def slot_offset(cls: type, name: str) -> int:
    """Where a ``__slots__`` entry lies in the instances of its class."""
    member = ctypes.c_void_p.from_address(id(cls.__dict__[name]) + _DESCRIPTOR_MEMBER).value
    assert member is not None
    return int(_Member.from_address(member).offset)


@functools.cache
def supported() -> bool:
    """Whether generated code may read and write instances; proved on a probe type."""
    if os.environ.get("RUSHLIGHT_PLAIN_OBJECTS") or sys.implementation.name != "cpython":
        return False
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or sys.byteorder != "little":
        return False
    base = make_base("rushlight.Probe", ("first", "second"))
    cls = type("Probe", (base,), {"__slots__": ("one", "two", "__dict__", "__weakref__")})
    probe: Any = cls()
    probe.first, probe.second, probe.one, probe.two = 7, -9, cls, base

    def word(offset: int) -> int:
        return ctypes.c_int64.from_address(id(probe) + offset).value

    expected = {
        field_offset(("first", "second"), "second"): -9,
        slot_offset(cls, "one"): id(cls),
        slot_offset(cls, "two"): id(base),
        TYPE_OFFSET: id(cls),
    }
    return all(word(offset) == value for offset, value in expected.items())
