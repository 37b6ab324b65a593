"""Collectives of Python objects: they are pickled, and their bytes are sent as tensors."""

from __future__ import annotations

import inspect
import io
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any, TypeVar

import rushlight as torch
from rushlight.distributed._groups import calls
from rushlight.distributed._groups.calls import _is_outside, _member_rank, root_with_list
from rushlight.distributed._groups.world import world

__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
]


def _packed(value: Any) -> torch.Tensor:
    stream = io.BytesIO()
    pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    made = torch.frombuffer(bytearray(stream.getvalue()), dtype=torch.uint8)
    return made.to(torch.get_default_device())


def _unpacked(data: torch.Tensor) -> Any:
    # Who takes objects from other processes of its own program trusts them.
    return pickle.loads(data.cpu().numpy().tobytes())


Function = TypeVar("Function", bound=Callable[..., Any])


def _where_tensors_are(function: Function) -> Function:
    """Make new tensors where the group's backend takes them: on the host, unless it is only for another device."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind_partial(*args, **kwargs).arguments
        group = world.member(given.get("group")).group
        place = given.get("device")
        if place is None and "cpu" not in group._backends and group._backends:
            place = group.bound_device_id or next(iter(group._backends))
        with torch.device(place) if place is not None else nullcontext():
            return function(*args, **kwargs)

    signature = inspect.signature(function)
    return run  # type: ignore[return-value]


def _object_to_tensor(obj: Any, device: Any = None, group: Any = None) -> tuple[Any, Any]:
    data = _packed(obj)
    return data, torch.tensor([data.numel()])


def _tensor_to_object(tensor: torch.Tensor, tensor_size: Any, group: Any = None) -> Any:
    return _unpacked(tensor[: int(tensor_size)])


@_where_tensors_are
def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Give every process's object to all.

    Args:
        object_list: where they go; as long as there are processes
        obj: this process's
        group: the processes; None for all
    """
    if _is_outside(group, "all_gather_object"):
        return
    data = _packed(obj)
    pieces = _pieces(data, group)
    calls.all_gather(pieces, data, group)
    for k, piece in enumerate(pieces):
        object_list[k] = _unpacked(piece)


def _pieces(data: torch.Tensor, group: Any) -> list[torch.Tensor]:
    """Room for the bytes of every process."""
    lengths = torch.empty(world.member(group).group.size(), dtype=torch.int64)
    calls.all_gather_into_tensor(lengths, torch.tensor([data.numel()]), group)
    return [torch.empty(n, dtype=torch.uint8) for n in lengths.tolist()]


@_where_tensors_are
def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst: int | None = None,
) -> None:
    """Give every process's object to one.

    Args:
        obj: this process's
        object_gather_list: where they go, for who gets them
        dst: the global rank of who gets them; 0 if it is not said
        group: the processes; None for all
        group_dst: the rank in the group of who gets them, instead of ``dst``
    """
    if _is_outside(group, "gather_object"):
        return
    member = world.member(group)
    root, is_root = root_with_list(member, dst, group_dst, "dst", object_gather_list)
    data = _packed(obj)
    lengths = [piece.numel() for piece in _pieces(data, group)]
    longest = max(lengths)
    padded = torch.zeros(longest, dtype=torch.uint8)
    padded[: data.numel()] = data
    pieces = [torch.empty(longest, dtype=torch.uint8) for _ in lengths] if is_root else None
    calls.gather(padded, pieces, group=group, group_dst=root)
    if is_root:
        assert object_gather_list is not None and pieces is not None
        for k, length in enumerate(lengths):
            object_gather_list[k] = _unpacked(pieces[k][:length])


