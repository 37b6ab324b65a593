"""Calls of LAPACK that are repeated: right for other elements, and faults are seen each time."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

KINDS = [torch.float32, torch.float64, torch.complex64, torch.complex128]


def matrices(kind, batch=(), n=4):
    made = torch.randn(*batch, n, n, dtype=kind)
    return made @ made.mH + n * torch.eye(n, dtype=kind)


CALLS = {
    "cholesky": (torch.linalg.cholesky, np.linalg.cholesky),
    "inv": (torch.linalg.inv, np.linalg.inv),
    "det": (torch.linalg.det, np.linalg.det),
    "eigvalsh": (torch.linalg.eigvalsh, np.linalg.eigvalsh),
    "svdvals": (torch.linalg.svdvals, lambda a: np.linalg.svd(a, compute_uv=False)),
    "solve": (
        lambda a: torch.linalg.solve(a, a[..., :2]),
        lambda a: np.linalg.solve(a, a[..., :2]),
    ),
    "pinv": (torch.linalg.pinv, np.linalg.pinv),
    "slogdet": (lambda a: torch.linalg.slogdet(a)[1], lambda a: np.linalg.slogdet(a)[1]),
}


@pytest.mark.parametrize("batch", [(), (3,), (2, 0), (60,)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", list(CALLS))
def test_repeats_are_of_the_matrices_given(name, kind, batch):
    ours, theirs = CALLS[name]
    tolerance = 1e-3 if kind in (torch.float32, torch.complex64) else 1e-9
    for _ in range(5):
        a = matrices(kind, batch)
        np.testing.assert_allclose(ours(a).numpy(), theirs(a.numpy()), tolerance, tolerance)


def test_decompositions_give_their_matrices_back():
    for _ in range(5):
        a = torch.randn(3, 5, 4, dtype=torch.float64)
        q, r = torch.linalg.qr(a)
        u, s, vh = torch.linalg.svd(a, full_matrices=False)
        p, low, up = torch.linalg.lu(a)
        for product in (q @ r, u * s.unsqueeze(-2) @ vh, p @ low @ up):
            np.testing.assert_allclose(product.numpy(), a.numpy(), atol=1e-12)
        square = a[:, :4]
        values, vectors = torch.linalg.eig(square)
        np.testing.assert_allclose(
            (square.to(vectors.dtype) @ vectors).numpy(),
            (vectors * values.unsqueeze(-2)).numpy(),
            atol=1e-11,
        )
        solution = torch.linalg.lstsq(a, a[..., :2]).solution
        np.testing.assert_allclose((a @ solution).numpy(), a[..., :2].numpy(), atol=1e-11)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (torch.linalg.inv, "singular"),
        (lambda a: torch.linalg.solve(a, a), "singular"),
        (torch.linalg.cholesky, "positive-definite"),
    ],
)
def test_a_fault_is_seen_among_repeats(function, message):
    good, bad = matrices(torch.float64), torch.zeros(4, 4, dtype=torch.float64)
    for matrix in (good, good, good, bad, good, bad, bad, good):
        if matrix is bad:
            with pytest.raises(torch.linalg.LinAlgError, match=message):
                function(matrix)
        else:
            assert function(matrix).isfinite().all()


def test_arguments_are_not_changed_by_repeats():
    a = matrices(torch.float64)
    kept, version = a.clone(), a._version
    for _ in range(5):
        torch.linalg.solve(a, a)
        torch.linalg.eigh(a)
        torch.linalg.qr(a)
        torch.linalg.lu_factor(a.mT)
    assert torch.equal(a, kept) and a._version == version
