"""Lists of tensors, sorted by what one call may take."""

import pytest

import rushlight as torch
from rushlight.utils import _foreach_utils as lists


def test_groups_by_device_and_type():
    a, b, c = torch.ones(1), torch.ones(2, dtype=torch.float64), torch.ones(3)
    found = lists._group_tensors_by_device_and_dtype([[a, b, c], [None, b, c], []], True)
    cpu = torch.device("cpu")
    assert set(found) == {(cpu, torch.float32), (cpu, torch.float64)}
    (first, second, third), places = found[cpu, torch.float32]
    assert first[0] is a and first[1] is c and second[0] is None and second[1] is c
    assert third == [] and places == [0, 2]
    assert found[cpu, torch.float64][1] == [1]


def test_lists_must_fit():
    with pytest.raises(RuntimeError, match="0-th Tensor is not"):
        lists._group_tensors_by_device_and_dtype([[None]])
    with pytest.raises(RuntimeError, match=r"lengths \[1, 2\]"):
        lists._group_tensors_by_device_and_dtype([[torch.ones(1)], [torch.ones(1)] * 2])
    with pytest.raises(RuntimeError, match="at least one list"):
        lists._group_tensors_by_device_and_dtype([])


def test_devices():
    assert lists._device_has_foreach_support(torch.device("cpu"))
    assert not lists._device_has_foreach_support(torch.device("meta"))
    assert not lists._has_foreach_support([torch.nn.Parameter(torch.ones(1))], torch.device("cpu"))


def test_what_does_not_go_together_is_refused():
    with pytest.raises(RuntimeError, match="the 1-th Tensor is not"):
        lists._group_tensors_by_device_and_dtype([[torch.ones(1), None]])
    with pytest.raises(RuntimeError, match="Tensors of the same index must be on the same device"):
        lists._group_tensors_by_device_and_dtype([[torch.ones(1)], [torch.ones(1).long()]])
