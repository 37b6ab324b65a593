"""Products of sparse matrices, softmax, shapes and joins, against the same on dense tensors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.autograd import gradcheck


def random_sparse(draw, size, kind=torch.float64):
    count = draw(st.integers(0, 8))
    rows = [draw(st.lists(st.integers(0, n - 1), min_size=count, max_size=count)) for n in size]
    indices = torch.tensor(rows, dtype=torch.int64).reshape(len(size), count)
    made = torch.sparse_coo_tensor(indices, torch.randn(count).to(kind), size)
    return made.coalesce() if draw(st.booleans()) else made


@st.composite
def matrices(draw):
    n, m, k = (draw(st.integers(1, 5)) for _ in range(3))
    return random_sparse(draw, (n, m)), random_sparse(draw, (m, k))


@given(matrices())
@settings(max_examples=60, deadline=None)
def test_products(pair):
    a, b = pair
    x, y = a.to_dense(), b.to_dense()
    close = torch.testing.assert_close
    for multiply in (torch.mm, torch.matmul, torch.sparse.mm, lambda p, q: p @ q):
        close(multiply(a, y), x @ y)
        close(multiply(x, b), x @ y)
        found = multiply(a, b)
        assert found.is_sparse and found.is_coalesced()
        close(found.to_dense(), x @ y)
    vector = torch.randn(x.shape[1]).double()
    close(a @ vector, x @ vector)
    close(torch.mv(a, vector), x @ vector)
    other = torch.randn(x.shape[0]).double()
    close(other @ a, other @ x)
    start = torch.randn(x.shape[0], y.shape[1]).double()
    close(torch.addmm(start, a, y, beta=0.5, alpha=2), 0.5 * start + 2 * (x @ y))
    close(torch.sparse.addmm(start[:1], a, y), start[:1] + x @ y)
    close(start.clone().addmm_(a, y), start + x @ y)
    close(torch.nn.functional.linear(y.t(), a), y.t() @ x.t())
    close(torch.hspmm(a, y).to_dense(), x @ y)


@pytest.mark.parametrize("width", [2, 11, 40])
@pytest.mark.parametrize(
    "kind",
    [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.complex128],
)
def test_products_of_every_type(kind, width):
    a = torch.tensor([[0, 2, 0], [1, 0, 3]]).to(kind)
    b = torch.arange(3 * width).reshape(3, width).remainder(7).to(kind)
    torch.testing.assert_close(a.to_sparse() @ b, (a.double() @ b.double()).to(kind)
                               if not kind.is_complex else a @ b)  # fmt: skip


def test_batches():
    a = torch.randn(3, 2, 4) * (torch.rand(3, 2, 4) > 0.5)
    b = torch.randn(3, 4, 5)
    torch.testing.assert_close(torch.bmm(a.to_sparse(), b), a @ b)
    with pytest.raises(RuntimeError, match="must be dense"):
        torch.bmm(a.to_sparse(), b.to_sparse())
    with pytest.raises(RuntimeError, match="3 dims"):
        torch.bmm(a.to_sparse(), b[0])


@pytest.mark.parametrize("threads", [1, 2])
def test_wide_products(threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        a = torch.randn(50, 70) * (torch.rand(50, 70) > 0.7)
        b = torch.randn(70, 300)
        torch.testing.assert_close(a.to_sparse() @ b, a @ b)
        torch.testing.assert_close(a.to_sparse() @ b.t().contiguous().t(), a @ b)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("width", [1, 30])
def test_indices_that_were_changed_to_lie_outside(width):
    a = torch.eye(3).to_sparse()
    a._indices().add_(5)
    with pytest.raises(IndexError):
        a @ torch.ones(3, width)


def test_without_values_or_rows():
    for size in ((0, 3), (2, 0), (2, 3)):
        empty = torch.sparse_coo_tensor(size)
        assert (empty @ torch.ones(size[1], 2)).tolist() == [[0.0, 0.0]] * size[0]
        assert (empty @ torch.sparse_coo_tensor((size[1], 2)))._nnz() == 0


def test_products_that_cannot_be():
    a = torch.eye(3).to_sparse()
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        a @ torch.ones(2, 2)
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        torch.mm(a, torch.ones(3, 3).double())
    with pytest.raises(RuntimeError, match="matrices expected"):
        torch.mm(a, torch.ones(3))
    with pytest.raises(RuntimeError, match="size"):
        torch.mv(a, torch.ones(2))
    with pytest.raises(RuntimeError, match="to have strided layout"):
        torch.addmm(torch.ones(3, 3), torch.ones(3, 3), a)


INDICES = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])


def sparse_of(values):
    return torch.sparse_coo_tensor(INDICES, values, (2, 3))


@pytest.mark.parametrize("kind", [torch.float64, torch.complex128])
def test_gradients_of_products(kind):
    values = torch.randn(4, dtype=kind, requires_grad=True)
    dense = torch.randn(3, 2, dtype=kind, requires_grad=True)
    start = torch.randn(2, 2, dtype=kind, requires_grad=True)
    assert gradcheck(lambda v, d: torch.sparse.mm(sparse_of(v), d), (values, dense))
    assert gradcheck(lambda v, d: torch.sparse.mm(d, sparse_of(v)), (values, dense))
    assert gradcheck(lambda v, d: sparse_of(v) @ d, (values, dense))
    assert gradcheck(
        lambda s, v, d: torch.sparse.addmm(s, sparse_of(v), d, beta=2, alpha=3),
        (start, values, dense),
    )
    assert gradcheck(
        lambda v: torch.sparse.mm(sparse_of(v), sparse_of(v * 2).t()).to_dense(), (values,)
    )


def test_the_gradient_of_a_sparse_factor_is_sparse():
    leaf = sparse_of(torch.ones(4)).coalesce().requires_grad_()
    dense = torch.arange(6.0).reshape(3, 2).requires_grad_()
    torch.sparse.mm(leaf, dense).sum().backward()
    assert leaf.grad.is_sparse and leaf.grad.values().tolist() == [9.0, 1.0, 9.0]
    assert dense.grad.tolist() == [[1.0, 1.0], [0.0, 0.0], [3.0, 3.0]]


# -- softmax --


def dense_softmax(x, filled, dim, is_log):
    masked = x.masked_fill(~filled, float("-inf"))
    function = torch.log_softmax if is_log else torch.softmax
    return function(masked, dim).masked_fill(~filled, 0).nan_to_num(0)


@pytest.mark.parametrize("is_log", [False, True])
def test_softmax(is_log):
    function = torch.sparse.log_softmax if is_log else torch.sparse.softmax
    x = torch.randn(3, 4, 2).double()
    filled = torch.rand(3, 4, 2) > 0.4
    x = x * filled
    for dim in range(-3, 3):
        found = function(x.to_sparse(), dim).to_dense()
        torch.testing.assert_close(found, dense_softmax(x, filled, dim, is_log))
    hybrid = x.to_sparse(2)
    rows = filled.any(-1, keepdim=True).expand_as(filled)
    for dim in range(3):
        found = function(hybrid, dim).to_dense()
        torch.testing.assert_close(found, dense_softmax(x, rows, dim, is_log))
    twice = torch.sparse_coo_tensor([[0, 0, 1]], [1.0, 2.0, 3.0], (3,))
    torch.testing.assert_close(function(twice, 0).values(), function(twice.coalesce(), 0).values())
    assert function(twice, 0, dtype=torch.float64).dtype is torch.float64
    assert function(torch.sparse_coo_tensor((2, 3)), 0)._nnz() == 0
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        function(torch.tensor([1]).to_sparse(), 0)
    with pytest.raises(IndexError):
        function(twice, 1)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_gradients_of_softmax(dim):
    values = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(2, 3, 2, dtype=torch.float64)
    for function in (torch.sparse.softmax, torch.sparse.log_softmax):

        def run(v, function=function):
            made = torch.sparse_coo_tensor(INDICES, v, (2, 3, 2))
            return function(made, dim).to_dense() * weight

        assert gradcheck(run, (values,))


# -- shapes --


@st.composite
def hybrids(draw):
    size = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    dense = draw(st.lists(st.integers(1, 3), max_size=1))
    made = random_sparse(draw, size)
    values = torch.randn(made._nnz(), *dense).double()
    again = torch.sparse_coo_tensor(made._indices(), values, (*size, *dense))
    return again.coalesce() if draw(st.booleans()) else again


def agree(found, wanted):
    assert found.shape == wanted.shape
    torch.testing.assert_close(found.to_dense(), wanted)
    if found.is_sparse and found.is_coalesced() and found._nnz():
        named = list(map(tuple, found.indices().t().tolist()))
        assert named == sorted(set(named))


@given(hybrids(), st.data())
@settings(max_examples=80, deadline=None)
def test_shapes(made, data):
    dense = made.to_dense()
    count = made.sparse_dim()
    first, second = (data.draw(st.integers(0, count - 1)) for _ in range(2))
    agree(made.transpose(first, second), dense.transpose(first, second))
    agree(made.clone().transpose_(first, second), dense.transpose(first, second))
    order = [*data.draw(st.permutations(range(count))), *range(count, made.dim())]
    agree(made.permute(order), dense.permute(order))
    dim = data.draw(st.integers(0, made.dim() - 1))
    length = made.shape[dim]
    place = data.draw(st.integers(-length, length - 1))
    agree(made.select(dim, place), dense.select(dim, place))
    for mine, theirs in zip(made.unbind(dim), dense.unbind(dim)):
        agree(mine, theirs)
    start = data.draw(st.integers(0, length))
    taken = data.draw(st.integers(0, length - start))
    agree(made.narrow_copy(dim, start, taken), dense.narrow_copy(dim, start, taken))
    agree(made.narrow(dim, start, taken), dense.narrow(dim, start, taken))
    step = data.draw(st.integers(1, 3))
    agree(made[start::step], dense[start::step])
    names = data.draw(st.lists(st.integers(0, length - 1), max_size=5))
    index = torch.tensor(names, dtype=torch.int64)
    agree(made.index_select(dim, index), dense.index_select(dim, index))
    for new in range(-1, made.dim() + 1):
        agree(made.unsqueeze(new), dense.unsqueeze(new))
    agree(made[place if dim == 0 else 0], dense[place if dim == 0 else 0])
    agree(torch.cat([made, made * 2], dim), torch.cat([dense, dense * 2], dim))
    agree(torch.stack([made, made * 2], dim), torch.stack([dense, dense * 2], dim))


def test_transposes_and_slices():
    made = sparse_of(torch.arange(1.0, 5.0))
    dense = made.to_dense()
    for name in ("T", "mT", "H", "mH"):
        agree(getattr(made, name), getattr(dense, name))
    agree(made.t(), dense.t())
    agree(made.clone().t_(), dense.t())
    for index in (0, (0, 2), (slice(None), 1), (None,), (..., 0)):
        agree(made[index], dense[index])
    assert len(list(made)) == 2
    agree(torch.vstack([made, made]), torch.vstack([dense, dense]))
    agree(torch.hstack([made, made]), torch.hstack([dense, dense]))
    assert made.sparse_resize_and_clear_((4, 5), 1, 1).shape == (4, 5)


def test_shapes_that_cannot_be():
    made = sparse_of(torch.ones(4))
    hybrid = torch.ones(2, 3).to_sparse(1)
    cases = [
        (lambda: hybrid.transpose(0, 1), RuntimeError, "must be sparse"),
        (lambda: hybrid.permute(1, 0), RuntimeError, "between sparse and dense"),
        (lambda: hybrid.t(), RuntimeError, "sparse and 0 dense"),
        (lambda: made.expand(2, 2, 3), RuntimeError, "expand is unsupported"),
        (lambda: made.reshape(6), RuntimeError, "reshape is not implemented"),
        (lambda: made.select(0, 2), IndexError, "out of range"),
        (lambda: made.index_select(0, torch.tensor([5])), IndexError, "out of range"),
        (lambda: made.index_select(0, torch.tensor([1.0])), IndexError, "long-tensor"),
        (lambda: made.narrow_copy(1, 1, 3), RuntimeError, "Invalid range"),
        (lambda: torch.cat([made, made.to_dense()]), RuntimeError, "at position 1"),
        (lambda: torch.cat([made.to_dense(), made]), RuntimeError, "dense tensor"),
        (lambda: torch.cat([made, hybrid]), RuntimeError, "same sparse_dim"),
        (lambda: torch.cat([made, made.t()]), RuntimeError, "same shape"),
        (lambda: made.view(6), NotImplementedError, "aten::view"),
        (lambda: made[torch.tensor([0])], NotImplementedError, "aten::index"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()


def test_gradients_of_shapes():
    values = torch.randn(4, dtype=torch.float64, requires_grad=True)
    functions = [
        lambda s: s.t(), lambda s: s.transpose(0, 1), lambda s: torch.cat([s, s * 2], 1),
    ]  # fmt: skip
    for function in functions:
        assert gradcheck(lambda v, f=function: f(sparse_of(v)).to_dense() ** 2, (values,))


def test_assert_close():
    made = torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,)).coalesce()
    close = torch.testing.assert_close
    close(made, made.clone())
    close(made, made.to_dense(), check_layout=False)
    cases = [
        (made * 2, "Sparse COO values are not close"),
        (torch.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,)), "Sparse COO indices are not equal"),
        (torch.sparse_coo_tensor((3,)), "number of specified values"),
        (made.to_dense(), "attribute 'layout'"),
        (made.double(), "attribute 'dtype'"),
    ]
    for other, message in cases:
        with pytest.raises(AssertionError, match=message):
            close(made, other)
