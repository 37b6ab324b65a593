"""Samples of calls: what tests over all operators call them with.

Each family has a file `samples.py`. It adds what an operator's schema does not tell; for pointwise
operators, reductions and whatever else has only tensors, numbers and dimensions among its arguments,
a sample is derived. Programs never load these files.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import operator
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds import outputs

# -- what stands for a tensor among the arguments of a sample --


@dataclass(frozen=True)
class Given:
    """A tensor that is drawn when the sample is used.

    Args:
        size: its sizes
        low, high: bounds of its elements, or of their real and imaginary parts
        kind: its type where that is not the one in use
        signs: whether the elements have either sign, by turns
        diagonal: added to the diagonal of each matrix
    """

    size: tuple[int, ...]
    low: float = -1.0
    high: float = 1.0
    kind: str = ""
    signs: bool = False
    diagonal: float = 0.0


@dataclass(frozen=True)
class Fixed:
    """A tensor of these elements."""

    values: Any
    kind: str = ""


@dataclass(frozen=True)
class Made:
    """What a function makes of tensors that are drawn."""

    function: Callable[..., Any]
    parts: tuple[Any, ...]


def numbers(*size: int, low: float = -1.0, high: float = 1.0) -> Given:
    """Numbers between -1 and 1."""
    return Given(size, low, high)


def matrices(*size: int) -> Given:
    """Square matrices far from singular ones."""
    return Given(size, diagonal=2.0)


def whole(high: int, *size: int, low: int = 0) -> Given:
    """Whole numbers from `low` to `high`, without `high`."""
    return Given(size, low, high, "int64")


def places(values: Any) -> Fixed:
    """Whole numbers, such as positions."""
    return Fixed(values, "int64")


def truths(values: Any) -> Fixed:
    return Fixed(values, "bool")


def fixed(values: Any) -> Fixed:
    """Numbers of the type in use."""
    return Fixed(values)


def of(function: Callable[..., Any], *parts: Any) -> Made:
    """What a function makes of other arguments."""
    return Made(function, parts)


def first(results: Any) -> Any:
    """The first result of several."""
    return results[0]


def upto(count: int) -> Callable[[Any], Any]:
    """The first results of several."""
    return operator.itemgetter(slice(count))


def after(count: int) -> Callable[[Any], Any]:
    """The results without the first ones."""
    return operator.itemgetter(slice(count, None))


@dataclass
class Drawing:
    """Draws the tensors of one call; the same in every run.

    `tensors` are those that were drawn with the type in use, in order.
    """

    kind: str
    tensors: list[Tensor] = field(default_factory=list)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def tensor(self, given: Given) -> Tensor:
        kind = given.kind or self.kind
        if kind in ("int64", "uint8", "int32"):
            return _tensor(self.random.integers(int(given.low), int(given.high), given.size), kind)
        if kind == "bool":
            return _tensor(self.random.integers(0, 2, given.size), kind)
        values: Any = self.random.uniform(given.low, given.high, given.size)
        if kind.startswith("complex"):
            values = values + 1j * self.random.uniform(given.low, given.high, given.size)
        if given.signs:
            values = values * np.where(np.indices(given.size).sum(0) % 2, -1, 1)
        if given.diagonal:
            values = values + given.diagonal * np.eye(given.size[-1])
        made = _tensor(values, kind)
        if not given.kind:
            self.tensors.append(made)
        return made


def _tensor(values: Any, kind: str) -> Tensor:
    dtype = getattr(dtypes, "bool_" if kind == "bool" else kind)
    values = np.asarray(values)
    if dtype.is_complex:
        values = values.astype(np.complex128)
    there = bridge.NUMPY.get(dtype)
    if there is not None:
        return bridge.tensor_of(values.astype(there), dtype)
    return bridge.tensor_of(values.astype(np.float64)).to(dtype)  # type: ignore[attr-defined, no-any-return]


# -- samples --


@dataclass(frozen=True)
class Sample:
    """A call of an operator.

    Args:
        name: the overload
        args, kwargs: its arguments; `Given` and its kin stand for tensors, also in lists
        what: what it is for, where an operator has several
        seen: what of the results is determined by the arguments, and has a gradient
        is_real: complex numbers are not for it
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    what: str = ""
    seen: Callable[[Any], Any] | None = None
    is_real: bool = False

    @property
    def title(self) -> str:
        return f"{self.name} {self.what}" if self.what else self.name

    def draw(self, kind: str = "float64") -> Call:
        drawing = Drawing(kind)
        # Drawn from left to right, so that nobody's elements depend on a type.
        drawn = _drawn((self.args, self.kwargs), drawing)
        return Call(self, drawing.tensors, drawn, kind)


