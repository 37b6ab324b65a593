"""What reductions do with a batch, where they look at whole elements all the same."""

from __future__ import annotations

from rushlight.engine.ops.batching import derive

derive("loop", ["renorm"])
