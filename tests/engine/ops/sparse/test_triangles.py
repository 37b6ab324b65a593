"""Systems of equations with sparse triangular matrices on the host."""

from __future__ import annotations

import pytest

import rushlight as torch

KINDS = [torch.float32, torch.float64, torch.complex64, torch.complex128]
WHOLE = torch.tensor([[2.0, 0, 7, 1], [1, 3, 0, 0], [0, 4, 5, 2], [6, 0, 1, 4]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", ["rows", "blocks", "rows in no order"])
@pytest.mark.parametrize("way", [(u, t, d) for u in (0, 1) for t in (0, 1) for d in (0, 1)])
def test_solutions_are_those_of_dense_matrices(kind, layout, way):
    upper, transpose, unit = map(bool, way)
    whole = WHOLE.to(kind) * (1 + 0.5j if kind.is_complex else 1)
    a = whole.to_sparse_bsr((2, 2)) if layout == "blocks" else whole.to_sparse_csr()
    if layout == "rows in no order":
        flipped = [part.flip(0) for part in (a.col_indices()[:3], a.values()[:3])]
        columns = torch.cat([flipped[0], a.col_indices()[3:]])
        values = torch.cat([flipped[1], a.values()[3:]])
        a = torch.sparse_csr_tensor(a.crow_indices(), columns, values, (4, 4))
    b = torch.arange(8.0).view(4, 2).to(kind)
    for side in (b, b[:, :1], b.flip(1).t().contiguous().t(), b[:, :0]):
        wanted = torch.triangular_solve(side, whole, upper, transpose, unit).solution
        found = torch.triangular_solve(side, a, upper, transpose, unit)
        torch.testing.assert_close(found.solution, wanted.contiguous())
        assert found.cloned_coefficient.shape == (0,)


def test_a_long_chain():
    n = 3000
    rows = torch.arange(n)
    indices = torch.stack([torch.cat([rows, rows[1:]]), torch.cat([rows, rows[:-1]])])
    values = torch.cat([torch.full((n,), 2.0), torch.ones(n - 1)]).double()
    a = torch.sparse_coo_tensor(indices, values, (n, n)).to_sparse_csr()
    x = torch.linspace(-1, 1, n, dtype=torch.float64)[:, None]
    torch.testing.assert_close(torch.triangular_solve(a @ x, a, upper=False)[0], x)


def test_what_is_refused():
    a, b = WHOLE.to_sparse_csr(), torch.ones(4, 2)
    for other in (WHOLE.to_sparse_csc(), WHOLE.to_sparse_bsc((2, 2))):
        with pytest.raises(ValueError, match="triangular_solve: unsupported sparse layout"):
            torch.triangular_solve(b, other)
    with pytest.raises(ValueError, match="unsupported sparse layout"):
        torch.triangular_solve(a, a)
    for side, text in (
        (torch.ones(3, 2), "each A matrix is 4 by 4 but each b matrix is 3 by 2"),
        (torch.ones(4), "Expected b to have at least 2 dimensions, but it has 1"),
        (b.double(), "found b of type Double and A of type Float"),
        (b[None], r"b has the size \[1, 4, 2\] and A the size \[4, 4\]"),
    ):
        with pytest.raises(RuntimeError, match=text):
            torch.triangular_solve(side, a)
    with pytest.raises(NotImplementedError, match="has no gradient"):
        torch.triangular_solve(b, a.requires_grad_()).solution.sum().backward()


@pytest.mark.parametrize("kind", [torch.float64, torch.complex128])
def test_gradients_of_right_sides(kind):
    a = (WHOLE.to(kind) * (1 + 0.5j if kind.is_complex else 1)).to_sparse_csr()
    b = torch.arange(8.0).view(4, 2).to(kind).requires_grad_()
    for upper, transpose in ((True, False), (False, True), (False, False)):
        assert torch.autograd.gradcheck(
            lambda b, u=upper, t=transpose: torch.triangular_solve(b, a, u, t)[0], b
        )
