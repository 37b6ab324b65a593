"""Checkpoints give the gradients of the plain call, and keep less."""

from __future__ import annotations

import contextlib
import gc
from typing import Any

import pytest

import rushlight as torch
from rushlight.engine.native import memory
from rushlight.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)

BOTH = pytest.mark.parametrize("reentrant", [True, False])


def leaf() -> Any:
    return torch.linspace(0.1, 2.0, 6, dtype=torch.float64).requires_grad_()


def work(x: Any) -> Any:
    return (x.sin() * x.exp()).cos() * x


def plain_gradient(function: Any) -> Any:
    x = leaf()
    function(x).sum().backward()
    return x.grad


@BOTH
def test_gradients(reentrant: bool) -> None:
    x = leaf()
    checkpoint(work, x, use_reentrant=reentrant).sum().backward()
    assert torch.equal(x.grad, plain_gradient(work))


@BOTH
@pytest.mark.filterwarnings("ignore:None of the inputs")
def test_within_one_another(reentrant: bool) -> None:
    def outer(x: Any) -> Any:
        return checkpoint(work, x * 2, use_reentrant=reentrant) + work(x)

    x = leaf()
    checkpoint(outer, x, use_reentrant=reentrant).sum().backward()
    assert torch.equal(x.grad, plain_gradient(lambda x: work(x * 2) + work(x)))


@BOTH
def test_random_numbers_are_the_same(reentrant: bool) -> None:
    seen = []

    def noisy(x: Any) -> Any:
        noise = torch.rand(6, dtype=torch.float64)
        seen.append(noise)
        return x.exp() * noise

    x = leaf()
    torch.manual_seed(3)
    out = checkpoint(noisy, x, use_reentrant=reentrant)
    after = torch.rand(1)
    out.sum().backward()
    assert torch.equal(*seen)
    assert torch.equal(x.grad, x.detach().exp() * seen[0])
    torch.manual_seed(3)
    torch.rand(6, dtype=torch.float64)
    assert torch.equal(after, torch.rand(1))


@BOTH
def test_random_numbers_go_on_if_so_asked(reentrant: bool) -> None:
    seen = []

    def noisy(x: Any) -> Any:
        seen.append(torch.rand(6, dtype=torch.float64))
        return x.exp() * seen[-1]

    out = checkpoint(noisy, leaf(), use_reentrant=reentrant, preserve_rng_state=False)
    out.sum().backward()
    assert not torch.equal(*seen)


@BOTH
def test_several_inputs_and_outputs(reentrant: bool) -> None:
    def function(x: Any, factor: float, y: Any) -> Any:
        return x * y * factor, y.exp(), "text"

    x, y = leaf(), leaf()
    one, two, text = checkpoint(function, x, 3.0, y, use_reentrant=reentrant)
    assert text == "text"
    (one.sum() + two.sum()).backward()
    assert torch.allclose(x.grad, 3 * y.detach())
    assert torch.allclose(y.grad, 3 * x.detach() + y.detach().exp())


@BOTH
def test_sequential(reentrant: bool) -> None:
    chain = [torch.sin, torch.exp, lambda x: x * x, torch.cos, torch.tanh]
    x = leaf()
    checkpoint_sequential(chain, 2, x, use_reentrant=reentrant).sum().backward()

    def plain(x: Any) -> Any:
        for function in chain:
            x = function(x)
        return x

    assert torch.equal(x.grad, plain_gradient(plain))


def test_without_reentry_grad_works_and_passes_repeat() -> None:
    x = leaf()
    out = checkpoint(work, x, use_reentrant=False).sum()
    (first,) = torch.autograd.grad(out, x, retain_graph=True)
    (second,) = torch.autograd.grad(out, x)
    assert torch.equal(first, plain_gradient(work))
    assert torch.equal(first, second)


