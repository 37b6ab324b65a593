"""What programs of Python do within graphs: generators, blocks, attributes, functions that operators are given."""

# ruff: noqa: C416, C417
from __future__ import annotations

import collections
import collections.abc
import contextlib
import copy
import dataclasses
import functools
import inspect
import itertools
import operator
import os
import re
import traceback
import typing
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight import _logging
from rushlight._higher_order_ops.wrap import wrap
from tests.capture.test_compile import X, check

pytestmark = pytest.mark.skipif(
    not torch._dynamo.is_dynamo_supported(), reason="the bytecode of this Python is not known"
)
SEEN = []
FACTOR = 1


@contextlib.contextmanager
def region(number):
    SEEN.append(number)
    try:
        yield number + 1
    except KeyError as error:
        SEEN.append(str(error))
    finally:
        SEEN.append(-number)


class Keeping:
    """A block that keeps errors of a kind to itself."""

    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is self.kind


def test_blocks_of_generators_and_of_classes():
    def run(x):
        with region(2) as n, Keeping(IndexError):
            x = x * n
            [][1]
        with region(3), contextlib.nullcontext():
            raise KeyError("k")
        return x + 1

    SEEN.clear()
    check(run, X, graphs=[2], times=1)
    assert SEEN == [2, -2, 3, "'k'", -3] * 2


def test_graphs_end_within_blocks_and_generators():
    def parts(x, n):
        for i in range(n):
            y = x * i
            torch._dynamo.graph_break()
            got = yield y
            if got is not None:
                x = x + got

    def run(x):
        with region(1) as n:
            x = x * n
            torch._dynamo.graph_break()
            x = x + 1
        each = parts(x, 4)
        first = next(each), each.send(2)
        return first, [p + 1 for p in each], sum(parts(x, 2)), next(each, None)

    check(run, X)


def test_generators_that_are_thrown_into():
    def inner(x):
        try:
            yield x
        except ValueError as error:
            yield x + len(error.args)
        return 5

    def outer(x):
        got = yield from inner(x)
        yield x * got

    def run(x):
        each = outer(x)
        return next(each), each.throw(ValueError("a", "b")), list(each)

    check(run, X, graphs=[2])


def test_functions_that_built_in_ones_call():
    def run(x):
        return (
            list(map(lambda q: q * x, [1, 2])), sorted([3, 1, 2], key=lambda q: -q), max(1, 5, key=lambda q: -q),
            functools.reduce(lambda a, b: a + b, [x, x, x]), [q for q in filter(lambda q: q > 1, [1, 2])],
            list(zip(itertools.count(), "ab")), any(q > 1 for q in [1, 2]), list(itertools.accumulate([1, 2, 3])),
            functools.partial(torch.add, x)(x), list(enumerate(q for q in "ab")),
        )  # fmt: skip

    check(run, X, graphs=[5])


def test_attributes():
    class Field:
        def __get__(self, owner, kind):
            return owner.base * 2

        def __set__(self, owner, value):
            owner.base = value

    class Thing:
        field = Field()

        def __init__(self, base):
            self.base = base

        @property
        def half(self):
            return self.base / 2

        @half.setter
        def half(self, value):
            self.base = value * 2

        @functools.cached_property
        def kept(self):
            return self.base + 1

        def __getattr__(self, name):
            if name.startswith("more"):
                return len(name)
            raise AttributeError(name)

        def __getattribute__(self, name):
            return super().__getattribute__("base" if name == "other" else name)

    def run(x, thing):
        mine = Thing(x)
        mine.half = x + thing.field
        mine.field = mine.base * 3
        mine.gone = 1
        del mine.gone
        thing.noted = x.shape[0]
        return (
            mine.field,
            mine.kept,
            thing.kept,
            mine.more1,
            mine.other,
            hasattr(mine, "gone"),
            thing.half,
        )

    thing = Thing(X)
    found = torch.compile(run, backend="eager", fullgraph=True)(X, thing)
    expected = run(X, Thing(X))
    assert repr(found) == repr(expected)
    assert thing.noted == 2 and torch.equal(thing.__dict__["kept"], X + 1)


