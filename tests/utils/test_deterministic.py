"""Deterministic mode shows memory that was never written."""

import math

import pytest

import rushlight as torch
from rushlight.utils import deterministic


@pytest.fixture
def deterministic_mode():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
    deterministic.fill_uninitialized_memory = True


def makers():
    x = torch.ones(3)
    return [
        lambda: torch.empty(3),
        lambda: torch.empty_like(x),
        lambda: torch.empty_strided((3,), (2,)),
        lambda: torch.empty_permuted((3,), (0,)),
        lambda: x.new_empty(3),
        lambda: x.new_empty_strided((3,), (1,)),
        lambda: torch.empty(3, out=torch.zeros(3)),
        lambda: torch.Tensor(3),
        lambda: torch.zeros(0).resize_(3),
        lambda: torch.zeros(0).resize_as_(x),
    ]


@pytest.mark.parametrize("number", range(len(makers())))
def test_memory_without_content_is_filled(number, deterministic_mode):
    make = makers()[number]
    torch.use_deterministic_algorithms(False)
    for _ in range(4):
        # What waits in the allocator is not what the mode fills with.
        before = torch.ones(3)
        del before
        make()
    for _ in range(4):
        torch.use_deterministic_algorithms(True)
        assert make().isnan().all()
    deterministic.fill_uninitialized_memory = False
    zeros = torch.zeros(3)
    del zeros
    assert not torch.empty(3).isnan().any()


@pytest.mark.parametrize(
    ("kind", "value"),
    [(torch.int32, 2**31 - 1), (torch.uint8, 255), (torch.bool, True), (torch.int64, 2**63 - 1)],
)
def test_the_largest_of_whole_numbers(kind, value, deterministic_mode):
    assert torch.empty(2, dtype=kind).tolist() == [value] * 2


@pytest.mark.parametrize("kind", [torch.complex64, torch.bfloat16, torch.float16, torch.float64])
def test_not_a_number_in_all_floating_point_types(kind, deterministic_mode):
    assert torch.empty(2, dtype=kind).isnan().all()


def test_only_what_a_tensor_grows_by_is_filled(deterministic_mode):
    grown = torch.ones(2).resize_(4)
    assert grown[:2].tolist() == [1, 1] and grown[2:].isnan().all()
    assert torch.ones(4).resize_(2).resize_(4).tolist() == [1] * 4
    assert math.isnan(torch.ones(1, dtype=torch.float64).resize_(2)[1].item())


def test_the_setting_is_a_truth_value():
    assert deterministic.fill_uninitialized_memory is True
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        deterministic.fill_uninitialized_memory = 1
