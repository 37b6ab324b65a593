"""Arithmetic, functions and reductions of sparse tensors, against the same on dense ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.autograd import gradcheck

UNARY = [
    "abs", "asin", "asinh", "atan", "atanh", "ceil", "erf", "erfinv", "expm1", "floor", "frac",
    "isinf", "isnan", "isneginf", "isposinf", "log1p", "nan_to_num", "neg", "positive", "relu",
    "round", "sgn", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
    "deg2rad", "rad2deg", "conj_physical",
]  # fmt: skip


@st.composite
def pairs(draw):
    """Two sparse tensors of one size, with repeated indices and dense dimensions."""
    sparse = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    dense = draw(st.lists(st.integers(1, 3), max_size=1))
    return tuple(made_of(draw, sparse, dense) for _ in range(2))


def made_of(draw, sparse, dense):
    count = draw(st.integers(0, 6))
    rows = [draw(st.lists(st.integers(0, n - 1), min_size=count, max_size=count)) for n in sparse]
    indices = torch.tensor(rows, dtype=torch.int64).reshape(len(sparse), count)
    made = torch.sparse_coo_tensor(indices, torch.randn(count, *dense).double(), (*sparse, *dense))
    return made.coalesce() if draw(st.booleans()) else made


def agree(sparse, dense):
    assert sparse.is_sparse and sparse.shape == dense.shape and sparse.dtype is dense.dtype
    torch.testing.assert_close(sparse.to_dense(), dense)
    if sparse.is_coalesced():
        named = list(map(tuple, sparse.indices().t().tolist()))
        assert named == sorted(set(named))


@given(pairs())
@settings(max_examples=60, deadline=None)
def test_two_sparse_tensors(pair):
    a, b = pair
    x, y = a.to_dense(), b.to_dense()
    agree(a + b, x + y)
    agree(a - b, x - y)
    agree(torch.add(a, b, alpha=3), x + 3 * y)
    agree(a * b, x * y)
    agree(a.clone().add_(b, alpha=2), x + 2 * y)
    agree(a.clone().sub_(b), x - y)
    agree(a.clone().mul_(b), x * y)
    torch.testing.assert_close(a.sparse_mask(b).to_dense(), x.sparse_mask(b).to_dense())


@given(pairs())
@settings(max_examples=40, deadline=None)
def test_with_a_dense_tensor(pair):
    a, _ = pair
    x, dense = a.to_dense(), torch.randn(a.shape).double()
    assert not (dense + a).is_sparse
    torch.testing.assert_close(dense + a, dense + x)
    torch.testing.assert_close(torch.sub(dense, a, alpha=2), dense - 2 * x)
    torch.testing.assert_close(dense.clone().add_(a, alpha=-0.5), dense - 0.5 * x)
    turned = dense.permute(*reversed(range(dense.dim()))).clone()
    turned = turned.permute(*reversed(range(dense.dim())))
    torch.testing.assert_close(turned.add_(a, alpha=2), dense + 2 * x)
    agree(a * dense, x * dense)
    agree(dense * a, x * dense)
    agree(a * dense[:1], x * dense[:1])
    torch.testing.assert_close(dense.clone().mul_(a), x * dense)


@given(pairs())
@settings(max_examples=40, deadline=None)
def test_with_numbers_and_sums(pair):
    a, _ = pair
    x = a.to_dense()
    agree(a * 2.5, x * 2.5)
    agree(3 * a, 3 * x)
    agree(a / 2, x / 2)
    agree(a / torch.tensor(2.0), x / 2)
    agree(a // 2, x // 2)
    agree(torch.div(a, 0.7, rounding_mode="trunc"), torch.div(x, 0.7, rounding_mode="trunc"))
    agree(-a, -x)
    agree(a**2, x**2)
    agree(a.clone().mul_(2).div_(4).neg_(), -x / 2)
    torch.testing.assert_close(a.sum(), x.sum())
    torch.testing.assert_close(a.norm(), x.norm())
    torch.testing.assert_close(a.norm(1), x.norm(1))
    assert bool(a.any()) is bool(x.any())
    for dim in range(a.dim()):
        for keepdim in (False, True):
            found = a.sum(dim, keepdim)
            torch.testing.assert_close(found.to_dense(), x.sum(dim, keepdim))
        found = torch.sparse.sum(a, dim)
        torch.testing.assert_close(found.to_dense(), x.sum(dim))
    torch.testing.assert_close(torch.sparse.sum(a, list(range(a.dim()))).to_dense(), x.sum())


@pytest.mark.parametrize("name", UNARY)
def test_functions_that_are_zero_at_zero(name):
    given = torch.sparse_coo_tensor([[0, 2, 2, 4]], [0.3, 0.1, 0.2, 0.9], (6,))
    function = getattr(torch, name)
    agree(function(given), function(given.to_dense()))
    method = getattr(given.coalesce(), name + "_", None)
    if method is not None:
        agree(method(), function(given.to_dense()))
    whole = torch.tensor([0, 1, 0]).to_sparse()
    if name != "frac":
        agree(function(whole), function(whole.to_dense()))


def test_half_an_in_place_function_is_refused():
    given = torch.sparse_coo_tensor([[0, 0]], [0.3, 0.1], (2,))
    with pytest.raises(RuntimeError, match="sin_ requires coalesced input"):
        given.sin_()
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.tensor([0, 3]).to_sparse().sin_()


def test_element_types_meet():
    a, b = torch.tensor([0, 2]).to_sparse(), torch.tensor([1.5, 0.0]).to_sparse()
    assert (a + b).dtype is torch.float32 and (a * b.double()).dtype is torch.float64
    assert (a / 2).dtype is torch.float32 and (torch.ones(2).long() + b).dtype is torch.float32
    assert a.sum().dtype is torch.int64 and a.int().sum().dtype is torch.int64
    for target in (a.clone(), torch.ones(2).long()):
        with pytest.raises(RuntimeError, match="Can't convert result type Float to output Long"):
            target.add_(b)


def test_what_cannot_be_added():
    a, dense = torch.eye(2).to_sparse(), torch.ones(2, 2)
    for call in (
        lambda: a + dense, lambda: a + 1, lambda: 1 + a, lambda: a - dense,
        lambda: a.clone().add_(dense),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=r"add.sparse, dense. is not supported"):
            call()
    with pytest.raises(RuntimeError, match="expected sizes"):
        a + torch.eye(3).to_sparse()
    with pytest.raises(RuntimeError, match="does not currently support broadcasting"):
        torch.ones(2) + a
    with pytest.raises(RuntimeError, match="Sparse division requires a scalar"):
        a / dense
    with pytest.raises(RuntimeError, match="zeroth power"):
        a**0
    with pytest.raises(RuntimeError, match="equal dimensionality"):
        a * torch.eye(2).to_sparse(1)
    with pytest.raises(RuntimeError, match="full reductions"):
        a.norm(2, 0)


INDICES = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])


def sparse_of(values):
    return torch.sparse_coo_tensor(INDICES, values, (2, 3))


def doubles(*size):
    return torch.rand(*size, dtype=torch.float64).add(0.1).requires_grad_()


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: (a + b).to_dense(),
        lambda a, b: (a - 2 * b).to_dense() ** 2,
        lambda a, b: (a * b).to_dense(),
        lambda a, b: (a / 3 - b).sum(),
        lambda a, b: torch.sparse.sum(a * 2 - b),
        lambda a, b: torch.sparse.sum(a, 0).to_dense() * torch.sparse.sum(b, 0).to_dense(),
        lambda a, b: torch.sparse.sum(a - b, [1]).to_dense() ** 2,
        lambda a, b: torch.sparse.sum(a, [0, 1]),
        lambda a, b: (a.to_dense() + b).exp(),
        lambda a, b: (a.to_dense() * b).to_dense(),
        lambda a, b: torch.sin(a).to_dense() + torch.sqrt(b).to_dense(),
        lambda a, b: (a.neg() + b.tanh().square()).to_dense(),
        lambda a, b: (a**3 + b.pow(2)).to_dense(),
        lambda a, b: a.norm() + b.sum(),
        lambda a, b: a.sparse_mask(b.coalesce()).to_dense() ** 2,
    ],
)
def test_gradients(function):
    inputs = doubles(4), doubles(4)
    assert gradcheck(lambda v, w: function(sparse_of(v), sparse_of(w)), inputs)


def test_gradients_of_sums_over_dense_dimensions():
    def summed(values, dims):
        made = torch.sparse_coo_tensor(INDICES, values, (2, 3, 2))
        return torch.sparse.sum(made, dims).to_dense() ** 2

    for dims in ([0], [2], [0, 2], [0, 1], [1, 2]):
        assert gradcheck(lambda v, dims=dims: summed(v, dims), (doubles(4, 2),))