def test_without_reentry_second_derivatives() -> None:
    def second(function: Any) -> Any:
        x = leaf()
        (slope,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        (found,) = torch.autograd.grad(slope.sum(), x)
        return found

    assert torch.allclose(second(lambda x: checkpoint(work, x, use_reentrant=False)), second(work))


def test_with_reentry_grad_is_refused() -> None:
    x = leaf()
    out = checkpoint(work, x, use_reentrant=True).sum()
    with pytest.raises(RuntimeError, match=r"incompatible with .grad\(\)"):
        torch.autograd.grad(out, x)


def test_with_reentry_inputs_should_want_gradients() -> None:
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(work, leaf().detach(), use_reentrant=True)


def test_the_choice_should_be_made() -> None:
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(work, leaf())


def test_second_call_stops_early() -> None:
    reached = []

    def function(x: Any) -> Any:
        out = x.sin().exp()
        reached.append("end")
        return out

    checkpoint(function, leaf(), use_reentrant=False).sum().backward()
    assert reached == ["end"]
    with set_checkpoint_early_stop(False):
        checkpoint(function, leaf(), use_reentrant=False).sum().backward()
    assert reached == ["end"] * 3


def test_contexts_of_both_calls() -> None:
    entered = []

    @contextlib.contextmanager
    def noting(name: str) -> Any:
        entered.append(name)
        yield

    out = checkpoint(
        work, leaf(), use_reentrant=False, context_fn=lambda: (noting("first"), noting("second"))
    )
    assert entered == ["first"]
    out.sum().backward()
    assert entered == ["first", "second"]
    with pytest.raises(ValueError, match="only supported when use_reentrant=False"):
        checkpoint(work, leaf(), use_reentrant=True, context_fn=lambda: (None, None))


def different_each_time(kind: str) -> Any:
    calls = []

    def function(x: Any) -> Any:
        calls.append(kind)
        first = len(calls) == 1
        if kind == "size":
            return (x if first else x[:3]).sin().sum()
        if kind == "fewer":
            return (x.sin().exp() if first else x * 2).sum()
        return (x.sin() if first else x.sin().exp().cos()).sum()

    return function


@pytest.mark.parametrize(
    "kind, message",
    [("size", "different metadata"), ("fewer", "A different number of tensors was saved")],
)
def test_another_computation_is_noticed(kind: str, message: str) -> None:
    out = checkpoint(different_each_time(kind), leaf(), use_reentrant=False)
    with pytest.raises(CheckpointError, match=message):
        out.backward()


def test_more_saved_tensors_are_noticed() -> None:
    out = checkpoint(different_each_time("more"), leaf(), use_reentrant=False, early_stop=False)
    with pytest.raises(CheckpointError, match="trying to save more tensors"):
        out.backward()


def test_debugging_shows_operators() -> None:
    out = checkpoint(different_each_time("fewer"), leaf(), use_reentrant=False, debug=True)
    with pytest.raises(
        CheckpointError, match=r"(?s)first call:.*aten::sin.*second call:.*aten::mul"
    ):
        out.backward()


def test_changed_inputs_are_noticed() -> None:
    x = leaf()
    given = x * 1
    out = checkpoint(work, given, use_reentrant=False)
    with torch.no_grad():
        given.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


@BOTH
def test_nothing_between_is_kept(reentrant: bool) -> None:
    def function(x: Any) -> Any:
        return x.expand(100_000).sin().exp().cos().sum()

    x = torch.ones(1, requires_grad=True)
    checkpoint(function, x, use_reentrant=reentrant).backward()
    x.grad = None
    gc.disable()
    try:
        before = memory.words.current
        out = checkpoint(function, x, use_reentrant=reentrant)
        assert memory.words.current - before < 10_000
        out.backward()
        x.grad = None
        del out
        assert memory.words.current - before < 10_000
    finally:
        gc.enable()


def test_unrecorded_calls_are_plain() -> None:
    x = leaf()
    with torch.no_grad():
        assert torch.equal(checkpoint(work, x, use_reentrant=False), work(x))


def test_unknown_choices() -> None:
    with pytest.raises(ValueError, match="Unexpected keyword arguments: other"):
        checkpoint(work, leaf(), use_reentrant=True, other=1)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        checkpoint(work, leaf(), use_reentrant=False, determinism_check="some")


@BOTH
@pytest.mark.parametrize("within", [True, False])
def test_the_second_call_casts_as_the_first(reentrant: bool, within: bool) -> None:
    weight = torch.linspace(-1, 1, 16).view(4, 4).requires_grad_()
    x = torch.linspace(0, 1, 8).view(2, 4).requires_grad_()
    seen = []

    def layer(x: Any) -> Any:
        made = x @ weight
        seen.append((made.dtype, torch.is_autocast_cpu_enabled()))
        return made.sin()

    def gradients(call: Any) -> Any:
        with torch.autocast("cpu", torch.bfloat16, enabled=within):
            out = call(layer, x)
        with torch.autocast("cpu", torch.float16, enabled=not within):
            out.sum().backward()
        found = (weight.grad, x.grad)
        weight.grad = x.grad = None
        return found

    plain = gradients(lambda function, x: function(x))
    again = gradients(lambda function, x: checkpoint(function, x, use_reentrant=reentrant))
    expected = (torch.bfloat16 if within else torch.float32, within)
    assert seen == [expected] * 3
    assert all(map(torch.equal, plain, again))
    assert not torch.is_autocast_cpu_enabled()
