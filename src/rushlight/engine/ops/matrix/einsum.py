"""Einstein's summation: letters name dimensions, and those that the result lacks are summed.

Operands are combined two at a time, from the left or along a given path. A pair's shared dimensions
that are not needed afterwards are contracted by one batched product. What letters and sizes alone
decide is remembered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from rushlight.engine.calls import matrix as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction
from rushlight.engine.calls import view as views
from rushlight.engine.core import symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.views import composite

# The dimensions of an ellipsis are numbered letters, counted from the last.
Label = str
Labels = tuple[Label, ...]
Ints = tuple[int, ...]
# So many equations and pairs of terms are remembered.
REMEMBERED = 4096


@composite("einsum")
def einsum(equation: str, tensors: Sequence[Tensor], path: Sequence[int] | None) -> Tensor:
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    labels, result = _parsed(equation, tuple(len(t._size_) for t in tensors))
    sizes: dict[Label, int] = {}
    terms: list[tuple[Tensor, list[Label]]] = []
    for position, (operand, letters) in enumerate(zip(tensors, labels)):
        t, names = _diagonals(operand, letters, position)
        for label, n in zip(names, t._size_):
            if sizes.get(label, 1) not in (1, n) and n != 1:
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {n} for operand {position} which does "
                    f"not broadcast with previously seen size {sizes[label]}"
                )
            sizes[label] = max(sizes.get(label, 1), n) if n else 0
        terms.append((t, names))
    if path is not None and len(path) != 2 * (len(tensors) - 1):
        raise RuntimeError(
            f"einsum(): expected contraction path given in path parameter to have size "
            f"{2 * (len(tensors) - 1)} but got {len(path)}"
        )
    steps = [tuple(path[i : i + 2]) for i in range(0, len(path), 2)] if path else []
    while len(terms) > 1:
        i, j = sorted(steps.pop(0)) if steps else (0, 1)
        second, first = terms.pop(j), terms.pop(i)
        needed = {*result, *(x for _, names in terms for x in names)}
        made = _pair(first, second, needed)
        if path:
            terms.append(made)
        else:
            terms.insert(0, made)
    (t, names) = _summed(*terms[0], set(result))
    if tuple(names) == result:
        return views.permute(t, range(len(result))) if t is tensors[0] else t
    return views.permute(t, [names.index(x) for x in result])


@lru_cache(REMEMBERED)
def _parsed(equation: str, ranks: Ints) -> tuple[tuple[Labels, ...], Labels]:
    """The letters of each operand's dimensions, and of the result's."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        side = "more" if len(terms) < len(ranks) else "fewer"
        raise RuntimeError(
            f"einsum(): {side} operands were provided than specified in the equation"
        )
    labels = [_labels(term, rank, k) for k, (term, rank) in enumerate(zip(terms, ranks))]
    dots = max((sum(x[0] == "." for x in names) for names in labels), default=0)
    ellipsis = [f".{k}" for k in range(dots - 1, -1, -1)]
    if arrow:
        head, found, tail = right.partition("...")
        result = [*head, *(ellipsis if found else []), *tail]
        _check_letters(head + tail, "output")
        for x in result:
            if result.count(x) > 1:
                raise RuntimeError(
                    f"einsum(): output subscript {x} appears more than once in the output"
                )
            if all(x not in names for names in labels):
                raise RuntimeError(
                    f"einsum(): output subscript {x} does not appear in the equation for any input "
                    f"operand"
                )
    else:
        every = [x for names in labels for x in names if x[0] != "."]
        result = [*ellipsis, *sorted(x for x in set(every) if every.count(x) == 1)]
    return tuple(map(tuple, labels)), tuple(result)


def _check_letters(term: str, where: str) -> None:
    for x in term:
        if not (x.isascii() and x.isalpha()):
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {term.index(x)} in the equation string,"
                f" subscripts must be in [a-zA-Z]"
            )


def _labels(term: str, rank: int, position: int) -> list[Label]:
    head, found, tail = term.partition("...")
    _check_letters(head + tail, str(position))
    count = rank - len(head) - len(tail)
    if count < 0 or (count > 0 and not found):
        more = "more" if count > 0 else "fewer"
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(head) + len(tail)}) does not "
            f"match the number of dimensions ({rank}) for operand {position} and no ellipsis was "
            f"given ({more} dimensions than subscripts)"
        )
    return [*head, *(f".{k}" for k in range(count - 1, -1, -1)), *tail]


def _diagonals(t: Tensor, given: Labels, position: int) -> tuple[Tensor, list[Label]]:
    """Letters that occur twice in a term name a diagonal."""
    names = list(given)
    if len(set(names)) == len(names):
        return t, names
    for label in list(dict.fromkeys(names)):
        while names.count(label) > 1:
            first = names.index(label)
            second = names.index(label, first + 1)
            if t._size_[first] != t._size_[second]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {position} but the sizes "
                    f"don't match, {t._size_[second]} != {t._size_[first]}"
                )
            t = views.diagonal(t, 0, first, second)
            del names[second], names[first]
            names.append(label)
    return t, names


