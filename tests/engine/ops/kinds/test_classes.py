"""Results whose length the greatest class decides, each call several times."""

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F


@pytest.mark.parametrize("size", [(4,), (2, 3), (1,), ()])
def test_classes_as_vectors(size):
    rng = np.random.default_rng(1)
    for most in (3, 3, 3, 5, 3, 5, 5, 1, 2000, 2000, 2000):
        classes = rng.integers(0, most, size)
        classes.reshape(-1)[0] = most - 1
        found = F.one_hot(torch.from_numpy(np.asarray(classes)))
        assert found.dtype is torch.int64 and found.shape == (*size, most)
        np.testing.assert_array_equal(found.numpy(), np.eye(most, dtype=int)[classes])


@pytest.mark.parametrize("kind", ["int64", "int32", "uint8"])
@pytest.mark.parametrize("least", [0, 4])
def test_counts(kind, least):
    rng = np.random.default_rng(2)
    for most in (3, 3, 3, 6, 3, 6, 200, 200, 200):
        values = rng.integers(0, most, 7).astype(kind)
        found = torch.bincount(torch.from_numpy(values), minlength=least)
        np.testing.assert_array_equal(found.numpy(), np.bincount(values, minlength=least))


def test_a_negative_class_is_seen_among_repeats():
    good, bad = torch.tensor([0, 2, 1]), torch.tensor([0, 2, -1])
    for classes in (good, good, good, bad, good, bad, good):
        if classes is bad:
            with pytest.raises(RuntimeError, match="non-negative"):
                F.one_hot(classes)
            with pytest.raises(RuntimeError, match="non-negative"):
                torch.bincount(classes)
        else:
            assert F.one_hot(classes).argmax(1).tolist() == [0, 2, 1]
            assert torch.bincount(classes).tolist() == [1, 1, 1]


def test_strided_classes():
    classes = torch.tensor([[0, 9], [2, 9], [1, 9]])[:, 0]
    for _ in range(4):
        assert F.one_hot(classes).argmax(1).tolist() == [0, 2, 1]
        assert torch.bincount(classes).tolist() == [1, 1, 1]
        assert torch.bincount(classes[:0], minlength=2).tolist() == [0, 0]
