"""Groups come and go: the group of all processes, groups of some of them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import rushlight as torch
from rushlight.distributed._groups import backend as backends
from rushlight.distributed._groups.backends import (
    Backend,
    BackendConfig,
    BackendOptions,
    has_nccl,
    make_backend,
)
from rushlight.distributed._groups.machines import machines_of_all
from rushlight.distributed._groups.process_group import BackendType, ProcessGroup
from rushlight.distributed._groups.world import GroupMember, Member, world
from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.leaving import leave
from rushlight.distributed._stores.table import HashStore
from rushlight.distributed.constants import default_pg_timeout
from rushlight.distributed.rendezvous import launcher_local_rank, rendezvous

__all__ = [
    "destroy_process_group",
    "get_backend",
    "get_backend_config",
    "get_default_backend_for_device",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_pg_count",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_initialized",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "split_group",
]

# Seconds for which a process stays for others that still ask its store when it leaves all groups.
_LONGEST_FAREWELL = 3.0


def is_initialized() -> bool:
    """Whether there is a group of all processes."""
    return world.default is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Make the group of all processes.

    Args:
        backend: what does the collectives: ``"gloo"`` (shared memory), ``"mpi"``, ``"fake"``, a program's own,
            or pairs such as ``"cpu:gloo"``
        init_method: a URL by which the processes find each other; ``"env://"`` if neither it nor a store is given
        timeout: how long a collective may take; half an hour if it is not said
        world_size: how many processes there are
        rank: this one's rank
        store: by which they find each other, instead of a URL
        group_name: not used any more
        pg_options: for a program's own backend
        device_id: the device that this process uses
    """
    if world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    timeout = _checked(timeout)
    asked = Backend(backend) if backend is not None else Backend("undefined")
    if asked == Backend.FAKE and store is None and init_method is None:
        # there is nobody to find
        store = HashStore()
    if asked == Backend.MPI:
        rank, world_size, store = _by_mpi(rank, world_size)
    elif store is not None:
        if world_size <= 0:
            raise AssertionError("world_size must be positive if using store")
        if rank < 0:
            raise AssertionError("rank must be non-negative if using store")
    else:
        world.init_method = init_method or "env://"
        found = rendezvous(world.init_method, rank, world_size, timeout=timeout)
        store, rank, world_size = next(found)
        store.set_timeout(timeout)
    if rank >= world_size:
        raise ValueError(f"rank {rank} is not below the number of processes, {world_size}")
    if (
        asked == Backend.UNDEFINED
        or Backend.GLOO in BackendConfig(asked).device_backend_map.values()
    ):
        world.machines = machines_of_all(store, rank, world_size, timeout)
    world.default, _ = _make(
        "default_pg", asked, range(world_size), rank, store, timeout, pg_options, device_id
    )


def _by_mpi(rank: int, world_size: int) -> tuple[int, int, Store]:
    from rushlight.distributed._groups import mpi

    for given, found in ((rank, mpi.rank()), (world_size, mpi.size())):
        if given not in (-1, found):
            raise ValueError(
                f"MPI has started rank {mpi.rank()} of {mpi.size()}, which does not go with rank={rank}, "
                f"world_size={world_size}; leave them out for backend 'mpi'"
            )
    return mpi.rank(), mpi.size(), HashStore()


def _checked(timeout: timedelta | None) -> timedelta:
    if timeout is None:
        return default_pg_timeout
    if not isinstance(timeout, timedelta):
        raise TypeError(
            f"Expected timeout argument to be of type datetime.timedelta, got {timeout}"
        )
    return timeout


def _make(
    description: str,
    backend: Backend,
    ranks: Sequence[int],
    rank: int,
    store: Store,
    timeout: timedelta,
    pg_options: Any = None,
    device_id: Any = None,
    name: str | None = None,
) -> tuple[ProcessGroup, Store]:
    """Make a group that this process belongs to, and register it."""
    device = None if device_id is None else _accelerator(device_id)
    # all processes make groups in the same order
    name = world.next_name() if name is None else name
    own_store = PrefixStore(name, store)
    group = ProcessGroup(own_store, rank, len(ranks))
    config = BackendConfig(backend)
    made: dict[str, Any] = {}
    for device_type, kind in config.device_backend_map.items():
        if not _is_wanted(device_type, kind, config):
            continue
        if kind not in made:
            told = BackendOptions(
                PrefixStore(kind, own_store), rank, len(ranks), timeout, name, ranks
            )
            made[kind] = make_backend(kind, group, told, pg_options, world.machines)
        if isinstance(made[kind], ProcessGroup):
            # a program's own group is the group
            group = made[kind]
            break
        group._register_backend(device_type, Backend.backend_type_map[kind], made[kind])
    default = next(iter(made), Backend.UNDEFINED)
    if backends.Backend in type(group).__mro__ or type(group) is ProcessGroup:
        group._set_default_backend(Backend.backend_type_map.get(default, BackendType.CUSTOM))
    group._set_group_desc(description)
    for own in group._all_backends():
        if isinstance(own, backends.Backend):
            own.tell_group(name, description, ranks)
    if device is not None:
        group.bound_device_id = device
        for made_backend in group._all_backends():
            made_backend.eager_connect_single_device(device)
    shown = str(backend) if backend != Backend.UNDEFINED else str(default)
    world.add(Member(group, shown, repr(config), own_store, tuple(ranks)), name)
    return group, own_store


