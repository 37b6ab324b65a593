"""Tangents lie in memory like their tensors."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.autograd import forward_ad


def directional(function: Any, at: Any, along: Any) -> Any:
    """The change of a function, by differences."""
    step = 1e-6
    return (function(at + step * along) - function(at - step * along)) / (2 * step)


def test_a_view_that_the_tensor_allows_is_allowed_to_its_tangent() -> None:
    x = torch.arange(12.0).reshape(4, 3).t()
    along = torch.arange(12.0).reshape(3, 4)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, along)
        flat = forward_ad.unpack_dual(dual.t().view(12))
        assert flat.tangent.tolist() == along.t().reshape(12).tolist()
        tangent = forward_ad.unpack_dual(dual).tangent
        assert tangent.stride() == x.stride()


@pytest.mark.parametrize("place", range(4))
def test_attention_along_each_of_its_arguments(place: int) -> None:
    generator = torch.Generator().manual_seed(0)
    shapes = [(2, 3, 4), (12, 4), (12,), (4, 4)]
    given = [torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes]
    along = torch.randn(shapes[place], generator=generator, dtype=torch.float64)

    def attend(value: Any) -> Any:
        x, weight, bias, out = [*given[:place], value, *given[place + 1 :]]
        return F.multi_head_attention_forward(
            x, x, x, 4, 2, weight, bias, None, None, False, 0.0, out, None, need_weights=False
        )[0]

    with forward_ad.dual_level():
        found = forward_ad.unpack_dual(attend(forward_ad.make_dual(given[place], along))).tangent
    torch.testing.assert_close(found, directional(attend, given[place], along))


@pytest.mark.parametrize(
    "write",
    [
        lambda x, i, u: x.scatter(0, i, u),
        lambda x, i, u: x.clone().scatter_(0, i, u),
        lambda x, i, u: x.index_put((i,), u),
        lambda x, i, u: x.index_copy(0, i, u),
        lambda x, i, u: x.put(i, u),
    ],
)
@pytest.mark.parametrize("source_only", [False, True])
def test_the_tangent_of_what_was_written_last_stays(write, source_only):
    x, index = torch.tensor([1.0, 2, 3, 4]), torch.tensor([0, 0, 1])
    with forward_ad.dual_level():
        base = x if source_only else forward_ad.make_dual(x, x * 10)
        values = forward_ad.make_dual(torch.tensor([7.0, 8, 9]), torch.tensor([70.0, 80, 90]))
        primal, tangent = forward_ad.unpack_dual(write(base, index, values))
    assert primal.tolist() == [8, 9, 3, 4]
    assert tangent.tolist() == ([80, 90, 0, 0] if source_only else [80, 90, 30, 40])


def test_a_write_through_a_strided_view_reaches_the_tangent_of_its_base():
    x, values = torch.tensor([1.0, 2, 3, 4]), torch.tensor([5.0, 6])
    with forward_ad.dual_level():
        base = forward_ad.make_dual(x, x * 10).clone()
        base.as_strided((2,), (2,), 1).copy_(forward_ad.make_dual(values, values * 10))
        assert forward_ad.unpack_dual(base).tangent.tolist() == [10, 50, 30, 60]
        part = forward_ad.make_dual(x, x * 10)[2:]
        outside = part.as_strided((2,), (1,), 0)
        assert forward_ad.unpack_dual(outside).primal.tolist() == [1, 2]


def test_elements_of_a_batch_get_no_tangents_by_hand():
    x = torch.ones(2, 3)
    with forward_ad.dual_level():
        with pytest.raises(
            RuntimeError, match="Batching rule not implemented for aten::_make_dual"
        ):
            torch.vmap(lambda v: forward_ad.make_dual(v, v))(x)
        with pytest.raises(
            RuntimeError, match="Batching rule not implemented for aten::_make_dual"
        ):
            torch.vmap(lambda t: forward_ad.make_dual(x[0], t))(x)
    with pytest.raises(RuntimeError, match="_make_dual"):
        torch.vmap(
            lambda v: torch.autograd.functional.jacobian(
                torch.sin, v, strategy="forward-mode", vectorize=True
            )
        )(x)
