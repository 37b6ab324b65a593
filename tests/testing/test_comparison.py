"""`assert_close` and `make_tensor`."""

import warnings

import pytest

import rushlight as torch
from rushlight.testing import assert_allclose, assert_close, make_tensor

nan, inf = float("nan"), float("inf")


@pytest.mark.parametrize(
    "actual, expected",
    [
        (torch.tensor([1.0]), torch.tensor([1.0 + 1e-7])),
        (torch.tensor([inf, -inf]), torch.tensor([inf, -inf])),
        (torch.empty(0), torch.empty(0)),
        (1, 1), (1.0, 1.0 + 1e-9), (2j, 2j), (True, True), (None, None),
        ([torch.ones(1), 2], [torch.ones(1), 2]),
        ({"a": torch.ones(1)}, {"a": torch.ones(1)}),
        (torch.ones(1).numpy(), torch.ones(1).numpy()),
    ],
)  # fmt: skip
def test_what_is_close(actual, expected):
    assert_close(actual, expected)


@pytest.mark.parametrize(
    "actual, expected, text",
    [
        (torch.tensor([1.0, 2]), torch.tensor([1.0, 2.1]), r"1 / 2 \(50.0%\)"),
        (
            torch.tensor([[1, 2]]),
            torch.tensor([[1, 5]]),
            r"absolute difference: 3 at index \(0, 1\)",
        ),
        (torch.tensor([nan]), torch.tensor([nan]), "Tensor-likes are not close"),
        (torch.tensor([inf]), torch.tensor([1.0]), "absolute difference: inf"),
        (torch.tensor(1.0), torch.tensor(2.0), "Expected 2.0 but got 1.0"),
        (torch.ones(1), torch.ones(1).double(), "attribute 'dtype' do not match"),
        (torch.ones(1), torch.ones(1, 1), "attribute 'shape' do not match"),
        (1, 2, "Scalars are not equal"),
        (1, 1.0, r"\(d\)types do not match"),
        (True, False, "Booleans mismatch: True is not False"),
        (None, 1, "None mismatch"),
        ([1], [1, 2], "length of the sequences mismatch: 1 != 2"),
        ({"a": 1}, {"b": 1}, r"Missing keys in the actual mapping: \['b'\]"),
        ([1, {"k": torch.ones(2)}], [1, {"k": torch.zeros(2)}], r"for item \[1\]\['k'\]"),
    ],
)
def test_what_is_not(actual, expected, text):
    with pytest.raises(AssertionError, match=text):
        assert_close(actual, expected)


def test_options():
    a, b = torch.tensor([1.0]), torch.tensor([1.1])
    assert_close(a, b, rtol=0, atol=0.2)
    assert_close(torch.tensor([nan]), torch.tensor([nan]), equal_nan=True)
    assert_close(a, a.double(), check_dtype=False)
    with pytest.raises(AssertionError, match=r"^mine$"):
        assert_close(a, b, msg="mine")
    with pytest.raises(AssertionError, match=r"^before Tensor-likes"):
        assert_close(a, b, msg=lambda text: f"before {text}")
    with pytest.raises(ValueError, match="got no atol"):
        assert_close(a, b, rtol=1)
    with pytest.raises(TypeError, match="No comparison pair"):
        assert_close("a", "b")
    with pytest.raises(AssertionError, match="stride"):
        assert_close(torch.ones(2, 3).t(), torch.ones(3, 2), check_stride=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_allclose(a, a.double())


@pytest.mark.parametrize(
    "kind",
    [torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32, torch.complex64],
)
def test_random_tensors(kind):
    made = make_tensor(3, 4, dtype=kind, device="cpu")
    assert made.shape == (3, 4) and made.dtype is kind
    spread = make_tensor((3, 4), dtype=kind, device="cpu", noncontiguous=True)
    assert spread.shape == (3, 4) and not spread.is_contiguous()
    if kind is not torch.bool:
        low, high = (1, 3) if kind is not torch.complex64 else (0, 1)
        within = make_tensor((50,), dtype=kind, device="cpu", low=low, high=high)
        values = within.real if kind.is_complex else within
        assert values.min() >= low and values.max() <= high


def test_random_tensors_with_wishes():
    wants = make_tensor(2, dtype=torch.float32, device="cpu", requires_grad=True)
    assert wants.requires_grad
    counts = make_tensor(100, dtype=torch.int32, device="cpu", low=0, high=2, exclude_zero=True)
    assert (counts == 1).all()
    with pytest.raises(ValueError, match="must be less than"):
        make_tensor(2, dtype=torch.int64, device="cpu", low=3, high=3)
    with pytest.raises(ValueError, match="requires_grad"):
        make_tensor(2, dtype=torch.int64, device="cpu", requires_grad=True)


def test_tolerances_of_types():
    from rushlight.testing import _comparison

    wide, narrow = torch.ones(1, dtype=torch.float64), torch.ones(1)
    assert _comparison.default_tolerances(wide, torch.float32) == (1.3e-6, 1e-5)
    assert _comparison.default_tolerances(torch.int64) == (0.0, 0.0)
    assert _comparison.get_tolerances(narrow, rtol=0.1, atol=0.2) == (0.1, 0.2)
    assert _comparison.get_tolerances(narrow, wide, rtol=None, atol=None) == (1.3e-6, 1e-5)
    with pytest.raises(ValueError, match="but got no rtol"):
        _comparison.get_tolerances(narrow, rtol=None, atol=0.2)
