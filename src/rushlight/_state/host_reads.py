"""Reads of elements by the program itself within a stream of the CPU: they wait for the stream."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.work_queues import WorkQueue
from rushlight.overrides import TorchFunctionMode

# Members of tensors that read memory without an operator.
_READ = frozenset(
    ("__array__", "__bool__", "__complex__", "__contains__", "__dlpack__", "__float__", "__format__",
     "__index__", "__int__", "__iter__", "__repr__", "__str__", "data_ptr", "item", "numpy", "tolist",
     "untyped_storage", "storage", "__reduce_ex__", "__deepcopy__")
)  # fmt: skip


class HostReads(TorchFunctionMode):
    """Waits before what reads elements.

    Args:
        queue: the stream's; None where work is done at once
    """

    def __init__(self, queue: WorkQueue | None) -> None:
        super().__init__()
        self.queue = queue

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.queue is not None and getattr(func, "__name__", "") in _READ:
            self.queue.synchronize()
        return func(*args, **(kwargs or {}))
