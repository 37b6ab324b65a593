"""The attention kernel against the definition, and its gradients against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as torch

attend = torch.nn.functional.scaled_dot_product_attention


def values(*size, seed=0):
    count = int(np.prod(size))
    return (((np.arange(count) + seed) * 7919 % 1009 - 504) / 252).reshape(size)


def defined(q, k, v, mask=None, causal=False, scale=None):
    """Attention in numpy: the mask is added, or tells where to look."""
    repeat = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, repeat, 1), np.repeat(v, repeat, 1)
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        mask = np.tril(np.ones(scores.shape[-2:], bool))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    with np.errstate(all="ignore"):
        largest = scores.max(-1, keepdims=True)
        weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
        total = weights.sum(-1, keepdims=True)
        return np.where(total == 0, 0, weights / np.where(total == 0, 1, total)) @ v


# batch, heads, heads of keys, queries, keys, width, width of values
SHAPES = [
    (1, 1, 1, 1, 1, 1, 1),
    (2, 3, 3, 9, 17, 8, 16),
    (1, 2, 2, 70, 50, 33, 40),
    (2, 4, 2, 3, 385, 64, 5),
    (1, 1, 1, 130, 800, 16, 64),
    (1, 2, 1, 40, 70, 300, 270),
]


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("how", ["plain", "causal", "added", "allowed", "one row"])
def test_values(shape, kind, how):
    batch, heads, shared, count, length, width, deep = shape
    q, k = values(batch, heads, count, width), values(batch, shared, length, width, seed=5)
    v = values(batch, shared, length, deep, seed=9)
    mask = None
    if how == "added":
        mask = values(batch, 1, count, length, seed=3)
    elif how == "allowed":
        mask = values(count, length, seed=3) > 0
    elif how == "one row":
        mask = values(1, length) > 0
    given = [torch.tensor(x).to(kind) for x in (q, k, v)]
    held = mask
    if mask is not None:
        held = torch.tensor(mask) if mask.dtype == bool else torch.tensor(mask).to(kind)
    found = attend(*given, held, is_causal=how == "causal", enable_gqa=heads != shared)
    wanted = defined(q, k, v, mask, how == "causal")
    tolerance = 1e-5 if kind is torch.float32 else 1e-12
    np.testing.assert_allclose(found.numpy(), wanted, tolerance, 10 * tolerance)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shared", [2, 1])
def test_gradients(causal, shared):
    size = [(1, 2, 5, 3), (1, shared, 7, 3), (1, shared, 7, 4)]
    given = [torch.tensor(values(*s, seed=n)).requires_grad_() for n, s in enumerate(size)]

    def run(q, k, v):
        return attend(q, k, v, is_causal=causal, scale=0.4, enable_gqa=True)

    assert torch.autograd.gradcheck(run, given)
    assert torch.autograd.gradgradcheck(run, given)


def test_gradients_of_many_bands():
    """Bands of queries give what single scores give."""
    size = [(2, 2, 300, 8), (2, 2, 310, 8), (2, 2, 310, 8)]
    given = [torch.tensor(values(*s, seed=n)).requires_grad_() for n, s in enumerate(size)]
    q, k, v = given
    hidden = torch.ones(300, 310).tril() == 0
    scores = (q @ k.transpose(-1, -2) / math.sqrt(8)).masked_fill(hidden, -math.inf)
    whole = scores.softmax(-1) @ v
    grad = torch.tensor(values(*whole.shape, seed=2))
    wanted = torch.autograd.grad(whole, given, grad)
    found = torch.autograd.grad(attend(q, k, v, is_causal=True), given, grad)
    for a, b in zip(found, wanted):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-11)


def test_gradients_with_a_mask_that_hides_a_row():
    given = [torch.tensor(values(1, 1, 4, 3, seed=n)).requires_grad_() for n in range(3)]
    mask = torch.ones(4, 4, dtype=torch.bool)
    mask[1] = False
    made = attend(*given, mask)
    assert made[0, 0, 1].abs().max().item() == 0
    assert torch.autograd.gradcheck(lambda *x: attend(*x, mask), given)


def test_no_numbers_stay_in_their_row():
    q, k, v = (torch.tensor(values(1, 1, 20, 8, seed=n)) for n in range(3))
    q[0, 0, 4, 2] = math.nan
    made = attend(q, k, v).isnan().any(-1)[0, 0]
    assert made.tolist() == [i == 4 for i in range(20)]


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_half_precision(kind):
    given = [torch.tensor(values(1, 2, 20, 8, seed=n)).to(kind).requires_grad_() for n in range(3)]
    wide = [x.detach().double().requires_grad_() for x in given]
    made, wanted = attend(*given), attend(*wide)
    assert made.dtype is kind
    assert torch.allclose(made.double(), wanted, rtol=2**-7, atol=2**-7)
    made.sum().backward()
    wanted.sum().backward()
    for a, b in zip(given, wide):
        assert torch.allclose(a.grad.double(), b.grad, rtol=2**-5, atol=2**-5)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ((0, 1, 2, 3), (384, 128, 8, 1)),
        ((0, 2, 1, 3), (384, 8, 24, 1)),
        ((1, 0, 2, 3), (128, 256, 8, 1)),
        ((0, 1, 3, 2), (384, 128, 8, 1)),
    ],
)
def test_the_result_lies_as_the_queries_do(order, expected):
    shape = (2, 3, 16, 8)
    back = [order.index(d) for d in range(4)]
    x = torch.randn([shape[d] for d in order]).permute(back)
    for _ in range(4):
        result = attend(x, x, x)
        assert result.stride() == expected
    leaf = torch.randn(shape, requires_grad=True)
    result = attend(leaf, leaf, leaf)
    assert result.view(2, 3, 128).shape == (2, 3, 128)
    (gradient,) = torch.autograd.grad(result.sum(), leaf)
    assert gradient.stride() == (384, 8, 24, 1)
