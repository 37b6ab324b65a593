"""`embedding` and `embedding_bag`: rows looked up in a table."""

from __future__ import annotations

from rushlight.engine.calls import indexing as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import remembered
from rushlight.engine.generated import functions

__all__ = ["embedding", "embedding_bag"]


def _row_number(name: str, given: int | None, count: int) -> int:
    """The row that stands for padding, counted from the start; -1 for none."""
    if given is None:
        return -1
    assert -count <= given < count, f"{name} must be within num_embeddings"
    return given + count if given < 0 else given


@remembered
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of a table that ``input`` names."""
    padding = -1
    if padding_idx is not None:
        padding = _row_number("Padding_idx", padding_idx, weight.size(0))  # type: ignore[attr-defined]
    if max_norm is not None:
        input = input.contiguous()  # type: ignore[attr-defined]
        calls.embedding_renorm_(weight.detach(), input, max_norm, norm_type)  # type: ignore[attr-defined]
    return functions.embedding(weight, input, padding, scale_grad_by_freq, sparse)


def _row_of_padding(given: int | None, count: int) -> int:
    """The row that bags leave out, counted from the start; -1 for none."""
    if given is not None and not -count <= given < count:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{count} through {count - 1}, "
            f"but got {given}"
        )
    return _row_number("padding_idx", given, count)


_MODES = {"sum": 0, "mean": 1, "max": 2}


@remembered
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of bags of rows of a table."""
    _check_bags(input, weight, mode, scale_grad_by_freq, sparse, per_sample_weights)
    input, offsets, per_sample_weights = _flat_bags(input, offsets, per_sample_weights)
    padding = _row_of_padding(padding_idx, weight._size_[0])
    if max_norm is not None:
        calls.embedding_renorm_(weight.detach(), input, max_norm, norm_type)  # type: ignore[attr-defined]
    found = calls.embedding_bag_padding_idx(
        weight, input, offsets, scale_grad_by_freq, _MODES[mode], sparse, per_sample_weights,
        include_last_offset, padding,
    )  # fmt: skip
    result: Tensor = found[0]
    return result


def _check_bags(
    input: Tensor, weight: Tensor, mode: str, scales: bool, sparse: bool, factors: Tensor | None
) -> None:
    if factors is not None and input._size_ != factors._size_:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({list(factors._size_)}) is not None, "
            f"then it must have the same shape as the input ({list(input._size_)})"
        )
    if weight.dim() != 2:  # type: ignore[attr-defined]
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}"
        )  # type: ignore[attr-defined]
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scales or sparse):
        what = "scaling the gradient by the frequency" if scales else "sparse weights"
        raise ValueError(f"max mode does not support {what}")
    if factors is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )


def _flat_bags(
    input: Tensor, offsets: Tensor | None, factors: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """All bags' rows behind each other, where each bag begins, and the rows' factors."""
    if len(input._size_) == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        import rushlight

        step = max(input._size_[1], 1)
        stop = input._size_[0] * input._size_[1]
        offsets = rushlight.arange(0, stop, step, dtype=input.dtype, device=input.device)  # type: ignore[attr-defined]
        input = views.reshape(input, (-1,))
        if factors is not None:
            factors = views.reshape(factors, (-1,))
    elif len(input._size_) == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if len(offsets._size_) != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {len(input._size_)}"
        )
    return input, offsets, factors
