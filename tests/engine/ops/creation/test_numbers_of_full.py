"""The type of what `full` makes of a complex number."""

import rushlight as torch


def test_complex_numbers_are_not_halved():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float16)
    try:
        assert torch.full((2,), 1 + 1j).dtype is torch.complex64
        assert torch.tensor(1j).dtype is torch.complex32
    finally:
        torch.set_default_dtype(before)
