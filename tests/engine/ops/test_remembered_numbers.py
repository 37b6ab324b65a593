"""Calls that are remembered take numbers of every type again."""

import pytest

import rushlight as torch

NUMBERS = (0, 0, 0.0, 0.0, 1.5, 1.5, True, True, 2, 2.0, 2.0, -1.0, -1)


@pytest.mark.parametrize("kind", [torch.int64, torch.uint8, torch.bool, torch.float32])
def test_filled_tensors(kind):
    like = torch.zeros(3, dtype=kind)
    for number in NUMBERS:
        if kind is torch.uint8 and number < 0:
            continue
        wanted = torch.tensor([number] * 2).to(kind).tolist()
        assert like.new_full((2,), number).tolist() == wanted
        assert torch.full((2,), number, dtype=kind).tolist() == wanted
