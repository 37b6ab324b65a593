"""`make_tensor`: bounds, and what is told of them."""

import pytest

import rushlight as torch
from rushlight.testing import make_tensor


def test_bounds_that_a_type_cannot_hold():
    with pytest.raises(ValueError, match=r"is \[1000, 2000\), but torch.int8 only supports"):
        make_tensor(3, dtype=torch.int8, device="cpu", low=1000, high=2000)
    wide = make_tensor(100, dtype=torch.float16, device="cpu", low=-1e5, high=1e6)
    assert wide.isfinite().all() and wide.abs().max() > 1e4


def test_equal_bounds_are_deprecated():
    with pytest.warns(FutureWarning, match="low==high"):
        made = make_tensor(2, dtype=torch.float32, device="cpu", low=1, high=1)
    assert made.tolist() == [1, 1]
    assert make_tensor(2, dtype=torch.bool, device="cpu", exclude_zero=True).all()
