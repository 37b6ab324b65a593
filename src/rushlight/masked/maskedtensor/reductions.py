"""Which reductions count elements by a mask."""

from __future__ import annotations

from rushlight.masked.maskedtensor.operators import REDUCTIONS

REDUCE_NAMES = sorted(REDUCTIONS)
