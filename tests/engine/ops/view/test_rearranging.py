"""Flips, rolls and padding, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

KINDS = [torch.float32, torch.int8, torch.bool, torch.complex64, torch.bfloat16]


def numbers(tensor):
    wide = torch.complex64 if tensor.is_complex() else torch.float32
    return tensor.to(wide).numpy()


def sources(kind):
    x = (torch.arange(24).reshape(2, 3, 4) % 7).to(kind)
    return [x, x.permute(2, 0, 1), x[:, ::2, 1:], x[:0], x[0, 0, 0], x.expand(2, 2, 3, 4)]


@pytest.mark.parametrize("kind", KINDS)
def test_flip(kind):
    for x in sources(kind):
        for dims in [(), *((d,) for d in range(x.dim())), tuple(range(x.dim()))]:
            for _ in range(2):
                np.testing.assert_array_equal(numbers(x.flip(dims)), np.flip(numbers(x), dims))


@pytest.mark.parametrize("kind", KINDS)
def test_roll(kind):
    for x in sources(kind):
        if not x.dim():
            continue
        for _ in range(2):
            np.testing.assert_array_equal(numbers(x.roll(5)), np.roll(numbers(x), 5))
            for shifts, dims in [((1,), (0,)), ((-7, 2), (0, -1)), ((1, 1), (0, 0))]:
                wanted = np.roll(numbers(x), shifts, dims)
                np.testing.assert_array_equal(numbers(x.roll(shifts, dims)), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_with_a_number(kind):
    for x in sources(kind)[:4]:
        for pad in [(1, 2), (0, 0, 3, 1), (-1, 2, 1, -1), (-1, -1)]:
            for value in (0, 1):
                widths = [(0, 0)] * x.dim()
                cut = numbers(x)
                for k in range(len(pad) // 2):
                    d, (before, after) = x.dim() - 1 - k, pad[2 * k : 2 * k + 2]
                    stop = cut.shape[d] + min(after, 0)
                    cut = cut.take(range(max(-before, 0), stop), d)
                    widths[d] = (max(before, 0), max(after, 0))
                for _ in range(2):
                    found = torch.nn.functional.pad(x, pad, value=value)
                    wanted = np.pad(cut, widths, constant_values=value)
                    np.testing.assert_array_equal(numbers(found), wanted)
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.nn.functional.pad(torch.zeros(2, dtype=torch.int8), (1, 1), value=300)


def test_rolling_nothing_does_not_look_at_dimensions():
    nothing = torch.ones(0, 3)
    assert nothing.roll(1, 5).shape == nothing.roll((1, 1), (0, -7)).shape == (0, 3)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.ones(2, 3).roll(1, 5)


def test_a_value_that_fills_nothing_need_not_fit() -> None:
    x = torch.ones(2, 3, dtype=torch.uint8)
    assert torch.nn.functional.pad(x, (0, -1), value=-2).tolist() == [[1, 1]] * 2
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.nn.functional.pad(x, (0, 1), value=-2)


def test_modes_see_narrow_as_a_slice():
    from rushlight.utils._python_dispatch import TorchDispatchMode

    class Seeing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    seen = []
    with Seeing():
        made = torch.arange(6).narrow(0, -4, 2)
    assert made.tolist() == [2, 3] and seen[-1] == "aten.slice.Tensor"
