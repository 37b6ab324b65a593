"""Products of bf16, which take pairs or squares of numbers where the processor multiplies those."""

import numpy as np
import pytest

import rushlight as torch

SHAPES = [(8, 8, 8), (16, 32, 16), (33, 70, 19), (9, 530, 50), (130, 514, 57), (8, 9, 8)]
SHAPES += [(32, 32, 32), (47, 33, 70), (500, 63, 65), (40, 1100, 90)]
LAYOUTS = ["plain", "left turned", "right turned", "strided", "offset"]


def _factor(random, *shape):
    values = random.uniform(-2, 2, shape).astype(np.float32)
    return torch.tensor(values).to(torch.bfloat16)


def _factors(layout, m, k, n):
    random = np.random.default_rng(m + k + n)
    a, b = _factor(random, m, k), _factor(random, k, n)
    if layout == "left turned":
        a = _factor(random, k, m).t()
    elif layout == "right turned":
        b = _factor(random, n, k).t()
    elif layout == "strided":
        a, b = _factor(random, m, 2 * k)[:, ::2], _factor(random, 2 * k, n)[::2]
    elif layout == "offset":
        a, b = _factor(random, m + 1, k + 1)[1:, 1:], _factor(random, n + 1, k + 1)[1:, 1:].t()
    return a, b


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("m, k, n", SHAPES)
def test_against_double_precision(layout, m, k, n):
    a, b = _factors(layout, m, k, n)
    expected = a.double().numpy() @ b.double().numpy()
    scale = np.abs(expected).max()
    one = torch.ones(n, dtype=torch.bfloat16)
    for made, wanted in (
        (torch.mm(a, b), expected),
        (torch.mm(b.t(), a.t()).t(), expected),
        (torch.matmul(a[None], b[None])[0], expected),
        (torch.addmm(one, a, b, beta=2, alpha=0.5), 2 + expected / 2),
    ):
        assert np.abs(made.double().numpy() - wanted).max() <= 6e-3 * scale


def test_batches_and_outputs():
    random = np.random.default_rng(3)
    a, b = _factor(random, 5, 16, 24), _factor(random, 5, 24, 9)
    expected = a.double().numpy() @ b.double().numpy()
    out = torch.zeros(5, 9, 16, dtype=torch.bfloat16).transpose(1, 2)
    torch.bmm(a, b, out=out)
    assert np.abs(out.double().numpy() - expected).max() <= 6e-3 * np.abs(expected).max()
    spread = a[:1].expand(5, 16, 24)
    expected = spread.double().numpy() @ b.double().numpy()
    made = torch.bmm(spread, b)
    assert np.abs(made.double().numpy() - expected).max() <= 6e-3 * np.abs(expected).max()


def test_infinite_and_missing_numbers():
    a = torch.ones(8, 8, dtype=torch.bfloat16)
    b = torch.ones(8, 8, dtype=torch.bfloat16)
    a[0, 0] = float("inf")
    b[1, 2] = float("nan")
    made = torch.mm(a, b)
    assert made[0, 0].item() == float("inf") and made[3, 3].item() == 8
    assert made[:, 2].isnan().all().item()
