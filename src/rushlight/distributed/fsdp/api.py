"""What a program chooses about `FullyShardedDataParallel`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

from rushlight.engine.native.records import dataclass
from rushlight.nn.modules.batchnorm import _BatchNorm

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]


class ShardingStrategy(Enum):
    """What lies in parts on devices, and when.

    ``FULL_SHARD``: parameters, gradients and states of optimizers; ``SHARD_GRAD_OP``: the same, but parameters are whole
    from the forward to the backward pass; ``NO_SHARD``: nothing; ``HYBRID_SHARD``: in parts on some devices, with copies on
    others.
    """

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the next parameters are gathered in the backward pass: before a module's gradients, or after."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


@dataclass
class MixedPrecision:
    """Element types other than those of the parameters.

    Args:
        param_dtype: in which modules compute
        reduce_dtype: in which gradients are reduced
        buffer_dtype: of buffers
        keep_low_precision_grads: whether gradients stay as they were reduced
        cast_forward_inputs: whether each module's inputs are brought to ``param_dtype``
        cast_root_forward_inputs: whether those of the root are
        _module_classes_to_ignore: accepted
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type] = (_BatchNorm,)


@dataclass
class CPUOffload:
    """Where parts are kept.

    Args:
        offload_params: in the memory of the host, where they are anyway
    """

    offload_params: bool = False


class StateDictType(Enum):
    """What a state dict has: whole tensors, this device's parts as they are, or distributed tensors."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass
class StateDictConfig:
    """How a state dict is made.

    Args:
        offload_to_cpu: whether it is in the memory of the host
    """

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """How a state dict of whole tensors is made.

    Args:
        offload_to_cpu: whether it is in the memory of the host
        rank0_only: whether only the first process has it
    """

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """How a state dict of parts is made."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """How a state dict of distributed tensors is made."""

    _use_dtensor: bool = True


@dataclass
class OptimStateDictConfig:
    """How an optimizer's state dict is made.

    Args:
        offload_to_cpu: whether it is in the memory of the host
    """

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """How an optimizer's state dict of whole tensors is made.

    Args:
        offload_to_cpu: whether it is in the memory of the host
        rank0_only: whether only the first process has it
    """

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """How an optimizer's state dict of parts is made."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """How an optimizer's state dict of distributed tensors is made."""

    _use_dtensor: bool = True


@dataclass
class StateDictSettings:
    """Which state dicts modules give.

    Args:
        state_dict_type: what they have
        state_dict_config: how those of modules are made
        optim_state_dict_config: how those of optimizers are made
    """

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
