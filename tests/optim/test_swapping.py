"""Other parameters and states for a while."""

from copy import deepcopy

import pytest

import rushlight as torch
from rushlight.optim import swap_in_optimizer_params_and_state as swapped


def started():
    parameters = [torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(3))]
    optimizer = torch.optim.Adam(
        [{"params": [parameters[0]], "lr": 0.1}, {"params": parameters[1:]}]
    )
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    return optimizer, parameters


def others():
    found = {"a": torch.zeros(2), "b": torch.zeros(3)}
    for tensor in found.values():
        tensor.grad = torch.ones_like(tensor)
    return found


def test_a_step_on_other_tensors():
    optimizer, parameters = started()
    before = [p.detach().clone() for p in parameters]
    state = deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 0.5
    tensors = others()
    with swapped(optimizer, tensors, state):
        assert optimizer.param_groups[0]["params"][0] is tensors["a"]
        assert optimizer.param_groups[0]["lr"] == 0.5
        optimizer.param_groups[0]["lr"] = 7.0
        optimizer.step()
    assert tensors["a"].tolist() == pytest.approx([-7.0, -7.0], rel=1e-5)
    assert state["state"][0]["step"].item() == 2
    assert state["param_groups"][0]["lr"] == 0.5
    assert optimizer.param_groups[0]["lr"] == 0.1
    assert optimizer.param_groups[0]["params"][0] is parameters[0]
    assert optimizer.state[parameters[0]]["step"].item() == 1
    assert all(torch.equal(p, b) for p, b in zip(parameters, before))


def test_the_optimizer_comes_back_after_an_error():
    optimizer, parameters = started()
    state = deepcopy(optimizer.state_dict())
    with pytest.raises(KeyError), swapped(optimizer, others(), state):
        raise KeyError
    assert optimizer.param_groups[1]["params"][0] is parameters[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda o, t, s: o.state.clear(), "requires initialized optimizer state"),
        (lambda o, t, s: t.pop("b"), "match optimizer.param_groups ordering"),
        (lambda o, t, s: s.pop("state"), "per-param state dicts, got NoneType"),
        (lambda o, t, s: s["param_groups"].pop(), "different number of parameter groups"),
        (
            lambda o, t, s: s["param_groups"][0]["params"].append(1),
            "param group 0 has a different number of params",
        ),
        (lambda o, t, s: s["state"].update({5: {}}), r"got extra keys \[5\]"),
    ],
)
def test_what_does_not_fit(change, words):
    optimizer, _ = started()
    state, tensors = deepcopy(optimizer.state_dict()), others()
    change(optimizer, tensors, state)
    with pytest.raises(RuntimeError, match=words), swapped(optimizer, tensors, state):
        pass
