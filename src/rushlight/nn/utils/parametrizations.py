"""Ready parametrizations: norms of weights, spectral norms, orthogonal matrices."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.nn import functional as F
from rushlight.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from rushlight.nn.modules.module import Module
from rushlight.nn.utils import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_linalg: Any = rushlight.linalg
_TRANSPOSED = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
_FIRST_ITERATIONS = 15


def norm_except_dim(weight: Any, dim: int) -> Any:
    """The Euclidean norms of a tensor's slices; of the whole for -1."""
    if dim == -1:
        return weight.norm(2)
    if weight.dim() == 1:
        # No slice is left to add up, so each element keeps its own length.
        return weight.abs()
    others = [d for d in range(weight.dim()) if d != dim % weight.dim()]
    return _linalg.vector_norm(weight, 2, others, keepdim=True)


def scaled_to(weight: Any, norms: Any, dim: int) -> Any:
    """The tensor with its slices scaled to given norms."""
    return weight * (norms / norm_except_dim(weight, dim))


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return scaled_to(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Let a weight be directions and lengths, each a parameter of its own.

    Args:
        module: whose weight
        name: its name
        dim: along which each slice has a length; None for one length of all
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_old_names(state_dict: Any, prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                new = f"{prefix}parametrizations.{name}.original{i}"
                state_dict[new] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(take_old_names)
    return module


def as_matrix(weight: Any, dim: int) -> Any:
    """A weight as a matrix with one row for each place along a dimension."""
    if dim != 0:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.flatten(1)


class _SpectralNorm(Module):
    _u: Any
    _v: Any

    def __init__(
        self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got "
                f"{dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim)
            rows, columns = matrix.size()
            u = matrix.new_empty(rows).normal_(0, 1)
            v = matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, _FIRST_ITERATIONS)

    @rushlight.no_grad()
    def _iterate(self, matrix: Any, count: int) -> None:
        """Bring the two vectors nearer to the first singular ones."""
        for _ in range(count):
            self._u.copy_(F.normalize(matrix.mv(self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(matrix.mH.mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        # Copies, as the buffers change in place before the backward pass.
        u, v = self._u.clone(), self._v.clone()
        return weight / rushlight.vdot(u, matrix.mv(v))

    def right_inverse(self, value: Any) -> Any:
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
    dim: int | None = None,
) -> Module:  # fmt: skip
    """Let a weight have the spectral norm 1.

    Args:
        module: whose weight
        name: its name
        n_power_iterations: how often the norm's estimate is improved at each use
        eps: keeps divisors from zero
        dim: the dimension that is the matrix's rows
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, rushlight.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, _TRANSPOSED) else 0
    step = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, step)


def _is_orthogonal(matrix: Any) -> bool:
    n, k = matrix.size(-2), matrix.size(-1)
    if n < k:
        matrix, n, k = matrix.mT, k, n
    identity = rushlight.eye(k, dtype=matrix.dtype, device=matrix.device)
    eps = 10 * n * rushlight.finfo(matrix.dtype).eps
    return bool(rushlight.allclose(matrix.mH @ matrix, identity, atol=eps))


def _made_orthogonal(matrix: Any) -> Any:
    """The orthogonal factor, with the signs of the other one's diagonal."""
    reflectors, scales = rushlight.geqrf(matrix)
    q = _linalg.householder_product(reflectors, scales)
    return q * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Any) -> Any:
        is_wide = x.size(-2) < x.size(-1)
        x = x.mT if is_wide else x
        n, k = x.size(-2), x.size(-1)
        if self.orthogonal_map == "householder":
            reflectors = x.tril(diagonal=-1)
            scales = 2.0 / (1.0 + (reflectors * reflectors).sum(dim=-2))
            q = _linalg.householder_product(reflectors, scales)
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            x = x.tril()
            if n != k:
                rest = x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)
                x = rushlight.cat([x, rest], dim=-1)
            skew = x - x.mH
            if self.orthogonal_map == "matrix_exp":
                q = rushlight.matrix_exp(skew)
            else:
                identity = rushlight.eye(n, dtype=skew.dtype, device=skew.device)
                q = _linalg.solve(
                    rushlight.add(identity, skew, alpha=-0.5),
                    rushlight.add(identity, skew, alpha=0.5),
                )
            if n != k:
                q = q[..., :k]
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if is_wide else q

    @rushlight.no_grad()
    def right_inverse(self, q: Any) -> Any:
        if q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {q.shape}."
            )
        given = q
        is_wide = q.size(-2) < q.size(-1)
        q = q.mT if is_wide else q
        n, k = q.size(-2), q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            reflectors, _ = rushlight.geqrf(q)
            diagonal = reflectors.diagonal(dim1=-2, dim2=-1)
            diagonal.sign_()
            diagonal.masked_fill_(diagonal == 0.0, 1.0)
            return reflectors.mT if is_wide else reflectors
        if n != k:
            rest = rushlight.randn(*q.shape[:-2], n, n - k, dtype=q.dtype, device=q.device)
            q = _made_orthogonal(rushlight.cat([q, rest], dim=-1))
        else:
            q = q.clone() if _is_orthogonal(q) else _made_orthogonal(q)
        self.base = q
        # The point of the map that is sent to the base.
        start = rushlight.zeros_like(given)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *,
    use_trivialization: bool = True,
) -> Module:  # fmt: skip
    """Let a matrix be orthogonal, or unitary.

    Args:
        module: whose matrix
        name: its name
        orthogonal_map: ``"matrix_exp"``, ``"cayley"`` or ``"householder"``
        use_trivialization: begin at the nearest orthogonal matrix, kept as a base
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, rushlight.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        is_square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
            f"{orthogonal_map}"
        )
    step = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return parametrize.register_parametrization(module, name, step, unsafe=True)
