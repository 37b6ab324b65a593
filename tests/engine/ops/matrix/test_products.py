"""Products of matrices against numpy, over sizes that reach every tile edge."""

import numpy as np
import pytest

import rushlight as torch

SIZES = [(1, 1, 1), (3, 4, 5), (2, 0, 3), (0, 3, 2), (17, 33, 49), (8, 300, 48), (65, 520, 97),
         (1, 9, 50), (50, 9, 1), (1, 300, 1)]  # fmt: skip


def matrix(rows, columns, kind, turned):
    generator = np.random.default_rng(rows * 1000 + columns)
    values = generator.standard_normal((columns, rows) if turned else (rows, columns)) * 10
    values = values.astype(kind)
    made = torch.from_numpy(values)
    return (made.t(), values.T) if turned else (made, values)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.int8])
@pytest.mark.parametrize("m, k, n", SIZES)
def test_mm_and_addmm(m, k, n, kind):
    for turned in [(False, False), (False, True), (True, False)]:
        a, left = matrix(m, k, kind, turned[0])
        b, right = matrix(k, n, kind, turned[1])
        expected = left @ right
        close = {"rtol": 1e-4, "atol": 1e-4 * (1 + k)}
        np.testing.assert_allclose(torch.mm(a, b).numpy(), expected, **close)
        turned_out = torch.zeros(n, m, dtype=a.dtype).t()
        np.testing.assert_allclose(torch.mm(a, b, out=turned_out).numpy(), expected, **close)
        for size in [(m, n), (1, n), (m, 1), ()]:
            added = np.arange(np.prod(size, dtype=int)).reshape(size).astype(kind)
            got = torch.addmm(torch.from_numpy(added), a, b, beta=2, alpha=3)
            wanted = (2 * added + 3 * expected).astype(kind)
            np.testing.assert_allclose(got.numpy(), wanted, **close)


def test_in_place_and_beta_zero():
    a, b = torch.ones(3, 4), torch.ones(4, 5)
    c = torch.full((3, 5), float("nan"))
    assert c.addmm_(a, b, beta=0).tolist() == [[4.0] * 5] * 3
    assert c.addmm_(a, b).tolist() == [[8.0] * 5] * 3


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_half_precision_sums_in_single(kind):
    a = torch.ones(2, 5000, dtype=kind)
    assert torch.mm(a, a.t()).tolist() == [[4992.0 if kind is torch.bfloat16 else 5000.0] * 2] * 2


def test_complex():
    a = torch.tensor([[1 + 2j, 3], [0, 1j]])
    np.testing.assert_allclose((a @ a).numpy(), a.numpy() @ a.numpy())


def test_matmul_of_every_rank():
    shapes = [(4,), (3, 4), (2, 3, 4), (5, 1, 3, 4)]
    others = [(4,), (4, 6), (2, 4, 6), (5, 2, 4, 6)]
    for one in shapes:
        for two in others:
            a = np.random.default_rng(0).standard_normal(one)
            b = np.random.default_rng(1).standard_normal(two)
            got = torch.from_numpy(a) @ torch.from_numpy(b)
            np.testing.assert_allclose(got.numpy(), a @ b)


@pytest.mark.parametrize(
    "equation, shapes",
    [("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]), ("ii->i", [(3, 3)]),
     ("ij->", [(2, 3)]), ("i,j", [(2,), (3,)]), ("...ij,...jk", [(5, 2, 3), (3, 4)]),
     ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]), ("bn,anm,bm->ba", [(2, 5), (3, 5, 4), (2, 4)])],
)  # fmt: skip
def test_einsum(equation, shapes):
    arrays = [np.random.default_rng(7).standard_normal(s) for s in shapes]
    got = torch.einsum(equation, *map(torch.from_numpy, arrays))
    np.testing.assert_allclose(got.numpy(), np.einsum(equation, *arrays))


def test_meta_and_errors():
    a = torch.empty(2, 3, device="meta")
    assert torch.mm(a, a.t()).shape == (2, 2)
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied \(2x3 and 2x3\)"):
        torch.ones(2, 3) @ torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="same dtype, but got: float != double"):
        torch.mm(torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64))


def test_a_plan_made_for_one_tensor_serves_two():
    a, b = torch.full((7, 7), 2.0), torch.full((7, 7), 3.0)
    assert torch.mm(a, a)[0, 0].item() == 28
    assert torch.mm(a, b)[0, 0].item() == 42


def test_in_place_on_a_factor():
    a = torch.full((40, 40), 0.5)
    assert a.addmm_(a, a).tolist() == [[10.5] * 40] * 40


def test_products_with_out_refuse_what_wants_a_gradient():
    x = torch.ones(2, 2, requires_grad=True)
    for product in (torch.matmul, torch.linalg.matmul):
        out = torch.zeros(2, 2)
        for _ in range(3):
            with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
                product(x, x, out=out)
        assert out.tolist() == [[0.0, 0.0], [0.0, 0.0]]
        with torch.no_grad():
            assert product(x, x, out=out) is out
        assert out.tolist() == [[2.0, 2.0], [2.0, 2.0]] and not out.requires_grad
        assert product(torch.ones(2), torch.ones(2, 2), out=torch.empty(0)).tolist() == [2.0, 2.0]


REFUSING = {
    "outer": lambda a, **out: torch.outer(a[0], a[0], **out),
    "kron": lambda a, **out: torch.kron(a, a, **out),
    "multi_dot": lambda a, **out: torch.linalg.multi_dot([a, a, a], **out),
    "vecdot": lambda a, **out: torch.linalg.vecdot(a, a, **out),
    "addbmm": lambda a, **out: torch.addbmm(a, a[None], a[None], **out),
}
EXACT = {name: REFUSING[name] for name in ("multi_dot", "vecdot", "addbmm")} | {
    "inner": lambda a, **out: torch.inner(a, a, **out),
    "tensordot": lambda a, **out: torch.tensordot(a, a, 1, **out),
}


@pytest.mark.parametrize("product", REFUSING.values(), ids=REFUSING.keys())
def test_composite_products_with_out_refuse_what_wants_a_gradient(product):
    x = torch.ones(2, 2, requires_grad=True)
    out = torch.zeros_like(product(x.detach()))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        product(x, out=out)
    assert not out.any()


@pytest.mark.parametrize("product", EXACT.values(), ids=EXACT.keys())
def test_composite_products_with_out_keep_their_type(product):
    x = torch.ones(2, 2)
    out = torch.zeros_like(product(x), dtype=torch.float64)
    with pytest.raises(RuntimeError, match="dtype float, but got double"):
        product(x, out=out)
    assert not out.any()


def test_inner_products_give_their_output_a_history():
    x = torch.ones(2, requires_grad=True)
    out = torch.zeros(())
    torch.inner(x, x, out=out)
    (grad,) = torch.autograd.grad(out, x)
    assert grad.tolist() == [2.0, 2.0]
