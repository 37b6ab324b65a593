"""Samples of reductions and scans; most are derived."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, fixed, numbers

samples = Samples("reduction")
add = samples.add

X = numbers(2, 3)
samples.within(0.15, 0.85, "prod", "cumprod")
samples.given("renorm", p=3.0, dim=0, maxnorm=0.5)
samples.real(
    "cummax",
    "cummin",
    "aminmax",
    "max",
    "min",
    "amax",
    "amin",
    "nansum",
    "nanmean",
    "_linear_recurrence",
)
add("linalg_vector_norm", X, 3, [1])
add("sum", X)

samples.given("linalg_matrix_norm", ord=1, dim=[0, 1])
samples.given("linalg_matrix_norm.str_ord", ord="fro", dim=[0, 1])
samples.given("gradient.tensorarrayint", spacing=[fixed([0.0, 1.0, 3.0])], dim=1)
samples.given("gradient.tensorarray", spacing=[fixed([0.0, 1.0, 3.0])], dim=[1])
samples.given("gradient.scalarrayint", spacing=[0.5], dim=1)
samples.given("gradient.scalarrayarray", spacing=[0.5], dim=[1])
samples.given("nuclear_norm.dim", dim=[0, 1])
add("linalg_norm.ord_str", X, "fro")
