"""What is given as `out=`: its type, what is rounded on the way there, and how changes are counted."""

import pytest

import rushlight as torch

FLOAT, DOUBLE, LONG = torch.float32, torch.float64, torch.int64


@pytest.mark.parametrize(
    "name", ["abs", "neg", "sign", "sgn", "floor", "ceil", "trunc", "round", "frac"]
)
def test_an_output_of_another_type_is_refused(name):
    function = getattr(torch, name)
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        function(torch.ones(2), out=torch.ones(2, dtype=DOUBLE))
    assert function(torch.ones(2), out=torch.zeros(2)).dtype is FLOAT


@pytest.mark.parametrize("call, message", [
    (lambda out: torch.clamp(torch.tensor([3]), 0, 2, out=out), "Found dtype Float but expected Long"),
    (lambda out: torch.bitwise_not(torch.tensor([3]), out=out), "Found dtype Float but expected Long"),
    (lambda out: torch.where(torch.tensor([True]), torch.tensor([1]), torch.tensor([2]), out=out), "out type to be Long but got Float"),
    (lambda out: torch.signbit(torch.ones(1), out=out), "signbit does not support non-boolean"),
    (lambda out: torch.matmul(torch.ones(1, 1, dtype=DOUBLE), torch.ones(1, 1, dtype=DOUBLE), out=out),
     "Expected out tensor to have dtype double, but got float instead"),
    (lambda out: torch.diag(torch.tensor([3]), out=out), "dtype long int, but got float instead"),
    (lambda out: torch.argmax(torch.ones(2), out=out), "dtype long int, but got float instead"),
])  # fmt: skip
def test_words_of_the_refusal(call, message):
    with pytest.raises(RuntimeError, match=message):
        call(torch.ones(1))


def test_limits_that_are_tensors_and_lengths_of_complex_numbers_are_converted():
    x, low = torch.tensor([3.0]), torch.tensor([4.0])
    assert torch.clamp(x, min=low, out=torch.ones(1, dtype=DOUBLE)).item() == 4
    z = torch.tensor([3 + 4j], dtype=torch.complex64)
    assert torch.abs(z, out=torch.ones(1, dtype=DOUBLE)).item() == 5


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_a_wider_output_gets_rounded_results(kind):
    x = torch.tensor([3.359375, 0.1, 2.0], dtype=kind)
    for _ in range(3):
        out = torch.empty(3)
        torch.sqrt(x, out=out)
        assert out.tolist() == torch.sqrt(x).tolist()
        out = torch.empty(3, dtype=torch.complex64)
        torch.mul(x, torch.tensor(1.1326841), out=out)
        assert out.tolist() == torch.mul(x, torch.tensor(1.1326841)).tolist()


@pytest.mark.parametrize("call, shape", [
    (lambda out: torch.cat([torch.ones(2), torch.ones(1), torch.ones(1)], out=out), (4,)),
    (lambda out: torch.cat([torch.ones(2, 1), torch.ones(2, 2)], 1, out=out), (2, 3)),
    (lambda out: torch.stack([torch.ones(2), torch.ones(2)], out=out), (2, 2)),
    (lambda out: torch.hstack([torch.ones(()), torch.ones(())], out=out), (2,)),
    (lambda out: torch.eye(2, out=out), (2, 2)),
    (lambda out: torch.normal(torch.ones(2), torch.ones(2), out=out), (2,)),
    (lambda out: out.tril_(), (3, 0)),
    (lambda out: out.uniform_(), (0,)),
    (lambda out: out.random_(), (3, 0)),
    (lambda out: out.bernoulli_(), (0,)),
])  # fmt: skip
def test_one_call_counts_as_one_change(call, shape):
    for _ in range(4):
        out = torch.zeros(shape)
        call(out)
        assert out._version == 1


def test_joined_into_a_strided_output_of_another_type():
    for number in range(4):
        whole = torch.zeros(8, dtype=DOUBLE)
        out = whole[::2]
        torch.cat([torch.full((1,), float(number)), torch.tensor([5, 6, 7])], out=out)
        assert whole.tolist() == [number, 0, 5, 0, 6, 0, 7, 0]


def test_joined_into_an_output_that_has_to_grow():
    for _ in range(3):
        out = torch.empty(0)
        torch.cat([torch.ones(2, 1), torch.zeros(1, 1)], out=out)
        assert out.tolist() == [[1.0], [1.0], [0.0]]
