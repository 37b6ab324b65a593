"""Calls that were made before see what is registered afterwards, and what is taken away."""

import pytest

import rushlight as torch
from rushlight.engine.dispatch.call_cache import validity
from rushlight.library import Library

ONE = torch.ones(2)


def values(times: int = 4) -> list[list[float]]:
    return [torch.exp(ONE).tolist() for _ in range(times)] + [ONE.exp().tolist()]


PLAIN = torch.exp(ONE).tolist()


def sevens(x):
    return torch.full_like(x, 7.0)


def test_a_kernel_is_seen_by_remembered_calls_and_gone_with_its_library():
    assert values() == [PLAIN] * 5
    library = Library("aten", "IMPL")
    library.impl("exp", sevens, "CPU")
    assert values() == [[7, 7]] * 5
    library._destroy()
    assert values() == [PLAIN] * 5


def test_a_library_that_nobody_keeps_takes_its_kernels_along(collect):
    def scope() -> list[list[float]]:
        library = Library("aten", "IMPL")
        library.impl("exp", sevens, "CPU")
        return values()

    assert scope() == [[7, 7]] * 5
    collect()
    assert values() == [PLAIN] * 5


def test_an_operator_of_several_steps_is_remembered_anew():
    x = torch.rand(3, 3)
    before = [torch.nn.functional.softplus(x).tolist() for _ in range(4)][-1]
    with Library("aten", "IMPL") as library:
        library.impl("softplus", sevens, "CPU")
        assert [torch.nn.functional.softplus(x).unique().tolist() for _ in range(4)] == [[7]] * 4
    assert torch.nn.functional.softplus(x).tolist() == before


def test_a_call_that_is_under_way_while_a_kernel_is_registered_is_not_remembered():
    libraries = []

    def registering(x):
        if not libraries:
            libraries.append(Library("aten", "IMPL"))
            libraries[0].impl("exp", sevens, "CPU")
        return x.clone()

    torch.exp(ONE)
    with Library("registering_while_called", "DEF") as library:
        library.define("step(Tensor x) -> Tensor")
        library.impl("step", registering, "CPU")
        torch.ops.registering_while_called.step(ONE)
        assert values() == [[7, 7]] * 5
    libraries[0]._destroy()
    assert values() == [PLAIN] * 5


def test_a_destroyed_operator_has_no_kernel():
    library = Library("destroyed_with_its_library", "DEF")
    library.define("plus(Tensor x) -> Tensor")
    library.impl("plus", lambda x: x + 1, "CPU")
    plus = torch.ops.destroyed_with_its_library.plus.default
    assert [plus(ONE).tolist() for _ in range(4)] == [[2, 2]] * 4
    library._destroy()
    with pytest.raises(NotImplementedError, match="destroyed_with_its_library::plus"):
        plus(ONE)


def test_built_in_kernels_that_are_loaded_late_cost_no_remembered_call():
    before = validity.generation()
    x = torch.rand(3, 3, dtype=torch.float64, requires_grad=True)
    torch.special.zeta(x + 2, x + 1).sum()
    torch.special.i1e(x).sum().backward()
    with torch.inference_mode():
        torch.special.log_ndtr(ONE)
    assert validity.generation() == before
