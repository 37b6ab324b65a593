"""Images of other sizes, and images read at places, by subject."""

from rushlight.engine.ops.resampling import (
    antialias,
    grid_sample,
    sampled_pixels,
    weighted_neighbours,
)

__all__ = ["antialias", "grid_sample", "sampled_pixels", "weighted_neighbours"]
