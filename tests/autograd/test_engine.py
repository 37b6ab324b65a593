"""The engine under load: memory, depth, threads, passes within passes, the order of hooks."""

from __future__ import annotations

import gc
import threading
from typing import Any

import pytest

import rushlight as torch
from rushlight.engine.native import memory
from rushlight.utils.checkpoint import checkpoint


def leaf(*values: float) -> Any:
    return torch.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


# -- memory --


def training_step(w: Any, x: Any, target: Any) -> None:
    """A step with hooks, a checkpoint, a custom function and a penalty on gradients."""
    hidden = checkpoint(lambda h: (h @ w).tanh(), x, use_reentrant=False)
    hidden.register_hook(lambda grad: grad * 1.0)
    out = Scaled.apply(hidden, 2.0)
    loss = ((out - target) ** 2).mean()
    (slope,) = torch.autograd.grad(loss, w, create_graph=True)
    (loss + 1e-3 * slope.pow(2).sum()).backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, factor: float) -> Any:
        ctx.factor = factor
        ctx.save_for_backward(x)
        return x * factor

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        assert ctx.saved_tensors[0].shape == grad.shape
        return grad * ctx.factor, None


def test_a_thousand_steps_leave_nothing_behind(collect: Any) -> None:
    torch.manual_seed(0)
    w = torch.randn(8, 8, requires_grad=True)
    x, target = torch.randn(4, 8), torch.randn(4, 8)
    for _ in range(5):
        training_step(w, x, target)
    collect()
    before, objects = memory.words.current, len(gc.get_objects())
    for _ in range(1000):
        training_step(w, x, target)
    assert memory.words.current - before <= 4096
    assert len(gc.get_objects()) - objects < 500


# -- depth --


def test_deep_graphs() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1.0


def test_deep_graphs_are_let_go() -> None:
    y = leaf(1.0)
    for _ in range(100_000):
        y = y * 1.0
    del y


def test_wide_graphs() -> None:
    x = leaf(1.0)
    torch.cat([x * k for k in range(3000)]).sum().backward()
    assert x.grad.item() == sum(range(3000))


# -- threads --


def test_threads_add_to_one_leaf() -> None:
    x = leaf(1.0, 1.0)

    def work() -> None:
        for _ in range(100):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [800.0, 800.0]


def test_recording_is_a_matter_of_the_thread() -> None:
    seen: list[bool] = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append((leaf() * 2).requires_grad))
        thread.start()
        thread.join()
    assert seen == [True]


def test_passes_in_several_threads_over_one_graph() -> None:
    x = leaf(3.0)
    shared = x * x
    found: list[float] = []

    def work(factor: float) -> None:
        (grad,) = torch.autograd.grad((shared * factor).sum(), x, retain_graph=True)
        found.append(grad.item())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [6.0, 12.0, 18.0, 24.0]


# -- passes within passes --


class Inner(torch.autograd.Function):
    """Runs a backward pass in its backward, and itself to some depth."""

    @staticmethod
    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            out = Inner.apply(y, ctx.depth - 1) if ctx.depth else y * y
            out.sum().backward()
        return grad * y.grad, None


@pytest.mark.parametrize("depth", [0, 1, 20])
def test_passes_within_passes(depth: int) -> None:
    x = leaf()
    Inner.apply(x, depth).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_callbacks_at_the_end_of_a_pass() -> None:
    order: list[str] = []
    x = leaf()

    def hook(grad: Any) -> None:
        torch.autograd.Variable._execution_engine.queue_callback(lambda: order.append("end"))
        order.append("hook")

    y = x * 2
    y.register_hook(hook)
    x.register_hook(lambda grad: order.append("leaf"))
    y.sum().backward()
    assert order == ["hook", "leaf", "end"]
    with pytest.raises(RuntimeError, match="can only be installed during backward pass"):
        torch.autograd.Variable._execution_engine.queue_callback(lambda: None)


# -- hooks --


def test_order_of_hooks() -> None:
    order: list[str] = []

    def note(name: str) -> Any:
        return lambda *grads: order.append(name)

    x = leaf()
    y = x * 2
    y.grad_fn.register_hook(note("after the step"))
    y.grad_fn.register_prehook(note("before the step"))
    y.register_hook(note("first of the tensor"))
    y.register_hook(note("second of the tensor"))
    y.retain_grad()
    x.register_hook(note("of the leaf"))
    x.register_post_accumulate_grad_hook(note("after the leaf"))
    y.sum().backward()
    assert order == [
        "first of the tensor", "second of the tensor", "before the step", "after the step",
        "of the leaf", "after the leaf",
    ]  # fmt: skip


def test_hooks_replace_gradients() -> None:
    x = leaf()
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: grad + 1)
    y.sum().backward()
    assert x.grad.tolist() == [21.0] * 3


