"""Classes of calls: what is remembered of calls that differ in sizes only.

A class is a call's key without sizes and strides (see `key.make_key`). Once its calls have come
with several sizes, one of them is planned again with symbolic integers in place of those that were
seen to vary: over tensors that stand for the arguments, and without running any loop. The trace, as
a program, then fills in the tables of a remembered call for whatever sizes come. A program is
trusted only when planning with plain integers, for other sizes, has given the same tables as it
computes for them.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import geometry_program, state, symbolic, wrapped
from rushlight.engine.core.errors import OutOfMemoryError
from rushlight.engine.core.expressions import bits_of
from rushlight.engine.core.number_lists import ListStandIn, first_shape
from rushlight.engine.core.shape_trace import symbolic_fields
from rushlight.engine.core.size import Size, intern, intern_strides, numel, storage_bytes
from rushlight.engine.core.symbolic import SymInt, SymObject, Trace
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import key
from rushlight.engine.dispatch.call_cache.history import record
from rushlight.engine.dispatch.call_cache.recorder import recording
from rushlight.engine.dispatch.call_cache.step import Step
from rushlight.engine.dispatch.call_cache.steps import Element
from rushlight.engine.native import memory
from rushlight.engine.native.array_objects import ArrayStandIn, is_plain_array
from rushlight.engine.native.numpy_later import is_array

if TYPE_CHECKING:
    from rushlight.engine.dispatch.call_cache.binding import Binding

# So many branches of its planner a class may have; and so many traces may come to nothing.
_MOST_PROGRAMS = 16
_MOST_FAILURES = 4
# So many calls' sizes are kept to prove a later call's trace with.
_MOST_SEEN = 16
# What a stand-in's memory is longer by where it has the sizes of another call: nothing may depend on it.
_OTHER_BYTES = 64
# So many calls with other sizes are made in Python before their class is learned, which takes as long as
# twenty of them: most classes come with a few sizes, and each of these is remembered by itself.
few_calls = 2
# Before lists of more items are learned, so many calls for each item should come.
_FEW_ITEMS, _CALLS_OF_AN_ITEM = 5, 6
# So many classes a binding knows at most.
_MOST_CLASSES = 256
# Fields of the tensor class are symbolic while somebody traces.
_one_at_a_time = threading.Lock()


def call(binding: Binding, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call with sizes that have not been met, and learn from it about its class."""
    found = key.class_of(binding, args, kwargs)
    if found is None:
        return binding._slow(*args, **kwargs)
    words, values = found
    known = binding._known_classes.get(words)
    if known is None:
        if len(binding._known_classes) >= _MOST_CLASSES:
            binding._known_classes.clear()
        made = binding._known_classes[words] = CallClass(words, values)
        given = [*args, *kwargs.values()]
        if not binding._habits & key.TAKES_LISTS:
            given = _flat(*given)
        made.by_identity = [x for x in given if isinstance(x, key.BY_IDENTITY)]
        made.by_identity += [x.dtype for x in given if is_array(x)]
        return binding._slow(*args, **kwargs)
    return known.call(binding, args, kwargs, values)


def _flat(*given: Any) -> list[Any]:
    """Arguments and the items of lists and slices among them."""
    found: list[Any] = []
    for x in given:
        if type(x) in (list, tuple):
            found += _flat(*x)
        elif type(x) is slice:
            found += (x.start, x.stop, x.step)
        else:
            found.append(x)
    return found


