"""Products of sparse matrices by cuSPARSE: what it is asked for, and results, on a stand-in of it."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.engine.cuda import libraries


@pytest.fixture
def library(with_stand_in):
    from stand_in_cusparse import SparseProducts

    made = SparseProducts(with_stand_in())
    libraries.use("cusparse", made)
    return made


INDICES = torch.tensor([[0, 0, 1, 3, 3], [1, 4, 0, 0, 2]])
KINDS = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.complex64,
    torch.complex128,
]


def sparse(kind=torch.float32, layout="rows", size=(4, 5)):
    values = torch.tensor([1.5, -2, 3, 4, 0.5]).to(kind)
    if kind.is_complex:
        values = values * (1 + 2j)
    made = torch.sparse_coo_tensor(INDICES, values, size).coalesce()
    if layout == "coordinates":
        return made
    made = made.to_sparse_csr()
    if layout == "short indices":
        made = torch.sparse_csr_tensor(
            made.crow_indices().int(), made.col_indices().int(), made.values(), size
        )
    return made


def dense(*size, kind=torch.float32):
    torch.manual_seed(1)
    made = torch.randn(size)
    return (torch.complex(made, made.flip(0)) if kind.is_complex else made).to(kind)


def near(found, wanted):
    whole = [x.to_dense() if x.layout is not torch.strided else x for x in (found.cpu(), wanted)]
    half = wanted.dtype in (torch.float16, torch.bfloat16)
    torch.testing.assert_close(*whole, rtol=2e-2 if half else 1e-5, atol=2e-2 if half else 1e-5)


@pytest.mark.parametrize("layout", ["rows", "short indices", "coordinates"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_sparse_matrix_times_a_dense_one(library, kind, layout):
    a, b = sparse(kind, layout), dense(5, 3, kind=kind)
    wanted = (
        (a.to_dense().cfloat() @ b.cfloat()).to(kind) if kind.itemsize == 2 else a.to_dense() @ b
    )
    near(a.cuda() @ b.cuda(), wanted)
    assert library.calls.count("cusparseSpMM") == 1
    near(a.cuda() @ b.t().contiguous().cuda().t(), wanted)
    near(torch.sparse.mm(a.cuda(), b.cuda()), wanted)
    assert library.calls.count("cusparseSpMM") == 3
    # Descriptions end with the call; the handle stays.
    assert len(library.described) == 1


@pytest.mark.parametrize("layout", ["rows", "coordinates"])
def test_with_a_matrix_that_is_added(library, layout):
    a, b, c = sparse(layout=layout), dense(5, 3), dense(4, 3)
    found = torch.addmm(c.cuda(), a.cuda(), b.cuda(), beta=0.5, alpha=2)
    near(found, 0.5 * c + 2 * (a.to_dense() @ b))
    near(a.cuda() @ b[:, 0].cuda(), a.to_dense() @ b[:, 0])
    assert library.calls.count("cusparseSpMM") == 2


@pytest.mark.parametrize("kind", [torch.float32, torch.complex128])
def test_two_sparse_matrices(library, kind):
    a, b = sparse(kind), sparse(kind).to_dense().t().contiguous().to_sparse_csr()
    found = a.cuda() @ b.cuda()
    assert library.calls.count("cusparseSpGEMM_copy") == 1
    near(found, a.to_dense() @ b.to_dense())
    assert found.layout is (a @ b).layout


@pytest.mark.parametrize("kind", [torch.float32, torch.complex64])
def test_products_at_the_places_of_values(library, kind):
    a, left, right = sparse(kind), dense(4, 6, kind=kind), dense(6, 5, kind=kind)
    found = torch.sparse.sampled_addmm(a.cuda(), left.cuda(), right.cuda(), beta=0.5, alpha=2)
    assert library.calls.count("cusparseSDDMM") == 1
    near(found, torch.sparse.sampled_addmm(a, left, right, beta=0.5, alpha=2))
    # The values that are added stay as they are.
    there = a.cuda()
    torch.sparse.sampled_addmm(there, left.cuda(), right.cuda())
    assert torch.equal(there.values().cpu(), a.values())


def test_gradients(library):
    a, b = sparse(layout="coordinates"), dense(5, 3)
    found = []
    for where in ("cpu", "cuda"):
        x, y = (t.to(where).detach().clone().requires_grad_() for t in (a, b))
        torch.sparse.mm(x, y).square().sum().backward()
        found.append((x.grad.to_dense().cpu(), y.grad.cpu()))
    for one, other in zip(*found):
        torch.testing.assert_close(one, other)


def test_calls_that_come_again(library):
    """What the library does is no step that machine code repeats."""
    a, b = sparse().cuda(), dense(5, 3).cuda()
    for k in range(6):
        b.fill_(k)
        near(a @ b, sparse().to_dense() @ torch.full((5, 3), float(k)))
    assert library.calls.count("cusparseSpMM") == 6


def test_work_goes_to_the_current_stream(with_stand_in):
    from stand_in_cusparse import SparseProducts

    made = SparseProducts(with_stand_in(seed=3))
    libraries.use("cusparse", made)
    a, b = sparse().cuda(), dense(5, 3).cuda()
    torch.cuda.synchronize()
    other = torch.cuda.Stream()
    with torch.cuda.stream(other):
        for _ in range(5):
            found = a @ (b + 1)
            other.synchronize()
            near(found, sparse().to_dense() @ (dense(5, 3) + 1))
    assert made.stream == other.cuda_stream


@pytest.mark.parametrize(
    "call",
    [lambda a, b: torch.sparse_coo_tensor(a.indices(), a.values(), a.shape) @ b,
     lambda a, b: a.to_dense()[:, :4].to_sparse_bsr((2, 2)) @ b[:4],
     lambda a, b: a.int() @ b.int()],
    ids=["values in no order", "blocks", "integers"],
)  # fmt: skip
def test_what_it_is_not_asked_for(library, call):
    a, b = sparse(layout="coordinates"), dense(5, 3)
    near(call(a.cuda(), b.cuda()), call(a, b))
    assert "cusparseSpMM" not in library.calls


def test_sums_in_one_order_where_that_is_asked(library):
    torch.use_deterministic_algorithms(True)
    try:
        near(sparse().cuda() @ dense(5, 3).cuda(), sparse().to_dense() @ dense(5, 3))
    finally:
        torch.use_deterministic_algorithms(False)
    assert "cusparseSpMM" not in library.calls


@pytest.mark.parametrize("kind", [x for x in KINDS if x.itemsize > 2])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("way", [(u, t, d) for u in (0, 1) for t in (0, 1) for d in (0, 1)])
def test_triangles(library, kind, width, way):
    upper, transpose, unit = map(bool, way)
    whole = dense(5, 5, kind=kind) * (torch.arange(25).view(5, 5) % 3 > 0) + 3 * torch.eye(5)
    whole = whole.to(kind)
    b = dense(5, width, kind=kind)
    wanted = torch.triangular_solve(b, whole, upper, transpose, unit)[0]
    a = whole.to_sparse_csr().cuda()
    found, copy = torch.triangular_solve(b.cuda(), a, upper, transpose, unit)
    near(found, wanted)
    assert copy.shape == (0,)
    assert ("cusparseSpSV_solve" if width == 1 else "cusparseSpSM_solve") in library.calls
    # Blocks are spread out, as is what no library is there for.
    library.calls.clear()
    blocks = whole.to_sparse_bsr((1, 1))
    near(torch.triangular_solve(b.cuda(), blocks.cuda(), upper, transpose, unit)[0], wanted)
    libraries._loaded["cusparse"] = None
    near(torch.triangular_solve(b.cuda(), a, upper, transpose, unit)[0], wanted)
    assert not library.calls


def test_gradients_of_sides_of_triangles(library):
    whole = torch.tensor([[2.0, 0, 0], [1, 3, 0], [0, 4, 5]])
    found = []
    for where, layout in (("cpu", "strided"), ("cpu", "rows"), ("cuda", "rows")):
        a = whole.to_sparse_csr() if layout == "rows" else whole
        b = dense(3, 2).to(where).requires_grad_()
        made = torch.triangular_solve(b, a.to(where), upper=False)[0]
        (made * torch.arange(6.0, device=where).view(3, 2)).sum().backward()
        found.append(b.grad.cpu())
    torch.testing.assert_close(found[0], found[1])
    torch.testing.assert_close(found[0], found[2])