def test_variables_of_outer_functions_and_of_modules():
    def counter():
        count = 0

        def run(x):
            global FACTOR
            nonlocal count
            count += 1
            torch._dynamo.graph_break()
            FACTOR += count
            return x * count + FACTOR

        return run

    global FACTOR
    mine, other = counter(), counter()
    made = torch.compile(mine, backend="eager")
    FACTOR = 1
    found = [made(X).sum().item() for _ in range(4)]
    FACTOR = 1
    assert found == [other(X).sum().item() for _ in range(4)]


def test_classes_of_containers():
    class Table(dict):
        def __missing__(self, key):
            self[key] = len(self)
            return self[key]

    class Pile(list):
        def top(self):
            return self[-1]

    @dataclasses.dataclass
    class Point:
        x: object
        y: int = 2

    Pair = collections.namedtuple("Pair", "a b")

    def run(x, table, queue, counts):
        pile = Pile([x])
        pile.append(x + 1)
        table["new"] = x * 2
        queue.append(table["none"])
        counts["k"].append(queue.popleft())
        return (
            pile.top(), len(pile), dataclasses.replace(Point(x), y=3).y, Pair(x, 1)._replace(b=2), sorted(table),
            len(queue), dict(counts),
        )  # fmt: skip

    check(run, X, Table(), collections.deque([7]), collections.defaultdict(list), graphs=[2])


def test_exceptions_that_are_handled():
    def run(x):
        try:
            try:
                raise ValueError("a")
            except ValueError:
                x = x + 1
                raise
        except ValueError as error:
            try:
                raise KeyError(1) from error
            except KeyError as other:
                return x, type(other.__cause__).__name__, other.__context__ is error

    check(run, X, graphs=[1])


def test_hooks_of_modules():
    net = torch.nn.Linear(3, 3)
    net.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    net.register_forward_hook(lambda module, args, result: result * 2)
    made = torch.compile(net, backend="eager", fullgraph=True)
    assert torch.equal(made(X), net(X))
    net.register_forward_hook(lambda module, args, result: result + 3)
    assert torch.equal(made(X), net(X))


def test_methods_of_classes_are_guarded():
    class Thing:
        def __call__(self, x):
            return x + 1

    made = torch.compile(lambda thing, x: thing(x), backend="eager")
    assert torch.equal(made(Thing(), X), X + 1)
    Thing.__call__ = lambda self, x: x + 2
    assert torch.equal(made(Thing(), X), X + 2)


def test_modes_of_operators():
    weight = torch.ones(3, 3, requires_grad=True)

    @torch.no_grad()
    def without(x):
        return x @ weight

    def run(x):
        with torch.autocast("cpu", torch.bfloat16):
            low = x @ weight
            torch._dynamo.graph_break()
            again = x @ weight
        with torch.no_grad():
            off = x @ weight
            torch._dynamo.graph_break()
            still = off @ weight
        return low.dtype, again.dtype, off.requires_grad, still.requires_grad, without(x).requires_grad, (
            x @ weight
        ).requires_grad, torch.is_autocast_enabled("cpu"), torch.is_grad_enabled()  # fmt: skip

    for backend in ("eager", "aot_eager"):
        assert torch.compile(run, backend=backend)(X) == run(X)


def test_functions_that_operators_are_given():
    graphs = []

    def keep(module, examples):
        graphs.append(module)
        return module.forward

    weight = torch.ones(3)

    def run(x):
        both, (more,) = wrap(lambda a, b: (a.sin() + weight, (b * 2,)), x, x + 1)
        chosen = torch.cond(x.sum() > 0, lambda a: a + weight, lambda a: a - 1, (both,))
        return torch.utils.checkpoint.checkpoint(torch.cos, chosen, use_reentrant=False) + more

    made = torch.compile(run, backend=keep, fullgraph=True)
    for x in (X, -X):
        assert torch.allclose(made(x), run(x))
    assert len(graphs) == 1
    assert {"wrap_body_0", "cond_true_0", "cond_false_0"} <= set(graphs[0]._modules)

    items = []
    effects = torch.compile(lambda x: wrap(lambda a: items.append(a) or a + 1, x), backend=keep)
    assert torch.equal(effects(X), X + 1) and len(items) == 1
    assert "has effects" in effects._captured.reasons[0].reason


def test_functions_with_a_backward_pass_of_their_own():
    class Tripled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(x)
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 + x, None

    for backend in ("eager", "aot_eager"):
        x = X.clone().requires_grad_()
        torch.compile(lambda x: Tripled.apply(x, 2) + 1, backend=backend)(x).sum().backward()
        assert torch.equal(x.grad, 3 + X)


