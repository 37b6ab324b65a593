"""Samples of orders."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, fixed, numbers

samples = Samples("sorting")
add = samples.add

samples.real("median", "nanmedian", "mode", "sort")
samples.given("sort.stable", stable=True, dim=1)
add("kthvalue", numbers(2, 3), 2, 1, is_real=True)
add("topk", numbers(2, 4), 2, 1, is_real=True)

samples.given("quantile", q=fixed(0.3))
samples.given("nanquantile.scalar", q=0.3)
samples.given("quantile.scalar", q=0.3)
samples.given("nanquantile", q=fixed([0.3, 0.6]))
