"""References and primitives: the operators under the names that comparisons look for."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import _prims as prims
from rushlight import _refs as refs


@pytest.fixture
def x() -> torch.Tensor:
    return torch.arange(6.0).reshape(2, 3)


def test_references_are_the_operators(x) -> None:
    assert refs.add is torch.add and refs.special.i0 is torch.special.i0
    assert refs.nn.functional.relu is torch.nn.functional.relu
    assert refs.linalg.vector_norm is torch.linalg.vector_norm
    assert refs.expand(x, 2, 2, 3).shape == (2, 2, 3)
    assert refs.mul_(x.clone(), 2).tolist() == (x * 2).tolist()


def test_names_without_an_operator(x) -> None:
    assert refs.rtruediv(2.0, torch.tensor(1.0)).item() == 0.5
    assert refs.rpow(torch.tensor(3.0), 2).item() == 8
    assert refs.trunc_divide(torch.tensor(-7), 2).item() == -3
    assert refs.T(x).shape == (3, 2) and refs.zero(x).tolist() == [[0] * 3] * 2
    assert refs.exponential(x).shape == x.shape
    for name in ("load", "no_such_name"):
        with pytest.raises(AttributeError, match=name):
            getattr(refs, name)


def test_conversions(x) -> None:
    assert refs._conversions.int(x).dtype is torch.int32
    assert refs._conversions.chalf(1.0).dtype is torch.complex32


def test_views_of_primitives(x) -> None:
    whole = prims.broadcast_in_dim(x, (4, 2, 3), (1, 2))
    assert whole.shape == (4, 2, 3) and whole.stride() == (0, 3, 1)
    assert prims.collapse_view(x, 0, 1).tolist() == list(range(6))
    assert prims.split_dim(torch.arange(6), 0, 2).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert prims.slice(x, (0, 1), (2, 3), (1, 2)).tolist() == [[1], [4]]
    assert prims.expand_dims(x, (0,)).shape == (1, 2, 3)
    assert prims.transpose(x, (1, 0)).shape == (3, 2)
    with pytest.raises(ValueError, match="remainder"):
        prims.split_dim(x, 1, 2)
    with pytest.raises(RuntimeError, match="has size 2"):
        prims.squeeze(x, (0,))


def test_arithmetic_of_primitives(x) -> None:
    assert prims.div(torch.tensor([-7]), torch.tensor([2])).tolist() == [-3]
    assert prims.cbrt(torch.tensor([-8.0])).item() == pytest.approx(-2)
    assert prims.sum(x, (0,), output_dtype=torch.float64).tolist() == [3, 5, 7]
    assert prims.prod(x + 1, None).item() == 720
    assert prims.xor_sum(torch.tensor([5, 3]), (0,)).item() == 6
    assert prims.iota(
        3, start=1, step=2, dtype=torch.int64, device="cpu", requires_grad=False
    ).tolist() == [1, 3, 5]
    np.testing.assert_allclose(
        prims.fft_c2r(prims.fft_r2c(x, dim=(1,), onesided=True), dim=(1,), last_dim_size=3).numpy()
        / 3,
        x.numpy(),
        atol=1e-6,
    )
    with pytest.raises(RuntimeError, match="one element type"):
        prims.add(x, x.double())
    with pytest.raises(RuntimeError, match="one shape"):
        prims.add(x, x[0])


def test_operands_of_a_common_size() -> None:
    x, single = torch.ones(2, 3), torch.tensor(1.0)
    same, none, number, left = torch._refs._maybe_broadcast(x, None, 2.0, single)
    assert same is x and none is None and number == 2.0 and left is single
    (_, wide) = torch._refs._maybe_broadcast(x, single, preserve_cpu_scalar_tensors=False)
    assert wide.shape == (2, 3)
    with pytest.raises(RuntimeError, match="Unexpected type when broadcasting"):
        torch._refs._maybe_broadcast(x, "a")
    with pytest.raises(RuntimeError):
        torch._refs._maybe_broadcast(x, torch.ones(3, 2))


def test_tensors_in_a_row() -> None:
    parts = [torch.ones(2, 2), torch.zeros(1)]
    flat = torch._C._nn.flatten_dense_tensors(parts)
    assert flat.tolist() == [1, 1, 1, 1, 0]
    assert [p.shape for p in torch._C._nn.unflatten_dense_tensors(flat, parts)] == [(2, 2), (1,)]
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got str"):
        torch._C._nn.flatten_dense_tensors([torch.ones(1), "a"])
