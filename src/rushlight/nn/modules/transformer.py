"""Attention of several heads, and transformers."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import rushlight
from rushlight import backends
from rushlight.engine.core.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.activation import GELU, ReLU
from rushlight.nn.modules.container import ModuleList
from rushlight.nn.modules.dropout import Dropout
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import LayerNorm
from rushlight.nn.parameter import Parameter

__all__ = [
    "MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection of attention: a `Linear` by another name."""


class MultiheadAttention(Module):
    """Attention of several heads, with projections before and behind.

    Args:
        embed_dim: the features of queries and outputs
        num_heads: how many heads share them
        dropout: the share of weights left out in training
        bias: whether projections add something
        add_bias_kv: whether a learnt key and value are added
        add_zero_attn: whether a key and value of zeros are added
        kdim: the features of keys, if not ``embed_dim``
        vdim: the features of values, if not ``embed_dim``
        batch_first: whether the batch comes before time
    """

    bias_k: Any
    bias_v: Any

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        sizes = {
            "in_proj_weight": (3 * embed_dim, embed_dim) if self._qkv_same_embed_dim else None,
            "q_proj_weight": None if self._qkv_same_embed_dim else (embed_dim, embed_dim),
            "k_proj_weight": None if self._qkv_same_embed_dim else (embed_dim, self.kdim),
            "v_proj_weight": None if self._qkv_same_embed_dim else (embed_dim, self.vdim),
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        # The order in which PyTorch registers them, which state dicts show.
        order = ["in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"]
        if not self._qkv_same_embed_dim:
            order = [*order[1:], order[0]]
        for name in [*order, "in_proj_bias"]:
            size = sizes[name]
            weight = None if size is None else Parameter(rushlight.empty(size, **made))
            self.register_parameter(name, weight)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **made)
        for name in ("bias_k", "bias_v"):
            extra = Parameter(rushlight.empty((1, 1, embed_dim), **made)) if add_bias_kv else None
            self.register_parameter(name, extra)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        names = ["in_proj_weight"]
        if not self._qkv_same_embed_dim:
            names = ["q_proj_weight", "k_proj_weight", "v_proj_weight"]
        for name in names:
            init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
        need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> Any:  # fmt: skip
        if query.is_nested or key.is_nested or value.is_nested:
            self._check_nested(query, key, value, key_padding_mask, attn_mask, need_weights)
            return self._attended_sequences(query, key, value, is_causal), None
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = _turned(query, key, value)
        made, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight, k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight, average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )  # fmt: skip
        return (made.transpose(1, 0) if turned else made), weights

    def _check_nested(
        self, query: Any, key: Any, value: Any, padding: Any, mask: Any, need_weights: bool
    ) -> None:  # fmt: skip
        """Raise for what sequences of different lengths do not take."""
        why = ""
        if not self.batch_first:
            why = "batch_first was not True"
        elif padding is not None or mask is not None:
            why = "neither key_padding_mask nor attn_mask are supported with NestedTensor input"
        elif self.bias_k is not None or self.add_zero_attn:
            why = "add_bias_kv or add_zero_attn was True"
        elif need_weights:
            why = "need_weights was True"
        elif not (query.is_nested and key.is_nested and value.is_nested):
            why = "some of query, key and value were not nested"
        if why:
            raise AssertionError(
                "MultiheadAttention does not support NestedTensor outside of its fast path. The fast "
                f"path was not hit because {why}"
            )

    def _attended_sequences(self, query: Any, key: Any, value: Any, is_causal: bool) -> Any:
        """Attention of nested sequences: none of their places is padded."""
        # Loaded where there are nested tensors.
        from rushlight.engine.transforms.nested import rows as nested_rows

        found = nested_rows.as_jagged(query)
        if key is query and value is query and self._qkv_same_embed_dim:
            parts = F.linear(found, self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        else:
            weights: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
            if self._qkv_same_embed_dim:
                weights = self.in_proj_weight.chunk(3)
            biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
            given = (nested_rows.as_jagged(x) for x in (query, key, value))
            parts = tuple(F.linear(x, w, b) for x, w, b in zip(given, weights, biases))
        q, k, v = (x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2) for x in parts)
        dropped = self.dropout if self.training else 0.0
        made = F.scaled_dot_product_attention(q, k, v, None, dropped, is_causal)
        return nested_rows.laid_out_like(self.out_proj(made.transpose(1, 2).flatten(2)), query)


