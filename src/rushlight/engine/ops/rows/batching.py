"""What normalisations do with a batch."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import pointwise, rows, view
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.batching import batched, filled, front, joined, padded, parted, rank
from rushlight.engine.ops.view.batching import Result, Values


def affine(
    result: Tensor, weight: Any, bias: Any, weight_dim: Any, bias_dim: Any, behind: int = 0
) -> Tensor:
    """A normalised batch with weights and biases for the dimensions that end so many before the last."""
    for value, dim, function in (
        (weight, weight_dim, pointwise.mul_Tensor),
        (bias, bias_dim, None),
    ):
        if value is None:
            continue
        for _ in range(behind):
            value = view.unsqueeze(value, len(value._size_))
        value = padded(value, dim, len(result._size_) - 1)
        result = function(result, value) if function else pointwise.add_Tensor(result, value, 1)
    return result


@batched("native_layer_norm")
def native_layer_norm(size: int, values: Values, dims: Values) -> Result:
    x, shape, weight, bias, eps = values
    if dims[2] is None and dims[3] is None:
        return rows.native_layer_norm(front(x, dims[0]), shape, weight, bias, eps), 0
    made, mean, rstd = rows.native_layer_norm(front(x, dims[0]), shape, None, None, eps)
    if dims[0] is None:
        made = view.unsqueeze(made, 0)
    dim = None if dims[0] is None else 0
    return (affine(made, weight, bias, dims[2], dims[3]), mean, rstd), [0, dim, dim]


@batched("_fused_rms_norm")
def fused_rms_norm(size: int, values: Values, dims: Values) -> Result:
    x, shape, weight, eps = values
    if dims[2] is None:
        return rows._fused_rms_norm(front(x, dims[0]), shape, weight, eps), 0
    made, rstd = rows._fused_rms_norm(front(x, dims[0]), shape, None, eps)
    made = view.unsqueeze(made, 0) if dims[0] is None else made
    return (affine(made, weight, None, dims[2], None), rstd), [0, None if dims[0] is None else 0]


@batched("native_group_norm")
def native_group_norm(size: int, values: Values, dims: Values) -> Result:
    x, weight, bias, count, channels, length, groups, eps = values
    x = filled(x, dims[0], size)
    shared = dims[1] is None and dims[2] is None
    given = (weight, bias) if shared else (None, None)
    found = rows.native_group_norm(
        joined(x, 0), *given, size * count, channels, length, groups, eps
    )
    made, mean, rstd = (parted(one, 0, size) for one in found)
    if not shared:
        made = affine(made, weight, bias, dims[1], dims[2], len(x._size_) - 3)
    return (made, mean, rstd), 0


@batched("_layer_norm_input_gradient")
def layer_norm_input_gradient(size: int, values: Values, dims: Values) -> Result:
    grad, x, mean, rstd, weight, shape = values
    if weight is not None and dims[4] is not None:
        count = max(rank(grad, dims[0]), rank(x, dims[1]))
        grad = pointwise.mul_Tensor(filled(grad, dims[0], size), padded(weight, dims[4], count))
        dims = [0, *dims[1:4], None]
        weight = None
    given = [filled(v, d, size) for v, d in zip((grad, x, mean, rstd), dims)]
    return rows._layer_norm_input_gradient(*given, weight, shape), 0


def _channels(x: Any, dim: Any, size: int) -> Any:
    """Channels of each element of the batch, one after the other."""
    return None if x is None else joined(filled(x, dim, size), 0)


def _as_channels(x: Tensor, dim: Any, size: int) -> Tensor:
    """Pictures whose channels are those of each element of the batch, one after the other."""
    return joined(view.movedim_int(filled(x, dim, size), 0, 1), 1)


def _of_channels(found: Any, size: int) -> Result:
    """The results of a normalisation by channels."""
    made, *statistics = found
    each = [parted(one, 0, size) if len(one._size_) and one._numel_ else one for one in statistics]
    dims = [0 if len(one._size_) and one._numel_ else None for one in statistics]
    return (parted(made, 1, size), *each), [1, *dims]


def _check_statistics(mean: Any, var: Any, dims: Any, any_batch: bool) -> None:
    if any_batch and any(x is not None and dim is None for x, dim in zip((mean, var), dims)):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will "
            "be updated in place, were not batched.\nIf you are using a module and do not need eval "
            "mode, please set `track_running_stats` to be False.If you are using a prebuilt module and "
            "do not need eval mode, please see the functorch website for resources on how to patch your "
            "module to work with vmap"
        )


def _updated(target: Any, dim: Any, channels: Any, size: int) -> None:
    """Write statistics back to where they were taken from."""
    from rushlight.engine.calls import copy

    if target is not None:
        copy.copy_(front(target, dim), parted(channels, 0, size), False)


def _training(name: str, place: int) -> None:
    """Normalisations that write the running statistics where they are trained."""
    function = getattr(rows, name)

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        x, mean, var = values[0], *values[3:5]
        training = values[place]
        given = [_as_channels(x, dims[0], size)]
        given += [_channels(v, d, size) for v, d in zip(values[1:3], dims[1:3])]
        if training:
            _check_statistics(mean, var, dims[3:5], any(d is not None for d in dims))
        held = [_channels(v, d, size) for v, d in zip((mean, var), dims[3:5])]
        found = function(*given, *held, *values[5:])
        if training:
            for target, dim, channels in zip((mean, var), dims[3:5], held):
                _updated(target, dim, channels, size)
        return _of_channels(found, size)


for _name in ("native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update"):
    _training(_name, 5)


@batched("_native_batch_norm_legit_no_training")
def no_training(size: int, values: Values, dims: Values) -> Result:
    given = [_channels(v, d, size) for v, d in zip(values[1:5], dims[1:5])]
    pictures = _as_channels(values[0], dims[0], size)
    return _of_channels(
        rows._native_batch_norm_legit_no_training(pictures, *given, *values[5:]), size
    )


@batched("_native_batch_norm_legit.no_stats")
def no_stats(size: int, values: Values, dims: Values) -> Result:
    given = [_channels(v, d, size) for v, d in zip(values[1:3], dims[1:3])]
    pictures = _as_channels(values[0], dims[0], size)
    found = rows._native_batch_norm_legit_no_stats(pictures, *given, *values[3:])
    return _of_channels(found, size)


@batched("_batch_norm_of_batch")
def of_batch(size: int, values: Values, dims: Values) -> Result:
    given = [_channels(v, d, size) for v, d in zip(values[1:3], dims[1:3])]
    pictures = _as_channels(values[0], dims[0], size)
    return _of_channels(rows._batch_norm_of_batch(pictures, *given, values[3]), size)


@batched("_move_statistics_")
def move_statistics(size: int, values: Values, dims: Values) -> Result:
    mean, variance, found_mean, found_variance, share = values
    _check_statistics(mean, variance, dims[:2], any_batch=True)
    held = [_channels(v, d, size) for v, d in zip((mean, variance), dims[:2])]
    found = [_channels(v, d, size) for v, d in zip((found_mean, found_variance), dims[2:4])]
    rows._move_statistics_(*held, *found, share)
    for target, dim, channels in zip((mean, variance), dims[:2], held):
        _updated(target, dim, channels, size)
    return None, None