def test_hooks_can_be_removed() -> None:
    x = leaf()
    seen: list[Any] = []
    handle = x.register_hook(seen.append)
    handle.remove()
    with x.register_hook(seen.append):
        x.sum().backward()
    x.sum().backward()
    assert len(seen) == 1


def test_hooks_must_keep_the_size() -> None:
    x = leaf()
    x.register_hook(lambda grad: grad[:1])
    with pytest.raises(RuntimeError, match="hook has changed the size of value"):
        x.sum().backward()


def test_post_accumulate_hooks_may_use_up_the_gradient() -> None:
    x = leaf()

    def step(tensor: Any) -> None:
        with torch.no_grad():
            tensor -= tensor.grad
        tensor.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 2).sum().backward()
    assert x.tolist() == [-1.0, 0.0, 1.0]
    assert x.grad is None


def test_a_retained_gradient_is_what_hooks_have_made_of_it():
    start = torch.ones(3, requires_grad=True)
    middle = start * 2
    middle.retain_grad()
    middle.register_hook(lambda grad: grad * 3)
    middle.sum().backward()
    assert middle.grad.tolist() == [3.0, 3.0, 3.0]
    assert start.grad.tolist() == [6.0, 6.0, 6.0]


@pytest.mark.parametrize(
    "step",
    [
        lambda x: x[:1],
        lambda x: torch.cat([x, x]),
        lambda x: x.view(-1),
        lambda x: x.sum(0),
        lambda x: x.mean(),
        lambda x: x.expand(2, 2, 2),
        lambda x: x.to(torch.float64),
        lambda x: 1 - x,
        lambda x: x.repeat(2, 1),
        lambda x: x.unbind()[0],
    ],
)
def test_steps_that_keep_no_tensor_are_passed_again(step):
    x = torch.ones(2, 2, requires_grad=True)
    shared = step(x)
    shared.sum().backward()
    once = x.grad.clone()
    shared.sum().backward()
    assert x.grad.tolist() == (2 * once).tolist()


def test_steps_that_keep_tensors_are_not():
    x = torch.ones(2, 2, requires_grad=True)
    shared = x.exp()
    shared.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        shared.sum().backward()


def test_gradients_of_nothing():
    with pytest.raises(RuntimeError, match="cannot be empty"):
        torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), [])


def test_leaves_that_stopped_wanting_gradients_get_none():
    x = torch.ones(2, requires_grad=True)
    y, w = x * 2, torch.ones(2, requires_grad=True)
    x.requires_grad_(False)
    (y * w).sum().backward()
    assert x.grad is None
    assert w.grad.tolist() == [2.0, 2.0]


def test_steps_that_a_pass_does_not_need_stay_whole():
    x, other = (torch.ones(2, requires_grad=True) for _ in range(2))
    y = x * x
    y.backward(torch.ones(2), inputs=[other])
    assert x.grad is other.grad is None
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_inputs_that_steps_have_made_keep_their_gradients():
    x = torch.ones(2, requires_grad=True)
    y = x * x
    z = y * y
    z.backward(torch.ones(2), inputs=[y], retain_graph=True)
    assert y.retains_grad
    assert y.grad.tolist() == [2.0, 2.0]
    z.sum().backward()
    assert y.grad.tolist() == x.grad.tolist() == [4.0, 4.0]
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad"):
        x.sum().backward(inputs=[torch.ones(2)])


def test_leaves_follow_changes_of_their_shape():
    weight = torch.ones(2, 3, requires_grad=True)
    (weight * 2).sum().backward()
    weight.grad = None
    with torch.no_grad():
        weight.t_().unsqueeze_(0)
    (weight * 2).sum().backward()
    assert weight.grad.shape == (1, 3, 2)


def test_the_step_that_made_an_input_is_not_taken():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    taken = []
    y.grad_fn.register_hook(lambda inputs, outputs: taken.append(1))
    (grad,) = torch.autograd.grad((y * 2).sum(), y)
    assert grad.tolist() == [2.0, 2.0]
    assert not taken
    y.sum().backward()
    assert taken == [1]


def test_views_made_without_recording_are_no_roots():
    x = torch.ones(2, 3, requires_grad=True)
    with torch.no_grad():
        row = x[0]
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        row.backward(torch.ones(3))


def test_hooks_see_that_no_gradient_has_come() -> None:
    x, seen = torch.ones(3, 4, requires_grad=True), []
    spread, mean = torch.std_mean(x, 1)
    spread.retain_grad()
    spread.register_hook(seen.append)
    mean.sum().backward()
    assert seen == [None]
    assert spread.grad is None
    assert x.grad[0].tolist() == [0.25] * 4
    spread, mean = torch.std_mean(x, 1)
    spread.register_hook(lambda grad: torch.ones(3))
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        mean.sum().backward()
