"""Operators over lists of tensors."""

import pytest

import rushlight as torch


@pytest.fixture
def lists():
    return [torch.ones(2), torch.full((1, 2), 2.0)], [
        torch.full((2,), 3.0),
        torch.full((1, 2), 4.0),
    ]


def values(tensors):
    return [t.flatten()[0].item() for t in tensors]


@pytest.mark.parametrize(
    "name, others, expected",
    [
        ("add", (1,), [2, 3]),
        ("sub", ([1, 2],), [0, 0]),
        ("mul", (torch.tensor(2.0),), [2, 4]),
        ("div", ("b",), [1 / 3, 0.5]),
        ("pow", (3,), [1, 8]),
        ("lerp", ("b", 0.5), [2, 3]),
        ("lerp", ("b", [0.5, 0.25]), [2, 2.5]),
        ("addcmul", ("b", "b"), [10, 18]),
        ("addcdiv", ("b", "b", [1, 2]), [2, 4]),
        ("addcmul", ("b", "b", torch.tensor([1.0, 2.0])), [10, 34]),
        ("maximum", ("b",), [3, 4]),
        ("minimum", (1.5,), [1, 1.5]),
        ("clamp_min", ([2, 3],), [2, 3]),
        ("neg", (), [-1, -2]),
        ("rsqrt", (), [1, 2**-0.5]),
    ],
)
def test_of_each_tensor(lists, name, others, expected):
    one, other = lists
    others = [other if item == "b" else item for item in others]
    plain = getattr(torch, f"_foreach_{name}")(one, *others)
    assert type(plain) is tuple
    assert values(one) == [1, 2]
    changed = getattr(torch, f"_foreach_{name}_")(one, *others)
    assert changed is one
    assert values(plain) == values(one) == pytest.approx(expected)


def test_others(lists):
    one, other = lists
    assert values(torch._foreach_pow(2, other)) == [8, 16]
    assert values(torch._foreach_add(one, other, alpha=2)) == [7, 10]
    assert values(torch._foreach_norm(one)) == pytest.approx([2**0.5, 8**0.5])
    assert values(torch._foreach_norm(one, float("inf"))) == [1, 2]
    assert values(torch._foreach_max(other)) == [3, 4]
    assert values(torch._foreach_copy_(one, other)) == [3, 4]
    assert values(torch._foreach_zero_(one)) == [0, 0]
    assert values(other) == [3, 4]


def test_gradients_go_through(lists):
    one, other = lists
    one[0].requires_grad_()
    torch._foreach_mul(one, other)[0].sum().backward()
    assert one[0].grad.tolist() == [3, 3]


def test_lists_that_do_not_fit(lists):
    one, other = lists
    with pytest.raises(RuntimeError, match="same number of tensors, got 2 and 1"):
        torch._foreach_add(one, other[:1])
    with pytest.raises(RuntimeError, match="same number of elements as scalar list"):
        torch._foreach_add(one, [1.0])
    with pytest.raises(RuntimeError, match="must have at least one tensor"):
        torch._foreach_exp([])
    with pytest.raises(
        TypeError, match=r"_foreach_sqrt\(\): argument 'self' \(position 1\) must be"
    ):
        torch._foreach_sqrt(one[0])
    with pytest.raises(AttributeError, match="has no attribute '_foreach_nothing'"):
        torch._foreach_nothing  # noqa: B018