def is_learned_as_one(binding: Binding, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call with a list is left to its class, which comes with ever new sizes.

    To remember each list that came twice would take longer than the calls do.
    """
    if binding._habits & key.TAKES_LISTS or _longest_list(args) < _FEW_ITEMS:
        return False
    found = key.class_of(binding, args, kwargs)
    known = None if found is None else binding._known_classes.get(found[0])
    return known is not None and not known.refusal and any(known.varies)


def _patience(binding: Binding, args: tuple[Any, ...]) -> int:
    """How many calls should come before their class is learned.

    To learn a list takes as long as to make many calls with it, and lists of every length are
    classes of their own, unless they are data.
    """
    if binding._habits & key.TAKES_LISTS:
        return few_calls
    longest = _longest_list(args)
    return _CALLS_OF_AN_ITEM * longest if longest >= _FEW_ITEMS else few_calls


def _longest_list(args: tuple[Any, ...]) -> int:
    return max((len(a) for a in args if type(a) in (list, tuple)), default=0)


class Traced:
    """A trace of a call, with the step that it came to: its address and what that points to."""

    def __init__(self, trace: Trace, step: int, keep: Any) -> None:
        self.trace, self.step, self.keep = trace, step, keep


class CallClass:
    """What is known of the calls of one class.

    Args:
        words: those that their keys have in common
        values: the integers of the first of them
    """

    def __init__(self, words: bytes, values: list[int]) -> None:
        self.key, self.values = words, values
        self.varies = [False] * len(values)
        self.is_repeatable = False
        # What elements said that its planner asked for.
        self.answers: list[bool] = []
        self.candidates: list[Traced] = []
        # The integers of calls that no program does.
        self.seen: list[list[int]] = [values]
        self.programs: list[geometry_program.Program] = []
        self.tries = self.failures = 0
        # How many calls with other sizes were made before one was learned from.
        self.waited = 0
        # What the words have addresses of: as long as the class is known, nothing else may lie there.
        self.by_identity: list[Any] = []
        # Why calls of the class are made in Python, if that is settled.
        self.refusal = ""

    def call(
        self, binding: Binding, args: tuple[Any, ...], kwargs: dict[str, Any], values: list[int]
    ) -> Any:
        """Make a call of the class in Python, and learn from it."""
        self._compare(values)
        if record.is_watched():
            # A trace would be seen: it is recorded as well.
            return binding._slow(*args, **kwargs)
        if memory.words.cap:
            # Stand-ins are memory, which the call itself may need.
            return binding._slow(*args, **kwargs)
        if self.refusal or not any(self.varies) or self._covers(values):
            return binding._slow(*args, **kwargs)
        if self.waited < _patience(binding, args):
            self.waited += 1
            self._note(values)
            return binding._slow(*args, **kwargs)
        if self.tries >= 4 * _MOST_PROGRAMS or len(self.programs) >= _MOST_PROGRAMS:
            self._refuse("too many branches")
            return binding._slow(*args, **kwargs)
        varies = self._varying(values)
        try:
            stand_ins = StandIns(binding, args, kwargs, Trace(values, varies))
            others = StandIns(binding, args, kwargs, Trace(values, [False] * len(values)))
        except OutOfMemoryError:
            return binding._slow(*args, **kwargs)
        except symbolic.Untraceable as refusal:
            self._fail(str(refusal))
            return binding._slow(*args, **kwargs)
        if self.is_repeatable:
            result = binding._slow(*args, **kwargs)
        else:
            result, recorded = binding.record(args, kwargs)
            if recorded is None:
                return result
            why = self._judge(binding, args, kwargs, recorded, result)
            if why:
                self._fail(why)
                return result
            self.is_repeatable = True
        self._learn(binding, stand_ins, others)
        self._note(values)
        return result

    def _note(self, values: list[int]) -> None:
        """Keep a call's sizes: they may prove the trace of a later one."""
        if len(self.seen) < _MOST_SEEN:
            self.seen.append(values)

    def _fail(self, why: str) -> None:
        """Note a call that is not to be repeated; others of the class, such as longer ones, may be."""
        self.failures += 1
        if self.failures >= _MOST_FAILURES * (1 + len(self.programs)):
            self._refuse(why)

    def _refuse(self, why: str) -> None:
        """Give up learning; what has been learned stays."""
        self.refusal, self.candidates = why, []

    def _compare(self, values: list[int]) -> None:
        """Note which integers vary."""
        wider = [known or a != b for known, a, b in zip(self.varies, self.values, values)]
        if wider != self.varies:
            self.varies = wider
            self.candidates = []

    def _covers(self, values: list[int]) -> bool:
        """Whether a program does such calls already: this one is on its way to an entry of its own."""
        return any(symbolic.evaluate(p.trace, values) is not None for p in self.programs)

    def _varying(self, values: list[int]) -> Sequence[bool]:
        """Which integers a trace of this call leaves open.

        A trace cannot tell apart what follows from a size and what is always so: only sizes prove it
        in which all that it leaves open is another. Where none are found, such as for the order of
        two integers, a trace with less open is tried.
        """
        for candidate in reversed(self.candidates):
            if symbolic.evaluate(candidate.trace, values) is not None:
                others = [a != b for a, b in zip(candidate.trace.values, values)]
                if any(others):
                    return others
        return self.varies

    def _judge(self, binding: Binding, args: Any, kwargs: Any, recorded: Any, result: Any) -> str:
        """Why a call is not one that can be repeated; nothing if it can."""
        steps, before = recorded
        other = {type(step).__name__ for step in steps if not step.takes_sizes}
        if other:
            return f"steps of other kinds: {', '.join(sorted(other))}"
        read = [step.made for step in steps if isinstance(step, Element)]
        self.answers = [made for made in read if type(made) is bool]
        if any(type(made) is not bool and made is not result for made in read):
            return "elements decide more than yes or no"
        found = binding.encode(args, kwargs, steps, result, before)
        return "" if found is not None and found.is_repeatable else "no steps that can be repeated"

    def _learn(self, binding: Binding, stand_ins: StandIns, others: StandIns) -> None:
        """Trace the call, or find a trace of an earlier one right."""
        if not _one_at_a_time.acquire(blocking=False):
            return
        try:
            self._learn_alone(binding, stand_ins, others)
        finally:
            _one_at_a_time.release()

    def _learn_alone(self, binding: Binding, stand_ins: StandIns, others: StandIns) -> None:
        """What keeps a call from being learned stays in `refusal`, for who asks why."""
        self.tries += 1
        values = list(stand_ins.trace.values)
        try:
            for candidate in self.candidates:
                proof = _proof(candidate.trace, [values])
                if proof is not None:
                    self.candidates.remove(candidate)
                    planned = others.with_sizes(proof).traced(self.answers)
                    self._trust(binding, candidate, planned)
                    return
            traced = stand_ins.traced(self.answers)
            if traced.trace.fixes_sizes:
                # Such as a table with a row for each element: it would serve these sizes only.
                self._fail("planned with plain numbers")
                return
            proof = _proof(traced.trace, self.seen)
            if proof is None:
                self.candidates.append(traced)
            else:
                self._trust(binding, traced, others.with_sizes(proof).traced(self.answers))
        except symbolic.Untraceable as refusal:
            self._fail(str(refusal))
        except Exception as error:
            # Planning code that does not take symbolic integers: such calls are planned each time.
            self._fail(f"{type(error).__name__}: {error}")

    def _trust(self, binding: Binding, traced: Traced, planned: Traced) -> None:
        """Let a trace be a program, if it says what was planned with plain integers."""
        known = symbolic.evaluate(traced.trace, planned.trace.values)
        assert known is not None
        difference = _difference(traced, planned, known)
        if difference:
            self._fail(difference)
            return
        program = geometry_program.Program(traced.trace, traced.step)
        program.keep = traced.keep
        traced.trace.forget_facts()
        self.programs.append(program)
        binding.install_class(self)


def _proof(trace: Trace, seen: Sequence[list[int]]) -> list[int] | None:
    """Integers of another call for which a trace holds, and all that it leaves open is another; or None."""
    for values in seen:
        differ = all(a != b for a, b, free in zip(trace.values, values, trace.varies) if free)
        if differ and symbolic.evaluate(trace, values) is not None:
            return values
    return None


def _difference(one: Traced, other: Traced, known: list[int]) -> str:
    """Where a trace's tables differ from what another trace's program gives; nothing if nowhere."""
    ours, theirs = one.trace.tables, other.trace.tables
    if [len(t.words) for t in ours] != [len(t.words) for t in theirs]:
        return "other tables for other sizes"
    places = {t.address: k for k, t in enumerate(ours)}
    others = {t.address: k for k, t in enumerate(theirs)}
    for number, (a, b) in enumerate(zip(ours, theirs)):
        for k, (word, wanted) in enumerate(zip(a.words, b.words)):
            given = _item(wanted, other.trace)
            if type(word) is SymInt:
                same = known[word.place] == symbolic.plain(wanted)
            elif type(word) is SymObject:
                mine = [known[n] for n in word.nodes]
                same = mine == [_word_of(x) for x in _items(given)]
            elif word in places:
                same = places[word] == others.get(wanted)
            else:
                same = word == wanted or _are_equal(_item(word, one.trace), given)
            if not same:
                return f"table {number} of {len(a.words)} words, word {k}: {word} and {wanted}"
    return ""


def _item(word: Any, trace: Trace) -> Any:
    """The object whose address a word is, as far as the trace knows."""
    return word.there if type(word) is SymObject else trace.constants.get(word)


def _word_of(item: Any) -> int:
    """What a program keeps of a number in an object: an integer, or a float's bits."""
    return bits_of(item) if type(item) is float else symbolic.plain(item)


def _items(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _are_equal(a: Any, b: Any) -> bool:
    """Whether two objects are known to be equal, also in types and signs."""
    if type(a) is not type(b) or type(a) not in (int, float, complex, str, Size, tuple):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(
            map(_are_equal, map(symbolic.known, a), map(symbolic.known, b))
        )
    return repr(a) == repr(b)


class StandIns:
    """Tensors with symbolic sizes in place of a call's own; no loop runs on them.

    They are made before the call, which may change its arguments.

    Args:
        binding: whose call it is
        args: its arguments
        kwargs: those with names
        trace: has the integers that the class leaves open
        of_another: whether these are not the arguments' own
    """

    def __init__(
        self, binding: Binding, args: tuple[Any, ...], kwargs: dict[str, Any], trace: Trace,
        of_another: bool = False,
    ) -> None:  # fmt: skip
        self.binding, self.trace, self._of_another = binding, trace, of_another
        self._inputs = iter(zip(trace.values, trace.inputs))
        batches = [layer for layer in state.thread.layers if layer.batch_size >= 0]
        self._batches = [(layer, self._next(layer.batch_size)) for layer in batches]
        self._storages: dict[int, Any] = {}
        self._tensors: dict[int, Tensor] = {}
        # Those that stand for bases of arguments, with sizes of their own.
        self._bases: set[Tensor] = set()
        (numbers, named), sizes = binding.free_numbers, binding._sizes
        self.args = tuple(
            self._argument(x, bool(numbers & key.bit_of(x, k)), bool(sizes >> k & 1 and k < 63))
            for k, x in enumerate(args)
        )
        places = {name: k for k, name in enumerate(binding._named)}
        self.kwargs = {
            name: self._argument(
                x,
                name in places and bool(named & key.bit_of(x, places[name])),
                name in binding._names_of_sizes,
            )
            for name, x in kwargs.items()
        }
        if next(self._inputs, None) is not None:
            raise symbolic.Untraceable("its class has more integers than its arguments")

    def with_sizes(self, values: list[int]) -> StandIns:
        """Stand-ins for these, with the sizes of another call of the class."""
        plain = Trace(values, [False] * len(values))
        return StandIns(self.binding, self.args, self.kwargs, plain, True)

    def _argument(self, item: Any, is_number: bool, is_size: bool) -> Any:
        if is_number and key.bit_of(item, 0):
            return item
        is_data = self.binding._habits & key.TAKES_LISTS
        if type(item) is ListStandIn or (is_data and type(item) in (tuple, list)):
            shape, kind = first_shape(item)
            return ListStandIn(tuple(map(self._next, shape)), kind)
        if type(item) in (tuple, list):
            return type(item)(self._item(x, is_size) for x in item)
        return self._item(item, is_size)

    def _item(self, item: Any, is_size: bool) -> Any:
        if type(item) is slice:
            return slice(*(self._item(x, is_size) for x in (item.start, item.stop, item.step)))
        if isinstance(item, Tensor):
            return self._tensor(item)
        if is_plain_array(item):
            return self._array(item)
        if type(item) is Size:
            return self.trace.unique(tuple(self._next(n) for n in item), Size)
        if type(item) is float and is_size and math.isfinite(item):
            return self.trace.float_of(self._next(bits_of(item)))
        return self._next(item) if type(item) is int and is_size else item

    def _array(self, given: Any) -> ArrayStandIn:
        geometry = [(self._next(n), self._next(s)) for n, s in zip(given.shape, given.strides)]
        for n, _ in geometry:
            self.trace.bound(n, 0)
        shape, strides = tuple(n for n, _ in geometry), tuple(s for _, s in geometry)
        return ArrayStandIn(given.dtype, shape, strides, given.flags)

    def _next(self, wanted: int) -> Any:
        value, symbol = next(self._inputs, (None, None))
        if value != wanted and not self._of_another:
            raise symbolic.Untraceable(f"its class has {value} where an argument has {wanted}")
        return symbol

    def _tensor(self, given: Tensor) -> Tensor:
        ordered = wrapped.with_values(given)
        geometries = [None if wrapped.is_wrapped(one) else self._geometry(one) for one in ordered]
        # What a tensor stands for, and its tangent, come after it in keys.
        for one, geometry in zip(reversed(ordered), reversed(geometries)):
            found = self._tensors.get(id(one))
            if found is None:
                self._stand_in(one, geometry)
            elif found in self._bases:
                # It came as the base of an earlier argument.
                self._bases.remove(found)
                self._give_sizes(found, *(geometry or _of_wrapper(found)))
        return self._tensors[id(given)]

    def _geometry(self, given: Tensor) -> tuple[Any, Any]:
        size = tuple(self._next(n) for n in given._size_)
        for n in size:
            self.trace.bound(n, 0)
        return size, tuple(self._next(n) for n in given._stride_)

    def _stand_in(self, given: Tensor, geometry: tuple[Any, Any] | None) -> Tensor:
        """A tensor in place of one; the geometry of a wrapper follows from that of its value."""
        made: Any = object.__new__(type(given))
        self._tensors[id(given)] = made
        made._counter_ = None
        if wrapped.is_wrapped(given):
            self._give_meaning(made, given)
            geometry = _of_wrapper(made)
        else:
            made._storage_ = self._storage_of(given._storage_)
        assert geometry is not None
        if self._of_another and not wrapped.is_wrapped(given):
            self._make_room(made._storage_, *geometry, given)
        made._dtype_, made._keys_, made._flags_ = given._dtype_, given._keys_, given._flags_
        made._offset_, made._numel_ = given._offset_, given._numel_
        self._give_sizes(made, *geometry)
        made._base = None if given._base is None else self._unlisted(given._base)
        history: Any = given._autograd_
        # What a stand-in goes through does not reach the tensor.
        made._autograd_ = None if history is None else history.copied_for(made)
        if history is not None and history.tangent is not None:
            made._autograd_.tangent = self._unlisted(history.tangent)
        return made  # type: ignore[no-any-return]

    def _give_meaning(self, made: Any, given: Tensor) -> None:
        """Let a stand-in stand for that of a wrapper's value."""
        from rushlight.engine.core import storage

        meaning = wrapped.meaning_of(given)
        value = self._unlisted(meaning.value)
        own = type(meaning)(value, meaning.layer, meaning.dim)
        made._storage_ = storage.without_memory(value._storage_, own)
        made._counter_ = wrapped.SharedVersion(value)

    def _give_sizes(self, made: Any, size: tuple[Any, ...], stride: tuple[Any, ...]) -> None:
        made._size_ = self._unique(size, Size)
        made._stride_ = self._unique(stride, tuple)
        if self._of_another:
            made._numel_ = numel(size)

    def _unique(self, items: tuple[Any, ...], kind: type) -> Any:
        if symbolic.has_symbols(items):
            return self.trace.unique(items, kind)
        return intern(items) if kind is Size else intern_strides(items)

    def _unlisted(self, given: Tensor) -> Tensor:
        """The stand-in of a tensor that need not be among the arguments, such as the base of one."""
        found = self._tensors.get(id(given))
        if found is None:
            # What is said of the base of an argument is no input: another call has others.
            size = tuple(n + 1 if self._of_another else n for n in given._size_)
            found = self._stand_in(given, (size, tuple(given._stride_)))
            self._bases.add(found)
        return found

    def _storage_of(self, given: Any) -> Any:
        # Importing it compiles the run-time system.
        from rushlight.engine.core import storage

        found = self._storages.get(id(given))
        if found is None:
            make = storage.unbacked if given.device.type in devices.memories else storage.allocate
            found = self._storages[id(given)] = make(given._nbytes, given.device)
            found._version = given._version
        return found

    def _make_room(
        self, memory: Any, size: tuple[Any, ...], stride: tuple[Any, ...], given: Tensor
    ) -> None:
        """Let a stand-in's memory be large enough for another call's sizes, and another one's in any case."""
        needed = storage_bytes(size, stride, given._offset_, given._dtype_.itemsize)
        nbytes = max(needed, memory._nbytes) + _OTHER_BYTES
        if memory.device.type in devices.memories:
            memory._nbytes = nbytes
        else:
            memory.resize_(nbytes)

    def traced(self, answers: Sequence[bool]) -> Traced:
        """Plan the call over the stand-ins, whose elements say what is given."""
        self.trace.answers = iter(answers)
        before = {id(s): s._version for s in self._storages.values()}
        steps: list[Step] = []
        warned = recording.warnings
        outer, recording.steps = recording.steps, steps
        state.busy(+1)
        try:
            with _batch_sizes(self._batches), symbolic_fields(), self.trace:
                result = self.binding._slow(*self.args, **self.kwargs)
                if warned != recording.warnings:
                    raise symbolic.Untraceable("it warns")
                found = self.binding.encode(self.args, self.kwargs, steps, result, before)
                if found is None or not found.is_repeatable:
                    kinds = [type(step).__name__ for step in steps]
                    raise symbolic.Untraceable(
                        f"steps with symbolic sizes that cannot be repeated: {kinds}"
                    )
                return Traced(self.trace, *found.in_memory())
        finally:
            state.busy(-1)
            recording.steps = outer
            self.trace.offsets.clear()


@contextmanager
def _batch_sizes(sizes: list[tuple[Any, Any]]) -> Iterator[None]:
    """While this lasts, the layers of batches go through so many elements."""
    before = [layer.size for layer, _ in sizes]
    for layer, size in sizes:
        layer.size = size
    try:
        yield
    finally:
        for (layer, _), size in zip(sizes, before):
            layer.size = size


def _of_wrapper(wrapper: Tensor) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """A wrapper's sizes and strides, as they follow from those of its value."""
    meaning = wrapped.meaning_of(wrapper)
    size, stride, dim = tuple(meaning.value._size_), meaning.value._stride_, meaning.dim
    if dim is None:
        return size, stride
    return size[:dim] + size[dim + 1 :], stride[:dim] + stride[dim + 1 :]
