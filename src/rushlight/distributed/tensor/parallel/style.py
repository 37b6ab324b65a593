"""Styles of tensor parallelism: how a module's parameters are cut, and how its inputs and results lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor._api import DTensor, distribute_tensor
from rushlight.distributed.tensor._modules import distribute_module
from rushlight.distributed.tensor.placement_types import Placement, Replicate, Shard
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.sparse import Embedding
from rushlight.nn.parameter import Parameter

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleInputOutput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
]

Layouts = tuple[Placement, ...]


class ParallelStyle(ABC):
    """How a module is made parallel."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module: ...


def placed(value: Any, mesh: DeviceMesh, layouts: Layouts, wanted: Layouts) -> Any:
    """A tensor, of which a device's part may be given, as a distributed one that lies as wanted."""
    if not isinstance(value, DTensor):
        if not isinstance(value, torch.Tensor):
            raise ValueError(f"expecting input to be a torch.Tensor or DTensor, but got {value!r}")
        value = DTensor.from_local(value, mesh, layouts, run_check=False)
    return as_wanted(value, wanted)


def as_wanted(value: DTensor, wanted: Layouts) -> DTensor:
    """A distributed tensor that lies as wanted."""
    rank = value.dim()
    normal = tuple(Shard(p.dim + rank) if isinstance(p, Shard) and p.dim < 0 else p for p in wanted)
    return value if value.placements == normal else value.redistribute(placements=normal)


class _WithParts(ParallelStyle):
    """A module with one input and one result whose parameters are cut.

    Args:
        input_layouts: how the input lies
        output_layouts: how the result is to lie
        use_local_output: whether a device gets its part of the result, rather than a distributed tensor
    """

    _given: Placement = Replicate()
    _made: Placement = Replicate()
    # How the input of a module has to lie, and how its parameters do.
    _kinds: dict[type[Module], tuple[Placement, dict[str, Placement]]] = {}

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        self.input_layouts: Layouts = (input_layouts or self._given,)
        self.output_layouts: Layouts = (output_layouts or self._made,)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        found = next((f for kind, f in self._kinds.items() if isinstance(module, kind)), None)
        if found is None:
            names = " and ".join(f"nn.{kind.__name__}" for kind in self._kinds)
            raise NotImplementedError(f"{type(self).__name__} currently only support {names}!")
        wanted, parameters = found
        self.desired_input_layouts: Layouts = (wanted,)
        return distribute_module(
            module,
            device_mesh,
            partial(self._partition, parameters),
            self._before,
            self._after,
        )

    def _partition(
        self, placements: dict[str, Placement], name: str, module: Module, mesh: DeviceMesh
    ) -> None:
        for key, parameter in list(module.named_parameters(recurse=False)):
            lies = [placements.get(key, Replicate())]
            made = distribute_tensor(
                parameter.detach(), mesh, lies, src_data_rank=self.src_data_rank
            )
            module.register_parameter(key, Parameter(made, parameter.requires_grad))

    def _before(self, module: Module, inputs: Any, mesh: DeviceMesh) -> Any:
        return placed(inputs[0], mesh, self.input_layouts, self.desired_input_layouts)

    def _after(self, module: Module, result: Any, mesh: DeviceMesh) -> Any:
        result = as_wanted(result, self.output_layouts)
        return result.to_local() if self.use_local_output else result

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(input_layouts={self.input_layouts}, "
            f"output_layouts={self.output_layouts}, use_local_output={self.use_local_output})"
        )


class ColwiseParallel(_WithParts):
    """A linear module, or an embedding, of whose result each device computes some features.

    Args:
        input_layouts: how the input lies; on each device, if not given
        output_layouts: how the result is to lie; cut along its last dimension, if not given
        use_local_output: whether a device gets its part of the result, rather than a distributed tensor
    """

    _given, _made = Replicate(), Shard(-1)
    _kinds = {
        Linear: (Replicate(), {"weight": Shard(0), "bias": Shard(0)}),
        Embedding: (Replicate(), {"weight": Shard(1)}),
    }


