"""Every rule of differentiation against finite differences: back, forward, and twice back."""

import gradient_samples as samples
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck
from rushlight.autograd.gradcheck import GradcheckError
from rushlight.engine.autograd import derivative_table, rules
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops.samples import Drawing, matrices, numbers


def check(name, kind):
    sample = samples.make(name, kind)
    assert gradcheck(sample.call, sample.tensors, fast_mode=True, check_forward_ad=True)
    assert gradgradcheck(sample.call, sample.tensors, fast_mode=True)


@pytest.mark.parametrize("name", samples.names())
def test_of_real_numbers(name):
    check(name, "float64")


@pytest.mark.parametrize("name", samples.complex_names())
def test_of_complex_numbers(name):
    check(name, "complex128")


WHOLE = [
    "mm", "_linalg_svd", "_linalg_eigh", "linalg_qr", "_linalg_solve_ex", "linalg_cholesky_ex",
    "linalg_lu", "_linalg_det", "prod.dim_int", "logcumsumexp", "atan2", "gather",
]  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_every_element_of_the_jacobian(name):
    sample = samples.make(name)
    assert gradcheck(sample.call, sample.tensors, check_forward_ad=True)


def test_no_rule_is_left_out():
    """Add a sample to the family's `samples.py` for what this names."""
    assert samples.unchecked() == []


def test_there_are_enough_samples():
    assert len(samples.names()) >= 390
    assert len(samples.complex_names()) >= 220


# -- wrong rules are found --


def recorded(name, gradients):
    """The operator with other formulas than its own."""
    op = operators.operator(name)
    rule = rules.Rule(op, {"gradients": gradients}, derivative_table.namespace("linalg"))

    def call(*args):
        with torch.no_grad():
            result = op.call(*args)
        return rule.record(result, *args)

    return call


PRODUCT = {"self": "grad.mm(mat2.mH)", "mat2": "self.mH.mm(grad)"}
WRONG_PRODUCTS = {
    "a factor": {"self": "2 * grad.mm(mat2.mH)"},
    "the wrong side": {"mat2": "self.mm(grad)"},
    "no conjugate": {"mat2": "self.mT.mm(grad)"},
    "the other sign": {"self": "-grad.mm(mat2.mH)"},
    "not differentiable": {"self": "grad.mm(mat2.mH.detach())"},
    "no dependence": {"self": "grad.mm(mat2.mH) * 0"},
}


def operands():
    return [drawn("complex128", numbers(3, 3)) for _ in range(2)]


def drawn(kind, given):
    return Drawing(kind).tensor(given).requires_grad_()


def test_a_right_rule_of_ones_own():
    call = recorded("mm", PRODUCT)
    assert gradcheck(call, operands(), fast_mode=True)
    assert gradgradcheck(call, operands(), fast_mode=True)


@pytest.mark.parametrize("what", WRONG_PRODUCTS)
def test_wrong_rules_are_found(what):
    call = recorded("mm", {**PRODUCT, **WRONG_PRODUCTS[what]})
    with pytest.raises(GradcheckError):
        gradcheck(call, operands(), fast_mode=True)
        gradgradcheck(call, operands(), fast_mode=True)


# -- what is not determined --


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: torch.linalg.svd(x)[0], "svd_backward: The singular vectors"),
        (lambda x: torch.linalg.eigh(x + x.mH)[1], "linalg_eigh_backward: The eigenvectors"),
        (lambda x: torch.linalg.eig(x)[1], "linalg_eig_backward: The eigenvectors"),
    ],
)
def test_functions_of_phases_have_no_gradient(call, name):
    x = drawn("complex128", matrices(3, 3))
    with pytest.raises(RuntimeError, match=name):
        (call(x) * (1 + 2j)).sum().abs().backward()


def test_orthogonal_factors_that_are_not_determined():
    x = drawn("float64", numbers(4, 2))
    with pytest.raises(RuntimeError, match="mode='r'"):
        torch.linalg.qr(x, "r")[1].sum().backward()
    with pytest.raises(RuntimeError, match="nrows > ncols"):
        torch.linalg.qr(x, "complete")[1].sum().backward()


def test_determinants_of_singular_matrices():
    x = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64).requires_grad_()
    (once,) = torch.autograd.grad(torch.linalg.det(x), x)
    assert torch.allclose(once, torch.tensor([[4.0, -2.0], [-2.0, 1.0]], dtype=once.dtype))
    assert gradcheck(torch.linalg.det, [x])
    (again,) = torch.autograd.grad(torch.linalg.det(x), x, create_graph=True)
    assert torch.allclose(again, once)


def test_repeated_comparisons_have_no_history():
    x = torch.rand(3).requires_grad_()
    assert not any((x == x).requires_grad for _ in range(10))


def test_singular_values_alone_need_no_gaps():
    x = torch.eye(3, dtype=torch.float64).requires_grad_()
    torch.linalg.svdvals(x).sum().backward()
    assert torch.allclose(x.grad, torch.eye(3, dtype=torch.float64))
    y = torch.eye(3, dtype=torch.float64).requires_grad_()
    torch.linalg.eigvalsh(y).sum().backward()
    assert torch.allclose(y.grad, torch.eye(3, dtype=torch.float64))
