"""Malformed expressions are refused before anything is printed."""

from __future__ import annotations

import pytest

from rushlight.engine.loops.expr import Value, arg, const, schedule
from rushlight.engine.loops.verify import IllegalExpression, verify

X = arg(0, "f32")
BAD = {
    "unknown": Value("exp", "f32", (X,)),
    "arity": Value("add", "f32", (X,)),
    "mixed": Value("add", "f32", (X, arg(1, "f64"))),
    "half arithmetic": Value("add", "f16", (arg(0, "f16"),) * 2),
    "float bits": Value("and", "f32", (X, X)),
    "integer root": Value("sqrt", "i32", (arg(0, "i32"),)),
    "bool sum": Value("add", "bool", (const("bool", True),) * 2),
    "comparison type": Value("lt", "f32", (X, X)),
    "select condition": Value("select", "f32", (X, X, X)),
    "width": Value("bitcast", "f64", (X,)),
    "no change": Value("convert", "f32", (X,)),
    "float index": Value("table", "f32", (X,), (1.0,)),
    "empty table": Value("table", "f32", (arg(0, "i32"),), ()),
    "type": Value("neg", "f80", (X,)),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(name):
    with pytest.raises(IllegalExpression):
        verify(schedule([BAD[name]])[0])


def test_accepted():
    verify(schedule([-X + 1, X < 2])[0])
