"""What stands behind a public function: its Python form, and the calls that it remembers.

A public function or method is a built-in function whose context is a `Binding`. Compiled code (see
`replay`) repeats the calls that the binding remembers. Any other goes to its ordinary Python
function, and is recorded when it comes for the second time: if it turns out to be steps over its own
arguments, they are remembered.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import types as python_types
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.engine.core import keys, objects, state, symbolic, wrapped
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import overrides_hook
from rushlight.engine.dispatch.call_cache import array_numbers, classes
from rushlight.engine.dispatch.call_cache.classes import CallClass
from rushlight.engine.dispatch.call_cache.key import (
    BINDING_OBJECTS,
    BINDING_WORDS,
    BY_IDENTITY,
    HAS_SUBSCRIPT,
    TAKES_ARRAYS,
    TAKES_LISTS,
    Numbers,
    Sizes,
    bit_of,
    hash_of,
    key_of,
)
from rushlight.engine.dispatch.call_cache.recorder import recording
from rushlight.engine.dispatch.call_cache.replay import call_binding
from rushlight.engine.dispatch.call_cache.sequence import encode_call, versions_of
from rushlight.engine.dispatch.call_cache.step import UNREPEATABLE, Encoded, Step
from rushlight.engine.dispatch.call_cache.steps import ByValue, Known
from rushlight.engine.dispatch.call_cache.steps.notes import without_notes, without_shadows
from rushlight.engine.dispatch.call_cache.subscripts import index_shift_of
from rushlight.engine.dispatch.call_cache.table import CallTable
from rushlight.engine.dispatch.call_cache.validity import changes, generation
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.engine.dispatch.public_names import Place, documented, place_of
from rushlight.engine.native import array_objects, heap_types, runtime, subscripts
from rushlight.engine.native.numpy_later import is_array
from rushlight.engine.native.springboard import Springboard

_SLOTS = 64
MOST_SLOTS = 1024
# After so many kinds of calls that were made once, calls hardly repeat either.
_MOST_MET = 1024
# Once a table of that size has been full, calls hardly repeat: one in so many is remembered.
_SELDOM = 8
# Calls with one number in several places (``threshold(x, 0, 0)``) do not show which place a step's number
# has. After so many of them they count by value.
_MOST_ALIKE = 3

# Calls with a generator that came no more often are not remembered.
_FEW_USES = 2

_Base = (
    heap_types.make_base("rushlight.BindingBase", BINDING_WORDS, BINDING_OBJECTS)
    if heap_types.supported()
    else object
)

bindings: weakref.WeakSet[Binding] = weakref.WeakSet()
# What bindings without a remembered call look through.
_no_calls = CallTable(1)


class Binding(_Base):  # type: ignore[misc, valid-type]
    """A public function's Python form and the calls it remembers.

    Args:
        name: the function's name
        slow: makes a call in Python
        numbers: see `public_function`
        sizes: see `public_function`
        habits: see `public_function`
    """

    _table: int
    _mask: int
    _numbers: int
    _named_numbers: int
    _layered_numbers: int
    _named_layered_numbers: int
    _named: tuple[str, ...] = ()
    _names_of_sizes: tuple[str, ...] = ()
    _definition: Any
    _habits: int
    _slow: Callable[..., Any]
    _miss: Callable[..., Any]

    def __init__(
        self,
        name: str,
        slow: Callable[..., Any],
        numbers: Callable[[], Numbers],
        sizes: Callable[[], Sizes],
        habits: int,
    ) -> None:
        self._name = name
        self._find_sizes = sizes
        self._slow = slow
        # Machine code calls it for a binding that is alive; the collector does not see through its slots.
        this = weakref.ref(self)
        self._miss = lambda *args, **kwargs: this().miss(*args, **kwargs)  # type: ignore[union-attr]
        self._find_numbers: Callable[[], Numbers] | None = numbers
        self._habits = habits
        # Types of arguments, some of them numpy's numbers, that calls were made with; and what is called.
        self._met_kinds: set[tuple[Any, ...]] = set()
        self._public: Callable[..., Any] | None = None
        self._varies = False
        self._misses = self._alike = 0
        self._calls = _no_calls
        self._forget()
        bindings.add(self)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._slow(*args, **kwargs)

    def __reduce__(self) -> Any:
        # Python pickles a built-in function as an attribute of what it is bound to.
        return Place, place_of(self, self._name)

    # -- a call that is not remembered --

    def miss(self, /, *args: Any, **kwargs: Any) -> Any:
        """Make the call in Python, and remember it if it is the second of its kind.

        The first builds plans, and may stay the only one: shapes come and go.
        """
        if self._find_numbers is not None:
            found = self._find_numbers()
            self._numbers = self._layered_numbers = found.positions
            self._named = found.names
            if self._named:
                self._names = id(self._named)
                self._named_numbers = self._named_layered_numbers = found.kinds_of_names()
            self._sizes, self._names_of_sizes = self._find_sizes()
            if self._names_of_sizes:
                self._named_sizes = id(self._names_of_sizes)
            self._find_numbers = None
        if self._habits & HAS_SUBSCRIPT and len(args) > 1 and self._public is not None:
            subscript = array_numbers.plain_subscript(args[1])
            if subscript is not args[1]:
                return self._public(args[0], subscript, *args[2:], **kwargs)
        asked = (*args, *kwargs.values()) if kwargs else args
        if self._habits & TAKES_LISTS:
            # Those of numbers have nobody to ask, and others are not remembered anyway.
            asked = tuple(x for x in asked if not isinstance(x, (list, tuple)))
        if any(map(_answers_itself, asked)):
            return self._slow(*args, **kwargs)
        kinds = array_numbers.kinds_of((*args, *kwargs.values()))
        if kinds is not None:
            return self._call_plainly((*kinds, *kwargs), args, kwargs)
        if not self._are_stable(args, kwargs) or any(map(_is_passing, asked)):
            return self._slow(*args, **kwargs)
        if self._generation != generation():
            self._forget()
        if not self._has_met(args, kwargs) or classes.is_learned_as_one(self, args, kwargs):
            return classes.call(self, args, kwargs)
        if self._varies:
            self._misses += 1
            if self._misses % _SELDOM:
                return self._slow(*args, **kwargs)
        as_given = _Given(self, args, kwargs)
        result, recorded = self.record(args, kwargs)
        if recorded is not None:
            self._remember(args, kwargs, recorded[0], result, recorded[1], as_given)
        return result

    def _call_plainly(
        self, kinds: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Make a call with numpy's numbers; once such a call was made, with plain ones in their place.

        Of data, as lists and arrays are, such a number says the element type.
        """
        if kinds in self._met_kinds:
            assert self._public is not None
            named = {name: array_numbers.plain(x) for name, x in kwargs.items()}
            return self._public(*map(array_numbers.plain, args), **named)
        result = self._slow(*args, **kwargs)
        if self._public is not None and not self._habits & (TAKES_LISTS | TAKES_ARRAYS):
            if len(self._met_kinds) >= _MOST_MET:
                self._met_kinds.clear()
            self._met_kinds.add(kinds)
        return result

    def _are_stable(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the arguments' parts of the key say all that decides about them."""
        return all(self._looks_at(x) or _is_stable(x) for x in (*args, *kwargs.values()))

    def _has_met(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether there was such a call before; if not, there was one now."""
        key = key_of(self, args, kwargs, bool(self._habits & HAS_SUBSCRIPT) and not kwargs)
        if key is None:
            return False
        mixed = hash_of(key)
        if mixed in self._met:
            return True
        if len(self._met) >= _MOST_MET:
            self._met.clear()
            self._failed.clear()
            self._varies = True
        self._met.add(mixed)
        return False

    def record(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, tuple[list[Step], dict[int, int]] | None]:
        """Make a call in Python: its result, and its steps with the storages' versions before.

        Nothing is known of the steps if what calls do has changed meanwhile.
        """
        outer = recording.steps
        steps: list[Step] = []
        times = changes()
        before = versions_of(self._flattened([*args, *kwargs.values()]))
        recording.steps = steps
        state.busy(+1)
        try:
            result = self._slow(*args, **kwargs)
        finally:
            state.busy(-1)
            recording.steps = outer
            if outer is not None:
                outer.extend(steps)
        # Inference mode is one reason for being busy that is no hindrance, and so are those that keys tell.
        known_reasons = state.thread.inference + state.told_reasons()
        is_sure = state.switches.busy == known_reasons and times == changes()
        return result, (steps, before) if is_sure else None

    # -- remembering --

    def _remember(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        steps: list[Step],
        result: Any,
        before: dict[int, int],
        as_given: _Given,
    ) -> None:
        """Remember what the call was; also that it was nothing that can be repeated."""
        if self._habits & HAS_SUBSCRIPT and not kwargs and all(map(_is_stable, args)):
            flat_args, index_shift = self._flattened(list(args)), index_shift_of(*args[:2])
            own = self._own_steps(args, kwargs, steps)
            found = (
                None
                if index_shift is None
                else encode_call(flat_args, before, own, result, index_shift)
            )
            if found is not None:
                self._insert(as_given, found, True)
                return
        found = self.encode(args, kwargs, steps, result, before)
        if found is not None:
            self._insert(as_given, found, False)

    def encode(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        steps: list[Step],
        result: Any,
        before: dict[int, int],
    ) -> Encoded | None:
        """The step that does a call again, or `UNREPEATABLE`; None if nothing is to be remembered."""
        if state.thread.inference and isinstance(result, NamedResult):
            # Machine code marks what is in plain tuples.
            return None
        given = [*args, *kwargs.values()]
        flat_args = self._flattened(given)
        found = encode_call(flat_args, before, self._own_steps(args, kwargs, steps), result)
        if found is None:
            return UNREPEATABLE
        if found.numbers is None:
            self._count_by_value(args, kwargs, [])
        elif not self._are_told_apart(found.numbers, args, flat_args):
            self._alike += 1
            if self._alike >= _MOST_ALIKE:
                apart = [x for x in found.numbers if self._is_told_apart(x, args, flat_args)]
                self._count_by_value(args, kwargs, apart)
            return None
        else:
            # A number that is no operand of the step, such as the end of a range, shaped it.
            self._count_by_value(args, kwargs, found.numbers)
        return found

    def _looks_at(self, given: Any) -> bool:
        """Whether only a part of an argument decides, which keys tell."""
        if self._habits & TAKES_LISTS and type(given) in (list, tuple):
            return True
        # From the first array on, machine code knows what one looks like.
        return self._habits & TAKES_ARRAYS != 0 and is_array(given) and array_objects.is_told(given)

    def _flattened(self, given: list[Any]) -> list[Any]:
        """The arguments, with lists and tuples replaced by their items, unless only their shape counts.

        After a tensor that stands for another one comes that one, and after it its tangent.
        """
        whole = () if self._habits & TAKES_LISTS else (tuple, list)
        found = [x for a in given for x in (a if type(a) in whole else (a,))]
        return [x for item in found for x in wrapped.with_values(item)]

    def _own_steps(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], steps: list[Step]
    ) -> list[Step]:
        """The steps over the arguments themselves, without notes that are no steps."""
        steps = without_shadows(steps)
        # What metadata alone decide is the same each time, so a call may look at it on its way.
        steps = without_notes(steps, Known) or steps
        own = without_notes(steps, ByValue)
        if len(own) != len(steps):
            self._count_by_value(args, kwargs, [])
        return own

    def _are_told_apart(
        self, numbers: list[Any], args: tuple[Any, ...], flat_args: list[Any]
    ) -> bool:
        """Whether it is clear which arguments are a step's plain numbers."""
        return not any(self.free_numbers) or all(
            self._is_told_apart(x, args, flat_args) for x in numbers
        )

    def _is_told_apart(self, number: Any, args: tuple[Any, ...], flat_args: list[Any]) -> bool:
        """Whether a number is one argument, or behind it only such as always count by value."""
        if sum(flat_arg is number for flat_arg in flat_args) <= 1:
            return True
        places = [k for k, item in enumerate(args) if item is number]
        is_listed = sum(flat_arg is number for flat_arg in flat_args) > len(places)
        free = [k for k in places if self.free_numbers[0] & bit_of(number, k)]
        return not is_listed and free in ([], places[:1])

    def _count_by_value(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], others: list[Any]
    ) -> None:
        """Let the kinds of numbers among the arguments, but for some, count by value from now on."""
        before = numbers, named = self.free_numbers
        for position, item in enumerate(args):
            if not any(item is x for x in others):
                numbers &= ~bit_of(item, position)
        for name, item in kwargs.items():
            if name in self._named and not any(item is x for x in others):
                named &= ~bit_of(item, self._named.index(name))
        if before != (numbers, named):
            if state.told_reasons():
                self._layered_numbers, self._named_layered_numbers = numbers, named
            else:
                self._numbers, self._named_numbers = numbers, named
            self._forget()

    @property
    def free_numbers(self) -> tuple[int, int]:
        """Which numbers are free in calls as this thread makes them now, by position and by name."""
        if state.told_reasons():
            return self._layered_numbers, self._named_layered_numbers
        return self._numbers, self._named_numbers

    def _insert(self, given: _Given, found: Encoded, index_shift: bool) -> None:
        key = given.key(index_shift)
        if key is None or self._generation != given.times:
            return
        if not found.is_repeatable and hash_of(key) not in self._failed:
            # A call may still have built plans, for another number than the one before; once more.
            self._failed.add(hash_of(key))
            return
        if 2 * len(self._calls.held) >= self._calls.mask:
            self._make_room()
        calls = self._calls
        if calls is _no_calls or generation() != given.times:
            # All was forgotten meanwhile.
            return
        step, keep = found.in_memory()
        calls.insert(key, step, (keep, given.addressed))

    def _make_room(self) -> None:
        """Twice the table, or an empty one if it is large already."""
        if self._calls.mask + 1 >= MOST_SLOTS:
            self._varies = True
            self._forget()
        times = self._generation
        larger = self._calls.enlarged(max(2 * (self._calls.mask + 1), _SLOTS))
        if times == generation():
            self._show(larger)

    def _show(self, calls: CallTable) -> None:
        """Let machine code look through a table."""
        if calls.mask < self._calls.mask:
            # Another thread may look between the two: it must stay inside the smaller table.
            self._mask = calls.mask
        self._table = calls.address
        self._mask = calls.mask
        self._calls = calls

    def _forget(self) -> None:
        """Let go of all remembered calls."""
        self._show(_no_calls)
        self._class_mask = 0
        # Only now may what the tables point to go.
        self._generation = generation()
        self._known_classes: dict[bytes, CallClass] = {}
        self._class_calls = _no_calls
        self._met: set[int] = set()
        self._failed: set[int] = set()

    def install_class(self, known: CallClass) -> None:
        """Let machine code find the programs of a class."""
        for earlier, later in itertools.pairwise(known.programs):
            earlier.words[0] = later.address
        ready = [c for c in self._known_classes.values() if c.programs]
        if known not in ready:
            return
        calls = CallTable(max(_SLOTS, 1 << (4 * len(ready)).bit_length()))
        for one in ready:
            key = (ctypes.c_int64 * (len(one.key) // 8)).from_buffer_copy(one.key)
            calls.insert(key, one.programs[0].address, one)
        self._class_mask = 0
        self._classes = calls.address
        self._class_mask = calls.mask
        self._class_calls = calls


class _Given:
    """The arguments of a call as they are before it is made: it may change them, and their key."""

    def __init__(self, binding: Binding, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.call = binding, args, kwargs
        self.times = generation()
        self.numbers = binding.free_numbers
        self.flat_args = binding._flattened([*args, *kwargs.values()])
        self.state = _state_of(self.flat_args)
        self.addressed = [_addressed(x) for x in self.flat_args]
        index_shift = binding._habits & HAS_SUBSCRIPT and not kwargs
        self.keys = [key_of(*self.call), key_of(*self.call, True) if index_shift else None]

    def key(self, index_shift: bool) -> Any:
        """The call's key, as its binding writes keys now."""
        if _state_of(self.flat_args) == self.state:
            return key_of(*self.call, index_shift)
        binding = self.call[0]
        same = binding.free_numbers == self.numbers
        return self.keys[index_shift] if same else None


def _state_of(flat_args: list[Any]) -> list[Any]:
    """What keys say of tensors."""
    return [(x._size_, x._stride_, x._flags_, x._keys_) for x in flat_args if isinstance(x, Tensor)]


def _answers_itself(item: Any) -> bool:
    """Whether it is a tensor that is asked what calls with it do, or is many: these are not remembered."""
    if isinstance(item, Tensor):
        return bool(item._keys_ & _NEVER_REMEMBERED)
    if isinstance(item, (list, tuple)):
        for x in item:
            if type(x) is not int and _answers_itself(x):
                return True
    return False


_NEVER_REMEMBERED = keys.PYTHON | keys.NESTED


def _addressed(flat_arg: Any) -> Any:
    """What must stay alive because the key holds its address; never a tensor itself."""
    if is_array(flat_arg):
        return flat_arg.dtype
    if isinstance(flat_arg, (list, tuple)):
        # What only has a shape there; sizes are kept by their address.
        return flat_arg if isinstance(flat_arg, Size) else None
    return (flat_arg._size_, flat_arg._stride_) if isinstance(flat_arg, Tensor) else flat_arg


_plain_types = {Tensor, int, float, complex, symbolic.SymInt}


def count_as_plain(parameter: type) -> None:
    """Let calls with tensors of this class be repeated as if they were plain ones."""
    _plain_types.add(parameter)
    tensors.plain_types.add(parameter)
    objects.types.parameter = id(parameter)


def _is_stable(item: Any) -> bool:
    """Whether an argument's part of the key says all about it."""
    if type(item) in (tuple, list):
        # Of containers in containers, only lists of integers are.
        return all(
            {int}.issuperset(map(type, x))
            if type(x) is list
            else type(x) is not tuple and _is_stable(x)
            for x in item
        )
    if type(item) is slice:
        return all(_is_stable(x) for x in (item.start, item.stop, item.step))
    return type(item) in _plain_types or isinstance(item, BY_IDENTITY)


def _is_passing(item: Any) -> bool:
    """Whether it is a generator that may be made for this call alone; its address is another one's later."""
    if not isinstance(item, Generator):
        return False
    item.uses += 1
    return item.uses <= _FEW_USES


# -- built-in functions over bindings --

Made = TypeVar("Made", bound=Callable[..., Any])
_definitions: list[runtime.MethodDefinition] = []
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_definitions))
_active = False


def _entry_address() -> int:
    """What the functions run: before anything is compiled, a call of the binding itself."""
    if _active:
        return runtime.module.address(call_binding)
    address = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
    assert address is not None
    return address


@functools.cache
def _springboard() -> Springboard:
    """The one address of all functions, so that their hashes stay."""
    return Springboard(_entry_address())


_NO_SIZES = Sizes()


def no_numbers() -> Numbers:
    return Numbers()


def no_sizes() -> Sizes:
    return _NO_SIZES


def public_function(
    name: str,
    slow: Callable[..., Any],
    numbers: Callable[[], Numbers] = no_numbers,
    habits: int = 0,
    sizes: Callable[[], Sizes] = no_sizes,
) -> Any:
    """A built-in function that runs ``slow`` through the cache.

    Args:
        name: its name
        slow: the Python function
        numbers: says which arguments may be numbers that plans take at each run; asked at the
            first call
        habits: bits of `replay.HAS_SUBSCRIPT` and its kin
        sizes: says which arguments' numbers are sizes; asked at the first call
    """
    if not heap_types.supported():
        return slow
    binding = Binding(name, slow, numbers, sizes, habits)
    address = _springboard().address or _entry_address()
    made, definition = runtime.keyword_function(name, address, binding, documented(name, slow))
    _definitions.append(definition)
    binding._public = made
    return made


def graph_function(name: str, slow: Callable[..., Any]) -> Any:
    """A built-in function that runs ``slow`` through the cache, and goes when nobody has it any more."""
    if not heap_types.supported():
        return slow
    binding = Binding(name, slow, no_numbers, no_sizes, 0)
    address = _springboard().address or _entry_address()
    made, binding._definition = runtime.keyword_function(name, address, binding, None, stays=False)
    return made


def let_overrides_answer(public: Any) -> Any:
    """A function of the cache, written in Python, that asks `__torch_function__` when it is missed."""
    binding = getattr(public, "__self__", None)
    if not isinstance(binding, Binding):
        return overrides_hook.asking(public)
    binding._slow = overrides_hook.asking(binding._slow, lambda: public)
    return public


def overridable_function(name: str, slow: Callable[..., Any], sizes: Sizes = _NO_SIZES) -> Any:
    """A function of the cache, written in Python, that asks `__torch_function__`.

    Args:
        name: its name
        slow: the Python function
        sizes: the arguments whose numbers are sizes
    """
    return let_overrides_answer(public_function(name, slow, sizes=lambda: sizes))


def remembered(function: Made) -> Made:
    """`overridable_function` as a decorator."""
    made: Made = overridable_function(function.__name__, function)
    return made


def public_method(
    name: str,
    slow: Callable[..., Any],
    numbers: Callable[[], Numbers] = no_numbers,
    habits: int = 0,
    sizes: Callable[[], Sizes] = no_sizes,
) -> Any:
    """Like `public_function`, for an attribute of a class: it binds its instance."""
    function = public_function(name, slow, numbers, habits, sizes)
    return (
        runtime.instance_method(function)
        if isinstance(function, python_types.BuiltinFunctionType)
        else function
    )


def is_wanted() -> bool:
    """Whether calls are to be remembered: `RUSHLIGHT_MEMORY=0` makes each of them in Python."""
    return os.environ.get("RUSHLIGHT_MEMORY", "1") != "0"


def activate() -> None:
    """From now on public functions run compiled code."""
    global _active
    if not _active and heap_types.supported() and is_wanted():
        _active = True
        subscripts.quicken(Size)
        _springboard().redirect(_entry_address())
        if _springboard().address is None:
            own = (b._definition for b in bindings if hasattr(b, "_definition"))
            for definition in (*_definitions, *own):
                definition.function = _entry_address()


objects.when_started.append(activate)
