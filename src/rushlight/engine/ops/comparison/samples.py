"""Samples of the family comparison."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers

samples = Samples("comparison")
add = samples.add

samples.operands(numbers(), "is_nonzero", "item", "_local_scalar_dense")
samples.without("a check of a number that a graph computes", "_assert_scalar")
