"""The base of test cases about compiled functions: each begins without graphs, and tensors can be compared."""

from __future__ import annotations

import unittest
from typing import Any

import rushlight
from rushlight._dynamo import config, reset
from rushlight._dynamo.utils import counters
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["TestCase", "run_tests"]


def run_tests(needs: Any = ()) -> None:
    """Run the test cases of the program."""
    unittest.main()


class TestCase(unittest.TestCase):
    """A test case that begins and ends without graphs."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        patch = config.patch(raise_on_ctx_manager_usage=True, suppress_errors=False)
        patch.__enter__()
        cls.addClassCleanup(patch.__exit__, None, None, None)

    def setUp(self) -> None:
        super().setUp()
        self._grad = rushlight.is_grad_enabled()
        reset()
        counters.clear()

    def tearDown(self) -> None:
        reset()
        counters.clear()
        super().tearDown()
        rushlight.set_grad_enabled(self._grad)

    def assertEqual(
        self, first: Any, second: Any, msg: Any = None, *, atol: float | None = None,
        rtol: float | None = None, equal_nan: bool = True, exact_dtype: bool = True, **_: Any,
    ) -> None:  # fmt: skip
        """Fail if two values differ; tensors are compared to a tolerance."""
        leaves = pytree.tree_leaves((first, second))
        if not any(isinstance(leaf, Tensor) for leaf in leaves):
            return super().assertEqual(first, second, msg)
        if isinstance(first, (int, float)):
            first = rushlight.as_tensor(first, dtype=second.dtype)
        if isinstance(second, (int, float)):
            second = rushlight.as_tensor(second, dtype=first.dtype)
        rushlight.testing.assert_close(
            first,
            second,
            atol=atol,
            rtol=rtol,
            equal_nan=equal_nan,
            check_dtype=exact_dtype,
            msg=msg,
        )
        return None