@dataclass
class Call:
    """A sample with its tensors."""

    sample: Sample
    tensors: list[Tensor]
    drawn: Any
    kind: str

    def arguments(self, *tensors: Tensor) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with other tensors in the place of those that were drawn."""
        args, kwargs = _filled(self.drawn, dict(zip(map(id, self.tensors), tensors)))
        return args, kwargs

    def run(self, *tensors: Tensor) -> Any:
        """Call the operator with other tensors; what of its results is determined."""
        args, kwargs = self.arguments(*tensors)
        result = operators.operator(self.sample.name)(*args, **kwargs)
        return result if self.sample.seen is None else self.sample.seen(result)


def _drawn(value: Any, drawing: Drawing) -> Any:
    """Arguments with tensors for what stands for them; functions are applied later."""
    match value:
        case Given():
            return drawing.tensor(value)
        case Fixed():
            return _tensor(value.values, value.kind or drawing.kind)
        case Made():
            return Made(value.function, _drawn(value.parts, drawing))
        case dict():
            return {key: _drawn(item, drawing) for key, item in value.items()}
        case list() | tuple():
            return type(value)(_drawn(item, drawing) for item in value)
    return value


def _filled(value: Any, tensors: dict[int, Tensor]) -> Any:
    match value:
        case Made():
            return value.function(*_filled(value.parts, tensors))
        case dict():
            return {key: _filled(item, tensors) for key, item in value.items()}
        case list() | tuple():
            return type(value)(_filled(item, tensors) for item in value)
    return tensors.get(id(value), value)


# -- a family's samples --

# What the files of the families say, by overload; hints also by the name of all overloads.
_samples: dict[str, list[Sample]] = {}
_operands: dict[str, Given] = {}
_arguments: dict[str, dict[str, Any]] = {}
_real: set[str] = set()
# Overloads without a sample, and why.
unsampled: dict[str, str] = {}


class Samples:
    """What one family adds."""

    def __init__(self, family: str) -> None:
        self.family = family

    def add(
        self,
        name: str,
        *args: Any,
        what: str = "",
        seen: Callable[[Any], Any] | None = None,
        is_real: bool = False,
        **kwargs: Any,
    ) -> None:
        """A sample of an overload."""
        op = operators.operator(name)
        if op.family != self.family:
            raise ValueError(f"{name} is of the family {op.family}, not of {self.family}")
        found = _samples.setdefault(name, [])
        sample = Sample(name, args, kwargs, what, seen, is_real)
        if any(other.title == sample.title for other in found):
            raise ValueError(f"there are two samples {sample.title!r}")
        found.append(sample)

    def within(self, low: float, high: float, *names: str) -> None:
        """Bounds of the tensors' elements in derived samples."""
        self.operands(numbers(2, 3, low=low, high=high), *names)

    def operands(self, given: Given, *names: str) -> None:
        """What stands for tensors in derived samples."""
        _operands.update(dict.fromkeys(names, given))

    def given(self, name: str, **arguments: Any) -> None:
        """Arguments of a derived sample."""
        _arguments[name] = arguments

    def without(self, reason: str, *names: str) -> None:
        """Overloads that have no sample, and why."""
        unsampled.update(dict.fromkeys(names, reason))

    def real(self, *names: str) -> None:
        """Operators that take no complex numbers."""
        _real.update(names)


@functools.cache
def load() -> None:
    """Load the samples of all families."""
    package = importlib.import_module("rushlight.engine.ops")
    for info in pkgutil.iter_modules(package.__path__):
        if info.ispkg:
            name = f"{package.__name__}.{info.name}.samples"
            if importlib.util.find_spec(name):
                importlib.import_module(name)


def of_operator(name: str) -> Sequence[Sample]:
    """The samples of an overload; none for variants, see `variants`, and where none is known."""
    load()
    op = operators.operator(name)
    known_as = _name_of(op)
    if known_as in unsampled:
        return ()
    if known_as in _samples:
        return _samples[known_as]
    if any(a.is_write for a in op.schema.arguments) and functional_of(op) is not None:
        return ()
    source = operators.operator(op.alias) if op.alias else _source_of_copy(op)
    if source is not None:
        source = functional_of(source) or source
        return [replace(sample, name=op.base_name) for sample in of_operator(source.base_name)]
    derived = _derived(op) if has_kernel(op) else None
    return [] if derived is None else [derived]


