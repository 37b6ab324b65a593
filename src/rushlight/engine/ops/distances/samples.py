"""Samples of distances."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers

samples = Samples("distances")
add = samples.add

_ROWS, _COLUMNS = numbers(4, 1, 3), numbers(1, 5, 3)
add("_euclidean_dist", numbers(4, 3), numbers(5, 3), is_real=True)
add("_distances", _ROWS, _COLUMNS, 3.0, is_real=True)
add(
    "_distances_gradient",
    numbers(4, 5, 1),
    numbers(4, 5, 1, low=1, high=2),
    _ROWS,
    _COLUMNS,
    3.0,
    -2,
    is_real=True,
)
