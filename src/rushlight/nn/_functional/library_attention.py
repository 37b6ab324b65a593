"""Whether cuDNN makes an attention, and if not, why; and what happens where nothing may."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rushlight._subclasses.fakes import FakeTensor
from rushlight._subclasses.functional_tensor import FunctionalTensor
from rushlight.engine.calls import attention as calls
from rushlight.engine.calls import sampling
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.core import library_settings as settings
from rushlight.engine.core.tensor import place_of
from rushlight.engine.cuda import context, cudnn, cudnn_graph
from rushlight.engine.loops.library_attention import library_attention
from rushlight.engine.ops.attention import library
from rushlight.nn._functional import masks

# Processors that it has engines for, and the widest heads.
_LEAST_CAPABILITY = (8, 0)
_WIDEST, _MULTIPLE = 128, 8
_PLAIN = keys.CUDA | keys.AUTOGRAD
# What stands for tensors while a program is traced.
_TRACED = (FakeTensor, FunctionalTensor)


class Asked(NamedTuple):
    """What `scaled_dot_product_attention` is asked for, of tensors on a GPU."""

    query: Any
    key: Any
    value: Any
    mask: Any
    dropout: float
    is_causal: bool
    scale: float | None
    enable_gqa: bool

    @property
    def settings(self) -> library.Settings:
        scale = 1 / math.sqrt(self.query.size(-1)) if self.scale is None else self.scale
        return library.Settings(scale, self.is_causal, float(self.dropout))

    @property
    def wants_gradient(self) -> bool:
        return any(x.requires_grad for x in (self.query, self.key, self.value))

    def with_added_mask(self) -> Asked:
        """The same with numbers to be added as its mask, which has one row for all that share it."""
        mask = masks.added(self.mask, self.query, self.key)
        for d in (0, 1):
            if mask is not None and not mask.stride(d):
                mask = mask.narrow(d, 0, 1)
        return self._replace(mask=mask)

    def written_out(self) -> Asked:
        """The same with a head of keys for each head of queries, and a mask of all queries and keys in order."""
        each = self.query.size(1) // self.key.size(1)
        key, value = (
            x if each == 1 else x.repeat_interleave(each, 1) for x in (self.key, self.value)
        )
        mask = self.mask
        if mask is not None:
            mask = mask.expand(*mask.shape[:2], self.query.size(2), key.size(2)).contiguous()
        return self._replace(key=key, value=value, mask=mask)


def chosen(given: Asked) -> tuple[Asked | None, str]:
    """What cuDNN makes an attention of; None where it does not, and why."""
    reason = _reason_of_call(given)
    if not reason:
        given = given.with_added_mask()
        for way in (Asked._replace, Asked.written_out):
            asked = way(given)
            if _has_engine(asked):
                return asked, ""
        reason = "cuDNN has no engine for tensors of these sizes."
    return None, reason


def _reason_of_call(given: Asked) -> str:
    """Why cuDNN does not make an attention, as far as that is seen without asking it."""
    found = _reason_of_tensors(given) or _reason_of_mask(given)
    if not found and given.dropout >= 1:
        found = f"cuDNN attention drops some weights, not all, and dropout_p is {given.dropout}."
    if found:
        return found
    facts = context.properties(given.query._storage_.device.index or 0)
    if (facts["major"], facts["minor"]) < _LEAST_CAPABILITY:
        return f"cuDNN attention needs compute capability 8.0, and {facts['name']} has {facts['major']}.{facts['minor']}."
    version, needed = cudnn.version(), _least_version(given)
    if version is None:
        return "cuDNN is not installed: pip install nvidia-cudnn-cu12 brings it."
    if version < needed:
        return (
            f"cuDNN attention needs version {needed // 10000}.{needed // 100 % 100} of the library for this, and "
            f"{version} is installed."
        )
    return ""


def _least_version(given: Asked) -> int:
    """The version of the library that has all that is asked for."""
    found = cudnn_graph.LEAST_VERSION
    if given.mask is not None or given.is_causal:
        found = cudnn_graph.SCORES_VERSION
    if given.dropout:
        found = max(found, cudnn_graph.DROPOUT_VERSIONS[given.wants_gradient])
    return found


def _reason_of_tensors(given: Asked) -> str:
    tensors = given[:3]
    query = given.query
    if not all(map(_is_plain, tensors)):
        return "cuDNN attention takes plain tensors on a GPU."
    if query.dtype not in (dtypes.float16, dtypes.bfloat16):
        return f"cuDNN attention takes half precision, and query is of {query.dtype}."
    sizes = [tuple(x.shape) for x in tensors]
    if any(len(size) != 4 or 0 in size for size in sizes):
        return f"cuDNN attention takes tensors of four dimensions that are not empty, and these have the sizes {sizes}."
    (batch, heads, _, width), (_, shared, _, _), (_, _, length, deep) = sizes
    may_share = given.enable_gqa and heads % shared == 0
    if sizes[1] != (batch, shared, length, width) or sizes[2] != (batch, shared, length, deep):
        return (
            f"cuDNN attention takes tensors that fit each other, and these have the sizes {sizes}."
        )
    if shared != heads and not may_share:
        return f"cuDNN attention takes tensors of the same heads without enable_gqa, and these have the sizes {sizes}."
    if max(width, deep) > _WIDEST or width % _MULTIPLE or deep % _MULTIPLE:
        return (
            f"cuDNN attention takes heads of at most {_WIDEST} elements, a multiple of {_MULTIPLE}, and these have "
            f"{width} and {deep}."
        )
    for name, x in zip(("query", "key", "value"), tensors):
        if x.stride(3) != 1 or 0 in x.stride() or not _is_aligned(x):
            return (
                f"cuDNN attention takes heads whose elements lie side by side from a multiple of {cudnn_graph.ALIGNMENT} bytes "
                f"on; {name} has the strides {tuple(x.stride())}."
            )
    return ""


def _is_plain(x: Any) -> bool:
    """Whether a tensor is on a GPU and nothing else; or stands for one in a program that is traced for its sizes."""
    if not x._keys_ & keys.CUDA:
        return False
    if type(x) in _TRACED:
        return not x._keys_ & ~(_PLAIN | keys.PYTHON) and all(type(n) is int for n in x.shape)
    return not x._keys_ & ~_PLAIN


def _is_aligned(x: Any) -> bool:
    """Whether a tensor begins where the library reads it; one that is traced has no place yet, but one in its memory."""
    place = x.storage_offset() * x.element_size() if type(x) in _TRACED else place_of(x)
    return bool(place % cudnn_graph.ALIGNMENT == 0)


def _reason_of_mask(given: Asked) -> str:
    mask = given.mask
    if mask is None:
        return ""
    if mask.requires_grad:
        return "cuDNN attention is used without a gradient of attn_mask."
    if not _is_plain(mask):
        return "cuDNN attention takes a plain attn_mask on a GPU."
    size, whole = tuple(mask.shape), (*given.query.shape[:3], given.key.size(2))
    if len(size) > 4 or any(n not in (1, of) for n, of in zip(size[::-1], whole[::-1])):
        return f"cuDNN attention takes masks that fit scores of the size {whole}, and attn_mask has the size {size}."
    return ""


def _has_engine(given: Asked) -> bool:
    """Whether the library has engines for both directions, as far as they are needed."""
    query, key, value, mask = given[:4]
    if mask is not None and (mask.stride(3) != 1 or not mask.stride(2) or not _is_aligned(mask)):
        return False
    device = query._storage_.device.index or 0
    forward = library.forward_of(query, key, value, library.Extras(mask), given.settings).asked
    if given.dropout:
        forward = forward._replace(operands=(*forward.operands, *library.STATE))
    if library_attention(device, forward, "aten::_cudnn_attention") is None:
        return False
    if not given.wants_gradient:
        return True
    back = library.backward_like(forward)
    return library_attention(device, back, "aten::_cudnn_attention_gradients") is not None


def attend(*given: Any) -> Any:
    """An attention by cuDNN, of what `Asked` has; None if it is made of products and a softmax."""
    allowed = settings.attention
    if not (allowed.cudnn or (allowed.flash and not allowed.math)):
        return None
    asked, _ = chosen(Asked(*given))
    return None if asked is None else _made(asked)


def _made(given: Asked) -> Any:
    query, key, value, mask = given[:4]
    scale, is_causal, dropout = given.settings
    state = (None, None)
    if dropout:
        # A number is drawn for each weight.
        state = sampling._philox_state(query, math.prod(query.shape[:3]) * key.size(2))
    return calls._cudnn_attention(query, key, value, mask, scale, is_causal, dropout, *state)[0]
