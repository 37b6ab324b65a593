"""A group of processes, as programs ask it. Each kind of device has a backend that answers."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import rushlight as torch
from rushlight.distributed._groups import options
from rushlight.distributed._groups.backend import Backend
from rushlight.distributed._groups.work import Work
from rushlight.distributed._stores.base import Store

__all__ = ["BackendType", "ProcessGroup"]


class BackendType(enum.IntEnum):
    """The kinds of backends that PyTorch knows."""

    UNDEFINED = 0
    GLOO = 1
    NCCL = 2
    UCC = 3
    MPI = 4
    XCCL = 5
    CUSTOM = 6


# The class has an attribute of that name.
_BackendType = BackendType


def _listed(tensors: Any) -> list[Any]:
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def _first_of(value: Any) -> Any:
    """The first tensor in nested lists."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return value if isinstance(value, torch.Tensor) else None


class ProcessGroup:
    """A group of processes. A program's own group derives from it and overrides what it can do.

    Args:
        store: where the group's processes find each other; may be left out
        rank: this process's rank in the group
        size: how many processes there are
    """

    BackendType = BackendType
    UNDEFINED, GLOO, NCCL = BackendType.UNDEFINED, BackendType.GLOO, BackendType.NCCL
    UCC, MPI, XCCL, CUSTOM = (
        BackendType.UCC, BackendType.MPI, BackendType.XCCL, BackendType.CUSTOM,
    )  # fmt: skip
    Options = Backend.Options

    def __init__(self, *args: Any) -> None:
        self._store: Store | None = args[0] if len(args) == 3 else None
        rank, size = args[-2:]
        self._rank, self._size = int(rank), int(size)
        self._backends: dict[str, tuple[_BackendType, Backend]] = {}
        self._default = BackendType.UNDEFINED
        self._group_name = ""
        self._group_desc = "undefined"
        self.bound_device_id: Any = None

    # -- facts --
    def rank(self) -> int:
        """This process's rank in the group."""
        return self._rank

    def size(self) -> int:
        """How many processes the group has."""
        return self._size

    def name(self) -> str:
        """What the group's backend is called."""
        return self.getBackendName()

    def getBackendName(self) -> str:
        """What the backend is called; a program's own group says so here."""
        for kind, backend in self._backends.values():
            if kind == self._default or self._default is BackendType.UNDEFINED:
                return backend.name()
        return "undefined"

    _get_backend_name = getBackendName

    @property
    def group_name(self) -> str:
        """The name that the group is registered under."""
        return self._group_name

    @property
    def group_desc(self) -> str:
        """What the group is for."""
        return self._group_desc

    def _set_group_name(self, name: str) -> None:
        self._group_name = name

    def _set_group_desc(self, description: str) -> None:
        self._group_desc = description

    def get_group_store(self) -> Store:
        """The store of this group."""
        if self._store is None:
            raise RuntimeError("this process group has no store")
        return self._store

    def _id(self) -> int:
        return id(self)

    def boxed(self) -> ProcessGroup:
        """The group as programs hand it on."""
        return self

    @staticmethod
    def unbox(group: ProcessGroup) -> ProcessGroup:
        """The group that was handed on."""
        return group

    # -- backends --
    def _register_backend(
        self, device: Any, backend_type: _BackendType, backend: Backend | None = None
    ) -> None:
        if backend is not None:
            self._backends[torch.device(device).type] = backend_type, backend

    def _set_default_backend(self, backend_type: _BackendType) -> None:
        self._default = backend_type

    @property
    def _device_types(self) -> list[Any]:
        return [torch.device(device) for device in self._backends]

    def _get_backend(self, device: Any) -> Backend:
        kind = torch.device(device).type
        if kind not in self._backends:
            raise RuntimeError(
                f"No backend type associated with device type {kind}: the group has "
                f"{', '.join(self._backends) or 'none'}"
            )
        return self._backends[kind][1]

    def _backend_id(self, backend_type: _BackendType) -> int:
        return next(id(b) for kind, b in self._backends.values() if kind == backend_type)

    def _all_backends(self) -> list[Backend]:
        """Every backend, once."""
        return list({id(b): b for _, b in self._backends.values()}.values())

    def _has_hooks(self) -> bool:
        return False

    def _ask(self, name: str, about: Any, *args: Any) -> Any:
        """What a backend answers: that of the tensors' class or of their device, or the first one."""
        first = _first_of(about)
        if first is not None and hasattr(first, "_collectives_of"):
            backend = first._collectives_of(self)
        elif first is not None:
            backend = self._get_backend(first.device)
        else:
            every = self._all_backends()
            if not every:
                raise RuntimeError(f"{name}: the process group has no backend")
            backend = every[0]
        return getattr(backend, name)(*args)

    def set_timeout(self, timeout: timedelta) -> None:
        """How long a collective may take from now on."""
        for backend in self._all_backends():
            backend.set_timeout(timeout)

    _set_timeout = set_timeout

    def shutdown(self) -> None:
        """Take no more calls."""
        for backend in self._all_backends():
            backend.shutdown()

    def abort(self) -> None:
        """Let everything that is going on fail."""
        for backend in self._all_backends():
            backend.abort()

    def _get_sequence_number_for_group(self) -> int:
        every = self._all_backends()
        return every[0]._get_sequence_number_for_group() if every else 0

    def _set_sequence_number_for_group(self) -> None:
        for backend in self._all_backends():
            backend._set_sequence_number_for_group()

    def _start_coalescing(self, device: Any) -> None:
        self._get_backend(device)._start_coalescing()

    def _end_coalescing(self, device: Any) -> Work:
        return self._get_backend(device)._end_coalescing()

    # -- collectives --
    def allreduce(
        self, tensors: Any, opts: Any = None, *, op: Any = None, timeout: Any = None
    ) -> Work:
        """Combine tensors of all; ``opts`` are options or an operation."""
        opts = _with(options.AllreduceOptions, opts, "reduceOp", op, timeout)
        tensors = _listed(tensors)
        return self._ask("allreduce", tensors, tensors, opts)  # type: ignore[no-any-return]

    def allreduce_coalesced(self, tensors: Any, opts: Any = None) -> Work:
        """The same for several tensors."""
        opts = opts or options.AllreduceCoalescedOptions()
        return self._ask("allreduce_coalesced", tensors, list(tensors), opts)  # type: ignore[no-any-return]

    def broadcast(
        self, tensors: Any, opts: Any = None, *, root: Any = None, timeout: Any = None
    ) -> Work:
        """Give one rank's tensors to all; ``opts`` are options or the rank."""
        opts = _with(options.BroadcastOptions, opts, "rootRank", root, timeout)
        tensors = _listed(tensors)
        return self._ask("broadcast", tensors, tensors, opts)  # type: ignore[no-any-return]

    def reduce(
        self, tensors: Any, opts: Any = None, op: Any = None, *, root: Any = None,
        timeout: Any = None,
    ) -> Work:  # fmt: skip
        """Combine tensors for one rank."""
        opts = _with(options.ReduceOptions, opts, "rootRank", root, timeout)
        if op is not None:
            opts.reduceOp = op
        tensors = _listed(tensors)
        return self._ask("reduce", tensors, tensors, opts)  # type: ignore[no-any-return]

    def allgather(
        self, outputs: Any, inputs: Any, opts: Any = None, *, timeout: Any = None
    ) -> Work:
        """Give every rank's tensor to all."""
        opts = _with(options.AllgatherOptions, opts, "timeout", None, timeout)
        if isinstance(inputs, torch.Tensor):
            outputs, inputs = [outputs], [inputs]
        return self._ask("allgather", inputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def _allgather_base(self, output: Any, own: Any, opts: Any = None) -> Work:
        opts = opts or options.AllgatherOptions()
        return self._ask("_allgather_base", own, output, own, opts)  # type: ignore[no-any-return]

    def allgather_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        """Give several tensors of every rank to all."""
        opts = opts or options.AllgatherOptions()
        return self._ask("allgather_coalesced", inputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def allgather_into_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        """The same, where one tensor takes what all ranks have."""
        opts = opts or options.AllgatherOptions()
        return self._ask("allgather_into_tensor_coalesced", inputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def gather(
        self, outputs: Any, inputs: Any, opts: Any = None, *, root: Any = None, timeout: Any = None
    ) -> Work:
        """Give every rank's tensor to one."""
        opts = _with(options.GatherOptions, opts, "rootRank", root, timeout)
        if isinstance(inputs, torch.Tensor):
            outputs, inputs = [outputs], [inputs]
        return self._ask("gather", inputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def scatter(
        self, outputs: Any, inputs: Any, opts: Any = None, *, root: Any = None, timeout: Any = None
    ) -> Work:
        """Give each rank a tensor of one."""
        opts = _with(options.ScatterOptions, opts, "rootRank", root, timeout)
        if isinstance(outputs, torch.Tensor):
            outputs, inputs = [outputs], [inputs]
        return self._ask("scatter", outputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def reduce_scatter(
        self, outputs: Any, inputs: Any, opts: Any = None, *, op: Any = None, timeout: Any = None
    ) -> Work:
        """Combine lists of tensors, of which each rank gets one."""
        opts = _with(options.ReduceScatterOptions, opts, "reduceOp", op, timeout)
        if isinstance(outputs, torch.Tensor):
            outputs, inputs = [outputs], [inputs]
        return self._ask("reduce_scatter", outputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def _reduce_scatter_base(self, output: Any, whole: Any, opts: Any = None) -> Work:
        opts = opts or options.ReduceScatterOptions()
        return self._ask("_reduce_scatter_base", output, output, whole, opts)  # type: ignore[no-any-return]

    def reduce_scatter_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        """Combine several tensors, of each of which every rank gets a part."""
        opts = opts or options.ReduceScatterOptions()
        return self._ask("reduce_scatter_tensor_coalesced", outputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def alltoall(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        """Give each rank one of the tensors."""
        opts = opts or options.AllToAllOptions()
        return self._ask("alltoall", outputs, outputs, inputs, opts)  # type: ignore[no-any-return]

    def alltoall_base(
        self, output: Any, whole: Any, output_split_sizes: Sequence[int] = (),
        input_split_sizes: Sequence[int] = (), opts: Any = None,
    ) -> Work:  # fmt: skip
        """The same for the parts of one tensor."""
        opts = opts or options.AllToAllOptions()
        splits = list(output_split_sizes), list(input_split_sizes)
        return self._ask("alltoall_base", output, output, whole, *splits, opts)  # type: ignore[no-any-return]

    def send(self, tensors: Any, dstRank: int, tag: int = 0) -> Work:
        """Send a tensor to a rank."""
        return self._ask("send", tensors, tensors, dstRank, tag)  # type: ignore[no-any-return]

    def recv(self, tensors: Any, srcRank: int, tag: int = 0) -> Work:
        """Receive a tensor from a rank."""
        return self._ask("recv", tensors, tensors, srcRank, tag)  # type: ignore[no-any-return]

    def recv_anysource(self, tensors: Any, tag: int = 0) -> Work:
        """Receive a tensor from anybody."""
        return self._ask("recv_anysource", tensors, tensors, tag)  # type: ignore[no-any-return]

    def barrier(self, opts: Any = None, *, timeout: Any = None) -> Work:
        """Wait until all have come."""
        opts = _with(options.BarrierOptions, opts, "timeout", None, timeout)
        return self._ask("barrier", None, opts)  # type: ignore[no-any-return]

    def monitored_barrier(
        self, timeout: timedelta | None = None, wait_all_ranks: bool = False
    ) -> None:
        """A barrier whose error names who did not come."""
        opts = _with(options.BarrierOptions, None, "timeout", None, timeout)
        self._ask("monitored_barrier", None, opts, wait_all_ranks)


def _with(kind: type, opts: Any, field: str, value: Any, timeout: timedelta | None) -> Any:
    """The options of a call; some programs give a value instead of them."""
    if not isinstance(opts, options.Options):
        given = {} if opts is None else {field: opts}
        opts = kind(**given)
    if value is not None:
        setattr(opts, field, value)
    if timeout is not None:
        opts.timeout = timeout
    return opts