def _turned(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """Time-major inputs; those that were the same tensor still are."""
    first = query.transpose(1, 0)
    second = first if key is query else key.transpose(1, 0)
    third = second if value is key else value.transpose(1, 0)
    return first, second, third


def _get_activation_fn(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return getattr(F, given)


class TransformerEncoderLayer(Module):
    """Self-attention and two linear maps, each added to its input and normalised.

    Args:
        d_model: the features
        nhead: how many heads attention has
        dim_feedforward: the features between the linear maps
        dropout: the share of elements left out in training
        activation: between the linear maps
        layer_norm_eps: see `LayerNorm`
        batch_first: whether the batch comes before time
        norm_first: whether inputs are normalised instead of sums
        bias: whether linear maps and normalisations add something
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        made = {"device": device, "dtype": dtype}
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **made
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    _only_in_files = ("activation_relu_or_gelu",)

    @property
    def activation_relu_or_gelu(self) -> int:
        """Which of the two the activation is: 1, 2, or 0 for neither."""
        known = ((_get_activation_fn("relu"), ReLU), (_get_activation_fn("gelu"), GELU))
        for number, (function, kind) in enumerate(known, 1):
            if self.activation is function or isinstance(self.activation, kind):
                return number
        return 0

    def forward(
        self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Any:  # fmt: skip
        masks = (src_mask, src_key_padding_mask, is_causal)
        if self.norm_first:
            x = src + self._sa_block(self.norm1(src), *masks)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(src + self._sa_block(src, *masks))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Any, mask: Any, padding: Any, is_causal: bool = False) -> Any:
        made = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False,
            is_causal=is_causal,
        )[0]  # fmt: skip
        return self.dropout1(made)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to a memory, and two linear maps.

    The arguments are those of `TransformerEncoderLayer`.
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        made = {"device": device, "dtype": dtype}
        super().__init__()
        for name in ("self_attn", "multihead_attn"):
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **made
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        for name in ("norm1", "norm2", "norm3"):
            setattr(self, name, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made))
        for name in ("dropout1", "dropout2", "dropout3"):
            setattr(self, name, Dropout(dropout))
        self.activation = _get_activation_fn(activation)

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = tgt + self._sa_block(self.norm1(tgt), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(tgt + self._sa_block(tgt, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Any, mask: Any, padding: Any, is_causal: bool = False) -> Any:
        made = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal,
            need_weights=False,
        )[0]  # fmt: skip
        return self.dropout1(made)

    def _mha_block(
        self, x: Any, memory: Any, mask: Any, padding: Any, is_causal: bool = False
    ) -> Any:
        made = self.multihead_attn(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal,
            need_weights=False,
        )[0]  # fmt: skip
        return self.dropout2(made)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def _copies(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def _is_causal(mask: Any, given: bool | None) -> bool:
    """Whether a mask is the causal one, unless that is said."""
    if given is not None or mask is None:
        return bool(given)
    length = mask.size(0)
    if mask.dim() < 2 or mask.size(-2) != mask.size(-1):
        return False
    causal = Transformer.generate_square_subsequent_mask(length, mask.device, mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _as_numbers(mask: Any, like: Any) -> Any:
    """A boolean mask as numbers to add."""
    if mask is None or mask.dtype is not rushlight.bool:  # type: ignore[attr-defined]
        return mask
    return rushlight.zeros_like(mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))  # type: ignore[attr-defined]


class TransformerEncoder(Module):
    """Encoder layers, one after another."""

    def __init__(
        self, encoder_layer: Any, num_layers: int, norm: Any = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        # Whether sequences lose their padding where that cannot be seen but in the padding.
        why_not = _why_padded(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not why_not
        self.mask_check = mask_check
        if enable_nested_tensor and why_not:
            warnings.warn(
                "enable_nested_tensor is True, but self.use_nested_tensor is False because "
                f"{why_not}",
                stacklevel=2,
            )

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None,
        is_causal: bool | None = None,
    ) -> Any:  # fmt: skip
        padding = _as_numbers(src_key_padding_mask, src)
        causal = _is_causal(mask, is_causal)
        size = src.shape if self._drops_padding(src, mask, padding) else None
        if size is not None:
            kept = padding.logical_not()
            src = rushlight._nested_tensor_from_mask(src, kept, mask_check=False)  # type: ignore[attr-defined]
            padding = None
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if size is not None:
            src = src.to_padded_tensor(0.0, size)
        return src if self.norm is None else self.norm(src)

    def _drops_padding(self, src: Any, mask: Any, padding: Any) -> bool:
        """Whether the layers work on sequences without their padding, as PyTorch's do."""
        first: Any = self.layers[0]
        if not self.use_nested_tensor or first.training or padding is None or mask is not None:
            return False
        if src.dim() != 3 or src.is_nested or not backends.mha.get_fastpath_enabled():
            return False
        if rushlight.is_autocast_enabled():  # type: ignore[attr-defined]
            return False
        if self.mask_check and not rushlight._nested_tensor_from_mask_left_aligned(  # type: ignore[attr-defined]
            src, padding.logical_not()
        ):
            return False
        given = [src, *first.parameters()]
        if not all(type(x) in (Tensor, Parameter) and x.is_cpu for x in given):
            return False
        return not (rushlight.is_grad_enabled() and any(x.requires_grad for x in given))  # type: ignore[attr-defined]


def _why_padded(layer: Any) -> str:
    """Why an encoder keeps the padding of sequences; nothing if it need not."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        "encoder_layer.norm_first was True": layer.norm_first,
        "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference "
        "performance)": not attention.batch_first,
        "encoder_layer.self_attn._qkv_same_embed_dim was not True": (
            not attention._qkv_same_embed_dim
        ),
        "encoder_layer.self_attn was passed bias=False": attention.in_proj_bias is None,
        "encoder_layer.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps": (
            layer.norm1.eps != layer.norm2.eps
        ),
        "encoder_layer.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((why for why, holds in reasons.items() if holds), "")


class TransformerDecoder(Module):
    """Decoder layers, one after another."""

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        causal = _is_causal(tgt_mask, tgt_is_causal)
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal, memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder whose output a decoder attends to."""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = F.relu, custom_encoder: Any = None, custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        made = {"device": device, "dtype": dtype}
        settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias,
        )  # fmt: skip
        norm = {"eps": layer_norm_eps, "bias": bias, **made}
        self.encoder = custom_encoder
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*settings, **made)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model, **norm))
        self.decoder = custom_decoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*settings, **made)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model, **norm))
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None,
        memory_mask: Any = None, src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Minus infinity after the diagonal: positions see only what came before."""
        full = rushlight.full((sz, sz), float("-inf"), dtype=dtype, device=device)  # type: ignore[attr-defined]
        return full.triu(1)

    def _reset_parameters(self) -> None:
        for weight in self.parameters():
            if weight.dim() > 1:  # type: ignore[attr-defined]
                init.xavier_uniform_(weight)
