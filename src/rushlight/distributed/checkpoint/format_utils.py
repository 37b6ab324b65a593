"""From checkpoints of several processes to files of `torch.save`, and back."""

from __future__ import annotations

import os
from typing import Any

import rushlight
from rushlight.distributed.checkpoint.default_planner import _EmptyStateDictLoadPlanner
from rushlight.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.state_dict_loader import _load_state_dict
from rushlight.distributed.checkpoint.state_dict_saver import _save_state_dict

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(
    dcp_checkpoint_dir: str | os.PathLike[str], torch_save_path: str | os.PathLike[str]
) -> None:
    """Write one file of `torch.save` from a checkpoint, all of which must fit in memory.

    Args:
        dcp_checkpoint_dir: the checkpoint
        torch_save_path: the file
    """
    held: dict[str, Any] = {}
    _load_state_dict(
        held, FileSystemReader(dcp_checkpoint_dir), no_dist=True,
        planner=_EmptyStateDictLoadPlanner(),
    )  # fmt: skip
    rushlight.save(held, torch_save_path)


def torch_save_to_dcp(
    torch_save_path: str | os.PathLike[str], dcp_checkpoint_dir: str | os.PathLike[str]
) -> None:
    """Write a checkpoint from a file of `torch.save`.

    Args:
        torch_save_path: the file
        dcp_checkpoint_dir: the checkpoint
    """
    held = rushlight.load(torch_save_path, weights_only=True)
    _save_state_dict(held, FileSystemWriter(dcp_checkpoint_dir), no_dist=True)
