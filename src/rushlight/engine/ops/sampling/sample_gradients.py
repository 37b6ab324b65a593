"""How samples of the gamma and beta distributions move with a parameter; see `native.iterated`."""

from __future__ import annotations

from rushlight.engine.ops.pointwise.iterated import iterated_function

iterated_function(
    "_standard_gamma_grad", "gamma_slope", allowed="f", kernel="_standard_gamma_grad_cpu"
)
iterated_function("_dirichlet_grad", "dirichlet_slope", allowed="f", kernel="_dirichlet_grad_cpu")
