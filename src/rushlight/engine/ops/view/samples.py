"""Samples of views."""

from __future__ import annotations

from typing import Any

from rushlight.engine.ops.samples import Samples, numbers, of, places

samples = Samples("view")
add = samples.add

X = numbers(2, 3)
add("as_strided", X, [2, 2, 2], [1, 2, 1], 1)
add("diagonal", numbers(3, 2, 4), 1, 0, 2)
add("expand", numbers(2, 1), [4, 2, 3])
add("permute", numbers(2, 3, 4), [2, 0, 1])
add("select.int", X, 1, -1)
add("slice.Tensor", numbers(2, 6), 1, 1, 5, 2)
add("split.Tensor", numbers(2, 5), 2, 1)
add("split_with_sizes", numbers(2, 4), [1, 3], 1)
add("unsafe_split.Tensor", numbers(2, 5), 2, 1)
add("unsafe_split_with_sizes", numbers(2, 4), [1, 3], 1)
add("squeeze", numbers(2, 1, 3))
add("squeeze.dim", numbers(2, 1, 3), 1)
add("squeeze.dims", numbers(1, 1, 3), [0, 1])
add("unsqueeze", X, 1)
add("t", X)
add("transpose.int", numbers(2, 3, 2), 0, 2)
add("flip", X, [0, 1])
add("rot90", X, 1, [0, 1])
add("select_scatter", X, numbers(3), 0, 1, is_real=True)
add("slice_scatter", X, numbers(2, 2), 1, 0, None, 2, is_real=True)
add("diag_embed", X, 1, 0, 2)
add("diagonal_scatter", X, numbers(2), 1)
add("roll", X, [1, -2], [0, 1])
add("repeat", X, [2, 1, 3])
add("view", X, [3, 2])
add("_unsafe_view", X, [3, 2])
add("_reshape_alias", X, [3, 2], [2, 1])
add("unbind.int", X, 1)
add("tril", numbers(3, 4), -1)
add("triu", numbers(3, 4), 1)
add("unfold", numbers(2, 7), 1, 3, 2)
add("narrow_copy", numbers(2, 4), 1, 1, 2)
add("_neg_view", X)


def pairs(x: Any) -> Any:
    """Complex numbers of real ones."""
    return x.select(1, 0) + 1j * x.select(1, 1)


COMPLEX = of(pairs, numbers(3, 2))
add("_conj", COMPLEX, is_real=True)
add("_conj_physical", COMPLEX, is_real=True)
add("view_as_complex", numbers(3, 2), is_real=True)
add("view_as_real", COMPLEX, is_real=True)

add("imag", COMPLEX, is_real=True)
add("broadcast_to", X, [4, 2, 3])
add("tensor_split.tensor_indices_or_sections", X, places(2))
add("narrow.Tensor", X, 1, places(1), 2)
add("repeat_interleave.Tensor", places([2, 0, 1]))
add("repeat_interleave.self_Tensor", X, places([2, 0, 1]), 1)
samples.operands(numbers(2, 2, 4), "dsplit")
add("sum_to_size", X, [1, 3])
for _name in ("meshgrid", "cartesian_prod"):
    add(_name, [numbers(2), numbers(3)])
add("meshgrid.indexing", [numbers(2), numbers(3)], indexing="xy")
add("combinations", numbers(4))
for _name in ("channel_shuffle", "native_channel_shuffle", "pixel_shuffle"):
    add(_name, numbers(1, 4, 2, 2), 2)
add("pixel_unshuffle", numbers(1, 1, 4, 4), 2)
add("tensor_split.indices", numbers(4, 2), [1, 3])
add("unflatten.int", numbers(2, 6), 1, [2, 3])
for _name in ("movedim", "moveaxis"):
    add(f"{_name}.intlist", numbers(2, 3, 4), [0, 1], [1, 2])
add("as_strided_scatter", X, numbers(2, 2), [2, 2], [1, 2], 1)
add("split.sizes", numbers(4, 2), [1, 3])
for _name, _place in (("hsplit", 1), ("vsplit", 0), ("dsplit", 2)):
    add(f"{_name}.array", numbers(4, 4, 4), [1, 3])
add("tile", X, [2, 2])
samples.without("has no kernel", "sym_is_contiguous")
