"""The words that the rules for nested tensors are written in.

A rule gets the values of a call in the schema's order. What it does, it does by calls on dense tensors: on all
elements at once where they lie in one tensor (`values_of`, `like`), or on one after the other (`elements`).
Autograd sees only these, and the two steps between a nested tensor and the dense one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.autograd import inplace
from rushlight.engine.calls import nested as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import keys, nested, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.nested import Blocks, Jagged, is_nested
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.nested import making, padding, places
from rushlight.engine.ops.nested.classes import over_jagged
from rushlight.engine.ops.nested.rules import element

Rule = Callable[..., Any]

# Rules of operators by their full names, for either layout.
for_jagged: dict[str, Rule] = {}
for_blocks: dict[str, Rule] = {}


def jagged(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for the layout ``jagged``: it gets the operator, then the values."""
    return _registering(for_jagged, names)


def blocks(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for the layout ``strided``."""
    return _registering(for_blocks, names)


def both(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for either layout."""

    def decorate(rule: Rule) -> Rule:
        return jagged(*names)(blocks(*names)(rule))

    return decorate


def _registering(table: dict[str, Rule], names: Sequence[str]) -> Callable[[Rule], Rule]:
    def decorate(rule: Rule) -> Rule:
        for name in names:
            table[registry.full_name(name)] = rule
        return rule

    return decorate


# -- all elements as one --


def is_recorded(*given: Any) -> bool:
    """Whether what is done to some of these is recorded for gradients."""
    if not state.thread.grad_enabled:
        return False
    return any(isinstance(x, Tensor) and x._keys_ & keys.AUTOGRAD for x in given)


def values_of(x: Tensor) -> Tensor:
    """All elements of a nested tensor as one dense tensor, with its history."""
    if is_recorded(x):
        found: Tensor = calls._nested_get_values(x)
        return found
    parts = nested.parts_of(x)
    held: Tensor = parts.values if isinstance(parts, Jagged) else parts.buffer
    return held


def like(x: Tensor, values: Tensor, ragged: int | None = None) -> Any:
    """A jagged tensor with the lengths of another one, over other values and with their history."""
    parts = nested.parts_of(x)
    return with_lengths(
        values, parts.offsets, parts.lengths, parts.ragged if ragged is None else ragged,
        parts.cache,
    )  # fmt: skip


def with_lengths(
    values: Tensor, offsets: Tensor, lengths: Any = None, ragged: int = 1, cache: Any = None
) -> Any:
    """A jagged tensor over values, with their history."""
    cache = {} if cache is None else cache
    if not values._keys_ & keys.AUTOGRAD:
        return over_jagged(Jagged(values, offsets, lengths, ragged, cache))
    made = calls._nested_view_from_jagged(values, offsets, offsets, lengths, ragged, None, None)
    nested.parts_of(made).cache = cache
    return made


def each(result: Any, function: Callable[[Tensor], Any]) -> Any:
    """A function on every tensor of a result."""
    if isinstance(result, Tensor):
        return function(result)
    if isinstance(result, (tuple, list)):
        return rebuilt(result, [each(item, function) for item in result])
    return result


def rebuilt(result: Any, items: list[Any]) -> Any:
    """Other items in the place of a result's."""
    kind = type(result)
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def over(buffer: Tensor, parts: Blocks) -> Any:
    """A tensor of layout ``strided`` with the places of another one, over another buffer."""
    return making.blocks(buffer, parts.known)


# -- one after the other --


def elements(x: Tensor) -> list[Tensor]:
    """The elements of a nested tensor: views."""
    parts, values = nested.parts_of(x), values_of(x)
    if isinstance(parts, Blocks):
        return _blocks(values, parts.known)
    counts, starts = nested.bounds_of(parts)
    total = values._size_[parts.along]
    if parts.lengths is None:
        if sum(counts) != total:
            raise RuntimeError(
                "split_with_sizes expects split_sizes to sum exactly to "
                f"{total} (input tensor's size at dimension {parts.along}), but got "
                f"split_sizes={counts}"
            )
        return list(views.split_with_sizes(values, counts, parts.along))
    if any(start + count > total for start, count in zip(starts, counts)):
        raise RuntimeError(
            "unbind(): nested tensor offsets and lengths do not match ragged_idx dimension"
        )
    return [views.narrow(values, parts.along, a, n) for a, n in zip(starts, counts)]


def _blocks(buffer: Tensor, known: nested.Geometry) -> list[Tensor]:
    if known.is_dense and buffer._numel_ == known.count:
        counts = [tensors.sizes.numel(size) for size in known.sizes]
        flat = views.split_with_sizes(buffer, counts, 0) if counts else []
        return [views.view(x, size) for x, size in zip(flat, known.sizes)]
    return [element(buffer, known, k) for k in range(len(known.sizes))]


of_elements = making.of_elements


def joined(x: Tensor, made: Sequence[Tensor], along: int | None = None) -> Any:
    """Elements as a nested tensor of the layout of another one; jagged ones are as long as its elements."""
    from rushlight.engine.calls import joining

    parts = nested.parts_of(x)
    if isinstance(parts, Blocks):
        return of_elements(made)
    place = parts.along if along is None else along
    offsets, lengths = parts.offsets, parts.lengths
    if lengths is not None:
        # Copies leave no holes.
        counts = nested.bounds_of(parts)[0]
        offsets, lengths = places.whole_numbers(running(counts)), None
    return with_lengths(joining.cat(list(made), place), offsets, lengths, place + 1, parts.cache)


def running(counts: Sequence[int]) -> list[int]:
    """Where elements of such lengths begin, and where the last one ends."""
    found = [0]
    for count in counts:
        found.append(found[-1] + count)
    return found


def rows_of_elements(x: Tensor) -> Tensor:
    """The values of a jagged tensor without holes, with the ragged dimension first."""
    parts, values = nested.parts_of(x), values_of(x)
    if parts.along:
        values = views.movedim_int(values, parts.along, 0)
    counts, starts = nested.bounds_of(parts)
    total = sum(counts)
    if total == values._size_[0] and not (starts and starts[0]):
        return values
    # Nobody has said that elements are all there is.
    return views.narrow(values, 0, starts[0] if starts else 0, total)


def places_in(parts: Jagged, most: int) -> Tensor:
    """Where each row of the values is among rows of ``most`` places."""
    found: Tensor = nested.kept(
        parts,
        ("places", most),
        lambda counts, _: padding.index_of(counts, most, parts.values._storage_.device),
    )
    return found


def packed(x: Tensor, parts: Any) -> Tensor:
    """A padded tensor as the values of a jagged one."""
    along = parts.ragged
    turned = x if along == 1 else views.movedim_int(x, along, 1)
    made = padding.packed(turned, places_in(parts, turned._size_[1]))
    return made if along == 1 else views.movedim_int(made, 0, along - 1)


# -- dimensions --


def rank(x: Tensor) -> int:
    return len(x._size_)


def wrapped(dim: int, x: Tensor, more: int = 0) -> int:
    return wrap_dim(dim, len(x._size_) + more)


def inner(dim: int, ragged: int) -> int:
    """A dimension of a jagged tensor as one of its values: batch and ragged one are the same there."""
    return ragged - 1 if dim == 0 else dim - 1


def regular(x: Tensor, dim: int, name: str, more: int = 0, ragged_too: bool = False) -> int:
    """The dimension of the values for one that is neither the batch nor ragged; others are refused."""
    at = wrapped(dim, x, more)
    ragged = nested.parts_of(x).ragged
    if at == ragged and not ragged_too:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    if at == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    return at - 1


def has_same_lengths(x: Tensor, size: Sequence[Any]) -> bool:
    """Whether sizes begin as those of a jagged tensor, up to the ragged dimension; -1 fits."""
    front = nested.parts_of(x).ragged + 1
    own = x._size_[:front]
    return len(size) >= front and all(b in (a, -1) for a, b in zip(own, size[:front]))


# -- changes in place --


def check_change(x: Tensor) -> None:
    """Raise if the elements of a nested tensor must not be changed."""
    inplace.check_inplace(x, False)


def change(x: Tensor, made: Tensor) -> Tensor:
    """Give a nested tensor the elements and the history of a result of the same form."""
    check_change(x)
    with state.recording(False):
        values_of(x).copy_(values_of(made))  # type: ignore[attr-defined]
    if made._keys_ & keys.AUTOGRAD:
        x._autograd_ = made._autograd_.copied_for(x)
        x._keys_ |= keys.AUTOGRAD
    return x


def refuse(op: Operator) -> Rule:
    """Raise for an operator that nested tensors do not take."""

    def run(*values: Any) -> Any:
        raise NotImplementedError(op)

    return run


def nested_in(values: Sequence[Any]) -> Any:
    """The first nested tensor among arguments."""
    for value in values:
        if isinstance(value, Tensor):
            if value._keys_ & keys.NESTED:
                return value
        elif isinstance(value, (list, tuple)):
            found = nested_in(value)
            if found is not None:
                return found
    return None


__all__ = [
    "Rule",
    "blocks",
    "both",
    "change",
    "check_change",
    "each",
    "elements",
    "for_blocks",
    "for_jagged",
    "has_same_lengths",
    "inner",
    "is_nested",
    "is_recorded",
    "jagged",
    "joined",
    "like",
    "nested_in",
    "of_elements",
    "over",
    "rank",
    "rebuilt",
    "refuse",
    "regular",
    "running",
    "values_of",
    "with_lengths",
    "wrapped",
]  # fmt: skip
