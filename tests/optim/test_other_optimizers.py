"""Optimizers that are no formula for one element, and averages of models."""

import pytest

import rushlight as torch
from rushlight import nn, optim
from rushlight.optim import swa_utils


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_the_bottom_of_a_valley(search):
    x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = optim.LBFGS([x], lr=1.0 if search else 0.5, max_iter=200, line_search_fn=search)

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        return loss

    first = optimizer.step(closure)
    optimizer.step(closure)
    assert first.item() == pytest.approx(24.2)
    assert torch.allclose(x, torch.ones(2, dtype=torch.float64), atol=1e-4)


def test_lbfgs_counts_what_it_does():
    x = torch.tensor([3.0], requires_grad=True)
    optimizer = optim.LBFGS([x], max_iter=4, max_eval=3)
    calls = []

    def closure():
        optimizer.zero_grad()
        calls.append(None)
        loss = (x**4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert optimizer.state[x]["func_evals"] == len(calls) == 3


def test_lbfgs_refuses_groups_and_searches():
    x = torch.zeros(2, requires_grad=True)
    y = torch.zeros(2, requires_grad=True)
    with pytest.raises(ValueError, match="parameter groups"):
        optim.LBFGS([{"params": [x]}, {"params": [y]}])
    with pytest.raises(RuntimeError, match="only 'strong_wolfe'"):
        optim.LBFGS([x], line_search_fn="armijo").step(lambda: x.sum())


def test_adafactor_keeps_a_row_and_a_column():
    p = nn.Parameter(torch.ones(4, 3))
    q = nn.Parameter(torch.ones(5))
    optimizer = optim.Adafactor([p, q], lr=0.1)
    p.grad, q.grad = torch.full((4, 3), 2.0), torch.full((5,), -2.0)
    optimizer.step()
    assert optimizer.state[p]["row_var"].shape == (4, 1)
    assert optimizer.state[p]["col_var"].shape == (1, 3)
    # The first step has the size of the rate, relative to the parameter's.
    assert torch.allclose(p.detach(), torch.full((4, 3), 0.9))
    assert torch.allclose(q.detach(), torch.full((5,), 1.1))


def test_muon_steps_along_an_orthogonal_matrix():
    torch.manual_seed(0)
    p = nn.Parameter(torch.zeros(6, 4))
    p.grad = torch.randn(6, 4)
    optim.Muon([p], lr=1.0, weight_decay=0.0, ns_steps=10).step()
    values = torch.linalg.svdvals(p.detach()) / (6 / 4) ** 0.5
    assert ((values > 0.6) & (values < 1.3)).all()


def test_muon_refuses_vectors():
    with pytest.raises(ValueError, match="only supports 2D parameters"):
        optim.Muon([nn.Parameter(torch.ones(3))])


def test_sparse_adam_refuses_dense_gradients():
    p = nn.Parameter(torch.ones(3))
    p.grad = torch.ones(3)
    with pytest.raises(RuntimeError, match="does not support dense gradients"):
        optim.SparseAdam([p]).step()


def test_an_averaged_model_is_the_mean():
    model = nn.Linear(2, 1)
    averaged = swa_utils.AveragedModel(model)
    for value in (1.0, 2.0, 6.0):
        with torch.no_grad():
            model.weight.fill_(value)
        averaged.update_parameters(model)
    assert torch.allclose(averaged.module.weight, torch.full((1, 2), 3.0))
    assert averaged.n_averaged == 3
    assert torch.equal(averaged(torch.ones(1, 2)), averaged.module(torch.ones(1, 2)))


@pytest.mark.parametrize("many", [False, True])
def test_an_exponential_average(many):
    model = nn.Linear(2, 1).to(torch.float64)
    how = (
        {"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.75)}
        if many
        else {"avg_fn": swa_utils.get_ema_avg_fn(0.75)}
    )
    averaged = swa_utils.AveragedModel(model, **how)
    for value in (1.0, 2.0):
        with torch.no_grad():
            model.weight.fill_(value)
        averaged.update_parameters(model)
    assert torch.allclose(averaged.module.weight, torch.full((1, 2), 1.25, dtype=torch.float64))


def test_running_statistics_are_found_anew():
    model = nn.Sequential(nn.BatchNorm1d(2, momentum=0.5))
    batches = [torch.full((4, 2), 1.0), (torch.full((4, 2), 3.0), "label")]
    model.eval()
    swa_utils.update_bn(batches, model)
    assert model[0].running_mean.eq(2).all()
    assert model[0].momentum == 0.5
    assert not model.training


def test_rates_go_to_a_fixed_value():
    optimizer = optim.SGD([nn.Parameter(torch.ones(1))], lr=0.5)
    schedule = swa_utils.SWALR(optimizer, 0.1, anneal_epochs=4, anneal_strategy="linear")
    rates = []
    for _ in range(6):
        optimizer.step()
        schedule.step()
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([0.4, 0.3, 0.2, 0.1, 0.1, 0.1])
