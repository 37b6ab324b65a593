"""Softmax and normalisations against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(5)


def softmax(a, d):
    e = np.exp(a - a.max(d, keepdims=True))
    return e / e.sum(d, keepdims=True)


@pytest.mark.parametrize("shape", [(3,), (4, 70), (2, 3, 5), (50, 4)], ids=str)
def test_softmax(shape):
    a = RNG.standard_normal(shape)
    for x in (a, a.T):
        for d in range(len(shape)):
            t = torch.from_numpy(x)
            np.testing.assert_allclose(torch.softmax(t, d).numpy(), softmax(x, d), rtol=1e-12)
            wanted = np.log(softmax(x, d))
            np.testing.assert_allclose(t.log_softmax(d).numpy(), wanted, rtol=1e-10, atol=1e-13)


def test_softmax_types():
    assert torch.softmax(torch.tensor(2.0), 0).item() == 1
    assert torch.tensor([1, 2]).softmax(0, dtype=torch.float64).dtype is torch.float64
    with pytest.raises(NotImplementedError, match="softmax_lastdim_kernel_impl"):
        torch.softmax(torch.tensor([1, 2]), 0)


def standardised(a, axes, eps=1e-5):
    return (a - a.mean(axes, keepdims=True)) / np.sqrt(a.var(axes, keepdims=True) + eps)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2)], ids=str)
def test_layer_norm(order):
    a = RNG.standard_normal((3, 4, 6)).transpose(order)
    x = torch.from_numpy(a)
    w, b = (torch.from_numpy(RNG.standard_normal(a.shape[1:])) for _ in range(2))
    found = torch.layer_norm(x, a.shape[1:], w, b)
    wanted = standardised(a, (1, 2)) * w.numpy() + b.numpy()
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-9, atol=1e-12)
    found = torch.rms_norm(x, a.shape[2:], eps=1e-5)
    wanted = a / np.sqrt((a * a).mean(2, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-9)
    with pytest.raises(RuntimeError, match="Given normalized_shape"):
        torch.layer_norm(x, [5])


def test_group_norm():
    a = RNG.standard_normal((2, 6, 5))
    w = RNG.standard_normal(6)
    found = torch.group_norm(torch.from_numpy(a), 3, torch.from_numpy(w))
    wanted = standardised(a.reshape(2, 3, 10), 2).reshape(a.shape) * w[:, None]
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-9, atol=1e-12)


def test_batch_norm_with_update():
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    stats = [torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)]
    others = [t.clone() for t in stats]
    found = torch.ops.aten._batch_norm_with_update(x, None, None, *stats, 0.1, 1e-5)
    plain = torch.native_batch_norm(x, None, None, *others, True, 0.1, 1e-5)
    assert all(torch.equal(a, b) for a, b in zip((*found[:3], *stats), (*plain, *others)))
    assert found[3].shape == (0,)
    weights = torch.randn(4, 3, dtype=torch.float64)
    one, other = (torch.autograd.grad((r[0] * weights).sum(), x)[0] for r in (found, plain))
    assert torch.equal(one, other)
    outs = [torch.empty(0, dtype=torch.float64) for _ in range(3)]
    outs.append(torch.empty(0, dtype=torch.uint8))
    with torch.no_grad():
        torch.ops.aten._batch_norm_with_update.out(
            x, None, None, *stats, 0.1, 1e-5,
            out=outs[0], save_mean=outs[1], save_invstd=outs[2], reserve=outs[3],
        )  # fmt: skip
    assert torch.equal(outs[0], plain[0])


@pytest.mark.parametrize("shape", [(8, 3), (4, 3, 5), (2, 5, 6, 7)], ids=str)
def test_batch_norm(shape):
    a = RNG.standard_normal(shape)
    axes = tuple(d for d in range(len(shape)) if d != 1)
    mean, variance = torch.zeros(shape[1]).double(), torch.ones(shape[1]).double()
    x = torch.from_numpy(a)
    found = torch.batch_norm(x, None, None, mean, variance, True, 0.25, 1e-5, False)
    np.testing.assert_allclose(found.numpy(), standardised(a, axes), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mean.numpy(), a.mean(axes) * 0.25, rtol=1e-9)
    np.testing.assert_allclose(variance.numpy(), 0.75 + 0.25 * a.var(axes, ddof=1), rtol=1e-9)
    found = torch.batch_norm(x, None, None, mean, variance, False, 0.25, 1e-5, False)
    room = (1, -1) + (1,) * (len(shape) - 2)
    wanted = (a - mean.numpy().reshape(room)) / np.sqrt(variance.numpy().reshape(room) + 1e-5)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-9)


def test_distances():
    a, b = RNG.standard_normal((2, 4, 5))
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    cosine = (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    np.testing.assert_allclose(torch.cosine_similarity(x, y).numpy(), cosine, rtol=1e-9)
    found = torch.pairwise_distance(x, y).numpy()
    np.testing.assert_allclose(found, np.linalg.norm(a - b + 1e-6, axis=1), rtol=1e-9)
