"""How the caching allocator works, as programs say in ``PYTORCH_CUDA_ALLOC_CONF``: names and values, with commas."""

from __future__ import annotations

import os
import re
import warnings
from typing import NamedTuple

VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
_MIB = 1 << 20
_LEAST_SPLIT_MB = 20
# Those of PyTorch's that ask for nothing which is done otherwise here, or cannot be followed.
_UNUSED = (
    "roundup_power2_divisions", "roundup_bypass_threshold_mb", "release_lock_on_cudamalloc", "release_lock_on_hipmalloc",
    "pinned_use_cuda_host_register", "pinned_use_hip_host_register", "pinned_num_register_threads",
    "pinned_use_background_threads", "pinned_reserve_segment_size_mb", "graph_capture_record_stream_reuse",
)  # fmt: skip


class Settings(NamedTuple):
    """How the allocator works.

    Args:
        text: what was said
        expandable_segments: whether a segment grows when more is needed
        max_split_size: blocks from so many bytes on are not cut; 0 if all are
        garbage_collection_threshold: from what part of the memory on the oldest free segments go back; 0 for never
    """

    text: str = ""
    expandable_segments: bool = False
    max_split_size: int = 0
    garbage_collection_threshold: float = 0.0


def read(text: str) -> Settings:
    """Settings from a text such as ``expandable_segments:True,max_split_size_mb:64``."""
    found = Settings(text)
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        name, colon, value = (piece.strip() for piece in part.partition(":"))
        if not colon:
            raise ValueError(f"Error parsing allocator settings {text!r}: expected ':' in {part!r}")
        if name in _UNUSED:
            warnings.warn(f"the allocator's setting {name!r} changes nothing here", stacklevel=2)
        elif name == "backend":
            if value != "native":
                raise ValueError(f"the allocator's backend must be 'native', but got {value!r}")
        elif name == "expandable_segments":
            if value not in ("True", "False"):
                raise ValueError(f"expandable_segments must be True or False, but got {value!r}")
            found = found._replace(expandable_segments=value == "True")
        elif name == "max_split_size_mb":
            if not value.isdigit() or int(value) <= _LEAST_SPLIT_MB:
                raise ValueError(
                    f"max_split_size_mb too small, must be > {_LEAST_SPLIT_MB}, but got {value!r}"
                )
            found = found._replace(max_split_size=int(value) * _MIB)
        elif name == "garbage_collection_threshold":
            found = found._replace(garbage_collection_threshold=_fraction(name, value))
        else:
            raise ValueError(f"Unrecognized key '{name}' in allocator settings {text!r}")
    return found


def _fraction(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise ValueError(f"{name} must be between 0 and 1, but got {value!r}")
    return number


def of_environment() -> str:
    """What the environment says; the first of the variables that is there counts."""
    return next((os.environ[name] for name in VARIABLES if os.environ.get(name)), "")
