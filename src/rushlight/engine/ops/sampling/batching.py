"""What random operators do with a batch, where its elements are not drawn one by one."""

from __future__ import annotations

from rushlight.engine.ops.batching import derive

derive("rows of weights", ["multinomial"])
