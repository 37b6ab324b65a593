"""The generalized Pareto distribution."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Scalars

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Scalars):
    """What exceeds a threshold ``loc``."""

    loc: Any
    scale: Any
    concentration: Any

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: Any = None) -> None:
        self._broadcast(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        lower = self.loc
        upper = torch.where(
            self.concentration < 0, lower - self.scale / self.concentration, torch.inf
        )
        return constraints.interval(lower, upper)

    def _shape_or_one(self) -> tuple[Any, Any]:
        """Where the concentration is zero, and it with ones there."""
        is_zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return is_zero, torch.where(
            is_zero, torch.ones_like(self.concentration), self.concentration
        )

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, shape = self._shape_or_one()
        y = 1 / shape + torch.ones_like(z)
        otherwise = torch.where(y == 0, y, y * torch.log1p(shape * z))
        return -self.scale.log() - torch.where(is_zero, z, otherwise)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of values above these."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, shape = self._shape_or_one()
        return torch.where(is_zero, -z, -torch.log1p(shape * z) / shape)

    def log_cdf(self, value: Any) -> Any:
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Any:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        is_zero, shape = self._shape_or_one()
        logarithm = torch.log1p(-value)
        otherwise = self.loc + self.scale / shape * torch.expm1(-shape * logarithm)
        return torch.where(is_zero, self.loc - self.scale * logarithm, otherwise)

    @property
    def mean(self) -> Any:
        valid = self.concentration < 1
        shape = torch.where(valid, self.concentration, 0.5)
        result = self.loc + self.scale / (1 - shape)
        return torch.where(valid, result, torch.full_like(result, torch.inf))

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        valid = self.concentration < 0.5
        shape = torch.where(valid, self.concentration, 0.25)
        result = self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape))
        return torch.where(valid, result, torch.full_like(result, torch.inf))

    def entropy(self) -> Any:
        return torch.broadcast_to(torch.log(self.scale) + self.concentration + 1, self._batch_shape)
