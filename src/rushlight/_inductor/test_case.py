"""The base of test cases about the back end."""

from __future__ import annotations

from rushlight._dynamo.test_case import TestCase, run_tests

__all__ = ["TestCase", "run_tests"]
