"""What a thread has switched on: gradients, default type and device, modes, key sets.

`active` counts the threads (and nestings) in which something beyond the tensors' own keys decides
what an operator means. While it is zero, nobody looks at the thread's key sets.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import TYPE_CHECKING, Any

from rushlight.engine.native import heap_types, runtime
from rushlight.engine.native.forks import hold_over_fork
from rushlight.engine.native.lowlevel import Words, load
from rushlight.engine.native.python_api import (
    bool_from_word,
    decref,
    dict_get,
    dict_set,
    get_attribute,
    incref,
    long_as_signed,
    set_add,
    set_discard,
    thread_ident,
)

if TYPE_CHECKING:
    from rushlight.engine.core.device import device
    from rushlight.engine.core.dtype import dtype

active = 0
# For generated code. `busy`: not zero while calls must go through Python. `unrecorded`: how many
# threads have gradients switched off; `unrecorded_thread`: the sum of their numbers, which says which
# one it is, if it is one. `inferring` and
# `inferring_thread`: the same of inference mode, which counts as one reason for being busy.
# `layers` and `layers_thread`: how many transformations are around the code of the one thread that has
# any, each one reason more; `stack`: where their addresses are; `stack_kind`: a number for all that they
# do to calls, 0 if that is not to be remembered.
# `duals`: whether tensors may have tangents of forward mode, which is one reason; `tangents`: whether
# steps compute them.
# `generation` is raised by whatever changes what calls do (see `dispatch/call_cache/validity.py`).
switches = Words(
    "busy", "unrecorded", "unrecorded_thread", "inferring", "inferring_thread", "generation",
    "layers", "layers_thread", "stack", "stack_kind", "duals", "tangents",
)  # fmt: skip
# Whether memory that programs ask for without its content is filled, so that runs are alike.
fills_memory = False
# Whether there was memory of the host that stays where it is: until then, no storage has any.
has_pinned = False
# Whether warnings that come once per process come every time, and what has been warned of.
warns_always = False
_warned_of: set[Any] = set()
# Whether operators whose results vary in PyTorch are refused, or warned of.
deterministic = False
deterministic_warns = False
# How many threads (and nestings) compute tangents in forward mode.
duals = 0
_active_lock = threading.Lock()
hold_over_fork(_active_lock)


# The threads that have gradients switched off.
_unrecorded: set[int] = set()
_words, _BUSY, _INFERRING, _INFERRING_THREAD, _UNRECORDED, _UNRECORDED_THREAD = switches.places(
    "busy", "inferring", "inferring_thread", "unrecorded", "unrecorded_thread"
)


# The threads that are in inference mode.
_inferring: set[int] = set()
# The threads that are within transformations.
_layered: set[int] = set()
# What `switches.layers` is while a transformation computes what it stands for.
_LOWERED = -1
_, _LAYERS, _LAYERS_THREAD, _STACK, _STACK_KIND, _DUALS = switches.places(
    "layers", "layers_thread", "stack", "stack_kind", "duals"
)
# The four of them that tell what this thread does to calls, which lie one behind the other.
_TOLD = slice(_LAYERS, _STACK_KIND + 1)


def _count_unrecorded(ident: int, change: int) -> None:
    """Count a thread that has gradients switched off (+1), or has them on again (-1)."""
    with _active_lock:
        _words[_UNRECORDED] += change
        _words[_UNRECORDED_THREAD] += change * ident


@runtime.module.entry
def count_unrecorded(context: int, arguments: int, count: int) -> int:
    """The same for Python as machine code, which no other thread comes between."""
    change = long_as_signed(load(arguments + 8))
    switches.unrecorded += change
    switches.unrecorded_thread += change * long_as_signed(load(arguments))
    return bool_from_word(0)


@runtime.module.function
def records() -> int:
    """Whether this thread records gradients; -1 if that takes more than a look to find out."""
    if switches.unrecorded == 0:
        return 1
    if switches.unrecorded > 1:
        return -1
    return 0 if thread_ident() == switches.unrecorded_thread else 1


class ThreadState(threading.local):
    """One thread's switches; each thread starts with the defaults."""

    grad_enabled: bool
    inference: bool = False
    included: int = 0
    excluded: int = 0
    # What plans loops for a device other than the host, while a kernel for one is run.
    planner: Any = None
    # Why hooks on saved tensors are refused, while they are.
    saved_hooks_disabled: str | None = None

    def __init__(self) -> None:
        # Also in the thread's dictionary, where it is found most quickly.
        self.grad_enabled = True
        self.default_devices: list[device] = []
        self.modes: list[Any] = []
        # The transformations around the code that runs, the innermost last (see `dispatch/layers.py`).
        self.layers: list[Any] = []
        self.layer_addresses = (ctypes.c_int64 * 16)()
        self.layers_at = ctypes.addressof(self.layer_addresses)
        self.ident = threading.get_ident()
        if self.ident in _unrecorded:
            # A thread that ended without gradients had the same number.
            _unrecorded.discard(self.ident)
            _count_unrecorded(self.ident, -1)
        # In how many blocks classes and modes with `__torch_dispatch__` are not asked.
        self.dispatch_disabled = 0
        # How many operators that are written in terms of others are being made with objects of classes.
        self.composing = 0
        # Pairs of hooks on tensors that nodes keep; the last one counts.
        self.saved_hooks: list[Any] = []


