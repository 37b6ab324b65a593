"""What fake tensors cannot tell, as errors."""

from __future__ import annotations

from rushlight.engine.core import device as devices
from rushlight.engine.dispatch.operator import Operator


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor that no fake can stand for."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _OfOperator(RuntimeError):
    def __init__(self, func: Operator) -> None:
        super().__init__(func)
        self.func = func


class DynamicOutputShapeException(_OfOperator):
    """The elements of an argument decide how large a result is."""


class DataDependentOutputException(_OfOperator):
    """The elements of an argument decide what a result is, and it is no tensor."""


class UnsupportedOperatorException(_OfOperator):
    """Nothing tells what an operator returns."""


class UnsupportedMutationAliasingException(RuntimeError):
    """A program changes or shares tensors in a way that cannot be followed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class MetadataMismatchError(RuntimeError):
    """What an operator was said to return is not what it returned."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FakeTensorDeviceMismatchError(RuntimeError):
    """Tensors of one call are on several devices."""

    def __init__(self, func: Operator, one: devices.device, other: devices.device) -> None:
        super().__init__(
            f"Unhandled FakeTensor Device Propagation for {func}, found two different devices "
            f"{one}, {other}. Expected all tensors to be on the same device"
        )
