"""Networks that several processes train together: each on its share of the data."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import rushlight as torch
from rushlight.engine.native.records import dataclass
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.stateless import _reparametrize_module

__all__ = ["DistributedDataParallel"]

_FIRST_BUCKET_BYTES = 1 << 20
_BUCKET_MEBIBYTES = 25


def _tensors_in(value: Any) -> Iterable[Any]:
    """The tensors in an output, however it is put together."""
    return [t for t in torch.utils._pytree.tree_leaves(value) if isinstance(t, torch.Tensor)]


@dataclass
class _MixedPrecision:
    """In which element types a module computes whose parameters stay as they are.

    Args:
        param_dtype: of parameters and floating point inputs while the module runs
        reduce_dtype: in which gradients are summed
        buffer_dtype: of floating point buffers
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None


def _sparse_parameters(module: Module) -> set[int]:
    """The parameters, by identity, whose gradients are sparse."""
    kinds = torch.nn.Embedding, torch.nn.EmbeddingBag
    return {id(m.weight) for m in module.modules() if isinstance(m, kinds) and m.sparse}


def _refuse_absent(**given: Any) -> None:
    """Raise for arguments that are not supported."""
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"DistributedDataParallel: {name} is not supported yet")


def _device_of(module: Module, device_ids: Any, output_device: Any) -> Any:
    """The device that a module is on, which has to be the one that is named."""
    found = {p.device for p in module.parameters()} or {torch.device("cpu")}
    first = next(iter(found))
    if not device_ids and output_device is None:
        return first
    named = [
        torch.device("cuda", d) if isinstance(d, int) else torch.device(d) for d in device_ids or ()
    ]
    if len(found) > 1 or len(named) != 1 or (first.type == "cpu" and named[0].type != "cpu"):
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with single-device/"
            "multiple-device GPU modules or CPU modules, but got device_ids "
            f"{device_ids}, output_device {output_device}, and module parameters {found}."
        )
    if named[0] != first:
        raise ValueError(f"device_ids name {named[0]}, the module is on {first}")
    return first


def _group_of(process_group: Any, device_mesh: Any) -> Any:
    """The group of a mesh, or the one that is given, or that of all processes; there has to be one."""
    from rushlight.distributed._groups.world import world

    if device_mesh is not None:
        if process_group is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        process_group = device_mesh.get_group(mesh_dim=0)
    return world.member(process_group).group


def _check_trained(named: list[tuple[str, Any]]) -> None:
    """Raise if there is nothing to train, or if parameters have no values yet."""
    if not named:
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that requires "
            "a gradient."
        )
    for name, parameter in named:
        if isinstance(parameter, torch.nn.parameter.UninitializedParameter):
            raise RuntimeError(
                "Modules with uninitialized parameters can't be used with "
                f"`DistributedDataParallel`: {name}. Run a dummy forward pass to correctly "
                "initialize the modules"
            )


