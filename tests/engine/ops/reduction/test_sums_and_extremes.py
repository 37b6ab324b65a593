"""Reductions against numpy: dimensions, layouts, types, long ones in parts, out= and meta."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(7)


def normal(*shape, dtype="f8"):
    return RNG.standard_normal(shape).astype(dtype)


def close(found, wanted, tolerance=1e-10):
    assert tuple(found.shape) == np.shape(wanted)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=tolerance, atol=tolerance)


CASES = {
    "sum": np.sum,
    "mean": np.mean,
    "amax": np.max,
    "amin": np.min,
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)], ids=str)
def test_dimensions_and_layouts(name, dims, order):
    a = normal(5, 17, 9).transpose(order)
    x = torch.from_numpy(a)
    for keepdim in (False, True):
        found = getattr(torch, name)(x, dims, keepdim=keepdim)
        close(found, CASES[name](a, axis=dims, keepdims=keepdim))


def test_four_dimensions_that_do_not_merge():
    a = normal(4, 6, 8, 10)[:, ::2, ::2, ::2]
    close(torch.from_numpy(a).sum(), a.sum())
    close(torch.from_numpy(a).sum((0, 1, 3)), a.sum((0, 1, 3)))
    assert int(torch.from_numpy(a).argmax()) == a.argmax()


@pytest.mark.parametrize("shape", [(300_001,), (3, 150_001), (60_001, 5), (2, 3, 50_000)], ids=str)
def test_long_reductions_in_parts(shape):
    a = normal(*shape)
    x = torch.from_numpy(a)
    close(x.sum(), a.sum())
    close(x.std(), a.std(ddof=1))
    assert int(x.argmin()) == a.argmin()
    for d in range(len(shape)):
        close(x.sum(d), a.sum(d))
        close(x.var(d, correction=0), a.var(d))
        values, places = x.max(d)
        np.testing.assert_array_equal(places.numpy(), a.argmax(d))
        np.testing.assert_array_equal(values.numpy(), a.max(d))


def test_results_do_not_depend_on_threads():
    x = torch.from_numpy(normal(1_000_003, dtype="f4"))
    many = x.sum()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert torch.equal(x.sum(), many)
    finally:
        torch.set_num_threads(threads)


def test_types_of_sums():
    x = torch.tensor([True, False, True])
    assert x.sum().dtype is torch.int64 and x.sum().item() == 2
    assert torch.tensor([200, 100], dtype=torch.uint8).sum().item() == 300
    assert torch.tensor([1.5, 2.5]).sum(dtype=torch.int64).item() == 3
    assert torch.ones(5000, dtype=torch.float16).sum().item() == 5000
    assert torch.tensor([1 + 2j, 3 - 1j]).prod().item() == (1 + 2j) * (3 - 1j)
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        x.mean()


def test_no_elements():
    x = torch.zeros(0, 3)
    assert x.sum().item() == 0 and x.prod().item() == 1 and not x.any() and x.all()
    assert x.sum(1).shape == (0,)
    assert torch.isnan(x.mean(0)).all()
    with pytest.raises(RuntimeError, match="Expected reduction dim to be specified"):
        x.max()
    with pytest.raises(IndexError, match="Expected reduction dim 0 to have non-zero size"):
        x.amax(0)


def test_nan_wins_and_is_skipped():
    x = torch.tensor([1.0, float("nan"), 3.0, float("nan")])
    assert torch.isnan(x.max()) and x.argmax().item() == 1
    assert x.nansum().item() == 4 and x.nanmean().item() == 2
    assert torch.nanmedian(x).item() == 1


def test_output_arguments():
    x = torch.from_numpy(normal(3, 4))
    out = torch.empty(0, dtype=torch.float64)
    assert torch.sum(x, 0, out=out) is out
    close(out, x.numpy().sum(0))
    strided = torch.empty(8, dtype=torch.float64)[::2]
    torch.amax(x, 0, out=strided)
    close(strided, x.numpy().max(0))
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
        torch.argmax(x, 0, out=out)
    values, places = torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.int64)
    torch.max(x, 1, out=(values, places))
    np.testing.assert_array_equal(places.numpy(), x.numpy().argmax(1))


def test_meta():
    x = torch.empty(3, 4, device="meta")
    assert x.sum(0).shape == (4,) and x.sum(0).device.type == "meta"
    assert x.max(1, keepdim=True).indices.dtype is torch.int64
    assert x.sort().values.shape == (3, 4)
    assert torch.softmax(x, 1).shape == (3, 4)
    assert x.cumsum(0).shape == (3, 4)


def test_norms():
    a = normal(4, 5)
    x = torch.from_numpy(a)
    for power in (0, 1, 2, 3.5, -2, float("inf"), float("-inf")):
        close(x.norm(power), np.linalg.norm(a.reshape(-1), power))
        close(x.norm(power, 1), np.linalg.norm(a, power, 1))
    close(x.norm(), np.linalg.norm(a))
    z = a[:2] + 1j * a[2:]
    close(torch.from_numpy(z).norm(), np.linalg.norm(z))
    close(torch.logsumexp(x, 1), np.log(np.exp(a).sum(1)))


def test_calls_with_other_numbers_are_told_apart():
    x = torch.tensor([3.0, 4.0])
    assert [round(x.norm(p).item(), 3) for p in (1, 2, 1, 2)] == [7, 5, 7, 5]
    assert x.var(0, correction=0).item() != x.var(0, correction=1).item()


@pytest.mark.parametrize("size", [(0,), (0, 0), (0, 0, 0), (2, 0, 3, 0), (0, 0, 0, 0)])
def test_reductions_of_nothing_write_their_result(size):
    for _ in range(4):
        dirt = [torch.full((), 7.0) for _ in range(4)]
        del dirt
        assert torch.ones(size).sum().item() == 0
        assert torch.ones(size).prod().item() == 1
        assert torch.ones(size, dtype=torch.bool).all().item() is True


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_spreads_without_degrees_of_freedom_warn_under_their_names(name):
    function = getattr(torch, name)
    with pytest.warns(UserWarning, match=rf"^{name}\(\): degrees of freedom is <= 0"):
        function(torch.ones(1, 4, 1, dtype=torch.float64), dim=2)
    subject = name if "mean" in name else "std and var"
    with pytest.raises(RuntimeError, match=f"^{subject} only support floating point"):
        function(torch.ones(3, dtype=torch.int64))


def test_complex_logsumexp_of_nothing_but_minus_infinity():
    low, high = complex(-np.inf, 0), complex(np.inf, 0)
    assert torch.logsumexp(torch.tensor([low, low]), 0).item() == low
    assert torch.logsumexp(torch.tensor([complex(-np.inf, 1)]), 0).item() == low
    assert torch.logsumexp(torch.tensor([high, 1 + 2j]), 0).item() == high
    x = torch.ones(2, 2, dtype=torch.complex64)
    mask = torch.tensor([[True, True], [False, False]])
    assert torch.masked.logsumexp(x, 1, mask=mask)[1].item() == low


def test_nansum_in_whole_numbers():
    x = torch.tensor([1.5, 2.5])
    for kind in (torch.int64, torch.uint8):
        found = x.nansum(0, dtype=kind)
        assert found.dtype is kind and found.item() == 3
    assert x.nansum(dtype=torch.bool).item() is True


def test_nansum_gives_no_complex_numbers():
    for dims in ((), (0,)):
        with pytest.raises(
            NotImplementedError, match='"nansum_cpu" not implemented for \'ComplexF'
        ):
            torch.ones(2).nansum(*dims, dtype=torch.complex64)
    assert torch.ones(2).int().nansum(0, dtype=torch.complex64).item() == 2
