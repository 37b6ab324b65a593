"""Samples of resampling."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, fixed, numbers, places

samples = Samples("resampling")
add = samples.add

add("_weighted_neighbours", numbers(2, 3, 2), 1, places([[0, 1, 1, 2], [1, 1, 2, 2]]),
    fixed([[[0.5], [1.0], [0.25], [2.0]], [[0.5], [3.0], [0.75], [-1.0]]]))  # fmt: skip

_IMAGE, _GRID = numbers(1, 2, 4, 4), numbers(1, 3, 3, 2)
add("affine_grid_generator", numbers(1, 2, 3), [1, 2, 3, 3], False)
add("grid_sampler", _IMAGE, _GRID, 0, 0, False)
_READ, _PLACES = numbers(1, 2, 3), numbers(1, 3, 2)
add("_sampled_pixels", _IMAGE, _PLACES, 0, 0, False, is_real=True)
add("_sampled_image_gradient", _READ, _IMAGE, _PLACES, 0, 0, False, is_real=True)
add("_sampled_place_gradient", _READ, _IMAGE, _PLACES, 0, 0, False, is_real=True)
add("grid_sampler_2d", _IMAGE, _GRID, 0, 0, False)
add("grid_sampler_3d", numbers(1, 2, 3, 3, 3), numbers(1, 2, 2, 2, 3), 0, 0, False)
for _name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
    add(f"{_name}.vec", _IMAGE, [2, 3], False, None)
    add(_name, _IMAGE, [2, 3], False)
