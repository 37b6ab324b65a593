"""Quantization, which is not there yet; models with its marks run as they are."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.nn.modules.module import Module

__all__ = ["DeQuantStub", "QuantStub"]


class QuantStub(Module):
    """Where a model's input is quantized once it is converted; until then nothing happens.

    Args:
        qconfig: how it is quantized, if not as its module
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """The input."""
        return x


class DeQuantStub(QuantStub):
    """Where a model's output is a plain tensor again once it is converted.

    Args:
        qconfig: how it was quantized
    """


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"module 'rushlight.ao.quantization' has no attribute '{name}': there is no quantization yet"
    )
