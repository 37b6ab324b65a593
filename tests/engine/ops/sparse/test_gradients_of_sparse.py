"""Gradients through sparse tensors, and sparse gradients."""

import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck
from rushlight.autograd.gradcheck import GradcheckError

INDICES = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])


def made_of(values, **options):
    return torch.sparse_coo_tensor(INDICES, values, (2, 3, *values.shape[1:]), **options)


def doubles(*size):
    return torch.randn(*size, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("dense", [(), (2,)])
def test_values_to_dense(dense):
    weight = torch.randn(2, 3, *dense, dtype=torch.float64)
    values = doubles(4, *dense)
    assert gradcheck(lambda v: made_of(v).to_dense() * weight, (values,))
    assert gradcheck(lambda v: made_of(v).coalesce().to_dense() * weight, (values,))
    assert gradcheck(lambda v: made_of(v).coalesce().values().exp(), (values,))


def test_complex_values():
    values = torch.randn(4, dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda v: made_of(v).coalesce().to_dense(), (values,))


def test_dense_to_sparse():
    dense = doubles(2, 3)
    assert gradcheck(lambda d: d.to_sparse().values() ** 2, (dense,))
    assert gradcheck(lambda d: d.to_sparse(1).to_dense() ** 2, (dense,))
    assert gradcheck(
        lambda d: d.sparse_mask(made_of(torch.ones(4)))._coalesced_(True).to_dense(), (dense,)
    )


def test_gradient_of_a_sparse_leaf_is_sparse():
    leaf = made_of(torch.ones(4)).coalesce().requires_grad_()
    (leaf.to_dense() * torch.arange(6.0).reshape(2, 3)).sum().backward()
    assert leaf.grad.is_sparse
    assert leaf.grad.to_dense().tolist() == [[0.0, 0.0, 2.0], [3.0, 0.0, 5.0]]


def test_unmasked_gradients():
    leaf = made_of(torch.ones(4)).coalesce().requires_grad_()
    leaf.to_dense(masked_grad=False).sum().backward()
    assert leaf.grad.to_dense().tolist() == [[1.0] * 3] * 2


@pytest.mark.parametrize("padding", [None, 1])
def test_embedding(padding):
    names = torch.tensor([[1, 0], [1, 2]])
    weight = doubles(4, 3)
    factor = torch.randn(2, 2, 3, dtype=torch.float64)
    grads = []
    for sparse in (True, False):
        weight.grad = None
        found = torch.nn.functional.embedding(names, weight, padding, sparse=sparse)
        (found * factor).sum().backward()
        assert weight.grad.is_sparse is sparse
        grads.append(weight.grad.to_dense())
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("padding", [None, 1])
def test_embedding_bag(mode, weighted, padding):
    if weighted and mode == "mean":
        mode = "sum"
    names, starts = torch.tensor([1, 0, 3, 1, 2]), torch.tensor([0, 2, 2])
    weight, shares = doubles(4, 3), doubles(5)
    grads = []
    for sparse in (True, False):
        weight.grad = shares.grad = None
        found = torch.nn.functional.embedding_bag(
            names, weight, starts, mode=mode, sparse=sparse, padding_idx=padding,
            per_sample_weights=shares if weighted else None,
        )  # fmt: skip
        (found * torch.arange(9.0).reshape(3, 3)).sum().backward()
        assert weight.grad.is_sparse is sparse
        grads.append((weight.grad.to_dense(), shares.grad))
    torch.testing.assert_close(*grads)


def test_modules():
    for module, given in (
        (torch.nn.Embedding(5, 2, sparse=True), (torch.tensor([1, 1, 4]),)),
        (torch.nn.EmbeddingBag(5, 2, sparse=True), (torch.tensor([[1, 1, 4]]),)),
    ):
        module(*given).sum().backward()
        assert module.weight.grad.is_sparse and module.weight.grad.shape == (5, 2)
        assert module.weight.grad.coalesce().indices().tolist() == [[1, 4]]


def test_frequencies_are_refused():
    weight = doubles(4, 3)
    found = torch.nn.functional.embedding(
        torch.tensor([1]), weight, sparse=True, scale_grad_by_freq=True
    )
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported"):
        found.sum().backward()


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_gather(dim):
    index = torch.tensor([[0, 1, 1], [1, 0, 1]])
    given = doubles(3, 3)
    grads = []
    for sparse in (True, False):
        given.grad = None
        torch.gather(given, dim, index, sparse_grad=sparse).pow(2).sum().backward()
        assert given.grad.is_sparse is sparse
        grads.append(given.grad.to_dense())
    torch.testing.assert_close(*grads)


def lookup(weight, *names):
    return torch.nn.functional.embedding(torch.tensor(names), weight, sparse=True).sum()


def test_gradients_add_up():
    weight = torch.ones(3, 2, requires_grad=True)
    lookup(weight, 1, 0).backward()
    first = weight.grad
    lookup(weight, 1).backward()
    assert weight.grad is first and first.is_sparse and first._nnz() == 2
    (weight * 2).sum().backward()
    assert not weight.grad.is_sparse
    assert weight.grad.tolist() == [[3.0, 3.0], [4.0, 4.0], [2.0, 2.0]]
    lookup(weight, 2).backward()
    assert weight.grad.tolist() == [[3.0, 3.0], [4.0, 4.0], [3.0, 3.0]]


@pytest.mark.parametrize("order", [0, 1, 2])
def test_gradients_of_one_pass_add_up(order):
    weight = torch.ones(3, 2, requires_grad=True)
    terms = [lookup(weight, 1), (weight * 2).sum(), lookup(weight, 1, 2), weight.sum()]
    sum(terms[order:] + terms[:order]).backward()
    assert weight.grad.tolist() == [[3.0, 3.0], [5.0, 5.0], [4.0, 4.0]]
    weight.grad = None
    (lookup(weight, 1) + lookup(weight, 1, 2) + lookup(weight, 0)).backward()
    assert weight.grad.is_sparse
    assert weight.grad.to_dense().tolist() == [[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]


def test_hooks_and_grad_see_sparse_gradients():
    weight = torch.ones(3, 2, requires_grad=True)
    seen = []
    weight.register_hook(lambda grad: seen.append(grad.is_sparse))
    (grad,) = torch.autograd.grad(lookup(weight, 1), weight)
    assert grad.is_sparse and seen == [True]


def test_zero_grad():
    weight = torch.nn.Parameter(torch.ones(3, 2))
    for set_to_none in (True, False):
        lookup(weight, 1).backward()
        torch.optim.SGD([weight], lr=0.1).zero_grad(set_to_none)
        assert weight.grad is None or (weight.grad.is_sparse and weight.grad._nnz() == 0)


@pytest.mark.parametrize(
    "function",
    [
        lambda v, d: made_of(v).to_dense() ** 2,
        lambda v, d: torch.sparse.mm(made_of(v), d) ** 2,
        lambda v, d: made_of(v) @ d.sin(),
        lambda v, d: torch.sparse.sum(made_of(v), 0).to_dense() ** 3,
        lambda v, d: (made_of(v) * d.t()).to_dense() ** 2,
        lambda v, d: made_of(v).coalesce().values() ** 3,
        lambda v, d: d.to_sparse().to_dense() ** 3,
    ],
)
def test_second_derivatives_are_right_or_refused(function):
    inputs = doubles(4), doubles(3, 2)
    try:
        assert gradgradcheck(function, inputs)
    except (NotImplementedError, RuntimeError) as error:
        assert not isinstance(error, GradcheckError), error
        assert "second derivatives" in str(error) or "not implemented" in str(error), error


def test_forward_mode_knows_only_dense_tangents():
    forward = torch.autograd.forward_ad
    sparse, dense = made_of(torch.ones(4)), torch.ones(3, 2)
    with forward.dual_level():
        dual = forward.make_dual(dense, 2 * dense)
        found = forward.unpack_dual(torch.sparse.mm(sparse, dual)).tangent
        torch.testing.assert_close(found, 2 * (sparse @ dense))
        values = forward.make_dual(torch.ones(4), torch.ones(4))
        for call in (
            lambda: made_of(values), lambda: dual.to_sparse(),
            lambda: forward.make_dual(sparse, sparse).to_dense(),
            lambda: forward.make_dual(sparse, sparse).mul_(2),
        ):  # fmt: skip
            with pytest.raises(NotImplementedError, match="tangents of sparse tensors"):
                call()


def test_repeated_steps_keep_kinds_apart():
    weight = torch.ones(3, 2, requires_grad=True)
    names = torch.tensor([1, 2])
    for step in range(6):
        weight.grad = None
        torch.nn.functional.embedding(names, weight, sparse=step % 2 == 0).sum().backward()
        assert weight.grad.is_sparse is (step % 2 == 0)
