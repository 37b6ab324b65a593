"""What functions ask that say what operators return for tensors without elements."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

__all__ = ["FakeImplCtx", "get_ctx", "set_ctx"]


class _Local(threading.local):
    context: FakeImplCtx | None = None


_local = _Local()


class FakeImplCtx:
    """What such a function may ask.

    Args:
        shape_env: makes symbols; None where there are none
        op: the operator
    """

    def __init__(self, shape_env: Any, op: Any) -> None:
        self._shape_env, self._op = shape_env, op

    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> Any:
        """A size that elements decide.

        Args:
            min: the least that it can be
            max: the most that it can be
        """
        from rushlight._subclasses.fake_tensor import DynamicOutputShapeException

        env = self._shape_env
        if env is None or not env.allow_dynamic_output_shape_ops:
            raise DynamicOutputShapeException(self._op)
        if any(x is not None and not isinstance(x, int) for x in (min, max)):
            raise ValueError(
                f"ctx.new_dynamic_size(min={min}, max={max}): expected min and max to be statically "
                "known ints but got SymInt. This is not supported."
            )
        if min < 0:
            raise ValueError(
                f"ctx.new_dynamic_size(min={min}, ...): expected min to be greater than or equal to 0: "
                "this API can only create non-negative sizes."
            )
        made = env.fresh_size()
        env.constrain_symbol_range(made, min, (1 << 62) if max is None else max)
        return made

    create_unbacked_symint = new_dynamic_size


@contextlib.contextmanager
def set_ctx(context: FakeImplCtx) -> Iterator[None]:
    """Within the block functions for fakes may ask this."""
    before, _local.context = _local.context, context
    try:
        yield
    finally:
        _local.context = before


def get_ctx() -> FakeImplCtx:
    """What a function that says what an operator returns for fakes may ask."""
    if _local.context is None:
        raise RuntimeError(
            "You're trying to run this operator with meta Tensors (as opposed to FakeTensors), but "
            "this operator may return an output Tensor with data-dependent shape. Meta Tensors don't "
            "support operators with outputs that have data-dependent shapes but FakeTensors do. If "
            "your operator does not return an output with data-dependent shape, make sure the "
            "FakeTensor and/or meta kernel does not call torch.library.get_ctx(). Otherwise, please "
            "use FakeTensors."
        )
    return _local.context
