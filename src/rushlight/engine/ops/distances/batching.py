"""What distances between rows do with a batch."""

from __future__ import annotations

from rushlight.engine.ops.batching import derive

derive("leading, aligned", ["_distances", "_distances_gradient", "_euclidean_dist"])
