"""`ldexp`: its types, its gradients, and what it keeps for them."""

import math

import pytest

import rushlight as torch


def test_types_follow_the_first_argument():
    exponents = torch.tensor([2, 3])
    for kind in (torch.float16, torch.bfloat16, torch.float64):
        found = torch.ones(2, dtype=kind).ldexp(exponents)
        assert found.dtype is kind and found.tolist() == [4.0, 8.0]
    assert torch.tensor([3, 1]).ldexp(exponents).tolist() == [12.0, 8.0]
    with pytest.raises(NotImplementedError, match="ldexp_cpu_exp"):
        torch.ones(2).ldexp(torch.tensor([True, False]))


def test_gradients():
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    e = torch.tensor([2.0, 0.0], requires_grad=True)
    x.ldexp(e).sum().backward()
    assert x.grad.tolist() == [4.0, 1.0]
    assert e.grad.tolist() == pytest.approx([4 * math.log(2), 3 * math.log(2)])


def test_what_is_kept():
    x, e = torch.ones(2, requires_grad=True), torch.tensor([1, 2])
    result = x.ldexp(e)
    e += 1
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[2\]\] is at version 1"):
        result.sum().backward()
    w = torch.ones(2)
    result = w.ldexp(torch.ones(2, requires_grad=True))
    w.mul_(3)
    result.sum().backward()


def test_a_power_without_dimensions_is_as_exact_as_what_it_multiplies():
    exponent = torch.tensor(0.859375, dtype=torch.bfloat16)
    found = torch.tensor([1.0, 2.0], dtype=torch.float64).ldexp(exponent)
    assert found.dtype is torch.float64
    assert found.tolist() == pytest.approx([2**0.859375, 2 * 2**0.859375], rel=1e-12)
