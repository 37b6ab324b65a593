"""Whether operators do what their schemas and registrations say: `torch.library.opcheck`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._library.naming import as_types, resolve
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import key_names
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Schema
from rushlight.engine.dispatch.schema_call import match

DEFAULT = ("test_schema", "test_autograd_registration", "test_faketensor")


def opcheck(
    op: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = DEFAULT,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, str]:
    """Check that an operator does what its schema and its fake kernel say."""
    found = resolve(op)
    results: dict[str, str] = {}
    for name in as_types(test_utils):
        try:
            CHECKS[name](found, args, kwargs or {})
            results[name] = "SUCCESS"
        except (RuntimeError, AssertionError) as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            results[name] = str(error)
    return results


class OpCheckError(Exception):
    """What `opcheck` raises: the name of the check and its reason."""


def check_schema(op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Only arguments marked as written change, and only those marked as shared are returned."""
    schema: Schema = op.schema
    given = {**dict(zip((a.name for a in schema.arguments), args)), **kwargs}
    before = {name: versions(value) for name, value in given.items()}
    result = op(*args, **kwargs)
    for argument in schema.arguments:
        value = given.get(argument.name)
        if versions(value) != before.get(argument.name, []) and not argument.is_write:
            raise RuntimeError(
                f"Argument {argument.name} is not defined as mutable but was mutated"
            )
    returned = {id(t._storage_) for t in tensors_in([result])}
    for argument in schema.arguments:
        storages = {id(t._storage_) for t in tensors_in([given.get(argument.name)])}
        if storages & returned and not argument.type.aliases:
            raise RuntimeError(
                f"Argument {argument.name} is not defined to alias output but was aliasing"
            )


def versions(value: Any) -> list[int]:
    return [int(tensor._storage_._version) for tensor in tensors_in([value])]


def check_fake(op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """The fake kernel gives the sizes, strides and types that the real one gives."""
    if op.fake is None:
        raise RuntimeError(f"{op} has no fake kernel; add one with register_fake")
    real, fake = tensors_in([op(*args, **kwargs)]), tensors_in([op.fake(*args, **kwargs)])
    if [facts(tensor) for tensor in real] != [facts(tensor) for tensor in fake]:
        raise AssertionError(
            f"the fake kernel gives {[facts(t) for t in fake]}, "
            f"the real one {[facts(t) for t in real]}"
        )


def facts(tensor: Tensor) -> tuple[Any, ...]:
    return tuple(tensor._size_), tuple(tensor._stride_), tensor._dtype_


def check_autograd_registration(
    op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Gradients are the business of an autograd key, and not of what a backend's kernel calls."""
    from rushlight._library import computed_table

    given = tensors_in([*args, *kwargs.values()])
    if not any(tensor.requires_grad for tensor in given):  # type: ignore[attr-defined]
        return
    stacks = computed_table.stacks_of(op.full_name)
    served = {"AutogradCPU", key_names.AUTOGRAD, key_names.IMPLICIT} & stacks.keys()
    if served or op.autograd_rule is not None or op.namespace == "aten":
        return
    found = tensors_in(
        [
            op.exactly(
                functools.reduce(operator.or_, (t._keys_ for t in given)) & ~key_bits.AUTOGRAD
            )(*match(op, args, kwargs))
        ]
    )
    known = {id(tensor) for tensor in given}
    if any(t.requires_grad and id(t) not in known for t in found):  # type: ignore[attr-defined]
        raise AssertionError(
            f"{op.name()}: at least one output of this operator has requires_grad=True but the "
            "operator does not have an autograd kernel defined at an autograd key (e.g. "
            "DispatchKey::Autograd). This could mean that you have incorrectly registered an "
            "autograd kernel to a non-Autograd DispatchKey, which may lead to silently incorrect "
            "results. If your operator consists of regular PyTorch operations, consider not using an "
            "operator at all or registering your operator as CompositeImplicitAutograd. If you have "
            "an autograd.Function registered to a backend (CPU/CUDA/XPU) key, the correct location "
            "for it is the Autograd key."
        )


CHECKS: dict[str, Callable[[Operator, tuple[Any, ...], dict[str, Any]], None]] = {
    "test_schema": check_schema,
    "test_autograd_registration": check_autograd_registration,
    "test_faketensor": check_fake,
}