def _accelerator(device_id: Any) -> torch.device:
    """The device that a process uses, checked as PyTorch does."""
    device = torch.device(device_id)
    if device.index is None or device.type == "cpu":
        raise ValueError(
            "init_process_group device_id parameter must be an accelerator with an index, got "
            f"{device}"
        )
    return device


def _is_wanted(device: str, kind: str, config: BackendConfig) -> bool:
    """Whether a backend is to be made for a device: not if the device is absent and others are asked for."""
    others = set(config.device_backend_map.values()) - {kind}
    present = device in ("cpu", "meta") or kind in Backend._plugins or not others
    return present or kind == Backend.FAKE or (kind == Backend.NCCL and has_nccl())


def destroy_process_group(group: Any = None) -> None:
    """Leave a group, or all of them.

    Args:
        group: the group; None for all
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    member = world.member(group)
    if group is None or member.group is world.default:
        # the newest first: it may stand on an older one
        for other in reversed(list(world.members)):
            _shut_down(other)
        if member.store is not None and sys.exc_info()[0] is None:
            leave(member.store, member.group.size(), _LONGEST_FAREWELL)
        world.clear()
    else:
        _shut_down(member.group)
        world.remove(member.group)


def _shut_down(group: ProcessGroup) -> None:
    # a program's own group may have nothing to shut down
    with contextlib.suppress(NotImplementedError):
        group.shutdown()


# -- facts --


def get_rank(group: Any = None) -> int:
    """This process's rank in a group; -1 if it is not in it."""
    if group == GroupMember.NON_GROUP_MEMBER:
        return -1
    return world.member(group).group.rank()


def get_world_size(group: Any = None) -> int:
    """How many processes a group has; -1 if this one is not in it."""
    if group == GroupMember.NON_GROUP_MEMBER:
        return -1
    return world.member(group).group.size()


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's rank among those of its machine, as its launcher says.

    Args:
        fallback_rank: what to give if it does not say
    """
    found = launcher_local_rank()
    if found is not None:
        return int(found)
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work, assuming you are not running in a multi-device context"
    )


def get_backend(group: Any = None) -> Backend:
    """The backend of a group."""
    if group == GroupMember.NON_GROUP_MEMBER:
        raise ValueError("Invalid process group specified")
    return Backend(world.member(group).backend)


def get_backend_config(group: Any = None) -> str:
    """The backend of each kind of device of a group."""
    return world.member(group).config


def get_default_backend_for_device(device: Any) -> str:
    """The backend that serves a kind of device if nobody says which."""
    kind = device.type if isinstance(device, torch.device) else str(device).partition(":")[0]
    found = Backend.default_device_backend_map.get(kind)
    if not found:
        raise ValueError(f"Default backend not registered for device : {device}")
    return found


def get_process_group_ranks(group: Any) -> list[int]:
    """The global rank of each rank of a group."""
    return list(world.member(group).ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group of a global rank."""
    if group is world.default or group is None:
        return global_rank
    return world.member(group).rank_of(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The global rank of a group's rank."""
    ranks = world.member(group).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_pg_count() -> int:
    """How many groups there are."""
    return len(world.members)


# -- groups of some --


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
) -> Any:
    """Make a group of some processes. All of them call this, in the same order, members or not.

    Args:
        ranks: the global ranks of its members; None for all
        timeout: how long its collectives may take
        backend: what does them; the first group's if it is not said
        pg_options: for a program's own backend
        use_local_synchronization: whether only members call this
        group_desc: what it is for
        device_id: the device that this process uses
    """
    everybody = world.member(None)
    members = list(everybody.ranks) if ranks is None else [int(rank) for rank in ranks]
    if len(set(members)) != len(members):
        raise ValueError("The new group's rank list has duplicates")
    size = everybody.group.size()
    if len(members) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by "
            "init_process_group"
        )
    for member in members:
        if not 0 <= member < size:
            raise ValueError(
                f"The new group's rank {member} should be within the world_size {size}"
            )
    # A group keeps the order of global ranks.
    return _new(
        sorted(members), timeout, backend, pg_options, group_desc, device_id,
        by_members=use_local_synchronization,
    )  # fmt: skip


