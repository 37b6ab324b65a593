"""Samples of elements read and written at positions."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers, places, truths

samples = Samples("indexing")
add = samples.add

X = numbers(2, 3)
ROWS = places([[0, 2, 1], [1, 0, 2]])
ONES = places([[0, 0, 1], [1, 0, 0]])
MASK = truths([[True, False, True], [False, True, True]])
LINE = places([1, 0, 1])
add("index.Tensor", X, [LINE, None])
add("_unsafe_index.Tensor", X, [LINE])
add("index_select", X, 0, LINE)
add("gather", X, 1, ROWS)
add("masked_select", X, MASK)
add("where.self", MASK, X, numbers(3))
add("masked_fill.Scalar", X, MASK, 2.0)
add("masked_fill.Tensor", X, MASK, numbers())
add("masked_scatter", X, MASK, numbers(5))
add("index_copy", X, 1, places([2, 0]), numbers(2, 2))
add("index_add", X, 0, LINE, numbers(3, 3), alpha=2)
add("index_fill.int_Scalar", X, 1, LINE, 0.5)
add("index_fill.int_Tensor", X, 1, LINE, numbers())
add("index_put", X, [LINE], numbers(3, 3), True)
add("_unsafe_index_put", X, [LINE], numbers(3, 3), True)
add("put", X, places([4, 1]), numbers(2))
add("take", X, ROWS)
add("scatter.src", X, 1, ROWS, numbers(2, 3))
add("scatter.value", X, 1, places([[0], [1]]), 2.0)
add("scatter_add", X, 0, ONES, numbers(2, 3))
for _how in ("sum", "prod", "mean", "amax", "amin"):
    _is_real = _how.startswith("a")
    add("scatter_reduce.two", X, 1, ONES, numbers(2, 3), _how, what=_how, is_real=_is_real)
    if _how != "sum":
        add("index_reduce", X, 0, LINE, numbers(3, 3), _how, what=_how, is_real=_is_real)
for _how in ("sum", "mean", "max", "min", "prod"):
    add("segment_reduce", numbers(5, 2), _how, lengths=places([2, 1, 2]), what=_how, is_real=True)
add("embedding", numbers(4, 4), ROWS, 3, is_real=True)
for _by_frequency in (False, True):
    _what = f"scale_grad_by_freq={_by_frequency}"
    add(
        "embedding_dense_backward",
        numbers(2, 3, 4),
        ROWS,
        4,
        2,
        _by_frequency,
        what=_what,
        is_real=True,
    )
add("im2col", numbers(1, 2, 3, 3), [2, 2], [1, 1], [1, 0], [1, 1])
add("col2im", numbers(1, 8, 4), [3, 3], [2, 2], [1, 1], [0, 0], [1, 1])

for _name in ("where.ScalarSelf", "where.ScalarOther", "where.Scalar"):
    _given = {"where.ScalarSelf": (MASK, 0.5, X), "where.ScalarOther": (MASK, X, 0.5)}
    add(_name, *_given.get(_name, (MASK, 0.5, 0.25)))
add("take_along_dim", X, ROWS, 1)
add("embedding_renorm_", numbers(4, 3), LINE, 0.5, 2.0)
add("one_hot", LINE, 3)
add("embedding_bag", numbers(4, 3), LINE, places([0, 2]))
add(
    "embedding_bag.padding_idx",
    numbers(4, 3),
    LINE,
    places([0, 2]),
    False,
    0,
    False,
    None,
    False,
    0,
)
add("_index_put_impl_", X, [LINE], numbers(3, 3), True)
add("scatter.reduce", X, 1, ROWS, X, reduce="add")
add("scatter.value_reduce", X, 1, ROWS, 2.0, reduce="multiply")
add("_unsafe_masked_index", X, MASK, [ONES, ROWS], 0.5)
add("_unsafe_masked_index_put_accumulate", X, MASK, [ONES, ROWS], X)

add("_underivable", X, "no")
