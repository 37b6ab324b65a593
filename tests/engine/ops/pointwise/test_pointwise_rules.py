"""Types, variants, aliases and errors of pointwise operators."""

import pytest

import rushlight as rl


def ones(kind, *size):
    return rl.ones(size or (3,), dtype=kind)


def test_numbers_are_weaker_than_tensors():
    assert (ones(rl.int8) + 1).dtype == rl.int8
    assert (ones(rl.float16) * 2.5).dtype == rl.float16
    assert (ones(rl.int8) * 2.5).dtype == rl.float32
    assert (ones(rl.bool) + 1).dtype == rl.int64
    assert (ones(rl.float32) * 2j).dtype == rl.complex64


def test_results_of_integers():
    assert rl.exp(ones(rl.int32)).dtype == rl.float32
    assert (ones(rl.int32) / ones(rl.int32)).dtype == rl.float32
    assert (ones(rl.int32) // ones(rl.int32)).dtype == rl.int32
    assert (ones(rl.int32) < 2).dtype == rl.bool
    assert rl.float_power(ones(rl.float32), 2).dtype == rl.float64
    assert rl.abs(ones(rl.complex64)).dtype == rl.float32


def test_a_number_made_a_tensor_promotes_like_one():
    from rushlight.engine.dispatch.numbers import wrapped

    assert rl.add(ones(rl.float16), wrapped(2.5)).dtype == rl.float16
    assert rl.mul(ones(rl.int8), wrapped(2.5)).dtype == rl.float32


def test_in_place_and_out():
    x = ones(rl.float32)
    assert x.add_(2, alpha=2) is x and x.tolist() == [5, 5, 5]
    out = rl.empty(3, dtype=rl.float64)
    assert rl.mul(x, x, out=out) is out and out.tolist() == [25, 25, 25]
    with pytest.raises(RuntimeError, match=r"result type Float can't be cast to .* Long"):
        ones(rl.int64).div_(2)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        ones(rl.float32, 3).add_(ones(rl.float32, 2, 3))


def test_meta_tensors_have_no_elements():
    x = rl.empty(4, 1, device="meta")
    result = rl.add(x, rl.empty(3, device="meta"))
    assert result.shape == (4, 3) and result.device.type == "meta"


def test_aliases():
    x = ones(rl.float32)
    assert rl.absolute(-x).tolist() == rl.arccos(x - 1 + 1).add(1).tolist() == [1, 1, 1]
    assert rl.special.expit(x).tolist() == rl.sigmoid(x).tolist()
    assert x.multiply_(3).tolist() == [3, 3, 3]
    assert (ones(rl.int32) | 2).tolist() == [3, 3, 3]


ERRORS = [
    (lambda: rl.add(ones(rl.int32), 1, alpha=0.5), RuntimeError, "alpha must not be a floating"),
    (lambda: rl.add(ones(rl.int32), 1, alpha=True), RuntimeError, "Boolean alpha only"),
    (lambda: ones(rl.bool) - ones(rl.bool), RuntimeError, "two bool tensors"),
    (lambda: -ones(rl.bool), RuntimeError, "Negation"),
    (lambda: ones(rl.int32) // 0, RuntimeError, "ZeroDivisionError"),
    (lambda: ones(rl.int32) % (ones(rl.int32) - 1), RuntimeError, "ZeroDivisionError"),
    (lambda: ones(rl.int32) ** -1, RuntimeError, "negative integer powers"),
    (lambda: ones(rl.complex64) < 1, NotImplementedError, "ge_cpu|lt_cpu"),
    (lambda: rl.clamp(ones(rl.float32)), RuntimeError, "At least one of"),
    (lambda: rl.bitwise_not(ones(rl.float32)), NotImplementedError, "for 'Float'"),
    (lambda: rl.div(ones(rl.int32), 2, rounding_mode="up"), RuntimeError, "rounding_mode"),
    (lambda: rl.frac(ones(rl.int32)), NotImplementedError, "frac_cpu"),
    (lambda: rl.heaviside(ones(rl.int32), ones(rl.int8)), RuntimeError, "different dtypes"),
    (lambda: rl.lerp(ones(rl.float32), ones(rl.float64), 0.5), RuntimeError, "for `end`"),
    (lambda: with_logits(rl.int64), RuntimeError, "can't be cast to the desired output type Long"),
    (lambda: with_logits(rl.bool), RuntimeError, "two bool tensors"),
]


def with_logits(target):
    return rl.nn.functional.binary_cross_entropy_with_logits(ones(rl.float32), ones(target))


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_integers_beyond_64_bits_are_refused_before_and_after_smaller_ones(number):
    x = ones(rl.int64)
    for small in (1, 2**63, -(2**63)):
        with pytest.raises(OverflowError):
            x + number
        assert (x + small).tolist() == [(small + 1 + 2**63) % 2**64 - 2**63] * 3


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_zero_divisor_is_found_after_a_good_one():
    x = ones(rl.int32)
    assert (x // 1).tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x // 0
