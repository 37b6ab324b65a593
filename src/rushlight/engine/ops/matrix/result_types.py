"""Products whose result has a type of its own, wider than the factors'; and the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import matrix as calls
from rushlight.engine.calls import reduction
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.matrix.composites import with_out

_HALVES = (dtypes.float16, dtypes.bfloat16)


def _widened(tensor: Tensor, kind: dtype) -> Tensor:
    return copies._to_copy(tensor, kind)


def _check(name: str, factors: tuple[Tensor, ...], out_dtype: dtype) -> None:
    given = factors[-1]._dtype_
    if out_dtype is not given and not (out_dtype is dtypes.float32 and given in _HALVES):
        raise RuntimeError(
            f"{name}(): out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs"
        )


def _register(name: str, product: Callable[..., Tensor], added: bool) -> None:
    """The overloads of a product that take the result's type after the tensors."""
    count = 3 if added else 2

    def typed(*args: Any) -> Tensor:
        *operands, out_dtype = args[: count + 1]
        _check(name, tuple(operands), out_dtype)
        return product(*(_widened(x, out_dtype) for x in operands), *args[count + 1 :])

    def written(*args: Any) -> Tensor:
        return outputs.copy_result(args[-1], typed(*args[:-1]))

    composite(f"{name}.dtype")(typed)
    composite(f"{name}.dtype_out")(written)


_register("mm", calls.mm, added=False)
_register("bmm", calls.bmm, added=False)
_register("addmm", calls.addmm, added=True)
_register("baddbmm", calls.baddbmm, added=True)


@with_out("trace")
def trace(self: Tensor) -> Tensor:
    if len(self._size_) != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {len(self._size_)}")
    return reduction.sum(views.diagonal(self, 0, 0, 1))
