"""Compressed matrices, by rows and by columns, against dense ones."""

import copy
import io
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.autograd import gradcheck

LAYOUTS = [torch.sparse_csr, torch.sparse_csc]
ROWS, COLUMNS = [0, 1, 3], [2, 0, 2]


def example(**options):
    return torch.sparse_csr_tensor(ROWS, COLUMNS, [3.0, 4.0, 5.0], (2, 3), **options)


@st.composite
def matrices(draw):
    """A dense matrix with many zeros, and another one that fits behind it."""
    n, m, k = (draw(st.integers(1, 5)) for _ in range(3))

    def matrix(rows, columns):
        chosen = draw(st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns))
        mask = torch.tensor(chosen).reshape(rows, columns)
        return torch.randn(rows, columns).double() * mask

    return matrix(n, m), matrix(m, k)


@given(matrices(), st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS))
@settings(max_examples=80, deadline=None)
def test_against_dense(pair, layout, other):
    x, y = pair
    a, b = x.to_sparse(layout=layout), y.to_sparse(layout=other)
    close = torch.testing.assert_close
    assert a.layout is layout and a._nnz() == int((x != 0).sum())
    close(a.to_dense(), x)
    close(a.to_sparse().to_dense(), x)
    for target in (*LAYOUTS, torch.sparse_coo):
        turned = a.to_sparse(layout=target)
        assert turned.layout is target
        close(turned.to_dense(), x)
    close(x.to_sparse().to_sparse_csr().to_dense(), x)
    for name in ("t", "sin", "neg", "abs", "sqrt", "isnan"):
        found = getattr(a, name)()
        close(found.to_dense(), getattr(x, name)(), equal_nan=True)
    close((a @ y), x @ y)
    close((x @ b), x @ y)
    product = a @ b
    assert product.layout is layout
    close(product.to_dense(), x @ y)
    close(torch.sparse.mm(a, b).to_dense(), x @ y)
    vector = torch.randn(x.shape[1]).double()
    close(a @ vector, x @ vector)
    start = torch.randn(x.shape[0], y.shape[1]).double()
    close(torch.addmm(start, a, y, beta=2, alpha=3), 2 * start + 3 * (x @ y))
    c = (x * 2 + (x == 0)).to_sparse(layout=other)
    z = c.to_dense()
    for found, wanted in (
        (a + c, x + z), (a - c, x - z), (a * c, x * z), (a * 2, x * 2), (a / 4, x / 4),
        (a * z, x * z), (a**2, x**2), (torch.add(a, c, alpha=2), x + 2 * z),
    ):  # fmt: skip
        assert found.layout is layout
        close(found.to_dense(), wanted)
    close(a + z, x + z)
    close(z - a, z - x)
    close(a.sum(), x.sum())
    close(a.clone().add_(c).mul_(2).to_dense(), 2 * (x + z))
    for row in range(x.shape[0]):
        close(a[row].to_dense(), x[row])
    close(z.sparse_mask(a).to_dense(), z * (x != 0))


def test_facts_and_text():
    made = example()
    assert made.is_sparse_csr and not made.is_sparse and made.layout is torch.sparse_csr
    assert (made._nnz(), made.sparse_dim(), made.dense_dim()) == (3, 2, 0)
    assert made.crow_indices().tolist() == ROWS and made.col_indices().tolist() == COLUMNS
    assert made.values().tolist() == [3.0, 4.0, 5.0]
    assert made.to_sparse_csr() is made
    assert repr(made) == (
        "tensor(crow_indices=tensor([0, 1, 3]),\n       col_indices=tensor([2, 0, 2]),\n"
        "       values=tensor([3., 4., 5.]), size=(2, 3), nnz=3,\n       layout=torch.sparse_csr)"
    )
    turned = made.t()
    assert turned.layout is torch.sparse_csc and turned.ccol_indices().tolist() == ROWS
    assert "ccol_indices" in repr(turned) and turned.row_indices().tolist() == COLUMNS
    assert torch.zeros(2, 3, layout=torch.sparse_csr).crow_indices().tolist() == [0, 0, 0]
    assert torch.zeros_like(made).layout is torch.sparse_csr
    assert made.new_zeros(4, 5).layout is torch.sparse_csr
    assert made.transpose(0, -1).layout is torch.sparse_csc
    assert made.permute(0, 1).layout is torch.sparse_csr
    assert made.T.layout is torch.sparse_csc
    assert made.double().dtype is torch.float64 and made.double().is_sparse_csr


