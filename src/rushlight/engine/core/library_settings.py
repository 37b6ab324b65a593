"""What programs allow NVIDIA's libraries: the switches of `torch.backends.cuda` and `torch.backends.cudnn`."""

from __future__ import annotations

from typing import Any

from rushlight.engine.native.records import dataclass


@dataclass
class Products:
    """Switches of matrix products."""

    allow_tf32: bool = False
    allow_fp16_reduced_precision_reduction: bool = True
    allow_bf16_reduced_precision_reduction: bool = True
    allow_fp16_accumulation: bool = False


@dataclass
class Convolutions:
    """Switches of cuDNN."""

    enabled: bool = True
    benchmark: bool = False
    benchmark_limit: int = 10
    deterministic: bool = False
    allow_tf32: bool = True


@dataclass
class Attention:
    """Which kernels attention may use."""

    flash: bool = True
    math: bool = True
    efficient: bool = True
    cudnn: bool = True


products = Products()
convolutions = Convolutions()
attention = Attention()


def combination() -> tuple[Any, ...]:
    """What all switches are."""
    return tuple(
        value for held in (products, convolutions, attention) for value in vars(held).values()
    )


# The same, as a part of keys; whoever changes a switch renews it.
chosen = combination()