def test_tensors_that_are_one_are_guarded():
    made = torch.compile(lambda a, b: (a.add_(1), b * 1)[1], backend="aot_eager")
    assert torch.equal(made(X.clone(), X.clone()), X)
    same = X.clone()
    assert torch.equal(made(same, same), X + 1)


def test_errors_show_the_lines_of_the_program():
    def failing(y, n):
        if y.sum() > 0:
            raise ValueError("no")
        return y[n]

    def run(x, n):
        return failing(x * 2, n)

    with pytest.raises(ValueError, match="no") as raised:
        torch.compile(run, backend="eager")(X, 1)
    lines = [(f.name, f.line) for f in traceback.extract_tb(raised.value.__traceback__)]
    assert lines[-2:] == [
        ("run", "return failing(x * 2, n)"),
        ("failing", 'raise ValueError("no")'),
    ]

    def outside(x, i):
        y = x + 1
        return y[i]

    with pytest.raises(IndexError) as found:
        torch.compile(outside, backend="eager")(X, torch.tensor([9]))
    assert ("outside", "return y[i]") in [
        (f.name, f.line) for f in traceback.extract_tb(found.value.__traceback__)
    ]


def test_logs_by_name(capsys):
    def run(x):
        torch._dynamo.graph_break()
        return x + 1

    handler = _logging._handler
    try:
        _logging.set_logs(graph_breaks=True, graph_code=True, guards=True)
        with capsys.disabled():
            pass
        stream = handler.setStream(__import__("sys").stderr)
        torch.compile(run, backend="eager")(X)
        told = capsys.readouterr().err
    finally:
        handler.setStream(stream)
        _logging.set_logs()
    assert "[__graph_breaks]" in told and "the program asks for it" in told and "in run" in told
    assert "TRACED GRAPH" in told and "GUARDS" in told
    with pytest.raises(ValueError, match="Unrecognized log or artifact name"):
        _logging.set_logs(nothing=True)
    assert _logging._from_environment("+dynamo,guards") == {"dynamo": 10, "guards": True}


def test_results_with_names():
    def run(x):
        found = torch.max(x, 1)
        torch._dynamo.graph_break()
        return found, found.values + 1, torch.sort(x)

    check(run, X)


def test_built_in_functions_stay_out_of_graphs_if_a_program_says_so():
    def run(x):
        return torch.sub(torch.add(x, 1), 1) * 2

    torch._dynamo.disallow_in_graph(torch.sub)
    try:
        made = check(run, X, graphs=[1, 1])
    finally:
        torch._dynamo.allow_in_graph(torch.sub)
    assert "sub is kept out of graphs" in made._captured.reasons[0].reason


