"""Sampling with parameters that are tensors."""

from __future__ import annotations

import rushlight as torch


def test_normal_numbers_around_a_number_with_deviations_of_their_own():
    torch.manual_seed(0)
    drawn = torch.normal(2.0, torch.tensor([1.0, 2.0, 3.0]))
    torch.manual_seed(0)
    standard = torch.empty(3).normal_()
    assert torch.equal(drawn, standard * torch.tensor([1.0, 2.0, 3.0]) + 2.0)
    torch.manual_seed(0)
    out = torch.empty(3, dtype=torch.float64)
    torch.normal(-1.0, torch.zeros(3, dtype=torch.float64), out=out)
    assert out.tolist() == [-1.0] * 3
