"""Borders of images: each mode and number of dimensions has an operator of its own."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "mode"), [("reflection", "reflect"), ("replication", "replicate")]
)
def test_borders_have_operators_of_their_own(count, kind, mode):
    image = torch.arange(2.0 * 3**count).reshape(2, *[3] * count)
    function = getattr(torch.ops.aten, f"{kind}_pad{count}d")
    sides = [1, 2] * count
    expected = torch.nn.functional.pad(image, sides, mode=mode)
    assert torch.equal(function(image, sides), expected)
    out = torch.empty(0)
    assert function.out(image, sides, out=out) is out and torch.equal(out, expected)
    assert torch.equal(getattr(torch._C._nn, f"{kind}_pad{count}d")(image, sides), expected)
    with pytest.raises(RuntimeError, match=rf"Expected {count + 1}D or {count + 2}D"):
        function(torch.ones([2] * (count + 3)), sides)
    with pytest.raises(RuntimeError, match="padding size is expected to be"):
        function(image, [1] * (2 * count + 1))
