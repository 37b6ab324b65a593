"""Experiments with distributed tensors."""

from rushlight._names.absent import absent_functions
from rushlight.distributed.tensor.experimental._func_map import local_map
from rushlight.distributed.tensor.experimental._implicit_replication import implicit_replication
from rushlight.distributed.tensor.experimental._register_sharding import register_sharding

__all__ = ["implicit_replication", "local_map", "register_sharding"]

globals().update(
    absent_functions(__name__, ["context_parallel"], "attention over sequences in parts")
)
