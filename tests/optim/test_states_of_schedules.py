"""States of schedules have the fields that PyTorch's have, so that checkpoints can be exchanged."""

import pytest

import rushlight as torch
from rushlight.optim import lr_scheduler as schedules


def optimizer():
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)


def test_phases_of_one_cycle():
    state = schedules.OneCycleLR(optimizer(), 0.5, total_steps=25).state_dict()
    assert state["_schedule_phases"][0] == {
        "end_step": 6.5,
        "start_lr": "initial_lr",
        "end_lr": "max_lr",
        "start_momentum": "max_momentum",
        "end_momentum": "base_momentum",
    }


def test_functions_of_cycles_are_not_saved():
    cyclic = schedules.CyclicLR(optimizer(), 0.01, 0.3, scale_fn=lambda x: 0.5)
    state = cyclic.state_dict()
    assert state["_scale_fn_custom"] is None
    cyclic.load_state_dict(state)
    assert cyclic.scale_fn(3) == 0.5


def test_objects_of_cycles_are_saved_by_their_fields():
    class Half:
        def __init__(self):
            self.share = 0.5

        def __call__(self, x):
            return self.share

    state = schedules.CyclicLR(optimizer(), 0.01, 0.3, scale_fn=Half()).state_dict()
    assert state["_scale_fn_custom"] == {"share": 0.5}
    state["_scale_fn_custom"]["share"] = 0.25
    other = schedules.CyclicLR(optimizer(), 0.01, 0.3, scale_fn=Half())
    other.load_state_dict(state)
    assert other.scale_fn(1) == 0.25


def test_plateau_knows_what_everything_is_better_than():
    assert schedules.ReduceLROnPlateau(optimizer()).state_dict()["mode_worse"] == float("inf")
    assert schedules.ReduceLROnPlateau(optimizer(), "max").best == -float("inf")


def test_groups_have_all_names_or_none():
    first, second = (torch.ones(1, requires_grad=True) for _ in range(2))
    named = torch.optim.SGD([("a", first)], lr=0.1)
    with pytest.raises(ValueError, match="cannot add param group without names"):
        named.add_param_group({"params": [second]})
    plain = torch.optim.SGD([first], lr=0.1)
    with pytest.raises(ValueError, match="cannot add param group with names"):
        plain.add_param_group({"params": [("b", second)]})
    with pytest.raises(ValueError, match="Some param names are missing"):
        torch.optim.SGD([("a", first), second], lr=0.1)


def test_what_a_mode_of_cycles_stands_for():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    make = torch.optim.lr_scheduler.CyclicLR
    modes = {"triangular": 1.0, "triangular2": 0.25, "exp_range": 0.125}
    for mode, height in modes.items():
        made = make(optimizer, 0.1, 1.0, mode=mode, gamma=0.5, cycle_momentum=False)
        assert made._scale_fn_ref(3) == height == made.scale_fn(3)
        assert "_scale_fn_ref" not in made.state_dict()
