"""Layers that become one when they are quantized: sequences with a name."""

from __future__ import annotations

from typing import Any

from rushlight import nn

__all__ = [
    "BNReLU2d", "BNReLU3d", "ConvAdd2d", "ConvAddReLU2d", "ConvBn1d", "ConvBn2d", "ConvBn3d",
    "ConvBnReLU1d", "ConvBnReLU2d", "ConvBnReLU3d", "ConvReLU1d", "ConvReLU2d", "ConvReLU3d",
    "LinearBn1d", "LinearLeakyReLU", "LinearReLU", "LinearTanh",
]  # fmt: skip


class _FusedModule(nn.Sequential):
    """What fused layers derive from."""


def _check(given: tuple[Any, ...], kinds: tuple[type, ...]) -> None:
    if any(type(module) is not kind for module, kind in zip(given, kinds)):
        raise AssertionError(
            f"Incorrect types for input modules: {', '.join(str(type(m)) for m in given)}; expected "
            f"{', '.join(str(kind) for kind in kinds)}"
        )


def _fused(name: str, kinds: tuple[type, ...]) -> type:
    """A class of sequences of layers of these types."""

    def __init__(self: Any, *modules: Any) -> None:
        if len(modules) != len(kinds):
            raise TypeError(f"{name} takes {len(kinds)} modules, and not {len(modules)}")
        _check(modules, kinds)
        nn.Sequential.__init__(self, *modules)

    doc = f"{' and '.join(kind.__name__ for kind in kinds)}, one after the other."
    body = {"__init__": __init__, "__doc__": doc, "__module__": __name__}
    return type(name, (_FusedModule,), body)


ConvReLU1d = _fused("ConvReLU1d", (nn.Conv1d, nn.ReLU))
ConvReLU2d = _fused("ConvReLU2d", (nn.Conv2d, nn.ReLU))
ConvReLU3d = _fused("ConvReLU3d", (nn.Conv3d, nn.ReLU))
LinearReLU = _fused("LinearReLU", (nn.Linear, nn.ReLU))
LinearLeakyReLU = _fused("LinearLeakyReLU", (nn.Linear, nn.LeakyReLU))
LinearTanh = _fused("LinearTanh", (nn.Linear, nn.Tanh))
ConvBn1d = _fused("ConvBn1d", (nn.Conv1d, nn.BatchNorm1d))
ConvBn2d = _fused("ConvBn2d", (nn.Conv2d, nn.BatchNorm2d))
ConvBn3d = _fused("ConvBn3d", (nn.Conv3d, nn.BatchNorm3d))
ConvBnReLU1d = _fused("ConvBnReLU1d", (nn.Conv1d, nn.BatchNorm1d, nn.ReLU))
ConvBnReLU2d = _fused("ConvBnReLU2d", (nn.Conv2d, nn.BatchNorm2d, nn.ReLU))
ConvBnReLU3d = _fused("ConvBnReLU3d", (nn.Conv3d, nn.BatchNorm3d, nn.ReLU))
BNReLU2d = _fused("BNReLU2d", (nn.BatchNorm2d, nn.ReLU))
BNReLU3d = _fused("BNReLU3d", (nn.BatchNorm3d, nn.ReLU))
LinearBn1d = _fused("LinearBn1d", (nn.Linear, nn.BatchNorm1d))


class ConvAdd2d(_FusedModule):
    """A convolution, and a sum with another tensor.

    Args:
        conv: the convolution
        add: the function of two tensors
    """

    def __init__(self, conv: Any, add: Any) -> None:
        super().__init__(conv)
        self.add = add

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        """The sum."""
        return self.add(self[0](x1), x2)


class ConvAddReLU2d(_FusedModule):
    """The same, and what is negative becomes 0.

    Args:
        conv: the convolution
        add: the function of two tensors
        relu: the layer after it
    """

    def __init__(self, conv: Any, add: Any, relu: Any) -> None:
        super().__init__(conv)
        self.add, self.relu = add, relu

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        """The sum, without what is negative."""
        return self.relu(self.add(self[0](x1), x2))
