"""What is done where programs do not allow attention to be made of products and a softmax.

On the CPU one kernel keeps no scores: programs call it flash attention. On a GPU that is cuDNN's, which stands for PyTorch's flash
kernel, too. Where none of what is allowed takes the tensors, a call is refused; warnings say why.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import library_settings as settings
from rushlight.engine.loops.promotion import c_name

_LOW = (dtypes.float16, dtypes.bfloat16)


class Given(NamedTuple):
    """What `scaled_dot_product_attention` is given."""

    query: Any
    key: Any
    value: Any
    mask: Any
    dropout: float
    is_causal: bool
    enable_gqa: bool

    @property
    def tensors(self) -> tuple[Any, Any, Any]:
        return self[:3]

    @property
    def has_no_elements(self) -> bool:
        return not all(x.numel() for x in self.tensors)


def check(given: Given) -> None:
    """Raise where no kernel that programs allow takes what is given; products and a softmax are not allowed."""
    if given.has_no_elements:
        return
    allowed = settings.attention
    if given.query.is_cuda:
        _check_on_device(given, allowed)
        return
    if not allowed.flash:
        raise _nothing_is_allowed()
    reasons = list(_reasons_on_host(given))
    if reasons:
        _tell(("Flash attention kernel", reasons[0]))
        raise _nothing_fits()


def _check_on_device(given: Given, allowed: settings.Attention) -> None:
    if not (allowed.flash or allowed.efficient or allowed.cudnn):
        raise _nothing_is_allowed()
    reasons = [
        ("Memory efficient kernel", efficient_reason(given)),
        ("Flash attention kernel", flash_reason(given)),
        ("CuDNN attention kernel", cudnn_reason(given)),
    ]
    if all(reason for _, reason in reasons):
        _tell(*reasons)
        raise _nothing_fits()


def _tell(*reasons: tuple[str, str]) -> None:
    """Warn of why kernels do not take what is given; nothing is known of some."""
    for kernel, reason in reasons:
        for text in (f"{kernel} not used because:", reason):
            if text.strip():
                warnings.warn(text, stacklevel=5)


def _nothing_is_allowed() -> RuntimeError:
    return RuntimeError(
        "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
        "kernel and the fused kernels."
    )


def _nothing_fits() -> RuntimeError:
    return RuntimeError("No available kernel.  Aborting execution.")


# -- why not --
# PyTorch gives no reason for some masks.
_UNTOLD = " "


def efficient_reason(given: Given) -> str:
    """Why PyTorch's memory efficient kernel does not take what is given; where it does, products and a softmax serve."""
    if not settings.attention.efficient:
        return "Memory Efficient attention has been runtime disabled."
    of_type = _reasons_of_type(given, (dtypes.float32, *_LOW))
    return next(itertools.chain(_reasons_of_sizes(given), of_type), "")


def flash_reason(given: Given) -> str:
    """Why there is no flash attention of what is given on a GPU; cuDNN makes it where there is."""
    if not settings.attention.flash:
        return "Flash attention has been runtime disabled."
    others = _reasons_of_mask(given), _reasons_of_type(given, _LOW)
    return next(itertools.chain(_reasons_of_sizes(given), *others), "") or _library_reason(given)


def cudnn_reason(given: Given) -> str:
    """Why cuDNN does not make an attention of what is given."""
    if not settings.attention.cudnn:
        return "cuDNN attention has been runtime disabled."
    return _library_reason(given)


def _library_reason(given: Given) -> str:
    # Loaded where there is a GPU.
    from rushlight.nn._functional import library_attention

    return library_attention.chosen(library_attention.Asked(*given[:6], None, given.enable_gqa))[1]


def _reasons_on_host(given: Given) -> Iterator[str]:
    if given.dropout > 0:
        yield "Both fused kernels do not support non-zero dropout."
    yield from _reasons_of_dimensions(given)
    yield from _reasons_of_heads(given)
    yield from _reasons_of_mask_size(given)
    widths = [x.size(-1) for x in given.tensors]
    if len(set(widths)) > 1:
        named = ", ".join(f"{n}.size(-1): {w}" for n, w in zip(("Query", "Key", "Value"), widths))
        yield f"Flash attention requires q,k,v to have the same last dimension. Got {named} instead."
    yield from _reasons_of_strides(given)
    yield from _reasons_of_type(given, (dtypes.float32, dtypes.float64, *reversed(_LOW)))


