"""Operators that other operators, or functions in Python, are known as here."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight._library.catalogue.made import Catalogue
from rushlight.engine.dispatch import operator as operators

F: Any = torch.nn.functional
tops: Any = torch
operator = _catalogue = Catalogue()

# -- functional forms of what changes its first argument --

_CHANGING = ("exponential_", "geometric_", "cauchy_", "log_normal_", "uniform_", "random_", "zero_")


def _functional_forms() -> None:
    for name in _CHANGING:
        for op in operators.overloads(name):
            text = op.schema_text.removeprefix("aten::").replace("Tensor(a!)", "Tensor")
            text = text.replace(name, name.removesuffix("_"), 1)
            _catalogue(text)(lambda self, *rest, op=op: op.call(self.clone(), *rest))


# -- pooling, convolutions --


@operator("_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor")
def mean_pool(x: Any, size: Any) -> Any:
    return F.adaptive_avg_pool2d(x, size)


@operator("_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor")
def mean_pool_of_space(x: Any, size: Any) -> Any:
    return F.adaptive_avg_pool3d(x, size)


@operator(
    "_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, "
    "SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, "
    "bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor",
    "_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, "
    "SymInt[] dilation, bool transposed, int[] output_padding, SymInt groups, bool benchmark, "
    "bool deterministic, bool cudnn_enabled) -> Tensor",
)
def convolution(*values: Any) -> Any:
    return tops.convolution(*values[:9])


@operator(
    "_convolution_mode(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, str padding, "
    "SymInt[] dilation, SymInt groups) -> Tensor"
)
def convolution_mode(x: Any, weight: Any, *rest: Any) -> Any:
    return getattr(F, f"conv{weight.dim() - 2}d")(x, weight, *rest)


@operator(
    "_conv_depthwise2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, "
    "SymInt[2] padding, SymInt[2] dilation) -> Tensor",
    "conv_depthwise3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, "
    "SymInt[3] padding, SymInt[3] dilation) -> Tensor",
)
def depthwise(
    x: Any, weight: Any, size: Any, bias: Any, stride: Any, padding: Any, dilation: Any
) -> Any:
    count = weight.dim() - 2
    return getattr(F, f"conv{count}d")(x, weight, bias, stride, padding, dilation, x.shape[1])


@operator(
    "thnn_conv2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, "
    "SymInt[2] stride=1, SymInt[2] padding=0) -> Tensor",
    "_slow_conv2d_forward(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, "
    "SymInt[2] stride, SymInt[2] padding) -> Tensor",
    "slow_conv3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, "
    "SymInt[3] stride=1, SymInt[3] padding=0) -> Tensor",
    "slow_conv3d_forward(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, "
    "SymInt[3] stride, SymInt[3] padding) -> Tensor",
    "slow_conv_dilated2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, "
    "SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1) -> Tensor",
    "slow_conv_dilated3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, "
    "SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] dilation=1) -> Tensor",
)
def plain_convolution(x: Any, weight: Any, size: Any, *rest: Any) -> Any:
    return getattr(F, f"conv{weight.dim() - 2}d")(x, weight, *rest)


@operator(
    "slow_conv_transpose2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, "
    "SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt[2] dilation=1) -> Tensor",
    "slow_conv_transpose3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, "
    "SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt[3] dilation=1) -> Tensor",
)
def transposed(
    x: Any, weight: Any, size: Any, bias: Any, stride: Any, padding: Any, more: Any, dilation: Any
) -> Any:
    call = getattr(F, f"conv_transpose{weight.dim() - 2}d")
    return call(x, weight, bias, stride, padding, more, 1, dilation)


# -- recurrent networks --

_SETTINGS = "bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"
_GATES = "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None"


def _recurrent_networks() -> None:
    for name in ("gru", "rnn_relu", "rnn_tanh", "lstm"):
        hidden = "Tensor[] hx" if name == "lstm" else "Tensor hx"
        results = "Tensor, Tensor, Tensor" if name == "lstm" else "Tensor, Tensor"
        _catalogue(
            f"{name}.input(Tensor input, {hidden}, Tensor[] params, {_SETTINGS}, bool batch_first) -> ({results})",
            f"{name}.data(Tensor data, Tensor batch_sizes, {hidden}, Tensor[] params, {_SETTINGS}) -> ({results})",
        )(getattr(torch, name))
        made = "(Tensor, Tensor)" if name == "lstm" else "Tensor"
        cell = getattr(torch, f"{name}_cell")
        _catalogue(f"{name}_cell(Tensor input, {hidden}, {_GATES}) -> {made}")(cell)


@operator(
    "_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)"
)
def packed(x: Any, lengths: Any, batch_first: bool) -> Any:
    from rushlight.nn.utils.rnn import pack_padded_sequence

    made = pack_padded_sequence(x, lengths, batch_first)
    return made.data, made.batch_sizes


@operator(
    "_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, "
    "int total_length) -> (Tensor, Tensor)"
)
def padded(data: Any, sizes: Any, batch_first: bool, value: Any, length: int) -> Any:
    from rushlight.nn.utils.rnn import PackedSequence, pad_packed_sequence

    wanted = length if length > 0 else None
    return pad_packed_sequence(PackedSequence(data, sizes), batch_first, value, wanted)


@operator(
    "pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0., "
    "str padding_side='right') -> Tensor"
)
def pad_sequence(sequences: Any, batch_first: bool, value: float, side: str) -> Any:
    from rushlight.nn.utils.rnn import pad_sequence

    return pad_sequence(sequences, batch_first, value, side)


# -- embeddings, attention --


@operator(
    *(
        f"{name}(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
        "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, "
        "int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)"
        for name in ("_embedding_bag", "_embedding_bag_forward_only")
    )
)
def embedding_bag(*values: Any) -> Any:
    *given, padding = values
    return tops.embedding_bag(*given, None if padding < 0 else padding)


_ATTENTION = (
    "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., "
    "bool is_causal=False, {}*, float? scale=None, bool enable_gqa=False) -> {}"
)


@operator(f"scaled_dot_product_attention{_ATTENTION.format('', 'Tensor')}")
def attention(
    q: Any, k: Any, v: Any, mask: Any, p: float, causal: bool, scale: Any, gqa: bool
) -> Any:
    return F.scaled_dot_product_attention(q, k, v, mask, p, causal, scale=scale, enable_gqa=gqa)


@operator(
    "_scaled_dot_product_attention_math"
    + _ATTENTION.format("Tensor? dropout_mask=None, ", "(Tensor, Tensor)")
)
def attention_and_weights(
    q: Any, k: Any, v: Any, mask: Any, p: float, causal: bool, drop: Any, scale: Any, gqa: bool
) -> Any:
    if gqa:
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        v = v.repeat_interleave(q.shape[-3] // v.shape[-3], -3)
    scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    if mask is not None:
        scores = (
            scores.masked_fill(~mask, -torch.inf) if mask.dtype is torch.bool else scores + mask
        )
    weights = tops._safe_softmax(scores, -1)
    if drop is not None:
        weights = weights.masked_fill(~drop, 0) / (1 - p)
    elif p:
        weights = torch.dropout(weights, p, True)
    return weights @ v, weights


@operator("_masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor")
def masked_softmax(x: Any, mask: Any, dim: Any, kind: Any) -> Any:
    if kind == 1 and mask.dim() == 2:
        mask = mask.view(mask.shape[0], 1, 1, mask.shape[1])
    return x.masked_fill(mask, -torch.inf).softmax(x.dim() - 1 if dim is None else dim)


# -- numbers --


@operator(
    "_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
)
def add_relu(a: Any, b: Any, alpha: Any) -> Any:
    return torch.relu(torch.add(a, b, alpha=alpha))


@operator("_aminmax(Tensor self) -> (Tensor, Tensor)")
def extremes(x: Any) -> Any:
    return tuple(torch.aminmax(x))


@operator("_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)")
def extremes_along(x: Any, dim: int, keepdim: bool) -> Any:
    return tuple(torch.aminmax(x, dim=dim, keepdim=keepdim))


_MODES = {None: "use_mm_for_euclid_dist_if_necessary", 1: "use_mm_for_euclid_dist"}


@operator("_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor")
def distances(a: Any, b: Any, p: float, mode: Any) -> Any:
    return torch.cdist(a, b, p, _MODES.get(mode or None, "donot_use_mm_for_euclid_dist"))


@operator("_euclidean_dist(Tensor x1, Tensor x2) -> Tensor")
def euclidean(a: Any, b: Any) -> Any:
    return torch.cdist(a, b)


@operator("_pdist_forward(Tensor self, float p=2.) -> Tensor")
def own_distances(x: Any, p: float) -> Any:
    return torch.pdist(x, p)


@operator("_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor")
def weight_norm(v: Any, g: Any, dim: int) -> Any:
    return v * (g / norm_except(v, 2, dim))


@operator("_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)")
def weight_and_norm(v: Any, g: Any, dim: int) -> Any:
    norms = norm_except(v, 2, dim)
    return v * (g / norms), norms


@operator("norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor")
def norm_except(v: Any, pow: int, dim: int) -> Any:
    if dim == -1:
        return v.norm(pow)
    return tops.linalg.vector_norm(v, pow, [d for d in range(v.dim()) if d != dim % v.dim()], True)


@operator(
    "multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, "
    "int reduction=1) -> Tensor"
)
def multi_margin(x: Any, y: Any, p: Any, margin: Any, weight: Any, reduction: int) -> Any:
    return F.multi_margin_loss(
        x, y, p, margin, weight, reduction=("none", "mean", "sum")[reduction]
    )


@operator("_masked_scale(Tensor self, Tensor mask, float scale) -> Tensor")
def masked_scale(x: Any, mask: Any, scale: float) -> Any:
    return x * mask * scale


@operator(
    "normal_functional(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor"
)
def normal(x: Any, mean: float, std: float, generator: Any) -> Any:
    return x.clone().normal_(mean, std, generator=generator)


_CASTS = {
    "Byte": torch.uint8, "Char": torch.int8, "Short": torch.int16, "Int": torch.int32, "Long": torch.int64,
    "Half": torch.float16, "Float": torch.float32, "Double": torch.float64,
}  # fmt: skip


def _casts() -> None:
    for name, kind in _CASTS.items():
        _catalogue(f"_cast_{name}(Tensor self, bool non_blocking=False) -> Tensor")(
            lambda x, non_blocking, kind=kind: x.to(kind, non_blocking=non_blocking)
        )


# -- shapes --


@operator("_dim_arange(Tensor like, int dim) -> Tensor")
def places(like: Any, dim: int) -> Any:
    return torch.arange(like.shape[dim], device=like.device)


@operator("_shape_as_tensor(Tensor self) -> Tensor")
def sizes(x: Any) -> Any:
    return torch.tensor(list(x.shape), dtype=torch.int64)


@operator("_reshape_copy(Tensor self, SymInt[] size) -> Tensor")
def reshaped(x: Any, size: Any) -> Any:
    return x.reshape(size).clone()


@operator("_pad_circular(Tensor self, SymInt[] pad) -> Tensor")
def pad_circular(x: Any, pad: Any) -> Any:
    return F.pad(x, list(pad), "circular")


@operator("_pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor")
def pad(x: Any, pad: Any, mode: int, value: Any) -> Any:
    return F.pad(x, list(pad), ("reflect", "replicate", "circular", "constant")[mode], value)


@operator("flatten_dense_tensors(Tensor[] tensors) -> Tensor")
def flattened(tensors: Any) -> Any:
    return torch.cat([x.flatten() for x in tensors])


@operator("unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]")
def unflattened(flat: Any, tensors: Any) -> Any:
    parts = flat.split([x.numel() for x in tensors])
    return [part.view(x.shape) for part, x in zip(parts, tensors)]


@operator(
    "_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, "
    "int unroll_dim=1) -> Tensor"
)
def trilinear(
    a: Any, b: Any, c: Any, more: Any, more2: Any, more3: Any, summed: Any, unroll: int
) -> Any:
    for place in sorted(more):
        a = a.unsqueeze(place)
    for place in sorted(more2):
        b = b.unsqueeze(place)
    for place in sorted(more3):
        c = c.unsqueeze(place)
    found = a * b * c
    return found.sum(list(summed)) if summed else found


@operator(
    "_assert_async(Tensor self) -> ()", "_assert_async.msg(Tensor self, str assert_msg) -> ()"
)
def check(x: Any, message: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    if not bool(x):
        raise RuntimeError(message)


def define() -> None:
    _functional_forms()
    _recurrent_networks()
    _casts()
    _catalogue.define()
