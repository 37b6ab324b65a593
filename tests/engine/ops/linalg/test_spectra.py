"""Singular values, eigenvalues and functions of them."""

import math

import numpy as np
import pytest
from test_factors import BATCHES, KINDS, close, identity, layouts, random

import rushlight as torch


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("rows, cols", [(4, 4), (5, 3), (3, 5), (0, 3), (3, 0)])
def test_svd(dtype, batch, rows, cols):
    a = random(*batch, rows, cols, dtype=dtype)
    for x in layouts(a):
        u, s, vh = torch.linalg.svd(x, full_matrices=False)
        close((u * s[..., None, :]) @ vh, a)
        assert not s.dtype.is_complex and (s[..., 1:] <= s[..., :-1]).all()
    close(torch.linalg.svdvals(a), s)
    u, _, vh = torch.linalg.svd(a)
    close(u.mH @ u, identity(u))
    close(vh @ vh.mH, identity(vh))
    close(torch.svd(a).V.mH, torch.linalg.svd(a, full_matrices=False).Vh)
    assert torch.svd(a, compute_uv=False).U.shape == (*batch, rows, rows)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("uplo", ["L", "u"])
def test_eigh(dtype, batch, uplo):
    a = random(*batch, 5, 5, dtype=dtype)
    a = a + a.mH
    half = a.tril() if uplo == "L" else a.triu()
    values, vectors = torch.linalg.eigh(half, UPLO=uplo)
    close(vectors * values[..., None, :], a @ vectors)
    close(vectors.mH @ vectors, identity(a))
    close(torch.linalg.eigvalsh(half, UPLO=uplo), values)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_eig(dtype, batch, n):
    a = random(*batch, n, n, dtype=dtype)
    values, vectors = torch.linalg.eig(a)
    assert values.dtype.is_complex
    close(vectors * values[..., None, :], a.to(values.dtype) @ vectors)
    found = np.sort_complex(torch.linalg.eigvals(a).numpy())
    np.testing.assert_allclose(found, np.sort_complex(values.numpy()), 1e-3, 1e-4)


def test_values_that_are_not_finite():
    bad = torch.full((2, 2), float("nan"))
    with pytest.raises(torch.linalg.LinAlgError, match="contained non-finite values"):
        torch.linalg.svd(bad)
    with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
        torch.linalg.eigvals(bad)


@pytest.mark.parametrize("dtype", KINDS)
def test_pinv_and_rank(dtype):
    a = random(2, 5, 2, dtype=dtype) @ random(2, 2, 4, dtype=dtype)
    assert torch.linalg.matrix_rank(a).tolist() == [2, 2]
    p = torch.linalg.pinv(a, rtol=1e-4)
    close(a @ p @ a, a)
    close(p @ a @ p, p)
    h = a @ a.mH
    close(torch.linalg.pinv(h, rtol=1e-4, hermitian=True), torch.linalg.pinv(h, rtol=1e-4))
    assert torch.linalg.matrix_rank(h, hermitian=True, rtol=1e-4).tolist() == [2, 2]
    assert torch.linalg.matrix_rank(a, atol=torch.tensor([0.0, 1e6])).tolist() == [2, 0]
    assert torch.linalg.pinv(a[:, :0]).shape == (2, 4, 0)


def test_norms_and_condition():
    a = torch.diag(torch.tensor([4.0, 2.0, 1.0]))
    for p, wanted in [(None, 4), (2, 4), (-2, 0.25), (1, 4), ("fro", math.sqrt(21 * 1.3125))]:
        assert torch.linalg.cond(a, p).item() == pytest.approx(wanted)
    assert torch.linalg.cond(torch.zeros(2, 2), 1).item() == math.inf
    assert torch.linalg.norm(a, "nuc").item() == 7
    assert torch.linalg.norm(a, 2).item() == 4
    assert torch.linalg.norm(torch.zeros(2, 0, 3), 2, dim=(1, 2)).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="invalid norm type"):
        torch.linalg.cond(a, 3)


@pytest.mark.parametrize("dtype", KINDS)
def test_matrix_exp(dtype):
    a = torch.stack([random(4, 4, dtype=dtype) * size for size in (1e-3, 1.0, 2.5)])
    values, vectors = np.linalg.eig(a.numpy().astype(complex))
    wanted = (vectors * np.exp(values)[..., None, :]) @ np.linalg.inv(vectors)
    found = torch.matrix_exp(a).numpy()
    single = dtype in (torch.float32, torch.complex64)
    scale = abs(wanted).max((-2, -1), keepdims=True)
    assert (abs(found - wanted) / scale).max() < (1e-4 if single else 1e-10)
    close(torch.matrix_exp(a) @ torch.matrix_exp(-a) / 100, identity(a) / 100)
    assert torch.linalg.matrix_exp(torch.zeros(0, 3, 3)).shape == (0, 3, 3)


def test_low_rank():
    torch.manual_seed(0)
    a = random(8, 2) @ random(2, 6)
    u, s, v = torch.svd_lowrank(a, q=3)
    close((u * s) @ v.mT, a)
    u, s, v = torch.pca_lowrank(a, q=2)
    close((u * s) @ v.mT, a - a.mean(0))
    with pytest.raises(ValueError, match="must be non-negative integer"):
        torch.pca_lowrank(a, q=9)
