"""Autocast's policies on CUDA, which are other than those on the CPU: PyTorch's documentation lists them."""

from __future__ import annotations

from rushlight.engine.dispatch.operator import Operator

_LISTS = {
    "lower_precision": (
        "addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d conv_tbc conv_transpose1d"
        " conv_transpose2d conv_transpose3d convolution einsum linalg_multi_dot linalg_vecdot linear matmul mm"
        " mv prelu scaled_dot_product_attention"
    ),
    "float32": (
        "acos asin binary_cross_entropy_with_logits cdist cosh cosine_embedding_loss cosine_similarity"
        " cross_entropy_loss cumprod cumsum dist erfinv exp expm1 group_norm hinge_embedding_loss kl_div"
        " l1_loss layer_norm log log10 log1p log2 log_softmax logsumexp margin_ranking_loss mse_loss"
        " multi_margin_loss multilabel_margin_loss native_layer_norm nll_loss nll_loss2d norm pdist"
        " poisson_nll_loss pow prod reciprocal renorm rsqrt sinh smooth_l1_loss soft_margin_loss softmax"
        " softplus sum tan triplet_margin_loss"
    ),
    "widest": (
        "addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put scatter_add tensordot vdot"
    ),
}  # fmt: skip
_POLICIES = {name: policy for policy, names in _LISTS.items() for name in names.split()}


def policy_of(op: Operator) -> str:
    """The policy of an operator; nothing for one that runs as it is."""
    if op.namespace != "aten" or op.schema.kind != "functional":
        return ""
    return _POLICIES.get(op.packet_name, "")
