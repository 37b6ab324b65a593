"""The parameters of a sharded module, which are gathered and reduced together.

The parts lie in one flat buffer, so a gather needs no copies before it. What it brings is copied, a parameter at a time, into the memory
of the whole parameters, which is given back when the module is done. Gradients are put by one call into the order in which
devices get their parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed import _functional_collectives as functional
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy
from rushlight.distributed.fsdp._fully_shard._fsdp_param import FSDPParam
from rushlight.distributed.utils import lies_in

Tensor = torch.Tensor
_ops: Any = functional._ops


class FSDPParamGroup:
    """Parameters of one element type.

    Args:
        params: the parameters
        mesh: the devices
        mp_policy: element types to compute and to reduce in
    """

    def __init__(
        self, params: Sequence[FSDPParam], mesh: DeviceMesh, mp_policy: MixedPrecisionPolicy
    ) -> None:
        self.params, self.mesh, self.mp_policy = params, mesh, mp_policy
        self.group = mesh.get_group(mesh.ndim - 1)
        self.copies = mesh.get_group(0) if mesh.ndim == 2 else None
        self.world = mesh.size(mesh.ndim - 1)
        self.room = 0
        for param in params:
            param.offset = self.room
            self.room += param.room
        self.flat: Tensor | None = None
        self.full: Tensor | None = None
        self.rows: list[Tensor] = []
        self.is_unsharded = False
        self.reduces, self.all_reduces = True, True
        self.divisor: float | None = None
        self.sums_only = False
        self.waiting: Tensor | None = None
        self.all_reduce_hook: Any = None
        self._begun: Tensor | None = None
        # Some of the devices, among which the whole parameters stay in parts from the forward pass to the backward
        # pass, and this one's part of them.
        self.near: DeviceMesh | None = None
        self.kept: Tensor | None = None
        for param in params:
            param.show(param.sharded_param)

    # -- parts --
    def lay_out(self) -> Tensor:
        """Put the parts into the flat buffer, if they are not there yet: parameters may have been replaced."""
        replaced = [param.refreshed() for param in self.params]
        if self.flat is not None and not any(replaced) and self._lies_in(self.flat):
            return self.flat
        if any(param.sharded_param.is_meta for param in self.params):
            raise RuntimeError(
                "FSDP parameters should be materialized from meta device before training, but the following were "
                f"still on meta device: {[name for p in self.params for _, name in p.places]}\nFor example, call "
                "module.to_empty(device) to materialize to device and call module.reset_parameters() on each "
                "module to initialize values."
            )
        first = self.params[0].sharded_param._local_tensor
        flat = torch.zeros(self.room, dtype=first.dtype, device=first.device)
        with torch.no_grad():
            for param in self.params:
                view = param.view_of(flat)
                view.copy_(param.sharded_param._local_tensor)
                param.sharded_param._local_tensor = view
        if self.flat is None or self.flat.dtype is not flat.dtype:
            self.full = None
        self.flat = flat
        return flat

    def _lies_in(self, flat: Tensor) -> bool:
        return all(
            lies_in(flat, param.offset, param.sharded_param._local_tensor) for param in self.params
        )

    # -- wholes --
    def unshard(self) -> None:
        """Gather the whole parameters, unless they are there, and let the modules have them."""
        if self.is_unsharded:
            return
        self.begin_unshard()
        self._copy_out(self._gathered())
        for param in self.params:
            param.show(param.unsharded_param)
        self.is_unsharded = True

    def begin_unshard(self) -> None:
        """Begin to gather the parameters."""
        if self.is_unsharded or self._begun is not None:
            return
        with torch.no_grad():
            if self.kept is not None and self.near is not None:
                given, group = self.kept, self.near.get_group(1)
            else:
                given, group = self.lay_out(), self.group
                given = given.to(self._compute_dtype(given.dtype))
            gathered = self._room_for(given)
            _ops.all_gather_into_tensor_out(given, group.size(), group.group_name, out=gathered)
        self._begun = gathered

    def _compute_dtype(self, own: Any) -> Any:
        """The element type of whole parameters whose parts have one of their own."""
        return self.mp_policy.param_dtype or own

    def _room_for(self, given: Tensor) -> Tensor:
        """Memory for what a gather brings."""
        return given.new_empty(self.world * self.room)

    def _gathered(self) -> Tensor:
        """What the gather that was begun has brought."""
        assert self._begun is not None
        gathered: Tensor = _ops.wait_tensor(self._begun)
        self._begun = None
        return gathered

    def _copy_out(self, gathered: Tensor) -> None:
        """Put what has been gathered where the whole parameters are."""
        with torch.no_grad():
            if self.full is None or self.full.dtype is not gathered.dtype:
                self.full = torch.empty_like(gathered)
                for param in self.params:
                    param.make_whole(self._region(self.full, param))
                # What is written is no change to what the graph has kept: they are the same numbers.
                self.rows = self._rows(self.full.data)
            else:
                self.full.untyped_storage().resize_(gathered.numel() * gathered.element_size())
            if self.kept is not None:
                # Parts of the whole, as it was.
                self.full.data.copy_(gathered)
                self.kept = None
                return
            given = gathered.view(self.world, self.room)
            for param, rows in zip(self.params, self.rows):
                rows.copy_(given.narrow(1, param.offset, param.room))

    def _rows(self, full: Tensor) -> list[Tensor]:
        """Each parameter's region as it is gathered: a row for each device."""
        return [self._region(full, p).view(self.world, p.room) for p in self.params]

    def _region(self, full: Tensor, param: FSDPParam) -> Tensor:
        return full.narrow(0, self.world * param.offset, self.world * param.room)

    def write_back(self) -> None:
        """Take over into the parts what was changed of the whole parameters."""
        if not self.is_unsharded:
            return
        with torch.no_grad():
            for param in self.params:
                param.sharded_param._local_tensor.copy_(param.part_of_whole())

    def reshard(self, until_backward: bool = False) -> None:
        """Let the modules have the parts, and give the memory of the whole parameters back.

        Args:
            until_backward: whether the devices that are near keep them in parts for the backward pass
        """
        self.forget_near()
        if not self.is_unsharded:
            return
        for param in self.params:
            param.show(param.sharded_param)
        assert self.full is not None
        if until_backward and self.near is not None:
            parts = self.full.detach().chunk(self.near.size(1))
            self.kept = parts[self.near.get_local_rank(1)].clone()
        self.full.untyped_storage().resize_(0)
        self.is_unsharded = False

    def forget_near(self) -> None:
        """Gather from all devices the next time: parts that are kept, or were gathered ahead, may be old by then."""
        if self._begun is not None:
            self._gathered()
        self.kept = None

    # -- gradients --
    def reduce_grads(self) -> None:
        """Reduce the gradients of the whole parameters to those of the parts."""
        if not self.reduces or self.full is None:
            return
        given = [(p, grad) for p in self.params if (grad := p.taken_grad()) is not None]
        if not given:
            return
        with torch.no_grad():
            kind = self.mp_policy.reduce_dtype or given[0][1].dtype
            part = self._reduced(
                self._in_order([p for p, _ in given], [g.to(kind) for _, g in given])
            )
            if part is None:
                return
            offset = 0
            for param, _ in given:
                own = part.narrow(0, offset, param.own_numel()).to(param.dtype)
                param.set_grad(own.view(param.own_rows, *param.row_shape).movedim(0, param.dim))
                offset += param.room

    def _in_order(self, params: Sequence[FSDPParam], grads: Sequence[Tensor]) -> Tensor:
        """Gradients, one after the other, in the order in which devices get their parts."""
        room = sum(param.room for param in params)
        order = grads[0].new_empty(self.world, room)
        rows = [param.in_rows(grad).contiguous() for param, grad in zip(params, grads)]
        torch._chunk_cat(rows, 0, self.world, out=order)
        return order.view(-1)

    def _reduced(self, order: Tensor) -> Tensor | None:
        """This device's part of the sum of all devices' gradients; None if copies are not reduced yet."""
        how = "avg" if self.divisor is None and not self.sums_only else "sum"
        part: Tensor = _ops.wait_tensor(
            _ops.reduce_scatter_tensor(order, how, self.world, self.group.group_name)
        )
        if self.waiting is not None:
            part += self.waiting
            self.waiting = None
        if not self.all_reduces:
            self.waiting = part
            return None
        if self.copies is not None:
            part = _ops.wait_tensor(_ops.all_reduce_(part, how, self.copies.group_name))
        if how == "sum":
            part.div_(self.divisor or self.mesh.size())  # type: ignore[attr-defined]
        if self.all_reduce_hook is not None:
            self.all_reduce_hook(part)
        return part
