"""Steps by sparse gradients, against the same steps by dense ones or the formulas written out."""

import math

import pytest

import rushlight as torch
from rushlight import optim

NAMES = [torch.tensor([1, 2, 1]), torch.tensor([0, 1, 1]), torch.tensor([3, 1, 3])]


def trained(make, sparse, steps=6):
    """A table after some steps, in which not every row is read."""
    torch.manual_seed(3)
    weight = torch.nn.Parameter(torch.randn(5, 2, dtype=torch.float64))
    factors = torch.randn(3, 3, 2, dtype=torch.float64)
    optimizer = make([weight])
    for step in range(steps):
        optimizer.zero_grad()
        found = torch.nn.functional.embedding(NAMES[step % 3], weight, sparse=sparse)
        (found * factors[step % 3]).sum().backward()
        assert weight.grad.is_sparse is sparse
        optimizer.step()
    return weight.detach(), optimizer


@pytest.mark.parametrize(
    "options",
    [
        {}, {"momentum": 0.9}, {"momentum": 0.9, "dampening": 0.5}, {"maximize": True},
        {"momentum": 0.9, "nesterov": True}, {"momentum": 0.9, "maximize": True},
    ],
)  # fmt: skip
def test_sgd(options):
    def make(params):
        return optim.SGD(params, lr=0.1, **options)

    torch.testing.assert_close(trained(make, True)[0], trained(make, False)[0])


def test_the_momentum_of_sgd_stays_small():
    _, optimizer = trained(lambda p: optim.SGD(p, lr=0.1, momentum=0.9), True, steps=12)
    (state,) = optimizer.state.values()
    assert state["momentum_buffer"].is_sparse and state["momentum_buffer"]._nnz() == 4


@pytest.mark.parametrize("options", [{}, {"lr_decay": 0.3}, {"maximize": True}, {"eps": 0.1}])
def test_adagrad(options):
    def make(params):
        return optim.Adagrad(params, lr=0.1, initial_accumulator_value=0.2, **options)

    torch.testing.assert_close(trained(make, True)[0], trained(make, False)[0])


def adam_of_rows(weight, grads, lr, betas, eps, maximize):
    """Adam in which rows without a gradient rest."""
    mean, spread = torch.zeros_like(weight), torch.zeros_like(weight)
    for step, grad in enumerate(grads, 1):
        rows = grad.abs().sum(1) != 0
        grad = -grad if maximize else grad
        mean[rows] += (grad - mean)[rows] * (1 - betas[0])
        spread[rows] += (grad**2 - spread)[rows] * (1 - betas[1])
        rate = lr * math.sqrt(1 - betas[1] ** step) / (1 - betas[0] ** step)
        weight[rows] -= (rate * mean / (spread.sqrt() + eps))[rows]
    return weight


@pytest.mark.parametrize("maximize", [False, True])
def test_sparse_adam(maximize):
    options = {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-6, "maximize": maximize}
    found, optimizer = trained(lambda p: optim.SparseAdam(p, **options), True)
    torch.manual_seed(3)
    weight = torch.randn(5, 2, dtype=torch.float64)
    factors = torch.randn(3, 3, 2, dtype=torch.float64)
    grads = [
        torch.zeros(5, 2, dtype=torch.float64).index_add(0, NAMES[k % 3], factors[k % 3])
        for k in range(6)
    ]
    torch.testing.assert_close(found, adam_of_rows(weight, grads, **options))
    (state,) = optimizer.state.values()
    assert state["step"] == 6 and state["exp_avg"].shape == (5, 2)
    assert not state["exp_avg"].is_sparse


def test_states_of_sparse_adam_travel():
    _, optimizer = trained(optim.SparseAdam, True)
    weight = torch.nn.Parameter(torch.ones(5, 2))
    other = optim.SparseAdam([weight])
    other.load_state_dict(optimizer.state_dict())
    torch.nn.functional.embedding(NAMES[0], weight, sparse=True).sum().backward()
    other.step()
    assert other.state[weight]["step"] == 7


def test_what_sparse_adam_refuses():
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    with pytest.raises(RuntimeError, match="does not support dense gradients"):
        optim.SparseAdam([weight]).step()
    with pytest.raises(ValueError, match=r"Sparse params at indices \[\[0, 0\]\]"):
        optim.SparseAdam([torch.nn.Parameter(torch.ones(2).to_sparse())])
    with pytest.raises(ValueError, match="complex"):
        optim.SparseAdam([torch.nn.Parameter(torch.ones(2, dtype=torch.complex64))])


def test_a_gradient_without_values_changes_nothing():
    weight = torch.nn.Parameter(torch.ones(3, 2))
    for make in (optim.SparseAdam, optim.SGD, optim.Adagrad):
        weight.grad = torch.sparse_coo_tensor(torch.zeros(1, 0), torch.zeros(0, 2), (3, 2))
        make([weight], lr=0.1).step()
        assert weight.tolist() == [[1.0, 1.0]] * 3


@pytest.mark.parametrize(
    "name",
    ["Adam", "AdamW", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD",
     "Adafactor", "Muon"],
)  # fmt: skip
def test_optimizers_that_refuse_sparse_gradients(name):
    weight = torch.nn.Parameter(torch.ones(3, 2))
    weight.grad = torch.ones(3, 2).to_sparse()
    shown = "Adam" if name == "AdamW" else name
    with pytest.raises(RuntimeError, match=f"{shown} does not support sparse gradients"):
        getattr(optim, name)([weight]).step()
    assert weight.tolist() == [[1.0, 1.0]] * 3


def test_weight_decay_is_refused():
    weight = torch.nn.Parameter(torch.ones(3, 2))
    weight.grad = torch.ones(3, 2).to_sparse()
    with pytest.raises(RuntimeError, match="weight_decay option is not compatible"):
        optim.Adagrad([weight], weight_decay=0.1).step()
    with pytest.raises(RuntimeError, match=r"is not supported. Use add"):
        optim.SGD([weight], weight_decay=0.1).step()


def test_dense_and_sparse_gradients_in_one_group():
    rows, dense = torch.nn.Parameter(torch.ones(3, 2)), torch.nn.Parameter(torch.ones(3, 2))
    rows.grad, dense.grad = torch.ones(3, 2).to_sparse(1), torch.ones(3, 2)
    for make in (optim.SGD, optim.Adagrad):
        make([rows, dense], lr=0.1).step()
        torch.testing.assert_close(rows, dense)


def test_lbfgs():
    weight = torch.nn.Parameter(torch.ones(3, 2))

    def closure():
        weight.grad = None
        found = torch.nn.functional.embedding(torch.tensor([0, 2]), weight, sparse=True)
        loss = (found**2).sum()
        loss.backward()
        return loss

    optimizer = optim.LBFGS([weight])
    first = closure().item()
    optimizer.step(closure)
    assert closure().item() < first / 100
    assert weight[1].tolist() == [1.0, 1.0]
