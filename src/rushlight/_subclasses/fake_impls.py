"""Operators whose results for fake tensors no kernel tells: elements decide, or a program says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._library.fake_impl import FakeImplCtx, set_ctx
from rushlight.engine.dispatch.operator import Operator

__all__ = ["has_op_impl", "implementation", "op_implementations_dict", "register_op_impl"]

aten = rushlight.ops.aten

# What operators do for fakes: ``(mode, operator, *args, **kwargs)``.
op_implementations_dict: dict[Operator, Callable[..., Any]] = {}
# The same for all operators that a function says yes to.
op_implementations_checks: list[tuple[Callable[[Operator], bool], Callable[..., Any]]] = []


def register_op_impl(
    run_impl_check: Callable[[Operator], bool] | Operator | list[Operator] | tuple[Operator, ...],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions that answer for operators on fakes."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(run_impl_check, Operator):
            op_implementations_dict[run_impl_check] = function
        elif isinstance(run_impl_check, (list, tuple)):
            for op in run_impl_check:
                register_op_impl(op)(function)
        else:
            op_implementations_checks.append((run_impl_check, function))
            implementation.cache_clear()
        return function

    return register


@functools.lru_cache(4096)
def _by_check(op: Operator) -> Callable[..., Any] | None:
    for check, function in op_implementations_checks:
        if check(op):
            return function
    return None


class _Lookup:
    """What answers for an operator, or None."""

    def __call__(self, op: Operator) -> Callable[..., Any] | None:
        return op_implementations_dict.get(op) or _by_check(op)

    def cache_clear(self) -> None:
        _by_check.cache_clear()


implementation = _Lookup()


def run(mode: Any, function: Callable[..., Any], func: Operator, args: Any, kwargs: Any) -> Any:
    """What a function answers for an operator; tensors that it makes are fakes."""
    with mode:
        return function(mode, func, *args, **kwargs)


def has_op_impl(op: Operator) -> bool:
    """Whether there is a function for an operator."""
    return implementation(op) is not None


def answer_of_program(mode: Any, func: Operator, args: Any, kwargs: Any) -> Any:
    """What the function says that a program has registered for an operator on fakes."""
    assert func.fake is not None
    with set_ctx(FakeImplCtx(mode.shape_env, func)):
        return func.fake(*args, **kwargs)


def _tagged(tag: str) -> Callable[[Operator], bool]:
    return lambda op: tag in op.declared_tags


def _new_size(mode: Any, func: Operator, arg: Any, most: Any) -> Any:
    """A size that elements decide."""
    from rushlight._subclasses.fake_tensor import DynamicOutputShapeException

    if mode.shape_env is None or not mode.shape_env.allow_dynamic_output_shape_ops:
        raise DynamicOutputShapeException(func)
    return mode.shape_env.fresh_size(most)


def _remembered_size(mode: Any, func: Operator, arg: Any, name: str, most: Any) -> Any:
    """A size that elements decide, the same as long as nobody writes these."""
    known = arg.__dict__.get(name)
    if known is not None and known[0] == (arg._version, mode.epoch):
        return known[1]
    made = _new_size(mode, func, arg, most)
    arg.__dict__[name] = (arg._version, mode.epoch), made
    return made


@register_op_impl(aten.nonzero.default)
def _nonzero(mode: Any, func: Operator, arg: Any) -> Any:
    count = _remembered_size(mode, func, arg, "nonzero_memo", arg._numel_)
    made = arg.new_empty_strided((count, arg.dim()), (1, count), dtype=rushlight.int64)
    return made


@register_op_impl(aten.masked_select.default)
def _masked_select(mode: Any, func: Operator, self: Any, mask: Any) -> Any:
    return self.new_empty((_new_size(mode, func, self, None),))


def _unique(mode: Any, func: Operator, arg: Any, dim: Any, name: str, *wanted: bool) -> Any:
    most = arg._numel_ if dim is None else arg._size_[dim]
    count = _remembered_size(mode, func, arg, name, most)
    size = list(arg._size_)
    if dim is None:
        size = [count]
    else:
        size[dim] = count
    length = arg._size_ if dim is None else (arg._size_[dim],)
    inverse, counts = wanted
    return (
        arg.new_empty(size),
        arg.new_empty(length if inverse else (0,), dtype=rushlight.int64),
        arg.new_empty((count,) if counts else (0,), dtype=rushlight.int64),
    )


@register_op_impl(aten._unique2.default)
def _unique2(
    mode: Any, func: Operator, arg: Any, sorted: bool = True, return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:  # fmt: skip
    return _unique(mode, func, arg, None, "unique_memo", return_inverse, return_counts)


@register_op_impl(aten.unique_dim.default)
def _unique_dim(
    mode: Any, func: Operator, arg: Any, dim: int, sorted: bool = True,
    return_inverse: bool = False, return_counts: bool = False,
) -> Any:  # fmt: skip
    where = dim % max(arg.dim(), 1)
    return _unique(mode, func, arg, where, f"unique_memo{where}", True, True)


@register_op_impl(aten.unique_consecutive.default)
def _unique_consecutive(
    mode: Any, func: Operator, arg: Any, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    name = "unique_consecutive_memo"
    return _unique(mode, func, arg, dim, name, return_inverse, return_counts)


@register_op_impl(aten.repeat_interleave.Tensor)
def _repeat_interleave(mode: Any, func: Operator, repeats: Any, output_size: Any = None) -> Any:
    if output_size is None:
        output_size = _new_size(mode, func, repeats, None)
    return repeats.new_empty((output_size,))


@register_op_impl([aten.index.Tensor, aten._unsafe_index.Tensor])
def _index(mode: Any, func: Operator, self: Any, indices: Any) -> Any:
    """Masks are the places where they are true."""
    masks = [k for k, x in enumerate(indices) if x is not None and x.dtype in _MASKS]
    if not masks:
        return NotImplemented
    found: list[Any] = []
    for x in indices:
        if x is not None and x.dtype in _MASKS:
            places = _nonzero(mode, aten.nonzero.default, x)
            found += [places.select(1, k) for k in range(x.dim())]
        else:
            found.append(x)
    return mode.run_kernel(func, (self, found), {})


_MASKS = (rushlight.bool, rushlight.uint8)


@register_op_impl(aten._local_scalar_dense.default)
def _element(mode: Any, func: Operator, arg: Any) -> Any:
    from rushlight._subclasses.fake_tensor import DataDependentOutputException

    env = mode.shape_env
    if env is None or not (env.allow_scalar_outputs or mode.allow_scalar_outputs):
        raise DataDependentOutputException(func)
    known = arg.__dict__.get("item_memo")
    if known is not None and known[0] == (arg._version, mode.epoch):
        return known[1]
    if arg.dtype.is_floating_point:
        made = env.create_unbacked_symfloat()
    elif arg.dtype is rushlight.bool:
        made = env.create_unbacked_symbool()
    elif arg.dtype.is_complex:
        raise NotImplementedError(f"local_scalar_dense/item NYI for {arg.dtype}")
    else:
        made = env.create_unbacked_symint()
    arg.__dict__["item_memo"] = (arg._version, mode.epoch), made
    return made


@register_op_impl(_tagged("dynamic_output_shape"))
def _unknown_size(mode: Any, func: Operator, *args: Any, **kwargs: Any) -> Any:
    from rushlight._subclasses.fake_tensor import DynamicOutputShapeException

    raise DynamicOutputShapeException(func)


@register_op_impl(_tagged("data_dependent_output"))
def _unknown_value(mode: Any, func: Operator, *args: Any, **kwargs: Any) -> Any:
    from rushlight._subclasses.fake_tensor import DataDependentOutputException

    raise DataDependentOutputException(func)
