"""Tensors cut into pieces and joined piece by piece: what machine code makes is what Python would."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors

shapes = st.lists(st.integers(0, 4), min_size=1, max_size=4)


def same_as_python_says(view: torch.Tensor) -> None:
    """The words of a tensor are those that its metadata have."""
    size, stride = view._size_, view._stride_
    assert size is sizes.intern(tuple(size)) and type(size) is torch.Size
    assert stride is sizes.intern_strides(stride)
    assert view._numel_ == math.prod(size)
    assert view._flags_ == tensors.flags_for(view._dtype_, size, stride)


@given(shapes, st.data())
def test_cut(shape, data):
    dim = data.draw(st.integers(0, len(shape) - 1))
    lengths = data.draw(st.lists(st.integers(0, 400), max_size=5))
    shape[dim] = sum(lengths)
    base = torch.arange(math.prod(shape)).view(shape)
    if data.draw(st.booleans()):
        base = (
            torch.arange(math.prod(shape)).view(shape[::-1]).permute(*reversed(range(len(shape))))
        )
    start = 0
    parts = tensors.cut(base, dim, lengths)
    assert type(parts) is tuple and len(parts) == len(lengths)
    for part, length in zip(parts, lengths):
        same_as_python_says(part)
        wanted = base.narrow(dim, start, length)
        assert part._size_ is wanted._size_ and part._stride_ == wanted._stride_
        assert part._offset_ == base._offset_ + start * base._stride_[dim]
        assert part._base is base._base if base._base is not None else part._base is base
        start += length


@given(shapes, st.booleans(), st.data())
def test_along(shape, is_turned, data):
    dim = data.draw(st.integers(0, len(shape) - 1))
    base = torch.arange(math.prod(shape)).view(shape)
    if is_turned:
        base = base.permute(*reversed(range(len(shape))))
    views = tensors.along(base, dim)
    assert type(views) is tuple and len(views) == base.shape[dim]
    for place, view in enumerate(views):
        same_as_python_says(view)
        wanted = base.select(dim, place)
        assert view._size_ is wanted._size_ and view._stride_ == wanted._stride_
        assert view._offset_ == wanted._offset_
        assert view._base is wanted._base


@given(shapes, st.booleans(), st.data())
def test_joined(shape, is_new, data):
    dim = data.draw(st.integers(0, len(shape) - (0 if is_new else 1)))
    pieces = []
    for k in range(data.draw(st.integers(1, 6))):
        if not is_new:
            shape[dim] = data.draw(st.integers(0, 3))
        pieces.append(torch.arange(math.prod(shape)).view(shape) * 7 + k)
    made = tensors.joined(pieces, dim, is_new)
    same_as_python_says(made)
    listed = [x.unsqueeze(dim) for x in pieces] if is_new else pieces
    start = 0
    for x in listed:
        assert torch.equal(made.narrow(dim, start, x.shape[dim]), x)
        start += x.shape[dim]
    assert made.shape[dim] == start


@pytest.mark.parametrize(
    "others",
    [
        [torch.ones(2, 3, dtype=torch.int32)],
        [torch.ones(3, 2).t()],
        [torch.ones(2, 4)],
        [torch.ones(2, 3, 1)],
        [torch.ones(2, 3, device="meta")],
    ],
    ids=["another type", "not dense", "another size", "another rank", "no elements"],
)
def test_what_is_not_joined_piece_by_piece(others):
    assert tensors.joined([torch.ones(2, 3), *others], 0) is None


def test_tensors_of_inference_mode_are_joined():
    with torch.inference_mode():
        parts = [torch.full((2,), float(k)) for k in range(3)]
        assert tensors.joined(parts, 0) is not None
        made = torch.cat(parts)
        assert made.is_inference() and made.tolist() == [0, 0, 1, 1, 2, 2]
    outside = tensors.joined(parts, 0, True)
    assert not outside.is_inference() and outside.shape == (3, 2)


def test_a_view_of_a_piece_shares_its_version():
    x = torch.zeros(6)
    first, second = x.split([2, 4])
    second.add_(1)
    assert x._version == first._version == second._version == 1
    assert x.tolist() == [0, 0, 1, 1, 1, 1]
