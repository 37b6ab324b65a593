"""Attention that a library makes on a GPU: which one, and the loop that queues it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.size import storage_extent
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import cudnn_graph, transfers
from rushlight.engine.cuda.attention_launcher import queue_attention, table_of
from rushlight.engine.cuda.cudnn_graph import ALIGNMENT, Attention
from rushlight.engine.loops.device_loop import address_on
from rushlight.engine.loops.library_loop import DescribedLoop
from rushlight.engine.loops.placement import planning
from rushlight.engine.loops.plans import PlanTable

_known = PlanTable()


def library_attention(device: int, attention: Attention, label: str) -> LibraryAttention | None:
    """The loop of an attention by cuDNN, which is there; None where it has nothing for it."""
    key = device, attention
    # Whoever chooses a kernel asks, and then the plan of the call: both find the same.
    with planning(None):
        if key not in _known:
            found = cudnn_graph.described(attention, device)
            kinds = [dtypes.BY_MEMORY[x.memory] for x in attention.operands]
            _known[key] = None if found is None else LibraryAttention(found, kinds, label)
        return _known.get(key)  # type: ignore[no-any-return]


class LibraryAttention(DescribedLoop):
    """An attention that cuDNN makes, for operands found at each run: results, what they are made of, room."""

    __slots__ = ()
    kernel, words = queue_attention, staticmethod(table_of)

    def placed(self, operands: Sequence[Any]) -> Sequence[Any]:
        """Copies of tensors that lie elsewhere than at multiples of some bytes, as a compiled program may be given."""
        return [self._aligned(x) if isinstance(x, Tensor) else x for x in operands]

    def _aligned(self, x: Tensor) -> Tensor:
        place = address_on(self.device, x)
        if place % ALIGNMENT == 0:
            return x
        nbytes = storage_extent(x._size_, x._stride_, 0) * x._dtype_.itemsize
        made = tensors.empty((nbytes,), dtypes.uint8, x._storage_.device)
        transfers.between(tensors.place_of(made), self.device, place, self.device, nbytes)
        return made
