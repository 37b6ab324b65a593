"""What calls and answers are while they travel: pickles, the elements of tensors beside them as they lie in memory."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import rushlight
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor


class Parts(NamedTuple):
    """An object on its way.

    Args:
        body: its pickle
        buffers: the elements of its tensors
    """

    body: Any
    buffers: list[Any]


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is not Tensor or not _is_plain(obj):
            return NotImplemented
        given: Any = obj.detach().contiguous()  # type: ignore[attr-defined]
        elements = pickle.PickleBuffer(given.reshape(-1).view(rushlight.uint8).numpy())
        return _tensor, (elements, given.dtype._name, tuple(given.size()), obj.requires_grad)  # type: ignore[attr-defined]


def _is_plain(tensor: Any) -> bool:
    """Whether a tensor is nothing but elements in memory."""
    return (
        tensor.layout is rushlight.strided
        and tensor.device.type == "cpu"
        and not tensor.is_quantized
        and not tensor.is_conj()
        and not tensor.is_neg()
        and tensor.numel() > 0
        and tensor.grad is None
        and not vars(tensor)
    )


def _tensor(elements: _Room, dtype: str, size: tuple[int, ...], requires_grad: bool) -> Any:
    made = elements.tensor.view(dtypes.named(dtype)).view(size)
    return made.requires_grad_() if requires_grad else made


def packed(obj: Any) -> Parts:
    """An object as it is sent."""
    stream = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    _Pickler(stream, 5, buffer_callback=buffers.append).dump(obj)
    return Parts(stream.getbuffer(), [buffer.raw() for buffer in buffers])


def unpacked(parts: Parts) -> Any:
    """The object that was sent."""
    return pickle.loads(parts.body, buffers=parts.buffers)


class _Room(np.ndarray):
    """Bytes that arrive, as an array for whoever asks for a buffer, and as the tensor whose memory they are in."""

    tensor: Any


def room(sizes: Sequence[int]) -> list[Any]:
    """Memory for elements that arrive; it is not cleared first, and mostly was in use before."""
    made = []
    for size in sizes:
        tensor: Any = rushlight.empty(size, dtype=rushlight.uint8)
        found = tensor.numpy().view(_Room)
        found.tensor = tensor
        made.append(found)
    return made
