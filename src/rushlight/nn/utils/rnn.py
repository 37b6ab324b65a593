"""Sequences of different lengths: padded to one length, or packed by time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence",
    "pad_packed_sequence", "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class _Packed(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(_Packed):
    """The elements of sequences, first by time, then by falling length of the sequence.

    Args:
        data: the elements
        batch_sizes: how many sequences have an element at each time
        sorted_indices: where each of the sorted sequences came from
        unsorted_indices: where each sequence went
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> PackedSequence:  # fmt: skip
        if batch_sizes is None:
            # One argument: the data and the sizes in a pair.
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes.device.type != "cpu":
            raise ValueError(
                f"batch_sizes should always be on CPU. Instances of PackedSequence should never be "
                f"created manually. Got batch_sizes on {batch_sizes.device}"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequences with elements of another type or on another device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = (
            None if i is None else i.to(data.device)
            for i in (self.sorted_indices, self.unsorted_indices)
        )  # fmt: skip
        return type(self)(data, self.batch_sizes, *indices)

    def cpu(self) -> PackedSequence:
        """The sequences on the CPU."""
        return self.to("cpu")

    def double(self) -> PackedSequence:
        """The sequences as float64."""
        return self.to(torch.float64)

    def float(self) -> PackedSequence:
        """The sequences as float32."""
        return self.to(torch.float32)

    def half(self) -> PackedSequence:
        """The sequences as float16."""
        return self.to(torch.float16)

    def long(self) -> PackedSequence:
        """The sequences as int64."""
        return self.to(torch.int64)

    def int(self) -> PackedSequence:
        """The sequences as int32."""
        return self.to(torch.int32)

    def short(self) -> PackedSequence:
        """The sequences as int16."""
        return self.to(torch.int16)

    def char(self) -> PackedSequence:
        """The sequences as int8."""
        return self.to(torch.int8)

    def byte(self) -> PackedSequence:
        """The sequences as uint8."""
        return self.to(torch.uint8)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequences on a GPU."""
        return self.to("cuda", *args, **kwargs)

    def pin_memory(self) -> PackedSequence:
        """The sequences in pinned memory."""
        return type(self)(
            self.data.pin_memory(), self.batch_sizes, self.sorted_indices, self.unsorted_indices
        )

    @property
    def is_cuda(self) -> bool:
        return bool(self.data.is_cuda)

    def is_pinned(self) -> bool:
        """Whether the elements are in pinned memory."""
        return bool(self.data.is_pinned())


def invert_permutation(permutation: Any) -> Any:
    """The permutation that undoes another."""
    if permutation is None:
        return None
    made = functions.empty_like(permutation)
    places = functions.arange(permutation.numel(), device=permutation.device)
    return made.scatter_(0, permutation, places)


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that were padded to one length."""
    is_listed = type(lengths) is list and all(type(n) is int for n in lengths)
    if not isinstance(lengths, Tensor) and not (is_listed and enforce_sorted):
        lengths = torch.tensor(lengths, dtype=torch.int64)  # type: ignore[attr-defined]
    if enforce_sorted:
        order = None
    else:
        lengths, order = functions.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    if batch_first:
        input = input.transpose(0, 1)
    sizes = _sizes_by_time(input, lengths if type(lengths) is list else lengths.tolist())
    counts = torch.tensor(sizes, dtype=torch.int64)  # type: ignore[attr-defined]
    used = input[: len(sizes)]
    if sizes[-1] == sizes[0]:
        # Nothing is padded: all sequences are equally long.
        data = used.clone(memory_format=torch.contiguous_format).flatten(0, 1)  # type: ignore[attr-defined]
    else:
        places = _places_of(counts, input.size(1)).to(input.device)
        data = used.flatten(0, 1).index_select(0, places)
    return PackedSequence(data, counts, order, None)


def _places_of(counts: Any, batch: int) -> Any:
    """Where the elements of sequences are, by time, in a padded time-major batch."""
    inside = torch.arange(batch) < counts.unsqueeze(1)
    return inside.flatten().nonzero().squeeze(1)


def _sizes_by_time(input: Any, lengths: list[int]) -> list[int]:
    """How many of some time-major sequences have an element at each time."""
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if input.size(1) != len(lengths):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
            f"(batch_size={input.size(1)})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if any(a < b for a, b in itertools.pairwise(lengths)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    if lengths[0] > input.size(0):
        raise RuntimeError(
            f"Expected lengths of at most {input.size(0)}, the padded length, but got {lengths[0]}"
        )
    # From one sequence's end to the next longer one's, so many are left.
    ends = [*reversed(lengths)]
    parts = zip(ends, [0, *ends], range(len(ends), 0, -1))
    return [left for end, before, left in parts for _ in range(end - before)]


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Pad packed sequences to one length; also give their lengths."""
    sizes = sequence.batch_sizes.tolist()
    longest = len(sizes)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, "
                f"but got total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    batch = sizes[0]
    rest = sequence.data.shape[1:]
    places = _places_of(sequence.batch_sizes, batch).to(sequence.data.device)
    empty = sequence.data.new_full((longest * batch, *rest), padding_value)
    padded = empty.index_copy(0, places, sequence.data).unflatten(0, (longest, batch))
    lengths = (torch.arange(batch) < sequence.batch_sizes.unsqueeze(1)).sum(0)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.cpu()]
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0,
    padding_side: str = "right",
) -> Any:  # fmt: skip
    """Sequences, padded to one length, in one tensor."""
    if not isinstance(sequences, (Tensor, Iterable)):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    given = list(sequences.unbind(0) if isinstance(sequences, Tensor) else sequences)
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    if not given:
        raise RuntimeError("received an empty list of sequences")
    longest = max(s.size(0) for s in given)
    rest = given[0].shape[1:]
    rows = []
    for sequence in given:
        if sequence.shape[1:] != rest:
            raise RuntimeError(
                f"The expanded sizes of the sequences must match after their first dimension: "
                f"{list(rest)} and {list(sequence.shape[1:])}"
            )
        gap = longest - sequence.size(0)
        border = [0, 0] * len(rest) + ([0, gap] if padding_side == "right" else [gap, 0])
        rows.append(torch.constant_pad_nd(sequence, border, padding_value))
    return torch.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """The sequences without their padding."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [row[: int(n)] for row, n in zip(padded_sequences, lengths)]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of different lengths."""
    lengths = [s.size(0) for s in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The sequences that were packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
