"""Autocast: products compute in the lower type, delicate operators in float32.

The operators and their policies are those of PyTorch on the CPU. One without a policy runs as it
is; if it is made of others, they come here.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.dispatch import autocasting, registry
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.specialise import Rest, Writer

LOWER = frozenset({
    "_addmm_activation", "_convolution.deprecated", "_native_multi_head_attention", "addbmm", "addmm",
    "baddbmm", "bmm", "conv1d", "conv1d.padding", "conv2d", "conv2d.padding", "conv3d",
    "conv3d.padding", "conv_tbc", "conv_transpose1d", "conv_transpose2d.input",
    "conv_transpose3d.input", "linalg_vecdot", "linear", "matmul", "mkldnn_rnn_layer", "mm", "prelu",
    "scaled_dot_product_attention",
})  # fmt: skip

FULL = frozenset({
    "_grid_sampler_2d_cpu_fallback", "_lu_with_info", "adaptive_avg_pool3d", "adaptive_max_pool3d",
    "avg_pool3d", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist", "cholesky",
    "cholesky_inverse", "cholesky_solve", "cosine_embedding_loss", "cross_entropy_loss",
    "ctc_loss.IntList", "ctc_loss.Tensor", "fake_quantize_per_tensor_affine", "fft_fft", "fft_fft2",
    "fft_fftn", "fft_hfft", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_ihfft", "fft_irfft",
    "fft_irfft2", "fft_irfftn", "fft_rfft", "fft_rfft2", "fft_rfftn", "fractional_max_pool2d",
    "fractional_max_pool3d", "geqrf", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d",
    "hinge_embedding_loss", "huber_loss", "inverse", "kl_div", "l1_loss", "linalg_cholesky",
    "linalg_cholesky_ex", "linalg_cond", "linalg_cond.p_str", "linalg_eig", "linalg_eigh",
    "linalg_eigvals", "linalg_eigvalsh", "linalg_householder_product", "linalg_inv", "linalg_inv_ex",
    "linalg_lstsq", "linalg_matrix_rank", "linalg_matrix_rank.atol_rtol_float",
    "linalg_matrix_rank.atol_rtol_tensor", "linalg_matrix_rank.tol_tensor", "linalg_qr",
    "linalg_solve", "linalg_svd", "linalg_svdvals", "linalg_tensorinv", "linalg_tensorsolve",
    "lu_solve", "margin_ranking_loss", "max_pool3d", "max_unpool2d", "max_unpool3d", "mse_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_margin_loss_forward", "nanquantile",
    "nanquantile.scalar", "nll_loss", "nll_loss2d", "nll_loss_nd", "orgqr", "ormqr", "pinverse", "poisson_nll_loss",
    "polar", "prod", "prod.dim_int", "qr", "quantile", "quantile.scalar", "reflection_pad1d",
    "reflection_pad2d", "replication_pad1d", "replication_pad2d", "replication_pad3d",
    "smooth_l1_loss", "soft_margin_loss", "stft", "stft.center", "svd", "trace",
    "triangular_solve", "triplet_margin_loss", "view_as_complex",
})  # fmt: skip

WIDEST = frozenset({"cat", "index_copy", "stack"})


def _lowered(*values: Any) -> Any:
    return _all_cast(values, autocasting.dtype_of("cpu"))


def _full(*values: Any) -> Any:
    return _all_cast(values, dtypes.float32)


def _widest(*values: Any) -> Any:
    return _all_cast(values, autocasting.widest(tensors_in(values)))


def _all_cast(values: tuple[Any, ...], wanted: dtypes.dtype) -> list[Any]:
    # What is made depends on the thread's settings, so no call is remembered as a plan.
    steps.Unrepeatable.note()
    return [autocasting.cast(value, wanted) for value in values]


def _without() -> state.excluding:
    return state.excluding(key_bits.AUTOCAST)


def part(op: Operator, keys: int, writer: Writer, rest: Rest) -> str | None:
    """What the key adds to an operator."""
    name = op.base_name.removeprefix("aten::")
    if name in LOWER:
        policy: Any = _lowered
    elif name in FULL:
        policy = _full
    elif name in WIDEST:
        policy = _widest
    else:
        return rest()
    places = [i for i, argument in enumerate(op.schema.arguments) if argument.is_tensor_like]
    given = [writer.arguments[place] for place in places]
    # Below, everything is in its type already.
    with writer.block(f"with {writer.bind('without_autocast', _without)}():"):
        cast = [writer.fresh(f"{name}_cast") for name in given]
        writer.line(f"{', '.join(cast)}, = {writer.bind('cast', policy)}({', '.join(given)})")
        for place, variable in zip(places, cast):
            writer.arguments[place] = variable
        return rest()


registry.register_part("Autocast", part)
