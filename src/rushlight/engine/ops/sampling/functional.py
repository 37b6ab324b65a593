"""Samples as new tensors: what operators that fill a tensor are where nothing is written to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine import calls
from rushlight.engine.calls import creation
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds.views import explicit


def _filling(name: str, inplace: str) -> None:
    """Register a functional form: a tensor like the argument is made and filled."""
    fill: Callable[..., Any] = getattr(calls.sampling, inplace)

    @explicit(name)
    def sample(self: Tensor, *parameters: Any) -> Tensor:
        return fill(creation.empty_like(self), *parameters)  # type: ignore[no-any-return]


for _name, _inplace in (
    # The operator without this name gives what is in order, whatever the strides of its argument are.
    ("bernoulli_functional.Tensor", "bernoulli__Tensor"),
    ("bernoulli_functional.float", "bernoulli__float"),
    ("normal_functional", "normal_"),
    ("uniform", "uniform_"),
    ("log_normal", "log_normal_"),
    ("cauchy", "cauchy_"),
    ("exponential", "exponential_"),
    ("geometric", "geometric_"),
    ("random.from", "random__from"),
    ("random.to", "random__to"),
    ("random", "random_"),
):
    _filling(_name, _inplace)
