"""The text of tensors."""

import pytest

import rushlight as torch


@pytest.fixture(autouse=True)
def default_options():
    yield
    torch.set_printoptions(profile="default")


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: torch.tensor([1.0, 2.5]), "tensor([1.0000, 2.5000])"),
        (lambda: torch.tensor([1.0, -2.0]), "tensor([ 1., -2.])"),
        (lambda: torch.tensor(3), "tensor(3)"),
        (lambda: torch.tensor([True, False]), "tensor([ True, False])"),
        (lambda: torch.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
        (lambda: torch.tensor([float("nan"), 1.0]), "tensor([nan, 1.])"),
        (lambda: torch.tensor([1 + 2j, complex(0, -3)]), "tensor([1.+2.j, 0.-3.j])"),
        (lambda: torch.tensor([1, 2], dtype=torch.int8), "tensor([1, 2], dtype=torch.int8)"),
        (
            lambda: torch.tensor([0.5], dtype=torch.bfloat16),
            "tensor([0.5000], dtype=torch.bfloat16)",
        ),
        (lambda: torch.empty(0), "tensor([])"),
        (lambda: torch.empty(2, 0), "tensor([], size=(2, 0))"),
        (lambda: torch.empty(0, dtype=torch.int64), "tensor([], dtype=torch.int64)"),
        (lambda: torch.empty(2, 3, device="meta"), "tensor(..., device='meta', size=(2, 3))"),
        (lambda: torch.arange(4).reshape(2, 2), "tensor([[0, 1],\n        [2, 3]])"),
    ],
)
def test_text(make, text):
    assert repr(make()) == text
    assert str(make()) == text


def test_long_tensors_are_abridged():
    assert repr(torch.arange(2000)) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"
    torch.set_printoptions(edgeitems=1, threshold=3)
    assert repr(torch.arange(9).reshape(3, 3)) == (
        "tensor([[0,  ..., 2],\n        ...,\n        [6,  ..., 8]])"
    )


def test_lines_break_at_the_width():
    torch.set_printoptions(linewidth=20)
    assert repr(torch.arange(8)) == "tensor([0, 1, 2, 3,\n        4, 5, 6, 7])"
    assert repr(torch.zeros(1, dtype=torch.int32)) == "tensor([0],\n       dtype=torch.int32)"


def test_options():
    torch.set_printoptions(precision=2)
    assert torch.get_printoptions()["precision"] == 2
    assert repr(torch.tensor(0.123)) == "tensor(0.12)"
    torch.set_printoptions(sci_mode=True)
    assert repr(torch.tensor(12.0)) == "tensor(1.20e+01)"
    torch.set_printoptions(profile="full")
    assert len(repr(torch.arange(2000))) > 5000


def test_contents_may_be_given():
    assert torch.ones(2).__repr__(tensor_contents="[two]") == "tensor([two])"
