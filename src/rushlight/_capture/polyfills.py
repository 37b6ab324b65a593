"""Built-in functions that loop over what they are given, or call it, as Python that can be interpreted."""
# ruff: noqa: SIM110, SIM113, C416 (each step is one that the interpreter has to see)

from __future__ import annotations

import collections
import functools
import itertools
import math
import sys
from typing import Any

from rushlight.engine.core.tensor import Tensor

_NONE: Any = object()


def drained(items: Any) -> list[Any]:
    """All items as a list."""
    found = []
    for item in items:
        found.append(item)
    return found


def taken(items: Any, most: int) -> list[Any]:
    """So many items, and one more to see that there are more."""
    found = []
    for item in items:
        found.append(item)
        if len(found) > most:
            break
    return found


def with_lists(function: Any, args: Any, kwargs: Any, is_loop: Any) -> Any:
    """A call with lists in the place of what has to be looped over."""
    given = []
    for k, arg in enumerate(args):
        if is_loop[k]:
            found = []
            for item in arg:
                found.append(item)
            arg = found
        given.append(arg)
    return function(*given, **kwargs)


def is_true(function: Any, owner: Any) -> bool:
    """What a branch on an object takes it for, by its ``__bool__`` or ``__len__``."""
    return bool(function(owner))


def contains(function: Any, owner: Any, item: Any) -> bool:
    """What ``in`` says."""
    return bool(function(owner, item))


def lacks(function: Any, owner: Any, item: Any) -> bool:
    """What ``not in`` says."""
    return not function(owner, item)


def either(function: Any, swapped: Any, name: str, one: Any, other: Any) -> Any:
    """What a sign between two objects gives, by the method of the first or of the second."""
    found = function(one, other)
    if found is NotImplemented:
        found = swapped(other, one)
    if found is NotImplemented:
        raise TypeError(
            f"unsupported operand type(s) for {name}: '{type(one).__name__}' and '{type(other).__name__}'"
        )
    return found


def missing(items: Any, key: Any) -> Any:
    """An item of a dictionary that makes those that are missing."""
    found = items[key] = items.default_factory()
    return found


def cached(function: Any, owner: Any, name: str) -> Any:
    """What a cached property does when it is read for the first time."""
    value = function(owner)
    setattr(owner, name, value)
    return value


def found_or(owner: Any, name: str, default: Any) -> Any:
    """What `getattr` does with a default."""
    try:
        return getattr(owner, name)
    except AttributeError:
        return default


def is_found(owner: Any, name: str) -> bool:
    """What `hasattr` does."""
    try:
        getattr(owner, name)
    except AttributeError:
        return False
    return True


def closed(generator: Any) -> Any:
    """What closing a generator in the middle of its work gives."""
    try:
        generator.throw(GeneratorExit())
    except GeneratorExit:
        return None
    except StopIteration as end:
        return end.value if sys.version_info >= (3, 13) else None
    raise RuntimeError("generator ignored GeneratorExit")


def listed(tensor: Any) -> Any:
    """What `tolist` gives, element by element."""
    if tensor.dim() == 0:
        return tensor.item()
    found = []
    for row in tensor:
        found.append(listed(row))
    return found


def forwarded(module: Any, args: Any, kwargs: Any) -> Any:
    """A call of a module without hooks that has a function of its own."""
    return module.forward(*args, **kwargs)


def called_with_hooks(module: Any, args: Any, kwargs: Any) -> Any:
    """A call of a module with hooks before and behind its function."""
    args = tuple(args)
    for key, hook in list(module._forward_pre_hooks.items()):
        if key in module._forward_pre_hooks_with_kwargs:
            found = hook(module, args, kwargs)
            if found is not None:
                args, kwargs = found
        else:
            found = hook(module, args)
            if found is not None:
                args = found if isinstance(found, tuple) else (found,)
    result = module.forward(*args, **kwargs)
    for key, hook in list(module._forward_hooks.items()):
        if key in module._forward_hooks_with_kwargs:
            found = hook(module, args, kwargs, result)
        else:
            found = hook(module, args, result)
        if found is not None:
            result = found
    return result


def made(new: Any, kind: Any, args: Any, kwargs: Any) -> Any:
    """What calling a class does that has a ``__new__`` of its own."""
    found = new(kind, *args, **kwargs)
    if isinstance(found, kind):
        found.__init__(*args, **kwargs)
    return found


