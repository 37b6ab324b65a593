"""Of equal zeros the element's own stays."""

import math

import pytest

import rushlight as torch

LIMITED = {
    "clamp": lambda x: torch.clamp(x, 0.0, 2.0),
    "clamp_min": lambda x: torch.clamp_min(x, 0),
    "clamp_max": lambda x: torch.clamp_max(x, 0),
    "relu": torch.relu,
    "hardtanh": lambda x: torch.nn.functional.hardtanh(x, 0.0, 1.0),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", LIMITED)
def test_the_sign_of_a_zero_is_kept(name, dtype):
    zeros = LIMITED[name](torch.tensor([0.0, -0.0, math.nan] * 7, dtype=dtype)).tolist()
    assert [math.copysign(1, zero) for zero in zeros[:2]] == [1, -1]
    assert all(map(math.isnan, zeros[2::3]))


def test_a_limit_that_is_nan_makes_all_nan():
    x = torch.arange(20.0)
    assert torch.clamp(x, math.nan, 3).isnan().all()
    assert torch.clamp(x, 3, math.nan).isnan().all()
