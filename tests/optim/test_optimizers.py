"""Optimizers: every one of them finds the lowest point of a bowl, and its state survives."""

import pytest

import rushlight as torch
from rushlight import optim

MAKERS = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.5, nesterov=True),
    "Adam": lambda p: optim.Adam(p, lr=0.2, amsgrad=True),
    "AdamW": lambda p: optim.AdamW(p, lr=0.2),
    "Adagrad": lambda p: optim.Adagrad(p, lr=1.0),
    "Adadelta": lambda p: optim.Adadelta(p, lr=20.0),
    "Adamax": lambda p: optim.Adamax(p, lr=0.2),
    "NAdam": lambda p: optim.NAdam(p, lr=0.2),
    "RAdam": lambda p: optim.RAdam(p, lr=0.2),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.05, centered=True),
    "ASGD": lambda p: optim.ASGD(p, lr=0.1),
    "Rprop": lambda p: optim.Rprop(p, lr=0.1),
}


def steps(optimizer, x, count):
    for _ in range(count):
        optimizer.zero_grad()
        (x - 3).square().sum().backward()
        optimizer.step()


@pytest.mark.parametrize("name", MAKERS)
def test_the_lowest_point_is_found(name):
    x = torch.zeros(3, requires_grad=True)
    steps(MAKERS[name]([x]), x, 300)
    assert torch.allclose(x, torch.full((3,), 3.0), atol=0.2)


@pytest.mark.parametrize("name", MAKERS)
def test_a_loaded_state_goes_on_where_it_was(name):
    x, y = torch.zeros(3, requires_grad=True), torch.zeros(3, requires_grad=True)
    one, other = MAKERS[name]([x]), MAKERS[name]([y])
    steps(one, x, 5)
    other.load_state_dict(one.state_dict())
    with torch.no_grad():
        y.copy_(x)
    steps(one, x, 5)
    steps(other, y, 5)
    assert torch.equal(x, y)


def test_groups_have_settings_of_their_own():
    x, y = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    optimizer = optim.SGD([{"params": [x]}, {"params": [y], "lr": 0.5}], lr=0.1)
    (x + y).sum().backward()
    optimizer.step()
    assert x.item() == pytest.approx(-0.1) and y.item() == pytest.approx(-0.5)
    with pytest.raises(ValueError, match="some parameters appear in more than one"):
        optimizer.add_param_group({"params": [x]})


def test_hooks_run_around_steps():
    x = torch.zeros(1, requires_grad=True)
    optimizer, seen = optim.SGD([x], lr=0.1), []
    optimizer.register_step_pre_hook(lambda *_: seen.append("before"))
    optimizer.register_step_post_hook(lambda *_: seen.append("after"))
    optimizer.step()
    assert seen == ["before", "after"]


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda o: optim.lr_scheduler.StepLR(o, 2, 0.1), [1, 1, 0.1, 0.1, 0.01]),
        (lambda o: optim.lr_scheduler.ExponentialLR(o, 0.5), [1, 0.5, 0.25, 0.125, 0.0625]),
        (lambda o: optim.lr_scheduler.LambdaLR(o, lambda e: 1 / (e + 1)), [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]),
        (lambda o: optim.lr_scheduler.LinearLR(o, 0.5, 1.0, 2), [0.5, 0.75, 1, 1, 1]),
        (lambda o: optim.lr_scheduler.MultiStepLR(o, [1, 3], 0.1), [1, 0.1, 0.1, 0.01, 0.01]),
    ],
)  # fmt: skip
def test_schedules_set_rates(make, expected):
    optimizer = optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule, seen = make(optimizer), []
    for _ in expected:
        seen.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    assert seen == pytest.approx(expected)


def test_a_plateau_lowers_the_rate():
    optimizer = optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule = optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
    for _ in range(4):
        schedule.step(1.0)
    assert optimizer.param_groups[0]["lr"] == 0.5
