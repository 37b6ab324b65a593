"""Rules for batches that follow from what an operator is.

Whatever can be read off the operator table is not written down for each operator: elementwise operators
broadcast over a batch; a dimension of an element is one further in the batch; a result made like an
argument is made like the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.loops import promotion
from rushlight.engine.ops import batching
from rushlight.engine.ops.batching import Rule, filled, padded, rank
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.transforms import loop

# What arguments are called that name dimensions of a tensor.
_DIMS = frozenset(("dim", "dims", "dim0", "dim1", "dim2", "dimension", "axis"))


def stated(op: Operator) -> Rule | None:
    """The rule of the kind that an operator's family has said it to be of."""
    kind = batching.derived_as.get(op.full_name)
    return None if kind is None else _KINDS[kind](op)


def keeps_batch(op: Operator) -> bool:
    """Whether a batch of no element says all: it stays a dimension of its own, or elements would decide."""
    of_elements = "dynamic_output_shape" in op.declared_tags
    return of_elements or batching.derived_as.get(op.full_name, "").startswith("leading")


def rule(op: Operator) -> Rule | None:
    """A rule for an operator, if what is known of it says enough."""
    found = stated(op)
    if found is not None:
        return found
    if op.schema.out_arguments:
        return None
    if op.schema.is_inplace:
        return elementwise_inplace(op) if op.is_pointwise else by_functional(op)
    if op.schema.mutated:
        return None
    if op.is_pointwise:
        return elementwise(op)
    if dim_places(op) and op.schema.tensors:
        return along_dims(op)
    if is_made_like(op):
        return made_like(op)
    sibling = with_dims(op)
    if sibling is not None:
        return whole(op, sibling)
    return None


# -- elementwise --


def tensor_places(op: Operator) -> list[int]:
    return [k for k, a in enumerate(op.schema.arguments) if a.is_tensor_like]


def elementwise(op: Operator) -> Rule:
    """Operators whose operands broadcast."""
    places = tensor_places(op)
    if len(places) == 1:
        place, call = places[0], op.call
        return lambda size, values, dims: (call(*values), dims[place])

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        if len(places) == 2:
            a, b = places
            x, y = values[a], values[b]
            if x._size_ is y._size_ and dims[a] == dims[b] and x._dtype_ is y._dtype_:
                return op.call(*values), dims[a]
        held = [k for k in places if isinstance(values[k], Tensor)]
        ranks = [rank(values[k], dims[k]) for k in held]
        top = max(ranks)
        given = list(values)
        common = common_dim([values[k] for k in held], [dims[k] for k in held], top)
        if common is None:
            for k in held:
                given[k] = padded(values[k], dims[k], top)
            common = 0
        if min(ranks) == 0:
            promote(given, values, held, dims, ranks)
        return op.call(*given), common

    return run


def common_dim(given: list[Tensor], dims: list[Any], top: int) -> int | None:
    """The dimension of the batch, if all operands broadcast as they are; else None."""
    found = None
    for x, dim in zip(given, dims):
        if dim is None:
            continue
        if len(x._size_) - 1 != top or (found is not None and dim != found):
            return None
        found = dim
    assert found is not None
    if any(dim is None and len(x._size_) > top - found for x, dim in zip(given, dims)):
        return None
    return found


def promote(
    given: list[Any], values: Sequence[Any], held: list[int], dims: Sequence[Any], ranks: list[int]
) -> None:
    """Convert operands whose types would count for less, or more, than those of single elements.

    A tensor without dimensions has no say in the type of its category where others have dimensions.
    In a batch it has one.
    """
    kinds = {values[k]._dtype_ for k in held}
    if len(kinds) == 1:
        return
    wanted = promoted([(values[k], count) for k, count in zip(held, ranks)])
    for k in held:
        x = given[k]
        if (
            x._dtype_ is not wanted
            and x._dtype_.category == wanted.category != dtypes.bool_.category
        ):
            given[k] = copies.to_dtype(x, wanted)


