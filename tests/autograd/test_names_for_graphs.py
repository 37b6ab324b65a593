"""Steps and switches that programs look for in `torch._C` and below `torch.autograd`."""

import pytest

import rushlight as torch
from rushlight.autograd import forward_ad
from rushlight.nn import _reduction


def test_a_delayed_error_is_raised_in_the_backward_pass():
    x = torch.ones(2, requires_grad=True)
    y = torch._C._functions.DelayedError("too late", 1)(x * 2)
    assert y.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="too late"):
        y.sum().backward()
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        torch._C._functions.DelayedError("too late", 1)(x, x)


def test_an_undefined_gradient_ends_there():
    x = torch.ones(2, requires_grad=True)
    torch._C._functions.UndefinedGrad()(x * 2).sum().backward()
    assert x.grad is None


def test_functions_of_old_programs():
    from rushlight.autograd import _functions

    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    with pytest.warns(FutureWarning, match="deprecated"):
        y = _functions.Type.apply(x, torch.float32)
    assert y.dtype is torch.float32
    _functions.Resize.apply(y, (2, 2)).sum().backward()
    assert x.grad.tolist() == [1, 1, 1, 1]
    assert x.grad.dtype is torch.float64
    with pytest.raises(RuntimeError, match=r"requested resize to 3 \(3 elements"):
        _functions.Resize.apply(y, (3,))


def test_weak_references_say_whether_they_have_expired(collect):
    x = torch.ones(1)
    reference = torch._C._WeakTensorRef(x)
    assert not reference.expired()
    del x
    collect()
    assert reference.expired()


def test_tangents_are_switched_off_and_on():
    x, t = torch.ones(2), torch.full((2,), 3.0)
    with forward_ad.dual_level() as level:
        assert forward_ad._current_level == level
        dual = forward_ad.make_dual(x, t)
        with forward_ad._set_fwd_grad_enabled(False):
            assert not forward_ad._is_fwd_grad_enabled()
            assert forward_ad.unpack_dual(dual * 2).tangent is None
        torch._C._set_fwd_grad_enabled(False)
        assert not torch._C._is_fwd_grad_enabled()
        torch._C._set_fwd_grad_enabled(True)
        assert forward_ad.unpack_dual(dual * 2).tangent.tolist() == [6, 6]
    assert forward_ad._current_level == -1


def test_what_forward_mode_does_not_support():
    x, t = torch.ones(2), torch.ones(2)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, t)
        for call in (
            lambda: torch.add(dual, 1, out=torch.empty(2)),
            lambda: torch.add(x, 1, out=dual),
        ):
            with pytest.raises(NotImplementedError, match="because it is an out= function"):
                call()
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with igamma"):
            torch.igamma(dual, x)
        with pytest.raises(ValueError, match="Expected primal to be floating point"):
            forward_ad.make_dual(torch.ones(2, dtype=torch.int64), t)
    with torch.inference_mode(), forward_ad.dual_level():
        dual = forward_ad.make_dual(x.clone(), t.clone())
        assert not dual._is_view()


def test_batches_of_tangents_are_checked():
    x = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    assert torch.autograd.gradcheck(lambda x: x.exp().sum(0), x, **options)

    calls = [0]

    class Drifting(torch.autograd.Function):
        """Its tangent depends on how often it was called."""

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def jvp(ctx, tangent):
            calls[0] += 1
            return tangent * (2 if calls[0] <= 6 else calls[0])

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    with pytest.raises(RuntimeError, match="failed while testing batched gradient"):
        torch.autograd.gradcheck(Drifting.apply, x, **options)


def test_old_arguments_of_losses():
    assert [_reduction.get_enum(name) for name in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.raises(ValueError, match="no is not a valid value"):
        _reduction.get_enum("no")
    with pytest.warns(UserWarning, match="use reduction='sum' instead"):
        assert _reduction.legacy_get_enum(False, None) == 2
    assert _reduction.legacy_get_string(None, False, emit_warning=False) == "none"
    assert torch.nn._reduction is _reduction


def test_hooks_on_steps_give_as_many_gradients_as_they_get():
    x = torch.ones(2, requires_grad=True)
    for found, error in ((lambda grads: grads[:-1], "got 0"), (lambda grads: (*grads, x), "got 2")):
        y = x.sigmoid()
        y.grad_fn.register_hook(lambda made, given, found=found: found(made))
        with pytest.raises(
            RuntimeError, match=f"incorrect number of values .{error}, but expected 1"
        ):
            y.sum().backward()
        y = x.sigmoid()
        y.grad_fn.register_prehook(found)
        with pytest.raises(
            RuntimeError, match=f"incorrect number of values .{error}, but expected 1"
        ):
            y.sum().backward()
    y = x.sigmoid()
    y.grad_fn.register_prehook(lambda grads: grads[0])
    with pytest.raises(TypeError, match="expected tuple, but hook returned 'Tensor'"):
        y.sum().backward()


def test_the_order_of_hooks_on_a_leaf():
    x = torch.ones(3, requires_grad=True)
    end = x.view_as(x).grad_fn.next_functions[0][0]

    def store(made, given):
        assert made == ()
        x.grad = given[0] * 10

    x.register_hook(lambda grad: grad - 2)
    end.register_prehook(lambda grads: (grads[0] / 5,))
    end.register_hook(store)
    x.sum().backward()
    assert x.grad.tolist() == pytest.approx([-2, -2, -2])


def test_what_is_asked_for_is_taken_before_hooks_on_its_step():
    log = []
    x = torch.tensor(1.0, requires_grad=True)
    y = x.clone()
    end = y.grad_fn.next_functions[0][0]
    y.grad_fn.register_prehook(lambda grads: log.append("step") or (grads[0] * 2,))
    x.register_hook(lambda grad: log.append("leaf") or grad * 3)
    end.register_prehook(lambda grads: log.append("end") or (grads[0] * 5,))
    (found,) = torch.autograd.grad(y * 1, x, retain_graph=True)
    assert log == ["step", "leaf"]
    assert found.item() == 6
    (y * 1).backward(inputs=(y,))
    assert y.grad.item() == 1


def test_operators_of_networks_are_found_by_name():
    x = torch.tensor([0.5, 0.25])
    assert torch._C._nn.mse_loss(x, x + 1, 2).item() == 2
    with pytest.raises(AttributeError, match="has no attribute 'mm'"):
        torch._C._nn.mm  # noqa: B018
