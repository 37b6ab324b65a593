"""Comparing results and making inputs in tests."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.testing import _utils as _utils
from rushlight.testing._comparison import assert_close
from rushlight.testing._creation import make_tensor
from rushlight.testing._file_check import FileCheck

__all__ = ["FileCheck", "assert_allclose", "assert_close", "make_tensor"]


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Older form of `assert_close` that does not look at types and devices."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead.",
        FutureWarning,
        stacklevel=2,
    )
    import rushlight

    actual, expected = rushlight.as_tensor(actual), rushlight.as_tensor(expected)
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=False,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )
