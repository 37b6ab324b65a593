"""`upsample_bilinear2d` and its kin: pictures of other sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight._library.catalogue.made import Catalogue, pullback

# By name: how many dimensions pictures have, and what `interpolate` calls it.
_KINDS = {
    "upsample_nearest1d": (1, "nearest"), "upsample_nearest2d": (2, "nearest"),
    "upsample_nearest3d": (3, "nearest"), "_upsample_nearest_exact1d": (1, "nearest-exact"),
    "_upsample_nearest_exact2d": (2, "nearest-exact"), "_upsample_nearest_exact3d": (3, "nearest-exact"),
    "upsample_linear1d": (1, "linear"), "upsample_bilinear2d": (2, "bilinear"),
    "upsample_trilinear3d": (3, "trilinear"), "upsample_bicubic2d": (2, "bicubic"),
    "_upsample_bilinear2d_aa": (2, "bilinear"), "_upsample_bicubic2d_aa": (2, "bicubic"),
}  # fmt: skip
_SCALES = {1: ["scales"], 2: ["scales_h", "scales_w"], 3: ["scales_d", "scales_h", "scales_w"]}
_catalogue = Catalogue()


def _resized(x: Any, size: Any, scales: Any, mode: str, align_corners: Any, smooth: bool) -> Any:
    """A picture of a size; where scales are told, they say where its points lie."""
    told = scales is not None and all(s is not None for s in scales)
    return torch.nn.functional.interpolate(
        x,
        size=None if told else list(size),
        scale_factor=tuple(scales) if told else None,
        mode=mode,
        align_corners=align_corners,
        antialias=smooth,
    )


def _functions(name: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The operator, its gradient, and its form with all sizes in lists."""
    _, mode = _KINDS[name]
    smooth, corners = name.endswith("_aa"), "nearest" not in mode

    def forward(x: Any, size: Any, *rest: Any) -> Any:
        align, scales = (rest[0], rest[1:]) if corners else (None, rest)
        return _resized(x, size, scales, mode, align, smooth)

    def backward(grad: Any, size: Any, input_size: Any, *rest: Any) -> Any:
        x = grad.new_zeros(input_size)
        return pullback(lambda x: forward(x, size, *rest), x)(grad)

    def in_lists(x: Any, size: Any, *rest: Any) -> Any:
        align, scales = rest if corners else (None, rest[0])
        return _resized(x, size, scales, mode, align, smooth)

    return forward, backward, in_lists


def define() -> None:
    for name, (count, mode) in _KINDS.items():
        corners = "" if "nearest" in mode else ", bool align_corners"
        scales = "".join(f", float? {scale}=None" for scale in _SCALES[count])
        forward, backward, in_lists = _functions(name)
        size = f"SymInt[{count}] output_size"
        _catalogue(f"{name}(Tensor self, {size}{corners}{scales}) -> Tensor")(forward)
        _catalogue(
            f"{name}.vec(Tensor input, SymInt[]? output_size{corners}, float[]? scale_factors) -> Tensor"
        )(in_lists)
        _catalogue(
            f"{name}_backward(Tensor grad_output, {size}, SymInt[{count + 2}] input_size{corners}{scales}) "
            "-> Tensor"
        )(backward)
    _catalogue.define()
