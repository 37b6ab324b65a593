"""Operators within a stream of the CPU: results are made at once and filled by the stream's thread.

Sizes, types and errors of arguments are found by a call on tensors without elements. What gives numbers, sizes that
depend on elements, or draws random numbers waits for the stream and is done at once, as is what this cannot queue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core import keys, objects
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.device import device as Device
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.core.work_queues import WorkQueue
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.dispatch.operator import Operator
from rushlight.utils._pytree import tree_map

# Tags of operators whose results are numbers, or depend on how often they are called, or that change sizes.
_AT_ONCE = frozenset(("data_dependent_output", "nondeterministic_seeded", "inplace_view"))
# What tensors may be besides ones of the CPU: the thread does these calls as well.
_PLAIN = keys.CPU | keys.AUTOGRAD | keys.CONJUGATE | keys.NEGATIVE | keys.INFERENCE
_CPU, _META = Device("cpu"), Device("meta")


class Unqueueable(Exception):
    """A call that has to be done at once."""


class QueuedCalls(TorchDispatchMode):
    """Hands the calls of a block to a queue.

    Args:
        queue: the queue; None does calls at once
    """

    def __init__(self, queue: WorkQueue | None) -> None:
        self.queue = queue

    def __torch_dispatch__(
        self, func: Operator, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if types:
            # The class makes calls of its own, which come here.
            return NotImplemented
        if self.queue is None or _reads_nothing(func, args, kwargs):
            return func(*args, **kwargs)
        if not _AT_ONCE & {tag.name for tag in func.tags}:
            try:
                return _queued(self.queue, func, args, kwargs)
            except Unqueueable:
                pass
        self.queue.synchronize()
        return func(*args, **kwargs)


def _reads_nothing(func: Operator, args: Any, kwargs: Any) -> bool:
    """Whether a call looks at no elements: it makes a view, or has no tensors."""
    if func.schema.is_view:
        return True
    found: list[Any] = []
    tree_map(lambda x: found.append(x) if isinstance(x, Tensor) else None, (args, kwargs))
    return not found


def _queued(queue: WorkQueue, func: Operator, args: Any, kwargs: Any) -> Any:
    """The results of a call that a queue is going to fill; what it writes is its result as always."""
    shapes = _Shapes()
    try:
        made = func(*shapes.of(args), **shapes.of(kwargs))
    except NotImplementedError as error:
        raise Unqueueable from error
    shapes.check_unchanged()
    fresh: list[Tensor] = []

    def result(value: Any) -> Any:
        if isinstance(value, Tensor):
            known = shapes.given(value)
            if known is not None:
                return known
            out = tensors.empty_strided(value._size_, value._stride_, value._dtype_, _CPU)
            fresh.append(out)
            return out
        if value is None:
            return None
        raise Unqueueable

    results = tree_map(result, made)
    queue.put(
        _work(func, tree_map(_alias, args), tree_map(_alias, kwargs), [_alias(x) for x in fresh])
    )
    for argument, value in zip(_schema_values(func, args, kwargs), func.schema.arguments):
        if value.is_write:
            tree_map(lambda x: tensors.bump_version(x) if isinstance(x, Tensor) else x, argument)
    return results


def _schema_values(func: Operator, args: Any, kwargs: Any) -> list[Any]:
    """The value of each argument that is given, in the schema's order; None for others."""
    named = dict(zip((a.name for a in func.schema.positional), args)) | kwargs
    return [named.get(a.name) for a in func.schema.arguments]


def _work(func: Operator, args: Any, kwargs: Any, outs: list[Tensor]) -> Callable[[], None]:
    """What the thread does: the call, whose new results go to the tensors that stand for them."""

    def run() -> None:
        made = func(*args, **kwargs)
        found: list[Tensor] = []
        given = {id(x) for x in _tensors((args, kwargs))}
        for value in _tensors(made):
            if id(value) not in given:
                found.append(value)
        for out, value in zip(outs, found, strict=True):
            out.copy_(value)

    return run


def _tensors(values: Any) -> list[Tensor]:
    found: list[Tensor] = []
    tree_map(lambda x: found.append(x) if isinstance(x, Tensor) else None, values)
    return found


def _alias(value: Any) -> Any:
    """A tensor over the same elements with versions of its own: changes are counted when they are queued."""
    if not isinstance(value, Tensor):
        return value
    made = tensors.same_elements(value)
    made._counter_ = tensors.VersionCounter()
    return made


class _Shapes:
    """Tensors without elements in the place of a call's."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Tensor, Tensor]] = []

    def of(self, values: Any) -> Any:
        return tree_map(self._one, values)

    def _one(self, value: Any) -> Any:
        if isinstance(value, Device):
            if value.type != "cpu":
                raise Unqueueable
            return _META
        if not isinstance(value, Tensor):
            return value
        if value._keys_ & ~_PLAIN:
            raise Unqueueable
        for known, shape in self.pairs:
            if known is value:
                return shape
        made = tensors.empty_strided(value._size_, value._stride_, value._dtype_, _META)
        made._flags_ |= value._flags_ & objects.WRAPPED_NUMBER
        self.pairs.append((value, made))
        return made

    def given(self, shape: Tensor) -> Tensor | None:
        """The caller's tensor that one stands for."""
        return next((value for value, other in self.pairs if other is shape), None)

    def check_unchanged(self) -> None:
        """What gets another size is changed at once."""
        if any(a._size_ != b._size_ for a, b in self.pairs):
            raise Unqueueable
