"""Operators that have no gradient: what becomes of the history of what they change or give."""

import pytest

import rushlight as torch

WITHOUT = {
    "floor_divide": lambda x: x // 2,
    "heaviside": lambda x: torch.heaviside(x, x),
    "remainder": lambda x: torch.remainder(3, x),
    "bernoulli": lambda x: torch.bernoulli(x, 0.5),
    "bincount": lambda x: torch.bincount(torch.tensor([0, 1]), x),
    "binomial": lambda x: torch.binomial(torch.tensor([3.0, 3.0]), x / 4),
}


def leaf():
    return torch.tensor([1.5, 2.5], requires_grad=True)


@pytest.mark.parametrize("name", WITHOUT)
def test_gradient_that_is_unknown(name):
    result = WITHOUT[name](leaf())
    assert result.grad_fn.name() == "NotImplemented"
    with pytest.raises(RuntimeError, match=f"derivative for aten::{name} is not implemented"):
        result.sum().backward()


def test_unknown_gradient_in_place():
    y = leaf() * 1
    y //= 2
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide_ is not implemented"):
        y.sum().backward()


@pytest.mark.parametrize("name", ["acosh", "asinh", "atanh"])
def test_gradient_known_only_out_of_place(name):
    y = getattr(leaf() * 0.3 + 1, f"{name}_")()
    with pytest.raises(NotImplementedError, match=f"'inplace version of {name}' is not impl"):
        y.sum().backward()


@pytest.mark.parametrize("name", ["logical_not_", "logical_and_", "logical_or_", "logical_xor_"])
def test_logical_operators_leave_the_history(name):
    x = leaf()
    y = x * 3
    change = getattr(y, name)
    change() if name == "logical_not_" else change(x)
    assert y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert x.logical_not_() is x
    plain = torch.ones(2)
    if name != "logical_not_":
        assert not getattr(plain, name)(leaf()).requires_grad


@pytest.mark.parametrize("name", ["eq_", "ne_", "lt_", "le_", "gt_", "ge_"])
def test_comparisons_end_the_history(name):
    x = leaf()
    y = x * 3
    getattr(y, name)(y)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(leaf(), name)(1)


def test_whole_numbers_changed_by_a_tensor_with_history():
    x = leaf()
    y = torch.tensor([1, 2])
    y.eq_(x)
    assert y.requires_grad and y.grad_fn is not None
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
        y + 1
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
        y[:1]
    assert (y * 2.0).requires_grad
    assert not (y // 1).requires_grad
    assert not y.to(torch.int32).requires_grad
    with pytest.raises(RuntimeError):
        y.double().sum().backward()


def test_copies_into_whole_numbers_have_no_history():
    y = torch.zeros(2, dtype=torch.int64)
    y[:] = leaf()
    y.copy_(leaf())
    assert not y.requires_grad and y.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "nansum"])
def test_whole_results_of_recorded_steps(name):
    for _ in range(3):
        assert getattr(torch.tensor([1.5, 2.5]), name)(0, dtype=torch.int64) is not None
        with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
            getattr(leaf(), name)(0, dtype=torch.int64)


@pytest.mark.parametrize("shape, wrap, expected", [
    ((2, 2), False, [3.0, 5.0]),
    ((3, 2), False, [6.0, 10.0]),
    ((5, 2), True, [9.0, 15.0]),
])  # fmt: skip
def test_fill_diagonal(shape, wrap, expected):
    x = leaf()
    y = torch.ones(shape) * x
    y.fill_diagonal_(7, wrap=wrap)
    (y * y).sum().backward()
    assert x.grad.tolist() == expected


def test_fill_diagonal_of_a_leaf():
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        torch.ones(2, 2, requires_grad=True).fill_diagonal_(1)


def test_outputs_given_to_what_has_no_gradient():
    x = leaf()
    for name, rest in (
        ("eq", (x,)),
        ("logical_not", ()),
        ("floor_divide", (2,)),
        ("heaviside", (x,)),
    ):
        out = torch.empty(2)
        getattr(torch, name)(x, *rest, out=out)
        assert not out.requires_grad
    with pytest.raises(RuntimeError, match="arguments don't support automatic diff"):
        torch.add(x, 1, out=torch.empty(2))


@pytest.mark.parametrize("step", [
    lambda x: torch.where(x > 2, x, torch.tensor(1j)),
    lambda x: x.sum(0, dtype=torch.complex64),
    lambda x: x.prod(0, dtype=torch.complex64),
    lambda x: x.cumprod(0, dtype=torch.complex64),
])  # fmt: skip
def test_complex_gradients_of_real_numbers_that_pytorch_refuses(step):
    with pytest.raises(RuntimeError, match=r"invalid gradient .* its input is real, but got Compl"):
        step(leaf()).abs().sum().backward()
    x = leaf()
    (x * 1j).abs().sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_the_product_of_one_number_takes_the_real_part_of_a_gradient():
    for shape in ((2, 1), ()):
        x = torch.ones(shape, requires_grad=True)
        product = x.cumprod(-1, dtype=torch.complex64)
        product.backward(torch.full(shape, 3 + 4j, dtype=torch.complex64))
        assert x.grad.dtype is torch.float32 and x.grad.unique().tolist() == [3.0]
