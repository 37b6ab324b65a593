"""Calls of numpy: with arrays of the graph they are nodes (`arrays`), with nothing but constants they are made at once.

The latter give constants, or arrays that tensors are made of.
"""

from __future__ import annotations

import types
from typing import Any

import rushlight
from rushlight._capture import arrays
from rushlight._capture.arrays import Array
from rushlight._capture.breaks import Break
from rushlight._capture.interpreter import done
from rushlight._capture.reading import CONSTANTS
from rushlight._capture.recording import outside
from rushlight.engine.native.numpy_later import is_a, is_array, is_class, is_number
from rushlight.utils import _pytree as pytree

# These look at more than their arguments, or write into one.
_WITH_EFFECTS = {"fromfile", "memmap", "copyto", "putmask", "place", "fill_diagonal", "put"}
_KINDS = (int, float, complex, bool)
_MODULES = ("numpy", "numpy.linalg")
# What makes a tensor of an array.
_TENSORS_OF = (rushlight.tensor, rushlight.as_tensor, rushlight.asarray, rushlight.from_numpy)


def is_numpys(function: Any) -> bool:
    """Whether something is a function of numpy's that looks at nothing but its arguments, or a class of its numbers."""
    if isinstance(function, type):
        return is_class(function, "generic") or is_class(function, "dtype")
    if getattr(function, "__module__", None) not in _MODULES or function.__name__ in _WITH_EFFECTS:
        return False
    kinds = (types.FunctionType, types.BuiltinFunctionType)
    return isinstance(function, kinds) or type(function).__module__ == "numpy"


def call(capture: Any, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Call such a function now, if its arguments are constants."""
    args, kwargs = capture.plain(args), capture.plain(kwargs)
    clear = capture.reader.is_clear
    given = pytree.tree_leaves((args, kwargs))
    if any(isinstance(x, Array) for x in given):
        stands = arrays.function_of(function)
        if stands is None or not all(
            isinstance(x, Array) or _is_constant(x) or clear(x) for x in given
        ):
            raise Break(f"{function.__name__} of numpy")
        return capture.push(done(arrays.checked, [stands, *args], kwargs))
    if not all(_is_constant(x) or (is_array(x) and clear(x)) for x in given):
        raise Break(f"{function.__name__} of numpy")
    found = done(function, args, kwargs)
    if not all(_is_constant(x) or is_array(x) for x in pytree.tree_leaves(found)):
        raise Break(f"{function.__name__} of numpy gives more than numbers")
    capture.push(found)


def _is_constant(value: Any) -> bool:
    if type(value) in CONSTANTS or is_number(value) or is_a(value, "dtype"):
        return True
    return (
        type(value) is slice or is_class(value, "generic") or any(value is kind for kind in _KINDS)
    )


def array_of(capture: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """The array that shares a tensor's memory."""
    tensor, *more = args
    kinds = arrays.dtypes().values()
    if more or kwargs or tensor.requires_grad or tensor.dtype not in kinds or tensor.is_conj():
        raise Break("a call of numpy")
    capture.push(Array(tensor))


def makes_tensor(capture: Any, function: Any, args: list[Any]) -> bool:
    """Whether a call makes a tensor of an array of the graph, or of one that was made within it."""
    if function not in _TENSORS_OF or not args:
        return False
    return isinstance(args[0], Array) or (is_array(args[0]) and capture.reader.is_ours(args[0]))


def tensor_of(capture: Any, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """The tensor of such an array: in the graph its elements are written down, for each call makes a new one."""
    array, *rest = args
    if isinstance(array, Array):
        return _of_graph(capture, function, array, rest, kwargs)
    if kwargs.keys() - {"dtype", "device"}:
        raise Break(f"{function.__name__} of an array")
    with outside():
        like = done(function, [array.copy(), *rest], kwargs)
        dtype, device = like.dtype, like.device
    capture.push(rushlight.tensor(arrays.listed(array), dtype=dtype, device=device))
    if function is not rushlight.tensor:
        capture.reader.shared[id(array)] = array
    return None


def _of_graph(
    capture: Any, function: Any, array: Array, rest: list[Any], kwargs: dict[str, Any]
) -> None:
    """The tensor of an array of the graph, a copy or not."""
    if rest or kwargs.keys() - {"dtype"} or (array.is_number and function is rushlight.from_numpy):
        raise Break(f"{function.__name__} of an array")
    copies = function is rushlight.tensor or array.is_number
    found = array.tensor.clone() if copies else array.tensor.detach()
    dtype = kwargs.get("dtype")
    capture.push(found if dtype is None else found.to(dtype))
