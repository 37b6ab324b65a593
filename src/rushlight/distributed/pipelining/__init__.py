"""Pipelines: the stages of a module on several ranks, through which microbatches go."""

from rushlight.distributed.pipelining import _IR
from rushlight.distributed.pipelining._IR import Pipe, SplitPoint, pipe_split
from rushlight.distributed.pipelining.schedules import (
    Schedule1F1B,
    ScheduleDualPipeV,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleInterleavedZeroBubble,
    ScheduleLoopedBFS,
    ScheduleZBVZeroBubble,
)
from rushlight.distributed.pipelining.stage import PipelineStage

# Not there yet; their use says so.
build_stage = vars(_IR)["build_stage"]
pipeline = vars(_IR)["pipeline"]

__all__ = [
    "Pipe",
    "PipelineStage",
    "Schedule1F1B",
    "ScheduleDualPipeV",
    "ScheduleGPipe",
    "ScheduleInterleaved1F1B",
    "ScheduleInterleavedZeroBubble",
    "ScheduleLoopedBFS",
    "ScheduleZBVZeroBubble",
    "SplitPoint",
    "build_stage",
    "pipe_split",
    "pipeline",
]
