"""Hooks on saved tensors and on several tensors, edges, and the detection of anomalies."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import graph
from rushlight.autograd.profiler import listeners, record_function


def leaf(*values: float) -> Any:
    return torch.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


# -- saved tensors --


def test_hooks_see_what_is_saved() -> None:
    packed: list[Any] = []

    def pack(tensor: Any) -> int:
        packed.append(tensor.detach().clone())
        return len(packed) - 1

    x, y = leaf(), leaf(4.0, 5.0, 6.0)
    with graph.saved_tensors_hooks(pack, lambda place: packed[place]):
        out = x * y
    assert [p.tolist() for p in packed] == [x.tolist(), y.tolist()]
    out.sum().backward()
    assert x.grad.tolist() == [4.0, 5.0, 6.0]


def test_the_innermost_hooks_count() -> None:
    seen: list[str] = []

    def noting(name: str) -> Any:
        return graph.saved_tensors_hooks(lambda t: (seen.append(name), t)[1], lambda t: t)

    x = leaf()
    with noting("outer"):
        with noting("inner"):
            x.exp()
        x.exp()
    x.exp()
    assert seen == ["inner", "outer"]


def test_hooks_change_what_is_saved() -> None:
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t * 10):
        out = x * x
    out.sum().backward()
    assert x.grad.tolist() == [20.0, 40.0, 60.0]


def test_hooks_and_second_derivatives() -> None:
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t.detach().numpy(), torch.from_numpy):
        out = (x**3).sum()
        (slope,) = torch.autograd.grad(out, x, create_graph=True)
        (second,) = torch.autograd.grad(slope.sum(), x)
    assert second.tolist() == [6.0, 12.0, 18.0]


def test_pack_hooks_must_leave_their_argument_alone() -> None:
    changing = graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t)
    with pytest.raises(RuntimeError, match="modifying its input in place"), changing:
        (leaf() * 1).exp().pow(2)


def test_unpack_hooks_must_give_a_tensor() -> None:
    with graph.saved_tensors_hooks(lambda t: t, lambda t: "text"):
        out = leaf().exp().pow(2)
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor"):
        out.sum().backward()


def test_saving_on_the_host() -> None:
    x = leaf()
    with graph.save_on_cpu():
        out = (x * x).sum()
    out.backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_hooks_can_be_refused() -> None:
    refused = graph.disable_saved_tensors_hooks("not here")
    hooks = graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    with refused, pytest.raises(RuntimeError, match="not here"):
        hooks.__enter__()
    with hooks, pytest.raises(RuntimeError, match="not here"):
        refused.__enter__()


def test_saved_tensors_may_be_changed_where_that_is_allowed() -> None:
    x = leaf()
    with graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y * y).sum()
        y.mul_(100)
        y[0] = 5.0
        out.backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_changes_are_allowed_within_the_block_only() -> None:
    x = leaf()
    with graph.allow_mutation_on_saved_tensors():
        out = (x * x).sum()
        inner = graph.allow_mutation_on_saved_tensors()
        with pytest.raises(RuntimeError, match="cannot be nested"):
            inner.__enter__()
    with pytest.raises(AssertionError, match="Trying to backward outside"):
        out.backward()


# -- edges --


def test_edges_stand_for_tensors() -> None:
    x = leaf()
    y = x * 2
    edge = graph.get_gradient_edge(y)
    assert edge.node is y.grad_fn
    out = (y * y).sum()
    (found,) = torch.autograd.grad(out, edge)
    assert found.tolist() == [4.0, 8.0, 12.0]
    (found,) = torch.autograd.grad(graph.get_gradient_edge(x.sum()), graph.get_gradient_edge(x))
    assert found.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(RuntimeError, match="not possible to get the gradient edge"):
        graph.get_gradient_edge(torch.ones(2))


# -- hooks on several tensors --


def test_all_gradients_at_once() -> None:
    x, y, z = leaf(), leaf(), leaf()
    seen: list[Any] = []
    handle = graph.register_multi_grad_hook((x, y, z), seen.append)
    (x * 2 + y * 3).sum().backward()
    assert len(seen) == 1
    assert seen[0][0].tolist() == [2.0] * 3
    assert seen[0][1].tolist() == [3.0] * 3
    assert seen[0][2] is None
    (x + y + z).sum().backward()
    assert len(seen) == 2
    handle.remove()
    x.sum().backward()
    assert len(seen) == 2


def test_any_gradient() -> None:
    x, y = leaf(), leaf()
    seen: list[Any] = []
    graph.register_multi_grad_hook((x, y), seen.append, mode="any")
    for _ in range(2):
        (x * 2 + y * 3).sum().backward()
    assert len(seen) == 2
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        graph.register_multi_grad_hook((x, y), seen.append, mode="some")  # type: ignore[arg-type]


def test_hooks_of_tensors_that_nobody_asked_for_stay_silent() -> None:
    x, y = leaf(), leaf()
    seen: list[Any] = []
    y.register_hook(seen.append)
    torch.autograd.grad((x * y).sum(), x)
    assert not seen


# -- anomalies --


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise ValueError("broken")


def the_line_that_fails(x: Any) -> Any:
    return Fails.apply(x)


def detection(**options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.autograd.detect_anomaly(**options)


def test_failing_steps_tell_their_origin() -> None:
    with detection():
        assert torch.is_anomaly_enabled()
        out = the_line_that_fails(leaf()).sum()
        told = pytest.warns(UserWarning, match="(?s)Error detected in FailsBackward.*the_line_that")
        with told, pytest.raises(ValueError, match="broken"):
            out.backward()
    assert not torch.is_anomaly_enabled()


def test_origins_are_known_only_if_detection_was_on() -> None:
    out = the_line_that_fails(leaf()).sum()
    told = pytest.warns(UserWarning, match="No forward pass information available")
    with detection(), told, pytest.raises(ValueError, match="broken"):
        out.backward()


def test_gradients_that_are_not_a_number() -> None:
    x = leaf(0.0)
    told = pytest.warns(UserWarning, match="Error detected in DivBackward0")
    raised = pytest.raises(RuntimeError, match="Function 'DivBackward0' returned nan values in its")
    with detection(), told, raised:
        (x / x).sum().backward()
    with detection(check_nan=False):
        (x / x).sum().backward()
    assert x.grad.isnan().all()


def test_steps_of_a_backward_pass_name_their_parents() -> None:
    x = leaf(0.0)
    with detection():
        (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        assert slope.grad_fn.metadata["parent_"].name() == "PowBackward0"


def test_switching_at_once() -> None:
    with torch.autograd.set_detect_anomaly(True):
        assert torch.is_anomaly_enabled()
        assert torch.is_anomaly_check_nan_enabled()
        with torch.autograd.set_detect_anomaly(False):
            assert not torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        torch.autograd.detect_anomaly()
    torch.set_anomaly_enabled(True, False)
    assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_check_nan_enabled()
    torch.set_anomaly_enabled(False)
    assert not torch.is_anomaly_enabled()


# -- names of blocks --


def test_named_blocks() -> None:
    seen: list[Any] = []
    listeners.append(lambda *event: seen.append(event))
    try:
        with record_function("block", "with arguments"):
            pass

        @record_function("function")
        def called() -> int:
            return 3

        assert called() == 3
    finally:
        listeners.pop()
    assert [event[:2] for event in seen] == [("block", "with arguments"), ("function", None)]
    assert all(start <= end for _, _, start, end in seen)


def test_gradients_that_nobody_asks_for_are_not_looked_at():
    x = torch.ones(2, requires_grad=True)
    c = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    chosen = torch.where(torch.tensor([True, False]), x, c)
    (grad,) = torch.autograd.grad(chosen.real.sum(), c, retain_graph=True)
    assert grad.tolist() == [0, 1]
    with pytest.raises(RuntimeError, match="expected type Float, as its input is real"):
        torch.autograd.grad(chosen.real.sum(), (x, c))


def test_a_leaf_that_wants_a_gradient_again_is_found_by_earlier_steps():
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    x.requires_grad_(False)
    x.requires_grad_()
    (grad,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    assert grad.tolist() == [3.0, 3.0]
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


CONSTANT = {
    "max_pool1d": (lambda x: torch.nn.functional.max_pool1d(x, 2), (1, 1, 4)),
    "max_pool2d": (lambda x: torch.nn.functional.max_pool2d(x, 2), (1, 1, 2, 2)),
    "max_pool3d": (lambda x: torch.nn.functional.max_pool3d(x, 2), (1, 1, 2, 2, 2)),
    "avg_pool1d": (lambda x: torch.nn.functional.avg_pool1d(x, 2), (1, 1, 4)),
    "avg_pool2d": (lambda x: torch.nn.functional.avg_pool2d(x, 2), (1, 1, 2, 2)),
    "avg_pool3d": (lambda x: torch.nn.functional.avg_pool3d(x, 2), (1, 1, 2, 2, 2)),
    "nll_loss": (lambda x: torch.nn.functional.nll_loss(x, torch.tensor([0, 1])), (2, 2)),
}


@pytest.mark.parametrize("step, shape", CONSTANT.values(), ids=CONSTANT.keys())
def test_constant_gradients_lead_to_zeros(step, shape):
    x = torch.rand(shape, requires_grad=True)
    y = step(x)
    (grad,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (further,) = torch.autograd.grad(grad.sum(), x)
    assert further.shape == x.shape and not further.any()
    # Also where the gradient has a history of its own.
    weight = torch.ones_like(y).requires_grad_()
    (grad,) = torch.autograd.grad(y, x, weight, create_graph=True)
    further, of_weight = torch.autograd.grad(grad.square().sum(), (x, weight))
    assert not further.any() and of_weight.any()


@pytest.mark.parametrize("step", [torch.angle, torch.sgn])
def test_gradients_of_steps_are_constant(step):
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    (grad,) = torch.autograd.grad(step(x).sum(), x, create_graph=True)
    assert not grad.requires_grad and grad.tolist() == [0.0, 0.0]


def test_edges_of_leaves_equal_those_of_the_graph():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    edge = torch.autograd.graph.get_gradient_edge(x)
    node, place = y.grad_fn.next_functions[0]
    found = torch.autograd.graph.GradientEdge(node, place)
    assert edge == found and hash(edge) == hash(found) and edge.ownership_token is None
    del x
    assert torch.autograd.grad(y.sum(), edge)[0].tolist() == [2.0] * 3