def _summed(t: Tensor, names: list[Label], needed: set[Label]) -> tuple[Tensor, list[Label]]:
    gone = [k for k, x in enumerate(names) if x not in needed]
    if gone:
        t = reduction.sum_dim_IntList(t, gone, False, t._dtype_)
    return t, [x for x in names if x in needed]


@dataclass(frozen=True)
class Side:
    """What is done to one term of a pair before they are multiplied; None changes nothing."""

    summed: Ints
    order: Ints | None
    shape: Ints | None

    def arranged(self, t: Tensor) -> Tensor:
        if self.summed:
            t = reduction.sum_dim_IntList(t, list(self.summed), False, t._dtype_)
        if self.order is not None:
            t = views.permute(t, self.order)
        return t if self.shape is None else views.reshape(t, self.shape)


@dataclass(frozen=True)
class Pair:
    """How two terms become one."""

    left: Side
    right: Side
    how: str
    shape: Ints | None
    names: list[Label]


def _pair(
    first: tuple[Tensor, list[Label]], second: tuple[Tensor, list[Label]], needed: set[Label]
) -> tuple[Tensor, list[Label]]:
    """Two terms as one, without the dimensions that nothing else needs."""
    (a, own), (b, other) = first, second
    # What is remembered is found by numbers, which symbols would have to become.
    is_open = symbolic.has_symbols((*a._size_, *b._size_))
    plan_of = _pair_plan.__wrapped__ if is_open else _pair_plan
    plan = plan_of(tuple(own), tuple(other), tuple(a._size_), tuple(b._size_), frozenset(needed))
    left, right = plan.left.arranged(a), plan.right.arranged(b)
    if plan.how == "multiply":
        return maps.mul_Tensor(left, right), plan.names
    made = calls.bmm(left, right) if plan.how == "batched" else calls.mm(left, right)
    return made if plan.shape is None else views.reshape(made, plan.shape), plan.names


@lru_cache(REMEMBERED)
def _pair_plan(
    own: Labels, other: Labels, own_size: Ints, other_size: Ints, needed: frozenset[Label]
) -> Pair:
    sizes, sizes_other = dict(zip(own, own_size)), dict(zip(other, other_size))
    # A dimension of size 1 on one side broadcasts: it is dropped there.
    unlike = [x for x in own if x in sizes_other and sizes[x] != sizes_other[x]]
    rest = [x for x in own if not (x in unlike and sizes[x] == 1)]
    rest_other = [x for x in other if not (x in unlike and sizes[x] != 1)]
    kept = [x for x in rest if x in needed or x in rest_other]
    kept_other = [x for x in rest_other if x in needed or x in rest]
    shared = [x for x in kept if x in kept_other]
    batch = [x for x in shared if x in needed]
    inner = [x for x in shared if x not in needed]
    rows = [x for x in kept if x not in shared]
    columns = [x for x in kept_other if x not in shared]
    names = [*batch, *rows, *columns]
    size_of = {x: sizes[x] for x in kept} | {x: sizes_other[x] for x in kept_other}
    if not inner:
        shape, shape_other = (
            tuple(size_of[x] if x in present else 1 for x in names)
            for present in (kept, kept_other)
        )
        left = _side(own, own_size, rest, [x for x in names if x in kept], shape)
        right = _side(
            other, other_size, rest_other, [x for x in names if x in kept_other], shape_other
        )
        return Pair(left, right, "multiply", None, names)
    shapes = [[size_of[x] for x in group] for group in (batch, rows, inner, columns)]
    count, height, depth, width = (math.prod(s) for s in shapes)
    around = (count,) if batch else ()
    left = _side(own, own_size, rest, [*batch, *rows, *inner], (*around, height, depth))
    right = _side(
        other, other_size, rest_other, [*batch, *inner, *columns], (*around, depth, width)
    )
    full = (*shapes[0], *shapes[1], *shapes[3])
    how = "batched" if batch else "plain"
    return Pair(left, right, how, None if full == (*around, height, width) else full, names)


def _side(names: Labels, size: Ints, rest: list[Label], order: list[Label], shape: Ints) -> Side:
    """Sum over what is in ``rest`` but not in ``order``; what is in neither has size 1."""
    gone = tuple(k for k, x in enumerate(names) if x in rest and x not in order)
    left = [x for x in names if x not in rest or x in order]
    wanted = [*order, *(x for x in left if x not in order)]
    turned = tuple(left.index(x) for x in wanted)
    turn = None if turned == tuple(range(len(left))) else turned
    reached = tuple(size[names.index(x)] for x in wanted)
    return Side(gone, turn, None if reached == shape else shape)
