"""Products of matrices of 8-bit floats with scales."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.generated import functions

__all__ = ["ScalingType", "SwizzleType", "scaled_mm"]


class ScalingType(enum.IntEnum):
    """What part of a matrix has a scale of its own. On the CPU there are the first two."""

    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class SwizzleType(enum.IntEnum):
    """How scales are arranged in memory."""

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _numbers(given: Any) -> list[int]:
    return [] if given is None else [int(one) for one in _listed(given)]


@asking
def scaled_mm(
    mat_a: Any,
    mat_b: Any,
    scale_a: Any,
    scale_recipe_a: Any,
    scale_b: Any,
    scale_recipe_b: Any,
    swizzle_a: Any = None,
    swizzle_b: Any = None,
    bias: Any = None,
    output_dtype: Any = dtypes.bfloat16,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
) -> Any:
    """The product of two matrices of 8-bit floats, each times its scales.

    Args:
        mat_a: the first matrix
        mat_b: the second matrix
        scale_a: one number, or one for each row of the first matrix
        scale_recipe_a: which of the two, a `ScalingType`
        scale_b: one number, or one for each column of the second matrix
        scale_recipe_b: which of the two
        swizzle_a: how the first scales are arranged
        swizzle_b: how the second scales are arranged
        bias: added to every row
        output_dtype: the result's type; the first matrix's if None
        contraction_dim: taken for compatibility
        use_fast_accum: taken for compatibility
    """
    return functions._scaled_mm_v2(
        mat_a, mat_b, _listed(scale_a), _numbers(scale_recipe_a), _numbers(swizzle_a),
        _listed(scale_b), _numbers(scale_recipe_b), _numbers(swizzle_b), bias, output_dtype,
        list(contraction_dim), use_fast_accum,
    )  # fmt: skip