def has_kernel(op: Operator) -> bool:
    """Whether an operator does anything for tensors in memory that are not sparse."""
    registry.load_family(op.family)
    return any(x in op.kernel_names() for x in ("CPU", operators.IMPLICIT, operators.EXPLICIT))


def _name_of(op: Operator) -> str:
    return op.base_name if op.namespace == "aten" else op.full_name


def functional_of(op: Operator) -> Operator | None:
    """The overload whose in-place or `out=` variant this is."""
    packet = op.packet_name
    stem = packet
    if op.schema.kind == "inplace":
        stem = packet[:-1] if packet.endswith("_") else f"__{packet.removeprefix('__i')}"
    for other in operators.overloads(f"{op.namespace}::{stem}"):
        if other is not op and op in [*outputs.variants(other)[0], *outputs.variants(other)[1]]:
            return other
    return None


def _source_of_copy(op: Operator) -> Operator | None:
    """The view that an operator with this name gives a copy of."""
    if not op.packet_name.endswith("_copy"):
        return None
    name = op.base_name.replace("_copy", "", 1)
    found = operators.find(name)
    return found if found is not None and found.schema.is_view else None


# -- derived samples --


class _Underivable(Exception):
    """A schema does not tell enough."""


def _derived(op: Operator) -> Sample | None:
    """A sample from the names and types of a schema's arguments; None if they do not tell enough."""
    given = {**_arguments.get(op.packet_name, {}), **_arguments.get(op.base_name, {})}
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    by_name = False
    for argument in op.schema.arguments:
        if argument.name not in given and argument.name != "dim" and argument.has_default:
            by_name = True
            continue
        try:
            if argument.name in given:
                value = given[argument.name]
            elif argument.is_write and argument.keyword_only:
                value = Given((0,))
            else:
                value = _value(op, argument)
        except _Underivable:
            return None
        if by_name or argument.keyword_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    is_real = op.base_name in _real or op.packet_name in _real or not _takes(op, "c")
    return Sample(_name_of(op), tuple(args), kwargs, is_real=is_real)


# By type and, in front of a colon, by name.
_VALUES: dict[str, Any] = {
    "Scalar": 0.7, "float": 0.7, "int": 1, "SymInt": 1, "bool": False, "dim:int": 1,
    "dim0:int": 0, "dim1:int": 1, "dim:int[1]": [1], "dim:int[]": [1], "dims:int[]": [1],
    "dim:int[1]?": [1], "dim:int[]?": [1], "dim:int?": 1, "ScalarType": dtypes.float64,
    "size:SymInt[]": [3, 2], "size:int[]": [3, 2], "shape:SymInt[]": [3, 2],
}  # fmt: skip


def _value(op: Operator, argument: Argument) -> Any:
    plain = argument.type.plain
    if plain == "Tensor":
        return _operand(op)
    if argument.type.is_optional and argument.name != "dim":
        return None
    if plain == "Tensor[]":
        return [_operand(op), _operand(op)]
    for key in (f"{argument.name}:{plain}", plain):
        if key in _VALUES:
            value = _VALUES[key]
            return 2 if plain == "Scalar" and _operand(op).kind == "int64" else value
    raise _Underivable(argument)


def _operand(op: Operator) -> Given:
    for name in (op.base_name, op.packet_name):
        if name in _operands:
            return _operands[name]
    return Given((2, 3), 0.15, 0.85, signs=True) if _takes(op, "f") else whole(9, 2, 3, low=1)


def _takes(op: Operator, group: str) -> bool:
    """Whether an operator takes a group of types, as far as its kernel says so."""
    from rushlight.engine.ops.kinds import pointwise

    registry.load_family(op.family)
    op.settle()
    kernel = pointwise.kernels.get(op.full_name)
    return kernel is None or group in kernel.rule.allowed


def every_operator() -> Iterator[Operator]:
    """The built-in overloads of PyTorch's own namespace; those of others have tests of their own."""
    names = (name for name in operators.index() if name.startswith("aten::"))
    return (operators.operator(name) for name in names)
