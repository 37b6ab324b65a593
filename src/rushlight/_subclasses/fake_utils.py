"""Fakes held against real calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._subclasses.fake_tensor import (
    FakeTensor,
    FakeTensorMode,
    MetadataMismatchError,
    UnsupportedFakeTensorException,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.utils import _pytree as pytree

__all__ = ["CrossRefFakeMode", "outputs_alias_inputs", "try_convert_fake_to_real"]

aten = rushlight.ops.aten


def outputs_alias_inputs(outputs: Any, inputs: Any) -> bool:
    """Whether a result is over the storage of an argument."""
    known = {
        id(x._storage_) for x in pytree.tree_leaves(inputs) if isinstance(x, Tensor)
    }  # fmt: skip
    return any(
        isinstance(x, Tensor) and id(x._storage_) in known for x in pytree.tree_leaves(outputs)
    )


def try_convert_fake_to_real(ten_list: Sequence[Any]) -> list[Any]:
    """The real tensors that fakes were made of, where they are known; others as they are."""
    found: list[Any] = []
    for value in ten_list:
        made = value
        if isinstance(value, FakeTensor):
            memo = value.fake_mode.fake_tensor_converter.tensor_memo
            fakes = [(real, fake()) for real, fake in memo.items()]
            known = [r for r, f in fakes if f is not None and f._storage_ is value._storage_]
            if known:
                size, stride = tuple(value._size_), tuple(value._stride_)
                made = rushlight.as_strided(known[0], size, stride, value._offset_)
        found.append(made)
    return found


class CrossRefFakeMode(TorchDispatchMode):
    """Runs every operator on fakes, too, and compares what they say with the real results.

    Args:
        ignore_op_fn: which operators are left out
        check_strides: whether strides must be the same
        check_aliasing: whether results must share storages with arguments alike
        only_check_ops_with_meta: accepted
    """

    def __init__(
        self,
        ignore_op_fn: Callable[[Any], bool] | None = None,
        *,
        check_strides: bool = True,
        check_aliasing: bool = True,
        only_check_ops_with_meta: bool = True,
    ) -> None:
        super().__init__()
        self.ignore_op_fn = ignore_op_fn or (lambda op: False)
        self.check_strides = check_strides
        self.check_aliasing = check_aliasing
        self.only_check_ops_with_meta = only_check_ops_with_meta

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        expected: Any = None
        left_out = {"dynamic_output_shape", "data_dependent_output", "inplace_view"}
        if not left_out & {*func.declared_tags} and not self.ignore_op_fn(func):
            expected = self._faked(func, args, kwargs)
        found = func(*args, **kwargs)
        if expected is not None:
            self._compare(func, found, expected, (args, kwargs))
        return found

    def _faked(self, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            with FakeTensorMode() as mode:
                inner, named = pytree.tree_map_only(
                    Tensor, lambda t: mode.from_tensor(t, static_shapes=True), (args, kwargs)
                )
                return inner, named, func(*inner, **named)
        except UnsupportedFakeTensorException:
            return None

    def _compare(self, func: Any, found: Any, expected: Any, given: Any) -> None:
        fake_args, fake_kwargs, faked = expected
        real_leaves, fake_leaves = pytree.tree_leaves(found), pytree.tree_leaves(faked)
        where = f"{func}: "
        if self.check_aliasing:
            aliases = (
                outputs_alias_inputs(faked, (fake_args, fake_kwargs)),
                outputs_alias_inputs(found, given),
            )
            if aliases[0] != aliases[1]:
                raise MetadataMismatchError(
                    f"{where}mismatch in outputs_alias_inputs check {aliases[0]} != {aliases[1]}"
                )
        for number, (real, fake) in enumerate(zip(real_leaves, fake_leaves, strict=True)):
            if not isinstance(real, Tensor):
                continue
            for name in ("dtype", "device", "shape", "layout", "stride"):
                if name == "stride" and not self.check_strides:
                    continue
                one, other = (_fact(t, name) for t in (real, fake))
                if one != other:
                    raise MetadataMismatchError(
                        f"{where}output {number}: {name} mismatch, {other} without elements, {one} "
                        "with them"
                    )


def _fact(tensor: Any, name: str) -> Any:
    found = getattr(tensor, name)
    return tuple(found()) if name == "stride" else found
