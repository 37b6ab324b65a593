"""Attention that programs write by hand becomes one call; what only looks like it stays as it is."""

import math

import pytest

import rushlight as torch
from rushlight._dynamo.utils import counters
from rushlight._inductor import attention
from rushlight.nn import functional as F

COUNT, WIDTH = 40, 8
CAUSAL = torch.ones(COUNT, COUNT).tril()
BIAS = torch.linspace(-1, 1, COUNT * COUNT).view(COUNT, COUNT)


def scaled(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(WIDTH), -1) @ v


def causal(q, k, v):
    scores = torch.matmul(q, k.permute(0, 1, 3, 2)) * WIDTH**-0.5
    scores = scores.masked_fill(CAUSAL == 0, -math.inf)
    return torch.matmul(F.dropout(F.softmax(scores, dim=-1), 0.1, training=False), v)


def biased(q, k, v):
    scores = (q * 0.5) @ k.mT + BIAS
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    return (weights @ v).transpose(1, 2).contiguous()


def flat(q, k, v):
    q, k, v = (x.flatten(0, 1) for x in (q, k, v))
    return q.bmm(k.transpose(1, 2)).softmax(2).bmm(v).view(2, 3, COUNT, WIDTH)


def heads_apart(q, k, v):
    q, k, v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v))
    return scaled(q, k, v).view(6, COUNT, WIDTH)


def weights_are_read(q, k, v):
    weights = torch.softmax(q @ k.mT, -1)
    return weights @ v + weights.sum()


def bias_is_added_before_it_is_scaled(q, k, v):
    return torch.softmax((q @ k.mT + BIAS) * 0.5, -1) @ v


def rows_are_those_of_columns(q, k, v):
    return torch.softmax(q @ k.mT, -2) @ v


def something_is_dropped(q, k, v):
    return F.dropout(torch.softmax(q @ k.mT, -1), 0.5) @ v


def scores_are_broadcast(q, k, v):
    return torch.softmax(q[:1] @ k[:1].mT + torch.zeros(2, 1, 1, COUNT), -1) @ v


def operands(dtype=torch.float32):
    torch.manual_seed(0)
    return [torch.randn(2, 3, COUNT, WIDTH, dtype=dtype, requires_grad=True) for _ in range(3)]


def found(program, *given):
    torch._dynamo.reset()
    counters.clear()
    made = torch.compile(program, fullgraph=True)
    torch.manual_seed(1)
    result = made(*given)
    return result, counters["inductor"]["fuse_attention"]


IS_ATTENTION = [scaled, causal, biased, flat, heads_apart]
# The bias and the softmax of one are of single precision.
CASES = [(f, torch.float32) for f in IS_ATTENTION]
CASES += [(f, torch.float64) for f in IS_ATTENTION if f is not biased]


@pytest.fixture
def worth_it_at_any_size(monkeypatch):
    monkeypatch.setattr(attention, "MOST_KEPT", 0)


@pytest.mark.parametrize("program, dtype", CASES)
def test_attention_is_found(program, dtype, worth_it_at_any_size):
    given = operands(dtype)
    result, count = found(program, *given)
    expected = program(*given)
    assert count == 1
    assert result.stride() == expected.stride()
    torch.testing.assert_close(result, expected)
    grads = [torch.autograd.grad(x.square().sum(), given) for x in (result, expected)]
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize(
    "program",
    [
        weights_are_read,
        bias_is_added_before_it_is_scaled,
        rows_are_those_of_columns,
        something_is_dropped,
        scores_are_broadcast,
    ],
)
def test_what_looks_like_it_stays(program, worth_it_at_any_size):
    given = operands()
    result, count = found(program, *given)
    assert count == 0
    torch.manual_seed(1)
    torch.testing.assert_close(result, program(*given))


def test_a_bias_that_learns_gets_its_gradient(worth_it_at_any_size):
    q, k, v = operands()
    bias = BIAS.clone().requires_grad_()
    result, count = found(lambda q, k, v, b: torch.softmax(q @ k.mT + b, -1) @ v, q, k, v, bias)
    assert count == 0
    result.sum().backward()
    assert bias.grad is not None


def test_small_scores_are_kept_for_gradients():
    assert found(scaled, *operands())[1] == 0
    with torch.no_grad():
        assert found(scaled, *operands())[1] == 1
    assert found(scaled, *(x.detach() for x in operands()))[1] == 1


def test_half_precision_stays():
    given = [x.detach().bfloat16() for x in operands()]
    _, count = found(scaled, *given)
    assert count == 0


def test_it_can_be_switched_off():
    with torch._inductor.config.patch(pattern_matcher=False), torch.no_grad():
        _, count = found(scaled, *operands())
    assert count == 0
