"""Outputs that are given: what writes to them itself cannot record, and says so."""

import pytest

import rushlight as torch

square = torch.eye(3) * 2

WRITTEN = {
    "cholesky": lambda x, out: torch.linalg.cholesky(x, out=out),
    "cross": lambda x, out: torch.linalg.cross(x, x, out=out),
    "inv": lambda x, out: torch.linalg.inv(x, out=out),
    "eigvalsh": lambda x, out: torch.linalg.eigvalsh(x, out=out),
    "svdvals": lambda x, out: torch.linalg.svdvals(x, out=out),
    "det": lambda x, out: torch.linalg.det(x, out=out),
    "solve": lambda x, out: torch.linalg.solve(x, x, out=out),
    "msort": lambda x, out: torch.msort(x, out=out),
    "mvlgamma": lambda x, out: torch.mvlgamma(x + 3, 1, out=out),
    "take_along_dim": lambda x, out: torch.take_along_dim(x, torch.zeros(1, 1).long(), 0, out=out),
}


@pytest.mark.parametrize("call", WRITTEN.values(), ids=WRITTEN.keys())
def test_what_wants_a_gradient_is_refused(call):
    x = square.clone().requires_grad_()
    out = torch.empty(0)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        call(x, out)
    with torch.no_grad():
        assert call(x, out) is out and out.numel()
    assert not out.requires_grad


def test_powers_in_double_precision():
    x = square.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.float_power(x, 2, out=torch.empty(0, dtype=torch.float64))


def test_composite_functions_copy_into_an_output_of_another_type():
    tensor = torch.eye(4).reshape(2, 2, 2, 2)
    out = torch.empty(0, dtype=torch.float64)
    assert torch.linalg.tensorinv(tensor, ind=2, out=out).reshape(4, 4).equal(torch.eye(4).double())
