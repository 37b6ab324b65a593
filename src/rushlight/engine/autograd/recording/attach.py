"""Making tensors outputs of a node: what the generated functions call that record a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd.node import Node
from rushlight.engine.calls import view
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.promotion import title


def whole(result: Tensor) -> RuntimeError:
    """What is raised where whole numbers or truth values would get a history."""
    return RuntimeError(f"Autograd not support dtype: {title(result._dtype_)}")


def only_real(name: str) -> RuntimeError:
    """What is raised where a complex result would get a history that PyTorch does not give it."""
    return RuntimeError(
        f"{name} does not support automatic differentiation for outputs with complex dtype."
    )


def attach_several(result: Any, node: Node, nondifferentiable: frozenset[int]) -> Any:
    """Make several tensors outputs of a node."""
    for place, item in enumerate(result):
        if item._dtype_.category >= dtypes.FLOATING and place not in nondifferentiable:
            metas.set_edge(item, (node, place))
    return result


def attach_view(result: Any, node: Node, replay: Callable[..., Any], source: Tensor) -> Any:
    """Make views outputs of a node."""
    several = type(result) in (tuple, list)
    origin = source._autograd_
    for place, item in enumerate(result if several else (result,)):
        if item._dtype_.category < dtypes.FLOATING:
            raise whole(item)
        made = metas.ONE_OF_SEVERAL if several else None
        again = None
        if isinstance(origin, metas.ViewMeta):
            made = made or origin.made
        plain = (source if source._base is None else source._base)._dtype_
        changes = item._dtype_ is not plain or (item._keys_ ^ source._keys_) & ~keys.AUTOGRAD
        before = origin.replay if isinstance(origin, metas.ViewMeta) else None
        if changes or before is not None or item._keys_ & keys.PYTHON:
            again = view_replay(source, before, replay, place if several else None)
        item._autograd_ = metas.ViewMeta(item, (node, place), again, made)
        item._keys_ |= keys.AUTOGRAD
    return result


def view_replay(
    source: Tensor, before: Callable[..., Any] | None, step: Callable[..., Any], place: int | None
) -> Callable[[Tensor], Any]:
    """The function from a base to a view, through the tensor that the view was made of."""
    geometry = source._size_, source._stride_, source._offset_
    is_base = source._base is None

    def replay(base: Tensor) -> Any:
        middle = base
        if before is not None:
            middle = before(base)
        elif not is_base:
            middle = view.as_strided(base, *geometry)
        found = step(middle)
        return found if place is None else found[place]

    return replay
