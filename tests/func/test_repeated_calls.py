"""Calls within transformations say the same when they are repeated from memory as when Python makes them."""

import warnings

import pytest

import rushlight as torch
from rushlight.engine.core import state
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.sparse import is_sparse
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.binding import bindings
from rushlight.func import grad, jvp, vjp, vmap
from tests.func.test_all_operators import FAMILIES, SKIPPED, leaves, samples_of

# Plans are built, the call is recorded, and then it is repeated.
TIMES = 3


def is_float(x):
    return isinstance(x, Tensor) and x.dtype.category == FLOATING


def total(results):
    found = [x.sum() for x in leaves(results) if is_float(x)]
    return sum(found[1:], found[0])


def batched(run, given):
    return vmap(run)(
        *(torch.stack([x, x * 0.5]) if is_float(x) else torch.stack([x, x]) for x in given)
    )


def places(given):
    return tuple(k for k, x in enumerate(given) if is_float(x))


def pulled(run, given):
    out, back = vjp(lambda *x: total(run(*x)), *given)
    return (out, *back(torch.ones_like(out)))


def pushed(run, given):
    def of_floats(*floats):
        ready = iter(floats)
        found = run(*(next(ready) if is_float(x) else x for x in given))
        return tuple(x for x in leaves(found) if is_float(x))

    floats = tuple(x for x in given if is_float(x))
    return jvp(of_floats, floats, tuple(torch.cos(x) for x in floats))


def per_sample(run, given):
    def one(*x):
        return grad(lambda *y: total(run(*y)), argnums=places(given))(*x)

    return batched(one, given)


def forward_over_reverse(run, given):
    def of_first(x):
        rest = (*given[: places(given)[0]], x, *given[places(given)[0] + 1 :])
        return grad(
            lambda y: total(run(*rest[: places(given)[0]], y, *rest[places(given)[0] + 1 :]))
        )(x)

    x = given[places(given)[0]]
    return jvp(of_first, (x,), (torch.sin(x),))


WAYS = [batched, pulled, pushed, per_sample, forward_over_reverse]
# What these are made of is tried with all samples; one of each operator shows that it fits together.
COMPOSED = (per_sample, forward_over_reverse)


def samples_for(way, family):
    found = samples_of(family)
    if way not in COMPOSED:
        return found
    return list({sample.name: sample for sample in reversed(found)}.values())


def in_python(function, *args):
    """What a function gives when no call is repeated from memory."""
    state.busy(+1)
    try:
        return function(*args)
    finally:
        state.busy(-1)


def differences(way, run, given, first):
    """Where results are others than in Python, which gave ``first`` for what is given."""
    found = []
    expected = leaves(first)
    for k in range(TIMES):
        # What is repeated gets other values than what was recorded.
        scale = 1 if k < TIMES - 1 else 7 / 8
        scaled = [x * scale if is_float(x) else x for x in given]
        if scale != 1:
            expected = leaves(in_python(way, run, scaled))
        made = leaves(way(run, scaled))
        for x, y in zip(made, expected, strict=True):
            if not isinstance(y, Tensor):
                continue
            same = x.shape == y.shape and x.dtype is y.dtype and x.stride() == y.stride()
            if not same or not torch.allclose(
                x.resolve_neg(), y.resolve_neg(), 1e-9, 1e-9, equal_nan=True
            ):
                found.append((k, x, y))
    return found


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in SKIPPED])
def test_repeated_calls_say_the_same(family, way):
    wrong = []
    for sample in samples_for(way, family):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                call = sample.draw()
                given = call.tensors
                if not given or any(is_sparse(x) for x in given):
                    continue
                if way is not batched and not (
                    places(given) and any(map(is_float, leaves(call.run(*given))))
                ):
                    continue
                first = in_python(way, call.run, given)
            except Exception:
                # What is refused is the matter of other tests.
                continue
            try:
                if found := differences(way, call.run, given, first):
                    wrong.append(f"{sample.title}: {found[0]}"[:300])
            except Exception as error:
                wrong.append(f"{sample.title}: {type(error).__name__}: {error}"[:300])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_python_makes_no_call_that_is_remembered(way, monkeypatch):
    def run(x):
        return torch.tanh(x * 2 + 1) * x

    used = [binding for binding in bindings if binding._name in ("tanh", "__mul__", "__add__")]
    for binding in used:
        # Functions that were called in very many ways remember fewer calls.
        binding._varies = False
        binding._forget()
    given = [torch.linspace(-1, 1, 6, dtype=torch.float64)]
    for _ in range(TIMES - 1):
        way(run, given)
    made = []
    for binding in used:
        monkeypatch.setattr(binding, "_slow", lambda *a, n=binding._name, **k: made.append(n))
    way(run, given)
    assert not made
