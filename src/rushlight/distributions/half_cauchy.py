"""The positive half of the Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch
from rushlight.distributions._halves import Half
from rushlight.distributions.cauchy import Cauchy

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """The absolute values of a Cauchy distribution around zero."""

    whole = Cauchy

    @property
    def mean(self) -> Any:
        return torch.full(
            self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device
        )

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        value = torch.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return super().log_prob(value)
