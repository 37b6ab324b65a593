"""How far results are from the truth, in units of the last place of their type."""

from __future__ import annotations

import numpy as np


def ulp_error(result: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """|result - truth| in ulps of ``result``'s type; special values must agree exactly.

    ``truth`` is wider than ``result``. A result that rounds to infinity, or not, at the edge of
    overflow counts as one ulp beyond the largest number.
    """
    info = np.finfo(result.dtype)
    wide = truth.astype(np.longdouble)
    with np.errstate(all="ignore"):
        limit = np.longdouble(info.max) * (1 + np.longdouble(info.eps) / 2)
        big = np.where(np.abs(wide) >= limit, np.copysign(np.inf, wide), wide)
        exponent = np.frexp(np.abs(wide))[1].astype(np.int64) - 1
        digits = info.nmant
        exponent = np.clip(exponent, info.minexp, info.maxexp - 1)
        unit = np.ldexp(np.longdouble(1), (exponent - digits).astype(np.int32))
        edge = np.ldexp(np.longdouble(1), info.maxexp)
        got = result.astype(np.longdouble)
        got = np.where(np.isinf(got), np.copysign(edge, got), got)
        want = np.where(np.isinf(big), np.copysign(edge, big), wide)
        error = np.abs(got - want) / unit
        same = (np.isnan(result) & np.isnan(truth)) | (np.isinf(result) & (big == result))
        error = np.where(same, 0, error)
        return np.where(np.isnan(result) != np.isnan(truth), np.inf, error).astype(np.float64)
