"""Marks in a model: here it is quantized from, here no more."""

from __future__ import annotations

from typing import Any

from rushlight.nn import Module


class QuantStub(Module):
    """Where a model's input is quantized once it is converted; until then it is observed.

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


class DeQuantStub(Module):
    """Where a model's output is a plain tensor again once it is converted.

    Args:
        qconfig: how it was quantized
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """The input."""
        return x


class QuantWrapper(Module):
    """A module between the two marks.

    Args:
        module: the module
    """

    quant: QuantStub
    dequant: DeQuantStub
    module: Module

    def __init__(self, module: Any) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        """The module's result for a plain tensor."""
        return self.dequant(self.module(self.quant(X)))
