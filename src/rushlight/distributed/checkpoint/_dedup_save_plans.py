"""What several processes would write is written by one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from rushlight.distributed.checkpoint.metadata import MetadataIndex
from rushlight.distributed.checkpoint.planner import SavePlan

__all__ = ["dedup_save_plans"]


def dedup_save_plans(
    all_plans: list[SavePlan], save_to_lowest_rank: bool = False
) -> list[SavePlan]:
    """Plans in which each item is in one of those that had it: the one that has the fewest bytes yet.

    Args:
        all_plans: of all processes
        save_to_lowest_rank: let the first process that has it write it
    """
    owners: dict[MetadataIndex, list[int]] = defaultdict(list)
    sizes: dict[MetadataIndex, int] = {}
    for rank, plan in enumerate(all_plans):
        for item in plan.items:
            owners[item.index].append(rank)
            sizes[item.index] = item.tensor_storage_size() or 1
    kept: list[set[MetadataIndex]] = [set() for _ in all_plans]
    load = [0] * len(all_plans)
    # What only one process has is decided; the rest goes where it is lightest.
    for index, ranks in sorted(owners.items(), key=lambda entry: len(entry[1]) > 1):
        chosen = ranks[0] if save_to_lowest_rank else min(ranks, key=load.__getitem__)
        kept[chosen].add(index)
        load[chosen] += sizes[index]
    return [
        replace(plan, items=[item for item in plan.items if item.index in own])
        for plan, own in zip(all_plans, kept)
    ]
