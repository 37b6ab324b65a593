"""Taking nested arguments apart along a structure that is known."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

from rushlight.utils import _pytree
from rushlight.utils._pytree import PyTree, TreeSpec, is_namedtuple

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

FlattenFuncSpec = Callable[[Any, TreeSpec], list[Any]]
FlattenFuncExactMatchSpec = Callable[[Any, TreeSpec], bool]

SUPPORTED_NODES: dict[type, FlattenFuncSpec] = {}
SUPPORTED_NODES_EXACT_MATCH: dict[type, FlattenFuncExactMatchSpec | None] = {}


def register_pytree_flatten_spec(
    cls: type,
    flatten_fn_spec: FlattenFuncSpec,
    flatten_fn_exact_match_spec: FlattenFuncExactMatchSpec | None = None,
) -> None:
    """Say how values of a class are taken apart along a structure."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def _deregister_pytree_flatten_spec(cls: type) -> None:
    del SUPPORTED_NODES[cls], SUPPORTED_NODES_EXACT_MATCH[cls]


def tree_flatten_spec(pytree: PyTree, spec: TreeSpec) -> list[Any]:
    """The leaves of a nest of values that has a structure, or more than it."""
    if spec.is_leaf():
        return [pytree]
    kind = namedtuple if is_namedtuple(pytree) and spec.type is namedtuple else spec.type
    known = _pytree.SUPPORTED_NODES.get(kind)
    if kind in SUPPORTED_NODES:
        children = SUPPORTED_NODES[kind](pytree, spec)
    elif known is not None:
        # Not along the structure, but as values of the class are taken apart anywhere.
        children = list(known.flatten_fn(pytree)[0])
    else:
        raise RuntimeError(
            f"{type(pytree)} does not have a flatten_fn_spec associated with it. Please register "
            f"one with torch.fx._pytree.register_pytree_flatten_spec. If you have serialized your "
            f"model, make sure that any custom pytrees have been registered before loading it."
        )
    return [
        leaf
        for child, child_spec in zip(children, spec.children())
        for leaf in tree_flatten_spec(child, child_spec)
    ]


def _by_key(mapping: Any, spec: TreeSpec) -> list[Any]:
    return [mapping[key] for key in spec.context]


def _by_index(sequence: Any, spec: TreeSpec) -> list[Any]:
    return [sequence[index] for index in range(spec.num_children)]


def _has_as_many(values: Any, spec: TreeSpec) -> bool:
    return len(values) == spec.num_children


for _kind in (dict, OrderedDict):
    register_pytree_flatten_spec(_kind, _by_key, _has_as_many)
for _kind in (list, tuple, namedtuple):  # type: ignore[assignment]
    register_pytree_flatten_spec(_kind, _by_index, _has_as_many)  # type: ignore[arg-type]
