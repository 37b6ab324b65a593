"""Whether cuDNN makes an attention, and if not, why; and what happens where nothing may."""

from __future__ import annotations

import math
import warnings
from typing import Any

from rushlight.engine.calls import attention as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.core import library_settings as settings
from rushlight.engine.core.tensor import place_of
from rushlight.engine.cuda import context, cudnn, cudnn_graph
from rushlight.engine.loops.library_attention import library_attention
from rushlight.engine.ops.attention import library

# Processors that it has engines for, and the widest heads.
_LEAST_CAPABILITY = (8, 0)
_WIDEST, _MULTIPLE = 128, 8
_PLAIN = keys.CUDA | keys.AUTOGRAD


def reason_against(
    query: Any, key: Any, value: Any, mask: Any, dropout: float, is_causal: bool, scale: float | None = None
) -> str:  # fmt: skip
    """Why cuDNN does not make an attention; nothing if it does."""
    if not settings.attention.cudnn:
        return "cuDNN attention has been runtime disabled."
    found = _reason_of_tensors(query, key, value) or _reason_of_settings(mask, dropout, is_causal)
    if found:
        return found
    device = query._storage_.device.index or 0
    facts = context.properties(device)
    if (facts["major"], facts["minor"]) < _LEAST_CAPABILITY:
        return f"cuDNN attention needs compute capability 8.0, and {facts['name']} has {facts['major']}.{facts['minor']}."
    version = cudnn.version()
    if version is None:
        return "cuDNN is not installed: pip install nvidia-cudnn-cu12 brings it."
    if version < cudnn_graph.LEAST_VERSION:
        return f"cuDNN attention needs version 9.17 of the library, and {version} is installed."
    if not _has_engine(query, key, value, _factor(query, scale), device):
        return "cuDNN has no engine for tensors of these sizes."
    return ""


def _reason_of_tensors(query: Any, key: Any, value: Any) -> str:
    tensors = query, key, value
    if any(x._keys_ & ~_PLAIN or not x._keys_ & keys.CUDA for x in tensors):
        return "cuDNN attention takes plain tensors on a GPU."
    if query.dtype not in (dtypes.float16, dtypes.bfloat16):
        return f"cuDNN attention takes half precision, and query is of {query.dtype}."
    sizes = [tuple(x.shape) for x in tensors]
    if any(len(size) != 4 or 0 in size for size in sizes):
        return f"cuDNN attention takes tensors of four dimensions that are not empty, and these have the sizes {sizes}."
    (batch, heads, _, width), _, (_, _, length, deep) = sizes
    if sizes[1] != (batch, heads, length, width) or sizes[2] != (batch, heads, length, deep):
        return f"cuDNN attention takes tensors of the same batch and heads, and these have the sizes {sizes}."
    if max(width, deep) > _WIDEST or width % _MULTIPLE or deep % _MULTIPLE:
        return (
            f"cuDNN attention takes heads of at most {_WIDEST} elements, a multiple of {_MULTIPLE}, and these have "
            f"{width} and {deep}."
        )
    for name, x in zip(("query", "key", "value"), tensors):
        if x.stride(3) != 1 or 0 in x.stride() or place_of(x) % cudnn_graph.ALIGNMENT:
            return (
                f"cuDNN attention takes heads whose elements lie side by side from a multiple of {cudnn_graph.ALIGNMENT} bytes "
                f"on; {name} has the strides {tuple(x.stride())}."
            )
    return ""


def _reason_of_settings(mask: Any, dropout: float, is_causal: bool) -> str:
    if mask is not None:
        return "cuDNN attention is used without attn_mask."
    if dropout > 0:
        return f"cuDNN attention is used without dropout, and dropout_p is {dropout}."
    return "cuDNN attention is used without is_causal." if is_causal else ""


def _has_engine(query: Any, key: Any, value: Any, scale: float, device: int) -> bool:
    """Whether the library has engines for both directions, as far as they are needed."""
    asked = library.forward_of(query, key, value, scale)
    if library_attention(device, asked.asked, "aten::_cudnn_attention") is None:
        return False
    if not any(x.requires_grad for x in (query, key, value)):
        return True
    back = library.backward_like(asked, scale)
    return library_attention(device, back, "aten::_attention_gradients") is not None


def _factor(query: Any, scale: float | None) -> float:
    return 1 / math.sqrt(query.size(-1)) if scale is None else scale


def attend(
    query: Any,
    key: Any,
    value: Any,
    mask: Any,
    dropout: float,
    is_causal: bool,
    scale: float | None,
) -> Any:
    """An attention by cuDNN; None if it is made of products and a softmax.

    Raises where programs allow cuDNN alone, and it does not make it.
    """
    reason = reason_against(query, key, value, mask, dropout, is_causal, scale)
    if not reason:
        return calls._cudnn_attention(query, key, value, _factor(query, scale))[0]
    allowed = settings.attention
    if not (allowed.flash or allowed.math or allowed.efficient):
        warnings.warn(reason, stacklevel=4)
        raise RuntimeError("No available kernel. Aborting execution.")
    return None
