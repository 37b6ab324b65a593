"""Tensors of arrays and lists whose lengths are new each time are made by the programs of their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.dispatch.call_cache import Binding


def arrays(n: int) -> dict[str, Any]:
    return {
        "vector": np.arange(n, dtype=np.float32),
        "matrix": np.arange(2 * n).reshape(n, 2),
        "transposed": np.arange(3.0 * n).reshape(n, 3).T,
        "spread": np.arange(2 * n, dtype=np.uint8)[::2],
        "truths": np.arange(n) % 2 == 0,
    }


def programs(function: Any) -> int:
    binding: Binding = function.__self__
    return sum(len(one.programs) for one in binding._known_classes.values())


@pytest.mark.parametrize("name", list(arrays(1)))
@pytest.mark.parametrize("dtype", [None, torch.float64])
def test_arrays(name: str, dtype: Any) -> None:
    for n in (*range(5, 40, 3), 0, 1, 7, 2):
        given = arrays(n)[name]
        expected = given.astype(np.float64) if dtype else given
        for made in (torch.tensor(given, dtype=dtype), torch.as_tensor(given, dtype=dtype)):
            assert made.numpy().dtype == expected.dtype
            assert made.tolist() == expected.tolist()
        over = torch.from_numpy(given)
        item = given.itemsize
        assert over.stride() == tuple(s // item for s in given.strides) or n < 2
        if n:
            over[0] = 0
            assert not given[0].any()
            kept = torch.tensor(given)
            given[:] = 1
            assert not kept.flatten()[0]
    assert programs(torch.from_numpy) and programs(torch.tensor)


def test_arrays_of_tensors() -> None:
    for n in (*range(5, 40, 3), 0, 1, 7):
        x = torch.arange(3.0 * n).reshape(n, 3)
        for part in (x, x.t(), x[:, 1]):
            made = part.numpy()
            assert made.tolist() == part.tolist() and made.shape == tuple(part.shape)
            assert made.strides == tuple(4 * s for s in part.stride()) or n < 2
            if n:
                made.flat[0] = 9
                assert part.flatten()[0] == 9


@pytest.mark.parametrize("number", [True, 3, 2.5])
@pytest.mark.parametrize("dtype", [None, torch.float32, torch.int32, torch.float16])
def test_lists(number: Any, dtype: Any) -> None:
    for n in (*range(5, 40, 3), 0, 1, 7):
        for given in ([number] * n, [[number, number]] * n, (number,) * n):
            made = torch.tensor(given, dtype=dtype)
            expected = np.array(given, dtype=np.float32 if not n else None)
            assert made.shape == expected.shape
            whole = dtype is torch.int32 and number == 2.5
            assert n == 0 or made.flatten()[0].item() == (2 if whole else number)
            assert dtype is None or made.dtype is dtype
    assert programs(torch.tensor)


def test_lists_that_only_begin_alike() -> None:
    for n in range(3, 12):
        assert torch.tensor([1] * n).dtype is torch.int64
        assert torch.tensor([1] * n + [0.5]).dtype is torch.float32
        with pytest.raises(ValueError, match="expected sequence of length"):
            torch.tensor([[1] * n, [1]])
        with pytest.raises((TypeError, ValueError)):
            torch.tensor([1] * n + ["a"])


def test_arrays_over_storages_that_have_shrunk() -> None:
    for n in (*range(20, 40, 3), 38):
        x = torch.ones(n)
        assert x[4:].numpy().shape == (n - 4,)
        view = x[4:]
        x.untyped_storage().resize_(40)
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 40"):
            view.numpy()
