"""Samples of the family sampling."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers, places

samples = Samples("sampling")
add = samples.add

samples.within(0.15, 0.85, "normal", "bernoulli", "multinomial", "poisson", "_standard_gamma")
samples.given("randint", low=0, high=9)
samples.given("randint_like", low=0, high=9)
samples.given("randint_like.Tensor", high=places(9))
samples.given("randint_like.Tensor_generator", high=places(9))
samples.without("has no kernel for the CPU", "_fused_dropout", "_philox_state")

for _name in ("normal_functional", "uniform", "log_normal", "cauchy", "exponential", "random"):
    add(_name, numbers(2, 3))
add("geometric", numbers(2, 3), 0.5)
add("random.to", numbers(2, 3), 9)
add("random.from", numbers(2, 3), 2, 9)
add("bernoulli_functional.float", numbers(2, 3), 0.5)
add("bernoulli_functional.Tensor", numbers(2, 3), numbers(2, 3, low=0.15, high=0.85))
