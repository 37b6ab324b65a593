"""`fully_shard`: modules whose parameters lie in parts on the devices of a mesh, and are gathered when they are needed."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, cast

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.fsdp._fully_shard._fsdp_api import (
    DataParallelMeshDims,
    MixedPrecisionPolicy,
    OffloadPolicy,
)
from rushlight.distributed.fsdp._fully_shard._fsdp_param import FSDPParam
from rushlight.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup
from rushlight.distributed.fsdp._fully_shard._fsdp_state import FSDPState, set_state, state_of
from rushlight.distributed.tensor.placement_types import Shard
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module

__all__ = [
    "FSDPModule",
    "UnshardHandle",
    "fully_shard",
    "register_fsdp_forward_method",
    "share_comm_ctx",
]

_classes: dict[type, type] = {}
_OWN_TYPES, _NO_OFFLOADING = MixedPrecisionPolicy(), OffloadPolicy()


def fully_shard(
    module: Any,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[Any], Shard | None] | None = None,
    mp_policy: MixedPrecisionPolicy = _OWN_TYPES,
    offload_policy: OffloadPolicy = _NO_OFFLOADING,
    ignored_params: set[Any] | None = None,
    dp_mesh_dims: DataParallelMeshDims | None = None,
) -> Any:
    """Shard the parameters of a module over devices, in place. Modules within it that are sharded already keep theirs.

    Args:
        module: the module, or several that are one group
        mesh: the devices: of one dimension, or of two whose first one has copies; all processes, if not given
        reshard_after_forward: whether whole parameters are given back after the forward pass; None to do so in all
            but the root. A number lets so many devices, each with the next ones, keep them in parts until the
            backward pass, which gathers from these alone
        shard_placement_fn: gives for a parameter the dimension that is sharded; the first one, or for None
        mp_policy: element types to compute and to reduce in
        offload_policy: where parts are kept
        ignored_params: parameters that stay as they are
        dp_mesh_dims: which dimensions of the mesh are for data parallelism
    """
    modules = tuple(module) if isinstance(module, (list, tuple)) else (module,)
    for one in modules:
        _check(one)
    mesh = mesh or init_device_mesh("cpu", (torch.distributed.get_world_size(),))
    if dp_mesh_dims is not None:
        mesh = _of_data(mesh, dp_mesh_dims)
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    if mesh.ndim == 2 and mesh.mesh_dim_names is None:
        raise AssertionError("Please init the 2D mesh for HSDP with mesh_dim_names specified")
    found = _parameters(modules, ignored_params or set())
    groups = _groups(found, mesh, shard_placement_fn, mp_policy)
    state = FSDPState(modules, groups, mp_policy, gives_back(reshard_after_forward, mesh))
    near = near_devices(reshard_after_forward, mesh)
    for group in groups:
        group.near = near
    for one in modules:
        set_state(one, state)
        _change_class(one)
        one.register_state_dict_pre_hook(lambda *_: state.reshard())  # type: ignore[attr-defined]
        one.register_load_state_dict_pre_hook(lambda *_: state.reshard())  # type: ignore[attr-defined]
    return module


def _check(module: Any) -> None:
    if isinstance(module, (ModuleList, ModuleDict)):
        raise ValueError(
            f"fully_shard does not support containers that do not implement forward: {module}"
        )
    if state_of(module) is not None:
        raise AssertionError(
            f"fully_shard has been applied to {type(module).__name__} already: it is applied once to a module"
        )


def _of_data(mesh: DeviceMesh, dims: DataParallelMeshDims) -> DeviceMesh:
    """The dimensions of a mesh along which data differ."""

    def names(given: str | tuple[str, ...] | None) -> tuple[str, ...]:
        return () if given is None else (given,) if isinstance(given, str) else tuple(given)

    chosen = [names(dims.replicate), names(dims.shard)]
    if any(len(some) > 1 for some in chosen):
        raise NotImplementedError(f"fully_shard: several dimensions of a mesh as one, in {dims}")
    return mesh[tuple(name for some in chosen for name in some)]


def gives_back(reshard: bool | int | None, mesh: DeviceMesh) -> bool | None:
    """Whether whole parameters are given back after the forward pass, to all devices or to some."""
    if reshard is None or isinstance(reshard, bool):
        return reshard
    if not isinstance(reshard, int):
        raise ValueError(
            "reshard_after_forward should be a bool or an int representing the group size to reshard to, not "
            f"{reshard}"
        )
    size = mesh.size(mesh.ndim - 1)
    if reshard < 1 or size % reshard:
        raise ValueError(
            f"If passing reshard_after_forward as an int, it should be a factor of {size}, not {reshard}"
        )
    return reshard > 1


# By the group along which parameters lie in parts, and the number of devices that are near.
_near: weakref.WeakKeyDictionary[Any, dict[int, DeviceMesh]] = weakref.WeakKeyDictionary()


def near_devices(reshard: bool | int | None, mesh: DeviceMesh) -> DeviceMesh | None:
    """The mesh whose rows keep parameters in parts from the forward to the backward pass; None if that is no number."""
    size = mesh.size(mesh.ndim - 1)
    if reshard is None or isinstance(reshard, bool) or reshard in (1, size):
        return None
    known = _near.setdefault(mesh.get_group(mesh.ndim - 1), {})
    if reshard not in known:
        known[reshard] = DeviceMesh(mesh.device_type, mesh.mesh.view(-1, reshard))
    return known[reshard]


def _parameters(
    modules: Iterable[Module], ignored: set[Any]
) -> dict[Any, list[tuple[Module, str]]]:
    """Parameters that no module within has sharded, each with the modules that have it."""
    found: dict[Any, list[tuple[Module, str]]] = {}

    def visit(module: Module, seen: set[Module]) -> None:
        if module in seen or (state_of(module) is not None):
            return
        seen.add(module)
        for name, parameter in module._parameters.items():
            if parameter is not None and parameter not in ignored:
                places = found.setdefault(parameter, [])
                places.append((module, name))
        for child in module.children():
            visit(child, seen)

    seen: set[Module] = set()
    for module in modules:
        visit(module, seen)
    return found


def _groups(
    found: dict[Any, list[tuple[Module, str]]],
    mesh: DeviceMesh,
    shard_placement_fn: Callable[[Any], Shard | None] | None,
    mp_policy: MixedPrecisionPolicy,
) -> list[FSDPParamGroup]:
    """Parameters in groups of one element type."""
    by_type: dict[Any, list[FSDPParam]] = {}
    for parameter, places in found.items():
        if parameter.dim() == 0:
            raise ValueError(
                f"fully_shard doesn't support scalar parameters. Change {places[0][1]} to a 1D tensor with numel equal "
                "to 1."
            )
        placement = shard_placement_fn(parameter) if shard_placement_fn is not None else None
        if placement is not None and not isinstance(placement, Shard):
            raise NotImplementedError(
                f"fully_shard: shard_placement_fn gave {placement!r}; it gives a Shard, or None for Shard(0)"
            )
        dim = 0 if placement is None else placement.dim % parameter.dim()
        by_type.setdefault(parameter.dtype, []).append(FSDPParam(parameter, places, mesh, dim))
    return [FSDPParamGroup(params, mesh, mp_policy) for params in by_type.values()]


def _change_class(module: Module) -> None:
    """Let a module be of a class that is an `FSDPModule`, too."""
    kind = type(module)
    made = _classes.get(kind)
    if made is None:
        members = {"__deepcopy__": _no_copies}
        made = _classes[kind] = type(f"FSDP{kind.__name__}", (FSDPModule, kind), members)
    module.__class__ = made  # type: ignore[assignment]


def _no_copies(*args: Any, **kwargs: Any) -> NoReturn:
    raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


class FSDPModule:
    """What a sharded module can do besides."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """An object of the class that was sharded: its modules are made as they were."""
        original = cls.__mro__[2]
        made = original.__new__(original, *args, **kwargs)
        made.__init__(*args, **kwargs)  # type: ignore[misc]
        return made

    def reshard(self) -> None:
        """Give the whole parameters of this module back."""
        self._get_fsdp_state().reshard()

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the whole parameters of this module.

        Args:
            async_op: whether to return before they are there, with a handle to wait for them
        """
        state = self._get_fsdp_state()
        state.find_root()
        if async_op:
            state.begin_unshard()
            return UnshardHandle(state)
        state.unshard()
        return None

    def reset_iter_state(self) -> None:
        """Forget a forward or backward pass that has raised an exception, so that the next one begins anew."""
        state = self._get_fsdp_state()
        together = state.find_root()
        if not state.is_root:
            raise RuntimeError("reset_iter_state is for the root, the module that is called first")
        together.ends_pass = False
        together.order.clear()
        for one in together.states:
            one.reset()

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Say whether the next backward pass is the last one of a step."""
        self._get_fsdp_state().find_root().is_last_backward = is_last_backward

    def set_requires_gradient_sync(
        self, requires_gradient_sync: bool, *, recurse: bool = True
    ) -> None:
        """Say whether backward passes reduce gradients, or leave them for a later one.

        Args:
            requires_gradient_sync: whether they do
            recurse: whether modules within are meant, too
        """
        for state in self._states(recurse):
            for group in state.groups:
                group.reduces = group.all_reduces = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Say whether backward passes reduce gradients over copies, or leave that to a later one.

        Args:
            requires_all_reduce: whether they do
            recurse: whether modules within are meant, too
        """
        for state in self._states(recurse):
            for group in state.groups:
                group.all_reduces = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Say whether whole parameters are given back after the forward pass."""
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(
                "reshard_after_forward should be a bool, got "
                + type(reshard_after_forward).__name__
            )
        for state in self._states(recurse):
            state.reshard_after_forward = reshard_after_forward
            for group in state.groups:
                group.near = None

    def set_reshard_after_backward(
        self, reshard_after_backward: bool, *, recurse: bool = True
    ) -> None:
        """Say whether whole parameters are given back after the backward pass."""
        for state in self._states(recurse):
            state.reshard_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules: list[FSDPModule]) -> None:
        """The modules whose parameters are gathered while this one computes its forward pass."""
        _check_all(modules)
        self._get_fsdp_state().forward_prefetch = [m._get_fsdp_state() for m in modules]

    def set_modules_to_backward_prefetch(self, modules: list[FSDPModule]) -> None:
        """The modules whose parameters are gathered while this one computes its backward pass."""
        _check_all(modules)
        self._get_fsdp_state().backward_prefetch = [m._get_fsdp_state() for m in modules]

    def set_all_reduce_hook(self, hook: Callable[[Any], None], *, stream: Any = None) -> None:
        """A function of the reduced gradients, in one flat tensor, which it may change.

        Args:
            hook: the function
            stream: devices here have none
        """
        for group in self._get_fsdp_state().groups:
            group.all_reduce_hook = hook

    def set_gradient_divide_factor(self, factor: float) -> None:
        """What sums of gradients are divided by, instead of the number of devices."""
        for group in self._get_fsdp_state().groups:
            group.divisor = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Say whether devices sum only, and divide themselves."""
        for state in self._states(True):
            for group in state.groups:
                group.sums_only = enable

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Say whether the backward pass gathers the parameters: it need not if no gradient depends on them."""
        self._get_fsdp_state().unshard_in_backward = unshard_in_backward

    def _states(self, recurse: bool) -> Iterator[FSDPState]:
        module = cast(Module, self)
        for one in module.modules() if recurse else [module]:
            state = state_of(one)
            if state is not None:
                yield state

    def _get_fsdp_state(self) -> FSDPState:
        state = state_of(cast(Module, self))
        if state is None:
            raise AssertionError(f"No FSDP state found on {self}")
        return state

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        """What changes parameters changes parts."""
        self.reshard()
        found = super()._apply(*args, **kwargs)  # type: ignore[misc]
        for group in self._get_fsdp_state().groups:
            for param in group.params:
                param.refreshed()
                param.dtype = param.sharded_param.dtype
        return found


class UnshardHandle:
    """Parameters that are being gathered."""

    def __init__(self, state: FSDPState | None = None) -> None:
        self._state = state

    def wait(self) -> None:
        """Wait until the module has the whole parameters."""
        if self._state is not None:
            self._state.unshard()
            self._state = None


def register_fsdp_forward_method(module: Module, method_name: str) -> None:
    """Gather parameters around another method than `forward`, too.

    Args:
        module: the module; nothing happens if it is not sharded
        method_name: the method
    """
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    method = getattr(type(module), method_name)
    state = module._get_fsdp_state()

    @functools.wraps(method)
    def with_parameters(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = state.pre_forward(module, args, kwargs)
        return state.post_forward(module, args, method(module, *args, **kwargs))

    setattr(module, method_name, with_parameters)


def share_comm_ctx(modules: list[FSDPModule]) -> None:
    """Let several roots be one: they share the order in which parameters are gathered.

    Args:
        modules: the sharded modules
    """
    _check_all(modules)
    if not modules:
        return
    together = modules[0]._get_fsdp_state().find_root()
    for module in modules[1:]:
        state = module._get_fsdp_state()
        other = state.find_root()
        for one in other.states:
            one.together = together
        together.states += other.states


def _check_all(modules: Iterable[Any]) -> None:
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"Expects FSDPModule but got {type(module)}: {module}")
