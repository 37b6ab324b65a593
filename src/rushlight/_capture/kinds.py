"""What capture knows of functions and classes: which may be called as they are, which write, which are interpreted."""

from __future__ import annotations

import collections
import functools
import inspect
import itertools
import math
import os
import re
import sys
import types
from typing import Any

import rushlight
from rushlight import sym_float
from rushlight._capture.interpreter import (
    BINARY,
)
from rushlight._capture.reading import (
    in_class,
)
from rushlight._capture.recording import SYMBOLIC
from rushlight._subclasses import fake_tensor
from rushlight.alias import own_module
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental._shape_contexts import GuardOnDataDependentSymNode
from rushlight.fx.experimental.sym_node import plain_number
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

# Built-in functions that only look at what they are given.
PURE = {
    abs, all, any, bool, callable, chr, complex, dict, divmod, enumerate, filter, float, format,
    frozenset, hash, int, isinstance, issubclass, iter, len, list, map, max, min, next, ord, pow, range,
    repr, reversed, round, set, slice, sorted, str, sum, tuple, zip, bytes, object,
}  # fmt: skip
# Methods that write into what they belong to.
WRITING = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
    "popitem", "add", "discard", "rotate", "extendleft", "difference_update", "intersection_update",
    "symmetric_difference_update", "__ior__", "__iadd__", "__isub__", "move_to_end", "__setitem__", "__delitem__", "appendleft", "popleft",
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
    types.MappingProxyType,
)  # fmt: skip
PURE |= {sys.getrecursionlimit, hex, bin, oct, ascii, os.fspath}
PURE |= {getattr(math, name) for name in dir(math) if callable(getattr(math, name))}


def is_of_program(function: Any) -> bool:
    """Whether calling something runs Python that is to be interpreted."""
    if own_module(type(function)).startswith("rushlight.") and not isinstance(function, Module):
        return False
    kinds = (types.FunctionType, types.MethodType, functools.partial, Module)
    return isinstance(function, kinds) or isinstance(
        in_class(type(function), "__call__"), types.FunctionType
    )


def is_ours(function: Any) -> bool:
    """Whether a function is the library's: what a module says of its functions is for people, the text counts."""
    home = function.__globals__.get("__name__") or ""
    return home.partition(".")[0] == "rushlight"


def is_of_tensors(function: Any) -> bool:
    """Whether it is a method of the class of tensors."""
    return isinstance(getattr(function, "__objclass__", None), type) and issubclass(
        Tensor, function.__objclass__
    )


def has_symbols_within(value: Any) -> bool:
    """Whether there are symbolic numbers in a container."""
    return any(isinstance(leaf, SYMBOLIC) for leaf in pytree.tree_leaves(value))


def of_symbol(function: Any, number: Any, *kinds: Any) -> Any:
    """What built-in functions say of symbolic numbers."""
    if function is isinstance:
        return issubclass(PLAIN_KINDS[type(number)], *kinds)
    if function is float:
        return number if isinstance(number, SymFloat) else sym_float(number)
    return number if isinstance(number, SymInt) else math.trunc(plain_number(number))


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
SETTERS = ("set_", "use_", "manual_seed", "seed", "fork_rng", "init_", "register_", "add_hook")
# Classes of the library whose objects hold nothing but what they are given.
MADE = (
    "rushlight.engine.core.size", "rushlight.engine.core.device", "rushlight.engine.core.dtype", "rushlight.distributions",
)  # fmt: skip
# Modules of Python whose functions ask, or tell, what no guard knows.
OUTSIDE = {
    "warnings", "logging", "threading", "os", "random", "time", "subprocess", "tempfile", "copy", "inspect", "re",
    "json", "pickle", "importlib", "tokenize", "linecache", "traceback", "weakref", "unittest", "asyncio", "socket",
    "concurrent", "multiprocessing", "pathlib", "shutil", "glob", "ast", "dis", "gc", "hashlib", "uuid", "datetime",
}  # fmt: skip
# Of these, what only asks for the class of a value.
ASKS_FOR_CLASSES = {
    inspect.isfunction, inspect.isclass, inspect.ismethod, inspect.ismodule, inspect.isbuiltin,
    inspect.isgeneratorfunction, inspect.iscoroutinefunction,
}  # fmt: skip
# Of these, too, what makes something of texts alone.
OF_TEXTS = {
    re.match, re.fullmatch, re.search, re.split, re.sub, re.subn, re.findall, re.escape, re.compile,
}  # fmt: skip
# Modules whose functions call at once what they are given.
CALLS_BACK = (
    "rushlight._higher_order_ops",
    "rushlight.utils._pytree",
    "rushlight.utils.checkpoint",
)
# Modules whose functions run functions of programs on layers.
TRANSFORMS = {
    "rushlight._functorch.apis", "rushlight._functorch.vmap", "rushlight._functorch.eager_transforms",
    "rushlight._higher_order_ops.associative_scan",
}  # fmt: skip
# Those that give a function, which is run later.
GIVE_FUNCTIONS = {
    "vmap", "chunk_vmap", "grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "functionalize",
}  # fmt: skip
# Modules whose functions are read like a program's.
INLINED = (
    "rushlight.nn.modules", "rushlight.nn.utils.parametrize", "rushlight.nn.utils.parametrizations",
    "rushlight._capture.polyfills",
)  # fmt: skip
# Classes whose ``__new__`` only makes an object.
NEW = (object, tuple, list, dict, set, frozenset, str, int, float, collections.OrderedDict)