def shell(owner: Any) -> Any:
    """A new object of another one's class, without attributes, as capture makes it."""
    raise NotImplementedError("only capture can make it without asking the class")


def is_atomic(value: Any) -> bool:
    """Whether a copy of a value is the value, as capture answers it."""
    raise NotImplementedError("only capture knows what it stands for")


class Context:
    """What the forward pass of a function leaves for its backward pass, while that is only tried."""

    def __init__(self, args: Any) -> None:
        self.needs_input_grad = tuple([isinstance(x, Tensor) and x.requires_grad for x in args])
        self.saved_tensors: Any = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        pass

    def mark_dirty(self, *tensors: Any) -> None:
        pass

    def mark_non_differentiable(self, *tensors: Any) -> None:
        pass

    def mark_shared_storage(self, *pairs: Any) -> None:
        pass

    def set_materialize_grads(self, value: Any) -> None:
        pass


def tried(forward: Any, set_up: Any, args: Any, kwargs: Any) -> Any:
    """The forward pass of a function that has a backward pass of its own."""
    context = Context(args)
    if set_up is None:
        return forward(context, *args, **kwargs)
    found = forward(*args, **kwargs)
    set_up(context, args, found)
    return found


def matched_keys(subject: Any, keys: Any) -> Any:
    """The values that a pattern of a mapping asks for; None if one is missing."""
    found = []
    for key in keys:
        value = subject.get(key, _NONE)
        if value is _NONE:
            return None
        found.append(value)
    return tuple(found)


def matched_attributes(subject: Any, kind: Any, count: Any, names: Any, is_itself: Any) -> Any:
    """What a pattern of a class asks of an object; None if it does not match.

    Args:
        subject: the object
        kind: the class
        count: how many attributes are asked for by their place
        names: those that are asked for by name, behind them
        is_itself: whether the only place stands for the object, as with numbers and texts
    """
    if not isinstance(subject, kind):
        return None
    found = []
    if count:
        own = getattr(kind, "__match_args__", ())
        most = 1 if is_itself else len(own)
        if count > most:
            raise TypeError(
                f"{kind.__name__}() accepts {most} positional sub-pattern{'s' * (most != 1)} ({count} given)"
            )
        if is_itself:
            found.append(subject)
        else:
            names = (*own[:count], *names)
    for name in names:
        value = getattr(subject, name, _NONE)
        if value is _NONE:
            return None
        found.append(value)
    return tuple(found)


def items_at(items: Any, keys: Any) -> Any:
    """What an `operator.itemgetter` gives."""
    if len(keys) == 1:
        return items[keys[0]]
    return tuple([items[key] for key in keys])


def attributes_at(owner: Any, paths: Any) -> Any:
    """What an `operator.attrgetter` gives."""
    found = []
    for path in paths:
        value = owner
        for name in path.split("."):
            value = getattr(value, name)
        found.append(value)
    return found[0] if len(found) == 1 else tuple(found)


def method_called(owner: Any, name: Any, args: Any, kwargs: Any) -> Any:
    """What an `operator.methodcaller` gives."""
    return getattr(owner, name)(*args, **kwargs)


def copied(owner: Any) -> Any:
    """What `copy.copy` does."""
    if is_atomic(owner) or type(owner) in (tuple, frozenset):
        return owner
    if hasattr(type(owner), "__copy__"):
        return owner.__copy__()
    if type(owner) in (list, dict, set, collections.OrderedDict):
        return owner.copy()
    made = shell(owner)
    for name, value in owner.__dict__.items():
        object.__setattr__(made, name, value)
    return made


def deeply_copied(owner: Any, memo: Any = None) -> Any:
    """What `copy.deepcopy` does."""
    if is_atomic(owner):
        return owner
    if memo is None:
        memo = {}
    if id(owner) in memo:
        return memo[id(owner)]
    kind = type(owner)
    if hasattr(kind, "__deepcopy__"):
        made = memo[id(owner)] = owner.__deepcopy__(memo)
    elif kind is list:
        made = memo[id(owner)] = []
        for item in owner:
            made.append(deeply_copied(item, memo))
    elif kind is dict or kind is collections.OrderedDict:
        made = memo[id(owner)] = kind()
        for key, item in owner.items():
            made[deeply_copied(key, memo)] = deeply_copied(item, memo)
    elif kind is tuple or kind is set or kind is frozenset:
        items = [deeply_copied(item, memo) for item in owner]
        # Within one of its items a tuple may have been copied already.
        made = memo[id(owner)] = memo[id(owner)] if id(owner) in memo else kind(items)
    else:
        made = memo[id(owner)] = shell(owner)
        for name, value in owner.__dict__.items():
            object.__setattr__(made, name, deeply_copied(value, memo))
    return made


