"""What serves every operator on the lazy device: a call is recorded, or made at once where it cannot be.

What a call would make is asked of the operator's kernel for the meta device, on twins of its tensors.
"""

from __future__ import annotations

from typing import Any

from rushlight._lazy import config, metrics
from rushlight._lazy.memory import block_of, geometry_of, is_lazy, over
from rushlight._lazy.running import by_itself, recorder
from rushlight._lazy.trace import NotRecordable, flat
from rushlight._state import interrupts
from rushlight._subclasses import twins
from rushlight._subclasses.fake_tensor import common_device, mapped
from rushlight.engine.core import device as devices
from rushlight.engine.core import keys, objects
from rushlight.engine.core import storage as storages
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import Untraceable
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.errors import NoElements
from rushlight.engine.transforms.functionalization import shows_twice

# How errors begin that say that there is no kernel for the meta device.
_MISSING = ("Could not run", "Cannot copy out of meta")
# What is said of operators for whose results elements have to be there.
_ASKING = frozenset({"data_dependent_output", "dynamic_output_shape"})
_DRAWING = "nondeterministic_seeded"


def lazy_kernel(op: Operator, *values: Any) -> Any:
    """Record a call on lazy tensors, or make it.

    An interrupt waits until that is done: half a call in the trace would make all that follows wrong.
    """
    with recorder.lock, interrupts.deferred():
        try:
            made = _Recording(op, values).made()
        except NotRecordable as reason:
            metrics.count(f"{op.namespace}::{op.packet_name}", str(reason))
        except _Elsewhere:
            metrics.count("ValuesAskedFor")
        else:
            metrics.count(f"lazy::{op.packet_name}")
            return made
        return _AtOnce(op, values).made()


# Views are recorded, too.
lazy_kernel.sees_views = True  # type: ignore[attr-defined]


class _Elsewhere(Exception):
    """A call whose result is on another device."""


class _Call:
    """A call on lazy tensors.

    Args:
        op: the operator
        values: all of its arguments
    """

    def __init__(self, op: Operator, values: tuple[Any, ...]) -> None:
        self.op, self.values = op, list(values)
        self.tensors = tensors_in(values)
        self.places = [k for k, a in enumerate(op.schema.arguments) if a.name == "device"]
        asked = next((self.values[k] for k in self.places if self.values[k] is not None), None)
        self.asked = None if asked is None else devices.place(asked)

    @property
    def goes_elsewhere(self) -> bool:
        """Whether the call is asked for a result on another device."""
        return self.asked is not None and self.asked.type != "lazy"

    def on(self, device: devices.device) -> None:
        """Ask for the result on another device than the lazy one."""
        for k in self.places:
            if self.values[k] is None or self.values[k].type == "lazy":
                self.values[k] = device

    def written(self) -> list[Tensor]:
        """The tensors that the call writes."""
        pairs = zip(self.op.schema.arguments, self.values)
        return tensors_in([value for argument, value in pairs if argument.is_write])


