"""Numbers of which only type, sign and size class are in a call's key are taken anew each time."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.engine.dispatch.call_cache import Numbers, key, public_function
from rushlight.engine.dispatch.call_cache.binding import Binding
from rushlight.engine.ops import numbers

X, Y, MASK = torch.arange(6), torch.arange(6.0) / 4, torch.arange(6) % 2 == 0

# Calls with a number, and what they give for it.
CALLS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], list[Any]]]] = {
    "remainder": (lambda k: X % k, lambda k: [x % k for x in range(6)]),
    "floor_divide": (lambda k: X // k, lambda k: [x // k for x in range(6)]),
    "remainder of floats": (lambda k: Y % k, lambda k: [x / 4 % k for x in range(6)]),
    "add alpha": (lambda k: X.add(X, alpha=k), lambda k: [x + k * x for x in range(6)]),
    "sub alpha": (lambda k: torch.sub(X, X, alpha=k), lambda k: [x - k * x for x in range(6)]),
    "clamp min": (lambda k: X.clamp(min=k), lambda k: [max(x, k) for x in range(6)]),
    "clamp max": (lambda k: X.clamp(max=k), lambda k: [min(x, k) for x in range(6)]),
    "pow": (lambda k: torch.pow(X, abs(k) % 12), lambda k: [x ** (abs(k) % 12) for x in range(6)]),
    "fill_": (lambda k: torch.empty(2).fill_(k), lambda k: [k, k]),
    "full": (lambda k: torch.full((2,), k), lambda k: [k, k]),
    "tensor": (lambda k: torch.tensor([k, k]), lambda k: [k, k]),
    "masked_fill": (
        lambda k: X.masked_fill(MASK, k),
        lambda k: [x if x % 2 else k for x in range(6)],
    ),
    "another name": (lambda k: torch.subtract(X, k), lambda k: [x - k for x in range(6)]),
    "leaky_relu": (
        lambda k: torch.nn.functional.leaky_relu(-X * 1.0, k),
        lambda k: [-x * k for x in range(6)],
    ),
    "threshold": (
        lambda k: torch.nn.functional.threshold(X, threshold=2, value=k),
        lambda k: [x if x > 2 else k for x in range(6)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_new_numbers_give_what_is_computed_for_them(name: str) -> None:
    call, expected = CALLS[name]
    for k in (3, 5, 7, 11, -2, -3, -4, 13, 129, 130, 131, 1, 2, 200, 70000, 70001, 70002):
        assert call(k).tolist() == pytest.approx(expected(k)), k


@pytest.mark.parametrize(
    "name", ["remainder", "add alpha", "clamp max", "leaky_relu", "another name"]
)
def test_they_are_found_without_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call, expected = CALLS[name]
    for k in (21, 22, 23, 24):
        call(k)
    missed: list[str] = []
    monkeypatch.setattr(Binding, "_has_met", lambda self, *_: missed.append(self._name))
    given = [call(k).tolist() for k in (31, 52, 127)]
    monkeypatch.undo()
    assert not missed
    assert given == [pytest.approx(expected(k)) for k in (31, 52, 127)]


def test_zero_is_no_divisor_of_integers_after_others() -> None:
    for k in (1, 2, 3, 4):
        assert (X % k).tolist() == [x % k for x in range(6)]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        X % 0
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        X // 0
    assert (X % 5).tolist() == [0, 1, 2, 3, 4, 0]


def test_negative_powers_of_integers_are_refused_after_others() -> None:
    for k in (5, 6, 7, 8):
        torch.pow(X, k)
    with pytest.raises(RuntimeError, match="negative integer powers"):
        torch.pow(X, -5)


def test_gradients_follow_numbers_with_names() -> None:
    w = torch.ones(3, requires_grad=True)
    for k in (0.5, 1.5, 2.5, 3.5):
        w.grad = None
        w.add(w, alpha=k).sum().backward()
        assert w.grad is not None
        assert w.grad.tolist() == [1 + k] * 3


def test_numbers_that_decide_a_length_are_no_mere_operands() -> None:
    for end in (1.0, 2.0, 3.0, 4.0):
        torch.arange(0.0, end, 0.5)
    for step in (0.125, 0.25, 0.5, 0.125, 0.25, 0.0625):
        for start in (0.0, 0.5, 0.25):
            length = math.ceil((1 - start) / step)
            expected = [start + k * step for k in range(length)]
            assert torch.arange(start, 1.0, step).tolist() == expected
    for count in (3, 4, 5, 3):
        for end in (3.0, 4.0, 5.0, float(count)):
            assert torch.linspace(end, end + 1, count)[-1].item() == end + 1
            assert torch.linspace(count, 9, count).shape == (count,)


def test_infinities_and_nan_count_by_value() -> None:
    for k in (1.5, 2.5, 3.5, math.inf, -math.inf, 4.5, math.inf):
        assert torch.empty(1, dtype=torch.half).fill_(k).item() == k
        assert Y.clamp(max=k).tolist() == [min(x / 4, k) for x in range(6)]
    assert math.isnan(torch.empty(1).fill_(math.nan).item())


def test_a_number_of_another_kind_than_the_elements_keeps_fills_remembered() -> None:
    flags, bytes_ = torch.zeros(2, dtype=torch.bool), torch.zeros(2, dtype=torch.uint8)
    for k in (1, 2.5, 0, 0.25, 3, 7.75, 2, 0.0, -0.5):
        assert flags.fill_(k).tolist() == [bool(k)] * 2
        if k >= 0:
            assert bytes_.fill_(k).tolist() == [int(k)] * 2
    with pytest.raises(RuntimeError, match="uint8_t without overflow"):
        bytes_.fill_(-0.5)
    with pytest.raises(RuntimeError, match="Float8_e4m3fn without overflow"):
        torch.zeros(2).to(torch.float8_e4m3fn).fill_(math.inf)


TYPES = [kind for kind in vars(torch).values() if isinstance(kind, torch.dtype)]
EDGES = [127, 128, 255, 2**15, 2**16, 2**31, 2**32, 2**63, 240, 448, 57344, 65504]
SIZES = st.sampled_from(EDGES).flatmap(lambda n: st.integers(n - 2, n + 2))
INTEGERS = st.builds(int.__mul__, SIZES, st.sampled_from([1, -1])).filter(
    lambda n: -(2**63) <= n < 2**63
)
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.builds(float, INTEGERS),
    st.builds(lambda n, x: n + x, SIZES, st.floats(-1, 1)),
)  # fmt: skip
checked = public_function("checked", lambda *_: None, lambda: Numbers.at([0], checked=True))


def _fits(number: float, kind: Any) -> bool:
    try:
        numbers.checked(number, kind)
    except RuntimeError:
        return False
    return True


@given(st.one_of(st.tuples(INTEGERS, INTEGERS), st.tuples(FLOATS, FLOATS)))
def test_numbers_with_one_key_fit_the_same_types(pair: tuple[float, float]) -> None:
    binding = checked.__self__
    checked(1)
    one, other = (bytes(key.key_of(binding, (x,), {})) for x in pair)
    if one == other:
        assert [_fits(pair[0], kind) for kind in TYPES] == [_fits(pair[1], kind) for kind in TYPES]


def test_the_size_class_is_in_the_key() -> None:
    checked(1)
    words = [ctypes.c_int64.from_buffer(key.key_of(checked.__self__, (k,), {}), 8) for k in (5, 6)]
    assert words[0].value == words[1].value
    keys = {bytes(key.key_of(checked.__self__, (k,), {})) for k in (0, 5, -5, 300, 70000, -70000)}
    assert len(keys) == 6


def test_numbers_of_calls_within_transformations_are_free_too(monkeypatch):
    x = torch.arange(6.0).view(2, 3)

    def call(k):
        return torch.vmap(lambda row: torch.special.xlogy(row, k))(x)

    for k in (21, 22, 23, 24):
        call(k)
    missed: list[str] = []
    monkeypatch.setattr(Binding, "_has_met", lambda self, *_: missed.append(self._name))
    given = [call(k) for k in (31, 52, 127)]
    monkeypatch.undo()
    assert not missed
    for k, found in zip((31, 52, 127), given, strict=True):
        assert found.tolist() == torch.special.xlogy(x, k).tolist()


def test_transformations_leave_the_numbers_of_other_calls_free(monkeypatch):
    x = torch.arange(6.0).view(2, 3)
    for k in (21.5, 22.5, 23.5, 24.5):
        torch.fmod(x, k)
        torch.func.jvp(lambda y, k=k: torch.fmod(y, k), (x,), (x,))
    missed: list[str] = []
    monkeypatch.setattr(Binding, "_has_met", lambda self, *_: missed.append(self._name))
    torch.fmod(x, 29.5)
    monkeypatch.undo()
    assert not missed
