"""Blocks that switch the recording of gradients, entered and left by machine code."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import state
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import Words, load, stack, store
from rushlight.engine.native.python_api import incref, vectorcall
from rushlight.engine.native.runtime import method_descriptor, module

# Whether machine code has entered a block, and what held before: `BEFORE_OFF` or `BEFORE_ON`.
BEFORE_OFF, BEFORE_ON = 1, 2

Block: Any = (
    heap_types.make_base("rushlight.GradBlock", ("_before",))
    if heap_types.supported()
    else type("GradBlock", (), {"_before": 0})
)
_BEFORE = heap_types.HEADER
_MOST_ARGUMENTS = 8
_known = Words("on", "off", "none", "enter", "leave")
_known.on, _known.off, _known.none = id(True), id(False), id(None)


@module.function
def in_python(function: int, block: int, arguments: int, count: int) -> int:
    """A method of a block in Python."""
    if count > _MOST_ARGUMENTS:
        count = _MOST_ARGUMENTS
    given = stack(_MOST_ARGUMENTS + 1)
    store(given, block)
    for k in range(count):
        store(given + 8 + k * 8, load(arguments + k * 8))
    return vectorcall(function, given, count + 1, 0)


@module.function
def enter_block(block: int, mode: int, arguments: int, count: int) -> int:
    """Begin a block: what is told when gradients are switched is told in Python."""
    if state.switches.busy != 0 or count != 0:
        return in_python(_known.enter, block, arguments, count)
    before = state.set_recording(mode)
    if before == 0:
        return 0
    store(block + _BEFORE, BEFORE_ON if before == _known.on else BEFORE_OFF)
    incref(_known.none)
    return _known.none


@module.entry
def enter_without(block: int, arguments: int, count: int) -> int:
    return enter_block(block, _known.off, arguments, count)


@module.entry
def enter_with(block: int, arguments: int, count: int) -> int:
    return enter_block(block, _known.on, arguments, count)


@module.entry
def leave_block(block: int, arguments: int, count: int) -> int:
    """End a block that machine code has begun; any other is ended in Python."""
    before = load(block + _BEFORE)
    if before == 0 or state.switches.busy != 0:
        return in_python(_known.leave, block, arguments, count)
    if state.set_recording(_known.on if before == BEFORE_ON else _known.off) == 0:
        return 0
    incref(_known.none)
    return _known.none


def quicken(without: Any, with_gradients: Any) -> None:
    """Let the classes of both kinds of blocks be entered and left by machine code; their own methods do the rest.

    Args:
        without: that of blocks without gradients
        with_gradients: that of blocks with gradients
    """
    if not heap_types.supported():
        return
    _methods.extend((without.__enter__, without.__exit__))
    _known.enter, _known.leave = map(id, _methods)
    for kind, enter in ((without, enter_without), (with_gradients, enter_with)):
        kind.__enter__ = method_descriptor("__enter__", kind, enter)
        kind.__exit__ = method_descriptor("__exit__", kind, leave_block)


# What machine code refers to.
_methods: list[Any] = []
