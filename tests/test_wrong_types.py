"""Functions that take tensors say so, whatever they are given."""

import pytest

import rushlight as torch
import rushlight.nn.functional as F

ONE = torch.ones(1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: torch.cdist(b"", b""), TypeError, r"cdist\(\): argument 'x1' .* must be Tensor"),
        (lambda: torch.unique(3), TypeError, r"_unique2\(\): argument 'input'"),
        (lambda: torch.unique_consecutive(3), TypeError, "argument 'input'"),
        (lambda: torch.einsum(3, ONE), TypeError, r"einsum\(\): argument 'equation'"),
        (lambda: torch.einsum("a", 3), TypeError, "argument 'tensors'|element 0"),
        (lambda: torch.tensordot(ONE, 3, ([0], [0])), TypeError, "must be Tensor"),
        (lambda: torch.istft(3, 4), TypeError, "must be Tensor"),
        (lambda: F.embedding(3, ONE), TypeError, "argument 'indices' .* must be Tensor, not int"),
        (lambda: F.embedding(ONE.long(), 3), TypeError, "argument 'weight'"),
        (lambda: ONE.map_(3, max), TypeError, "argument 'other' .* must be Tensor, not int"),
        (lambda: ONE.numpy(force="a"), TypeError, "argument 'force' must be bool, not str"),
        (lambda: ONE.half(3), TypeError, "positional argument"),
        (lambda: ONE.type(object()), TypeError, "dtype must be a type, str, or dtype"),
        (lambda: torch.set_grad_enabled("a"), TypeError, "argument 'enabled' .* must be bool"),
        (lambda: torch.set_num_threads("a"), RuntimeError, "expects an int, but got str"),
        (lambda: torch.broadcast_shapes(object()), RuntimeError, "should be of type ints"),
        (lambda: int(torch.tensor(1j)), RuntimeError, "without overflow"),
        (lambda: float(torch.tensor(1j)), RuntimeError, "without overflow"),
    ],
)
def test_wrong_types_are_named(call, error, message):
    recording = torch.is_grad_enabled()
    for _ in range(3):
        with pytest.raises(error, match=message):
            call()
    assert torch.is_grad_enabled() is recording


def test_complex_numbers_without_an_imaginary_part_are_numbers():
    assert int(torch.tensor(2 + 0j)) == 2
    assert float(torch.tensor(2.5 + 0j)) == 2.5
    assert complex(torch.tensor(1j)) == 1j
