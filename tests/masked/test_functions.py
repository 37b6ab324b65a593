"""`rushlight.masked` against numpy's masked arrays."""

import numpy as np
import pytest

import rushlight as torch

VALUES = np.array([[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]])
MASK = np.array([[True, False, True], [False, True, True]])
MASKED = np.ma.array(VALUES, mask=~MASK)


@pytest.mark.parametrize(
    "name, reference",
    [
        ("sum", np.ma.sum), ("prod", np.ma.prod), ("mean", np.ma.mean), ("amax", np.ma.max),
        ("amin", np.ma.min), ("median", np.ma.median),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dim", [0, 1])
def test_reductions(name, reference, dim):
    got = getattr(torch.masked, name)(torch.tensor(VALUES), dim, mask=torch.tensor(MASK))
    expected = reference(MASKED, axis=dim).filled(np.nan)
    if name == "median":  # of two, ours is the lower one
        expected = np.array([
            np.sort(x.compressed())[(x.count() - 1) // 2] for x in np.moveaxis(MASKED, dim, -1)
        ])  # fmt: skip
    np.testing.assert_allclose(got.numpy(), expected)


def test_spread_and_norm():
    x, mask = torch.tensor(VALUES), torch.tensor(MASK)
    np.testing.assert_allclose(
        torch.masked.var(x, 1, mask=mask).numpy(), MASKED.var(axis=1, ddof=1)
    )
    np.testing.assert_allclose(torch.masked.std(x, 1, False, mask=mask).numpy(), MASKED.std(axis=1))
    lengths = np.sqrt((MASKED**2).sum(axis=1))
    np.testing.assert_allclose(torch.masked.norm(x, 2, 1, mask=mask).numpy(), lengths)
    made = torch.masked.normalize(x, 2.0, 1, mask=mask).numpy()
    np.testing.assert_allclose(made, (MASKED / lengths[:, None]).filled(0))


def test_softmax_of_what_counts():
    x, mask = torch.tensor(VALUES), torch.tensor(MASK)
    exponentials = np.where(MASK, np.exp(VALUES), 0)
    expected = exponentials / exponentials.sum(1, keepdims=True)
    np.testing.assert_allclose(torch.masked.softmax(x, 1, mask=mask).numpy(), expected)
    np.testing.assert_allclose(torch.masked.softmin(-x, 1, mask=mask).numpy(), expected)


def test_places_and_scans():
    x, mask = torch.tensor(VALUES), torch.tensor(MASK)
    assert torch.masked.argmax(x, 1, mask=mask).tolist() == [2.0, 1.0]
    assert torch.masked.argmin(x, 1, mask=mask).tolist() == [0.0, 2.0]
    assert torch.masked.cumsum(x, 1, mask=mask).tolist() == [[1, 1, 4.5], [0, 4, 3]]


def test_nothing_counts():
    nothing = torch.zeros(3, dtype=torch.bool)
    x = torch.tensor([1.0, 2.0, 3.0])
    assert torch.masked.sum(x, mask=nothing).item() == 0
    assert torch.masked.amax(x, mask=nothing).item() == -np.inf
    assert np.isnan(torch.masked.mean(x, mask=nothing).item())
    whole = torch.tensor([3, 1])
    assert torch.masked.amax(whole, mask=nothing[:2]).item() == np.iinfo(np.int64).min


def test_masks_broadcast_to_the_input_only():
    x = torch.tensor(VALUES)
    column = torch.tensor([True, False, True])
    assert torch.masked.sum(x, mask=column).item() == 4.0
    with pytest.raises(IndexError, match="expected broadcastable mask"):
        torch.masked.sum(x, mask=torch.ones(1, 2, 3, dtype=torch.bool))
    with pytest.raises(ValueError, match="Could not infer output dtype"):
        torch.masked.mean(torch.tensor([1, 2]))


@pytest.mark.parametrize("name", ["sum", "prod", "amax", "amin"])
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_reductions_of_sparse_tensors(name, layout):
    x = torch.tensor([[1.0, 0, 2, 0], [0, 0, 0, 3], [0, 0, 4, 0], [5, 0, 0, 6]])
    mask = torch.tensor([[1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0], [1, 0, 0, 1]]).bool()
    function = getattr(torch.masked, name)
    made = x.to_sparse(layout=layout)
    for dim in (0, 1, (0, 1)):
        found = function(made, dim, keepdim=True, mask=mask.to_sparse(layout=layout))
        assert found.layout is layout
        wanted = function(x, dim, keepdim=True, mask=mask)
        assert torch.equal(found.to_dense(), wanted)
    if name != "sum":
        with pytest.raises(ValueError, match="expects explicit mask"):
            function(made, 0, keepdim=True)


def test_masks_of_calls_and_of_their_results():
    x, mask = torch.ones(2, 3), torch.tensor([True, False, False])
    assert torch.masked._input_mask(x, mask=mask).tolist() == [[True, False, False]] * 2
    assert torch.masked._input_mask(x.to_sparse(), mask=mask).layout is torch.sparse_coo
    found = torch.masked._output_mask(torch.masked.sum, x, 0, mask=mask, keepdim=True)
    assert found.tolist() == [[True, False, False]]
    assert torch.masked._output_mask(torch.masked.norm, x, 2.0, 1, mask=mask).tolist() == [True] * 2
    assert torch.masked._output_mask(torch.masked.softmax, x, 1, mask=mask).shape == (2, 3)
    with pytest.raises(ValueError, match="expected masked operation"):
        torch.masked._output_mask(torch.sin, x, mask=mask)
    with pytest.raises(ValueError, match="requires explicit mask"):
        torch.masked._input_mask(x)
