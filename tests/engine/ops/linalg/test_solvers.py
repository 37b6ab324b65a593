"""Solvers, inverses and determinants: what they give solves the equation."""

import numpy as np
import pytest
from test_factors import BATCHES, KINDS, close, identity, layouts, random

import rushlight as torch


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
def test_solve(dtype, batch):
    a = random(*batch, 4, 4, dtype=dtype) + 3 * torch.eye(4, dtype=dtype)
    right, vector = random(*batch, 4, 2, dtype=dtype), random(*batch, 4, dtype=dtype)
    for x in layouts(a):
        close(a @ torch.linalg.solve(x, right), right)
        close(torch.linalg.solve(x, right.mT, left=False) @ a, right.mT)
        close((a @ torch.linalg.solve(x, vector)[..., None])[..., 0], vector)
        close(torch.linalg.inv(x) @ a, identity(a))
    packed, pivots = torch.linalg.lu_factor(a)
    for adjoint in (False, True):
        m = a.mH if adjoint else a
        found = torch.linalg.lu_solve(packed, pivots, right, adjoint=adjoint)
        close(m @ found, right)
        found = torch.linalg.lu_solve(packed, pivots, right.mT, left=False, adjoint=adjoint)
        close(found @ m, right.mT)


@pytest.mark.parametrize("dtype", KINDS)
def test_batches_broadcast(dtype):
    a = random(3, 1, 4, 4, dtype=dtype) + 3 * torch.eye(4, dtype=dtype)
    b = random(2, 4, 5, dtype=dtype)
    close(a @ torch.linalg.solve(a, b), b.expand(3, 2, 4, 5))
    one = a[0, 0]
    close(one @ torch.linalg.solve(one, b), b)
    packed, pivots = torch.linalg.lu_factor(a)
    close(a @ torch.linalg.lu_solve(packed, pivots, b), b.expand(3, 2, 4, 5))
    close(a.triu() @ torch.linalg.solve_triangular(a, b, upper=True), b.expand(3, 2, 4, 5))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangles(dtype, upper, unit):
    a = random(2, 4, 4, dtype=dtype) + 3 * torch.eye(4, dtype=dtype)
    full = a.triu() if upper else a.tril()
    if unit:
        full = full - torch.diag_embed(full.diagonal(0, -2, -1)) + torch.eye(4, dtype=dtype)
    b = random(2, 4, 3, dtype=dtype)
    options = {"upper": upper, "unitriangular": unit}
    for x in layouts(a):
        close(full @ torch.linalg.solve_triangular(x, b, **options), b)
        close(torch.linalg.solve_triangular(x, b.mT, left=False, **options) @ full, b.mT)
        close(full @ torch.triangular_solve(b, x, upper, False, unit).solution, b)
        close(full.mT @ torch.triangular_solve(b, x, upper, True, unit).solution, b)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize("rows, cols", [(6, 3), (3, 6), (4, 4)])
def test_least_squares(dtype, driver, rows, cols):
    a, b = random(2, rows, cols, dtype=dtype), random(2, rows, 2, dtype=dtype)
    found = torch.linalg.lstsq(a, b, driver=driver)
    close(found.solution, torch.linalg.pinv(a) @ b)
    if driver != "gels":
        assert found.rank.tolist() == [min(rows, cols)] * 2
    if rows > cols and driver != "gelsy":
        close(found.residuals, (a @ found.solution - b).abs().square().sum(-2))
    if driver in ("gelsd", "gelss"):
        close(found.singular_values, torch.linalg.svdvals(a))
    vector = torch.linalg.lstsq(a[0], b[0, :, 0], driver=driver).solution
    close(vector, found.solution[0, :, 0])


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_determinants(dtype, batch, n):
    a = random(*batch, n, n, dtype=dtype)
    wanted = torch.from_numpy(np.asarray(np.linalg.det(a.numpy()))).to(dtype)
    close(torch.det(a), wanted)
    sign, size = torch.linalg.slogdet(a)
    close(sign * size.exp(), wanted)
    assert torch.det(torch.zeros(2, 2)).item() == 0
    assert torch.logdet(torch.tensor([[-1.0]])).isnan().item()


def test_singular_matrices():
    singular = torch.stack([torch.eye(2), torch.zeros(2, 2)])
    error = torch.linalg.LinAlgError
    with pytest.raises(error, match=r"linalg.inv: \(Batch element 1\): The diagonal element 1"):
        torch.linalg.inv(singular)
    with pytest.raises(error, match=r"torch.linalg.solve: .* the input matrix is singular"):
        torch.linalg.solve(singular, torch.ones(2, 2, 2))
    assert torch.linalg.inv_ex(singular).info.tolist() == [0, 1]
    with pytest.raises(error, match="does not have full rank"):
        torch.linalg.lstsq(torch.eye(3, 1).expand(3, 2).triu(), torch.ones(3, 1), driver="gels")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda a: torch.linalg.solve(a, torch.ones(3, 2)), "Incompatible shapes of A and B"),
        (lambda a: torch.linalg.solve(a, a.double()), "to have the same dtype"),
        (lambda a: torch.linalg.solve(a, a[0], left=False), "not supported for left=False"),
        (lambda a: torch.linalg.inv(a.half()), "Low precision dtypes not supported. Got Half"),
        (lambda a: torch.linalg.lstsq(a, a, driver="x"), "should be one of"),
        (lambda a: torch.linalg.lstsq(a, torch.ones(3, 1)), "should match other.size"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(RuntimeError, match=message):
        call(torch.eye(2))


def test_tensors_as_matrices():
    a = random(2, 3, 6) + torch.eye(6, dtype=torch.float64).reshape(2, 3, 6) * 3
    inverse = torch.linalg.tensorinv(a, ind=2)
    assert inverse.shape == (6, 2, 3)
    b = random(2, 3)
    close(torch.linalg.tensorsolve(a, b), torch.tensordot(inverse, b, dims=2))
    assert torch.linalg.cross(torch.eye(3)[0], torch.eye(3)[1]).tolist() == [0, 0, 1]
    assert torch.linalg.vander(torch.tensor([2, 3])).tolist() == [[1, 2], [1, 3]]
    assert torch.vander(torch.tensor([2, 3]), N=3).tolist() == [[4, 2, 1], [9, 3, 1]]


def test_removed_names_say_what_to_use():
    for name in ("eig", "lstsq", "matrix_rank", "solve", "symeig"):
        with pytest.raises(RuntimeError, match=f"torch.{name} is removed; use torch.linalg"):
            getattr(torch, name)(torch.eye(2))
