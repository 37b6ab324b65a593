"""`FullyShardedDataParallel`: a wrapper around a module whose parameters lie in parts on devices.

It stands on what `fully_shard` is made of; its parameters lie one after the other in a flat one, of which each device has a piece.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp import _init_utils, _optim_state, _state_dicts, wrap
from rushlight.distributed.fsdp._fully_shard._fsdp_state import FSDPState, set_state
from rushlight.distributed.fsdp._fully_shard._fully_shard import _parameters
from rushlight.distributed.fsdp.api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.clip_grad import clip_grads_with_norm_

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "FullyShardedDataParallel",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "OptimStateKeyType",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]


class OptimStateKeyType(Enum):
    """What the keys of an optimizer's state dict are: names of parameters, or their numbers."""

    PARAM_NAME = auto()
    PARAM_ID = auto()


FSDP_WRAPPED_MODULE = "_fsdp_wrapped_module"
FSDP_PREFIX = FSDP_WRAPPED_MODULE + "."
_KEEPING = (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2)


class FullyShardedDataParallel(Module):
    """A module whose parameters are gathered when it is called, and whose gradients are reduced to parts.

    Args:
        module: what is wrapped
        process_group: the processes; all, if not given
        sharding_strategy: what lies in parts, and when
        cpu_offload: where parts are kept
        auto_wrap_policy: which modules within are wrapped by themselves
        backward_prefetch: whether parameters are gathered ahead in the backward pass; None not to
        mixed_precision: other element types
        ignored_modules: modules whose parameters stay as they are
        param_init_fn: gives modules on the device `meta` their elements
        device_id: accepted: devices are processors
        sync_module_states: whether the first process's parameters and buffers are given to all
        forward_prefetch: whether parameters are gathered ahead in the forward pass
        limit_all_gathers: accepted
        use_orig_params: whether its parameters are those that the module had, each with what lies in this process's
            piece, instead of one flat parameter
        ignored_states: parameters, or modules, that stay as they are
        device_mesh: the devices, instead of processes
    """

    def __init__(
        self,
        module: Module,
        process_group: Any = None,
        sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: CPUOffload | None = None,
        auto_wrap_policy: Any = None,
        backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[Module] | None = None,
        param_init_fn: Callable[[Module], None] | None = None,
        device_id: Any = None,
        sync_module_states: bool = False,
        forward_prefetch: bool = False,
        limit_all_gathers: bool = True,
        use_orig_params: bool = False,
        ignored_states: Iterable[Any] | None = None,
        device_mesh: DeviceMesh | None = None,
    ) -> None:
        super().__init__()
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        mesh = _init_utils.mesh_for(process_group, strategy, device_mesh)
        modules, parameters = _init_utils.ignored(ignored_modules, ignored_states)
        if auto_wrap_policy is not None:
            options = {
                "sharding_strategy": strategy, "device_mesh": mesh, "cpu_offload": cpu_offload,
                "backward_prefetch": backward_prefetch, "mixed_precision": mixed_precision,
                "ignored_states": [*parameters], "param_init_fn": param_init_fn,
                "sync_module_states": sync_module_states, "forward_prefetch": forward_prefetch,
                "use_orig_params": use_orig_params,
            }  # fmt: skip
            wanted = wrap.chosen(module, auto_wrap_policy, modules, options)
            wrap.replace(module, lambda one, given: type(self)(one, **given), wanted)
        self._fsdp_wrapped_module = module
        self.sharding_strategy, self.mixed_precision = strategy, mixed_precision
        self.process_group, self.rank = mesh.get_group(mesh.ndim - 1), dist.get_rank(process_group)
        self.world_size, self._mesh = mesh.size(), mesh
        self._settings: StateDictSettings | None = None
        self._shows_wholes, self._use_orig_params = False, use_orig_params
        _init_utils.give_elements(module, param_init_fn)
        if sync_module_states:
            self._broadcast(parameters)
        found = _parameters([module], parameters)
        policy = _init_utils.policy(mixed_precision)
        self._handles = _init_utils.handles(found, mesh, policy, use_orig_params, module)
        keeps = False if strategy in _KEEPING else None
        self._state = FSDPState((self,), [*self._handles], policy, keeps)
        set_state(self, self._state)
        if backward_prefetch is None:
            self._state.backward_prefetch = []
        if mixed_precision is not None and mixed_precision.buffer_dtype is not None:
            _init_utils.cast_buffers(module, mixed_precision.buffer_dtype)
        self.register_load_state_dict_pre_hook(_state_dicts.before_loading)  # type: ignore[attr-defined]
        self.register_load_state_dict_post_hook(_state_dicts.after_loading)  # type: ignore[attr-defined]

    def _broadcast(self, ignored: set[Any]) -> None:
        """Give all processes the first one's parameters and buffers."""
        for tensor in (
            *self._fsdp_wrapped_module.parameters(),
            *self._fsdp_wrapped_module.buffers(),
        ):
            if tensor not in ignored and not getattr(tensor, "_fsdp_flattened", False):
                for i in range(self._mesh.ndim):
                    if self._mesh.size(i) > 1:
                        group = self._mesh.get_group(i)
                        dist.broadcast(tensor.detach(), group=group, group_src=0)

    @property
    def module(self) -> Module:
        """What is wrapped."""
        return self._fsdp_wrapped_module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call what is wrapped."""
        return self._fsdp_wrapped_module(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(FSDP_WRAPPED_MODULE), name)

    def __getitem__(self, key: int) -> Any:
        return self._fsdp_wrapped_module[key]  # type: ignore[index]

    def check_is_root(self) -> bool:
        """Whether this is the wrapper that is called first."""
        self._state.find_root()
        return self._state.is_root

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[FullyShardedDataParallel]:
        """The wrappers within a module.

        Args:
            module: the module
            root_only: only those that are in no other
        """
        found = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        if not root_only:
            return found
        inside = {m for one in found for m in one.modules() if m is not one}
        return [m for m in found if m not in inside]

    def apply(self, fn: Callable[[Module], None]) -> Any:
        """Call a function with each module within, which has its whole parameters."""
        with self.summon_full_params(self, recurse=True, writeback=True):
            return super().apply(fn)

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self._state.reshard()
        found = super()._apply(*args, **kwargs)
        for handle in self._handles:
            handle.lay_out()
        return found

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[Any]:  # type: ignore[override]
        """The parameters with their names; while they are whole, with those that they have without wrappers."""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(FSDP_PREFIX, "") if self._shows_wholes else name, parameter

    def _within(self) -> list[FullyShardedDataParallel]:
        return self.fsdp_modules(self)

    # -- gradients --
    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """A block in which backward passes leave gradients on the devices, for a later one to reduce."""
        groups = [group for one in self._within() for group in one._state.groups]
        before = [group.reduces for group in groups]
        for group in groups:
            group.reduces = False
        try:
            yield
        finally:
            for group, reduces in zip(groups, before):
                group.reduces = reduces

    @torch.no_grad()
    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Scale the gradients so that their norm, over all devices, is not larger than a number.

        Args:
            max_norm: the number
            norm_type: which norm
        """
        if not self.check_is_root():
            raise RuntimeError(
                "`clip_grad_norm_()` should only be called on the root FSDP instance"
            )
        handles = [handle for one in self._within() for handle in one._handles]
        total = _init_utils.norm_of_grads(self, handles, float(norm_type))
        parameters = [p for p in self.parameters() if p.grad is not None]
        clip_grads_with_norm_(parameters, max_norm, total)
        return total

    def register_comm_hook(self, state: Any, hook: Callable[..., Any]) -> None:
        raise NotImplementedError(
            "FullyShardedDataParallel.register_comm_hook is not supported by rushlight"
        )

    # -- whole parameters --
    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(
        module: Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:
        """A block in which modules have their whole parameters.

        Args:
            module: the wrapper, or a module with wrappers in it
            recurse: whether wrappers within wrappers are meant, too
            writeback: whether what is changed of them stays
            rank0_only: accepted: all processes have them
            offload_to_cpu: accepted
            with_grads: whether they have their whole gradients
        """
        if rank0_only and writeback:
            raise NotImplementedError("writeback=True and rank0_only=True is not supported")
        found = FullyShardedDataParallel.fsdp_modules(module, root_only=not recurse)
        handles = [handle for one in found for handle in one._handles]
        if with_grads and (offload_to_cpu or not all(h.shows_originals for h in handles)):
            raise NotImplementedError(
                f"with_grads={with_grads}, use_orig_params={all(h.shows_originals for h in handles)}, "
                f"offload_to_cpu={offload_to_cpu} is not supported yet"
            )
        with contextlib.ExitStack() as blocks:
            for handle in handles:
                blocks.enter_context(handle.whole(writeback))
                if with_grads:
                    blocks.enter_context(handle.whole_grads())
            for one in found:
                blocks.enter_context(one._clean_names())
            yield

    @contextlib.contextmanager
    def _clean_names(self) -> Iterator[None]:
        """A block in which parameters have the names that they have without wrappers."""
        before, self._shows_wholes = self._shows_wholes, True
        try:
            yield
        finally:
            self._shows_wholes = before

    # -- state dicts --
    @staticmethod
    def set_state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> StateDictSettings:
        """Say which state dicts the wrappers within a module give; returns what was said before.

        Args:
            module: the module
            state_dict_type: what state dicts have
            state_dict_config: how those of modules are made
            optim_state_dict_config: how those of optimizers are made
        """
        before = FullyShardedDataParallel.get_state_dict_type(module)
        settings = _state_dicts.settings(
            state_dict_type, state_dict_config, optim_state_dict_config
        )
        for one in FullyShardedDataParallel.fsdp_modules(module):
            one._settings = settings
        return before

    @staticmethod
    def get_state_dict_type(module: Module) -> StateDictSettings:
        """Which state dicts the wrappers within a module give."""
        for one in FullyShardedDataParallel.fsdp_modules(module):
            if one._settings is not None:
                return one._settings
        return _state_dicts.settings(StateDictType.FULL_STATE_DICT, None, None)

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> Iterator[None]:
        """A block with what `set_state_dict_type` says."""
        before = FullyShardedDataParallel.set_state_dict_type(
            module, state_dict_type, state_dict_config, optim_state_dict_config
        )
        try:
            yield
        finally:
            for one in FullyShardedDataParallel.fsdp_modules(module):
                one._settings = before

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state dict of what is wrapped, by the names that it has there."""
        prefix = kwargs.get("prefix", args[1] if len(args) > 1 else "")
        given = self.get_state_dict_type(self)
        self._state.reshard()
        with _state_dicts.form_of(self._handles, given.state_dict_type):
            found = super().state_dict(*args, **kwargs)
            return _state_dicts.after_saving(self, found, prefix, given)

    @staticmethod
    def optim_state_dict(
        model: Module, optim: Any, optim_state_dict: Any = None, group: Any = None
    ) -> dict[str, Any]:
        """The state dict of an optimizer, by the names of parameters, with what `set_state_dict_type` says.

        Args:
            model: whose parameters they are
            optim: the optimizer
            optim_state_dict: its own state dict, if that was changed
            group: accepted
        """
        settings = FullyShardedDataParallel.get_state_dict_type(model)
        return _optim_state.by_name(model, optim, optim_state_dict, settings)

    @staticmethod
    def optim_state_dict_to_load(
        model: Module,
        optim: Any,
        optim_state_dict: dict[str, Any],
        is_named_optimizer: bool = False,
        load_directly: bool = False,
        group: Any = None,
    ) -> dict[str, Any]:
        """What an optimizer loads of what `optim_state_dict` gave.

        Args:
            model: whose parameters they are
            optim: the optimizer
            optim_state_dict: what was given
            is_named_optimizer: accepted
            load_directly: whether it is loaded at once
            group: accepted
        """
        config = FullyShardedDataParallel.get_state_dict_type(model).optim_state_dict_config
        if getattr(config, "rank0_only", False):
            # Only the first process has it.
            held = [optim_state_dict]
            dist.broadcast_object_list(held, src=0, group=group)
            optim_state_dict = held[0]
        found = _optim_state.numbered(model, optim, optim_state_dict)
        if load_directly:
            optim.load_state_dict(found)
        return found

    @staticmethod
    def rekey_optim_state_dict(
        optim_state_dict: dict[str, Any],
        optim_state_key_type: OptimStateKeyType,
        model: Module,
        optim_input: Any = None,
        optim: Any = None,
    ) -> dict[str, Any]:
        """A state dict with other keys: names of parameters for their numbers, or the other way.

        Args:
            optim_state_dict: the state dict
            optim_state_key_type: what its keys are to be
            model: whose parameters they are, not wrapped
            optim_input: accepted
            optim: accepted
        """
        names = [name for name, _ in model.named_parameters()]
        pairs = list(enumerate(names))
        if optim_state_key_type is OptimStateKeyType.PARAM_NAME:
            other: dict[Any, Any] = dict(pairs)
        else:
            other = {name: number for number, name in pairs}
        return {
            "state": {other[key]: value for key, value in optim_state_dict["state"].items()},
            "param_groups": [
                {**group, "params": sorted(other[key] for key in group["params"])}
                for group in optim_state_dict["param_groups"]
            ],
        }

    @staticmethod
    def full_optim_state_dict(
        model: Module,
        optim: Any,
        optim_input: Any = None,
        rank0_only: bool = True,
        group: Any = None,
    ) -> dict[str, Any]:
        """The state dict of an optimizer, by the names of parameters, with whole tensors.

        Args:
            model: whose parameters they are
            optim: the optimizer
            optim_input: accepted
            rank0_only: whether only the first process has it
            group: accepted
        """
        found = _optim_state.by_name(model, optim, None, _state_dicts.whole(rank0_only))
        return found

    @staticmethod
    def sharded_optim_state_dict(model: Module, optim: Any, group: Any = None) -> dict[str, Any]:
        """The state dict of an optimizer, by the names of parameters, with distributed tensors."""
        settings = _state_dicts.settings(StateDictType.SHARDED_STATE_DICT, None, None)
        return _optim_state.by_name(model, optim, None, settings)

    @staticmethod
    def shard_full_optim_state_dict(
        full_optim_state_dict: dict[str, Any],
        model: Module,
        optim_input: Any = None,
        optim: Any = None,
    ) -> dict[str, Any]:
        """What an optimizer loads of what `full_optim_state_dict` gave in this process."""
        return _optim_state.numbered(model, optim, full_optim_state_dict)

    @staticmethod
    def scatter_full_optim_state_dict(
        full_optim_state_dict: dict[str, Any] | None,
        model: Module,
        optim_input: Any = None,
        optim: Any = None,
        group: Any = None,
    ) -> dict[str, Any]:
        """What an optimizer loads of what `full_optim_state_dict` gave in the first process."""
        held = [full_optim_state_dict]
        dist.broadcast_object_list(held, src=0, group=group)
        return _optim_state.numbered(model, optim, held[0] or {})
