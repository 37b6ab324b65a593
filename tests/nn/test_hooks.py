"""Hooks of modules: what they get, what they may change, when they are called."""

import copy

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.modules import module as modules


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(2, 2)

    def forward(self, x, *, scale=1.0):
        return self.layer(x) * scale


@pytest.fixture
def x():
    return torch.tensor([[1.0, 2.0], [3.0, -4.0]])


def seen(grads):
    return [None if g is None else g.tolist() for g in grads]


# -- before and after forward --


def test_hooks_run_in_order_and_change_what_they_give(x):
    calls, module = [], Scaled()
    plain = module(x * 2, scale=3.0) + 1
    module.register_forward_pre_hook(lambda m, a: calls.append("pre"))
    module.register_forward_pre_hook(
        lambda m, a, k: calls.append(sorted(k)) or (a, {**k, "scale": 3.0}), with_kwargs=True
    )
    module.register_forward_pre_hook(lambda m, a: calls.append("first") or a[0] * 2, prepend=True)
    module.register_forward_hook(lambda m, a, o: calls.append("post") or o + 1)
    module.register_forward_hook(lambda m, a, k, o: calls.append(k["scale"]), with_kwargs=True)
    module.register_forward_hook(lambda m, a, o: calls.append("before"), prepend=True)
    assert torch.equal(module(x, scale=2.0), plain)
    assert calls == ["first", "pre", ["scale"], "before", "post", 3.0]


def test_hooks_are_kept_as_they_were_given():
    module = Scaled()

    def hook(*args):
        return None

    handles = [
        module.register_forward_hook(hook, always_call=True),
        module.register_forward_pre_hook(hook, with_kwargs=True),
        module.register_full_backward_hook(hook),
        module.register_full_backward_pre_hook(hook),
    ]
    tables = (
        module._forward_hooks, module._forward_pre_hooks, module._backward_hooks,
        module._backward_pre_hooks,
    )  # fmt: skip
    assert all(list(table.values()) == [hook] for table in tables)
    for handle in handles:
        handle.remove()
    assert not any(tables)


def test_a_hook_with_named_arguments_must_give_both(x):
    module = Scaled()
    module.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple"):
        module(x)


def test_hooks_that_are_always_called_hear_of_failures(x):
    calls, module = [], Scaled()
    module.register_forward_hook(lambda m, a, o: calls.append(o is None), always_call=True)
    module.register_forward_hook(lambda m, a, o: calls.append("only after success"))
    with pytest.raises(TypeError):
        module(x, nothing=3)
    assert calls == [True]


def test_a_failure_in_such_a_hook_is_a_warning_after_another(x):
    module = Scaled()
    module.register_forward_hook(lambda m, a, o: 1 / 0, always_call=True)
    with (
        pytest.warns(UserWarning, match="raised an exception that was silenced"),
        pytest.raises(TypeError),
    ):
        module(x, nothing=3)
    with pytest.raises(ZeroDivisionError):
        module(x)


def test_hooks_of_copies_are_their_own(x):
    module = Scaled()
    module.calls = []
    module.register_forward_hook(lambda m, a, o: m.calls.append(1))
    twin = copy.deepcopy(module)
    twin(x)
    assert (module.calls, twin.calls) == ([], [1])


# -- gradients --


def test_backward_hooks_see_and_change_gradients(x):
    calls, module = [], nn.Linear(2, 2)
    module.register_full_backward_pre_hook(lambda m, g: (g[0] * 2,))
    module.register_full_backward_hook(lambda m, gi, go: calls.append(seen(go)) or (gi[0] * 10,))
    given = x.clone().requires_grad_()
    module(given).sum().backward()
    assert calls == [[[[2.0, 2.0], [2.0, 2.0]]]]
    expected = torch.full((2, 2), 20.0) @ module.weight
    assert torch.allclose(given.grad, expected)


class Several(nn.Module):
    def forward(self, a, b, name=None):
        return a * b, name, b * 2


def test_what_is_no_tensor_has_no_gradient(x):
    calls, module = [], Several()
    module.register_full_backward_hook(lambda m, gi, go: calls.append((gi, go)))
    given = x.clone().requires_grad_()
    module(given, x, "name")[0].sum().backward()
    gi, go = calls[0]
    assert [g is None for g in gi] == [False, False, True]
    assert [g is None for g in go] == [False, True, True]
    assert torch.equal(gi[0], x)


def test_inputs_without_a_gradient(x):
    calls, module = [], nn.Linear(2, 2)
    module.register_full_backward_hook(lambda m, gi, go: calls.append((gi, seen(go))))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        module(x).sum().backward()
    assert calls == [((None,), [[[1.0, 1.0], [1.0, 1.0]]])]


def test_a_wrong_number_of_gradients(x):
    module = nn.Linear(2, 2)
    module.register_full_backward_hook(lambda m, gi, go: (1, 2))
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        module(x.clone().requires_grad_()).sum().backward()


def test_both_kinds_of_backward_hooks_do_not_mix():
    module = nn.Linear(2, 2)
    module.register_full_backward_hook(lambda *a: None)
    with pytest.raises(RuntimeError, match="Cannot use both"):
        module.register_backward_hook(lambda *a: None)


# -- of all modules --


