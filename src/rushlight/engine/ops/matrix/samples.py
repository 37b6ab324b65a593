"""Samples of products of matrices."""

from __future__ import annotations

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.ops.samples import Samples, matrices, numbers

samples = Samples("matrix")
add = samples.add

add("mm", numbers(2, 3), numbers(3, 4))
add("bmm", numbers(2, 2, 3), numbers(2, 3, 2))
add("mv", numbers(2, 3), numbers(3))
add("dot", numbers(3), numbers(3))
add("vdot", numbers(3), numbers(3))
add("addmm", numbers(4), numbers(2, 3), numbers(3, 4), beta=2, alpha=3)
add("_addmm_activation", numbers(4), numbers(2, 3), numbers(3, 4), beta=2, alpha=3)
add("addmv", numbers(2), numbers(2, 3), numbers(3), beta=2, alpha=3)
add("addr", numbers(2, 3), numbers(2), numbers(3), beta=2, alpha=3)
add("baddbmm", numbers(2, 2, 2), numbers(2, 2, 3), numbers(2, 3, 2), beta=2, alpha=3)
add("_matmul_batched", numbers(2, 1, 2, 3), numbers(4, 3, 2))
add("_linear_planned", numbers(2, 2, 3), numbers(4, 3), numbers(4))

samples.operands(matrices(3, 3), "matmul", "linalg_matmul", "chain_matmul", "linalg_multi_dot",
                 "linalg_matrix_power", "matrix_power", "_sparse_mm")  # fmt: skip
samples.operands(numbers(3), "outer", "ger")
samples.given("linalg_matrix_power", n=2)
samples.given("matrix_power", n=2)
add("addbmm", numbers(2, 2), numbers(3, 2, 3), numbers(3, 3, 2))
add("bilinear", numbers(2, 3), numbers(2, 4), numbers(5, 3, 4))
add("tensordot", numbers(2, 3), numbers(3, 4), [1], [0])
add("einsum", "ij,jk->ik", [numbers(2, 3), numbers(3, 4)])
add("mm.dtype", numbers(2, 3), numbers(3, 4), dtypes.float64)
add("bmm.dtype", numbers(2, 2, 3), numbers(2, 3, 2), dtypes.float64)
add("addmm.dtype", numbers(4), numbers(2, 3), numbers(3, 4), dtypes.float64)
add("baddbmm.dtype", numbers(2, 2, 2), numbers(2, 2, 3), numbers(2, 3, 2), dtypes.float64)
samples.without(
    "takes floats of eight bits; tests/engine/ops/matrix has them", "_scaled_mm", "_scaled_mm_v2"
)
