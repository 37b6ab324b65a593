"""What is known while a program is traced: where its values come from, and what it has been assumed of them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from rushlight.engine.native.records import dataclass
from rushlight.utils.weak import WeakTensorKeyDictionary

__all__ = [
    "ChainedSource",
    "GuardsContext",
    "SLoc",
    "ShapeGuard",
    "Source",
    "TracingContext",
    "detect_fake_mode",
    "tracing",
]


@dataclass(frozen=True)
class Source:
    """Where a value of a program comes from."""

    def is_ephemeral(self) -> bool:
        """Whether the value is gone once the program is traced."""
        return False

    @property
    def name(self) -> str:
        """The expression that finds the value."""
        raise NotImplementedError

    @property
    def _name_template(self) -> str:
        return self.name


@dataclass(frozen=True)
class ChainedSource(Source):
    """Where a value comes from that is part of another one."""

    base: Source

    def is_ephemeral(self) -> bool:
        return self.base.is_ephemeral()


@dataclass(frozen=True)
class SLoc:
    """Where in the library, and where in a program, something was assumed."""

    framework_loc: Any
    maybe_user_loc: str | None

    def __str__(self) -> str:
        if self.maybe_user_loc is not None:
            return f"{self.maybe_user_loc} ({self.framework_loc})"
        return f"({self.framework_loc})"


@dataclass(frozen=True)
class ShapeGuard:
    """What was assumed of sizes.

    Args:
        expr: what must hold
        sloc: where it was assumed
        size_oblivious: whether sizes were taken for none of 0 and 1
    """

    expr: Any
    sloc: SLoc
    size_oblivious: bool = False


class GuardsContext:
    """What has been assumed by a program that is traced."""

    def __init__(self) -> None:
        self.dynamo_guards: set[Any] = set()
        self.aotautograd_guards: list[Any] = []


class _TLS(threading.local):
    tracing_context: TracingContext | None = None


_tls = _TLS()


class TracingContext:
    """The trace of one program.

    Args:
        fake_mode: the mode of the fake tensors that it is traced with
    """

    def __init__(self, fake_mode: Any) -> None:
        self.guards_context = GuardsContext()
        self.fake_mode = fake_mode
        self.params_flat: list[Any] | None = None
        self.output_strides: list[Any] | None = None
        self.fakify_first_call = False
        self.hop_dispatch_set_cache: Any = None
        # Which sizes of the program's tensors are symbols.
        self.tensor_to_context: Any = WeakTensorKeyDictionary()

    @staticmethod
    def try_get() -> TracingContext | None:
        """The context of the trace that goes on, if any."""
        return _tls.tracing_context

    @staticmethod
    def get() -> TracingContext:
        """The context of the trace that goes on."""
        found = TracingContext.try_get()
        if found is None:
            raise RuntimeError("TracingContext.get() must be called within an ongoing trace.")
        return found


@contextlib.contextmanager
def tracing(context: TracingContext | None) -> Iterator[TracingContext | None]:
    """Within the block a trace goes on."""
    before = _tls.tracing_context
    _tls.tracing_context = context
    try:
        yield context
    finally:
        _tls.tracing_context = before


def detect_fake_mode(inputs: Any = None) -> Any:
    """The mode of fake tensors that counts: of the trace, of the thread, or of the inputs; or None."""
    from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
    from rushlight.engine.dispatch import modes
    from rushlight.utils._pytree import tree_leaves

    found: list[tuple[Any, str, int]] = []
    context = TracingContext.try_get()
    if context is not None and context.fake_mode is not None:
        found.append((context.fake_mode, "tracing context", 0))
    for place, mode in enumerate(reversed(modes.stack())):
        if isinstance(mode, FakeTensorMode):
            found.append((mode, "active fake mode", place))
    for place, value in enumerate(tree_leaves(inputs)):
        if isinstance(value, FakeTensor):
            found.append((value.fake_mode, "fake tensor input", place))
    if not found:
        return None
    first, what, where = found[0]
    for mode, other, place in found[1:]:
        if mode is not first:
            raise AssertionError(
                f"fake mode ({first}) from {what} {where} doesn't match mode ({mode}) from {other} "
                f"{place}"
            )
    return first
