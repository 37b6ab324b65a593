"""Parallel lists of tensors, put into groups by device and element type."""

import pytest

import rushlight as torch
from rushlight.utils import _foreach_utils as groups


def test_groups_follow_the_first_list():
    narrow, wide = torch.ones(2), torch.ones(2, dtype=torch.float64)
    step = torch.zeros(())
    lists = [[narrow, wide, narrow], [narrow, wide, None], [step, step, step], []]
    found = groups._group_tensors_by_device_and_dtype(lists, with_indices=True)
    cpu = torch.device("cpu")
    assert list(found) == [(cpu, torch.float32), (cpu, torch.float64)]
    (first, second, third, none), places = found[cpu, torch.float32]
    assert places == [0, 2] and none == []
    assert all(x is narrow for x in first) and second[0] is narrow and second[1] is None
    assert len(third) == 2


def test_what_does_not_go_together_is_refused():
    with pytest.raises(RuntimeError, match="the 1-th Tensor is not"):
        groups._group_tensors_by_device_and_dtype([[torch.ones(1), None]])
    with pytest.raises(RuntimeError, match="Tensors of the same index must be on the same device"):
        groups._group_tensors_by_device_and_dtype([[torch.ones(1)], [torch.ones(1).long()]])