class RowwiseParallel(_WithParts):
    """A linear module of which each device takes some input features, or an embedding of which it has some rows.

    Args:
        input_layouts: how the input lies; cut along its last dimension, if not given
        output_layouts: how the result is to lie; on each device, if not given
        use_local_output: whether a device gets its part of the result, rather than a distributed tensor
    """

    _given, _made = Shard(-1), Replicate()
    _kinds = {
        Linear: (Shard(-1), {"weight": Shard(1), "bias": Replicate()}),
        Embedding: (Replicate(), {"weight": Shard(0)}),
    }


class SequenceParallel(ParallelStyle):
    """A module such as a normalisation or dropout, each of whose devices has some positions of the sequence.

    Args:
        sequence_dim: the dimension of positions
        use_local_output: whether a device gets its part of the result, rather than a distributed tensor
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_sharding: Layouts = (Shard(sequence_dim),)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        return distribute_module(module, device_mesh, self._partition, self._before, self._after)

    def _partition(self, name: str, module: Module, mesh: DeviceMesh) -> None:
        for key, parameter in list(module.named_parameters(recurse=False)):
            # They begin as the same numbers on each device.
            made = DTensor.from_local(parameter.detach(), mesh, [Replicate()], run_check=False)
            module.register_parameter(key, Parameter(made, parameter.requires_grad))

    def _before(self, module: Module, inputs: Any, mesh: DeviceMesh) -> Any:
        return placed(inputs[0], mesh, self.sequence_sharding, self.sequence_sharding)

    def _after(self, module: Module, result: Any, mesh: DeviceMesh) -> Any:
        return result.to_local() if self.use_local_output else result

    def __repr__(self) -> str:
        return f"SequenceParallel(sequence_sharding={self.sequence_sharding}, use_local_output={self.use_local_output})"


def _several(layouts: Any) -> tuple[Any, ...]:
    return (layouts,) if isinstance(layouts, Placement) or layouts is None else tuple(layouts)


def _prepared(
    values: Sequence[Any],
    mesh: DeviceMesh,
    layouts: Sequence[Any],
    wanted: Sequence[Any],
    local: bool,
) -> tuple[Any, ...]:
    """Values as distributed tensors that lie as wanted; those without a layout as they are."""
    found = []
    for value, layout, then in zip(values, layouts, wanted):
        if layout is None:
            found.append(value)
            continue
        value = placed(value, mesh, (layout,), (layout,) if then is None else (then,))
        found.append(value.to_local() if local else value)
    return tuple(found)


def _check_lengths(name: str, one: Sequence[Any], other: Sequence[Any]) -> None:
    if len(one) != len(other):
        raise AssertionError(f"{name} and desired_{name} should have same length!")


class PrepareModuleInput(ParallelStyle):
    """A module whose inputs are made distributed tensors, and redistributed, before it is called.

    Args:
        input_layouts: how each positional input lies; None for one that stays as it is
        desired_input_layouts: how it is to lie
        input_kwarg_layouts: how inputs by keyword lie
        desired_input_kwarg_layouts: how they are to lie
        use_local_output: whether the module gets a device's parts, rather than distributed tensors
    """

    def __init__(
        self,
        *,
        input_layouts: Any = None,
        desired_input_layouts: Any = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ) -> None:
        self.input_layouts = None if input_layouts is None else _several(input_layouts)
        self.desired_input_layouts = (
            None if desired_input_layouts is None else _several(desired_input_layouts)
        )
        self.use_local_output = use_local_output
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        self.with_kwargs = input_kwarg_layouts is not None
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            _check_lengths("input_layouts", self.input_layouts, self.desired_input_layouts)
        _check_lengths(
            "input_kwarg_layouts",
            [*self.input_kwarg_layouts],
            [*self.desired_input_kwarg_layouts],
        )

    def _positional(self, inputs: Any, mesh: DeviceMesh) -> Any:
        if self.input_layouts is None:
            return inputs
        values = inputs if isinstance(inputs, tuple) else (inputs,)
        if len(values) != len(self.input_layouts):
            raise ValueError("module inputs and input_layouts should have same length!")
        assert self.desired_input_layouts is not None
        return _prepared(
            values, mesh, self.input_layouts, self.desired_input_layouts, self.use_local_output
        )

    def _by_keyword(self, inputs: Any, kwargs: Any, mesh: DeviceMesh) -> Any:
        made = dict(kwargs)
        for name, value in kwargs.items():
            layout = self.input_kwarg_layouts.get(name)
            if layout is not None:
                wanted = self.desired_input_kwarg_layouts.get(name)
                (made[name],) = _prepared([value], mesh, [layout], [wanted], self.use_local_output)
        return self._positional(inputs, mesh), made

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        if self.with_kwargs:
            module.register_forward_pre_hook(
                lambda _, inputs, kwargs: self._by_keyword(inputs, kwargs, device_mesh),
                with_kwargs=True,
            )
        else:
            module.register_forward_pre_hook(
                lambda _, inputs: self._positional(inputs, device_mesh)
            )
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleInput(input_layouts={self.input_layouts}, "
            f"desired_input_layouts={self.desired_input_layouts}, "
            f"input_kwarg_layouts={self.input_kwarg_layouts}, "
            f"desired_input_kwarg_layouts={self.desired_input_kwarg_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleOutput(ParallelStyle):
    """A module whose results are made distributed tensors, and redistributed.

    Args:
        output_layouts: how each result lies; None for one that stays as it is
        desired_output_layouts: how it is to lie
        use_local_output: whether a device gets its parts, rather than distributed tensors
    """

    def __init__(
        self, *, output_layouts: Any, desired_output_layouts: Any, use_local_output: bool = True
    ) -> None:
        self.output_layouts = _several(output_layouts)
        self.desired_output_layouts = _several(desired_output_layouts)
        self.use_local_output = use_local_output
        _check_lengths("output_layouts", self.output_layouts, self.desired_output_layouts)

    def _prepare_out_fn(self, outputs: Any, mesh: DeviceMesh) -> Any:
        values = outputs if isinstance(outputs, tuple) else (outputs,)
        if len(values) != len(self.output_layouts):
            raise ValueError("module outputs and output_layouts should have same length!")
        found = _prepared(
            values, mesh, self.output_layouts, self.desired_output_layouts, self.use_local_output
        )
        return found[0] if len(found) == 1 else found

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        module.register_forward_hook(
            lambda _, inputs, outputs: self._prepare_out_fn(outputs, device_mesh)
        )
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleOutput(output_layouts={self.output_layouts}, "
            f"desired_output_layouts={self.desired_output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleInputOutput(ParallelStyle):
    """Both `PrepareModuleInput` and `PrepareModuleOutput`.

    Args:
        input_layouts: how each positional input lies; None for one that stays as it is
        desired_input_layouts: how it is to lie
        input_kwarg_layouts: how inputs by keyword lie
        desired_input_kwarg_layouts: how they are to lie
        use_local_input: whether the module gets a device's parts, rather than distributed tensors
        output_layouts: how each result lies
        desired_output_layouts: how it is to lie
        use_local_output: whether a device gets its parts of the results
    """

    def __init__(
        self,
        *,
        input_layouts: Any = None,
        desired_input_layouts: Any = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_input: bool = False,
        output_layouts: Any,
        desired_output_layouts: Any,
        use_local_output: bool = True,
    ) -> None:
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts,
            desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts,
            desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        self.prepare_module_input._apply(module, device_mesh)
        self.prepare_module_output._apply(module, device_mesh)
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleInputOutput({self.prepare_module_input}, {self.prepare_module_output})"
        )
