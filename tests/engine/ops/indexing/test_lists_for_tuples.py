"""Lists as subscripts: numbers are an index tensor; anything else makes the list stand for a tuple."""

import pytest

import rushlight as torch

X = torch.arange(12).reshape(3, 4)
LISTS = {
    "slices": [slice(0, 2), slice(None)],
    "a number and a slice": [0, slice(1, 3)],
    "an ellipsis": [Ellipsis, 0],
    "a new dimension": [None, 0],
    "tensors": [torch.tensor([0, 1]), torch.tensor([1, 2])],
    "lists": [[0, 1], [1, 2]],
    "a number and a list": [0, [1, 2]],
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_stands_for_a_tuple(name):
    index = LISTS[name]
    for _ in range(3):
        with pytest.warns(UserWarning, match="non-tuple sequence"):
            found = X[index]
        assert torch.equal(found, X[tuple(index)])
    changed, expected = X.clone(), X.clone()
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        changed[index] = 7
    expected[tuple(index)] = 7
    assert torch.equal(changed, expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("index", [[0, 1], [True, False, True], [-1]])
def test_a_list_of_numbers_is_a_tensor(index):
    assert torch.equal(X[index], X[torch.tensor(index)])


@pytest.mark.filterwarnings("error")
def test_a_long_list_is_a_tensor():
    assert X[[[0]] * 32].shape == (32, 1, 4)
