"""Products with a result type of their own, traces, and padding."""

import numpy as np
import pytest

import rushlight as torch


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_products_of_halves_in_single_precision(kind):
    a, b = torch.randn(5, 7).to(kind), torch.randn(7, 3).to(kind)
    expected = a.float().numpy() @ b.float().numpy()
    got = torch.mm(a, b, out_dtype=torch.float32)
    assert got.dtype is torch.float32
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5, atol=1e-6)
    c = torch.ones(3).to(kind)
    got = torch.addmm(c, a, b, out_dtype=torch.float32, beta=2)
    np.testing.assert_allclose(got.numpy(), expected + 2, rtol=1e-5, atol=1e-6)
    got = torch.bmm(a[None], b[None], out_dtype=torch.float32)
    np.testing.assert_allclose(got.numpy()[0], expected, rtol=1e-5, atol=1e-6)


def test_other_result_types_are_refused():
    a = torch.ones(2, 2)
    with pytest.raises(RuntimeError, match="out_dtype"):
        torch.mm(a, a, out_dtype=torch.float64)


def test_trace():
    x = np.arange(12.0).reshape(3, 4)
    assert torch.trace(torch.tensor(x)).item() == np.trace(x)
    assert torch.tensor([[1, 2], [3, 4]]).trace().dtype is torch.int64
    with pytest.raises(RuntimeError, match="expected a matrix"):
        torch.trace(torch.ones(3))


@pytest.mark.parametrize("pad", [(1, 2), (-1, 2), (0, -2), (1, 1, -1, 0), (2, 0, 0, 3), (-3, -1)])
def test_padding_with_a_number(pad):
    x = np.arange(12.0).reshape(3, 4)
    widths = [(0, 0), (0, 0)]
    for k in range(len(pad) // 2):
        widths[1 - k] = (pad[2 * k], pad[2 * k + 1])
    kept = x[tuple(
        slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, x.shape, strict=True)
    )]  # fmt: skip
    expected = np.pad(kept, [(max(a, 0), max(b, 0)) for a, b in widths], constant_values=7)
    assert torch.constant_pad_nd(torch.tensor(x), list(pad), 7).tolist() == expected.tolist()


def test_padding_that_is_no_padding():
    x = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="must be even"):
        torch.constant_pad_nd(x, [1])
    with pytest.raises(RuntimeError, match="no more than twice"):
        torch.constant_pad_nd(x, [1] * 6)
    with pytest.raises(RuntimeError, match="negative output size"):
        torch.constant_pad_nd(x, [-2, -2])


def test_chunks_are_joined():
    a, b = torch.arange(6).reshape(3, 2), torch.arange(2).reshape(2, 1)
    got = torch._chunk_cat([a, b], 0, 2)
    assert got.tolist() == [[0, 1, 2, 3, 0], [4, 5, 0, 0, 1]]


def test_hashes_are_exclusive_ors():
    x = np.array([[3, 5], [6, 1]])
    assert torch.hash_tensor(torch.tensor(x)).item() == 3 ^ 5 ^ 6 ^ 1
    assert torch.hash_tensor(torch.tensor(x), 1).tolist() == [3 ^ 5, 6 ^ 1]
    assert torch.hash_tensor(torch.tensor([1.5])).item() == np.float64(1.5).view(np.uint64)


def test_a_copied_part_of_a_dimension_that_is_not_there():
    with pytest.raises(RuntimeError, match="Expected dim"):
        torch.narrow_copy(torch.ones(2, 3), 2, 0, 1)