def test_hooks_of_all_modules(x):
    calls = []
    handles = [
        modules.register_module_forward_pre_hook(lambda m, a: calls.append("before")),
        modules.register_module_forward_hook(
            lambda m, a, k, o: calls.append(sorted(k)), with_kwargs=True
        ),
        modules.register_module_full_backward_hook(lambda m, gi, go: calls.append("gradient")),
    ]
    module = nn.Linear(2, 2)
    try:
        module(x.clone().requires_grad_()).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    assert calls == ["before", [], "gradient"]
    module(x)
    assert len(calls) == 3


def test_hooks_on_registration():
    calls = []
    handles = [
        modules.register_module_parameter_registration_hook(lambda m, n, p: calls.append(n)),
        modules.register_module_buffer_registration_hook(lambda m, n, b: calls.append(n)),
        modules.register_module_module_registration_hook(lambda m, n, c: calls.append(n)),
    ]
    try:
        nn.Sequential(nn.BatchNorm1d(1))
    finally:
        for handle in handles:
            handle.remove()
    assert calls == [
        "weight", "bias", "running_mean", "running_var", "num_batches_tracked", "0",
    ]  # fmt: skip


# -- states --


def test_hooks_around_states():
    calls, module = [], nn.Sequential(nn.Linear(1, 1))
    module.register_state_dict_pre_hook(lambda m, prefix, keep: calls.append(("save", prefix)))
    module[0].register_state_dict_post_hook(lambda m, s, p, meta: calls.append(("saved", p)))
    module[0].register_load_state_dict_pre_hook(
        lambda m, s, p, meta, strict, *lists: calls.append(("load", p, strict))
    )
    module.register_load_state_dict_post_hook(lambda m, keys: calls.append(str(keys)))
    module.load_state_dict(module.state_dict())
    assert calls == [
        ("save", ""), ("saved", "0."), ("load", "0.", True), "<All keys matched successfully>",
    ]  # fmt: skip


def test_hooks_after_states_give_nothing():
    module = nn.Linear(1, 1)
    module.register_state_dict_post_hook(lambda m, s, p, meta: {})
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        module.state_dict()
    old = nn.Linear(1, 1)
    old._register_state_dict_hook(lambda m, s, p, meta: {"only": 1})
    assert old.state_dict() == {"only": 1}


def test_a_hook_may_forgive_missing_names():
    module = nn.Linear(1, 1)
    module.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    module.load_state_dict({"weight": torch.ones(1, 1)})
    assert module.weight.item() == 1


def test_an_assigned_parameter_wants_gradients_as_the_old_one_did():
    module = nn.Linear(1, 1)
    given = nn.Parameter(torch.ones(1, 1), requires_grad=False)
    module.load_state_dict({"weight": given, "bias": torch.zeros(1)}, assign=True)
    assert module.weight is given
    assert given.requires_grad


@pytest.mark.parametrize("watched", [0, 1])
def test_what_is_watched_cannot_be_changed_in_place(watched: int) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True))
    net[watched].register_full_backward_hook(lambda module, given, wanted: None)
    with pytest.raises(RuntimeError, match="Output 0 of BackwardHookFunction is a view"):
        net(torch.ones(1, 2, requires_grad=True))


def test_handles_take_all_numbers_away() -> None:
    layer = torch.nn.Linear(1, 1)
    handle = layer.register_forward_hook(lambda *args: None, with_kwargs=True, always_call=True)
    assert list(layer._forward_hooks_with_kwargs) == [handle.id]
    assert list(handle.hooks_dict_ref()) == [handle.id]
    handle.remove()
    assert not layer._forward_hooks
    assert not layer._forward_hooks_with_kwargs
    assert not layer._forward_hooks_always_called


def test_hooks_on_all_modules_can_be_put_aside() -> None:
    from rushlight.nn.modules import module

    called = []
    handle = module.register_module_forward_hook(lambda *args: called.append(1), always_call=True)
    assert list(module._global_forward_hooks_always_called) == [handle.id]
    kept, module._global_forward_hooks = module._global_forward_hooks, {}
    torch.nn.Linear(1, 1)(torch.ones(1))
    module._global_forward_hooks = kept
    assert called == []
    torch.nn.Linear(1, 1)(torch.ones(1))
    assert called == [1]
    handle.remove()
    assert not module._global_forward_hooks
    assert not module._global_forward_hooks_always_called


def test_old_backward_hooks_see_one_node() -> None:
    class Twice(torch.nn.Module):
        def forward(self, x):
            return (x * 2).exp()

    seen = []
    model = Twice()
    model.register_backward_hook(
        lambda module, given, out: seen.append((len(given), out[0].item()))
    )
    x = torch.zeros((), requires_grad=True)
    with pytest.warns(FutureWarning, match="multiple autograd Nodes"):
        result = model(x)
    result.backward()
    assert seen == [(1, 1.0)]
    assert x.grad.item() == 2


def test_a_hook_is_on_states_either_way_but_not_both() -> None:
    layer = torch.nn.Linear(1, 1)

    def hook(*args):
        return {}

    layer.register_state_dict_post_hook(hook)
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        layer.state_dict()
    with pytest.raises(RuntimeError, match="previously registered via"):
        layer._register_state_dict_hook(hook)
