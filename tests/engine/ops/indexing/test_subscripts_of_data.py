"""Arrays, ranges and lists as subscripts: the same as the tensor that is made of them."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch


def at(n: int) -> list[object]:
    """Subscripts of the same places in every form."""
    places = [k * 7 % 20 for k in range(n)]
    held = np.array(places)
    return [held, held.astype(np.int32), places, held[::-1][::-1], (held,), (places, slice(0, 2))]


@pytest.mark.parametrize("form", range(6))
def test_places_are_read_and_written(form: int) -> None:
    for n in (1, 3, 9, 20, 31, 40, 9):
        x = torch.arange(60.0).reshape(20, 3)
        index = at(n)[form]
        rows = x.numpy()[[k * 7 % 20 for k in range(n)]]
        assert x[index].tolist() == (rows[:, :2] if form == 5 else rows).tolist()
        x[index] = -1.0
        columns = 2 if form == 5 else 3
        changed = {k * 7 % 20 for k in range(n)}
        assert int((x == -1).sum()) == len(changed) * columns


def test_masks_of_arrays_and_lists() -> None:
    for n in (4, 9, 33, 50, 33):
        x = torch.arange(2.0 * n).reshape(n, 2)
        mask = np.arange(n) % 3 == 1
        expected = x.numpy()[mask].tolist()
        assert x[mask].tolist() == x[mask.tolist()].tolist() == expected
        x[mask] = 0.0
        assert not x.numpy()[mask].any()


def test_ranges() -> None:
    x = torch.arange(50.0)
    for n in range(3, 40, 4):
        assert x[range(n)].tolist() == list(range(n))
        assert x[range(n, 0, -2)].tolist() == list(range(n, 0, -2))
        assert x[range(0)].tolist() == []


def test_an_array_that_changes_later_changes_no_gradient() -> None:
    x = torch.arange(6.0, requires_grad=True)
    for _ in range(4):
        places = np.array([0, 2, 4])
        taken = x[places]
        places[:] = 1
        (found,) = torch.autograd.grad(taken.sum(), x)
        assert found.tolist() == [1, 0, 1, 0, 1, 0]


def test_what_does_not_fit_is_an_error_each_time() -> None:
    x = torch.ones(4)
    for _ in range(3):
        with pytest.raises(IndexError):
            x[np.array([0, 4])]
        with pytest.raises(IndexError):
            x[[0] * 20 + [4]]
