"""Real tensors that go along with fakes (`torch._functorch.config.fake_tensor_propagate_real_tensors`).

Each call on fakes is made on the tensors behind them as well. What elements decide is known then, so questions about it
have answers, which a program checks when it runs; and what a program's operator says of itself is held against
what it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.utils import _pytree as pytree

__all__ = ["MutationChecker", "Unknown", "copy_of", "go_along", "outcome"]

_SYMBOLIC = (SymInt, SymFloat, SymBool)


class Unknown(Exception):
    """A value of a call has no real one."""


def copy_of(tensor: Any, storages: Any) -> Tensor:
    """A copy of a tensor, whose storage is copied once for all tensors over it.

    Args:
        tensor: the tensor
        storages: the copies by storage
    """
    with rushlight.no_grad():
        copied = storages.get(tensor._storage_)
        if copied is None:
            copied = storages[tensor._storage_] = tensor.untyped_storage().clone()
        made = rushlight.empty(0, dtype=tensor.dtype, device=tensor.device)
        return made.set_(copied, tensor._offset_, tensor.size(), tensor.stride())  # type: ignore[attr-defined, no-any-return]


def _real(mode: Any, value: Any) -> Any:
    """What a value of a call is in reality; `Unknown` if nobody knows."""
    if isinstance(value, Tensor):
        found = getattr(value, "real_tensor", None)
        if found is None:
            raise Unknown
        return found
    if isinstance(value, _SYMBOLIC):
        found = mode.shape_env.real_value(value)
        if found is None:
            raise Unknown
        return found
    return value


def outcome(mode: Any, func: Operator, args: Any, kwargs: Any) -> Any:
    """What a call gives on real tensors, in a list; None if some are not known.

    Args:
        mode: the mode of the fakes
        func: the operator
        args: its arguments, with fakes
        kwargs: those with names
    """
    from rushlight._subclasses.fake_tensor import unset_fake_temporarily

    leaves, spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
    try:
        given = [_real(mode, leaf) for leaf in leaves]
    except Unknown:
        return None
    args, kwargs = pytree.tree_unflatten(given, spec)
    with unset_fake_temporarily(), rushlight.no_grad():
        if func.namespace in ("aten", "prims", "prim"):
            return [func(*args, **kwargs)]
        checker = MutationChecker(func, args, kwargs)
        found = func(*args, **kwargs)
        checker.check()
    return [found]


def go_along(mode: Any, func: Operator, fake: Any, real: Any) -> Any:
    """Let fakes and symbols know what they are in reality; the fakes.

    Args:
        mode: the mode of the fakes
        func: the operator that gave both
        fake: what it gave on fakes
        real: what it gave on real tensors
    """
    fakes, reals = _leaves(fake), _leaves(real)
    if len(fakes) != len(reals):
        raise _mismatch(f"{len(reals)} results and {len(fakes)} fake ones", func)
    is_own = func.namespace in ("aten", "prims", "prim")
    for (path, one), (_, other) in zip(fakes, reals):
        where = f"output{pytree.keystr(path)}"
        if isinstance(one, Tensor) and isinstance(other, Tensor):
            _note_sizes(mode, one, other)
            if not is_own:
                _compare(mode, func, one, other, where)
            if getattr(one, "constant", None) is None:
                one.__dict__["_real_tensor"] = other
        elif isinstance(one, _SYMBOLIC):
            mode.shape_env.know_real_value(one, other)
    return fake


def _leaves(value: Any) -> list[Any]:
    return pytree.tree_flatten_with_path(value)[0]  # type: ignore[no-any-return]


def _note_sizes(mode: Any, fake: Any, real: Any) -> None:
    for field in ("_size_", "_stride_"):
        for one, other in zip(getattr(fake, field), getattr(real, field)):
            if type(one) is SymInt:
                mode.shape_env.know_real_value(one, other)


def _mismatch(text: str, func: Operator) -> Exception:
    from rushlight._subclasses.fake_tensor import MetadataMismatchError

    return MetadataMismatchError(f"Real tensor propagation found {text}, for func: {func}")


def _compare(mode: Any, func: Operator, fake: Any, real: Any, where: str) -> None:
    """Raise if a fake is not like the real tensor that a program's operator gives."""
    if fake.dim() != real.dim() or fake.dtype != real.dtype or fake.device != real.device:
        raise _mismatch(
            f"a metadata mismatch between fake tensor {_told(fake)} and real tensor {_told(real)} at {where}",
            func,
        )
    for k, (one, other) in enumerate(zip(fake._size_, real._size_)):
        if mode.shape_env is not None and isinstance(one, _SYMBOLIC):
            known = mode.shape_env.real_value(one)
        else:
            known = one
        if known is not None and known != other:
            raise _mismatch(
                f"an output size mismatch between fake shape {one} and real shape {other}, at {where}.size({k})",
                func,
            )


def _told(tensor: Any) -> str:
    return f"({tensor.dtype}, {tuple(tensor._size_)}, {tensor.device})"


class MutationChecker:
    """Holds what an operator does to its arguments against what its schema says.

    Args:
        op: the operator
        args: its arguments
        kwargs: those with names
    """

    def __init__(self, op: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        self.op = op
        arguments = op._schema.arguments
        self._given = {**dict(zip((a.name for a in arguments), args)), **kwargs}
        self._before = {name: _elements(value) for name, value in self._given.items()}

    def check(self) -> None:
        """Raise if an argument has changed that should not have, or has not that should have."""
        for argument in self.op._schema.arguments:
            before = self._before.get(argument.name, [])
            if not before:
                continue
            after = _elements(self._given[argument.name])
            is_changed = not all(map(rushlight.equal, before, after))  # type: ignore[attr-defined]
            if is_changed == argument.is_write:
                continue
            said = "mutates" if argument.is_write else "does not mutate"
            raise RuntimeError(
                f"{self.op.name()}: for argument '{argument.name}': the operator's schema {self.op._schema} specified "
                f"that the operator {said} the argument, but this seems to be empirically wrong. A schema says "
                "that an argument is mutated by 'Tensor(a!) name' in place of 'Tensor name'."
            )


def _elements(value: Any) -> list[Tensor]:
    """Copies of the elements of all tensors in a value, as bytes."""
    return [
        t.detach()
        .clone(memory_format=rushlight.contiguous_format)
        .reshape(-1)
        .view(rushlight.uint8)
        for t in pytree.tree_leaves(value)
        if isinstance(t, Tensor)
    ]
