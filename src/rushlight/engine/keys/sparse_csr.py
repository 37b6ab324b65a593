"""SparseCsr: matrices kept row by row, or column by column, without what is zero."""

from __future__ import annotations

from rushlight.engine.dispatch import registry
from rushlight.engine.keys.sparse import run_or_refuse

registry.register_fallback("SparseCsr", run_or_refuse)
