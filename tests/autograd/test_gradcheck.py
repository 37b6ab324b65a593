"""`gradcheck` accepts right gradients and names the wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function, gradcheck, gradgradcheck
from rushlight.autograd.gradcheck import GradcheckError


def real(*size: int) -> Any:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(size, dtype=torch.float64, generator=generator).requires_grad_()


def complex_(*size: int) -> Any:
    return torch.complex(real(*size).detach(), real(*size).detach() + 1).requires_grad_()


class WrongFactor(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0] * 1.5


CASES = {
    "product": (lambda x: x * x.sin(), lambda: real(3, 4)),
    "to complex": (lambda x: (x + 1j).exp(), lambda: real(3)),
    "complex": (lambda z: z.exp() * z.conj(), lambda: complex_(3)),
    "to real": (lambda z: z.abs(), lambda: complex_(3)),
    "several": (lambda x: x.split(2, 1), lambda: real(2, 4)),
    "with integers": (lambda x: x.max(1), lambda: real(2, 4)),
    "scalar": (lambda x: x**3, lambda: real()),
    "empty": (lambda x: x * 2, lambda: real(0, 3)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("fast", [False, True])
def test_right_gradients(name: str, fast: bool) -> None:
    function, make = CASES[name]
    assert gradcheck(function, (make(),), check_forward_ad=True, fast_mode=fast)


@pytest.mark.parametrize("name", ["product", "to complex", "complex", "several"])
@pytest.mark.parametrize("fast", [False, True])
def test_right_second_gradients(name: str, fast: bool) -> None:
    function, make = CASES[name]
    assert gradgradcheck(
        function, (make(),), check_fwd_over_rev=True, fast_mode=fast,
        gen_non_contig_grad_outputs=True,
    )  # fmt: skip


def test_batched_gradients() -> None:
    assert gradcheck(lambda x: x.exp(), (real(2, 3),), check_batched_grad=True)


@pytest.mark.parametrize("fast", [False, True])
def test_wrong_gradients_are_reported(fast: bool) -> None:
    with pytest.raises(
        GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"
    ):
        gradcheck(WrongFactor.apply, (real(3),), fast_mode=fast)
    assert not gradcheck(WrongFactor.apply, (real(3),), fast_mode=fast, raise_exception=False)


def test_nothing_to_check() -> None:
    with pytest.raises(ValueError, match="none of the them have requires_grad=True"):
        gradcheck(lambda x: x, (real(3).detach(),))


def test_outputs_without_gradients_must_not_depend_on_inputs() -> None:
    assert gradcheck(lambda x: x.detach() * 0, (real(3),))
    with pytest.raises(GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, (real(3),))


def test_single_precision_is_warned_of() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="Input #0 requires gradient"):
        gradcheck(lambda x: x * 1, (x,), eps=1e-2, atol=1e-2)


def test_overlapping_inputs() -> None:
    with pytest.raises(RuntimeError, match="dimension with stride 0"):
        gradcheck(lambda x: x, (real(1).detach().expand(3).requires_grad_(),))


def test_gradients_that_change_between_passes() -> None:
    class Drifting(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.count = 0
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            ctx.count += 1
            return grad * (2 + 1e-9 * ctx.count)

    with pytest.raises(GradcheckError, match="not reentrant"):
        gradcheck(Drifting.apply, (real(2),))
    assert gradcheck(Drifting.apply, (real(2),), nondet_tol=1e-6)


def test_gradients_that_ignore_what_they_are_given() -> None:
    class Constant(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.sum()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return torch.ones(2, dtype=torch.float64)

    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(Constant.apply, (real(2),))


def test_undefined_gradients() -> None:
    class NeedsAll(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            if grad is None:
                raise RuntimeError("no gradient")
            return grad * 2

    with pytest.raises(GradcheckError, match="undefined output grads"):
        gradcheck(NeedsAll.apply, (real(2),))
    assert gradcheck(NeedsAll.apply, (real(2),), check_undefined_grad=False)


def test_inputs_are_left_as_they_were() -> None:
    x = real(3)
    before, version = x.detach().clone(), x._version
    gradcheck(lambda x: x.sin(), (x,), fast_mode=True)
    gradcheck(lambda x: x.sin(), (x,))
    assert torch.equal(x.detach(), before)
    assert x._version == version


@pytest.mark.parametrize("name", ["exp", "sigmoid", "softmax", "tanh_"])
def test_a_result_that_is_kept_has_its_tangent_in_the_backward_pass(name: str) -> None:
    def function(x: Any) -> Any:
        found = x * 1
        return found.softmax(0) if name == "softmax" else getattr(found, name)()

    assert gradgradcheck(function, real(3), check_fwd_over_rev=True, check_rev_over_rev=False)


def test_random_gradients_come_from_the_common_stream() -> None:
    x = torch.linspace(-1, 1, 4, dtype=torch.float64).requires_grad_()
    torch.manual_seed(1)
    assert gradgradcheck(torch.sin, (x,))
    after = torch.rand(2)
    torch.manual_seed(1)
    torch.testing.make_tensor(4, dtype=torch.float64, device="cpu", low=-1, high=1)
    assert torch.equal(after, torch.rand(2))
