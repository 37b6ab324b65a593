"""Functions that do the same have equal keys; others have not."""

from __future__ import annotations

from rushlight.engine.loops.identity import identity_of
from rushlight.engine.loops.reductions import max_of, min_of, sum_of


def scaled(factor, body=None):
    return lambda x: (body or abs)(x) * factor


def test_functions_made_alike_are_the_same():
    assert identity_of(scaled(2.5)) == identity_of(scaled(2.5))
    assert identity_of(scaled(1, scaled(3))) == identity_of(scaled(1, scaled(3)))


def test_what_is_enclosed_tells_them_apart():
    made = [scaled(x) for x in (0, 0.0, -0.0, False, 1, True, "1", None, (1,), (1.0,))]
    made += [scaled(1, scaled(3)), scaled(1, scaled(4)), lambda x: x, lambda x, y=1: x]
    keys = [identity_of(f) for f in made]
    assert None not in keys
    assert len(set(keys)) == len(keys)


def test_reductions():
    assert identity_of(max_of("f32")) == identity_of(max_of("f32"))
    different = {identity_of(f(t)) for f in (max_of, min_of, sum_of) for t in ("f32", "f64")}
    assert len(different) == 6


def test_what_has_no_key():
    assert identity_of(scaled(object())) is None
    assert identity_of(scaled([{}])) is None

    def itself(x):
        return itself

    assert identity_of(itself) is None
