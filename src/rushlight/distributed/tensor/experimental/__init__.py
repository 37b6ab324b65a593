"""Experiments with distributed tensors."""

from rushlight.distributed.tensor.experimental._attention import context_parallel
from rushlight.distributed.tensor.experimental._func_map import local_map
from rushlight.distributed.tensor.experimental._implicit_replication import implicit_replication
from rushlight.distributed.tensor.experimental._register_sharding import register_sharding

__all__ = ["context_parallel", "implicit_replication", "local_map", "register_sharding"]
