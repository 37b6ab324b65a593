"""The order of rows on a GPU."""

from __future__ import annotations

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.plan import Chain
from rushlight.engine.loops.plans import PlanTable

_chains = PlanTable()


def arranged_rows(self: Tensor, down: bool, count: int) -> tuple[Tensor, Tensor]:
    """The first elements of each row in order, and their places; equal ones keep their order."""
    length, where = self._size_[-1], self._storage_.device
    size = (*self._size_[:-1], count)
    if not self._numel_ or not count:
        return (
            creation.empty_memory_format(size, self._dtype_, None, where, None, None),
            creation.empty_memory_format(size, dtypes.int64, None, where, None, None),
        )
    rows, whole = self._numel_ // length, 1 << (length - 1).bit_length()
    keys = creation.empty_memory_format((rows, whole), self._dtype_, None, where, None, None)
    part = views.narrow(keys, 1, 0, length)
    copies.copy_(part, views.reshape(self, (rows, length)), False)
    counted = creation.arange(whole, dtypes.int64, None, where, None)
    places = copies.clone(views.expand(counted, (rows, whole), False), None)
    places = views.reshape(places, (rows, whole))
    places = copies.contiguous(places)
    _exchange(keys, places, length, down)
    found = (views.narrow(x, 1, 0, count) for x in (keys, places))
    values, order = (views.reshape(copies.contiguous(x), size) for x in found)
    return copies.clone(values, None), copies.clone(order, None)


def _exchange(keys: Tensor, places: Tensor, length: int, down: bool) -> None:
    """Put the rows of keys in order, and their places with them."""
    key = keys._dtype_, keys._size_, length, down
    chain = _chains.get(key)
    if chain is None:
        loops = state.thread.planner.exchange_loops(keys._size_, keys._dtype_, length, down)
        chain = _chains[key] = Chain(2, [(loop, (0, 1)) for loop in loops])
    chain.run(keys, places)
    steps.Written.note(chain, (keys, places), 2)
    for changed in (keys, places):
        tensors.bump_version(changed)
