"""Which stage is whose: looped (0 1 0 1) or in the shape of a V (0 1 1 0)."""

from __future__ import annotations

__all__ = ["generate_rank_to_stage_mapping", "generate_stage_to_rank_mapping"]


def generate_stage_to_rank_mapping(
    pp_size: int, num_stages: int, style: str = "loop"
) -> dict[int, int]:
    """The rank of each stage.

    Args:
        pp_size: how many ranks there are
        num_stages: how many stages there are
        style: "loop", where ranks come in the same order again and again, or "v", where they turn round at each end
    """
    if style == "loop":
        return {stage: stage % pp_size for stage in range(num_stages)}
    if style != "v":
        raise ValueError(f"Style {style} is not supported.")
    if num_stages % pp_size != 0:
        raise ValueError(
            f"num_stages {num_stages} must be evenly divisible by pp_size {pp_size} for V schedules"
        )
    there = range(pp_size)
    return {
        stage: (there if stage // pp_size % 2 == 0 else there[::-1])[stage % pp_size]
        for stage in range(num_stages)
    }


def generate_rank_to_stage_mapping(
    pp_size: int, num_stages: int, style: str = "loop"
) -> dict[int, list[int]]:
    """The stages of each rank, in order.

    Args:
        pp_size: how many ranks there are
        num_stages: how many stages there are
        style: as for `generate_stage_to_rank_mapping`
    """
    stages: dict[int, list[int]] = {}
    for stage, rank in generate_stage_to_rank_mapping(pp_size, num_stages, style).items():
        stages.setdefault(rank, []).append(stage)
    return stages