def promoted(operands: list[tuple[Tensor, int]]) -> dtypes.dtype:
    """The common type of operands with these numbers of dimensions."""
    groups: list[Any] = [None, None, None]
    for x, count in operands:
        place = 0 if count else 2 if x._flags_ & objects.WRAPPED_NUMBER else 1
        own = groups[place]
        groups[place] = x._dtype_ if own is None else promotion.promote_types(own, x._dtype_)
    result = None
    for kind in groups:
        if kind is None:
            continue
        if result is None:
            result = kind
        elif kind.category > result.category:
            result = promotion.promote_types(result, kind)
    assert result is not None
    return result


def elementwise_inplace(op: Operator) -> Rule:
    """Their in-place forms: the target is a batch already."""
    places = tensor_places(op)

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        given = list(values)
        target = places[0]
        top = rank(values[target], dims[target])
        for k in places:
            if isinstance(values[k], Tensor):
                given[k] = padded(values[k], dims[k], top)
        op.call(*given)
        return None, None

    return run


# -- dimensions --


def dim_places(op: Operator) -> list[int]:
    """Where the arguments are that name dimensions."""
    return [
        k
        for k, a in enumerate(op.schema.arguments)
        if a.name in _DIMS and a.type.leaf in ("int", "SymInt")
    ]


def is_list(argument: Argument) -> bool:
    return argument.type.required.kind == "list"


def along_dims(op: Operator) -> Rule:
    """Operators that are told along which dimensions of their tensors they work."""
    return _AlongDims(op).run