thread = ThreadState()
# Told by the modules that define types and devices.
_default_dtype: dtype
_default_device: device


def activate(change: int) -> None:
    """Count one more (+1) or one fewer (-1) use of the thread's key sets."""
    with _active_lock:
        _activate(change)


def _activate(change: int) -> None:
    global active
    active += change
    _words[_BUSY] += change


def busy(change: int) -> None:
    """Keep generated code from answering calls by itself (+1), or let it again (-1)."""
    with _active_lock:
        _words[_BUSY] += change


def may_warn(subject: Any) -> bool:
    """Whether a warning that comes once per process is to come now; it counts as given."""
    if subject in _warned_of and not warns_always:
        return False
    _warned_of.add(subject)
    return True


def set_grad(mode: bool) -> bool:
    """Switch this thread's recording of gradients on or off; what it was before."""
    mine = thread.__dict__
    before: bool = mine["grad_enabled"]
    if before is mode:
        return before
    mine["grad_enabled"] = mode
    ident = mine["ident"]
    if mode:
        _unrecorded.discard(ident)
        _count_unrecorded(ident, -1)
    else:
        _unrecorded.add(ident)
        _count_unrecorded(ident, 1)
    return before


def set_inference(mode: bool) -> None:
    """Let this thread enter or leave inference mode."""
    mine = thread
    if mine.inference is mode:
        return
    mine.inference = mode
    change = 1 if mode else -1
    with _active_lock:
        _activate(change)
        (_inferring.add if mode else _inferring.discard)(mine.ident)
        _words[_INFERRING] = len(_inferring)
        if len(_inferring) == 1:
            (_words[_INFERRING_THREAD],) = _inferring


def show_layers(stack: Any, kind: int) -> None:
    """Let generated code see this thread's transformations.

    Args:
        stack: the layers' addresses, in memory
        kind: a number for all that they do to calls; 0 if that is not to be remembered
    """
    mine = thread
    with _active_lock:
        (_layered.add if mine.layers else _layered.discard)(mine.ident)
        alone = mine.layers and len(_layered) == 1
        _words[_LAYERS_THREAD] = mine.ident if alone else 0
        if alone:
            _words[_STACK], _words[_STACK_KIND] = ctypes.addressof(stack), kind
        if alone or not _layered:
            _words[_LAYERS] = len(mine.layers)


_kinds: dict[Any, int] = {}


def kind_of(facts: Any) -> int:
    """A number for all that a thread does to its calls, for keys of calls; the same for equal facts."""
    return _kinds.setdefault(facts, len(_kinds) + 1)


def tell(kind: int) -> bool:
    """Let generated code know the one reason why this thread is busy, unless another thread has some.

    `untell` takes it back.
    """
    with _active_lock:
        return _tell(kind)


def _tell(kind: int) -> bool:
    mine = thread
    if _layered or duals:
        return False
    _layered.add(mine.ident)
    # It is no layer.
    mine.layer_addresses[0] = 0
    _words[_TOLD] = 1, mine.ident, mine.layers_at, kind
    return True


def untell() -> None:
    with _active_lock:
        _layered.discard(thread.ident)
        _words[_LAYERS] = 0


def begin_answer(keys: int, kind: int) -> tuple[int, bool]:
    """Take keys out of this thread's calls while a class answers one, as `excluding` does.

    Args:
        keys: the keys
        kind: what generated code is told, as by `tell`, if that is all that this thread does to its calls

    Returns: what `end_answer` needs.
    """
    global active
    mine = thread
    before = mine.excluded
    is_all = not (before or mine.included or mine.layers)
    mine.excluded = before | keys
    with _active_lock:
        active += 1
        _words[_BUSY] += 1
        return before, is_all and _tell(kind)


def end_answer(begun: tuple[int, bool]) -> None:
    global active
    mine = thread
    mine.excluded, told = begun
    with _active_lock:
        active -= 1
        _words[_BUSY] -= 1
        if told:
            _layered.discard(mine.ident)
            _words[_LAYERS] = 0


def told_reasons() -> int:
    """For how many reasons this thread is busy that keys of calls tell."""
    told: int = _words[_LAYERS] if _words[_LAYERS_THREAD] == thread.ident else 0
    return told + int(_words[_DUALS])