@_where_tensors_are
def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Give one process's list of objects to all.

    Args:
        object_list: what is sent, or where it goes; equally long everywhere
        src: the global rank of who sends; 0 if it is not said
        group: the processes; None for all
        device: where the bytes are while they are sent; where the group's backend takes them, if it is not said
        group_src: the rank in the group of who sends, instead of ``src``
    """
    if _is_outside(group, "broadcast_object_list"):
        return
    member = world.member(group)
    if src is None and group_src is None:
        src = 0
    root = _member_rank(member, src, group_src, "src")
    is_root = member.group.rank() == root
    pieces = [_packed(value) for value in object_list] if is_root else []
    lengths = torch.tensor([len(p) for p in pieces] if is_root else [0] * len(object_list))
    calls.broadcast(lengths, group=group, group_src=root)
    if is_root:
        whole = torch.cat(pieces) if pieces else torch.empty(0, dtype=torch.uint8)
    else:
        whole = torch.empty(int(lengths.sum()), dtype=torch.uint8)
    calls.broadcast(whole, group=group, group_src=root)
    if not is_root:
        for k, piece in enumerate(whole.split(lengths.tolist())):
            object_list[k] = _unpacked(piece)


@_where_tensors_are
def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Any = None,
    group_src: int | None = None,
) -> None:
    """Give each process one of the objects of one.

    Args:
        scatter_object_output_list: a list whose first item becomes this process's
        scatter_object_input_list: one for each process, for who gives them
        src: the global rank of who gives them; 0 if it is not said
        group: the processes; None for all
        group_src: the rank in the group of who gives them, instead of ``src``
    """
    if _is_outside(group, "scatter_object_list"):
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError(
            "Expected argument scatter_object_output_list to be a list of size at least 1."
        )
    member = world.member(group)
    if src is None and group_src is None:
        src = 0
    root = _member_rank(member, src, group_src, "src")
    is_root = member.group.rank() == root
    size = member.group.size()
    if is_root and (scatter_object_input_list is None or len(scatter_object_input_list) != size):
        raise ValueError(f"source rank must provide {size} objects, one for each rank")
    pieces = [_packed(value) for value in scatter_object_input_list or ()] if is_root else []
    lengths = torch.tensor([len(p) for p in pieces] if is_root else [0] * size)
    calls.broadcast(lengths, group=group, group_src=root)
    longest = int(lengths.max())
    padded = []
    for piece in pieces:
        padded.append(torch.zeros(longest, dtype=torch.uint8))
        padded[-1][: len(piece)] = piece
    own = torch.empty(longest, dtype=torch.uint8)
    calls.scatter(own, padded if is_root else None, group=group, group_src=root)
    scatter_object_output_list[0] = _unpacked(own[: int(lengths[member.group.rank()])])


@_where_tensors_are
def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send a list of objects to one process.

    Args:
        object_list: what is sent
        dst: the global rank of who gets it
        group: the processes; None for all
        device: where the bytes are while they are sent; where the group's backend takes them, if it is not said
        group_dst: the rank in the group of who gets it, instead of ``dst``
        use_batch: makes no difference: messages do not wait for each other
    """
    pieces = [_packed(value) for value in object_list]
    lengths = torch.tensor([len(piece) for piece in pieces])
    calls.send(lengths, dst, group, group_dst=group_dst)
    whole = torch.cat(pieces) if pieces else torch.empty(0, dtype=torch.uint8)
    calls.send(whole, dst, group, group_dst=group_dst)


@_where_tensors_are
def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive a list of objects, as long as the one given; who sent it.

    Args:
        object_list: where it goes
        src: the global rank of who sends it; anybody if it is not said
        group: the processes; None for all
        device: where the bytes are while they are sent; where the group's backend takes them, if it is not said
        group_src: the rank in the group of who sends it, instead of ``src``
        use_batch: makes no difference: messages do not wait for each other
    """
    lengths = torch.empty(len(object_list), dtype=torch.int64)
    sender = calls.recv(lengths, src, group, group_src=group_src)
    if sender < 0:
        return sender
    whole = torch.empty(int(lengths.sum()), dtype=torch.uint8)
    calls.recv(whole, sender, group)
    for k, piece in enumerate(whole.split(lengths.tolist())):
        object_list[k] = _unpacked(piece)
    return sender