class _AlongDims:
    """The rule of an operator with arguments that name dimensions: one more is in front of them."""

    def __init__(self, op: Operator) -> None:
        self.op = op
        self.arguments = op.schema.arguments
        self.named, self.tensors = dim_places(op), tensor_places(op)
        self.keeps = next((k for k, a in enumerate(self.arguments) if a.name == "keepdim"), None)

    def run(self, size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        given, ranks = self.filled(size, values, dims)
        if len(ranks) > 1:
            return looped(self.op, size, values, dims)
        (count,) = ranks
        if count == 0:
            return self.of_numbers(size, values, given)
        for k in self.named:
            if not _is_all(values[k]):
                given[k] = _shifted(values[k], count)
            elif self.keeps is None and values[k] is not None:
                continue
            elif is_list(self.arguments[k]):
                given[k] = list(range(1, count + 1))
            else:
                return self.of_flattened(given, k, count)
        return self.op.call(*given), 0

    def filled(
        self, size: int, values: Sequence[Any], dims: Sequence[Any]
    ) -> tuple[list[Any], set[int]]:
        """The values with the batch in front, and how many dimensions elements have."""
        given, ranks = list(values), set()
        for k in self.tensors:
            value, dim = values[k], dims[k]
            if isinstance(value, Tensor):
                ranks.add(rank(value, dim))
                given[k] = filled(value, dim, size)
            elif isinstance(value, (list, tuple)):
                own = dim if isinstance(dim, list) else [dim] * len(value)
                ranks |= {rank(x, d) for x, d in zip(value, own)}
                given[k] = [filled(x, d, size) for x, d in zip(value, own)]
        return given, ranks

    def of_flattened(self, given: list[Any], place: int, count: int) -> tuple[Any, Any]:
        """One dimension is asked for, and there are several: all of them are one."""
        source = self.tensors[0]
        given[source] = batching.rows(given[source])
        given[place] = 1
        kept = self.keeps is not None and given[self.keeps]
        if self.keeps is not None:
            given[self.keeps] = False
        result = self.op.call(*given)
        if kept:
            result = each(result, lambda x: view.reshape(x, [x._size_[0], *[1] * count]))
        return result, 0

    def of_numbers(self, size: int, values: Sequence[Any], given: list[Any]) -> tuple[Any, Any]:
        """Elements without dimensions count as having one."""
        for k in self.tensors:
            if isinstance(given[k], Tensor):
                given[k] = view.unsqueeze(given[k], 1)
            elif isinstance(given[k], list):
                given[k] = [view.unsqueeze(x, 1) for x in given[k]]
        for k in self.named:
            if not _is_all(values[k]):
                given[k] = _shifted(values[k], 0)
            elif self.keeps is None:
                fronts = [0 if isinstance(v, Tensor) else None for v in values]
                return looped(self.op, size, values, fronts)
            else:
                given[k] = [1] if is_list(self.arguments[k]) else 1
        if self.keeps is not None:
            given[self.keeps] = False
            return self.op.call(*given), 0
        result = self.op.call(*given)
        return each(result, lambda x: view.squeeze_dim(x, 1) if len(x._size_) > 1 else x), 0


def _is_all(value: Any) -> bool:
    """Whether an argument that names dimensions names all of them."""
    return value is None or value in ([], ())


def _shifted(value: Any, count: int) -> Any:
    """Dimensions of an element as those of the batch."""
    if isinstance(value, (list, tuple)):
        return [wrap_dim(d, count) + 1 for d in value]
    return wrap_dim(value, count) + 1


def each(result: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """A function on every tensor of a result."""
    if isinstance(result, Tensor):
        return function(result)
    items = [each(item, function) for item in result]
    return type(result)(items) if type(result) in (list, tuple) else type(result)(*items)


def looped(op: Operator, size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
    return loop.rule(op, warns=False)(size, values, dims)


# -- whole elements --


def with_dims(op: Operator) -> Operator | None:
    """The overload that does along a dimension what this one does to a whole tensor."""
    schema = op.schema
    if op.overload or len(schema.tensors) != 1 or not schema.arguments[0].is_tensor_like:
        return None
    for other in op.packet:
        if other is op or other.schema.out_arguments or other.schema.mutated:
            continue
        first = dim_places(other)
        if first == [1] and other.schema.arguments[1].type.leaf == "int":
            return other
    return None


def whole(op: Operator, sibling: Operator) -> Rule:
    """Operators on a whole tensor: the elements of the batch are rows of a matrix."""
    names = [a.name for a in op.schema.arguments]
    wants_list = is_list(sibling.schema.arguments[1])

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        rows = batching.rows(filled(values[0], dims[0], size))
        by_name = dict(zip(names, values))
        given = [rows, [1] if wants_list else 1]
        for argument in sibling.schema.arguments[2:]:
            value = by_name.get(argument.name, argument.default)
            given.append(False if argument.name == "keepdim" else value)
        result = sibling.call(*given)
        if isinstance(result, tuple) and len(op.schema.returns) == 1:
            result = result[0]
        return result, 0

    return run


# -- made like an argument --


def is_made_like(op: Operator) -> bool:
    """Whether a result is new, of the type and device of the only tensor."""
    names = [a.name for a in op.schema.arguments]
    only = len(op.schema.tensors) == 1 and names[0] == "self" and len(op.schema.returns) == 1
    is_new = only and not op.schema.returns[0].type.aliases
    return is_new and {"dtype", "layout", "device"} <= set(names)


def made_like(op: Operator) -> Rule:
    """`zeros_like`, `new_zeros`: a size that is given is that of an element."""
    sizes = [k for k, a in enumerate(op.schema.arguments) if a.name == "size"]
    strides = [k for k, a in enumerate(op.schema.arguments) if a.name == "stride"]
    if strides:
        return new_strided(op, sizes[0], strides[0])
    formats = [k for k, a in enumerate(op.schema.arguments) if a.name == "memory_format"]

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        given = list(values)
        given[0] = batching.front(values[0], dims[0])
        for k in sizes:
            given[k] = [size, *values[k]]
        for k in formats:
            # Formats speak of elements with so many dimensions.
            if values[k] is not None and "channels_last" in repr(values[k]):
                given[k] = None
        return op.call(*given), 0

    return run


def new_strided(op: Operator, size_place: int, stride_place: int) -> Rule:
    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        given = list(values)
        given[0] = batching.front(values[0], dims[0])
        lengths, strides = values[size_place], values[stride_place]
        extent = 1 + sum((n - 1) * s for n, s in zip(lengths, strides))
        if any(n == 0 for n in lengths):
            extent = 0
        given[size_place], given[stride_place] = (size, *lengths), (extent, *strides)
        return op.call(*given), 0

    return run


# -- in-place forms --


def by_functional(op: Operator) -> Rule | None:
    """In-place forms of operators with a rule: the result is written to the target."""
    functional = next(
        (
            other
            for other in operators.overloads(op.packet_name.removesuffix("_"))
            if other.overload == op.overload and op in outputs.variants(other)[0]
        ),
        None,
    )
    if functional is None:
        return None

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        batching.load(functional.family)
        found = batching.rules.get(functional.full_name) or rule(functional)
        if found is None:
            return looped(op, size, values, dims)
        result, place = found(size, values, dims)
        target = batching.front(values[0], dims[0])
        if place is None:
            copies.copy_(target, result, False)
        else:
            copies.copy_(target, batching.front(result, place), False)
        return None, None

    return run


# -- leading batches --


def leading(op: Operator, dense: bool = False) -> Rule:
    """Operators that take any number of dimensions in front of those that they speak of.

    Args:
        op: the operator
        dense: its tensors must be contiguous
    """
    tensors = tensor_places(op)

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        given = list(values)
        for k in tensors:
            if isinstance(values[k], Tensor):
                given[k] = filled(values[k], dims[k], size)
                if dense:
                    given[k] = copies.contiguous(given[k])
        return each(op.call(*given), lambda x: _of_all(x, size)), 0

    return run


def _of_all(x: Tensor, size: int) -> Tensor:
    """A result that is the same for all elements, as a batch: what is empty may lack the dimension."""
    if x._size_[:1] == (size,):
        return x
    return view.expand(view.unsqueeze(x, 0), [size, *x._size_])


def leading_aligned(op: Operator) -> Rule:
    """The same, where the dimensions in front broadcast."""
    tensors = tensor_places(op)

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        given = list(values)
        held = [k for k in tensors if isinstance(values[k], Tensor)]
        # Pivots have one dimension less than matrices.
        shapes = {k: rank(values[k], dims[k]) for k in held}
        matrices = [k for k in held if values[k]._dtype_.category >= dtypes.FLOATING]
        top = max(shapes[k] for k in matrices)
        for k in held:
            own = filled(values[k], dims[k], size)
            wanted = top if k in matrices else top - 1
            while len(own._size_) - 1 < wanted:
                own = view.unsqueeze(own, 1)
            given[k] = own
        return op.call(*given), 0

    return run


def pictures(spatial: int) -> Callable[[Operator], Rule]:
    """Operators on pictures with channels, or on several of them: a batch of these is more pictures."""

    def derive(op: Operator) -> Rule:
        tensors = tensor_places(op)

        def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
            given = list(values)
            joins = rank(values[tensors[0]], dims[tensors[0]]) == spatial + 2
            for k in tensors:
                if isinstance(values[k], Tensor):
                    own = filled(values[k], dims[k], size)
                    given[k] = batching.joined(own, 0) if joins else own
            result = op.call(*given)
            return (each(result, lambda x: batching.parted(x, 0, size)) if joins else result), 0

        return run

    return derive


def looping(op: Operator) -> Rule:
    return loop.rule(op, warns=False)


def rows_of_weights(op: Operator) -> Rule:
    """Operators that draw a row for each row of weights."""

    def draw(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        weights = filled(values[0], dims[0], size)
        if len(weights._size_) == 2:
            return op.call(weights, *values[1:]), 0
        found = op.call(batching.joined(weights, 0), *values[1:])
        return view.reshape(found, [size, found._size_[0] // size, *found._size_[1:]]), 0

    return draw


_KINDS: dict[str, Callable[[Operator], Rule]] = {
    "rows of weights": rows_of_weights,
    "leading": leading,
    "leading, aligned": leading_aligned,
    "leading, dense": partial(leading, dense=True),
    "pictures of 1": pictures(1),
    "pictures of 2": pictures(2),
    "pictures of 3": pictures(3),
    "loop": looping,
    "dims": along_dims,
    "elementwise": elementwise,
    "elementwise in place": elementwise_inplace,
}
