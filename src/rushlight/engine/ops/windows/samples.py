"""Samples of convolutions and pooling."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, first, numbers, places

samples = Samples("windows")
add = samples.add

add("convolution", numbers(2, 2, 7), numbers(3, 2, 3), numbers(3), [2], [1], [1], False, [0], 1)
add("_convolution_weight_gradient", numbers(2, 3, 4), numbers(2, 2, 7), [3], [2], [1], [1], 1)
for _n in (1, 2, 3):
    _image = numbers(1, 2, *(6, 5, 4)[:_n])
    add(f"max_pool{_n}d_with_indices", _image, [2] * _n, [1] * _n, seen=first, is_real=True)
    add(f"avg_pool{_n}d", _image, [2] * _n, [1] * _n, is_real=True)
for _n in (2, 3):
    add(
        f"max_pool{_n}d_with_indices_backward", numbers(1, *[1] * _n), numbers(1, *[2] * _n), [2] * _n,
        [2] * _n, [0] * _n, [1] * _n, False, places([[[[1]]]] if _n == 3 else [[[1]]]), is_real=True,
    )  # fmt: skip
add("_adaptive_means", numbers(2, 5, 7), [2, 3], is_real=True)
add("_adaptive_means_backward", numbers(2, 2, 3), [5, 7], is_real=True)

for _n in (1, 2, 3):
    _image, _kernel = numbers(1, 2, *(6, 5, 4)[:_n]), numbers(3, 2, *[2] * _n)
    _turned = numbers(2, 3, *[2] * _n)
    add(f"conv{_n}d", _image, _kernel)
    add(f"conv{_n}d.padding", _image, _kernel, None, [1] * _n, "same")
    add(f"conv_transpose{_n}d" + (".input" if _n > 1 else ""), _image, _turned)
    add(f"max_pool{_n}d", _image, [2] * _n)
    add(f"adaptive_avg_pool{_n}d", _image, [2] * _n)
    add(f"adaptive_max_pool{_n}d", _image, [2] * _n)
add("conv_tbc", numbers(5, 1, 2), numbers(2, 2, 3), numbers(3))
add("convolution_backward", numbers(1, 3, 5), numbers(1, 2, 6), numbers(3, 2, 2), [3], [1], [0], [1],
    False, [0], 1, [True, True, True])  # fmt: skip
add("_adaptive_places", numbers(2, 5, 7), [2, 3])
add("max_unpool2d", numbers(1, 1, 1), places([[[1]]]), [2, 2])
add("max_unpool3d", numbers(1, 1, 1, 1), places([[[[1]]]]), [2, 2, 2], [2, 2, 2], [0, 0, 0])
add("fractional_max_pool2d", numbers(1, 2, 5, 5), [2, 2], [2, 2], numbers(1, 2, 2, low=0.0))
add(
    "fractional_max_pool3d", numbers(1, 2, 5, 5, 5), [2, 2, 2], [2, 2, 2], numbers(1, 2, 3, low=0.0)
)
