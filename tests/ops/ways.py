"""Every operator in every way that is to do what its call does: functionalized, on fakes, as a graph.

A *case* is a sample of an operator, or of its form in place or with `out=`, on arguments that lie in memory in one of
several ways. What is known of a call is its *facts*: what its results and arguments are afterwards, with sizes, strides
and types, which of them share memory, and, where a way has them, their elements.

    python -m tests.ops.ways    # how many cases of each way are right
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import rushlight as torch
from rushlight._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops import samples
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.samples import Sample
from rushlight.func import functionalize
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode,
    ShapeEnv,
)
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_unflatten
from tests.engine.dispatch.varying_calls import without_memory
from tests.results import alike

# Elements decide how large a result is, or what it is.
DEPENDENT = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    GuardOnDataDependentSymNode,
)
ASKED = "It appears that you're trying to get value out of a tracing tensor"
# What says something of histories, not of results.
HISTORY = ("_version",)
# Elements that nobody has written.
UNWRITTEN = ("empty", "new_empty", "resize", "_resize", "_fused_dropout")


# -- cases --


@dataclass(frozen=True)
class Case:
    """A call.

    Args:
        sample: what it is called with
        op: the operator, or its form in place or with `out=`
        layout: where the elements of the arguments lie
    """

    sample: Sample
    op: Operator
    layout: str

    @property
    def title(self) -> str:
        name = f"{self.op.base_name} {self.sample.what}".strip()
        return f"{name} ({self.layout})" if self.layout else name

    def arguments(self) -> tuple[list[Any], Any]:
        """Fresh arguments in a flat list, and how they were nested."""
        drawn = self.sample.draw()
        args, kwargs = drawn.arguments(*map(LAYOUTS[self.layout], drawn.tensors))
        if self.op.base_name == self.sample.name or self.op.full_name == self.sample.name:
            return tree_flatten((args, kwargs))
        results = called(self.op_of_sample, args, kwargs)
        drawn = self.sample.draw()
        args, kwargs = drawn.arguments(*map(LAYOUTS[self.layout], drawn.tensors))
        schema = self.op.schema
        if not schema.out_arguments:
            values = dict(zip((a.name for a in schema.arguments), args)) | kwargs
            target = values["self"]
            wanted = results[0].shape
            if not changes_geometry(self.op) and target.shape != wanted:
                values["self"] = target.expand(wanted).clone()
            return tree_flatten(((), values))
        names = [a.name for a in schema.out_arguments]
        given = [torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).zero_() for x in results]
        is_list = schema.out_arguments[0].type.kind == "list"
        outs = {names[0]: given} if is_list else dict(zip(names, given))
        known = {a.name for a in schema.arguments}
        return tree_flatten((args, {k: v for k, v in kwargs.items() if k in known} | outs))

    @property
    def op_of_sample(self) -> Operator:
        return operators.operator(self.sample.name)


def changes_geometry(op: Operator) -> bool:
    return bool(op.schema.is_view or "inplace_view" in op.declared_tags)


def called(op: Operator, args: Any, kwargs: Any) -> list[Any]:
    """The results of a call, in a flat list."""
    torch.manual_seed(0)
    made = op(*args, **kwargs)
    return tree_leaves(list(made) if isinstance(made, (list, tuple)) else [made])


def turned(x: Tensor) -> Tensor:
    """The same elements, with the last two dimensions the other way around in memory."""
    return x.transpose(-1, -2).contiguous().transpose(-1, -2) if x.dim() > 1 else x


def spread(x: Tensor) -> Tensor:
    """The same elements in every other place of a row, and not from its beginning on."""
    if not x.dim():
        return x
    room = x.new_zeros((*x.shape[:-1], 2 * x.shape[-1] + 1))
    view = room[..., 1::2]
    view.copy_(x)
    return view


LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "": lambda x: x,
    "turned": turned,
    "spread": spread,
}


def cases_of(family: str) -> Iterator[Case]:
    """All cases of a family of operators that can be called."""
    for op in samples.every_operator():
        if op.family != family or op.packet_name in HISTORY:
            continue
        for sample in samples.of_operator(op.base_name):
            yield from (Case(sample, op, layout) for layout in LAYOUTS)
            if not op.schema.mutated:
                inplace, out = outputs.variants(op)
                yield from (Case(sample, form, "") for form in (*inplace, *out))


def some_cases(way: str, family: str) -> Iterator[Case]:
    """Those that a way is tried with by default: of the layouts, the plain one and a fixed other one."""
    others = [layout for layout in LAYOUTS if layout]
    for case in cases_of(family):
        name = f"{way} {case.op.full_name} {case.sample.what}"
        if not case.layout or case.layout == Random(name).choice(others):
            yield case


# -- facts --


@dataclass
class Facts:
    """What is known after a call.

    Args:
        results: what it gave, in a flat list
        given: its tensors among the arguments
        has_elements: whether elements say anything
    """

    results: list[Any]
    given: list[Tensor]
    has_elements: bool = True

    def of(self, value: Any, alias: bool, strides: bool) -> Any:
        """What is known of one value besides its elements."""
        if not isinstance(value, Tensor):
            return type(value)
        known: list[Any] = [tuple(map(int, value.shape)), value.dtype]
        if strides:
            steps = zip(value.shape, value.stride())
            known.append([int(s) for n, s in steps if n != 1] if value.numel() else [])
        if alias:
            known.append([k for k, x in enumerate(self.given) if x is value])
            tensors = [x for x in (*self.given, *self.results) if isinstance(x, Tensor)]
            known.append([k for k, x in enumerate(tensors) if shares(x, value)])
            known.append(int(value.storage_offset()) if shares_any(value, self.given) else None)
        return known


def shares(x: Tensor, y: Tensor) -> bool:
    return x._storage_ is y._storage_


def shares_any(value: Tensor, given: list[Tensor]) -> bool:
    return any(shares(x, value) for x in given)


def difference(expected: Facts, found: Facts, alias: bool = True, strides: bool = True) -> str:
    """What is not as it should be; nothing if all is."""
    for role in ("results", "given"):
        wanted, have = getattr(expected, role), getattr(found, role)
        if len(wanted) != len(have):
            return f"{len(have)} {role}, not {len(wanted)}"
        for k, (x, y) in enumerate(zip(wanted, have)):
            # Arguments keep their strides, whatever the way does with results.
            one, other = expected.of(x, alias, strides), found.of(y, alias, strides)
            if one != other:
                return f"{role}[{k}]: {other}, not {one}"
            if found.has_elements and not alike(x, y):
                return f"{role}[{k}]: {y}, not {x}"
    return ""


def tensors_of(values: list[Any]) -> list[Tensor]:
    return [x for x in values if isinstance(x, Tensor)]


def real_call(case: Case) -> Facts:
    """What the call does, made in Python: repeated ones may give tensors apart that shared memory before."""
    with without_memory():
        values, spec = case.arguments()
        args, kwargs = tree_unflatten(values, spec)
        return Facts(called(case.op, args, kwargs), tensors_of(values))


def with_tensors(case: Case) -> tuple[Callable[..., list[Any]], list[Tensor]]:
    """The call as a function of tensors only, and these."""
    values, spec = case.arguments()
    places = [k for k, x in enumerate(values) if isinstance(x, Tensor)]

    def call(*tensors: Tensor) -> list[Any]:
        given = list(values)
        for place, tensor in zip(places, tensors):
            given[place] = tensor
        args, kwargs = tree_unflatten(given, spec)
        return called(case.op, args, kwargs)

    return call, [values[k] for k in places]


# -- ways --


def functionalized(remove: str) -> Callable[[Case, Facts], str]:
    """The call under functionalization; what shares memory with what is known only where nothing is written."""

    def run(case: Case, expected: Facts) -> str:
        call, tensors = with_tensors(case)
        found = Facts(functionalize(call, remove=remove)(*tensors), tensors)
        found.has_elements = not is_unwritten(case)
        # What would have been written is a new value, with the strides of one.
        is_same = remove == "mutations" and not case.op.schema.mutated
        return difference(expected, found, alias=is_same, strides=is_same)

    return run


def on_fakes(has_symbols: bool) -> Callable[[Case, Facts], str]:
    """The call on tensors without elements, whose sizes are numbers or symbols."""

    def run(case: Case, expected: Facts) -> str:
        mode = FakeTensorMode(shape_env=ShapeEnv() if has_symbols else None)
        values, spec = case.arguments()
        values = [mode.from_tensor(x) if isinstance(x, Tensor) else x for x in values]
        args, kwargs = tree_unflatten(values, spec)
        with mode:
            made = called(case.op, args, kwargs)
        if not all(isinstance(x, FakeTensor) for x in tensors_of(made)):
            return "a result is no fake"
        made = [x if isinstance(x, Tensor) else plain(x) for x in made]
        return difference(expected, Facts(made, tensors_of(values), has_elements=False))

    return run


def plain(value: Any) -> Any:
    """A number that a symbol stands for."""
    kinds = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}
    return kinds[type(value)](value) if type(value) in kinds else value


def as_graph(mode: str) -> Callable[[Case, Facts], str]:
    """The graph of the call, run; and what is noted beside its nodes."""

    def run(case: Case, expected: Facts) -> str:
        call, tensors = with_tensors(case)
        module = make_fx(call, tracing_mode=mode)(*[clone_as_it_lies(x) for x in tensors])
        torch.manual_seed(0)
        made = [plain(x) for x in module(*tensors)]
        found = Facts(made, tensors, has_elements=not is_unwritten(case))
        return difference(expected, found) or difference_of_notes(module, expected)

    return run


def difference_of_notes(module: Any, expected: Facts) -> str:
    """What is wrong with the fakes beside a graph's results."""
    (output,) = module.graph.find_nodes(op="output")
    noted = Facts([], [], has_elements=False)
    for node, x in zip(output.args[0], expected.results):
        value = getattr(node, "meta", {}).get("val")
        if isinstance(value, Tensor) and isinstance(x, Tensor):
            one, other = expected.of(x, False, True), noted.of(value, False, True)
            if one != other:
                return f"beside {node}: {other}, not {one}"
    return ""