def test_tensors_that_answer_calls_themselves_end_graphs():
    class Ten(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is torch.Tensor.add:
                return 10
            return super().__torch_function__(func, types, args, kwargs)

    made = torch.compile(lambda x: (x.add(1), x.numel()), backend="eager")
    assert made(X.as_subclass(Ten)) == (10, 6)
    assert "answers calls itself" in made._captured.reasons[0].reason


class Settings(collections.abc.Sequence):
    """An object that is looped over, and given to others."""

    def __init__(self, count):
        self.count = count

    def __repr__(self):
        return f"Settings({self.count})"

    def __eq__(self, other):
        return repr(self) == repr(other)

    __hash__ = object.__hash__

    def __len__(self):
        return self.count

    def __getitem__(self, k):
        if k >= len(self):
            raise IndexError(k)
        return k


class Holder:
    def __init__(self, settings):
        self.settings = settings


class Registry(collections.abc.MutableMapping):
    known = {"double": 2}

    def __init__(self):
        self.own = {}

    def __repr__(self):
        return f"Registry({list(self)})"

    def __eq__(self, other):
        return repr(self) == repr(other)

    __hash__ = object.__hash__

    def __getitem__(self, key):
        return self.own[key] if key in self.own else self.known[key]

    def __setitem__(self, key, value):
        self.own[key] = value

    def __delitem__(self, key):
        del self.own[key]

    def __iter__(self):
        return iter({**self.known, **self.own})

    def __len__(self):
        return len({**self.known, **self.own})


def test_an_argument_that_can_be_looped_over_stays_what_it_is():
    def run(x, settings):
        held = Holder(settings)
        return x * len(held.settings), type(held.settings).__name__, sum(settings), max(settings)

    check(run, X, Settings(3), graphs=[1])


def test_items_are_set_by_functions_of_classes():
    def run(x, registry):
        for k in range(3):
            registry[f"k{k}"] = x * k
        del registry["k0"]
        return (
            registry["k1"] + registry["double"],
            "k0" not in registry,
            "k2" in registry,
            list(registry),
        )

    check(run, X, Registry(), graphs=[4])


def test_elements_of_tensors_are_set():
    def run(x, y):
        made = torch.zeros_like(x)
        made[:, 1:] = x[:, :-1]
        made[..., 0] = 7
        made[y > 0] = 3
        y[0] += 1
        return made, [made + 1]

    check(run, X, X.clone(), graphs=[10])


def test_methods_of_bases_behind_the_end_of_a_graph():
    class Table(Registry):
        def get(self, key, default):
            torch._dynamo.graph_break()
            return super().get(key, default)

    def run(x, table):
        return table.get("double", 1) * x, table.get("other", 5)

    check(run, X, Table())


def test_functions_that_remember_are_called_once():
    told = []

    @functools.lru_cache
    def tell(text):
        told.append(text)
        return len(text)

    compiled = torch.compile(lambda x: x + tell("once"), backend="eager")
    assert [compiled(X).equal(X + 4) for _ in range(3)] == [True] * 3
    assert told == ["once"]


def test_variables_of_the_environment_are_guarded(monkeypatch):
    compiled = torch.compile(
        lambda x: x + int(os.environ.get("RUSHLIGHT_TEST_NUMBER", 1)),
        backend="eager",
        fullgraph=True,
    )
    assert compiled(X).equal(X + 1)
    monkeypatch.setenv("RUSHLIGHT_TEST_NUMBER", "5")
    assert compiled(X).equal(X + 5)


def test_keys_that_are_types_and_annotations():
    table = {int: 1, float: 2, typing.Any: 3, typing.Union: 4, ("a", 1): 5}

    def run(x, settings):
        found = inspect.signature(Registry.__getitem__).parameters
        empty = "no" if not settings else "yes"
        return x * table[float] + table["a", 1], len(found), list(found), empty

    check(run, X, Settings(0), graphs=[2])
    check(run, X, Settings(2), graphs=[2])


def test_what_cannot_be_looped_over_is_asked():
    def run(x, value):
        try:
            return [x + k for k in iter(value)]
        except TypeError:
            return x

    check(run, X, None)
    check(run, X, [1, 2], graphs=[2])


def test_parts_of_lists_of_modules():
    modules = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(3))

    def run(x):
        for k, module in enumerate(modules[:2]):
            x = module(x) + k
        return x, len(modules[1:])

    check(run, X, graphs=[4])


def test_references_in_use_where_a_graph_ends():
    held = torch.nn.Linear(1, 1)

    def run(x):
        one = weakref.ref(held)
        x = x + 1
        torch._dynamo.graph_break()
        return x if one() is held else None

    check(run, X)


def test_attributes_of_tensors():
    def run(x, y):
        x.tag = y * 2
        made = x + 1
        made.note = "note"
        if hasattr(x, "kind"):
            made = made + x.kind
        return made + x.tag, getattr(made, "note", None), getattr(x, "none", 5)

    compiled = torch.compile(run, backend="eager", fullgraph=True)
    for kind in (None, 3, None):
        (x, y), (other, _) = (torch.ones(2), torch.ones(2)), (torch.ones(2), None)
        if kind is not None:
            x.kind = other.kind = kind
        found, expected = compiled(x, y), run(other, y)
        assert torch.equal(found[0], expected[0]) and found[1:] == expected[1:]
        assert torch.equal(x.tag, other.tag)


def test_tensors_of_numbers_by_their_class():
    check(lambda x: x + torch.Tensor([1, 2, 3]) + torch.Tensor(2, 3).fill_(1), X, graphs=[5])


def test_blocks_without_subclasses_go_on_behind_a_graph():
    def run(x):
        with torch._C.DisableTorchFunctionSubclass():
            x = x + 1
            torch._dynamo.graph_break()
            x = x + torch._C._is_torch_function_enabled()
        return x + torch._C._is_torch_function_enabled()

    check(run, X)
    assert torch._C._is_torch_function_enabled()


