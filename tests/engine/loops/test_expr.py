"""Expressions: constants."""

import pytest

from rushlight.engine.loops.expr import const, convert


@pytest.mark.parametrize(
    ("value", "given", "wanted", "made"),
    [
        (0.1, "f64", "f32", 0.10000000149011612),
        (0.1, "f32", "f64", 0.10000000149011612),
        (65519.0, "f64", "f16", 65504.0),
        (7, "i64", "f32", 7.0),
        (True, "bool", "f32", 1.0),
        (300, "i64", "u8", 44),
    ],
)
def test_constants_are_converted_when_they_are_written(value, given, wanted, made):
    x = convert(const(given, value), wanted)
    assert (x.op, x.type, x.attr) == ("const", wanted, made)


@pytest.mark.parametrize(
    ("value", "given", "wanted"),
    [
        (1e300, "f64", "f16"),
        (0.1, "f64", "bf16"),
        (1.5, "f64", "i32"),
        ((1 << 24) + 1, "i64", "f32"),
    ],
)
def test_constants_that_need_care_are_converted_by_the_machine(value, given, wanted):
    assert convert(const(given, value), wanted).op == "convert"
