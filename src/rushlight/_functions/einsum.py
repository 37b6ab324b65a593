"""Products whose Python form differs from the operator's: `einsum`, `tensordot`, `cdist`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.generated import functions

__all__ = ["cdist", "chain_matmul", "einsum", "tensordot"]

_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}


def _einsum(*args: Any) -> Tensor:
    """Sums of products of elements, as an equation such as ``"ij,jk->ik"`` describes them.

    Lists of numbers after each operand may stand for the equation.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    if isinstance(args[0], Tensor):
        terms = ["".join(map(_letter, labels)) for labels in args[1::2]]
        operands: Sequence[Tensor] = args[0 : 2 * (len(args) // 2) : 2]
        equation = ",".join(terms[: len(operands)])
        if len(args) % 2:
            equation += "->" + "".join(map(_letter, args[-1]))
    else:
        equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return _einsum(equation, *operands[0])
    return functions.einsum(equation, list(operands), path=None)


def _letter(number: Any) -> str:
    if number is Ellipsis:
        return "..."
    if not 0 <= number < 52:
        raise ValueError("einsum(): subscripts must be between 0 and 51")
    return chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)


def _tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The product over several dimensions: the last of ``a`` and first of ``b``, or given ones."""
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, (list, tuple)):
        first, second = (list(d) if isinstance(d, (list, tuple)) else [d] for d in dims)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    if out is None:
        return functions.tensordot(a, b, first, second)
    return functions.tensordot(a, b, first, second, out=out)


def _cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """The p-norm distance between every row of one matrix and every row of another."""
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return functions.cdist(x1, x2, p, _MODES[compute_mode])


def _chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """The product of matrices, in the order that takes the fewest operations."""
    given = matrices[0] if matrices and isinstance(matrices[0], (list, tuple)) else matrices
    if out is None:
        return functions.chain_matmul(list(given))
    return functions.chain_matmul(list(given), out=out)


einsum = call_cache.overridable_function("einsum", _einsum)
tensordot = call_cache.overridable_function("tensordot", _tensordot)
cdist = call_cache.overridable_function("cdist", _cdist)
chain_matmul = call_cache.overridable_function("chain_matmul", _chain_matmul)