class Config:
    """What is copied: containers within one another, and itself."""

    def __init__(self):
        self.sizes = [1, 2, {"k": (3, 4)}]
        self.pair = (self.sizes, frozenset((5,)))
        self.itself = self
        self.names = collections.OrderedDict(b=None, a=torch.float32)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Special:
    def __deepcopy__(self, memo):
        made = Special()
        made.is_copy = True
        return made


def test_copies():
    config, special = Config(), Special()

    def run(x):
        deep, shallow = copy.deepcopy(config), copy.copy(config)
        deep.sizes.append(6)
        shallow.sizes.append(7)
        shallow.name = "copy"
        alike = copy.deepcopy([deep, deep.sizes, copy.deepcopy(special)])
        kept = (
            deep.itself is deep and deep.pair[0] is deep.sizes and shallow.sizes is config.sizes,
            alike[1] is alike[0].sizes and alike[1] is not deep.sizes,
            alike[2].is_copy,
            hasattr(config, "name"),
            deep.names == config.names and deep.names is not config.names,
            copy.copy((1, [2])), copy.copy({3: x.shape}), copy.copy({4}),
        )  # fmt: skip
        return x * len(deep.sizes) + alike[1][-1], kept, deep.sizes, copy.deepcopy(vars(special))

    compiled = torch.compile(run, backend="eager", fullgraph=True)
    for count in (4, 5):
        found = compiled(X)
        assert found[1] == (True, True, True, False, True, (1, [2]), {3: X.shape}, {4})
        assert torch.equal(found[0], X * count + 6) and len(config.sizes) == count
        assert found[2] == [*config.sizes[: count - 1], 6] and found[3] == {}


class Reduced:
    def __reduce__(self):
        return Config, ()


def test_copies_that_classes_make_break_graphs():
    def run(x):
        numbers = {id(thing): k for k, thing in enumerate(things)}
        tensors = copy.deepcopy([x, x])
        made = copy.deepcopy(things[0])
        return x + 1, tensors[0] is tensors[1], type(made), [numbers[id(t)] for t in things]

    things = [Reduced(), [1], {}]
    check(run, X)
    found = torch.compile(run, backend="eager")(X)
    assert found[1:] == (True, Config, [0, 1, 2])


def test_classes_are_asked_for_what_they_lack():
    check(lambda x: x + 1 if hasattr(Config, "nothing") else x * 2, X, graphs=[1], times=1)


class Attributed:
    def __init__(self):
        self.a = 0

    def __getattr__(self, name):
        return self.__dict__.setdefault(name, name)


def _set_behind(x, o):
    o.__dict__["a"] = 1
    o.a = 2
    return o.a


def _set_before(x, o):
    o.a = 2
    o.__dict__["a"] = 1
    return o.a


def _both_ways(x, o):
    held = o.__dict__
    held["b"] = 1
    first = o.b
    torch._dynamo.graph_break()
    o.b = 5
    held["c"] = first
    return first, o.b, held["b"], o.c


def _update(x, o):
    o.__dict__.update(b=3, c=4)
    o.b += 1
    return o.b * o.c, vars(o)["b"], "b" in vars(o), len(vars(o))


def _new_ones(x, o):
    held = vars(o)
    o.z = 1
    return held["z"], held is o.__dict__, list(held)


def _deleted(x, o):
    del o.a
    return "a" in o.__dict__, o.__dict__.get("a", 7)


def _popped(x, o):
    o.__dict__.pop("a")
    return hasattr(o, "a"), dict(o.__dict__)


def _deleted_twice(x, o):
    held = o.__dict__
    del o.a
    try:
        del o.a
    except AttributeError:
        return len(held)


def _asked(x, o):
    return o.foo, o.foo, o.bar


def _made_here(x, o):
    p = Attributed()
    held = p.__dict__
    held["a"] = 3
    torch._dynamo.graph_break()
    p.b = 4
    held["c"] = 2
    return held["a"] * held["b"] * p.c, p.__dict__ is held


