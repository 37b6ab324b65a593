"""What errors say: what was wrong, what was expected, and the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from expecttest import assert_expected_inline

import rushlight as torch
from rushlight.nn import functional as F

X = torch.zeros(2, 3)


def error_of(call: Callable[[], Any]) -> str:
    with pytest.raises(Exception) as caught:
        call()
    return f"{caught.type.__name__}: {caught.value}"


def test_shapes() -> None:
    assert_expected_inline(
        error_of(lambda: X + torch.zeros(4)),
        """RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1""",
    )
    assert_expected_inline(
        error_of(lambda: X @ X),
        """RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)""",
    )
    assert_expected_inline(
        error_of(lambda: X.view(4)), """RuntimeError: shape '[4]' is invalid for input of size 6"""
    )
    assert_expected_inline(
        error_of(lambda: torch.cat([X, torch.zeros(2, 2)])),
        """RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor number 1 in the list.""",
    )
    assert_expected_inline(
        error_of(lambda: F.linear(X, X.T)),
        """RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)""",
    )


def test_types() -> None:
    assert_expected_inline(
        error_of(lambda: torch.add(X, "1")),
        """TypeError: add(): argument 'other' (position 2) must be Tensor, not str""",
    )
    assert_expected_inline(
        error_of(lambda: X.sum(dim="x")),
        """\
TypeError: sum() received an invalid combination of arguments - got (dim=str), but expected one of:
 * (*, torch.dtype dtype = None)
 * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)
""",
    )
    assert_expected_inline(
        error_of(lambda: torch.zeros(2, dtype="f")),
        """TypeError: zeros(): argument 'dtype' must be torch.dtype, not str""",
    )
    assert_expected_inline(
        error_of(lambda: X.bitwise_and(X)),
        """NotImplementedError: "bitwise_and_cpu" not implemented for 'Float'""",
    )
    assert_expected_inline(
        error_of(lambda: torch.ones(2, dtype=torch.int8).mean()),
        """RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Char""",
    )


def test_places() -> None:
    assert_expected_inline(
        error_of(lambda: X.sum(2)),
        """IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)""",
    )
    assert_expected_inline(
        error_of(lambda: X[5]),
        """IndexError: index 5 is out of bounds for dimension 0 with size 2""",
    )
    assert_expected_inline(
        error_of(lambda: X.select(0, 7)),
        """IndexError: select(): index 7 out of range for tensor of size [2, 3] at dimension 0""",
    )
    assert_expected_inline(
        error_of(lambda: X[torch.tensor([9])]),
        """IndexError: index 9 is out of bounds for dimension 0 with size 2""",
    )


def test_gradients() -> None:
    w = torch.ones(2, requires_grad=True)
    assert_expected_inline(
        error_of(lambda: w.backward()),
        """RuntimeError: grad can be implicitly created only for scalar outputs""",
    )
    assert_expected_inline(
        error_of(lambda: w.add_(1)),
        """RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.""",
    )

    def changed() -> None:
        y = w.exp()
        y.add_(1)
        y.sum().backward()

    assert_expected_inline(
        error_of(changed),
        """RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).""",
    )


def test_what_a_loop_of_several_threads_and_a_check_refuse():
    clone = torch.ones(2)._lazy_clone()
    with pytest.raises(RuntimeError, match="Materializing a storage"):
        torch._test_parallel_materialize(clone, 2, True)
    torch._test_parallel_materialize(clone, 1, True)
    torch._test_parallel_materialize(torch.ones(2), 2)
    torch._test_check_tensor(torch.tensor([True]))
    with pytest.raises(RuntimeError, match="TORCH_CHECK_TENSOR_ALL"):
        torch._test_check_tensor(torch.tensor([True, False]))


def test_views_of_lazy_values_as_other_types():
    lazy = torch.ones(2, dtype=torch.complex64).conj()
    with pytest.raises(RuntimeError, match="not supported for conjugate view tensors when conv"):
        lazy.view(torch.float32)
    with pytest.raises(RuntimeError, match="not supported for tensors with negative bit set"):
        lazy.imag.view(torch.int32)


def test_types_of_devices_that_are_not_there():
    with pytest.raises(TypeError, match=r"type torch\.cuda\.FloatTensor not available"):
        torch.set_default_tensor_type(torch.cuda.FloatTensor)
