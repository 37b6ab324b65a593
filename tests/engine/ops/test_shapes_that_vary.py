"""Calls whose shapes and positions hardly ever come again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import identity, maths, row_kernel
from rushlight.engine.ops.kinds import elementwise, reduction, rows


def test_kernels_are_written_once_for_all_sizes(monkeypatch: Any) -> None:
    torch.ones(3) * 2 + torch.zeros(3)
    assert torch.ones(3, 1).clone().sum() == 3
    monkeypatch.setattr(elementwise, "_written", None)
    for n in range(70, 80):
        found = torch.ones(n) * 2 + torch.zeros(n)
        assert found.tolist() == [2.0] * n
        assert torch.ones(n, 1).clone().sum() == n


def one_step(rows: int) -> None:
    """A backward pass through what classifiers have."""
    layer = torch.nn.Linear(24, 20)
    x = torch.nn.functional.layer_norm(torch.randn(rows, 24), [24])
    scores = torch.softmax(layer(x), 1) + torch.tanh(layer(x)).exp()
    torch.nn.functional.cross_entropy(scores, torch.arange(rows) % 20).backward()
    layer.weight.grad.norm()


def test_rows_and_reductions_are_written_once_for_all_sizes(monkeypatch: Any) -> None:
    one_step(40)
    for module, name in (
        (rows, "row_address"),
        (reduction, "reduce_address"),
        (elementwise, "_written"),
    ):
        monkeypatch.setattr(module, name, None)
    for n in range(41, 47):
        one_step(n)


def test_functions_of_the_library_are_known_by_themselves() -> None:
    program = row_kernel.log_softmax("f32", maths.exp, maths.log)
    assert identity.identity_of(program) is not None
    assert identity.identity_of(maths.exp) is maths.exp
    assert identity.identity_of(lambda x: maths.exp(x)) != identity.identity_of(lambda x: x)


def test_a_call_is_remembered_when_it_comes_again() -> None:
    double = call_cache.public_function("double", lambda x: torch.mul(x, 2))
    binding = double.__self__
    for n in range(2, 20):
        double(torch.ones(n))
    assert not binding._calls.held
    for _ in range(500):
        assert double(torch.ones(7)).tolist() == [2.0] * 7
    assert len(binding._calls.held) == 1


def test_each_function_holds_its_own_calls_only() -> None:
    functions = [call_cache.public_function("double", lambda x: torch.mul(x, 2)) for _ in range(3)]
    for function in functions:
        for n in (5, 6):
            for _ in range(4):
                function(torch.ones(n))
    assert all(len(f.__self__._calls.held) in (1, 2) for f in functions)


def test_numbers_that_are_equal_but_not_alike_have_kernels_of_their_own() -> None:
    x = torch.tensor([1.0, 4.0, 9.0])
    for _ in range(2):
        for n in (3, 2):
            assert x[:n].pow(2).tolist() == [1.0, 16.0, 81.0][:n]
            assert x[:n].pow(0.5).tolist() == [1.0, 2.0, 3.0][:n]
            assert torch.copysign(x[:n], 0.0).tolist() == [1.0, 4.0, 9.0][:n]
            assert torch.copysign(x[:n], -0.0).tolist() == [-1.0, -4.0, -9.0][:n]
            assert torch.div(x[:n], 2, rounding_mode="floor").tolist() == [0.0, 2.0, 4.0][:n]
            assert torch.div(x[:n], 2).tolist() == [0.5, 2.0, 4.5][:n]


@pytest.mark.parametrize("shape", [(2000,), (2000, 3)])
def test_every_row_by_itself(shape: tuple[int, ...]) -> None:
    x = torch.arange(torch.Size(shape).numel()).reshape(shape)
    rows = x.tolist()
    for _ in range(2):
        assert [x[i].tolist() for i in range(2000)] == rows
        assert [x[-i].tolist() for i in range(1, 2001)] == rows[::-1]
        # What is called with the same arguments in between goes on working.
        assert x[5:7].tolist() == rows[5:7]
    for place in (2000, -2001):
        with pytest.raises(IndexError, match=f"index {place} is out of bounds for dimension 0"):
            x[place]
    with pytest.raises(IndexError, match=r"invalid index of a 0-dim tensor|too many indices"):
        torch.tensor(1)[0]


def test_a_row_is_a_view() -> None:
    x = torch.zeros(3, 2)
    row = x[1]
    row += 1
    assert row._base is x
    assert x.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    x.requires_grad_()
    assert x[0].grad_fn is not None


def test_a_table_of_calls_grows_and_is_bounded() -> None:
    double = call_cache.public_function("double", lambda x, n: torch.mul(x, n))
    x = torch.ones(2)
    binding = double.__self__
    for count in range(2):
        for n in range(2000):
            assert double(x.reshape(1, 2) if n % 2 else x, n)[..., 0].item() == n
        assert len(binding._calls.held) <= call_cache.MOST_SLOTS, count
    shapes = [torch.ones(n + 1) for n in range(100)]
    for _ in range(4):
        assert [(s + s).sum().item() for s in shapes] == [2.0 * (n + 1) for n in range(100)]


@pytest.mark.parametrize("count", [3, 41, 130])
@pytest.mark.parametrize("kind", [torch.float32, torch.bool, torch.complex64, torch.bfloat16])
def test_long_lists_are_joined_like_short_ones(count: int, kind: Any) -> None:
    whole = torch.arange(count * 6).reshape(count, 2, 3).to(kind)
    rows = list(whole)
    assert torch.stack(rows).equal(whole)
    assert torch.stack(rows).data_ptr() != whole.data_ptr()
    assert torch.stack([r.t() for r in rows]).equal(whole.transpose(1, 2))
    assert torch.stack(rows, 1).equal(whole.transpose(0, 1))
    assert torch.stack(rows, -1).equal(whole.permute(1, 2, 0))
    assert torch.cat(rows).equal(whole.reshape(-1, 3))
    assert torch.cat([*rows, whole[0, :1]]).equal(torch.cat([whole.reshape(-1, 3), whole[0, :1]]))
    assert torch.cat([torch.empty(0, dtype=kind), *rows], 1).shape == (2, 3 * count)
    assert torch.stack([r[0, 0] for r in rows]).equal(whole[:, 0, 0])
    assert torch.stack([torch.empty(0, dtype=kind)] * count).shape == (count, 0)
    with pytest.raises(RuntimeError, match="each tensor to be equal size"):
        torch.stack([*rows, whole])
    mixed = torch.stack([*rows[1:], rows[0].double()])
    assert mixed.dtype == torch.promote_types(kind, torch.float64)


def test_gradients_of_a_long_list() -> None:
    rows = [torch.full((2,), float(n), requires_grad=True) for n in range(50)]
    (torch.stack(rows) * torch.arange(50.0)[:, None]).sum().backward()
    assert [row.grad.tolist() for row in rows] == [[float(n)] * 2 for n in range(50)]


@pytest.mark.parametrize("kind", [torch.float32, torch.bool, torch.complex64])
@pytest.mark.parametrize("shape", [(3,), (2, 4), (2, 1, 3), (0, 2)])
def test_long_lists_along_every_dimension(shape: tuple[int, ...], kind: Any) -> None:
    count = torch.Size(shape).numel()
    given = [torch.arange(7 * i, 7 * i + count).reshape(shape).to(kind) for i in range(50)]
    arrays = [x.numpy() for x in given]
    for dim in range(-len(shape) - 1, len(shape) + 1):
        found = torch.stack(given, dim)
        assert np.array_equal(found.numpy(), np.stack(arrays, dim))
        assert found.is_contiguous()
    for dim in range(-len(shape), len(shape)):
        found = torch.cat(given, dim)
        assert np.array_equal(found.numpy(), np.concatenate(arrays, dim))
        assert found.is_contiguous()
        assert not found._is_view()


def test_gradients_of_long_lists() -> None:
    given = [torch.zeros(2, 3, requires_grad=True) for _ in range(50)]
    grad = torch.arange(300.0).reshape(2, 3, 50)
    torch.stack(given, 2).backward(grad)
    assert all(torch.equal(x.grad, grad[..., i]) for i, x in enumerate(given))