@pytest.mark.parametrize(
    "function",
    [
        _set_behind, _set_before, _both_ways, _update, _new_ones, _deleted, _popped, _deleted_twice, _asked,
        _made_here,
    ],
)  # fmt: skip
def test_attributes_and_their_dictionary_are_one(function):
    compiled = torch.compile(
        function, backend="eager", fullgraph=function not in (_both_ways, _made_here)
    )
    for _ in range(2):
        one, other = Attributed(), Attributed()
        assert compiled(X, one) == function(X, other)
        assert one.__dict__ == other.__dict__


class Doubling(torch.nn.Module):
    def forward(self, x):
        return x * 2


class OfParts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.ReLU()
        self.rest = torch.nn.ModuleList([torch.nn.Tanh(), Doubling()])
        self.register_buffer("kept", torch.ones(1))

    def forward(self, x):
        for one in self.rest:
            x = one(self.first(x))
        return x * self.kept


class ByName(collections.OrderedDict):
    def __getitem__(self, name):
        return super().__getitem__(name)()


def test_modules_made_in_graphs():
    table = ByName(double=Doubling)

    def run(x):
        whole = OfParts()
        whole.kept = whole.kept * 2
        whole.eval()
        y = table["double"](torch.nn.Sequential(torch.nn.GELU(), whole)(x))
        return y, whole.rest[1].training, whole

    found, trains, whole = torch.compile(run, backend="eager", fullgraph=True)(X)
    expected = run(X)
    assert torch.equal(found, expected[0]) and trains is False and not whole.first.training
    assert list(whole.state_dict()) == ["kept"] and torch.equal(whole.kept, torch.full((1,), 2.0))
    assert torch.equal(whole(X), expected[2](X))


def test_modules_made_before_a_graph_ends():
    def run(x):
        whole = OfParts()
        torch._dynamo.graph_break()
        return whole(x)

    check(run, X, graphs=[1, 5])


def test_buffers_and_their_table_are_one():
    def run(x, module):
        module._buffers["kept"] = x[:1, 0] * 0 + 3
        first = module(x)
        module.kept = module._buffers["kept"] + 1
        return first, module(x), module.kept

    one, other = OfParts(), OfParts()
    for found, expected in zip(torch.compile(run, backend="eager")(X, one), run(X, other)):
        assert torch.equal(found, expected)
    assert torch.equal(one.kept, other.kept)


def test_functional_calls_of_modules_that_read_their_tables():
    class Reading(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1))

        def forward(self, x):
            return x * self._parameters["weight"]

    module = Reading()
    own = module.weight

    def run(x):
        return torch.func.functional_call(module, {"weight": x[:1, :1] + 5}, (x,))

    assert torch.equal(torch.compile(run, backend="eager")(X), run(X))
    assert module.weight is own


def test_lists_as_indices():
    def run(x):
        y = x.clone()
        y[:, [0, 1]] = 5.0
        return x[..., [-1]] + y[[0], [1]], x[[0, 0]], dict.fromkeys("ab", 1)

    check(run, X, graphs=[6])


class Counting:
    count = 0

    def __init__(self):
        self.own = 1


def _counts(x, things):
    one = Counting()
    torch._dynamo.graph_break()
    one.count += 5
    return x, one.count, vars(one)


def test_attributes_of_classes_by_new_objects():
    compiled = torch.compile(_counts, backend="eager")
    for count in (0, 2, 3):
        Counting.count = count
        assert compiled(X, None)[1:] == (count + 5, {"own": 1, "count": count + 5})


ORDERED = collections.OrderedDict(a=1, b=2)


def _moves(x):
    ORDERED.move_to_end("a")
    return x + 1


def test_order_of_dictionaries_of_the_program():
    compiled = torch.compile(_moves, backend="eager", fullgraph=True)
    for order in (["b", "a"], ["b", "a"]):
        compiled(X)
        assert list(ORDERED) == order


def test_lists_that_change_under_their_iterators():
    def run(x):
        items = [1, 2, 3]
        steps = iter(items)
        first = next(steps)
        items.append(4)
        torch._dynamo.graph_break()
        items[2] = 9
        for item in steps:
            if len(items) < 6:
                items.append(item)
        return x + first, list(items), next(steps, None)

    check(run, X)


def test_cells_of_functions():
    def run(x):
        torch._dynamo.graph_break()
        total = 1

        def add(y):
            nonlocal total
            total += 1
            return y + total

        return add(x), add.__closure__[0].cell_contents

    check(run, X)


