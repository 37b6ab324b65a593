"""Collectives between GPUs of one process, by NCCL: each takes one tensor on each GPU."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.cuda import context, nccl, streams

__all__ = ["all_gather", "all_reduce", "broadcast", "reduce", "reduce_scatter"]

SUM = nccl.SUM


def is_available(tensors: Any) -> bool:
    """Whether collectives take tensors: dense ones in order, each on a GPU of its own.

    Args:
        tensors: one for each GPU
    """
    if not nccl.is_there():
        warnings.warn("PyTorch is not compiled with NCCL support", stacklevel=2)
        return False
    taken = [t.get_device() for t in tensors if t.is_cuda and not t.is_sparse and t.is_contiguous()]
    return len(taken) == len(tensors) == len(set(taken))


def version() -> tuple[int, ...]:
    """The version of NCCL."""
    _needed()
    return nccl.version()


def unique_id() -> bytes:
    """A new name for the ranks of a communicator."""
    _needed()
    return nccl.unique_id()


def init_rank(num_ranks: int, uid: bytes, rank: int) -> nccl.Communicator:
    """A communicator on the current GPU; made when all ranks make theirs.

    Args:
        num_ranks: how many ranks there are
        uid: what `unique_id` has given one of them
        rank: which one this is
    """
    _needed()
    if not isinstance(uid, bytes) or len(uid) != nccl.ID_BYTES:
        raise RuntimeError(
            f"invalid unique_id: a bytes object of length {nccl.ID_BYTES} is expected, as unique_id() gives it"
        )
    with context.on(context.current()):
        return nccl.Communicator(num_ranks, uid, rank)


def all_reduce(
    inputs: Any, outputs: Any = None, op: int = SUM, streams: Any = None, comms: Any = None
) -> None:
    """The sum, or another fold, of all inputs to each output.

    Args:
        inputs: a tensor on each GPU
        outputs: where the results go; the inputs if None
        op: the number of the fold
        streams: which stream each GPU uses; the current ones if None
        comms: their communicators, as `init_rank` gives them; some of NCCL's for these GPUs if None
    """
    _check_sequence(inputs)
    outputs = inputs if outputs is None else outputs
    _check_sequence(outputs)
    _check(inputs, outputs, 1, 1)

    def queue(k: int, comm: nccl.Communicator, stream: int) -> None:
        comm.all_reduce(_place(inputs[k]), _place(outputs[k]), inputs[k].numel(), kind, op, stream)

    kind = _kind(inputs[0])
    _together(inputs, streams, comms, queue)


def reduce(
    inputs: Any, output: Any = None, root: int = 0, op: int = SUM, streams: Any = None, comms: Any = None,
    *, outputs: Any = None,
) -> None:  # fmt: skip
    """The sum, or another fold, of all inputs to one output.

    Args:
        inputs: a tensor on each GPU
        output: where the result goes, on the root's GPU; the root's input if None
        root: which input is the root's
        op: the number of the fold
        streams: which stream each GPU uses; the current ones if None
        comms: their communicators; some of NCCL's for these GPUs if None
        outputs: the former name for a list of outputs, of which the root's is taken
    """
    _check_sequence(inputs)
    if outputs is not None and output is not None:
        raise ValueError(
            "'output' and 'outputs' can not be both specified: 'output' takes a single tensor, and "
            "'outputs' is its deprecated form"
        )
    if outputs is None and isinstance(output, Sequence):
        outputs, output = output, None
    if outputs is not None:
        warnings.warn(
            "nccl.reduce with an output tensor list is deprecated. Please specify a single output tensor.",
            FutureWarning, stacklevel=2,
        )  # fmt: skip
        output = outputs[root]
    _check_root(inputs, root)
    target = inputs[root] if output is None else output
    _check(inputs, [target if k == root else None for k in range(len(inputs))], 1, 1)

    def queue(k: int, comm: nccl.Communicator, stream: int) -> None:
        # Only the root's place is written.
        into = _place(target if k == root else inputs[k])
        comm.reduce(_place(inputs[k]), into, inputs[k].numel(), kind, op, root, stream)

    kind = _kind(inputs[0])
    _together(inputs, streams, comms, queue)


def broadcast(inputs: Any, root: int = 0, streams: Any = None, comms: Any = None) -> None:
    """Copy the root's tensor to all others.

    Args:
        inputs: a tensor on each GPU
        root: which of them is copied
        streams: which stream each GPU uses; the current ones if None
        comms: their communicators; some of NCCL's for these GPUs if None
    """
    _check_sequence(inputs)
    _check_root(inputs, root)
    _check(inputs, inputs, 1, 1)

    def queue(k: int, comm: nccl.Communicator, stream: int) -> None:
        comm.broadcast(_place(inputs[k]), _place(inputs[k]), inputs[k].nbytes, root, stream)

    _together(inputs, streams, comms, queue)


def all_gather(inputs: Any, outputs: Any, streams: Any = None, comms: Any = None) -> None:
    """All inputs, one behind the other, to each output.

    Args:
        inputs: a tensor on each GPU
        outputs: where the results go
        streams: which stream each GPU uses; the current ones if None
        comms: their communicators; some of NCCL's for these GPUs if None
    """
    _check_sequence(inputs)
    _check_sequence(outputs)
    _check(inputs, outputs, len(inputs), 1)

    def queue(k: int, comm: nccl.Communicator, stream: int) -> None:
        comm.all_gather(_place(inputs[k]), _place(outputs[k]), inputs[k].nbytes, stream)

    _together(inputs, streams, comms, queue)


def reduce_scatter(
    inputs: Any, outputs: Any, op: int = SUM, streams: Any = None, comms: Any = None
) -> None:
    """The sum, or another fold, of all inputs, of which each output gets a part.

    Args:
        inputs: a tensor on each GPU
        outputs: where the parts go
        op: the number of the fold
        streams: which stream each GPU uses; the current ones if None
        comms: their communicators; some of NCCL's for these GPUs if None
    """
    _check_sequence(inputs)
    _check_sequence(outputs)
    _check(inputs, outputs, 1, len(inputs))

    def queue(k: int, comm: nccl.Communicator, stream: int) -> None:
        count = outputs[k].numel()
        comm.reduce_scatter(_place(inputs[k]), _place(outputs[k]), count, kind, op, stream)

    kind = _kind(inputs[0])
    _together(inputs, streams, comms, queue)


def _together(
    inputs: Sequence[Any], given: Any, comms: Any, queue: Callable[[int, nccl.Communicator, int], None]
) -> None:  # fmt: skip
    """Let NCCL queue a call for each GPU; none of them waits for another."""
    devices = [x.get_device() for x in inputs]
    for what, listed in (("streams", given), ("comms", comms)):
        if listed is not None and len(listed) != len(inputs):
            raise RuntimeError(
                f"number of {what} ({len(listed)}) must be that of inputs ({len(inputs)})"
            )
    known = nccl.communicators(tuple(devices)) if comms is None else comms
    with nccl.group():
        for k, device in enumerate(devices):
            own = None if given is None else given[k]
            stream = streams.current(device).handle if own is None else own.cuda_stream
            with context.on(device):
                queue(k, known[k], stream)


def _needed() -> None:
    if not nccl.is_there():
        raise RuntimeError("PyTorch built without NCCL support")


def _check_sequence(inputs: Any) -> None:
    from rushlight import Tensor

    if not isinstance(inputs, Container) or isinstance(inputs, Tensor):
        raise TypeError("Inputs should be a collection of tensors")


def _check_root(inputs: Sequence[Any], root: int) -> None:
    if not 0 <= root < len(inputs):
        raise RuntimeError(f"invalid root: {root} is not between 0 and {len(inputs) - 1}")


def _check(inputs: Sequence[Any], outputs: Sequence[Any], more: int, fewer: int) -> None:
    """Refuse what NCCL cannot take: an output has `more` times the elements of an input, or `fewer` times less."""
    _needed()
    if not len(inputs):
        raise RuntimeError("input sequence can't be empty")
    if len(inputs) != len(outputs):
        raise RuntimeError(
            "inputs and outputs sequences have to be of the same length, but got input of length "
            f"{len(inputs)} and output of length {len(outputs)}"
        )
    taken: set[int] = set()
    for x, out in zip(inputs, outputs):
        if x.get_device() in taken:
            raise RuntimeError("inputs must be on unique devices")
        taken.add(x.get_device())
        _check_one(x, inputs[0].dtype)
        if x.numel() != inputs[0].numel():
            raise RuntimeError("all inputs must have the same number of elements")
        if out is None:
            continue
        _check_one(out, inputs[0].dtype)
        if out.get_device() != x.get_device():
            raise RuntimeError("input and output must be on the same device")
        if out.numel() * fewer != x.numel() * more:
            raise RuntimeError("output must be of size input_size * size_multiplier")


def _check_one(tensor: Any, kind: Any) -> None:
    if not tensor.is_cuda or tensor.is_sparse:
        raise RuntimeError("input and output elements have to be cuda dense Tensors")
    if tensor.dtype != kind:
        raise RuntimeError("all inputs and outputs must be of the same Tensor dtype")
    if not tensor.is_contiguous():
        raise RuntimeError("all inputs and outputs must be contiguous")


def _kind(tensor: Any) -> int:
    """The library's number of an element type."""
    memory = "u8" if tensor.dtype is dtypes.bool_ else tensor.dtype.memory
    if memory not in nccl.TYPES:
        from rushlight.engine.loops.promotion import title

        raise RuntimeError(f"Unconvertible NCCL type {title(tensor.dtype)}")
    return nccl.TYPES[memory]


def _place(tensor: Any) -> int:
    return int(tensor.data_ptr())
