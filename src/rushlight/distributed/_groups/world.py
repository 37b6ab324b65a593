"""The groups of this process: their names, members, stores and backends."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from rushlight.distributed._groups.machines import Machine
from rushlight.distributed._groups.process_group import ProcessGroup
from rushlight.distributed._stores.base import Store

__all__ = ["GroupMember", "Member", "World", "group", "world"]


class Member(NamedTuple):
    """What is known of a group that this process belongs to.

    Args:
        group: the group
        backend: what its backend is called, as it was asked for
        config: the backend of each device
        store: its store
        ranks: the global rank of each of its ranks
    """

    group: ProcessGroup
    backend: str
    config: str
    store: Store | None
    ranks: tuple[int, ...]

    def rank_of(self, global_rank: int) -> int:
        """The rank in the group of a global rank."""
        try:
            return self.ranks.index(global_rank)
        except ValueError:
            raise ValueError(
                f"Global rank {global_rank} is not part of group {self.group.group_name}"
            ) from None


class World:
    """All groups. The first one is the group of all processes."""

    def __init__(self) -> None:
        self.default: ProcessGroup | None = None
        self.members: dict[ProcessGroup, Member] = {}
        self.by_name: weakref.WeakValueDictionary[str, ProcessGroup] = weakref.WeakValueDictionary()
        self.count = 0
        self.init_method: str | None = None
        # of each process; empty if nothing depends on it
        self.machines: list[Machine] = []

    @property
    def default_pg(self) -> ProcessGroup | None:
        """The group of all processes."""
        return self.default

    def add(self, member: Member, name: str) -> None:
        """Register a group."""
        member.group._set_group_name(name)
        self.members[member.group] = member
        self.by_name[name] = member.group

    def remove(self, group: ProcessGroup) -> None:
        """Forget a group."""
        member = self.members.pop(group, None)
        if member is not None:
            self.by_name.pop(member.group.group_name, None)
        if group is self.default:
            self.default = None

    def clear(self) -> None:
        """Forget all."""
        self.members.clear()
        self.by_name.clear()
        self.default, self.count, self.init_method, self.machines = None, 0, None, []

    def next_name(self) -> str:
        """The name of the next group; all processes make groups in the same order."""
        name = str(self.count)
        self.count += 1
        return name

    def member(self, group: Any) -> Member:
        """What is known of a group; of the group of all for None."""
        if group is None:
            group = self.default
            if group is None:
                raise ValueError(
                    "Default process group has not been initialized, please make sure to call "
                    "init_process_group."
                )
        found = self.members.get(group)
        if found is None:
            raise ValueError(f"Group {group} is not registered, please create group first")
        return found


world = World()


class _WorldMeta(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The group of all processes."""
        return world.default

    @WORLD.setter
    def WORLD(cls, group: ProcessGroup | None) -> None:
        world.default = group


class group(metaclass=_WorldMeta):
    """Groups by name: ``group.WORLD`` is that of all processes."""


class GroupMember(metaclass=_WorldMeta):
    """What a process gets that is not in a group."""

    NON_GROUP_MEMBER: Any = -100