def test_queues_keep_their_length():
    def run(x):
        queue = collections.deque([1, 2], maxlen=2)
        torch._dynamo.graph_break()
        queue.append(3)
        queue.appendleft(x)
        return list(queue), queue.maxlen

    check(run, X)


def test_match_statements():
    def kind_of(item):
        match item:
            case 0:
                return "zero"
            case [first, *rest] if len(rest) == 2:
                return first, rest
            case {"k": value, **others}:
                return value, others
            case str() as text if text:
                return text
            case Config(names=found):
                return list(found)
            case int(number) | float(number):
                return number + 1
            case collections.abc.Sized():
                return len(item)
            case None | True:
                return "none"
            case _:
                return "other"

    items = (0, [1, 2, 3], {"k": 1, "z": 2}, "s", Config(), 5, 2.5, (), True, None, object)

    def run(x):
        return x + 1, [kind_of(item) for item in items]

    check(run, X, graphs=[1], times=1)


def test_getters_patterns_and_classes():
    pattern = re.compile(r"(\d+)-(\d+)")

    def run(x):
        found = pattern.match("12-7")
        pair = operator.itemgetter(0, 2)([x, 1, found.group(2)])
        names = operator.attrgetter("shape", "dtype.is_floating_point")(x)
        total = operator.methodcaller("sum", dim=0)(pair[0])
        text = f"{x.dtype} {x.device} {re.sub('a', 'b', 'cab')} {hex(10)}"
        return (
            total,
            pair[1],
            names,
            text,
            inspect.isfunction(run),
            x.__class__.__name__,
            sorted(zip(*[iter([1, 2])])),
        )

    found = torch.compile(run, backend="eager", fullgraph=True)(X)
    expected = run(X)
    assert torch.equal(found[0], expected[0]) and found[1:] == expected[1:]


def test_largest_of_objects_that_can_be_looped_over():
    class Looped:
        def __init__(self, value):
            self.value = value

        def __iter__(self):
            return iter([self.value])

        def __lt__(self, other):
            return self.value < other.value

        def __gt__(self, other):
            return self.value > other.value

    def run(x):
        one, other = Looped(1), Looped(2)
        table = dict.fromkeys(one, other)
        return x * max(one, other).value + min(one, other).value, table[1].value

    check(run, X, graphs=[2], times=1)


def test_hooks_that_a_graph_adds():
    layer = torch.nn.ReLU()

    def run(x):
        handle = layer.register_forward_hook(lambda module, args, out: out * 2)
        y = layer(x)
        handle.remove()
        return y, layer(x)

    check(run, X)
    assert not layer._forward_hooks


def test_numbers_and_arrays_of_numpy():
    number = np.float32(2.5)

    def run(x):
        y = x * number + np.int64(3)
        return y, torch.as_tensor(np.sin(x.numpy()) + 1), torch.tensor(np.float64(2)).dtype

    check(run, X)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_sizes_of_inputs_that_graphs_change(backend):
    def turned(x):
        x.t_()
        return x + torch.arange(3.0)

    def shared(x):
        y = x[:2]
        torch._dynamo.graph_break()
        y.add_(1)
        x.unsqueeze_(0)
        return x.sum(1), y

    for program in (turned, shared):
        compiled = torch.compile(program, backend=backend)
        for _ in range(2):
            one, other = torch.ones(3, 4), torch.ones(3, 4)
            found, expected = compiled(one), program(other)
            for a, b in zip(found, expected):
                assert torch.equal(a, b)
            assert one.shape == other.shape and torch.equal(one, other)


def test_gradients_through_what_was_computed_before_a_graph():
    weight = torch.nn.Parameter(torch.ones(3))

    def run(x):
        y = (x * weight).sum() + 0 * weight.sum()
        torch._dynamo.graph_break()
        return torch.autograd.grad((y * weight).sum(), weight)

    check(run, torch.ones(2, 3))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_gradients_of_gradients_say_that_there_are_none(backend):
    weight = torch.nn.Parameter(torch.ones(3))
    compiled = torch.compile(lambda x: (x @ (weight * 1)).sin().sum(), backend=backend)
    for _ in range(2):
        loss = compiled(torch.ones(2, 3))
        (found,) = torch.autograd.grad(loss, weight, create_graph=True)
        with pytest.raises(RuntimeError, match="double backward"):
            (loss + found.pow(2).sum()).backward()