def test_forms_of_the_call():
    assert torch.sparse_csr_tensor(ROWS, COLUMNS, [1, 2, 3]).shape == (2, 3)
    assert torch.sparse_csc_tensor(ROWS, COLUMNS, [1, 2, 3]).shape == (3, 2)
    made = torch.sparse_compressed_tensor(
        ROWS, COLUMNS, [1, 2, 3], (2, 3), layout=torch.sparse_csr, dtype=torch.float64
    )
    assert made.is_sparse_csr and made.dtype is torch.float64
    assert example(requires_grad=True).is_leaf and example(requires_grad=True).requires_grad
    short = torch.sparse_csr_tensor(
        torch.tensor(ROWS, dtype=torch.int32), torch.tensor(COLUMNS, dtype=torch.int32),
        torch.ones(3), (2, 3),
    )  # fmt: skip
    assert short.crow_indices().dtype is torch.int32
    torch.testing.assert_close(short.to_dense(), (example().to_dense() != 0).float())


def test_rows_that_are_not_in_order():
    made = torch.sparse_csr_tensor([0, 3, 3], [2, 0, 2], [1.0, 2.0, 3.0], (2, 3))
    dense = torch.tensor([[2.0, 0.0, 4.0], [0.0, 0.0, 0.0]])
    close = torch.testing.assert_close
    close(made.to_dense(), dense)
    close(made @ torch.eye(3), dense)
    close((made + made).to_dense(), 2 * dense)
    close((made * made).to_dense(), dense * dense)
    close(made.to_sparse_csc().to_dense(), dense)
    close(made.t().to_dense(), dense.t())


@pytest.mark.parametrize(
    ("rows", "columns", "size", "message"),
    [
        ([1, 1, 3], COLUMNS, (2, 3), r"crow_indices\[..., 0\] == 0"),
        ([0, 1, 4], COLUMNS, (2, 3), r"crow_indices\[..., -1\] == nnz"),
        ([0, 4, 3], COLUMNS, (2, 3), "crow_indices.*<= ncols"),
        (ROWS, [2, 0, 3], (2, 3), "0 <= col_indices < ncols"),
        (ROWS, [2, -1, 2], (2, 3), "0 <= col_indices < ncols"),
        (ROWS, COLUMNS, (3, 3), "number of rows"),
        (ROWS, [2, 0], (2, 3), "equal to nnz"),
        (ROWS, COLUMNS, (2,), "dimensionality"),
    ],
)
def test_what_cannot_be(rows, columns, size, message):
    with pytest.raises(RuntimeError, match=message):
        torch.sparse_csr_tensor(rows, columns, [1.0, 2.0, 3.0], size)


