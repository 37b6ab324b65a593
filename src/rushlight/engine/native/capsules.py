"""DLPack capsules: compiled code that gives a lent structure back.

A structure belongs to a Python object and owns a reference to it. Its deleter, and the capsule's
destructor where nobody took the structure over, drop that reference. Both are compiled, so they
need no Python frame and may run in any thread and late in the life of the process.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.native.lowlevel import Function, Module, Words, extern, load
from rushlight.engine.native.python_api import decref

ensure_lock = extern("PyGILState_Ensure", "i32")
release_lock = extern("PyGILState_Release", "None", "i32")
is_valid = extern("PyCapsule_IsValid", "i32", "int", "int")
get_pointer = extern("PyCapsule_GetPointer", "int", "int", "int")

module = Module("capsules")

# The names that a capsule has until somebody takes its structure over, and where the structure
# says whom it belongs to.
PLAIN, VERSIONED = b"dltensor", b"dltensor_versioned"
CONTEXT = {PLAIN: 48, VERSIONED: 8}
_buffers = {name: ctypes.create_string_buffer(name) for name in CONTEXT}
words = Words("plain", "versioned")
words.plain, words.versioned = (ctypes.addressof(_buffers[name]) for name in CONTEXT)


@module.function
def delete_plain(structure: int) -> None:
    held = ensure_lock()
    decref(load(structure + 48))
    release_lock(held)


@module.function
def delete_versioned(structure: int) -> None:
    held = ensure_lock()
    decref(load(structure + 8))
    release_lock(held)


@module.function
def destroy(capsule: int) -> None:
    """A capsule goes: give its structure back unless it was taken over."""
    if is_valid(capsule, words.plain) != 0:
        delete_plain(get_pointer(capsule, words.plain))
    elif is_valid(capsule, words.versioned) != 0:
        delete_versioned(get_pointer(capsule, words.versioned))


_DELETERS: dict[bytes, Function] = {PLAIN: delete_plain, VERSIONED: delete_versioned}
_API = ctypes.pythonapi


def deleter(name: bytes) -> int:
    """The address of the deleter for structures in capsules of this name."""
    return module.address(_DELETERS[name])


def lend(structure: int, owner: Any, name: bytes) -> Any:
    """A capsule around a structure, which from now on owns a reference to ``owner``."""
    make = _API.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    destructor = module.address(destroy)
    _API.Py_IncRef(ctypes.py_object(owner))
    return make(structure, ctypes.addressof(_buffers[name]), destructor)


def structure_in(capsule: Any, name: bytes) -> int:
    """The address of the structure in a capsule of this name; 0 if it has another or is none."""
    valid = _API.PyCapsule_IsValid
    valid.argtypes = [ctypes.py_object, ctypes.c_void_p]
    buffer = ctypes.addressof(_buffers[name])
    if not valid(capsule, buffer):
        return 0
    get = _API.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_void_p]
    return int(get(capsule, buffer))


_used = {name: ctypes.create_string_buffer(b"used_" + name) for name in CONTEXT}


def mark_used(capsule: Any, name: bytes) -> None:
    """Say that the capsule's structure was taken over."""
    rename = _API.PyCapsule_SetName
    rename.argtypes = [ctypes.py_object, ctypes.c_void_p]
    rename(capsule, ctypes.addressof(_used[name]))