class _Recording(_Call):
    """A call that becomes part of the trace."""

    def __init__(self, op: Operator, values: tuple[Any, ...]) -> None:
        super().__init__(op, values)
        self.check()
        # By the number of its storage on the meta device: a lazy tensor over the storage that this stands for.
        self.sources: dict[int, Tensor] = {}
        # By the number of a twin: it, and the tensor.
        self.twins: dict[int, tuple[Tensor, Tensor]] = {}
        self.given = {id(t): self.settled(t) for t in self.tensors}

    def check(self) -> None:
        """Raise for calls that are not recorded."""
        op = self.op
        if op.namespace not in ("aten", "prims", "rushlight"):
            raise NotRecordable("an operator of a program")
        if config.is_made_at_once(f"{op.namespace}::{op.packet_name}"):
            raise NotRecordable("asked for by set_force_fallback")
        if self.goes_elsewhere:
            raise _Elsewhere
        if "inplace_view" in op.declared_tags:
            raise NotRecordable("changes sizes in place")
        if _ASKING & set(op.declared_tags):
            raise NotRecordable("elements decide what it gives")
        for argument, value in zip(op.schema.arguments, self.values):
            if argument.name == "generator" and value is not None:
                raise NotRecordable("draws from a generator of the program")
        for t in self.tensors:
            if t._keys_ & keys.STORES or not t._keys_ & (keys.LAZY | keys.CPU):
                raise NotRecordable("a tensor that is not strided, or on another device")
        for t in self.written():
            if not is_lazy(t):
                raise NotRecordable("writes to a tensor in the host's memory")
            if shows_twice(t) or any(
                x._storage_ is t._storage_ and geometry_of(x) != geometry_of(t)
                for x in self.tensors
            ):
                raise NotRecordable("writes to elements that it sees in several places")
        if any(not is_lazy(t) and t._size_ for t in self.tensors):
            common_device(op, self.tensors)

    def settled(self, tensor: Tensor) -> Tensor:
        """A tensor on the lazy device: itself, or one of the elements that a tensor on the CPU has now."""
        if is_lazy(tensor):
            return tensor
        copy = tensor.detach().clone()  # type: ignore[attr-defined]
        made = placed(copy)
        made._flags_ |= tensor._flags_ & objects.WRAPPED_NUMBER
        return made

    def twin(self, tensor: Tensor) -> Tensor:
        """The meta tensor that stands for an argument."""
        tensor = self.given[id(tensor)]
        shape = block_of(tensor).shape
        self.sources[id(shape)] = tensor
        made = twins.twin_over(shape, tensor)
        self.twins[id(made)] = made, tensor
        return made

    def made(self) -> Any:
        """The results of the call, as promises."""
        trace = recorder.trace
        refs = tuple(mapped(lambda t: trace.ref(self.given[id(t)]), tuple(self.values)))
        result = self.on_meta()
        made = mapped(self.promised, result)
        if _DRAWING in self.op.declared_tags:
            recorder.will_draw()
        for t in self.written():
            block_of(t).is_written = True
            tensors.bump_version(t)
        where = [None if t is None else (block_of(t), geometry_of(t)) for t in flat(made)]
        on_cpu = list(refs)
        for k in self.places:
            on_cpu[k] = devices.cpu if self.values[k] is not None else on_cpu[k]
        trace.add(self.op, tuple(on_cpu), where)
        return made

    def on_meta(self) -> Any:
        """What the kernel for the meta device makes of the twins."""
        given = list(mapped(self.twin, tuple(self.values)))
        for k in self.places:
            given[k] = devices.meta
        if not self.tensors and not self.places:
            raise NotRecordable("takes neither tensors nor a device")
        before = [(t, t._size_) for t in self.written()]
        try:
            with by_itself():
                result = self.op.call(*given)
        except (NoElements, Untraceable) as error:
            raise NotRecordable("its kernel looks at elements") from error
        except NotImplementedError as error:
            if str(error).startswith(_MISSING):
                raise NotRecordable("there is no kernel that works out sizes") from error
            raise
        finally:
            for twin, tensor in self.twins.values():
                meta = twin._storage_
                meta._nbytes = tensor._storage_._nbytes
        by_tensor = {id(tensor): twin for twin, tensor in self.twins.values()}
        if any(by_tensor[id(t)]._size_ != size for t, size in before):
            raise NotRecordable("changes the size of a result that was given")
        if any(not isinstance(item, (Tensor, type(None))) for item in flat(result)):
            raise NotRecordable("gives what is no tensor")
        return result

    def promised(self, twin: Tensor) -> Tensor:
        """The lazy tensor that a meta tensor stands for."""
        known = self.twins.get(id(twin))
        if known is not None:
            return known[1]
        meta = twin._storage_
        # Without a graph's knowledge that it is a view, it is none: `_unsafe_view` says that nobody will tell.
        source = self.sources.get(id(meta)) if self.op.schema.is_view else None
        if source is None:
            if not geometry_of(twin).covers(meta._nbytes):
                raise NotRecordable("gives parts of a memory")
            made = over(storages.allocate(meta._nbytes, LAZY), geometry_of(twin))
        else:
            made = tensors.view_of(source, twin._size_, twin._stride_, twin._offset_)
            made._dtype_, made._flags_, made._numel_ = twin._dtype_, twin._flags_, twin._numel_
            made._keys_ = made._keys_ & ~twins.READING | twin._keys_ & twins.READING
        return made


class _AtOnce(_Call):
    """A call that is made on the CPU, after all that was recorded before."""

    def __init__(self, op: Operator, values: tuple[Any, ...]) -> None:
        super().__init__(op, values)
        self.originals: dict[int, tuple[Tensor, Tensor]] = {}
        self.by_content: dict[int, Any] = {}

    def brought(self, tensor: Tensor) -> Tensor:
        """A tensor on the CPU over the bytes of a lazy one."""
        if not is_lazy(tensor):
            return tensor
        block = block_of(tensor)
        made = block.shown_as(geometry_of(tensor))
        made._flags_ |= tensor._flags_ & objects.WRAPPED_NUMBER
        self.originals[id(made)] = made, tensor
        self.by_content[id(block.content)] = tensor._storage_
        return made

    def made(self) -> Any:
        """The results of the call."""
        recorder.cut()
        self.on(devices.cpu)
        given = mapped(self.brought, tuple(self.values))
        with by_itself():
            result = self.op.call(*given)
        written = {id(t) for t in self.written()}
        for here, original in self.originals.values():
            if id(original) in written:
                self.follow(original, here)
        return mapped(self.sent, result)

    def follow(self, original: Tensor, here: Tensor) -> None:
        """Let a tensor be as the one is that stood for it in a call that wrote to it."""
        block, storage = block_of(original), original._storage_
        if here._storage_._nbytes != storage._nbytes:
            storage._nbytes = here._storage_._nbytes
            block.resized(storage._nbytes)
        if original._size_ != here._size_ or original._stride_ != here._stride_:
            tensors.set_geometry(original, here._size_, here._stride_, here._offset_)
        tensors.bump_version(original)

    def sent(self, tensor: Tensor) -> Tensor:
        """A result on the lazy device, unless it was asked for elsewhere."""
        known = self.originals.get(id(tensor))
        if known is not None:
            return known[1]
        storage = self.by_content.get(id(tensor._storage_))
        if storage is not None:
            return over(storage, geometry_of(tensor))
        if self.goes_elsewhere or not tensor._keys_ & keys.CPU:
            return tensor
        return placed(tensor)


def placed(tensor: Tensor) -> Tensor:
    """The lazy tensor of a tensor on the CPU, whose memory is the former's from now on."""
    if tensor._keys_ & keys.STORES:
        raise NotImplementedError(
            f"tensors on the lazy device are strided, got layout {tensor.layout}"  # type: ignore[attr-defined]
        )
    made = over(storages.allocate(tensor._storage_._nbytes, LAZY), geometry_of(tensor))
    block_of(made).content = tensor._storage_
    return made


LAZY = devices.device("lazy", 0)
