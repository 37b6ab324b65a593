"""Factorisations: their products give the matrix back, whatever its type, layout and batch."""

import numpy as np
import pytest

import rushlight as torch

KINDS = [torch.float32, torch.float64, torch.complex64, torch.complex128]
BATCHES = [(), (3,), (2, 1), (0,)]


def random(*size, dtype=torch.float64, seed=0):
    generator = np.random.default_rng(seed + sum(size))
    values = generator.standard_normal(size)
    if dtype.is_complex:
        values = values + 1j * generator.standard_normal(size)
    return torch.from_numpy(np.asarray(values)).to(dtype)


def layouts(x):
    """The tensor stored by rows, by columns, with gaps, and conjugated lazily."""
    yield x
    yield x.mT.contiguous().mT
    wide = torch.zeros(*x.shape[:-1], 2 * x.shape[-1], dtype=x.dtype)
    wide[..., ::2] = x
    yield wide[..., ::2]
    if x.dtype.is_complex:
        yield x.conj().resolve_conj().conj()


def close(a, b):
    single = a.dtype in (torch.float32, torch.complex64)
    limit = 2e-4 if single else 1e-9
    assert a.shape == b.shape
    np.testing.assert_allclose(a.resolve_conj().numpy(), b.resolve_conj().numpy(), limit, limit)


def identity(x):
    return torch.eye(x.shape[-1], dtype=x.dtype).expand(*x.shape[:-2], -1, -1)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_cholesky(dtype, batch, n):
    a = random(*batch, n, n, dtype=dtype)
    a = a @ a.mH + 2 * identity(a)
    for x in layouts(a):
        low = torch.linalg.cholesky(x)
        close(low @ low.mH, a)
        assert torch.equal(low.tril(), low)
        high, info = torch.linalg.cholesky_ex(x, upper=True)
        close(high.mH @ high, a)
        assert info.dtype is torch.int32 and info.shape == batch and not info.any()
    close(torch.cholesky_inverse(low) @ a, identity(a))
    close(torch.cholesky_inverse(high, upper=True) @ a, identity(a))
    right = random(n, 2, dtype=dtype)
    close(a @ torch.cholesky_solve(right, low), right.expand(*batch, n, 2))


def test_cholesky_reports():
    bad = torch.stack([torch.eye(3), -torch.eye(3), torch.full((3, 3), float("nan"))])
    _, info = torch.linalg.cholesky_ex(bad)
    assert info.tolist() == [0, 1, 1]
    with pytest.raises(torch.linalg.LinAlgError, match=r"linalg.cholesky: \(Batch element 1\): "):
        torch.linalg.cholesky(bad)
    with pytest.raises(torch.linalg.LinAlgError, match="leading minor of order 2"):
        torch.linalg.cholesky(torch.diag(torch.tensor([1.0, -1.0])))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("rows, cols", [(4, 4), (5, 3), (3, 5), (0, 3), (3, 0), (1, 1)])
def test_lu(dtype, batch, rows, cols):
    a = random(*batch, rows, cols, dtype=dtype)
    for x in layouts(a):
        p, low, up = torch.linalg.lu(x)
        close(p @ low @ up, a)
        packed, pivots, info = torch.linalg.lu_factor_ex(x)
        assert pivots.dtype is torch.int32 and info.shape == batch
        for one, other in zip(torch.lu_unpack(packed, pivots), (p, low, up)):
            close(one, other)
    p, low, up = torch.lu_unpack(packed, pivots, unpack_data=False)
    assert low.shape == up.shape == (0,) and p.shape == (*batch, rows, rows)


def test_pivots_out_of_range_are_refused():
    a = torch.eye(2)
    for wrong in ([1, 5], [0, 1], [-3, 1]):
        pivots = torch.tensor(wrong, dtype=torch.int32)
        with pytest.raises(RuntimeError, match="pivots passed to lu_unpack"):
            torch.lu_unpack(a, pivots)
        with pytest.raises(RuntimeError, match="Pivots given to lu_solve"):
            torch.linalg.lu_solve(a, pivots, a)
        with pytest.raises(RuntimeError, match="Pivots given to ldl_solve"):
            torch.linalg.ldl_solve(a, pivots, a)


def test_more_pivots_than_rows_stay_inside():
    p, _, _ = torch.lu_unpack(torch.eye(2), torch.ones(40, dtype=torch.int32))
    assert p.shape == (2, 2)


def test_singular_factors():
    with pytest.raises(RuntimeError, match=r"U\[2,2\] is zero"):
        torch.linalg.lu_factor(torch.diag(torch.tensor([1.0, 0.0])))
    with pytest.raises(RuntimeError, match="without pivoting is not implemented"):
        torch.linalg.lu(torch.eye(2), pivot=False)
    packed, pivots, info = torch.lu(torch.zeros(2, 2), get_infos=True)
    assert info.item() == 1 and packed.tolist() == [[0, 0], [0, 0]] and pivots.tolist() == [1, 2]


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("hermitian", [False, True])
def test_ldl(dtype, batch, hermitian):
    a = random(*batch, 5, 5, dtype=dtype)
    a = a + (a.mH if hermitian else a.mT)
    packed, pivots = torch.linalg.ldl_factor(a, hermitian=hermitian)
    right = random(5, 3, dtype=dtype)
    found = torch.linalg.ldl_solve(packed, pivots, right, hermitian=hermitian)
    close(a @ found, right.expand(*batch, 5, 3))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("rows, cols", [(4, 4), (5, 3), (3, 5), (0, 3), (3, 0)])
def test_qr(dtype, batch, rows, cols):
    a = random(*batch, rows, cols, dtype=dtype)
    for mode in ("reduced", "complete"):
        for x in layouts(a):
            q, r = torch.linalg.qr(x, mode=mode)
            close(q @ r, a)
            close(q.mH @ q, identity(q))
            assert torch.equal(r.triu(), r)
    assert torch.linalg.qr(a, mode="r").Q.shape == (0,)
    packed, tau = torch.geqrf(a)
    if rows >= cols:
        q = torch.linalg.householder_product(packed, tau)
        close(q, torch.linalg.qr(a).Q)
    other = random(*batch, rows, 2, dtype=dtype)
    whole = torch.linalg.qr(a, mode="complete").Q
    close(torch.ormqr(packed, tau, other), whole @ other)
    close(torch.ormqr(packed, tau, other, transpose=True), whole.mH @ other)
    close(torch.ormqr(packed, tau, other.mT, left=False), other.mT @ whole)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: torch.linalg.cholesky(x), "cholesky: A must be batches of square matrices"),
        (lambda x: torch.linalg.qr(x, mode="x"), "unrecognized mode 'x'"),
        (lambda x: torch.linalg.qr(x.long()), "Got Long"),
        (lambda x: torch.linalg.qr(x[0]), "must have at least 2 dimensions"),
        (lambda x: torch.linalg.householder_product(x, x), "shape\\[-2\\] must be greater"),
        (lambda x: torch.ormqr(x, x[:, 0], x.mT), "must be equal to input.shape"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(RuntimeError, match=message):
        call(torch.ones(2, 3))


def test_out_and_meta():
    a = random(4, 3)
    q, r = torch.empty(0, dtype=a.dtype), torch.empty(0, dtype=a.dtype)
    made = torch.linalg.qr(a, out=(q, r))
    assert made[0] is q and made[1] is r
    close(q @ r, a)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
        torch.linalg.cholesky(torch.eye(2), out=torch.empty(2, 2, dtype=torch.float64))
    shapes = [t.shape for t in torch.linalg.qr(a.to("meta"))]
    assert shapes == [(4, 3), (3, 3)]
