"""The usual communication hooks: plain averages, and averages in half precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.distributed._groups.world import world
from rushlight.distributed._reducer import GradBucket
from rushlight.futures import Future

__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]

Hook = Callable[[Any, GradBucket], Future[Any]]


def _averaged(group: Any, tensor: torch.Tensor) -> Future[Any]:
    asked = world.member(group).group
    tensor.div_(asked.size())
    return asked.allreduce([tensor]).get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """Average a bucket.

    Args:
        process_group: the processes; None for all
        bucket: the gradients
    """
    return _averaged(process_group, bucket.buffer())


def _compressed(group: Any, bucket: GradBucket, dtype: Any) -> Future[Any]:
    buffer = bucket.buffer()

    def back(future: Future[Any]) -> torch.Tensor:
        return buffer.copy_(future.value())

    return _averaged(group, buffer.to(dtype)).then(back)


def fp16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """Average a bucket in half precision."""
    return _compressed(process_group, bucket, torch.float16)


def bf16_compress_hook(process_group: Any, bucket: GradBucket) -> Future[Any]:
    """Average a bucket in bfloat16."""
    return _compressed(process_group, bucket, torch.bfloat16)


def _wrapped(hook: Hook, dtype: Any) -> Hook:
    def wrapper(state: Any, bucket: GradBucket) -> Future[Any]:
        whole = bucket.buffer()
        bucket.set_buffer(whole.to(dtype))

        def back(future: Future[Any]) -> torch.Tensor:
            result = future.value()
            bucket.set_buffer(whole)
            return whole.copy_(result[0] if isinstance(result, (list, tuple)) else result)

        return hook(state, bucket).then(back)

    return wrapper


def fp16_compress_wrapper(hook: Hook) -> Hook:
    """A hook that gets gradients in half precision."""
    return _wrapped(hook, torch.float16)


def bf16_compress_wrapper(hook: Hook) -> Hook:
    """A hook that gets gradients in bfloat16."""
    return _wrapped(hook, torch.bfloat16)
