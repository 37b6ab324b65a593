"""The operators' call functions in front of which calls are remembered.

For kernels whose own calls are not: those of sparse tensors, say, are Python each time, but what they do
to indices and values is dense, and comes again.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import family_in


def __getattr__(family: str) -> Any:
    return family_in(__name__, "remembered_call", family)
