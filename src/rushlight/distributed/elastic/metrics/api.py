"""Numbers that launchers tell: each goes to the handler of its group."""

from __future__ import annotations

import abc
import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "ConsoleMetricHandler",
    "MetricData",
    "MetricHandler",
    "MetricStream",
    "MetricsConfig",
    "NullMetricHandler",
    "configure",
    "getStream",
    "get_elapsed_time_ms",
    "prof",
    "profile",
    "publish_metric",
    "put_metric",
]


class MetricData(NamedTuple):
    """A number that was told."""

    timestamp: float
    group_name: str
    name: str
    value: int


class MetricsConfig:
    """Settings for metrics.

    Args:
        params: by name
    """

    def __init__(self, params: dict[str, str] | None = None) -> None:
        self.params = {} if params is None else params


class MetricHandler(abc.ABC):
    """Does something with numbers."""

    @abc.abstractmethod
    def emit(self, metric_data: MetricData) -> None:
        """Take a number."""


class ConsoleMetricHandler(MetricHandler):
    """Prints numbers."""

    def emit(self, metric_data: MetricData) -> None:
        """Print a number."""
        when, group, name, value = metric_data
        print(f"[{when}][{group}]: {name}={value}")


class NullMetricHandler(MetricHandler):
    """Drops numbers."""

    def emit(self, metric_data: MetricData) -> None:
        """Drop a number."""


class MetricStream:
    """The numbers of a group, on their way to a handler.

    Args:
        group_name: the group
        handler: who takes them
    """

    def __init__(self, group_name: str, handler: MetricHandler) -> None:
        self.group_name, self.handler = group_name, handler

    def add_value(self, metric_name: str, metric_value: int) -> None:
        """Tell a number."""
        self.handler.emit(MetricData(time.time(), self.group_name, metric_name, metric_value))


_metrics_map: dict[str, MetricHandler] = {}
_default_metrics_handler: MetricHandler = NullMetricHandler()


def configure(handler: MetricHandler, group: str | None = None) -> None:
    """Say who takes the numbers of a group, or of all that have nobody of their own.

    Args:
        handler: who takes them
        group: the group
    """
    global _default_metrics_handler
    if group is None:
        _default_metrics_handler = handler
    else:
        _metrics_map[group] = handler


def getStream(group: str) -> MetricStream:
    """The numbers of a group."""
    return MetricStream(group, _metrics_map.get(group, _default_metrics_handler))


def put_metric(metric_name: str, metric_value: int, metric_group: str = "torchelastic") -> None:
    """Tell a number.

    Args:
        metric_name: what it is
        metric_value: the number
        metric_group: to which group it belongs
    """
    getStream(metric_group).add_value(metric_name, metric_value)


def publish_metric(metric_group: str, metric_name: str, metric_value: int) -> None:
    """An older way to tell a number."""
    put_metric(metric_name, metric_value, metric_group)


def get_elapsed_time_ms(start_time_in_seconds: float) -> int:
    """How many milliseconds have gone since a time."""
    return int((time.time() - start_time_in_seconds) * 1000)


def prof(fn: Callable[..., Any] | None = None, group: str = "torchelastic") -> Any:
    """Tell how long each call of a function takes, and how it ends; a decorator.

    Args:
        fn: the function
        group: to which group the numbers belong
    """

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__qualname__

        @functools.wraps(function)
        def told(*args: Any, **kwargs: Any) -> Any:
            start = time.time()
            try:
                result = function(*args, **kwargs)
                put_metric(f"{name}.success", 1, group)
                return result
            except Exception:
                put_metric(f"{name}.failure", 1, group)
                raise
            finally:
                put_metric(f"{name}.duration.ms", get_elapsed_time_ms(start), group)

        return told

    return wrap(fn) if fn else wrap


def profile(group: str | None = None) -> Any:
    """An older name of `prof`."""
    return prof(group=group or "torchelastic")