def test_what_is_refused():
    made = example()
    cases = [
        (lambda: made.ccol_indices(), RuntimeError, "ccol_indices expected"),
        (lambda: made.indices(), RuntimeError, "indices expected .* got SparseCsr"),
        (lambda: torch.ones(2).crow_indices(), RuntimeError, "got Strided"),
        (lambda: made.coalesce(), RuntimeError, "coalesce expected"),
        (lambda: made.untyped_storage(), NotImplementedError, "SparseCsrTensorImpl"),
        (lambda: made.numpy(), TypeError, "SparseCsr layout"),
        (lambda: made.exp(), NotImplementedError, "SparseCsrCPU"),
        (lambda: made.transpose(0, 2), IndexError, "out of range"),
        (lambda: made.permute(0, 0), RuntimeError, "order"),
        (lambda: made.new_ones(2), RuntimeError, "not implemented for sparse"),
        (lambda: made + 1, RuntimeError, "not supported"),
        (lambda: made.to_sparse(1), RuntimeError, "sparse_dim argument"),
        (lambda: torch.ones(2).to_sparse_csr(), RuntimeError, "two dimensions"),
        (
            lambda: torch.ones(2, 2).to_sparse(layout=torch.sparse_bsr),
            RuntimeError,
            "from Strided to SparseBsr without blocksize",
        ),
        (
            lambda: torch.sparse_compressed_tensor(ROWS, COLUMNS, [1, 2, 3]),
            RuntimeError,
            "got none",
        ),
        (lambda: torch.sparse_csr_tensor((2, 3)), TypeError, "invalid combination"),
        (lambda: made.copy_(made.to_sparse_csc()), RuntimeError, "different layouts"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_and_files(layout):
    made = example().to_sparse(layout=layout)
    file = io.BytesIO()
    torch.save({"m": made, "p": torch.nn.Parameter(made)}, file)
    file.seek(0)
    found = torch.load(file)
    others = [made.clone(), copy.deepcopy(made), pickle.loads(pickle.dumps(made)), found["m"]]
    for other in [*others, found["p"].detach()]:
        assert other is not made and other.layout is layout
        torch.testing.assert_close(other, made)
    with pytest.raises(AssertionError, match="values are not close"):
        torch.testing.assert_close(made, made * 2)


def test_files_with_indices_outside_are_refused():
    made = example()
    made.col_indices().add_(7)
    file = io.BytesIO()
    torch.save(made, file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="0 <= col_indices < ncols"):
        torch.load(file)


@pytest.mark.parametrize("kind", [torch.float64, torch.complex128])
def test_sampled_products(kind):
    made = example().to(kind)
    left = torch.randn(2, 4, dtype=kind, requires_grad=True)
    right = torch.randn(4, 3, dtype=kind, requires_grad=True)
    dense = made.to_dense()
    found = torch.sparse.sampled_addmm(made, left, right, beta=0.5, alpha=2)
    wanted = (0.5 * dense + 2 * (left @ right)) * (dense != 0)
    torch.testing.assert_close(found.to_dense(), wanted)
    assert gradcheck(
        lambda p, q: torch.sparse.sampled_addmm(made, p, q, beta=0.5, alpha=2).values(),
        (left, right),
    )
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        torch.sparse.sampled_addmm(made, right, left)


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin", "prod"])
def test_products_reduced(reduce):
    dense = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    values = torch.randn(5, dtype=torch.float64, requires_grad=True)

    def run(v, d):
        made = torch.sparse_csr_tensor([0, 2, 2, 5], [1, 3, 0, 1, 2], v, (3, 4))
        return torch.sparse.mm(made, d, reduce)

    found = run(values, dense)
    terms = [
        (values[:2, None] * dense[[1, 3]]), None, (values[2:, None] * dense[[0, 1, 2]]),
    ]  # fmt: skip
    for row, own in enumerate(terms):
        wanted = torch.zeros(3).double() if own is None else getattr(own, reduce)(0)
        torch.testing.assert_close(found[row], wanted)
    assert gradcheck(run, (values, dense))
    with pytest.raises(RuntimeError, match="reduce argument"):
        torch.sparse.mm(example(), torch.ones(3, 2), "median")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients(layout):
    values = torch.randn(3, dtype=torch.float64, requires_grad=True)
    dense = torch.randn(2, 2, dtype=torch.float64, requires_grad=True)
    size = (2, 3) if layout is torch.sparse_csr else (3, 2)

    def made(v):
        return torch.sparse_compressed_tensor(ROWS, COLUMNS, v, size, layout=layout)

    first = dense if layout is torch.sparse_csc else torch.randn(3, 2).double().requires_grad_()
    assert gradcheck(lambda v: made(v).to_dense() ** 2, (values,))
    assert gradcheck(lambda v: made(v).values().exp(), (values,))
    assert gradcheck(lambda v: (made(v) * 2).to_dense(), (values,))
    assert gradcheck(lambda v: made(v).sin().to_dense(), (values,))
    assert gradcheck(lambda v: made(v).t().to_dense(), (values,))
    assert gradcheck(lambda v: made(v).to_sparse().to_dense(), (values,))
    assert gradcheck(lambda v, d: torch.sparse.mm(made(v), d), (values, first))
    assert gradcheck(lambda v, d: made(v) @ d, (values, first))
    assert gradcheck(lambda d: d.to_sparse(layout=layout).to_dense() ** 2, (dense,))


def test_the_gradient_of_a_matrix_has_its_layout():
    leaf = example(requires_grad=True)
    torch.sparse.mm(leaf, torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert leaf.grad.is_sparse_csr and leaf.grad.values().tolist() == [9.0, 1.0, 9.0]
    leaf.to_dense().sum().backward()
    assert leaf.grad.values().tolist() == [10.0, 2.0, 10.0]