def _reasons_of_sizes(given: Given) -> list[str]:
    """What all kernels on a GPU ask for."""
    found = list(_reasons_of_dimensions(given))
    return found or [*_reasons_of_heads(given), *_reasons_of_strides(given)]


def _reasons_of_dimensions(given: Given) -> Iterator[str]:
    counts = [x.dim() for x in given.tensors]
    if any(n != 4 for n in counts):
        named = ", ".join(f"{n} dim: {d}" for n, d in zip(("Query", "Key", "Value"), counts))
        yield f"All fused kernels requires query, key and value to be 4 dimensional, but got {named} instead."


def _reasons_of_heads(given: Given) -> Iterator[str]:
    query, key, value = ([*x.shape] for x in given.tensors)
    expand = "To broadcast dense inputs, try using unsqueeze and expand_to before passing them into the kernel."
    if given.enable_gqa and key[:2] != value[:2]:
        yield (
            "Both fused kernels require key and value to have the same num_heads and batch_size but got: "
            f"Key sizes: {key}, Value sizes: {value}, Query sizes: {query} instead."
        )
    if not query[0] == key[0] == value[0]:
        yield (
            "For dense inputs, both fused kernels require query, key and value to have the same batch_size. "
            f"Query.sizes(): {query}, Key.sizes(): {key}, Value.sizes(): {value} instead. {expand}"
        )
    if given.enable_gqa and query[1] % key[1]:
        yield (
            "The number of heads in key/value must divide number of heads in query.Got input "
            f"Key sizes(): {key[1]}, Value sizes(): {value[1]}, Query sizes(): {query[1]} instead."
        )
    elif not given.enable_gqa and not query[1] == key[1] == value[1]:
        yield (
            "For dense input, both fused kernels require query, key and value to have the same num_heads. "
            f"Query.sizes(): {query}, Key sizes(): {key}, Value sizes(): {value} instead. {expand}"
        )


def _reasons_of_mask(given: Given) -> Iterator[str]:
    if given.mask is not None:
        yield "Flash Attention does not support non-null attn_mask."


def _reasons_of_mask_size(given: Given) -> Iterator[str]:
    mask = given.mask
    if mask is None:
        return
    whole = (*given.query.shape[:3], given.key.size(2))
    fits = [n in (1, of) for n, of in zip(reversed(mask.shape), reversed(whole))]
    if mask.requires_grad or not all(fits[:2]):
        yield _UNTOLD
    if mask.dim() not in (2, 4) or not all(fits):
        yield (
            "Please use the following attn mask shapes: 2d - ({Q_seq_len, 1}  x {KV_seq_len, 1}); 4d - ({Batch, 1} x "
            "{Num_heads, 1} x {Q_seq_len, 1}  x {KV_seq_len, 1})"
        )


def _reasons_of_strides(given: Given) -> Iterator[str]:
    strides = [x.stride(-1) for x in given.tensors]
    if any(n != 1 for n in strides):
        named = ", ".join(
            f"{n}.stride(-1): {s}" for n, s in zip(("Query", "Key", "Value"), strides)
        )
        yield f"All fused kernels require the last dimension of the input to have stride 1. Got {named}"


def _reasons_of_type(given: Given, taken: tuple[dtypes.dtype, ...]) -> Iterator[str]:
    if given.query.dtype not in taken:
        names = {
            dtypes.float32: "Float",
            dtypes.float64: "Double",
            dtypes.float16: "Half",
            dtypes.bfloat16: "BFloat16",
        }
        query, key, value = (c_name(x.dtype) for x in given.tensors)
        yield (
            f"Expected query, key and value to all be of dtype: {{{', '.join(names[x] for x in taken)}}}. "
            f"Got Query dtype: {query}, Key dtype: {key}, and Value dtype: {value} instead."
        )
