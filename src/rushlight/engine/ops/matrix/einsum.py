"""Einstein's summation: letters name dimensions, and those that the result lacks are summed.

Operands are combined two at a time, from the left or along a given path. A pair's shared dimensions
that are not needed afterwards are contracted by one batched product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated.calls import matrix as calls
from rushlight.engine.generated.calls import pointwise as maps
from rushlight.engine.generated.calls import reduction
from rushlight.engine.generated.calls import view as views
from rushlight.engine.ops.kinds.views import composite

# The dimensions of an ellipsis are numbered letters, counted from the last.
Label = str


@composite("einsum")
def einsum(equation: str, tensors: Sequence[Tensor], path: Sequence[int] | None) -> Tensor:
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    labels, result, given = _parsed(equation, tensors)
    sizes: dict[Label, int] = {}
    terms = []
    for position, (t, names) in enumerate(zip(tensors, labels)):
        t, names = _diagonals(t, names, position)
        for label, n in zip(names, t._size):
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
    missing = [x for x in result if x not in names]
    assert not missing, given
    return views.permute(t, [names.index(x) for x in result])


def _parsed(equation: str, tensors: Sequence[Tensor]) -> tuple[list[list[Label]], list[Label], str]:
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        side = "more" if len(terms) < len(tensors) else "fewer"
        raise RuntimeError(
            f"einsum(): {side} operands were provided than specified in the equation"
        )
    labels = [_labels(term, len(t._size), k) for k, (term, t) in enumerate(zip(terms, tensors))]
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
    return labels, result, equation


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


def _diagonals(t: Tensor, names: list[Label], position: int) -> tuple[Tensor, list[Label]]:
    """Letters that occur twice in a term name a diagonal."""
    names = list(names)
    for label in list(dict.fromkeys(names)):
        while names.count(label) > 1:
            first = names.index(label)
            second = names.index(label, first + 1)
            if t._size[first] != t._size[second]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {position} but the sizes "
                    f"don't match, {t._size[second]} != {t._size[first]}"
                )
            t = views.diagonal(t, 0, first, second)
            del names[second], names[first]
            names.append(label)
    return t, names


def _summed(t: Tensor, names: list[Label], needed: set[Label]) -> tuple[Tensor, list[Label]]:
    gone = [k for k, x in enumerate(names) if x not in needed]
    if gone:
        t = reduction.sum_dim_IntList(t, gone, False, t._dtype)
    return t, [x for x in names if x in needed]


def _pair(
    first: tuple[Tensor, list[Label]], second: tuple[Tensor, list[Label]], needed: set[Label]
) -> tuple[Tensor, list[Label]]:
    """Two terms as one, without the dimensions that nothing else needs."""
    a, own = _summed(*first, needed | set(second[1]))
    b, other = _summed(*second, needed | set(own))
    # A dimension of size 1 on one side broadcasts: it is dropped there.
    for label in [x for x in own if x in other]:
        n, m = a._size[own.index(label)], b._size[other.index(label)]
        if n != m and n == 1:
            a, own = _squeezed(a, own, label)
        elif n != m:
            b, other = _squeezed(b, other, label)
    a, own = _summed(a, own, needed | set(other))
    b, other = _summed(b, other, needed | set(own))
    shared = [x for x in own if x in other]
    batch = [x for x in shared if x in needed]
    inner = [x for x in shared if x not in needed]
    rows = [x for x in own if x not in shared]
    columns = [x for x in other if x not in shared]
    names = [*batch, *rows, *columns]
    if not inner:
        left = _aligned(a, own, names)
        right = _aligned(b, other, names)
        return maps.mul_Tensor(left, right), names
    size_of = {**dict(zip(own, a._size)), **dict(zip(other, b._size))}
    shapes = [[size_of[x] for x in group] for group in (batch, rows, inner, columns)]
    counts = [math.prod(s) for s in shapes]
    left = _arranged(a, own, [*batch, *rows, *inner])
    right = _arranged(b, other, [*batch, *inner, *columns])
    if batch:
        made = calls.bmm(
            views.reshape(left, (counts[0], counts[1], counts[2])),
            views.reshape(right, (counts[0], counts[2], counts[3])),
        )
    else:
        made = calls.mm(
            views.reshape(left, (counts[1], counts[2])),
            views.reshape(right, (counts[2], counts[3])),
        )
    return views.reshape(made, (*shapes[0], *shapes[1], *shapes[3])), names


def _squeezed(t: Tensor, names: list[Label], label: Label) -> tuple[Tensor, list[Label]]:
    place = names.index(label)
    return views.squeeze_dim(t, place), names[:place] + names[place + 1 :]


def _arranged(t: Tensor, names: list[Label], order: list[Label]) -> Tensor:
    return views.permute(t, [names.index(x) for x in order])


def _aligned(t: Tensor, names: list[Label], order: list[Label]) -> Tensor:
    """The term with all dimensions of ``order``, of size 1 where it lacks them."""
    t = _arranged(t, names, [x for x in order if x in names])
    for place, x in enumerate(order):
        if x not in names:
            t = views.unsqueeze(t, place)
    return t
