"""Data sets in a chain, each made from the one before it."""

from rushlight.utils.data.datapipes import iter, map
from rushlight.utils.data.datapipes.datapipe import (
    DataChunk,
    IterDataPipe,
    MapDataPipe,
    functional_datapipe,
)

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe", "iter", "map"]
