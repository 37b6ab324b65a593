"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The distribution of a sum of ``df`` squared standard normal values."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: Any = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def _expanded_names(self) -> list[str]:
        return ["concentration", "rate"]

    @property
    def df(self) -> Any:
        return self.concentration * 2
