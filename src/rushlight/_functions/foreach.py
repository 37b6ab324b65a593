"""Operators over lists of tensors: `_foreach_add_` and its kin make one call for each tensor.

The second and third operands are lists as long as the first, or one value for all of its tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor

_UNARY = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor",
    "frac", "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt",
    "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
_BINARY = ("add", "sub", "mul", "div", "pow", "clamp_max", "clamp_min", "lerp")


def _is_list(item: Any) -> bool:
    return isinstance(item, (list, tuple))


def _column(item: Any, count: int) -> Sequence[Any]:
    """One value for each of ``count`` tensors."""
    if not _is_list(item):
        return [item] * count
    if len(item) != count:
        if item and not isinstance(item[0], Tensor):
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        raise RuntimeError(
            f"Tensor lists must have the same number of tensors, got {count} and {len(item)}"
        )
    return item  # type: ignore[no-any-return]


def _over_lists(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """The function of lists that calls ``call`` for each row of its operands."""

    def over_lists(self: Any, *others: Any, **named: Any) -> Any:
        tensors = self if _is_list(self) else next(filter(_is_list, others), None)
        if tensors is None:
            raise TypeError(
                f"{name}(): argument 'self' (position 1) must be tuple of Tensors, not "
                f"{type(self).__name__}"
            )
        if not tensors:
            raise RuntimeError("Tensor list must have at least one tensor.")
        columns = [_column(item, len(tensors)) for item in (self, *others)]
        made = [call(*row, **named) for row in zip(*columns)]
        return self if name.endswith("_") else tuple(made)

    over_lists.__name__ = over_lists.__qualname__ = name
    over_lists.__doc__ = f"`{name.removeprefix('_foreach_')}` of each tensor of a list."
    return over_lists


def _with_values(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function of lists with factors, which may also be a list or a tensor with one dimension."""

    def over_lists(self: Any, tensor1: Any, tensor2: Any, value: Any = 1, **named: Any) -> Any:
        factors = named.get("scalars", value)
        factors = factors.tolist() if isinstance(factors, Tensor) else factors
        return call(self, tensor1, tensor2, factors)

    over_lists.__name__ = over_lists.__qualname__ = call.__name__
    over_lists.__doc__ = call.__doc__
    return over_lists


def _extreme(of_tensors: str, of_number: str) -> Callable[..., Any]:
    """The larger or smaller of a tensor and another one, or a number."""
    of_two, clamped = getattr(rushlight, of_tensors), getattr(Tensor, of_number)

    def call(self: Any, other: Any) -> Any:
        return (of_two if isinstance(other, Tensor) else clamped)(self, other)

    return call


def _in_place(call: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others: self.copy_(call(self, *others))


def _calls() -> dict[str, Callable[..., Any]]:
    """What is called for each row, by the name without its prefix."""
    both = (*_UNARY, *_BINARY)
    linalg: Any = rushlight.linalg
    calls: dict[str, Any] = {f"{name}_": getattr(Tensor, f"{name}_") for name in both}
    calls |= {name: getattr(rushlight, name) for name in both}
    calls |= {name: getattr(Tensor, name) for name in ("copy_", "zero_", "clone", "max", "mm")}
    calls["norm"] = linalg.vector_norm
    calls["powsum"] = lambda self, ord=2: self.abs().pow(ord).sum()
    for name, clamp in (("maximum", "clamp_min"), ("minimum", "clamp_max")):
        calls[name] = _extreme(name, clamp)
        calls[f"{name}_"] = _in_place(calls[name])
    for name in ("addcmul", "addcdiv"):
        plain, changing = getattr(rushlight, name), getattr(Tensor, f"{name}_")
        calls[name] = lambda a, b, c, value, call=plain: call(a, b, c, value=value)
        calls[f"{name}_"] = lambda a, b, c, value, call=changing: call(a, b, c, value=value)
    return calls


def _functions() -> dict[str, Callable[..., Any]]:
    made = {}
    for short, call in _calls().items():
        name = f"_foreach_{short}"
        function = _over_lists(name, call)
        made[name] = _with_values(function) if short.startswith("addc") else function
    return made


functions = _functions()
