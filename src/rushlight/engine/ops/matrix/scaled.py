"""Products of matrices of 8-bit floats, each with scales of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite

# What scales belong to: the whole matrix, or each row of the first and column of the second.
WHOLE, ROWS = 0, 1
# Half a step above the largest number of `float8_e4m3fn`.
TOO_LARGE = 464.0


def _check(a: Any, b: Any, bias: Any) -> None:
    for name, matrix in (("mat1", a), ("mat2", b)):
        if matrix.dim() != 2:
            raise RuntimeError(f"{name} must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
            f"{b.shape[0]}x{b.shape[1]})"
        )
    if a.dtype not in dtypes.FLOAT8:
        raise RuntimeError(f"Expected mat1 to be Float8 matrix got {title(a.dtype)}")
    if bias is not None and bias.numel() != b.shape[1]:
        raise RuntimeError(f"Bias must be size {b.shape[1]} but got {bias.numel()}")


def _invalid(a: Any, b: Any) -> ValueError:
    return ValueError(
        "Invalid scaling configuration.\n- For TensorWise scaling, a and b should be float8, "
        "scales should be float and singletons.\n- For RowWise scaling, a and b should be float8, "
        f"scales should be float, scale_a should be ({a.shape[0]}, 1) and scale_b should be "
        f"(1, {b.shape[1]}), and both should be contiguous."
    )


def _scales_fit(a: Any, b: Any, scale_a: Any, scale_b: Any) -> bool:
    if b.dtype not in dtypes.FLOAT8:
        return False
    if scale_a.numel() == scale_b.numel() == 1:
        return True
    if scale_a.shape != (a.shape[0], 1) or scale_b.shape != (1, b.shape[1]):
        return False
    for name, scale in (("scale_a", scale_a), ("scale_b", scale_b)):
        if scale.stride(1) != 1:
            raise ValueError(f"expected {name}.stride(1) to be 1, but got {scale.stride(1)}")
    return True


def _scaled(a: Any, b: Any, scale_a: Any, scale_b: Any, bias: Any, kind: Any, is_fast: bool) -> Any:
    """The product of the scaled matrices, and the bias added to it."""
    if not _scales_fit(a, b, scale_a, scale_b):
        raise _invalid(a, b)
    if a.is_cuda:
        # Loaded where there is a GPU.
        from rushlight.engine.ops.matrix import device_scaled

        made = device_scaled.product(a, b, (scale_a, scale_b), bias, kind, is_fast)
        if made is not None:
            return made
    factors = scale_a.float() * scale_b.float()
    found = functions.mm(a.float(), b.float()) * factors.reshape(
        (1, 1) if factors.numel() == 1 else factors.shape
    )
    if bias is not None:
        found = found + bias.float().reshape(1, -1)
    if a.dtype is b.dtype is kind is dtypes.float8_e4m3fn:
        # As in PyTorch, where a cast, and products of different types, give the largest number.
        found = found.masked_fill(found.abs() > TOO_LARGE, float("nan"))
    return found.to(kind)


@composite("_scaled_mm")
def scaled_mm(
    self: Tensor, mat2: Tensor, scale_a: Tensor, scale_b: Tensor, bias: Tensor | None,
    scale_result: Tensor | None, out_dtype: Any, use_fast_accum: bool,
) -> Any:  # fmt: skip
    """As on PyTorch's CPU, ``scale_result`` changes nothing; ``use_fast_accum`` is for libraries of GPUs."""
    _check(self, mat2, bias)
    kind = out_dtype or self._dtype_
    return _scaled(self, mat2, scale_a, scale_b, bias, kind, use_fast_accum)


@composite("_scaled_mm.out")
def scaled_mm_out(
    self: Tensor, mat2: Tensor, scale_a: Tensor, scale_b: Tensor, bias: Tensor | None,
    scale_result: Tensor | None, out_dtype: Any, use_fast_accum: bool, out: Tensor,
) -> Any:  # fmt: skip
    _check(self, mat2, bias)
    if out_dtype not in (None, out._dtype_):
        raise RuntimeError("out_dtype must match output matrix type")
    made = _scaled(self, mat2, scale_a, scale_b, bias, out._dtype_, use_fast_accum)
    return outputs.copy_result(out, made)


def _by_recipes(
    a: Any, b: Any, scales: Sequence[Sequence[Any]], recipes: Sequence[Sequence[int]],
    swizzles: Sequence[Sequence[int]], bias: Any, kind: Any, is_fast: bool,
) -> Any:  # fmt: skip
    _check(a, b, bias)
    if any(swizzle != 0 for given in swizzles for swizzle in given):
        raise ValueError("CPU does not support swizzle.")
    known = [list(recipe) for recipe in recipes] in ([[WHOLE], [WHOLE]], [[ROWS], [ROWS]])
    if not known or any(len(given) != 1 for given in scales):
        raise _invalid(a, b)
    return _scaled(a, b, scales[0][0], scales[1][0], bias, kind, is_fast)


@composite("_scaled_mm_v2")
def scaled_mm_by_recipes(
    self: Tensor, mat2: Tensor, scale_a: Any, recipe_a: Any, swizzle_a: Any, scale_b: Any,
    recipe_b: Any, swizzle_b: Any, bias: Tensor | None, out_dtype: Any, contraction_dim: Any,
    use_fast_accum: bool,
) -> Any:  # fmt: skip
    kind = out_dtype or self._dtype_
    return _by_recipes(
        self, mat2, (scale_a, scale_b), (recipe_a, recipe_b), (swizzle_a, swizzle_b), bias, kind, use_fast_accum
    )  # fmt: skip


@composite("_scaled_mm_v2.out")
def scaled_mm_by_recipes_out(
    self: Tensor, mat2: Tensor, scale_a: Any, recipe_a: Any, swizzle_a: Any, scale_b: Any,
    recipe_b: Any, swizzle_b: Any, bias: Tensor | None, out_dtype: Any, contraction_dim: Any,
    use_fast_accum: bool, out: Tensor,
) -> Any:  # fmt: skip
    if out_dtype not in (None, out._dtype_):
        raise RuntimeError("out_dtype must match output matrix type")
    found = _by_recipes(
        self, mat2, (scale_a, scale_b), (recipe_a, recipe_b), (swizzle_a, swizzle_b), bias,
        out._dtype_, use_fast_accum,
    )  # fmt: skip
    return outputs.copy_result(out, found)
