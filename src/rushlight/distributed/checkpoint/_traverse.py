"""Nested state dicts, by the paths to what is in them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from rushlight.engine.core.tensor import Tensor

__all__ = ["get_element", "print_tensor", "set_element", "traverse_state_dict"]

PATH_ITEM = str | int
OBJ_PATH = tuple[PATH_ITEM, ...]


def _keep_visiting_tensors(value: Any) -> bool:
    return isinstance(value, Tensor)


def traverse_state_dict(
    state_dict: Any,
    visitor: Callable[[OBJ_PATH, Any], None],
    keep_traversing: Callable[[Any], bool] = _keep_visiting_tensors,
) -> None:
    """Call ``visitor`` with the path and value of everything in a state dict.

    Mappings are opened, and lists if anything in them is worth it; other values are whole.

    Args:
        state_dict: the outermost mapping
        visitor: is called with paths and values
        keep_traversing: whether a value is worth opening the list that it is in
    """

    def is_whole(value: Any) -> bool:
        if isinstance(value, Mapping):
            return False
        if not isinstance(value, list):
            return True
        return not any(
            (isinstance(x, (Mapping, list)) and not is_whole(x)) or keep_traversing(x)
            for x in value
        )

    def visit(path: OBJ_PATH, value: Any) -> None:
        if is_whole(value):
            visitor(path, value)
            return
        entries = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, entry in entries:
            visit((*path, str(key) if isinstance(value, Mapping) else key), entry)

    for key, value in state_dict.items():
        visit((str(key),), value)


def set_element(root_dict: Any, path: OBJ_PATH, value: Any) -> None:
    """Put a value where a path leads, with what is missing on the way."""
    place = root_dict
    for key, following in itertools.pairwise(path):
        empty: Any = {} if isinstance(following, str) else []
        if isinstance(place, list):
            _lengthen(place, int(key))
            if place[int(key)] is None:
                place[int(key)] = empty
            place = place[int(key)]
        else:
            place = place.setdefault(key, empty)
    last: Any = path[-1]
    if isinstance(place, list):
        _lengthen(place, last)
    place[last] = value


def _lengthen(values: list[Any], index: int) -> None:
    values += [None] * (index + 1 - len(values))


def get_element(root_dict: Any, path: OBJ_PATH, default_value: Any = None) -> Any:
    """The value where a path leads; the default where it leads nowhere."""
    place = root_dict
    for key in path:
        if isinstance(key, int):
            if not isinstance(place, list) or key >= len(place):
                return default_value
        elif not isinstance(place, Mapping) or key not in place:
            return default_value
        place = place[key]
    return place


def _print_nested(value: Any, prefix: str = "", print_fun: Callable[[str], None] = print) -> None:
    if isinstance(value, Tensor):
        print_fun(f"{prefix} Tensor size: {value.size()}")  # type: ignore[attr-defined]
    else:
        print_fun(f"{prefix} Type: {type(value)}")


def print_tensor(path: OBJ_PATH, value: Any, print_fun: Callable[[str], None] = print) -> None:
    """Print what a value is: a visitor for :func:`traverse_state_dict`."""
    _print_nested(value, prefix=str(path), print_fun=print_fun)
