"""What lazy tensors have done so far, in numbers.

`lazy::NAME` counts calls that were recorded, `aten::NAME` calls that were made at once.
"""

from __future__ import annotations

import collections
import threading

from rushlight.engine.native.forks import hold_over_fork

__all__ = ["count", "counter_names", "counter_value", "metrics_report", "reset"]

_lock = threading.Lock()
hold_over_fork(_lock)
_counters: collections.Counter[str] = collections.Counter()
# Why calls were made at once, and graphs not compiled.
_reasons: collections.Counter[tuple[str, str]] = collections.Counter()


def count(name: str, reason: str | None = None) -> None:
    """Count one more of something.

    Args:
        name: what it is
        reason: why it was so
    """
    with _lock:
        _counters[name] += 1
        if reason is not None:
            _reasons[name, reason] += 1


def reset() -> None:
    """Begin to count anew."""
    with _lock:
        _counters.clear()
        _reasons.clear()


def counter_names() -> list[str]:
    """The names of all that was counted."""
    with _lock:
        return sorted(_counters)


def counter_value(name: str) -> int:
    """How often something was counted."""
    return _counters.get(name, 0)


def metrics_report() -> str:
    """All counters as a text, with the reasons why calls were not recorded."""
    with _lock:
        lines = [f"Counter: {name}\n  Value: {value}" for name, value in sorted(_counters.items())]
        lines += [
            f"Reason: {name}: {reason}\n  Times: {value}"
            for (name, reason), value in sorted(_reasons.items())
        ]
    return "\n".join(lines) + "\n"
