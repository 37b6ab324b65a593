"""Where the same element may be written more than once: fills, which write the same each time."""

import pytest

import rushlight as torch


def expanded():
    return torch.arange(3.0).expand(2, 3)


FILLS = {
    "zero_": lambda x: x.zero_(),
    "fill_": lambda x: x.fill_(2),
    "fill_ with a tensor": lambda x: x.fill_(torch.tensor(2.0)),
    "masked_fill_": lambda x: x.masked_fill_(torch.ones(2, 3, dtype=torch.bool), 2),
    "masked_fill_ with a tensor": lambda x: x.masked_fill_(x > -1, torch.tensor(2.0)),
    "index_fill_": lambda x: x.index_fill_(0, torch.tensor([0]), 2),
    "index_put_": lambda x: x.index_put_((torch.tensor([0]),), torch.tensor(2.0)),
    "a number": lambda x: x.__setitem__(0, 2),
    "a number at indices": lambda x: x.__setitem__(torch.tensor([0]), 2),
}


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
def test_fills_reach_expanded_tensors(name):
    tensor = expanded()
    FILLS[name](tensor)
    assert tensor.tolist() == [[0.0 if name == "zero_" else 2.0] * 3] * 2


def test_triangles_of_expanded_tensors():
    assert expanded().tril_().tolist() == [[0.0, 0.0, 0.0]] * 2


@pytest.mark.parametrize("change", ["mul_", "copy_"])
def test_others_refuse(change):
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        getattr(expanded(), change)(torch.ones(2, 3))


def test_mask_may_be_the_tensor_itself():
    mask = torch.tensor([True, False])
    assert mask.masked_fill_(mask.bool(), False).tolist() == [False, False]


def test_value_may_be_the_tensor_itself():
    number = torch.tensor(3.0)
    assert number[None].fill_(number).tolist() == [3.0]


def test_number_written_through_slices_is_copied():
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        expanded()[...] = 2
