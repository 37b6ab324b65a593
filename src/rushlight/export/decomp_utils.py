"""Tables of what operators are taken apart into."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import rushlight

__all__ = ["CustomDecompTable"]


aten = rushlight.ops.aten


def _batch_norm(
    input: Any, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, momentum: float,
    eps: float, cudnn_enabled: bool,
) -> Any:  # fmt: skip
    """The operator, which writes to statistics without saying so, as one that does not, and writes."""
    if not training:
        found = aten._native_batch_norm_legit_no_training.default(
            input, weight, bias, mean, variance, momentum, eps
        )
        return found[0]
    if mean is None or variance is None:
        return aten._native_batch_norm_legit.no_stats(input, weight, bias, True, momentum, eps)[0]
    out, _, _, new_mean, new_variance = aten._native_batch_norm_legit_functional.default(
        input, weight, bias, mean, variance, True, momentum, eps
    )
    mean.copy_(new_mean)
    variance.copy_(new_variance)
    return out


# What no graph without writes has: an operator that writes to arguments without its schema's saying so, and
# one that is about tensors which no transformation has seen.
ALWAYS: dict[Any, Callable[..., Any]] = {
    aten.batch_norm.default: _batch_norm,
    aten.lift_fresh_copy.default: lambda x: aten.clone.default(x),
}

# Core operators have one name for each thing, so others are called by it.
_BY_ONE_NAME: dict[Any, Callable[..., Any]] = {
    aten.t.default: lambda x: aten.permute.default(x, [1, 0]) if x.dim() == 2 else x,
    aten.transpose.int: lambda x, a, b: aten.permute.default(x, _swapped(x.dim(), a, b)),
    aten.sum.default: lambda x, *, dtype=None: aten.sum.dim_IntList(x, [], dtype=dtype),
}


def _swapped(count: int, a: int, b: int) -> list[int]:
    order = list(range(count))
    order[a], order[b] = order[b], order[a]
    return order


# The namespaces of operators that no program has defined.
_OF_THE_LIBRARY = ("aten", "prim", "prims", "quantized", "rushlight")


def _composites_of_programs() -> dict[Any, Callable[..., Any]]:
    """The operators that programs have defined, and made of others."""
    from rushlight._C._dispatcher import _dispatch_get_registrations_for_dispatch_key

    found = {}
    for name in _dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd"):
        namespace, _, rest = name.partition("::")
        if namespace in _OF_THE_LIBRARY:
            continue
        packet, _, overload = rest.partition(".")
        op = getattr(getattr(getattr(rushlight.ops, namespace), packet), overload or "default")
        found[op] = op.decompose
    return found


class CustomDecompTable(MutableMapping[Any, Callable[..., Any]]):
    """The decompositions to core operators, which a program may add to and take from."""

    def __init__(self) -> None:
        from rushlight._decomp import core_aten_decompositions

        self._table: dict[Any, Callable[..., Any]] = {
            **core_aten_decompositions(),
            **_BY_ONE_NAME,
            **ALWAYS,
            **_composites_of_programs(),
        }
        self.has_materialized = False
        self.deleted_custom_ops: set[Any] = set()

    def __getitem__(self, op: Any) -> Callable[..., Any]:
        return self._table[op]

    def __setitem__(self, op: Any, function: Callable[..., Any]) -> None:
        self._table[op] = function
        self.deleted_custom_ops.discard(op)

    def __delitem__(self, op: Any) -> None:
        self.pop(op)

    def pop(self, op: Any, *default: Any) -> Any:
        """Leave an operator as it is."""
        self.deleted_custom_ops.add(op)
        if op not in self._table and not default:
            raise KeyError(f"{op}")
        return self._table.pop(op, *default)

    def __iter__(self) -> Iterator[Any]:
        self.has_materialized = True
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def keys(self) -> Any:
        """The operators that are taken apart."""
        return self._table.keys()

    def copy(self) -> CustomDecompTable:
        """A table that can be changed without changing this one."""
        made = CustomDecompTable()
        made._table = dict(self._table)
        made.deleted_custom_ops = set(self.deleted_custom_ops)
        return made

    def materialize(self) -> dict[Any, Callable[..., Any]]:
        """A dictionary of the same."""
        self.has_materialized = True
        return dict(self._table)