class DistributedDataParallel(Module):
    """Calls a module, and averages its gradients over a group of processes.

    All processes start with the parameters of the first one; equal gradients keep them equal.

    Args:
        module: what to call
        device_ids: the module's GPU, in a list: inputs are moved there
        output_device: the same; results are where the module is
        dim: the dimension along which inputs would be divided among devices
        broadcast_buffers: whether buffers become those of the first process before each forward pass
        init_sync: whether to compare parameters, and make them those of the first process, at the start
        process_group: the processes; None for all
        bucket_cap_mb: how large the buckets of gradients are, in MiB
        find_unused_parameters: whether some parameters may get no gradient
        check_reduction: not used any more
        gradient_as_bucket_view: whether gradients are parts of buckets, which saves their memory
        static_graph: whether the graph is the same in each iteration
        delay_all_reduce_named_params: not supported
        param_to_hook_all_reduce: not supported
        mixed_precision: the element types to compute and to sum in (`_MixedPrecision`)
        device_mesh: a mesh of one dimension, instead of a group
        skip_all_reduce_unused_params: makes no difference
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
    ) -> None:
        super().__init__()
        _refuse_absent(
            delay_all_reduce_named_params=delay_all_reduce_named_params,
            param_to_hook_all_reduce=param_to_hook_all_reduce,
        )
        self.process_group = _group_of(process_group, device_mesh)
        self.module = module
        self.device = _device_of(module, device_ids, output_device)
        self.device_type = self.device.type
        self.device_ids = [self.device.index] if device_ids and self.device.type != "cpu" else None
        self.output_device, self.dim = output_device, dim
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self._join_context: Any = None
        self._divides_by_all = True
        ignored = getattr(module, "_ddp_params_and_buffers_to_ignore", ())
        self.parameters_to_ignore = set(ignored)
        self.mixed_precision: _MixedPrecision | None = mixed_precision
        self._buckets_bytes = int(1024 * 1024 * (bucket_cap_mb or _BUCKET_MEBIBYTES))
        self._first_bytes = _FIRST_BUCKET_BYTES if bucket_cap_mb is None else self._buckets_bytes
        _check_trained(self._trained())
        self._cast_buffers()
        if init_sync:
            self._begin_alike()
        self._make_reducer()

    # -- parameters and buffers --
    def _trained(self) -> list[tuple[str, Any]]:
        return [
            (name, parameter)
            for name, parameter in self.module.named_parameters()
            if parameter.requires_grad and name not in self.parameters_to_ignore
        ]

    def _cast_buffers(self) -> None:
        """Give buffers the type that mixed precision has for them."""
        from rushlight.distributed.utils import _cast_floating

        precision = self.mixed_precision
        if precision is not None and precision.buffer_dtype is not None:
            for buffer in self.module.buffers():
                buffer.data = _cast_floating(buffer.data, precision.buffer_dtype)

    def _begin_alike(self) -> None:
        """Check that all processes have the same parameters, and take the values of the first one."""
        from rushlight.distributed._reducer import _verify_params_across_processes

        _verify_params_across_processes(self.process_group, [p for _, p in self._trained()])
        self._broadcast(self._state())

    def _state(self) -> list[Any]:
        """What all processes have in common at the start."""
        every = [*self.module.named_parameters(), *self.module.named_buffers()]
        return [t.detach() for name, t in every if name not in self.parameters_to_ignore]

    def _buffers_to_send(self) -> list[Any]:
        every = self.module.named_buffers()
        return [t.detach() for name, t in every if name not in self.parameters_to_ignore]

    def _broadcast(self, tensors: list[Any], root: int = 0) -> None:
        from rushlight.distributed.utils import _sync_params_and_buffers

        _sync_params_and_buffers(self.process_group, tensors, self._buckets_bytes, root)

    def _make_reducer(self) -> None:
        from rushlight.distributed._reducer import Reducer

        named = self._trained()
        sparse = _sparse_parameters(self.module)
        precision = self.mixed_precision
        self.reducer = Reducer(
            [p for _, p in named],
            [name for name, _ in named],
            self.process_group,
            self._buckets_bytes,
            self._first_bytes,
            self.find_unused_parameters,
            self.static_graph,
            self.gradient_as_bucket_view,
            [k for k, (_, p) in enumerate(named) if id(p) in sparse],
            None if precision is None else precision.reduce_dtype,
        )

    # -- calls --
    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result."""
        records = torch.is_grad_enabled() and self.require_backward_grad_sync
        if self._join_context is not None and records:
            self._tell_those_who_joined()
        if records:
            self.reducer.prepare_for_forward()
        if self.require_forward_param_sync and self.broadcast_buffers:
            self._broadcast(self._buffers_to_send())
        if self.device_ids is not None:
            inputs, kwargs = self._on_device((inputs, kwargs))
        output = self._run(inputs, kwargs)
        self.reducer.wanted = records
        if records:
            self.reducer.prepare_for_backward(_tensors_in(output))
            self.require_forward_param_sync = True
        else:
            self.require_forward_param_sync = False
        return output

    def _on_device(self, arguments: Any) -> Any:
        """Arguments whose tensors are on the module's device."""
        from rushlight.distributed.utils import _apply_to_tensors

        return _apply_to_tensors(lambda tensor: tensor.to(self.device), arguments)

    def _run(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the module, in the types that it is to compute in."""
        kind = None if self.mixed_precision is None else self.mixed_precision.param_dtype
        if kind is None:
            return self.module(*inputs, **kwargs)
        from rushlight.distributed.utils import _cast_floating, _cast_forward_inputs

        inputs, kwargs = _cast_forward_inputs(kind, *inputs, **kwargs)
        # Casts are steps of the history: gradients come in the parameters' own type.
        cast = {name: _cast_floating(p, kind) for name, p in self.module.named_parameters()}
        with _reparametrize_module(self.module, cast, tie_weights=True):
            return self.module(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Let gradients add up here within; the first backward pass of a forward pass outside averages them."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: object, hook: Callable[[Any, Any], Any]) -> None:
        """Let a function average gradients: of a state and a `GradBucket`, it gives a future of the tensor.

        Args:
            state: what the function gets first
            hook: the function
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        self.reducer.register_hook(state, hook)

    def _register_builtin_comm_hook(self, kind: Any) -> None:
        from rushlight.distributed.algorithms.ddp_comm_hooks import default_hooks

        hooks = {"ALLREDUCE": default_hooks.allreduce_hook,
                 "FP16_COMPRESS": default_hooks.fp16_compress_hook}  # fmt: skip
        self.reducer.register_hook(self.process_group, hooks[getattr(kind, "name", str(kind))])

    def _set_static_graph(self) -> None:
        self.static_graph = self.reducer.static_graph = True

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        """Facts that programs print."""
        return {
            "world_size": self.process_group.size(),
            "rank": self.process_group.rank(),
            "backend_name": self.process_group.name(),
            "bucket_sizes": ", ".join(map(str, self.reducer.bucket_sizes())),
            "find_unused_parameters": self.find_unused_parameters,
            "static_graph": self.static_graph,
            "gradient_as_bucket_view": self.gradient_as_bucket_view,
        }

    # -- uneven inputs --
    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Any:
        """Let processes run out of inputs at different times: those that have none go along with the others.

        Args:
            divide_by_initial_world_size: whether gradients are divided by the number of all processes, or of
                those that still have inputs
            enable: whether to do so
            throw_on_early_termination: whether to raise in all processes when the first one has no inputs left
        """
        from rushlight.distributed.algorithms.join import Join

        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> Any:
        """What a process does that has no inputs left."""
        from rushlight.distributed.algorithms.join import ModuleJoinHook

        return ModuleJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> Any:
        """Where `join` counts processes."""
        return self.device

    @property
    def join_process_group(self) -> Any:
        """The processes that `join` counts."""
        return self.process_group

    def _tell_those_who_joined(self) -> None:
        from rushlight.distributed.algorithms.join import Join

        present = Join.notify_join_context(self)
        assert present is not None
        if not self._divides_by_all:
            self.reducer.divisor = present

    # -- copies --
    def __getstate__(self) -> dict[str, Any]:
        state = copy.copy(self.__dict__)
        for name in ("process_group", "reducer"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from rushlight.distributed._groups.world import world

        super().__setstate__(state)
        self.process_group = world.member(None).group
        self._make_reducer()
