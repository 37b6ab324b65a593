"""What convolutions and pooling do with a batch: it joins the dimension of the pictures, or of the channels."""

from __future__ import annotations

from rushlight.engine.calls import pointwise, view, windows
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.batching import batched, derive, filled, front, joined, parted
from rushlight.engine.ops.view.batching import Result, Values

for _spatial, _names in (
    (1, ["avg_pool1d", "max_pool1d_with_indices"]),
    (2, ["avg_pool2d", "max_pool2d_with_indices", "max_pool2d_with_indices_backward"]),
    (3, ["avg_pool3d", "max_pool3d_with_indices", "max_pool3d_with_indices_backward"]),
):
    derive(f"pictures of {_spatial}", _names)


derive("leading, dense", ["_adaptive_means", "_adaptive_places", "_adaptive_means_backward"])


def into(x: Tensor, source: int, target: int) -> Tensor:
    """A dimension as the slow part of another one, which counts without it."""
    return joined(view.movedim_int(x, source, target), target)


def _with_bias(
    result: Tensor, place: int, bias: Tensor | None, dim: int | None, spatial: int
) -> Result:
    """A result of a batch at a place, with a bias for each channel added."""
    if bias is None:
        return result, place
    if dim is None:
        shaped = view.view(bias, [-1, *[1] * spatial])
        return pointwise.add_Tensor(front(result, place), shaped, 1), 0
    bias = front(bias, dim)
    shaped = view.reshape(bias, [bias._size_[0], 1, bias._size_[1], *[1] * spatial])
    return pointwise.add_Tensor(front(result, place), shaped, 1), 0


@batched("convolution")
def convolution(size: int, values: Values, dims: Values) -> Result:
    x, weight, bias, stride, padding, dilation, transposed, out_padding, groups = values
    rest = (stride, padding, dilation, transposed, out_padding)
    spatial = len(weight._size_) - (dims[1] is not None) - 2
    if dims[0] is None and dims[1] is None:
        made = windows.convolution(x, weight, None, *rest, groups)
        return _with_bias(view.unsqueeze(made, 0), 0, bias, dims[2], spatial)
    if dims[1] is None:
        # One filter for all: more pictures.
        whole = joined(front(x, dims[0]), 0)
        shared = bias if dims[2] is None else None
        made = parted(windows.convolution(whole, weight, shared, *rest, groups), 0, size)
        return (made, 0) if dims[2] is None else _with_bias(made, 0, bias, dims[2], spatial)
    weight = front(weight, dims[1])
    if dims[0] is None and groups == 1:
        # The same pictures for all filters: more filters.
        many = into(weight, 0, 1) if transposed else joined(weight, 0)
        made = windows.convolution(x, many, None, *rest, 1)
        return _with_bias(parted(made, 1, size), 1, bias, dims[2], spatial)
    # Pictures of each element with filters of its own: more groups of channels.
    many = joined(weight, 0)
    channels = into(filled(x, dims[0], size), 0, 1)
    made = windows.convolution(channels, many, None, *rest, groups * size)
    return _with_bias(parted(made, 1, size), 1, bias, dims[2], spatial)


@batched("_convolution_weight_gradient")
def weight_gradient(size: int, values: Values, dims: Values) -> Result:
    grad, x, kernel, stride, padding, dilation, groups = values
    # The filters of each element have channels of their own.
    grads = into(filled(grad, dims[0], size), 0, 1)
    channels = into(filled(x, dims[1], size), 0, 1)
    made = windows._convolution_weight_gradient(
        grads, channels, kernel, stride, padding, dilation, groups * size
    )
    return parted(made, 0, size), 0