def _new(
    ranks: list[int],
    timeout: timedelta | None,
    backend: str | None,
    pg_options: Any,
    group_desc: str | None,
    device_id: Any = None,
    by_members: bool = False,
) -> Any:
    everybody = world.member(None)
    own = everybody.group.rank()
    name = _name_by_members(ranks) if by_members else world.next_name()
    base, timeout = everybody.store, _checked(timeout)
    assert base is not None
    made: Any = GroupMember.NON_GROUP_MEMBER
    if own in ranks:
        made, _ = _make(
            group_desc or "undefined",
            Backend(backend or everybody.backend),
            ranks,
            ranks.index(own),
            base,
            timeout,
            pg_options,
            device_id,
            name=name,
        )
    if not by_members:
        _meet(everybody, timeout)
    return made


def _meet(everybody: Member, timeout: timedelta) -> None:
    """Wait until all processes have made a group: none may leave while others still need its store for that."""
    store, size = everybody.store, everybody.group.size()
    assert store is not None
    if everybody.backend == Backend.MPI:
        # each process has a store of its own, and MPI's end waits for all
        everybody.group.barrier().wait()
    elif everybody.backend != Backend.FAKE:
        arrivals = store.add("made/arrivals", 1)
        meeting = (arrivals - 1) // size
        if arrivals % size == 0:
            store.set(f"made/{meeting}", "1")
            if meeting:
                # all who come to this meeting have seen the end of the one before
                with contextlib.suppress(NotImplementedError):
                    store.delete_key(f"made/{meeting - 1}")
        store.wait([f"made/{meeting}"], timeout)


_made_by_members: dict[str, int] = {}


def _name_by_members(ranks: list[int]) -> str:
    """A name that members agree on without asking others: how many groups of these there were."""
    known = hashlib.sha256(str(ranks).encode()).hexdigest()[:16]
    count = _made_by_members[known] = _made_by_members.get(known, -1) + 1
    return f"{known}_{count}"


def split_group(
    parent_pg: ProcessGroup | None = None,
    split_ranks: list[list[int]] | None = None,
    timeout: timedelta | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> ProcessGroup | None:
    """Divide a group; every rank gets the part that it is in, or None.

    Args:
        parent_pg: the group; None for all
        split_ranks: the parts, in ranks of the group
        timeout: how long collectives of a part may take
        pg_options: for a program's own backend
        group_desc: what the parts are for
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    parent = world.member(parent_pg)
    every = [rank for part in split_ranks for rank in part]
    if len(set(every)) != len(every):
        raise ValueError("the parts of a group cannot have ranks in common")
    own = parent.group.rank()
    mine = next((part for part in split_ranks if own in part), None)
    if mine is None:
        return None
    ranks = sorted(parent.ranks[rank] for rank in mine)
    made: ProcessGroup = _new(
        ranks, timeout, parent.backend, pg_options, group_desc or f"{parent.group.group_desc}:split",
        by_members=True,
    )  # fmt: skip
    return made


def new_subgroups(
    group_size: int | None = None,
    group: Any = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Divide all processes into groups of neighbours; this one's, and all.

    Args:
        group_size: how many each has; the processes of a machine if it is not said
        group: whose processes; None for all
        timeout: how long their collectives may take
        backend: what does them
        pg_options: for a program's own backend
        group_desc: what they are for
    """
    ranks = world.member(group).ranks
    if group_size is None:
        group_size = int(os.environ.get("LOCAL_WORLD_SIZE", len(ranks)))
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if len(ranks) < group_size:
        raise ValueError(
            f"The arg 'group_size' ({group_size}) must not exceed the world size ({len(ranks)})"
        )
    if len(ranks) % group_size:
        raise ValueError(f"The world size ({len(ranks)}) must be divisible by '{group_size=}'")
    parts = [list(ranks[k : k + group_size]) for k in range(0, len(ranks), group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Make groups that have no process in common; this process's, and all.

    Args:
        ranks_per_subgroup_list: the global ranks of each
        timeout: how long their collectives may take
        backend: what does them
        pg_options: for a program's own backend
        group_desc: what they are for
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    seen: dict[int, int] = {}
    made, own = [], None
    for k, ranks in enumerate(ranks_per_subgroup_list):
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {k}")
            seen[rank] = k
    for ranks in ranks_per_subgroup_list:
        group = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        made.append(group)
        if get_rank() in ranks:
            own = group
    return own, made