def clone_as_it_lies(x: Tensor) -> Tensor:
    """A copy in a storage of its own with the same sizes, strides and offset."""
    made = x.new_zeros(x._storage_._nbytes // x.element_size())
    return made.as_strided(x.shape, x.stride(), x.storage_offset()).copy_(x)


def is_unwritten(case: Case) -> bool:
    return case.op.packet_name.startswith(UNWRITTEN)


WAYS: dict[str, Callable[[Case, Facts], str]] = {
    "functionalize": functionalized("mutations"),
    "functionalize without views": functionalized("mutations_and_views"),
    "fake": on_fakes(has_symbols=False),
    "fake with symbols": on_fakes(has_symbols=True),
    "graph, real": as_graph("real"),
    "graph, fake": as_graph("fake"),
    "graph, symbolic": as_graph("symbolic"),
}

# -- all of them --


def families() -> list[str]:
    return sorted({op.family for op in samples.every_operator()})


@dataclass
class Tally:
    """What came of the cases of a way: how many are right, what is wrong, how many cannot be done."""

    right: int
    wrong: dict[str, str]
    refused: int


def tally(way: str, cases: Iterable[Case]) -> Tally:
    """Do some cases in a way."""
    found = Tally(0, {}, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases:
            try:
                expected = real_call(case)
            except Exception:
                # The call itself is refused, for arguments that lie so.
                continue
            if any(
                x.layout is not torch.strided for x in tensors_of(expected.results + expected.given)
            ):
                continue
            try:
                why = WAYS[way](case, expected)
            except Exception as error:
                if isinstance(error, DEPENDENT) or str(error).startswith(ASKED):
                    found.refused += 1
                    continue
                why = f"{type(error).__name__}: {error}"
            if why:
                found.wrong[case.title] = why.partition("\n")[0][:300]
            else:
                found.right += 1
    return found


LIST = Path(__file__).with_name("wrong_ways.txt")


def listed(way: str) -> set[str]:
    """The cases that are known to be wrong in a way."""
    lines = LIST.read_text().splitlines()
    return {line.split(": ", 1)[1] for line in lines if line.startswith(f"{way}: ")}


def main() -> None:
    """Print what is wrong, as lines of the list, and how much is right."""
    for way in WAYS:
        every = [tally(way, cases_of(family)) for family in families()]
        right, refused = sum(t.right for t in every), sum(t.refused for t in every)
        wrong = {title: why for t in every for title, why in t.wrong.items()}
        share = 100 * right / (right + len(wrong))
        for title, why in wrong.items():
            print(f"{way}: {title}  # {why}")
        print(
            f"{way}: {right} of {right + len(wrong)} ({share:.2f} %), {refused} depend on elements"
        )


if __name__ == "__main__":
    main()
