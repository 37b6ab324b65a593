"""The flat parameter of a wrapped module: all parameters one after the other, of which each device has a piece.

A gather of the pieces is the flat parameter, so the whole parameters are views of what it brings. Programs see either the piece
of the flat parameter, or, with `use_orig_params`, the parameters that the module had, each with what this device's piece has of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy
from rushlight.distributed.fsdp._fully_shard._fsdp_param import FSDPParam
from rushlight.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup
from rushlight.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from rushlight.distributed.tensor._collective_utils import piece
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["FLAT_PARAM", "FlatParamHandle", "FlatParameter", "OriginalParam"]

Tensor = torch.Tensor
FLAT_PARAM = "_flat_param"
_ALIGNMENT = 16


class _FlatParameterMeta(type(Parameter)):  # type: ignore[misc]
    """A parameter counts as a flat one if it says so."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_flat_param", False)


class FlatParameter(Parameter, metaclass=_FlatParameterMeta):
    """This device's piece of all parameters of a wrapped module.

    Args:
        data: the elements
        requires_grad: whether they want a gradient
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        made = Parameter(data, requires_grad)
        made._is_flat_param = True
        return made


class OriginalParam(FSDPParam):
    """A parameter that a module had, as a stretch of the flat parameter.

    Args:
        parameter: what it is now: a tensor, or a distributed one of tensor parallelism
        places: the modules that have it, with the names
        mesh: the devices: of one dimension, or of two whose first one has copies
        is_shown: whether programs see it, and not the flat parameter
    """

    def __init__(
        self, parameter: Any, places: list[tuple[Module, str]], mesh: DeviceMesh, is_shown: bool
    ) -> None:
        self.is_shown = is_shown
        super().__init__(parameter, places, mesh, 0)

    def _take(self, parameter: Any, local: Tensor) -> None:
        self.elements: Any = local
        self.numel = local.numel()
        # With parameters that are seen, each begins where vectors of the processor do.
        step = max(1, _ALIGNMENT // local.element_size()) if self.is_shown else 1
        self.room, self.offset = -(-self.numel // step) * step, 0
        self.own = slice(0, 0)
        self.first = 0
        self.sharded_param = parameter if self.is_shown else None
        self.wholes: dict[Any, Any] = {}

    # -- the piece --
    def place(self, begin: int, end: int) -> None:
        """Work out what lies in a device's piece, which goes from one element of the flat parameter to another."""
        low, high = (
            min(max(at, begin), end) - begin for at in (self.offset, self.offset + self.numel)
        )
        self.own, self.first = slice(low, high), low + begin - self.offset

    def own_numel(self) -> int:
        return self.own.stop - self.own.start

    def view_of(self, flat: Tensor) -> Tensor:
        """What this device has of the parameter, in its piece; with the parameter's shape if that is all."""
        found = flat[self.own]
        return found.view(self.shape) if self.world == 1 else found

    def own_of(self, whole: Tensor) -> Tensor:
        """What this device has of a whole tensor, as one dimension."""
        return whole.reshape(-1)[self.first : self.first + self.own_numel()]

    def keep(self, view: Tensor) -> None:
        """Let the object that the module had be the piece: an optimizer may have it already."""
        if isinstance(self.sharded_param, DTensor):
            torch.utils.swap_tensors(self.sharded_param, Parameter(view, self.requires_grad))
            self.show(self.sharded_param)
        else:
            self.sharded_param.data = view
        self.sharded_param.grad = None
        self.sharded_param._fsdp_flattened = True

    def refreshed(self) -> bool:
        module, name = self.places[0]
        now: Any = module._parameters[name]
        if now is self.sharded_param or now is self.unsharded_param:
            return False
        if now is None or now.numel() != self.own_numel():
            raise ValueError(f"the sharded parameter {name} was replaced by one of another size")
        self.sharded_param = now
        self.show(now)
        return True

    def set_grad(self, part: Tensor) -> None:
        """Add what this device's piece of the gradient has for the parameter."""
        if not self.requires_grad or not self.own_numel():
            return
        if self.sharded_param.grad is None:
            self.sharded_param.grad = part
        else:
            self.sharded_param.grad += part

    # -- the whole --
    def _shaped(self, region: Tensor) -> Tensor:
        return region[: self.numel].view(self.shape)

    def show(self, parameter: Any) -> None:
        """Let the modules have one form of the parameter; without one they have the whole as an attribute."""
        if self.is_shown:
            super().show(parameter)
            return
        for module, name in self.places:
            module._parameters.pop(name, None)
            module.__dict__[name] = self.unsharded_param

    def show_as_parameter(self) -> None:
        """Let the modules have the whole among their parameters."""
        for module, name in self.places:
            module.__dict__.pop(name, None)
            module._parameters[name] = self.unsharded_param

    def as_part(self, whole: Any) -> DTensor:
        """The distributed tensor of which this is the whole: parts are rows, as those of `fully_shard` are."""
        local = whole._local_tensor if isinstance(whole, DTensor) else whole
        part = piece(local, self.dim, self.mesh, self.shard_mesh_dim).clone()
        meta = self.spec.meta._replace(dtype=part.dtype)
        spec = self.spec.shallow_copy_with_tensor_meta(meta)
        return DTensor(part, spec, requires_grad=False)

    def as_whole(self, value: Any) -> Any:
        """A whole or distributed tensor as the modules have the whole parameter."""
        if not isinstance(value, Tensor):
            return value
        if isinstance(value, DTensor):
            value = value.full_tensor()
        if self.inner_spec is None or value.dim() == 0:
            return value
        return distribute_tensor(
            value, self.inner_spec.mesh, self.inner_spec.placements, src_data_rank=None
        )


