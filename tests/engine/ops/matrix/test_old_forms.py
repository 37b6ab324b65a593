"""Old positional forms of calls, with the factors before the tensors they belong to."""

import warnings

import pytest

import rushlight as torch

X = torch.ones(2, 2)
BATCH = torch.ones(1, 2, 2)


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda: torch.addmm(2, X, X, X), 4.0),
        (lambda: torch.addmm(2, X, 3, X, X), 8.0),
        (lambda: X.addmm(2, X, X), 4.0),
        (lambda: X.clone().addmm_(2, 3, X, X), 8.0),
        (lambda: torch.addr(2, X, X[0], X[0]), 3.0),
        (lambda: torch.baddbmm(2, BATCH, BATCH, BATCH), 4.0),
        (lambda: torch.addbmm(2, X, 3, BATCH, BATCH), 8.0),
        (lambda: torch.addmv(2, X[0], X, X[0]), 4.0),
    ],
)
def test_old_forms(call, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = call()
    assert set(made.flatten().tolist()) == {expected}


def test_shares_are_drawn_in_pytorchs_order():
    torch.manual_seed(1234)
    weights = torch.rand(3, 4, dtype=torch.float64) * 3
    torch.manual_seed(5)
    rows = torch._sample_dirichlet(weights).tolist()
    assert rows[0] == [
        0.2105751312060571, 0.4093479120586735, 0.12447954598155658, 0.25559741075371284
    ]  # fmt: skip
    assert rows[1][:2] == [0.12031001750082895, 0.5194526177439773]


def test_distances_of_rows_without_columns():
    for p in (0.0, 1.0, 2.0, float("inf")):
        made = torch.cdist(torch.ones(3, 0), torch.ones(2, 0), p)
        assert made.tolist() == [[0.0, 0.0]] * 3


def test_normal_numbers_into_an_output_that_keeps_its_shape():
    mean = torch.zeros(3)
    assert torch.normal(mean, 1.0, out=torch.empty(2, 3)).shape == (2, 3)
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        torch.normal(mean, 1.0, out=torch.empty(0))
