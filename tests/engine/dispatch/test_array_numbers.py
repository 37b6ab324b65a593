"""Numbers of numpy's types are what Python's are, and calls with them are repeated as those are."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.dispatch.call_cache import Binding
from tests.engine.dispatch.varying_calls import facts

CALLS = [
    "x * number", "number + x", "x >= number", "x[:, whole]", "x[whole]", "x[-whole:]", "x[1:whole, whole]",
    "x.view(whole * 2, -1)", "x.reshape((whole * 2, -1))", "torch.zeros(whole, whole)", "torch.arange(whole)",
    "torch.full((whole,), number)", "x.sum(dim=whole - 1)", "x.narrow(0, whole, whole)", "x.clamp(-number, number)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("floating", [np.float32, np.float64])
def test_calls_with_numbers_of_numpy(call: str, floating: type) -> None:
    x = torch.arange(24.0).reshape(6, 4)
    code = compile(call, call, "eval")
    for _ in range(4):
        for n in (1, 2):
            found = eval(
                code, {"torch": torch, "x": x, "whole": np.int64(n), "number": floating(0.1 * n)}
            )
            number = float(floating(0.1 * n))
            expected = eval(code, {"torch": torch, "x": x, "whole": n, "number": number})
            assert facts([found]) == facts([expected])


def test_calls_with_numbers_of_numpy_are_repeated() -> None:
    x, made = torch.ones(4), []
    add: Binding = torch.add.__self__  # type: ignore[attr-defined]
    slow, add._slow = add._slow, lambda *args: (made.append(args), slow(*args))[1]
    try:
        for k in range(20):
            torch.add(x, np.float32(k))
    finally:
        add._slow = slow
    assert 0 < len(made) < 8
    assert all(isinstance(given[1], float) for given in made[1:])


def test_a_subscript_of_numpy_writes_where_it_says() -> None:
    x = torch.zeros(5, 4)
    for n in range(5):
        x[np.int64(n)] = n
        x[np.int64(n), np.int32(1)] = -1.0
    assert x.tolist() == [[n, -1, n, n] for n in range(5)]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int16, np.uint8])
def test_data_of_one_number_keep_its_type(kind: type) -> None:
    for _ in range(4):
        assert torch.tensor(kind(3)).numpy().dtype == kind
        assert torch.as_tensor(kind(3)).numpy().dtype == kind


def test_what_takes_no_number_of_numpy_takes_none_later_either() -> None:
    x = torch.ones(2, 2)
    for n in (0, 1, 0):
        x.sum(n)
        with pytest.raises(TypeError, match=r"numpy.float32"):
            x.sum(np.float32(n))


def test_a_position_outside_is_an_error_each_time() -> None:
    x = torch.ones(3)
    for _ in range(4):
        assert x[np.int64(2)] == 1
        with pytest.raises(IndexError, match="index 3 is out of bounds"):
            x[np.int64(3)]