def filled(made: Any, init: Any, args: Any, kwargs: Any) -> Any:
    """A container, filled by its initialization."""
    init(made, *[drained(arg) for arg in args], **kwargs)
    return made


def _any(items: Any) -> bool:
    for item in items:
        if item:
            return True
    return False


def _all(items: Any) -> bool:
    for item in items:
        if not item:
            return False
    return True


def _map(function: Any, *iterables: Any) -> Any:
    if len(iterables) == 1:
        for item in iterables[0]:
            yield function(item)
    else:
        for items in zip(*iterables):
            yield function(*items)


def _filter(function: Any, items: Any) -> Any:
    for item in items:
        if item if function is None else function(item):
            yield item


def _enumerate(items: Any, start: Any = 0) -> Any:
    for item in items:
        yield start, item
        start += 1


def _zip(*iterables: Any, strict: bool = False) -> Any:
    iterators = [iter(one) for one in iterables]
    ended = object()
    while iterators:
        items = []
        for place, one in enumerate(iterators):
            item = next(one, ended)
            if item is ended:
                if not strict:
                    return
                if place:
                    raise ValueError(f"zip() argument {place + 1} is shorter than argument 1")
                for other, rest in enumerate(iterators):
                    if next(rest, ended) is not ended:
                        raise ValueError(f"zip() argument {other + 1} is longer than argument 1")
                return
            items.append(item)
        yield tuple(items)


