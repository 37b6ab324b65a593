"""`gelu_backward` and its kin: gradients of functions, as operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight._library.catalogue.made import Catalogue, chosen, pullback

F: Any = torch.nn.functional
aten: Any = torch.ops.aten
nn: Any = torch._C._nn
special: Any = torch.special
_REDUCTIONS = ("none", "mean", "sum")
operator = _catalogue = Catalogue()


def of(schema: str, function: Callable[..., Any]) -> None:
    """A gradient whose arguments are what arrives, the input, and the function's other arguments."""

    def backward(grad: Any, self: Any, *others: Any) -> Any:
        return pullback(lambda x: function(x, *others), self)(grad)

    _catalogue(schema)(backward)


_ELEMENTWISE = "(Tensor grad_output, Tensor self{}) -> Tensor"
for _name, _more, _function in (
    ("gelu_backward", ", *, str approximate='none'", lambda x, a: F.gelu(x, approximate=a)),
    ("glu_backward", ", int dim", lambda x, dim: F.glu(x, dim)),
    ("hardsigmoid_backward", "", lambda x: F.hardsigmoid(x)),
    ("hardswish_backward", "", lambda x: F.hardswish(x)),
    ("hardtanh_backward", ", Scalar min_val, Scalar max_val", lambda x, a, b: F.hardtanh(x, a, b)),
    ("mish_backward", "", lambda x: F.mish(x)),
    ("silu_backward", "", lambda x: F.silu(x)),
    ("softplus_backward", ", Scalar beta, Scalar threshold", lambda x, b, t: F.softplus(x, b, t)),
    ("softshrink_backward", ", Scalar lambd", lambda x, a: F.softshrink(x, a)),
    ("threshold_backward", ", Scalar threshold", lambda x, t: F.threshold(x, t, 0)),
    ("logit_backward", ", float? eps=None", lambda x, eps: special.logit(x, eps)),
    ("log_sigmoid_backward", ", Tensor buffer", lambda x, _: F.logsigmoid(x)),
    ("mse_loss_backward", ", Tensor target, int reduction",
     lambda x, y, r: F.mse_loss(x, y, reduction=_REDUCTIONS[r])),
    ("smooth_l1_loss_backward", ", Tensor target, int reduction, float beta",
     lambda x, y, r, b: F.smooth_l1_loss(x, y, reduction=_REDUCTIONS[r], beta=b)),
    ("huber_loss_backward", ", Tensor target, int reduction, float delta",
     lambda x, y, r, d: F.huber_loss(x, y, reduction=_REDUCTIONS[r], delta=d)),
    ("soft_margin_loss_backward", ", Tensor target, int reduction",
     lambda x, y, r: F.soft_margin_loss(x, y, reduction=_REDUCTIONS[r])),
    ("binary_cross_entropy_backward", ", Tensor target, Tensor? weight=None, int reduction=1",
     lambda x, y, w, r: F.binary_cross_entropy(x, y, w, reduction=_REDUCTIONS[r])),
    ("multi_margin_loss_backward",
     ", Tensor target, Scalar p, Scalar margin, Tensor? weight=None, int reduction=1",
     lambda x, y, p, m, w, r: F.multi_margin_loss(x, y, p, m, w, reduction=_REDUCTIONS[r])),
    ("multilabel_margin_loss_backward", ", Tensor target, int reduction, Tensor is_target",
     lambda x, y, r, _: F.multilabel_margin_loss(x, y, reduction=_REDUCTIONS[r])),
    ("avg_pool2d_backward",
     ", int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, "
     "int? divisor_override", lambda x, *rest: nn.avg_pool2d(x, *rest)),
    ("avg_pool3d_backward",
     ", int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, "
     "int? divisor_override", lambda x, *rest: nn.avg_pool3d(x, *rest)),
    ("max_pool2d_backward",
     ", int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False",
     lambda x, *rest: aten.max_pool2d(x, *rest)),
    ("reflection_pad1d_backward", ", SymInt[2] padding", lambda x, p: F.pad(x, p, "reflect")),
    ("reflection_pad2d_backward", ", SymInt[4] padding", lambda x, p: F.pad(x, p, "reflect")),
    ("reflection_pad3d_backward", ", SymInt[6] padding", lambda x, p: F.pad(x, p, "reflect")),
    ("replication_pad1d_backward", ", SymInt[2] padding", lambda x, p: F.pad(x, p, "replicate")),
    ("replication_pad2d_backward", ", SymInt[4] padding", lambda x, p: F.pad(x, p, "replicate")),
    ("replication_pad3d_backward", ", SymInt[6] padding", lambda x, p: F.pad(x, p, "replicate")),
):  # fmt: skip
    of(f"{_name}{_ELEMENTWISE.format(_more)}", _function)

