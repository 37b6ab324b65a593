"""The pointwise operators' scalar functions."""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops import maths
from rushlight.engine.ops.kinds.pointwise import pointwise


@pointwise("add.Tensor", "add.Scalar", defaults={"alpha": 1})
def add(a: Any, b: Any, alpha: Any) -> Any:
    return a + (b if isinstance(alpha, int) else b * alpha)


@pointwise("mul.Tensor", "mul.Scalar")
def mul(a: Any, b: Any) -> Any:
    return a * b


@pointwise("exp", promote="float", cost=4)
def exp(x: Any) -> Any:
    return maths.exp(x)
