"""Samples of the family sampling."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, places

samples = Samples("sampling")
add = samples.add

samples.within(0.15, 0.85, "normal", "bernoulli", "multinomial", "poisson", "_standard_gamma")
samples.given("randint", low=0, high=9)
samples.given("randint_like", low=0, high=9)
samples.given("randint_like.Tensor", high=places(9))
samples.given("randint_like.Tensor_generator", high=places(9))
samples.without("has no kernel for the CPU", "_fused_dropout")