def _sorted(items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    found = [item for item in items]
    if key is None:
        return sorted(found, reverse=reverse)
    keys = [key(item) for item in found]
    order = sorted(range(len(found)), key=keys.__getitem__, reverse=reverse)
    return [found[place] for place in order]


def _sort(items: Any, *, key: Any = None, reverse: bool = False) -> None:
    items[:] = _sorted(items, key=key, reverse=reverse)


def _largest(*args: Any, key: Any = None, **default: Any) -> Any:
    found = list(args[0]) if len(args) == 1 else list(args)
    if not found:
        return max(found, **default)
    keys = [item if key is None else key(item) for item in found]
    best = 0
    for place in range(1, len(found)):
        if keys[place] > keys[best]:
            best = place
    return found[best]


def _smallest(*args: Any, key: Any = None, **default: Any) -> Any:
    found = list(args[0]) if len(args) == 1 else list(args)
    if not found:
        return min(found, **default)
    keys = [item if key is None else key(item) for item in found]
    best = 0
    for place in range(1, len(found)):
        if keys[place] < keys[best]:
            best = place
    return found[best]


def _reduce(function: Any, items: Any, initial: Any = _NONE, /) -> Any:
    iterator = iter(items)
    if initial is _NONE:
        initial = next(iterator, _NONE)
        if initial is _NONE:
            raise TypeError("reduce() of empty iterable with no initial value")
    for item in iterator:
        initial = function(initial, item)
    return initial


def _accumulate(items: Any, func: Any = None, *, initial: Any = None) -> Any:
    total = initial
    is_first = initial is None
    if not is_first:
        yield total
    for item in items:
        if is_first:
            total, is_first = item, False
        else:
            total = total + item if func is None else func(total, item)
        yield total


def _starmap(function: Any, items: Any) -> Any:
    for item in items:
        yield function(*item)


def _takewhile(predicate: Any, items: Any) -> Any:
    for item in items:
        if not predicate(item):
            break
        yield item


def _dropwhile(predicate: Any, items: Any) -> Any:
    drops = True
    for item in items:
        if drops and predicate(item):
            continue
        drops = False
        yield item


def _filterfalse(predicate: Any, items: Any) -> Any:
    for item in items:
        if not (item if predicate is None else predicate(item)):
            yield item


def _chain(*iterables: Any) -> Any:
    for items in iterables:
        yield from items


def _chained(iterables: Any) -> Any:
    for items in iterables:
        yield from items


def _count(start: Any = 0, step: Any = 1) -> Any:
    while True:
        yield start
        start += step


def _cycle(items: Any) -> Any:
    found = []
    for item in items:
        found.append(item)
        yield item
    while found:
        for item in found:
            yield item


def _repeat(item: Any, times: Any = None) -> Any:
    while times is None or times > 0:
        yield item
        if times is not None:
            times -= 1


def _islice(items: Any, *limits: Any) -> Any:
    chosen = slice(*limits)
    start = chosen.start or 0
    step = chosen.step or 1
    place = 0
    if chosen.stop is not None and chosen.stop <= start:
        return
    for item in items:
        if place >= start and (place - start) % step == 0:
            yield item
        place += 1
        if chosen.stop is not None and place >= chosen.stop:
            return


def _zip_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    iterators = []
    for items in iterables:
        iterators.append(iter(items))
    while True:
        found, lasts = [], False
        for iterator in iterators:
            item = next(iterator, _NONE)
            if item is _NONE:
                item = fillvalue
            else:
                lasts = True
            found.append(item)
        if not lasts:
            return
        yield tuple(found)


def _pairwise(items: Any) -> Any:
    before = _NONE
    for item in items:
        if before is not _NONE:
            yield before, item
        before = item


def _groupby(iterable: Any, key: Any = None) -> Any:
    """Each group is complete when it is given, with the first item of the next one read."""
    current: Any = _NONE
    group: list[Any] = []
    for item in iterable:
        found = item if key is None else key(item)
        if current is not _NONE and found != current:
            yield current, iter(group)
            group = []
        current = found
        group.append(item)
    if current is not _NONE:
        yield current, iter(group)


def _tee(items: Any, n: int = 2) -> Any:
    iterator = iter(items)
    seen: list[Any] = []

    def again() -> Any:
        place = 0
        while True:
            if place == len(seen):
                item = next(iterator, _NONE)
                if item is _NONE:
                    return
                seen.append(item)
            yield seen[place]
            place += 1

    found = []
    for _ in range(n):
        found.append(again())
    return tuple(found)


def _compress(data: Any, selectors: Any) -> Any:
    for item, chosen in zip(data, selectors):
        if chosen:
            yield item


# Always, as they call what they are given, never end, or are asked for one item at a time.
ALWAYS: dict[Any, Any] = {
    map: _map, filter: _filter, functools.reduce: _reduce, itertools.starmap: _starmap,
    itertools.takewhile: _takewhile, itertools.dropwhile: _dropwhile,
    itertools.filterfalse: _filterfalse, itertools.accumulate: _accumulate, itertools.count: _count,
    itertools.cycle: _cycle, itertools.repeat: _repeat, itertools.zip_longest: _zip_longest,
    itertools.pairwise: _pairwise, itertools.groupby: _groupby, itertools.tee: _tee, itertools.compress: _compress,
}  # fmt: skip
# Where an argument has to be looped over by interpreting.
LOOPS: dict[Any, Any] = {
    any: _any, all: _all, enumerate: _enumerate, zip: _zip, itertools.chain: _chain,
    itertools.chain.from_iterable: _chained, itertools.islice: _islice,
}  # fmt: skip
# Functions that take all items of an argument, by themselves or, as methods of containers and texts, by name.
TAKES_ITEMS = {
    list, tuple, set, frozenset, dict, sum, max, min, sorted, math.fsum, math.prod, math.dist, collections.deque,
    collections.OrderedDict, collections.Counter, collections.defaultdict, itertools.product,
    itertools.combinations, itertools.permutations, itertools.combinations_with_replacement,
}  # fmt: skip
METHODS_THAT_TAKE_ITEMS = {
    "extend", "extendleft", "update", "join", "fromkeys", "union", "intersection", "difference",
    "symmetric_difference", "difference_update", "intersection_update", "symmetric_difference_update",
    "issubset", "issuperset", "isdisjoint", "__ior__", "__iadd__",
}  # fmt: skip
# Of these, the ones that take no items of arguments behind the first.
TAKES_ITEMS_OF_THE_FIRST = {"sum", "fromkeys", "deque"}
# Where there is a key that is a function.
KEYED: dict[Any, Any] = {sorted: _sorted, max: _largest, min: _smallest}
