"""A mode that counts collectives."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import rushlight as torch
from rushlight.distributed.tensor._api import DTensor
from rushlight.engine.dispatch.modes import TorchDispatchMode

__all__ = ["CommDebugMode"]

_NAMESPACE = "_c10d_functional"


class CommDebugMode(TorchDispatchMode):
    """Counts the collectives that calls within its ``with`` block make.

    Those are counted that are operators (`torch.ops._c10d_functional`): what distributed tensors and sharded modules do.
    """

    def __init__(self) -> None:
        super().__init__()
        self.comm_counts: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Any:
        self.comm_counts.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(kind, DTensor) for kind in types):
            # Its collectives come back to this mode.
            return NotImplemented
        packet = func.overloadpacket
        if packet.namespace == _NAMESPACE and packet.packet_name != "wait_tensor":
            self.comm_counts[_shown(packet)] += 1
        return func(*args, **(kwargs or {}))

    def get_total_counts(self) -> int:
        """How many collectives there were."""
        return sum(self.comm_counts.values())

    def get_comm_counts(self) -> dict[Any, int]:
        """How many there were of each."""
        return self.comm_counts

    def generate_comm_debug_tracing_table(self, noise_level: int = 3) -> str:
        """The counts as a text.

        Args:
            noise_level: accepted
        """
        lines = [f"{packet}: {count}" for packet, count in self.comm_counts.items()]
        return "\n".join(lines) + "\n"


def _shown(packet: Any) -> Any:
    """The collective, also where its result was put into a tensor that was there."""
    name = packet.packet_name.removesuffix("_out").removesuffix("_")
    return getattr(torch.ops._c10d_functional, name)