of(
    "hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
    lambda x, a: F.hardshrink(x, a),
)
of(
    "infinitely_differentiable_gelu_backward(Tensor grad, Tensor self) -> Tensor",
    lambda x: F.gelu(x),
)
of(
    "masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor",
    lambda x, m: x.masked_select(m),
)
of(
    "gather_backward(Tensor grad, Tensor self, int dim, Tensor index, bool sparse_grad) -> Tensor",
    lambda x, dim, index, sparse: x.gather(dim, index, sparse_grad=sparse),
)


@operator("_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor")
def adaptive_mean(grad: Any, x: Any) -> Any:
    return pullback(lambda x: F.adaptive_avg_pool2d(x, grad.shape[-2:]), x)(grad)


@operator(
    "_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
    "adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
)
def adaptive_mean_of_space(grad: Any, x: Any) -> Any:
    return pullback(lambda x: F.adaptive_avg_pool3d(x, grad.shape[-3:]), x)(grad)


@operator(
    "adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
)
def adaptive_largest(grad: Any, x: Any, indices: Any) -> Any:
    flat = x.new_zeros(x.shape).flatten(-2)
    return flat.scatter_add(-1, indices.flatten(-2), grad.flatten(-2)).view(x.shape)


@operator("adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor")
def adaptive_largest_of_space(grad: Any, x: Any, indices: Any) -> Any:
    flat = x.new_zeros(x.shape).flatten(-3)
    return flat.scatter_add(-1, indices.flatten(-3), grad.flatten(-3)).view(x.shape)


@operator("tanh_backward(Tensor grad_output, Tensor output) -> Tensor")
def tanh(grad: Any, output: Any) -> Any:
    return grad * (1 - output * output).conj()


@operator("sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor")
def sigmoid(grad: Any, output: Any) -> Any:
    return grad * ((1 - output) * output).conj()


# -- views: what arrives is put where it came from --


def _into(grad: Any, sizes: Any, part: Callable[[Any], Any]) -> Any:
    return pullback(part, grad.new_zeros(sizes))(grad)


@operator(
    "select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor"
)
def select(grad: Any, sizes: Any, dim: int, index: int) -> Any:
    return _into(grad, sizes, lambda x: x.select(dim, index))


@operator(
    "slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) "
    "-> Tensor"
)
def cut(grad: Any, sizes: Any, dim: int, start: int, end: int, step: int) -> Any:
    return _into(grad, sizes, lambda x: aten.slice.Tensor(x, dim, start, end, step))


@operator(
    "diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor"
)
def diagonal(grad: Any, sizes: Any, offset: int, dim1: int, dim2: int) -> Any:
    return _into(grad, sizes, lambda x: x.diagonal(offset, dim1, dim2))


@operator(
    "unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor"
)
def unfold(grad: Any, sizes: Any, dim: int, size: int, step: int) -> Any:
    return _into(grad, sizes, lambda x: x.unfold(dim, size, step))


@operator("trace_backward(Tensor grad, SymInt[] sizes) -> Tensor")
def trace(grad: Any, sizes: Any) -> Any:
    return _into(grad, sizes, lambda x: x.trace())


@operator(
    "index_select_backward(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor"
)
def index_select(grad: Any, sizes: Any, dim: int, index: Any) -> Any:
    return grad.new_zeros(sizes).index_add(dim, index, grad)


@operator(
    "value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim) "
    "-> Tensor"
)
def chosen_value(grad: Any, dim: int, indices: Any, sizes: Any, keepdim: bool) -> Any:
    if not keepdim and len(sizes):
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return grad.new_zeros(sizes).scatter(dim, indices, grad)


@operator(
    "embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, "
    "bool scale_grad_by_freq, bool sparse) -> Tensor"
)
def embedding(
    grad: Any, indices: Any, count: int, padding: int, by_frequency: bool, sparse: bool
) -> Any:
    if sparse:
        return aten.embedding_sparse_backward(grad, indices, count, padding, by_frequency)
    return aten.embedding_dense_backward(grad, indices, count, padding, by_frequency)


# -- several gradients --