def show_below(kind: int) -> tuple[int, int, bool]:
    """Let generated code make the calls of the layers below this thread's innermost one, which is off the stack.

    Args:
        kind: a number for all that they do to calls

    Returns: what `unshow_below` needs to take it back.
    """
    layers, outer = _words[_LAYERS], _words[_STACK_KIND]
    is_shown = _words[_LAYERS_THREAD] == thread.ident and layers == len(thread.layers) + 1
    if is_shown:
        _words[_LAYERS], _words[_STACK_KIND] = layers - 1, kind
        busy(-1)
    else:
        _words[_LAYERS] = _LOWERED
    return layers, outer, is_shown


def unshow_below(shown: tuple[int, int, bool]) -> None:
    # What the words say by now may be another thread's.
    layers, outer, was_shown = shown
    if was_shown:
        busy(+1)
    _words[_LAYERS], _words[_STACK_KIND] = layers, outer


def hide_layers() -> int:
    """Let generated code make no calls within transformations until `unhide_layers` gets what this gives."""
    shown: int = _words[_LAYERS]
    _words[_LAYERS] = _LOWERED
    return shown


def unhide_layers(shown: int) -> None:
    _words[_LAYERS] = shown


# What machine code needs of a thread's dictionary, and of the set of those without gradients.
_own = Words("thread", "dictionary", "grad_enabled", "ident", "unrecorded", "on")
_names = tuple(map(sys.intern, ("__dict__", "grad_enabled", "ident")))
_own.thread, _own.unrecorded, _own.on = id(thread), id(_unrecorded), id(True)
_own.dictionary, _own.grad_enabled, _own.ident = map(id, _names)


@runtime.module.function
def set_recording(mode: int) -> int:
    """`set_grad` for True or False as an object: what it was before, or 0 with an error."""
    mine = get_attribute(_own.thread, _own.dictionary)
    if mine == 0:
        return 0
    before = dict_get(mine, _own.grad_enabled)
    if before != mode:
        dict_set(mine, _own.grad_enabled, mode)
        ident = dict_get(mine, _own.ident)
        change = 1
        if mode == _own.on:
            change = -1
            set_discard(_own.unrecorded, ident)
        else:
            set_add(_own.unrecorded, ident)
        switches.unrecorded += change
        switches.unrecorded_thread += change * long_as_signed(ident)
    decref(mine)
    return before


@runtime.module.entry
def switch_recording(context: int, arguments: int, count: int) -> int:
    """`set_grad` as machine code, which no other thread comes between."""
    before = set_recording(load(arguments))
    if before != 0:
        incref(before)
    return before


def switch_by_machine_code() -> None:
    """Switch gradients on and off without a lock, now that the run-time system is compiled."""
    global _count_unrecorded, set_grad
    if not heap_types.supported():
        return
    _count_unrecorded = runtime.python_function("count_unrecorded", count_unrecorded)
    set_grad = runtime.python_function("set_grad", switch_recording)


class recording:
    """Switch this thread's recording of gradients for a block."""

    __slots__ = ("_mode", "_previous")

    def __init__(self, mode: bool) -> None:
        self._mode = mode

    def __enter__(self) -> None:
        self._previous = thread.grad_enabled
        set_grad(self._mode)

    def __exit__(self, *exception: object) -> None:
        set_grad(self._previous)


class including:
    """Add keys to every operator call of this thread."""

    __slots__ = ("_keys", "_previous")

    def __init__(self, keys: int) -> None:
        self._keys = keys

    def __enter__(self) -> None:
        self._previous = thread.included
        thread.included |= self._keys
        activate(1)

    def __exit__(self, *exception: object) -> None:
        thread.included = self._previous
        activate(-1)


class excluding:
    """Take keys out of every operator call of this thread."""

    __slots__ = ("_keys", "_previous")

    def __init__(self, keys: int) -> None:
        self._keys = keys

    def __enter__(self) -> None:
        self._previous = thread.excluded
        thread.excluded |= self._keys
        activate(1)

    def __exit__(self, *exception: object) -> None:
        thread.excluded = self._previous
        activate(-1)


def effective(keys: int) -> int:
    """The keys that count in this thread for tensors that carry ``keys``."""
    return (keys | thread.included) & ~thread.excluded


def default_dtype() -> dtype:
    return _default_dtype


def set_default_dtype(dtype: dtype) -> None:
    global _default_dtype
    _default_dtype = dtype


def default_device() -> device:
    if thread.default_devices:
        return thread.default_devices[-1]
    return _default_device


def set_default_device(device: device) -> None:
    global _default_device
    _default_device = device


def push_default_device(device: device) -> None:
    thread.default_devices.append(device)
    # Calls remembered on another default device must not be repeated.
    busy(+1)


def pop_default_device() -> None:
    thread.default_devices.pop()
    busy(-1)
