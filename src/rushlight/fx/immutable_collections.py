"""Lists and dictionaries that nodes keep as arguments: changed only by assigning others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from rushlight.utils import _pytree

__all__ = ["immutable_dict", "immutable_list"]

_HELP = """If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args
"""


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}")


class immutable_list(list[Any]):
    """A list whose items stay, so that users and arguments of nodes stay in step."""

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (tuple(self),)


class immutable_dict(dict[Any, Any]):
    """A dictionary whose entries stay."""

    __delitem__ = __ior__ = __setitem__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (tuple(self.items()),)


def _list_leaves(items: immutable_list) -> tuple[list[Any], Any]:
    return list(items), None


def _list_of(values: Iterable[Any], context: Any) -> immutable_list:
    return immutable_list(values)


def _dict_leaves(items: immutable_dict) -> tuple[list[Any], Any]:
    return list(items.values()), list(items)


def _dict_of(values: Iterable[Any], context: Any) -> immutable_dict:
    return immutable_dict(zip(context, values))


_pytree.register_pytree_node(
    immutable_list,
    _list_leaves,
    _list_of,
    serialized_type_name="torch.fx.immutable_collections.immutable_list",
)
_pytree.register_pytree_node(
    immutable_dict,
    _dict_leaves,
    _dict_of,
    serialized_type_name="torch.fx.immutable_collections.immutable_dict",
)
