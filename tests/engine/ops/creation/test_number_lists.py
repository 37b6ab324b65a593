"""Tensors from nested lists of numbers, and back."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as torch

KINDS = [torch.float32, torch.float64, torch.int64, torch.int32, torch.bool, torch.int8,
    torch.float16, torch.bfloat16, torch.complex64]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(), (3,), (2, 3), (2, 1, 3), (0,), (2, 0), (0, 2)])
def test_there_and_back(kind, size):
    values = torch.arange(math.prod(size)).reshape(size).to(kind)
    for _ in range(3):
        lists = values.tolist()
        assert lists == np.arange(math.prod(size)).reshape(size).astype(
            bool if kind is torch.bool else int
        ).tolist()  # fmt: skip
        again = torch.tensor(lists, dtype=kind)
        assert again.dtype is kind and torch.equal(again, values.reshape(again.shape))


def test_views_of_any_strides():
    x = torch.arange(24.0).view(2, 3, 4)
    for view in (x.transpose(0, 2), x[:, 1], x[1:, ::2], x.expand(2, 2, 3, 4), x.flip(0)):
        for _ in range(3):
            assert view.tolist() == view.numpy().tolist()


@pytest.mark.parametrize("data, kind", [
    ([1.0, 2.0], torch.float32), ([[1, 2], [3, 4]], torch.int64), ([True, False], torch.bool),
    ([1, 2.0], torch.float32), ([True, 2], torch.int64), ([[1.0], [2]], torch.float32),
    ([1j, 2.0], torch.complex64), ([[]], torch.float32), ([np.float64(1), 2.0], torch.float64),
])  # fmt: skip
def test_types_follow_from_the_numbers(data, kind):
    for _ in range(3):
        assert torch.tensor(data).dtype is kind
    assert torch.tensor(data).tolist() == data


def test_numbers_become_the_type_that_is_asked_for():
    assert torch.tensor([1, 2], dtype=torch.float32).tolist() == [1.0, 2.0]
    assert torch.tensor([[1.7, -2.7]], dtype=torch.int64).tolist() == [[1, -2]]
    assert torch.tensor([0, 3], dtype=torch.bool).tolist() == [False, True]
    assert torch.tensor([1e300, math.nan, -math.inf]).isfinite().tolist() == [False] * 3
    assert torch.tensor([-(2**63), 2**63 - 1]).tolist() == [-(2**63), 2**63 - 1]


@pytest.mark.parametrize("data", [
    [[1, 2], [3]], [[1], 2], [1, [2]], [[1.0, 2.0], [3.0]],
    [[[1], [2]], [[3], [4, 5]]],
])  # fmt: skip
def test_uneven_lists_are_refused(data):
    for _ in range(3):
        with pytest.raises((ValueError, TypeError)):
            torch.tensor(data)


def test_too_large_integers():
    for _ in range(3):
        with pytest.raises(ValueError, match="Overflow"):
            torch.tensor([1, 2**70])


def test_lists_that_were_changed():
    data = [[1.0, 2.0], [3.0, 4.0]]
    for k in range(4):
        data[1][0] = float(k)
        assert torch.tensor(data).tolist() == data


def test_zeros_in_place():
    x = torch.ones(3, 4)
    for k in range(3):
        x.fill_(k + 1.0)
        version = x._version
        assert x.t()[1:].zero_().shape == (3, 3)
        assert x._version == version + 1
        assert x.tolist() == [[k + 1.0, 0, 0, 0]] * 3
    expanded = torch.ones(1).expand(3)
    assert expanded.zero_().tolist() == [0, 0, 0]


@pytest.mark.parametrize("make", [torch.tensor, torch.as_tensor, torch.zeros(2).new_tensor])
def test_lists_of_a_shape_that_came_before_are_read_whole(make):
    kinds = {torch.tensor: torch.int64, torch.as_tensor: torch.int64}
    for _ in range(4):
        made = make([[1, 2], [3, 4]])
        assert made.tolist() == [[1, 2], [3, 4]] and made.dtype is kinds.get(make, torch.float32)
    if make in kinds:
        assert make([[1, 2.5], [3, 4]]).dtype is torch.float32
        assert make([[1, 2], (3, True)]).tolist() == [[1, 2], [3, 1]]
        with pytest.raises(ValueError, match="Overflow"):
            make([[1, 2], [3, 2**63]])
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 1 \(got 1\)"):
        make([[1, 2], [3]])
    with pytest.raises((TypeError, RuntimeError), match="NoneType"):
        make([[1, 2], [3, None]])
    assert make([[1, 2], [3, 5j]], dtype=torch.complex64).tolist() == [[1, 2], [3, 5j]]
    assert make([[1, 2], [3, np.int64(4)]]).tolist() == [[1, 2], [3, 4]]
    assert make([[1, 2], [3, torch.tensor(4)]]).tolist() == [[1, 2], [3, 4]]


def test_what_a_remembered_list_becomes():
    for _ in range(4):
        assert torch.tensor([1.0, 2.0], requires_grad=True).requires_grad
        assert not torch.tensor([1.0, 2.0]).requires_grad
        assert torch.tensor([1.0, 2.0], dtype=torch.float16).dtype is torch.float16
        assert torch.tensor([300, 2], dtype=torch.int16).tolist() == [300, 2]
        with pytest.raises(RuntimeError, match="without overflow"):
            torch.tensor([300, 2], dtype=torch.int8)
        with torch.inference_mode():
            assert torch.tensor([1.0, 2.0]).is_inference()
        first, second = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0])
        assert first.data_ptr() != second.data_ptr()
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.tensor([1.0, 2.0]).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_integers_beyond_the_doubles_stay_exact():
    for _ in range(3):
        assert torch.tensor([2.5, 2**60 + 1], dtype=torch.int64).tolist() == [2, 2**60 + 1]
        assert torch.tensor([1, 2**60 + 1, 2.5], dtype=torch.int64).tolist() == [1, 2**60 + 1, 2]


def test_lists_that_hold_themselves():
    data = [1]
    data[0] = data
    with pytest.raises((TypeError, ValueError)):
        torch.tensor(data)


@pytest.mark.parametrize("kind", [np.bool_, np.int8, np.int64, np.float16, np.float32, np.float64])
def test_lists_of_numbers_of_numpy(kind: type) -> None:
    for n in (1, 2, 5):
        made = torch.tensor([kind(k) for k in range(n)])
        assert made.numpy().dtype == kind and made.tolist() == [kind(k).item() for k in range(n)]
    mixed = torch.tensor([np.float32(1), np.float64(2)])
    assert mixed.dtype is torch.float64 and mixed.tolist() == [1, 2]


def test_lists_of_tensors_without_dimensions() -> None:
    source = torch.arange(4.0)
    made = torch.tensor([source[1], source[3]])
    source.zero_()
    assert made.tolist() == [1, 3]
    assert torch.tensor([torch.tensor(1), torch.tensor(2.5)]).tolist() == [1, 2.5]
    wanting = torch.tensor(2.0, requires_grad=True)
    with torch.no_grad():
        assert torch.tensor([wanting, wanting]).tolist() == [2, 2]
