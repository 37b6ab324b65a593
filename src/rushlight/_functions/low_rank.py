"""Linear algebra whose Python form isn't an operator's: `lu`, and low-rank approximations."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import linalg as calls
from rushlight.engine.calls import matrix, reduction
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.generated import functions, linalg_functions

__all__ = ["eig", "lstsq", "lu", "matrix_rank", "pca_lowrank", "solve", "svd_lowrank", "symeig"]


def _lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """Both LU factors in one matrix, the pivots, and with ``get_infos`` LAPACK's reports."""
    found: Any = functions._lu_with_info(A, pivot, False)
    found = found if get_infos else tuple(found[:2])
    if out is None:
        return found
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(found):
        raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
    for target, result in zip(out, found):
        target.resize_(result.size()).copy_(result)
    return out


def _lu_method(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """See `rushlight.lu`."""
    return _lu(self, pivot, get_infos)


def _adjoint(x: Tensor) -> Tensor:
    return views.adjoint(x)


def _orthonormal_range(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """An orthonormal basis for most of a matrix's range, from random vectors (Halko et al. 2009)."""
    kind = A._dtype_
    start = functions.randn((A._size_[-1], q), dtype=kind, device=A.device)

    def times(x: Tensor, y: Tensor, m: Tensor | None) -> Tensor:
        made = matrix.matmul(x, y)
        return made if m is None else maps.sub_Tensor(made, matrix.matmul(m, y), alpha=1)

    turned = None if M is None else _adjoint(M)
    basis: Tensor = linalg_functions.linalg_qr(times(A, start, M))[0]
    for _ in range(niter):
        back = linalg_functions.linalg_qr(times(_adjoint(A), basis, turned))[0]
        basis = linalg_functions.linalg_qr(times(A, back, M))[0]
    return basis


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """An approximate singular value decomposition of ``A - M`` with ``q`` values."""
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    rows, cols = A._size_[-2:]
    if M is not None:
        M = views.expand(M, tuple(A._size_))
    # The shorter side is the one that random vectors are drawn for.
    swapped = rows < cols
    if swapped:
        A, M = _adjoint(A), None if M is None else _adjoint(M)
    basis = _orthonormal_range(A, q, niter, M)
    small = matrix.matmul(_adjoint(basis), A)
    if M is not None:
        small = maps.sub_Tensor(small, matrix.matmul(_adjoint(basis), M), alpha=1)
    left, values, right = calls.linalg_svd(small, False, None)
    left, right = matrix.matmul(basis, left), _adjoint(right)
    return (right, values, left) if swapped else (left, values, right)


def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """Principal components: `svd_lowrank` of a matrix whose columns' means are taken off."""
    rows, cols = A._size_[-2:]
    if q is None:
        q = min(6, rows, cols)
    elif not 0 <= q <= min(rows, cols):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, cols)}"
        )
    if not niter >= 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not center:
        return svd_lowrank(A, q, niter, None)
    mean = reduction.mean_dim(A, [-2], True, None)
    return svd_lowrank(maps.sub_Tensor(A, mean, alpha=1), q, niter, None)


# -- names that PyTorch has removed --

_REPLACEMENTS = {
    "eig": "torch.linalg.eig",
    "lstsq": "torch.linalg.lstsq, which takes its arguments in the other order",
    "matrix_rank": "torch.linalg.matrix_rank",
    "solve": "torch.linalg.solve, which takes its arguments in the other order",
    "symeig": "torch.linalg.eigh",
}


def _removed(name: str) -> Any:
    def function(*args: Any, **options: Any) -> Any:
        raise RuntimeError(f"torch.{name} is removed; use {_REPLACEMENTS[name]}")

    function.__name__ = name
    function.__doc__ = f"Removed: use `{_REPLACEMENTS[name]}`."
    return function


eig, lstsq, matrix_rank, solve, symeig = map(_removed, sorted(_REPLACEMENTS))
lu = call_cache.overridable_function("lu", _lu)
METHODS = {"lu": _lu_method, "eig": eig, "lstsq": lstsq, "solve": solve, "symeig": symeig}
