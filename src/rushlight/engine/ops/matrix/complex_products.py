"""Products of complex numbers, as products of real ones.

Seen as real numbers, a row of ``a`` is ``re, im, re, im`` and so on. The other factor becomes a matrix with two
rows for each of its own: the row ``b`` and the row ``i * b``, both seen as real numbers. So one real
product adds up ``re(a) * b + im(a) * (i * b)``, and what it gives is the result, seen as real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, joining
from rushlight.engine.calls import matrix as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core.tensor import Tensor


def product(a: Tensor, b: Tensor) -> Tensor:
    """What `matmul` gives for complex tensors."""
    rows = _doubled(views.unsqueeze(b, 1) if len(b._size_) == 1 else b)
    row = views.reshape(views.view_as_real(a), (*a._size_[:-1], 2 * a._size_[-1]))
    made = calls.matmul(row, rows)
    found = views.view_as_complex(views.view(made, (*made._size_[:-1], made._size_[-1] // 2, 2)))
    return views.select_int(found, -1, 0) if len(b._size_) == 1 else found


def _doubled(b: Tensor) -> Tensor:
    """A matrix, or several, with the rows ``b`` and ``i * b``, seen as real numbers, for each row."""
    parts = views.view_as_real(b)
    real, imaginary = (views.select_int(parts, -1, k) for k in (0, 1))
    # Not a product, which would make infinite numbers nan.
    turned = creation.complex(maps.neg(imaginary), real)
    both = views.view_as_real(joining.stack([b, turned], -2))
    *batch, height, width = b._size_
    return views.reshape(both, (*batch, 2 * height, 2 * width))


def scaled_sum(
    operands: Sequence[Tensor], size: tuple[int, ...], beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """The product of the last two operands, times ``alpha``, with ``beta`` times the first if there are three."""
    *other, a, b = operands
    is_outer = len(a._size_) == len(b._size_) == 1 and len(size) == 2
    made = maps.mul_Tensor(views.unsqueeze(a, 1), b) if is_outer else product(a, b)
    if alpha != 1:
        made = maps.mul_Scalar(made, alpha)
    for summand in other:
        added = summand if beta == 1 else maps.mul_Scalar(summand, beta)
        made = maps.add_Tensor(made, added, 1)
    return made
