"""Fakes whose elements are known, since a program has just made them of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight._subclasses import twins
from rushlight._subclasses.fake_arguments import mapped, tensors_in
from rushlight._subclasses.fakes import is_fake, unset_fake_temporarily
from rushlight.engine.core import keys
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator

if TYPE_CHECKING:
    from rushlight._subclasses.fake_tensor import FakeTensorMode

# Tensors with so many elements at most may be known to programs while they are traced.
CONSTANT_NUMEL_LIMIT = 1


def lifted(mode: FakeTensorMode, value: Tensor) -> Any:
    """The fake of a tensor that a program has just made of numbers."""
    if may_turn_const(value):
        with unset_fake_temporarily():
            value = value.clone()  # type: ignore[attr-defined]
        return mode.fake_tensor_converter.from_real_tensor(mode, value, make_constant=True)
    return mode.fake_tensor_converter.from_real_tensor(mode, value)


def of_numbers(mode: FakeTensorMode, func: Operator, args: Any, kwargs: Any) -> Any:
    """What an operator over tensors makes of numbers: it is known."""
    with unset_fake_temporarily():
        found = func(*args, **kwargs)
    return mapped(
        lambda t: mode.fake_tensor_converter.from_real_tensor(
            mode, t, make_constant=may_turn_const(t)
        ),
        found,
    )


def may_turn_const(t: Tensor) -> bool:
    """Whether the elements of a real tensor are few enough to be known."""
    return (
        t._numel_ <= CONSTANT_NUMEL_LIMIT
        and not t._keys_ & (keys.SPARSE_LAYOUTS | keys.META | keys.WRAPPED)
        and not is_fake(t)
    )


def are_all_known(func: Operator, fakes: list[Any], count: int) -> bool:
    """Whether a call's result follows from known elements alone."""
    return (
        bool(fakes)
        and len(fakes) == count
        and all(t.constant is not None for t in fakes)
        and "nondeterministic_seeded" not in func.declared_tags
        and not any(a.name == "device" for a in func.schema.arguments)
    )


def outcome(mode: FakeTensorMode, func: Operator, args: Any, kwargs: Any) -> Any:
    """The result of a call whose elements all are known; None if it is too large to be."""
    fakes = {id(t.constant): t for t in tensors_in(args, kwargs)}
    constants = mapped(lambda t: t.constant, (args, kwargs))
    with unset_fake_temporarily():
        out = func(*constants[0], **constants[1])
    results = tensors_in(out)
    if not all(map(may_turn_const, results)):
        for t in fakes.values():
            if func.schema.mutated or func.schema.is_view:
                mode.fake_tensor_converter.invalidate_constant_aliases(t.constant)
        return None
    if func.schema.mutated:
        for t in fakes.values():
            twins.follow(t, mode.fake_tensor_converter._twin(t.constant, None, None, None))
    return mapped(
        lambda t: fakes[id(t)] if id(t) in fakes
        else mode.fake_tensor_converter.from_real_tensor(mode, t, make_constant=True),
        out,
    )  # fmt: skip


def forget_written(mode: FakeTensorMode, func: Operator, args: Any, kwargs: Any) -> None:
    """Whose elements a call writes, they are not known any more."""
    if not func.schema.mutated:
        return
    for t in tensors_in(args, kwargs):
        if t.constant is not None:
            mode.fake_tensor_converter.invalidate_constant_aliases(t.constant)
