"""Samples of the family searching."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, fixed, numbers, places

samples = Samples("searching")
add = samples.add

samples.operands(numbers(4), "bucketize", "searchsorted.Scalar")
add("bincount", places([1, 0, 1, 3]))
add("histogram.bins_tensor", numbers(6), fixed([-1.0, 0.0, 0.5, 1.0]))
_EDGES = [fixed([-1.0, 0.0, 1.0]), fixed([-1.0, 0.5, 1.0])]
for _name in ("_histogramdd_from_bin_tensors", "histogramdd.TensorList_bins"):
    add(_name, numbers(6, 2), _EDGES)
for _name in ("_histogramdd_bin_edges", "_histogramdd_from_bin_cts", "histogramdd"):
    add(_name, numbers(6, 2), [2, 3])
