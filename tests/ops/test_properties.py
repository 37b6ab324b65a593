"""Operators against numpy over drawn types, shapes, strides and arguments."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight as torch

COMMON = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TYPES = {
    "float32": np.float32, "float64": np.float64, "int64": np.int64, "int32": np.int32,
    "int8": np.int8, "uint8": np.uint8, "bool": np.bool_,
}  # fmt: skip
sizes = st.lists(st.integers(0, 5), max_size=4).map(tuple)


@st.composite
def tensors(draw, types=tuple(TYPES), shape=None, nonempty=False):
    """A tensor of some layout (dense, permuted, strided, expanded) and the array it equals."""
    size = draw(sizes) if shape is None else shape
    if nonempty:
        size = tuple(max(n, 1) for n in size)
    kind = draw(st.sampled_from(types))
    seed = draw(st.integers(0, 2**16))
    random = np.random.default_rng(seed)
    layout = draw(st.sampled_from(["dense", "permuted", "strided", "expanded", "offset"]))
    full = size
    if layout == "permuted":
        full = size[::-1]
    elif layout == "strided":
        full = tuple(2 * n for n in size)
    elif layout == "offset":
        full = tuple(n + 1 for n in size)
    elif layout == "expanded":
        full = tuple(1 if k % 2 == 0 and n else n for k, n in enumerate(size))
    values = (
        random.integers(-6, 7, full)
        if kind not in ("uint8", "bool")
        else random.integers(0, 3, full)
    )
    if kind.startswith("float"):
        values = values + random.choice([0.0, 0.5, 0.25], full)
    array = np.asarray(values).astype(TYPES[kind])
    tensor = torch.from_numpy(np.array(array))
    if layout == "permuted":
        order = tuple(reversed(range(len(size))))
        return tensor.permute(order), array.transpose(order)
    if layout == "strided":
        index = tuple(slice(None, None, 2) for _ in size)
        return (tensor[index], array[index]) if size else (tensor, array)
    if layout == "offset":
        index = tuple(slice(1, None) for _ in size)
        return (tensor[index], array[index]) if size else (tensor, array)
    if layout == "expanded":
        return tensor.expand(size), np.broadcast_to(array, size)
    return tensor, array


@st.composite
def pairs(draw, types=tuple(TYPES)):
    """Two tensors whose shapes broadcast."""
    a, x = draw(tensors(types))
    keep = draw(st.lists(st.booleans(), min_size=len(x.shape), max_size=len(x.shape)))
    start = draw(st.integers(0, len(x.shape)))
    shape = tuple(n if k else 1 for n, k in zip(x.shape, keep))[start:]
    b, y = draw(tensors(types, shape=shape))
    return a, x, b, y


def assert_same(tensor, array, tolerance=1e-6):
    assert tuple(tensor.shape) == array.shape
    np.testing.assert_allclose(
        np.asarray(tensor.tolist(), dtype=np.float64).reshape(array.shape),
        np.asarray(array, dtype=np.float64),
        rtol=tolerance,
        atol=tolerance,
    )


@COMMON
@given(pairs(("float32", "float64", "int64", "int32")))
def test_arithmetic(drawn):
    a, x, b, y = drawn
    assert_same(a + b, x + y)
    assert_same(a * b, x * y)
    assert_same(a - b, x - y)
    assert_same(torch.maximum(a, b), np.maximum(x, y))


@COMMON
@given(pairs())
def test_comparison(drawn):
    a, x, b, y = drawn
    for name in ("equal", "less", "greater_equal"):
        method = {"equal": "eq", "less": "lt", "greater_equal": "ge"}[name]
        result = getattr(torch, method)(a, b)
        assert result.dtype is torch.bool
        assert_same(result, getattr(np, name)(x, y))
    assert_same(torch.logical_and(a, b), np.logical_and(x, y))


@COMMON
@given(tensors(("float32", "float64")))
def test_functions(drawn):
    a, x = drawn
    wide = x.astype(np.float64)
    for name in ("exp", "sin", "tanh", "floor", "abs"):
        assert_same(getattr(torch, name)(a), getattr(np, name)(wide), 2e-6)
    assert_same(torch.sigmoid(a), 1 / (1 + np.exp(-wide)), 2e-6)


@COMMON
@given(tensors(nonempty=True), st.data())
def test_reductions(drawn, data):
    a, x = drawn
    dims = data.draw(st.lists(st.integers(0, max(x.ndim - 1, 0)), unique=True, max_size=x.ndim))
    keepdim = data.draw(st.booleans())
    axes = tuple(dims) if dims else tuple(range(x.ndim))
    wide = x.astype(np.float64)
    given_dims = {"dim": tuple(dims)} if x.ndim and dims else {}
    total = a.sum(**given_dims, keepdim=keepdim) if given_dims else a.sum()
    expected = wide.sum(axis=axes, keepdims=keepdim and bool(given_dims)) if x.ndim else wide
    assert_same(total, np.asarray(expected))
    if given_dims:
        assert_same(a.amax(**given_dims, keepdim=keepdim), x.max(axis=axes, keepdims=keepdim))
        assert_same(torch.any(a, tuple(dims)), (x != 0).any(axis=axes))
    if x.ndim and a.dtype.is_floating_point:
        d = data.draw(st.integers(0, x.ndim - 1))
        assert_same(a.var(d, correction=0), wide.var(axis=d), 1e-5)
        assert_same(a.argmax(d), x.argmax(axis=d))
        assert_same(a.cumsum(d), wide.cumsum(axis=d), 1e-5)
        shifted = np.exp(wide - wide.max(axis=d, keepdims=True))
        assert_same(torch.softmax(a, d), shifted / shifted.sum(axis=d, keepdims=True), 1e-5)


@COMMON
@given(tensors(), st.data())
def test_views(drawn, data):
    a, x = drawn
    order = data.draw(st.permutations(range(x.ndim)))
    assert_same(a.permute(tuple(order)), x.transpose(tuple(order)))
    assert_same(a.reshape(-1), x.reshape(-1))
    assert_same(a.unsqueeze(0), x[None])
    assert_same(a.contiguous(), x)
    assert_same(a.clone(), x)
    assert_same(a.flip(tuple(range(x.ndim))), np.flip(x))
    if x.ndim:
        d = data.draw(st.integers(0, x.ndim - 1))
        assert_same(torch.cat([a, a], d), np.concatenate([x, x], d))
        assert_same(torch.stack([a, a], d), np.stack([x, x], d))
        assert_same(a.movedim(d, 0), np.moveaxis(x, d, 0))


@st.composite
def indices(draw, shape):
    """An index of a shape: integers, slices, None, Ellipsis, and arrays of positions."""
    items = []
    arrays = draw(st.booleans())
    length = draw(st.integers(1, 3))
    for n in shape[: draw(st.integers(0, len(shape)))]:
        choice = draw(st.sampled_from(["slice", "integer", "none", "array"]))
        if choice == "integer" and n:
            items.append(draw(st.integers(-n, n - 1)))
        elif choice == "array" and arrays and n:
            items.append(
                np.array(draw(st.lists(st.integers(-n, n - 1), min_size=length, max_size=length)))
            )
        else:
            if choice == "none":
                items.append(None)
            bound = st.none() | st.integers(-6, 6)
            items.append(slice(draw(bound), draw(bound), draw(st.none() | st.integers(1, 3))))
    if draw(st.booleans()):
        items.append(Ellipsis)
    return tuple(items)


def as_tensors(index):
    return tuple(torch.from_numpy(i) if isinstance(i, np.ndarray) else i for i in index)


@COMMON
@given(tensors(), st.data())
def test_subscripts_read(drawn, data):
    a, x = drawn
    index = data.draw(indices(x.shape))
    assert_same(a[as_tensors(index)], x[index])


@COMMON
@given(tensors(("float32", "int64")), st.data())
def test_subscripts_write(drawn, data):
    a, x = drawn
    index = data.draw(indices(x.shape))
    target, expected = a.clone(), np.array(x)
    target[as_tensors(index)] = 7
    expected[index] = 7
    assert_same(target, expected)
    chosen = expected[index]
    if chosen.size and not any(isinstance(i, np.ndarray) for i in index):
        values = np.arange(chosen.size).reshape(chosen.shape).astype(x.dtype)
        target[as_tensors(index)] = torch.from_numpy(values)
        expected[index] = values
        assert_same(target, expected)


@COMMON
@given(tensors(), st.sampled_from(sorted(TYPES)))
def test_casts(drawn, kind):
    a, x = drawn
    if kind in ("uint8", "bool") and x.dtype.kind in "fi" and (x < 0).any():
        a, x = a.abs(), np.abs(x)
    assert_same(a.to(getattr(torch, kind)), x.astype(TYPES[kind]))


@COMMON
@given(pairs(("float32", "float64")))
def test_in_place_and_out(drawn):
    a, x, b, y = drawn
    if np.broadcast_shapes(x.shape, y.shape) != x.shape:
        return
    target = a.clone()
    assert target.add_(b, alpha=2) is target
    assert_same(target, (x + 2 * y).astype(x.dtype))
    out = torch.empty(0, dtype=torch.float64)
    assert torch.mul(a, b, out=out) is out
    assert_same(out, x.astype(np.float64) * y, 1e-6)


@pytest.mark.parametrize("threads", [1, 2])
def test_results_do_not_depend_on_threads(threads):
    before = torch.get_num_threads()
    try:
        x = torch.arange(3_000_000, dtype=torch.float32) / 7
        torch.set_num_threads(1)
        wanted = (x.sum().item(), x.exp().amax().item(), torch.sin(x).sum().item())
        torch.set_num_threads(threads)
        assert (x.sum().item(), x.exp().amax().item(), torch.sin(x).sum().item()) == wanted
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("low, high", [(-7, 7), (-(2**62), 2**62), (0, 100_000)])
def test_places_of_many_distinct_elements(kind, low, high):
    values = np.random.default_rng(5).integers(low, high, 5000)
    values = (values > 0 if kind == "bool" else values).astype(kind)
    found, places, counts = torch.unique(
        torch.from_numpy(values), return_inverse=True, return_counts=True
    )
    wanted = np.unique(values, return_inverse=True, return_counts=True)
    for ours, theirs in zip((found, places, counts), wanted, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs)
