"""Elementwise operators from scalar functions in C++, as kernels of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.cuda._scalar_code import ScalarFunction
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.cuda import context
from rushlight.engine.loops import geometry
from rushlight.engine.loops.placement import planned_for
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.ops.kinds.elementwise import elementwise_loop

__all__: list[str] = []
MOST_INPUTS = 8


class _Operator:
    """An operator of a scalar function.

    Args:
        code: the function
        outputs: how many results it has; they are parameters by reference, if there are several
        settings: the parameters that are numbers, with their defaults
    """

    def __init__(self, code: str, outputs: int, settings: dict[str, Any]) -> None:
        self.function = ScalarFunction(code)
        self.code_string, self.kernel_name = code, self.function.name
        self.num_outputs, self.kwargs_dict = outputs, settings

    def __call__(self, *given: Any, **kwargs: Any) -> Any:
        """The results for tensors that are broadcast, of their common type."""
        if not context.count():
            raise AssertionError(
                "Jiterator is only supported on CUDA and ROCm GPUs, none are available."
            )
        if len(given) > MOST_INPUTS:
            raise AssertionError(f"jiterator only supports up to 8 tensor inputs, got {len(given)}")
        for name in kwargs:
            if name not in self.kwargs_dict:
                raise KeyError(f"{name} is not declared in function definition")
        numbers = [*{**self.kwargs_dict, **kwargs}.values()]
        kind = given[0].dtype
        for other in given[1:]:
            kind = rushlight.result_type(kind_like(kind), other)  # type: ignore[attr-defined]
        shape = geometry.broadcast_sizes(*(x._size_ for x in given))
        made = [tensors.empty(shape, kind, given[0].device) for _ in range(self.num_outputs)]
        self._launch(made, given, numbers, kind)
        return made[0] if self.num_outputs == 1 else tuple(made)

    def _launch(self, made: Any, given: Any, numbers: list[Any], kind: Any) -> None:
        common = compute_type(kind)
        memory = dtypes.float64.memory if common == "f64" else dtypes.float32.memory
        if common[0] != "f":
            memory = dtypes.int64.memory
        ins = [x._dtype_.memory for x in given] + [memory] * len(numbers)
        with planned_for(made[0], f"jiterator::{self.kernel_name}"):
            loop = elementwise_loop(
                self.function, made, [*given, *numbers], [kind.memory] * len(made), ins, [common] * len(ins),
                identity=("jiterator", self.code_string, common),
            )  # fmt: skip
            loop.run(*made, *given, *numbers)


def kind_like(kind: Any) -> Any:
    """A tensor that stands for a type where types are joined."""
    return rushlight.empty((1,), dtype=kind, device="meta")  # type: ignore[attr-defined]


def _create_jit_fn(code_string: str, **kwargs: Any) -> Callable[..., Any]:
    """An operator with one result.

    Args:
        code_string: a template of a C++ function that returns it
        kwargs: parameters that are numbers, the last ones of the function, with their defaults
    """
    return _Operator(code_string, 1, kwargs)


def _create_multi_output_jit_fn(
    code_string: str, num_outputs: int, **kwargs: Any
) -> Callable[..., Any]:
    """An operator with several results, which are parameters by reference.

    Args:
        code_string: a template of a C++ function without a result
        num_outputs: how many parameters are results
        kwargs: parameters that are numbers, with their defaults
    """
    return _Operator(code_string, num_outputs, kwargs)