def test_variables_of_a_function_by_name():
    def run(x):
        dropped = number = 2
        del dropped

        def give():
            return number

        found = dict(locals())
        return x + give(), sorted(found), vars()["number"], sorted(dir()), len(vars(Counting()))

    found = torch.compile(run, backend="eager", fullgraph=True)(X)
    assert torch.equal(found[0], X + 2)
    assert found[1:] == (["give", "number", "x"], 2, ["found", "give", "number", "x"], 1)


class Unhashed:
    """What can be called and has no hash; the call itself is outside of graphs."""

    __hash__ = None
    __call__ = staticmethod(functools.partial(int, 2))

    def __eq__(self, other):
        return self is other


def test_calls_of_what_has_no_hash():
    double = Unhashed()
    check(lambda x: x * double() + 1, X)


def test_what_cannot_be_one_graph_says_so():
    compiled = torch.compile(lambda x: x + eval("1 + 1"), backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="asks for its frame"):
        compiled(X)


def test_compiled_methods_of_objects_that_are_read():
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = 2

        def forward(self, x):
            return x * self.factor

        def step(self, x):
            return self(x) + 1

    layer = Layer()
    layer.forward = torch.compile(layer.forward, backend="eager")
    compiled = torch.compile(layer.step, backend="eager", fullgraph=True)
    for factor in (2, 3):
        layer.factor = factor
        assert torch.equal(compiled(X), X * factor + 1)


CALLED = []


class Logged(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        CALLED.append(factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class Silent(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor + FACTOR

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.factor = inputs[1] if ctx.needs_input_grad[0] else None

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def test_functions_with_backward_passes_that_have_effects(monkeypatch):
    def run(x):
        return Silent.apply(Logged.apply(x, 3), 2) + 1

    compiled = torch.compile(run, backend="aot_eager")
    for factor in (1, 2):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        one, other = X.clone().requires_grad_(), X.clone().requires_grad_()
        CALLED.clear()
        found = compiled(one)
        assert CALLED == [3]
        assert torch.equal(found, run(other))
        found.sum().backward()
        assert torch.equal(one.grad, torch.full_like(X, 6.0))
    silent = torch.compile(lambda x: Silent.apply(x, 2), backend="aot_eager", fullgraph=True)
    assert torch.equal(silent(X), X * 2 + FACTOR)


def test_parametrized_modules():
    normed = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 3))
    orthogonal = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
    for layer in (normed, orthogonal):
        compiled = torch.compile(layer, backend="eager", fullgraph=True)
        torch.testing.assert_close(compiled(torch.ones(2, 3)), layer(torch.ones(2, 3)))


def test_limits_of_types():
    def run(x):
        return x.clamp(max=torch.finfo(x.dtype).eps), torch.iinfo(torch.int8).max

    compiled = torch.compile(run, backend="eager", fullgraph=True)
    assert torch.equal(compiled(X)[0], run(X)[0]) and compiled(X)[1] == 127


def test_errors_of_programs_that_know_that_they_are_compiled():
    def run(x):
        y = None if torch.compiler.is_compiling() else x
        return y.sin()

    compiled = torch.compile(run, backend="eager")
    assert torch.equal(compiled(X), X.sin())


def test_histories_of_inputs_with_gaps():
    weight = torch.nn.Parameter(torch.ones(8))

    def run(x):
        y = (x * weight[:, None])[..., :-2]
        torch._dynamo.graph_break()
        return torch.nn.functional.pad(y, (1, 1)).sum(1), y.stride()

    compiled = torch.compile(run, backend="inductor")
    for count in (12, 12, 10, 7):
        x = torch.randn(1, 8, count)
        found, expected = compiled(x), run(x)
        torch.testing.assert_close(found[0], expected[0])
        assert found[1] == expected[1]


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_inputs_that_share_elements_without_a_base(backend):
    def run(x, y):
        x += 1
        y *= 2
        z = x.clone()
        z[0] = 0
        return z, y

    compiled = torch.compile(run, backend=backend)
    for count in (4, 4, 5):
        one, other = (torch.arange(3.0 * count).view(3, count) for _ in range(2))
        found, expected = compiled(one, one.detach()), run(other, other.detach())
        assert torch.equal(one, other) and all(map(torch.equal, found, expected))
