"""Fillings by masks."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch


def test_masked_fill_makes_a_contiguous_result_in_one_pass():
    x = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
    mask = x % 2 == 0
    for value in (0, 2.5, float("-inf")):
        for _ in range(3):
            found = x.masked_fill(mask, value)
            assert found.is_contiguous() and torch.equal(found, torch.where(mask, value, x))
    wide = torch.zeros(3).masked_fill(torch.tensor([[True], [False]]), 7)
    assert wide.tolist() == [[7, 7, 7], [0, 0, 0]]
    with pytest.raises(RuntimeError, match="boolean masks"):
        x.masked_fill(x, 1)
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.zeros(2, dtype=torch.uint8).masked_fill(torch.tensor([True, False]), 300)


def test_no_position_is_inside_an_empty_dimension():
    with pytest.raises(IndexError, match="out of bounds for dimension with size 0"):
        torch.ones(4, 0, 0)[:, torch.tensor([1, 0])]
    assert torch.ones(4, 0)[:, torch.tensor([], dtype=torch.int64)].shape == (4, 0)


@pytest.mark.parametrize("value", [torch.tensor(2), torch.tensor([2.0], dtype=torch.float64)])
def test_one_value_of_another_type_goes_where_a_mask_says(value):
    tensor, mask = torch.zeros(2, 2), torch.tensor([True, False])
    tensor[mask] = value
    assert tensor.tolist() == [[2.0, 2.0], [0.0, 0.0]]
    tensor[mask, 0] = value + 1
    assert tensor[0].tolist() == [3.0, 2.0]
    with pytest.raises(RuntimeError, match="dtypes match, got Float for the destination"):
        tensor[torch.tensor([0])] = value


@pytest.mark.parametrize("size", [(), (2,), (2, 3)])
def test_a_mask_without_dimensions_makes_one(size):
    yes, no = torch.tensor(True), torch.tensor(False)
    for _ in range(3):
        tensor = torch.ones(size)
        assert tensor[yes].shape == (1, *size)
        assert tensor[no].shape == (0, *size)
        tensor[no] = 3.0
        assert tensor.unique().tolist() == [1.0]
        tensor[yes] = torch.tensor(2.0)
        assert tensor.unique().tolist() == [2.0]
        tensor[None, yes] = 4.0
        assert tensor.unique().tolist() == [4.0]


def test_a_number_has_no_places():
    number = torch.tensor(1.0)
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        number[0]
    with pytest.raises(IndexError, match="index -1 is out of bounds"):
        number[-1]
    with pytest.raises(IndexError, match="cannot be applied to a 0-dim tensor"):
        number[:]
    for index in ((0, 0), torch.tensor([0, 0]), torch.tensor([True, False])):
        with pytest.raises(IndexError, match="too many indices"):
            number[index]


@pytest.mark.parametrize("size", [(), (1,), (7,), (3, 4), (70, 70)])
def test_masked_scatter_takes_the_first_elements_of_the_source(size):
    for _ in range(4):
        target = torch.rand(size)
        mask = torch.rand(size) > 0.5
        source = torch.arange(float(max(target.numel(), 1)))
        wanted = target.numpy().copy()
        wanted[mask.numpy()] = source.numpy()[: int(mask.sum())]
        np.testing.assert_array_equal(target.masked_scatter(mask, source).numpy(), wanted)
        copy = target.clone()
        assert copy.masked_scatter_(mask, source) is copy
        np.testing.assert_array_equal(copy.numpy(), wanted)


def test_masked_scatter_counts_what_it_needs_each_time():
    target, source = torch.zeros(4), torch.arange(2.0)
    few, many = torch.tensor([False, True, False, True]), torch.tensor([True, True, False, True])
    none = torch.zeros(4, dtype=torch.bool)
    for _ in range(4):
        assert target.masked_scatter(few, source).tolist() == [0, 0, 0, 1]
        assert target.masked_scatter(none, source).tolist() == [0, 0, 0, 0]
        assert target.masked_scatter(none, source[:0]).tolist() == [0, 0, 0, 0]
        with pytest.raises(RuntimeError, match=r"number of ones in mask \(3\), but got 2"):
            target.masked_scatter(many, source)