@operator(
    "linear_backward(Tensor self, Tensor grad_output, Tensor weight, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"
)
def linear(x: Any, grad: Any, weight: Any, mask: Any) -> Any:
    bias = weight.new_zeros(weight.shape[0])
    return chosen(pullback(F.linear, x, weight, bias)(grad), mask)


@operator(
    "matmul_backward(Tensor grad, Tensor self, Tensor other, bool[2] mask) -> (Tensor, Tensor)"
)
def matmul(grad: Any, a: Any, b: Any, mask: Any) -> Any:
    return chosen(pullback(torch.matmul, a, b)(grad), mask)


@operator(
    "_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)"
)
def prelu(grad: Any, x: Any, weight: Any) -> Any:
    return torch.where(x > 0, grad, weight * grad), torch.where(x > 0, 0, x * grad)


@operator(
    "grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, "
    "int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)"
)
def sampled(grad: Any, x: Any, grid: Any, mode: int, padding: int, align: bool, mask: Any) -> Any:
    call = lambda x, grid: torch.grid_sampler_2d(x, grid, mode, padding, align)
    return chosen(pullback(call, x, grid)(grad), mask)


@operator(
    "grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, "
    "int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)"
)
def sampled_space(
    grad: Any, x: Any, grid: Any, mode: int, padding: int, align: bool, mask: Any
) -> Any:
    call = lambda x, grid: torch.grid_sampler_3d(x, grid, mode, padding, align)
    return chosen(pullback(call, x, grid)(grad), mask)


@operator(
    "affine_grid_generator_backward(Tensor grad, SymInt[] size, bool align_corners) -> Tensor"
)
def grid(grad: Any, size: Any, align: bool) -> Any:
    count = len(size) - 2
    theta = grad.new_zeros(size[0], count, count + 1)
    return pullback(lambda t: F.affine_grid(t, list(size), align), theta)(grad)


def _normalised(
    grad: Any,
    x: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    dims: list[int],
    shape: Any,
    over: list[int],
) -> Any:
    """The gradients of what is normalised, of weights and of shifts."""
    along = (x - mean) * rstd
    scaled = grad if weight is None else grad * weight.reshape(shape)
    inner = scaled - scaled.mean(dims, True) - along * (scaled * along).mean(dims, True)
    sums = [(grad * along).sum(over), grad.sum(over)]
    return inner * rstd, *(s if weight is None else s.reshape(weight.shape) for s in sums)


@operator(
    "native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, "
    "Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"
)
def layer_norm(
    grad: Any, x: Any, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> Any:
    count = len(shape)
    dims, over = list(range(-count, 0)), list(range(x.dim() - count))
    if not over:
        grad, x, mean, rstd = (t.unsqueeze(0) for t in (grad, x, mean, rstd))
        found = _normalised(grad, x, mean, rstd, weight, dims, shape, [0])
        return chosen((found[0].squeeze(0), *found[1:]), mask)
    return chosen(_normalised(grad, x, mean, rstd, weight, dims, shape, over), mask)


@operator(
    "native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, "
    "Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) "
    "-> (Tensor, Tensor, Tensor)"
)
def batch_norm(
    grad: Any, x: Any, weight: Any, running_mean: Any, running_var: Any, mean: Any, rstd: Any,
    train: bool, eps: float, mask: Any,
) -> Any:  # fmt: skip
    shape = [1, -1, *[1] * (x.dim() - 2)]
    dims = [0, *range(2, x.dim())]
    if not train:
        mean, rstd = running_mean, (running_var + eps).rsqrt()
    mean, rstd = mean.reshape(shape), rstd.reshape(shape)
    found = _normalised(grad, x, mean, rstd, weight, dims, shape, dims)
    if not train:
        scaled = grad if weight is None else grad * weight.reshape(shape)
        found = (scaled * rstd, *found[1:])
    return chosen(found, mask)


@operator(
    "native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, "
    "SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"
)
def group_norm(
    grad: Any,
    x: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    n: int,
    c: int,
    hw: int,
    group: int,
    mask: Any,
) -> Any:
    split = [n, group, c // group, hw]
    mean, rstd = mean.reshape(n, group, 1, 1), rstd.reshape(n, group, 1, 1)
    shape = [1, group, c // group, 1]
    found = _normalised(
        grad.reshape(split), x.reshape(split), mean, rstd, weight, [2, 3], shape, [0, 3]
    )
    return chosen((found[0].reshape(x.shape), *(f.reshape(c) for f in found[1:])), mask)


def define() -> None:
    _catalogue.define()
