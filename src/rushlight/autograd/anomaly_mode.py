"""Finding the operation whose gradient went wrong."""

from __future__ import annotations

import warnings

from rushlight.autograd.grad_mode import Decorating
from rushlight.engine.autograd import anomalies

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly(Decorating):
    """Switch the detection of anomalies on or off, at once and until the block ends.

    While it is on, steps remember the lines that recorded them, a step that fails in a backward
    pass says which they were, and gradients that are not a number raise.

    Args:
        mode: on or off
        check_nan: whether gradients that are not a number raise
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = anomalies.is_on(), anomalies.checks_nan()
        self.mode = mode
        self.check_nan = check_nan
        anomalies.switch(mode, check_nan)

    def clone(self) -> set_detect_anomaly:
        return type(self)(self.mode, self.check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        anomalies.switch(*self.prev)


class detect_anomaly(Decorating):
    """A block with `set_detect_anomaly`, and with a warning that all becomes slow."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def clone(self) -> detect_anomaly:
        return type(self)(self.check_nan)

    def __enter__(self) -> None:
        self._previous = anomalies.is_on(), anomalies.checks_nan()
        anomalies.switch(True, self.check_nan)

    def __exit__(self, *exception: object) -> None:
        anomalies.switch(*self._previous)
