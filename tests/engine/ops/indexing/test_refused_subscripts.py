"""Subscripts that select nothing, values of another type, and what is no index."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("index", ["a", (0, "a"), ("a",)])
def test_letters_are_no_indices(index):
    x = torch.ones(3, 2)
    with pytest.raises(TypeError, match="invalid data type 'str'"):
        x[index]
    with pytest.raises(TypeError, match="invalid data type 'str'"):
        x[index] = 1
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 2"):
        x["abc"]


@pytest.mark.parametrize(
    "index, name", [({}, "dict"), ({1}, "set"), (torch.float32, "torch.dtype")]
)
def test_other_objects_are_no_indices(index, name):
    with pytest.raises(IndexError, match=rf"are valid indices \(got {name}\)"):
        torch.ones(3, 2)[index]


def test_lists_of_floats_count_as_whole_numbers():
    x = torch.arange(6).reshape(3, 2)
    assert x[[1.5]].tolist() == [[2, 3]]
    with pytest.raises(IndexError):
        x[[3.5, 1]]


def test_steps_are_looked_at_first():
    with pytest.raises(ValueError, match="step must be greater than zero"):
        torch.ones(())[::-1]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        torch.ones(2)[::0]


def test_true_and_false_as_whole_subscripts():
    x = torch.zeros(2, dtype=torch.int64)
    for _ in range(3):
        x[False] = torch.ones(7, requires_grad=True)
        assert x.tolist() == [0, 0] and not x.requires_grad
    x[True] = torch.ones(1, requires_grad=True)
    assert x.tolist() == [1, 1] and not x.requires_grad


def test_a_truth_value_selects_values_of_the_same_type_only():
    x = torch.ones(())
    x[x > 0] = torch.tensor([3.0])
    assert x.item() == 3
    with pytest.raises(RuntimeError, match="got Float for the destination and Long for the source"):
        x[x > 0] = torch.tensor([3])
    y = torch.ones(2)
    y[y > 0] = torch.tensor([3])
    assert y.tolist() == [3, 3]


def test_an_index_into_nothing_is_refused_before_types():
    with pytest.raises(IndexError, match="out of bounds for dimension with size 0"):
        torch.ones(0)[[0]] = torch.tensor([1])


def test_one_element_fills_what_is_selected():
    x = torch.zeros(3, dtype=torch.int64)
    x[1:] = torch.tensor(2.0, requires_grad=True)
    assert x.tolist() == [0, 2, 2] and x.requires_grad
    y = torch.zeros(3)
    w = torch.tensor(2.0, requires_grad=True)
    y[1:] = w
    y.sum().backward()
    assert w.grad.item() == 2


def test_an_element_of_the_target_is_read_first():
    x = torch.arange(4)
    x[:] = x[1]
    assert x.tolist() == [1, 1, 1, 1]
    rows = torch.arange(6).view(2, 3)
    for _ in range(3):
        rows[1] = rows[1][0]
        assert rows[1].tolist() == [3, 3, 3]
    y = torch.arange(4.0)
    y[y > 1] = y[1]
    assert y.tolist() == [0, 1, 1, 1]


def test_changes_of_expanded_tensors_warn():
    x, at = torch.rand(1).expand(6), torch.tensor([2, 1])
    for name, change in (
        ("index_put_", lambda: x.index_put_((at,), torch.ones(2))),
        ("index_fill_", lambda: x.index_fill_(0, at, 1.0)),
        ("masked_fill_", lambda: x.masked_fill_(x > 0, 1.0)),
    ):
        for _ in range(3):
            with pytest.warns(UserWarning, match=f"Use of {name} on expanded tensors"):
                change()
