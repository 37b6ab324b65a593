"""Tensors that hold another one and answer for it: what autograd and its functions do with them."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import functional
from rushlight.utils._mode_utils import all_same_mode, no_dispatch
from rushlight.utils._pytree import tree_map


class Holding(torch.Tensor):
    """Makes each call on the held tensors; there is no dictionary that could be copied."""

    __slots__ = ["held"]
    seen: list[str] = []

    @staticmethod
    def __new__(cls: Any, held: Any, requires_grad: bool = False) -> Any:
        made = torch.Tensor._make_wrapper_subclass(
            cls, held.size(), strides=held.stride(), storage_offset=held.storage_offset(),
            dtype=held.dtype, device=held.device, requires_grad=requires_grad,
        )  # fmt: skip
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(str(func))
        args, kwargs = tree_map(held_in, (args, kwargs or {}))
        return tree_map(
            lambda x: cls(x) if isinstance(x, torch.Tensor) else x, func(*args, **kwargs)
        )


def held_in(value: Any) -> Any:
    return value.held if isinstance(value, Holding) else value


def values(result: Any) -> Any:
    assert isinstance(result, Holding)
    return result.held.tolist()


def cubes(x: Any) -> Any:
    return x.pow(3).sum()


def test_recorded_calls_get_the_tensors_themselves() -> None:
    x = Holding(torch.tensor([1.0, 2.0]), requires_grad=True)
    (x * x).sum().backward()
    assert values(x.grad) == [2, 4]
    assert x.exp().requires_grad


def test_kept_results_are_detached_by_the_class() -> None:
    x = Holding(torch.tensor([0.0, 0.0]), requires_grad=True)
    (grad,) = torch.autograd.grad(x.exp(), x, Holding(torch.ones(2)))
    assert values(grad) == [1, 1]


def test_functions_of_autograd_take_them() -> None:
    x, v = Holding(torch.tensor([1.0, 2.0])), Holding(torch.tensor([1.0, 0.0]))
    assert values(functional.jacobian(lambda x: x * 2, x)) == [[2, 0], [0, 2]]
    assert values(functional.hessian(cubes, x)) == [[6, 0], [0, 12]]
    assert values(functional.hessian(cubes, x, vectorize=True)) == [[6, 0], [0, 12]]
    assert values(functional.jvp(lambda x: 3 * x.narrow(0, 0, 1), x, v)[1]) == [3]
    assert values(functional.vjp(cubes, x, Holding(torch.tensor(1.0)))[1]) == [3, 12]
    assert values(functional.hvp(cubes, x, v)[1]) == [6, 0]
    assert values(functional.vhp(cubes, x, v)[1]) == [6, 0]


def test_gradcheck_reads_their_elements() -> None:
    x = Holding(torch.tensor([1.0, 2.0], dtype=torch.float64), requires_grad=True)
    assert torch.autograd.gradcheck(cubes, x)


def test_data_is_of_the_class() -> None:
    x = Holding(torch.ones(2), requires_grad=True)
    assert type(x.data) is Holding
    assert x.data.held.data_ptr() == x.held.data_ptr()
    assert not x.data.requires_grad


def test_functions_are_not_asked_of_a_class_that_answers_for_operators() -> None:
    assert not torch.overrides.has_torch_function((Holding(torch.ones(1)),))

    class Asked(Holding):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return "asked"

    assert torch.add(Asked(torch.ones(1)), 1) == "asked"


def test_there_is_no_array_of_them() -> None:
    x = Holding(torch.ones(2))
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
        x.numpy()
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses, got Holding"):
        x.tolist()


def test_without_the_class_only_the_geometry_is_there() -> None:
    x = Holding(torch.arange(4.0))
    Holding.seen.clear()
    with no_dispatch():
        part = x[1:3]
        with pytest.raises(RuntimeError, match="has no memory"):
            x.clone()
        x.t_()
    assert Holding.seen == []
    assert type(part) is torch.Tensor
    assert part.storage_offset() == 1
    assert values(x + 0) == [0, 1, 2, 3]


def test_modes_are_not_asked_either_without_dispatch() -> None:
    from rushlight.utils._python_dispatch import TorchDispatchMode

    class Refusing(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            raise AssertionError(func)

    with Refusing(), no_dispatch():
        assert torch.ones(2).add(1).tolist() == [2, 2]


def test_bits_of_lazy_values_can_be_set() -> None:
    x = torch.tensor([1 + 2j])
    torch._C._set_conj(x, True)
    assert x.is_conj()
    assert x.tolist() == [1 - 2j]
    torch._C._set_conj(x, False)
    torch._C._set_neg(x, True)
    assert x.is_neg()
    assert x.tolist() == [-1 - 2j]


def test_same_modes() -> None:
    assert all_same_mode([1, 1])
    assert not all_same_mode([1, 2])


def test_what_tensors_have_in_common_is_compared() -> None:
    from rushlight._subclasses.meta_utils import assert_eq, assert_metadata_eq

    x = torch.rand(2, 3)
    for one, other in ((x, torch.rand(2, 3, device="meta")), (x.t(), torch.rand(2, 3).t())):
        assert_metadata_eq(assert_eq, one, other)
    for one, other in (
        (x, x.double()),
        (x, x.t()),
        (x, torch.rand(2, 3, requires_grad=True)),
        (x, x.to_sparse()),
        (x, x[:]),
    ):
        with pytest.raises(AssertionError):
            assert_metadata_eq(assert_eq, one, other)


def test_tangents_may_be_of_the_class() -> None:
    from rushlight.autograd import forward_ad

    x = torch.rand(2, 3)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x.t(), Holding(torch.ones(3, 2)))
        tangent = forward_ad.unpack_dual(dual.put(torch.tensor([0]), torch.zeros(1))).tangent
        assert values(tangent) == [[0, 1], [1, 1], [1, 1]]
