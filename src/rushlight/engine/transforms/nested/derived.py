"""Rules for nested tensors that follow from what an operator is.

Elementwise operators work on the values. A dimension is one less in the values, unless it is the ragged one; a
reduction over that works on one element after the other. What is made like a tensor is made like its values.
For the layout ``strided``, an operator works on one element after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, joining, pointwise
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, nested
from rushlight.engine.core.nested import is_nested
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops import batching
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.nested import places
from rushlight.engine.transforms import derived as batches
from rushlight.engine.transforms.batch import is_random
from rushlight.engine.transforms.nested import words
from rushlight.engine.transforms.nested.words import Rule, each, like, rank, values_of, wrapped


def for_jagged(op: Operator) -> Rule | None:
    """The rule of an operator for the layout ``jagged``, if what is known of it says enough."""
    return _rule(op, along_dims)


def for_blocks(op: Operator) -> Rule | None:
    """The same for the layout ``strided``."""
    return _rule(op, element_by_element)


def _rule(op: Operator, with_dims: Callable[[Operator], Rule]) -> Rule | None:
    if op.schema.out_arguments:
        return None
    if op.schema.mutated:
        can_change = is_elementwise(op) or is_random(op)
        return changing(op) if op.schema.is_inplace and can_change else None
    if batches.is_made_like(op):
        return made_like(op)
    if is_elementwise(op):
        return elementwise(op)
    if is_reduction(op):
        return reduction(op)
    if op.composite is not None:
        return None
    if batches.dim_places(op):
        return with_dims(op) if len(op.schema.tensors) == 1 else None
    return whole(op) if batches.with_dims(op) is not None else None


_FILLING = frozenset(
    f"aten::{name}"
    for name in ("fill.Scalar", "fill.Tensor", "fill_.Scalar", "fill_.Tensor", "zero", "zero_")
)


def is_elementwise(op: Operator) -> bool:
    """Whether each element of the results depends on those at its place."""
    batching.load(op.family)
    if op.is_pointwise or batching.derived_as.get(op.full_name, "").startswith("elementwise"):
        return True
    return op.full_name in _FILLING


def title(op: Operator) -> str:
    """An operator in messages."""
    return op.packet_name.lstrip("_").removesuffix("_")


# -- elementwise --

_MISMATCH = "cannot call binary pointwise function {} with inputs of shapes {} and {}"


def elementwise(op: Operator) -> Rule:
    """Operators whose operands broadcast."""
    places = batches.tensor_places(op)
    call = op.call

    def run(*values: Any) -> Any:
        given = list(values)
        held = [k for k in places if isinstance(values[k], Tensor)]
        if len(held) == 1 and nested.is_jagged(values[held[0]]):
            given[held[0]] = values_of(values[held[0]])
            found = call(*given)
            return (
                like(values[held[0]], found)
                if type(found) is Tensor
                else each(found, lambda x: like(values[held[0]], x))
            )
        base = leading(op, [values[k] for k in held])
        is_jagged = nested.is_jagged(base)
        if not is_jagged:
            return over_elements(op, base, values, held)
        for k in held:
            given[k] = operand(op, base, values[k])
        return each(call(*given), lambda x: like(base, x))

    return run


def leading(op: Operator, operands: Sequence[Tensor]) -> Tensor:
    """The nested operand whose form the result has: the one with most dimensions."""
    found = [x for x in operands if x._keys_ & keys.NESTED]
    return max(found, key=rank)


def operand(op: Operator, base: Tensor, x: Tensor) -> Tensor:
    """An operand as it meets the values of a nested one."""
    if x is base:
        return values_of(x)
    if is_nested(x):
        fits = nested.is_jagged(x) and rank(x) == rank(base)
        if not fits or not words.has_same_lengths(base, x._size_):
            raise RuntimeError(_MISMATCH.format(op.__name__, tuple(base._size_), tuple(x._size_)))
        return values_of(x)
    if rank(x) > rank(base):
        raise NotImplementedError("NYI: broadcasting NT with T with larger dim")
    short = x
    while short._size_ and short._size_[0] == 1:
        short = views.squeeze_dim(short, 0)
    if rank(base) >= rank(short) + 2:
        return short
    if rank(x) != rank(base) or x._size_[0] != base._size_[0]:
        raise RuntimeError(_MISMATCH.format(op.__name__, base._size_, x._size_))
    return spread(base, x)


def spread(base: Tensor, x: Tensor) -> Tensor:
    """A dense tensor with a row for each element, as values: its row for each place of the element."""
    parts = nested.parts_of(base)
    along = parts.ragged
    if x._size_[along] != 1:
        return words.packed(x, parts)
    counts = nested.bounds_of(parts)[0]
    rows = views.squeeze_dim(x, along)
    lengths = places.whole_numbers(counts)
    total = parts.values._size_[parts.along]
    if parts.lengths is not None:
        raise RuntimeError(
            "broadcasting over the ragged dimension is not supported for nested tensors with holes"
        )
    made = views.repeat_interleave_self_Tensor(rows, lengths, 0, total)
    return made if along == 1 else views.movedim_int(made, 0, along - 1)


def over_elements(op: Operator, base: Tensor, values: Sequence[Any], held: Sequence[int]) -> Any:
    """An elementwise operator on elements with places of their own."""
    parts = nested.parts_of(base)
    same = all(
        _is_one_number(values[k])
        or (is_nested(values[k]) and _lies_like(nested.parts_of(values[k]), parts))
        for k in held
    )
    if same:
        given = [values_of(x) if is_nested(x) else x for x in values]
        return each(op.call(*given), lambda x: words.over(x, parts))
    for k in held:
        x = values[k]
        if is_nested(x) and not _broadcasts(x, base):
            raise RuntimeError(
                f"{title(op)} does not support broadcasting when given a NestedTensor"
            )
    return by_elements(op, values)


def _broadcasts(x: Tensor, base: Tensor) -> bool:
    """Whether the elements of two nested tensors have the same sizes, or 1."""
    pairs = nested.parts_of(x).known.sizes, nested.parts_of(base).known.sizes
    return len(pairs[0]) == len(pairs[1]) and all(
        len(a) == len(b) and all(n == m or 1 in (n, m) for n, m in zip(a, b))
        for a, b in zip(*pairs)
    )


def _is_one_number(x: Any) -> bool:
    return not is_nested(x) and not x._size_


def _lies_like(one: Any, other: Any) -> bool:
    if not isinstance(one, nested.Blocks):
        return False
    a, b = one.known, other.known
    return a is b or (one.fills and other.fills and a.sizes == b.sizes)


def changing(op: Operator) -> Rule:
    """Elementwise operators in place, and those that draw numbers."""

    def run(*values: Any) -> Any:
        target = values[0]
        if not is_nested(target):
            raise RuntimeError(
                f"{op.packet_name}: a dense tensor cannot take elements of a nested one"
            )
        if words.is_recorded(*values):
            found = functional(op)
            words.check_change(target)
            if found is not None:
                # Steps may keep what is changed: they get a copy.
                before = copies.clone(target)
                return words.change(target, found.call(before, *values[1:]))
        parts = nested.parts_of(target)
        if isinstance(parts, nested.Jagged) and parts.lengths is None:
            rest = [operand(op, target, x) if isinstance(x, Tensor) else x for x in values[1:]]
            op.call(values_of(target), *rest)
        elif (
            isinstance(parts, nested.Blocks)
            and parts.fills
            and all(
                _is_one_number(x) or (is_nested(x) and _lies_like(nested.parts_of(x), parts))
                for x in values[1:]
                if isinstance(x, Tensor)
            )
        ):
            op.call(*(values_of(x) if is_nested(x) else x for x in values))
        else:
            # What lies between the elements is somebody else's.
            change_elements(op, values)
        return target

    return run


def change_elements(op: Operator, values: Sequence[Any]) -> None:
    """An operator in place on one element after the other."""
    target, other = values[0], functional(op)
    if other is None or not nested.is_jagged(target):
        by_elements(op, values, is_change=True)
        return
    made = other.call(*values)
    for element, changed in zip(words.elements(target), words.elements(made)):
        element.copy_(changed)  # type: ignore[attr-defined]


def functional(op: Operator) -> Operator | None:
    """The operator that gives what one in place writes."""
    for other in operators.overloads(op.packet_name.removesuffix("_")):
        if op in outputs.variants(other)[0]:
            return other
    return None


# -- made like a tensor --


def made_like(op: Operator) -> Rule:
    """`zeros_like` and its kin: the same places, other elements."""
    names = [a.name for a in op.schema.arguments]
    sizes = names.index("size") if "size" in names else None
    layouts = names.index("layout")

    def run(*values: Any) -> Any:
        base, given = values[0], list(values)
        given[0], given[layouts] = values_of(base), None
        if sizes is not None:
            if len(values[sizes]) == 0:
                return op.call(*given)
            raise RuntimeError("new_empty() not supported for NJT with shape != ()")
        if not nested.is_jagged(base):
            parts = nested.parts_of(base)
            if parts.known.is_dense:
                return words.over(op.call(*given), parts)
            return by_elements(op, values)
        made = op.call(*given)
        return on_device_of(made, base)

    return run


def on_device_of(values: Tensor, base: Tensor) -> Any:
    """Values as a jagged tensor with lengths on their device."""
    parts = nested.parts_of(base)
    if values._storage_.device == parts.offsets._storage_.device:
        return like(base, values)
    device = values._storage_.device
    offsets = parts.offsets.to(device)
    lengths = None if parts.lengths is None else parts.lengths.to(device)
    nested.share_ragged_size(parts.source, offsets if lengths is None else lengths)
    return words.with_lengths(values, offsets, lengths, parts.ragged, parts.cache)


# -- dimensions --


def is_reduction(op: Operator) -> bool:
    """Whether an operator takes dimensions away."""
    names = [a.name for a in op.schema.arguments]
    return bool(batches.dim_places(op)) and "keepdim" in names and len(op.schema.tensors) == 1


def whole(op: Operator) -> Rule:
    """Reductions of everything."""

    def run(*values: Any) -> Any:
        return op.call(all_of(values[0]), *values[1:])

    return run


def all_of(x: Tensor) -> Tensor:
    """All elements as a dense tensor without anything between them."""
    parts = nested.parts_of(x)
    if isinstance(parts, nested.Jagged):
        if parts.lengths is None:
            return values_of(x)
        return joining.cat(words.elements(x), parts.along)
    if parts.fills:
        return values_of(x)
    return joining.cat([views.reshape(e, [-1]) for e in words.elements(x)], 0)


def reduction(op: Operator) -> Rule:
    """Operators with dimensions that they take away, or keep as 1."""
    place = batches.dim_places(op)[0]
    is_list = batches.is_list(op.schema.arguments[place])
    keeps = [a.name for a in op.schema.arguments].index("keepdim")
    name = title(op)

    def run(*values: Any) -> Any:
        x, given = values[0], list(values)
        dims, keepdim = values[place], values[keeps]
        if is_list and isinstance(dims, int):
            dims = [dims]
        if dims is None or (is_list and not len(dims)):
            given[0] = all_of(x)
            given[keeps] = False
            found = op.call(*given)
            if not keepdim:
                return found
            return each(found, lambda r: views.reshape(r, [1] * rank(x)))
        wanted = [*dict.fromkeys(wrapped(d, x) for d in (dims if is_list else [dims]))]
        if not nested.is_jagged(x):
            return reduced_blocks(x, given, wanted)
        parts = nested.parts_of(x)
        batch, ragged = 0 in wanted, parts.ragged in wanted
        others = [d for d in wanted if d not in (0, parts.ragged)]
        if ragged and parts.lengths is not None:
            raise RuntimeError(
                f"{name}(): reducing across the ragged dimension is not supported for "
                "non-contiguous nested tensors with holes"
            )
        if batch and not ragged:
            raise RuntimeError(
                f"{name}(): reducing along the batch dimension but not the ragged dimension is not "
                "supported for nested tensors"
            )
        if ragged and others and not batch:
            raise RuntimeError(
                f"{name}(): reducing along a ragged and non-batch dimension is not supported for "
                "nested tensors"
            )
        if ragged and not batch:
            return each_reduced(x, given)
        own = list(dict.fromkeys(words.inner(d, parts.ragged) for d in wanted))
        given[0], given[place] = values_of(x), own if is_list else own[0]
        found = op.call(*given)
        if ragged:
            return each(found, lambda r: views.unsqueeze(r, 0)) if keepdim else found
        left = parts.ragged
        if not keepdim:
            left -= sum(d < parts.ragged for d in others)
        return each(found, lambda r: like(x, r, left))

    def each_reduced(x: Tensor, given: list[Any]) -> Any:
        """Over the ragged dimension: a row for each element."""
        parts = nested.parts_of(x)
        kind = values_of(x)._dtype_.category
        if name in ("sum", "mean") and kind >= dtypes.FLOATING and not any(given[keeps + 1 :]):
            return summed(x, name == "mean", bool(given[keeps]))
        given[place] = [parts.along] if is_list else parts.along
        return stacked([op.call(e, *given[1:]) for e in words.elements(x)])

    def reduced_blocks(x: Tensor, given: list[Any], wanted: list[int]) -> Any:
        if 0 in wanted:
            if len(set(wanted)) == rank(x):
                given[place] = None if op.schema.arguments[place].type.is_optional else []
                return run(*given)
            raise RuntimeError(
                "NestedTensor can only be reduced across the last dimension for now got dimension 0 "
                "instead."
            )
        own = [d - 1 for d in wanted]
        given[place] = own if is_list else own[0]
        return nested_results([op.call(e, *given[1:]) for e in words.elements(x)])

    return run


def summed(x: Tensor, is_mean: bool, keepdim: bool) -> Tensor:
    """Sums over the ragged dimension, or means: each row is added to that of its element."""
    parts, values = nested.parts_of(x), words.rows_of_elements(x)
    size = [x._size_[0], *values._size_[1:]]
    index = nested.kept(parts, "elements", _element_of_each)
    found = indexing.index_add(creation.new_zeros(values, size), 0, index, values)
    if is_mean:
        lengths = nested.kept(parts, "lengths", lambda counts, _: places.whole_numbers(counts))
        found = pointwise.div_Tensor(found, views.view(lengths, [-1] + [1] * (len(size) - 1)))
    return views.unsqueeze(found, parts.ragged) if keepdim else found


def _element_of_each(counts: Sequence[int], _: Any) -> Tensor:
    """For each row of the values, which element it belongs to."""
    found: Tensor = places.whole_numbers([k for k, n in enumerate(counts) for _ in range(n)])
    return found


def stacked(found: Sequence[Any]) -> Any:
    """Results for the elements as results with a row for each."""
    if isinstance(found[0], Tensor):
        return joining.stack(list(found), 0)
    return words.rebuilt(found[0], [stacked(items) for items in zip(*found)])


def nested_results(found: Sequence[Any]) -> Any:
    """Results for the elements as nested tensors of layout ``strided``."""
    first = found[0]
    if isinstance(first, Tensor):
        return words.of_elements(list(found))
    return words.rebuilt(first, [nested_results(of) for of in zip(*found)])


def along_dims(op: Operator) -> Rule:
    """Operators that are told along which dimension they work, and keep all."""
    places = batches.dim_places(op)
    name = title(op)

    def run(*values: Any) -> Any:
        x, given = values[0], list(values)
        parts = nested.parts_of(x)
        ragged = False
        for k in places:
            if values[k] is None:
                return whole_result(op, name, x, given)
            one_or_more = values[k] if isinstance(values[k], (list, tuple)) else [values[k]]
            wanted = [wrapped(d, x) for d in one_or_more]
            if 0 in wanted:
                raise RuntimeError(
                    f"{name}(): not supported when reducing across the batch dimension for NestedTensor"
                )
            ragged = ragged or parts.ragged in wanted
            own = [d - 1 for d in wanted]
            given[k] = own if isinstance(values[k], (list, tuple)) else own[0]
        if not ragged:
            whole = values_of(x)
            found = op.call(whole, *given[1:])
            taken = sum(d < parts.along for d in own) if is_smaller(found, whole) else 0
            return each(found, lambda r: like(x, r, parts.ragged - taken))
        if parts.lengths is not None:
            raise RuntimeError(
                f"{name}(): not supported where lengths is not None if reducing across the ragged "
                "dimension for NestedTensor"
            )
        found = [op.call(e, *given[1:]) for e in words.elements(x)]
        if is_smaller(found[0], values_of(x)):
            return stacked(found)
        if isinstance(found[0], Tensor):
            return words.joined(x, found)
        return words.rebuilt(found[0], [words.joined(x, list(items)) for items in zip(*found)])

    return run


def is_smaller(found: Any, given: Tensor) -> bool:
    """Whether a result has fewer dimensions than what it is of."""
    return isinstance(found, Tensor) and rank(found) < rank(given)


def whole_result(op: Operator, name: str, x: Tensor, given: Sequence[Any]) -> Any:
    """What an operator that is told no dimension makes of all elements."""
    found = op.call(all_of(x), *given[1:])
    if isinstance(found, Tensor) and not rank(found):
        return found
    raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")


# -- one element after the other --


def element_by_element(op: Operator) -> Rule:
    """Operators on tensors of layout ``strided``; dimensions are one less in the elements."""
    places = batches.dim_places(op)
    name = title(op)

    def run(*values: Any) -> Any:
        x, given = values[0], list(values)
        for k in places:
            if values[k] is None:
                return whole_result(op, name, x, given)
            given[k] = shifted(values[k], x, name)
        return nested_results([op.call(e, *given[1:]) for e in words.elements(x)])

    return run


def shifted(dims: Any, x: Tensor, name: str) -> Any:
    """Dimensions of a batch as dimensions of its elements."""
    if isinstance(dims, (list, tuple)):
        return [shifted(d, x, name) for d in dims]
    at = wrapped(dims, x)
    if at == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    return at - 1


def by_elements(op: Operator, values: Sequence[Any], is_change: bool = False) -> Any:
    """A call for each element; dense operands have a row for each element, or serve all."""
    first = words.nested_in(values)
    count = first._size_[0]
    rows = [rows_of_batch(x, first, count) for x in values]
    found = [op.call(*(x[k] if type(x) is list_of else x for x in rows)) for k in range(count)]
    return values[0] if is_change else nested_results(found)


class list_of(list):  # type: ignore[type-arg]
    """A value for each element."""


def rows_of_batch(x: Any, first: Tensor, count: int) -> Any:
    if is_nested(x):
        return list_of(words.elements(x))
    if isinstance(x, Tensor) and rank(x) == rank(first):
        if x._size_[0] == count:
            return list_of(views.unbind_int(x, 0))
        if x._size_[0] == 1:
            return views.squeeze_dim(x, 0)
    return x
