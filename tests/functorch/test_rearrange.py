"""`rearrange`, by patterns."""

import pytest

import rushlight as torch
from rushlight.functorch.einops import rearrange

X = torch.arange(2 * 3 * 4 * 5).view(2, 3, 4, 5)


@pytest.mark.parametrize(
    "pattern, sizes, expected",
    [
        ("b c h w -> b h w c", {}, X.permute(0, 2, 3, 1)),
        ("b c h w -> w (h c b)", {}, X.permute(3, 2, 1, 0).reshape(5, 24)),
        ("b c (k h) w -> (b k) h c w", {"k": 2}, X.view(2, 3, 2, 2, 5).permute(0, 2, 3, 1, 4).reshape(4, 2, 3, 5)),
        ("b ... w -> (b ...) w", {}, X.reshape(24, 5)),
        ("b c ... w -> w ... c b", {}, X.permute(3, 2, 1, 0)),
        ("b c h w -> b () c h w 1", {}, X.view(2, 1, 3, 4, 5, 1)),
        ("... -> ...", {}, X),
    ],
)  # fmt: skip
def test_patterns(pattern, sizes, expected):
    found = rearrange(X, pattern, **sizes)
    assert found.shape == expected.shape and found.equal(expected)


def test_lists_are_stacked():
    assert rearrange([X, X + 1], "n b c h w -> b c h w n").equal(torch.stack([X, X + 1], -1))
    assert torch.func.rearrange is rearrange


@pytest.mark.parametrize(
    "pattern, message",
    [
        ("b c h w", "Pattern must contain a single '->' separator"),
        (
            "b c h -> b c h",
            r"pattern \(3\) must be equal to the number of dimensions in the tensor \(4\)",
        ),
        ("b c h w -> b c", r"only on one side of rearrange expression .*: \{'h', 'w'\}"),
        ("b b h w -> b h w", "contains duplicate dimension 'b'"),
        ("b c h w -> b c h (w", "Imbalanced parentheses"),
        ("b 3 h w -> b h w", "only supports unnamed axes of size 1"),
        ("b (...) -> b", "Ellipsis is parenthesis in the left side is not allowed"),
        ("b c h+ w -> b", r"Unknown character '\+'"),
    ],
)
def test_patterns_that_are_refused(pattern, message):
    with pytest.raises(ValueError, match=message):
        rearrange(X, pattern)
