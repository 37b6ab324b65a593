"""`cosine_similarity` and `pairwise_distance` of vectors."""

from __future__ import annotations

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction
from rushlight.engine.calls import view as views
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.ops.kinds.views import composite


@composite("cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int, eps: float) -> Tensor:
    common = promotion.promote_types(x1._dtype_, x2._dtype_)
    if common.category < FLOATING:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is "
            f"{promotion.title(common)}"
        )
    shape = geometry.broadcast_sizes(tuple(x1._size_), tuple(x2._size_))
    a, b = (
        views.expand(x if x._dtype_ is common else copies.to_dtype(x, common), shape, False)
        for x in (x1, x2)
    )
    # Each vector is scaled by itself, so that products of long ones do not overflow.
    a, b = (
        maps.div_Tensor(
            x, maps.clamp_min(reduction.linalg_vector_norm(x, 2.0, dim, True, None), eps)
        )
        for x in (a, b)
    )
    return reduction.sum_dim_IntList(maps.mul_Tensor(a, b), [dim], False, None)


@composite("pairwise_distance")
def pairwise_distance(x1: Tensor, x2: Tensor, p: float, eps: float, keepdim: bool) -> Tensor:
    difference = maps.add_Scalar(maps.sub_Tensor(x1, x2, 1), eps, 1)
    inner = max(len(x1._size_), len(x2._size_)) - 1
    return reduction.norm_ScalarOpt_dim(difference, p, [inner], keepdim)