class FlatParamHandle(FSDPParamGroup):
    """The flat parameter of one wrapped module.

    Args:
        params: what it is made of, of one element type
        mesh: the devices
        mp_policy: element types to compute and to reduce in
        module: where programs find the flat parameter, if they see it
    """

    params: Sequence[OriginalParam]

    def __init__(
        self,
        params: list[OriginalParam],
        mesh: DeviceMesh,
        mp_policy: MixedPrecisionPolicy,
        module: Module,
    ) -> None:
        # The whole flat parameter in each element type that was asked for.
        self._fulls: dict[Any, Tensor] = {}
        self.module, self.dtype = module, params[0].dtype
        self.shows_originals = params[0].is_shown
        # How many blocks want the whole parameters as the modules' parameters.
        self.users = 0
        self.flat_param: Any = None
        super().__init__(params, mesh, mp_policy)
        # How long it is, and how long a device's piece; the last ones may have less, or nothing.
        self.numel = params[-1].offset + params[-1].numel
        self.room = -(-self.numel // self.world)
        if self.shows_originals:
            self.numel = self.room * self.world
        self.begin = self.room * mesh.get_local_rank(mesh.ndim - 1)
        for param in params:
            param.place(self.begin, self.begin + self.room)
        self._lay_out_first()

    def _lay_out_first(self) -> None:
        elements = self.params[0].elements
        flat = torch.zeros(self.room, dtype=self.dtype, device=elements.device)
        with torch.no_grad():
            for param in self.params:
                flat[param.own].copy_(param.own_of(param.elements))
                param.elements = None
        self.flat = flat
        if self.shows_originals:
            for param in self.params:
                param.keep(param.view_of(flat))
            return
        self.flat_param = FlatParameter(flat, any(p.requires_grad for p in self.params))
        self.flat_param._fsdp_flattened = True
        self._use(self._compute_dtype(self.dtype))
        self._show_flat()

    def _show_flat(self) -> None:
        for param in self.params:
            param.show(None)
        self.module._parameters[FLAT_PARAM] = self.flat_param

    def seen(self) -> list[Any]:
        """The parameters that programs see."""
        return [p.sharded_param for p in self.params] if self.shows_originals else [self.flat_param]

    # -- the piece --
    def lay_out(self) -> Tensor:
        """This device's piece; made anew if programs have given parameters other memory."""
        assert self.flat is not None
        if not self.shows_originals:
            now: Any = self.module._parameters.get(FLAT_PARAM, self.flat_param)
            self.flat_param = now
            self._take_piece(now.detach())
            return self.flat
        replaced = [param.refreshed() for param in self.params]
        if any(replaced) or not self._lies_in(self.flat):
            kept: Any = self.params[0].sharded_param
            flat = torch.zeros(self.room, dtype=kept.dtype, device=kept.device)
            with torch.no_grad():
                for param in self.params:
                    view = param.view_of(flat)
                    view.copy_(param.sharded_param)
                    param.sharded_param.data = view
            self._take_piece(flat)
        return self.flat

    def _take_piece(self, flat: Tensor) -> None:
        if flat.dtype is not self.dtype:
            # In other element types than before: the whole parameters are others, too.
            self._fulls, self.full, self.dtype = {}, None, flat.dtype
            for param in self.params:
                param.dtype, param.wholes = flat.dtype, {}
        self.flat = flat

    def _lies_in(self, flat: Tensor) -> bool:
        start, size = flat.data_ptr(), flat.element_size()
        return all(
            param.sharded_param.data_ptr() == start + param.own.start * size
            and param.sharded_param.dtype is flat.dtype
            for param in self.params
            if param.own_numel()
        )

    # -- the whole --
    def _compute_dtype(self, own: Any) -> Any:
        return own if self.users else super()._compute_dtype(own)

    def _use(self, kind: Any) -> Tensor:
        """Let the whole parameters be those of an element type; their memory may not be there."""
        full = self._fulls.get(kind)
        if full is None:
            assert self.flat is not None
            full = self._fulls[kind] = self.flat.new_empty(self.world * self.room, dtype=kind)
            for param in self.params:
                param.make_whole(full[param.offset : param.offset + param.numel])
                param.wholes[kind] = param.unsharded_param
            full.untyped_storage().resize_(0)
        for param in self.params:
            param.unsharded_param = param.wholes[kind]
        self.full = full
        return full

    def _room_for(self, given: Tensor) -> Tensor:
        full = self._use(given.dtype)
        full.untyped_storage().resize_(full.numel() * full.element_size())
        # What is written is no change to what the graph has kept: they are the same numbers.
        return full.data

    def _copy_out(self, gathered: Tensor) -> None:
        """Nothing: the gather has brought the flat parameter to its place."""

    def forget_near(self) -> None:
        if self._begun is not None:
            super().forget_near()
            self._give_back()

    def reshard(self, until_backward: bool = False) -> None:
        super().reshard()
        if self.full is not None and not self.users:
            kind = self._compute_dtype(self.dtype)
            if self.full.dtype is not kind:
                self._use(kind)
                if not self.shows_originals:
                    self._show_flat()

    def _give_back(self) -> None:
        assert self.full is not None
        self.full.untyped_storage().resize_(0)

    def begin_whole(self) -> None:
        """Let the modules have the whole parameters, unrounded, as their parameters, until `end_whole`."""
        self.users += 1
        if self.users > 1:
            return
        self.reshard()
        self.unshard()
        if not self.shows_originals:
            self.module._parameters.pop(FLAT_PARAM, None)
            for param in self.params:
                param.show_as_parameter()

    def end_whole(self, writeback: bool) -> None:
        """Let the modules have the pieces again.

        Args:
            writeback: whether what was changed of the whole parameters stays
        """
        if self.users == 1:
            if writeback:
                self.write_back()
            self.users = 0
            self.reshard()
            if not self.shows_originals:
                self._show_flat()
        else:
            self.users -= 1

    @contextlib.contextmanager
    def whole(self, writeback: bool) -> Iterator[None]:
        """A block between `begin_whole` and `end_whole`."""
        self.begin_whole()
        try:
            yield
        finally:
            self.end_whole(writeback)

    def write_back(self) -> None:
        if not self.is_unsharded:
            return
        assert self.full is not None and self.flat is not None
        with torch.no_grad():
            for param in self.params:
                whole: Any = param.unsharded_param
                local = whole._local_tensor if isinstance(whole, DTensor) else whole.detach()
                region = self.full[param.offset : param.offset + param.numel]
                if local.data_ptr() != region.data_ptr():
                    # A program has given it other memory.
                    region.copy_(local.reshape(-1))
            self.flat.copy_(self.full[self.begin : self.begin + self.room])

    # -- gradients --
    def reduce_grads(self) -> None:
        if not self.reduces or self.full is None:
            return
        grads = [param.taken_grad() for param in self.params]
        kind = next((g.dtype for g in grads if g is not None), None)
        if kind is None:
            return
        with torch.no_grad():
            part = self._reduced(self._flat_grads(grads, self.mp_policy.reduce_dtype or kind))
            if part is not None:
                self._set_grads(part.to(self.dtype))

    def _flat_grads(self, grads: Sequence[Any], kind: Any) -> Tensor:
        """Gradients one after the other, with zeros where there is none."""
        assert self.flat is not None
        flat = self.flat.new_empty(self.world * self.room, dtype=kind)
        end = 0
        for param, grad in zip(self.params, grads):
            flat[end : param.offset].zero_()
            end = param.offset + param.numel
            if grad is None:
                flat[param.offset : end].zero_()
            else:
                flat[param.offset : end].view(param.shape).copy_(grad)
        flat[end:].zero_()
        return flat

    def _set_grads(self, part: Tensor) -> None:
        if self.shows_originals:
            for param in self.params:
                param.set_grad(param.view_of(part))
        elif self.flat_param.grad is None:
            self.flat_param.grad = part
        else:
            self.flat_param.grad += part

    @contextlib.contextmanager
    def whole_grads(self) -> Iterator[None]:
        """A block in which the whole parameters have their whole gradients, where there are any."""
        assert self.flat is not None
        pieces = [param.sharded_param.grad for param in self.params]
        there = torch.tensor([float(grad is not None) for grad in pieces])
        dist.all_reduce(there, dist.ReduceOp.MAX, group=self.group)
        part = torch.zeros_like(self.flat)
        for param, grad in zip(self.params, pieces):
            if grad is not None:
                param.view_of(part).copy_(grad)
        full = self.gathered(part)
        for param, is_there in zip(self.params, there.tolist()):
            if is_there:
                grad = full[param.offset : param.offset + param.numel].view(param.shape)
                param.unsharded_param.grad = param.with_inner_spec(grad)
        try:
            yield
        finally:
            for param in self.params:
                param.unsharded_param.grad = None

    def gathered(self, part: Tensor) -> Tensor:
        """The whole of what all devices have a piece of, as long as the flat parameter."""
        full = part.new_empty(self.world * self.room)
        dist.all_gather_into_tensor(full, part, group=self.group)
        return full

    # -- as a distributed tensor --
    def flat_part(self) -> DTensor:
        """The flat parameter as a distributed tensor."""
        placements = [*[Replicate()] * (self.mesh.ndim - 1), Shard(0)]
        flat = self.lay_out().detach()[: max(0, self.numel - self.begin)]
        return DTensor.from_local(
            flat,
            self.mesh,
            placements,
            run_check=False,
            shape=torch.Size([self.numel]),
            stride=(1,),
        )

    def padded(self, part: Tensor) -> Tensor:
        """This device's part of the flat parameter as a piece, which has the same length on all devices."""
        made = part.new_zeros(self.room)
        made[: part.numel()].copy_(part.detach())
        return made
