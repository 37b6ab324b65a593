"""Operators against numpy in double precision: drawn types, shapes, strides and arguments.

The default run draws a few hundred calls. `RUSHLIGHT_FUZZ_SECONDS=600 pytest tests/ops/test_fuzz.py`
goes on drawing for so long.
"""

import math
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre

import rushlight as torch

pytestmark = pytest.mark.usefixtures("learned_at_once")

SECONDS = float(os.environ.get("RUSHLIGHT_FUZZ_SECONDS", "0"))
FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int64", "int32", "int16", "int8", "uint8")
# relative and absolute errors that are allowed
TOLERANCE = {
    "float16": (4e-3, 4e-3), "bfloat16": (3e-2, 3e-2), "float32": (2e-5, 2e-6),
    "float64": (1e-11, 1e-12),
}  # fmt: skip
LAYOUTS = ("dense", "permuted", "strided", "offset", "expanded", "reversed")


@dataclass
class Operand:
    """A tensor, and the array (double precision, or integers as they are) that it equals."""

    tensor: Any
    array: np.ndarray
    kind: str


class Draw:
    """What a case needs to know about the present example."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.random = np.random.default_rng(data.draw(st.integers(0, 2**20), label="seed"))
        self.kind = "float32"

    def pick(self, values: Any) -> Any:
        return self.data.draw(st.sampled_from(list(values)))

    def number(self, low: int, high: int) -> int:
        return self.data.draw(st.integers(low, high))

    def shape(self, least: int = 0, most: int = 4, nonempty: bool = False) -> tuple[int, ...]:
        return tuple(
            self.number(int(nonempty), 5) if self.number(0, 9) else self.number(6, 40)
            for _ in range(self.number(least, most))
        )

    def values(
        self, shape: tuple[int, ...], kind: str, low: float, high: float, special: bool
    ) -> np.ndarray:
        if kind == "bool":
            return self.random.integers(0, 2, shape).astype(bool)
        if kind in INTS:
            lowest = max(low, 0 if kind == "uint8" else -9)
            return self.random.integers(math.ceil(lowest), int(min(high, 9)) + 1, shape).astype(
                kind
            )
        values = self.random.uniform(low, high, shape)
        whole = self.random.random(shape) < 0.2
        values = np.where(whole & (np.rint(values) >= low), np.rint(values), values)
        if special and self.number(0, 3) == 0:
            picked = self.random.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape)
            values = np.where(self.random.random(shape) < 0.2, picked, values)
        return values

    def operand(
        self,
        shape: tuple[int, ...],
        kind: str | None = None,
        low: float = -5.0,
        high: float = 5.0,
        special: bool = False,
    ) -> Operand:
        """A tensor of a drawn layout."""
        kind = self.kind if kind is None else kind
        layout = self.pick(LAYOUTS) if shape else "dense"
        full = shape
        if layout in ("permuted", "reversed"):
            full = shape[::-1]
        elif layout == "strided":
            full = tuple(2 * n for n in shape)
        elif layout == "offset":
            full = tuple(n + 1 for n in shape)
        elif layout == "expanded":
            full = tuple(1 if k % 2 == 0 and n else n for k, n in enumerate(shape))
        values = self.values(full, kind, low, high, special)
        dtype = getattr(torch, kind)
        if kind in FLOATS:
            tensor = torch.tensor(values, dtype=torch.float64).to(dtype)
        else:
            tensor = torch.from_numpy(np.array(values))
        array = tensor.double().numpy().copy() if kind in FLOATS else np.array(values)
        return Operand(*_laid_out(tensor, array, layout, shape), kind)


def _laid_out(tensor: Any, array: np.ndarray, layout: str, shape: tuple[int, ...]) -> Any:
    if layout in ("permuted", "reversed"):
        order = tuple(reversed(range(len(shape))))
        return tensor.permute(order), array.transpose(order)
    if layout == "strided":
        index = tuple(slice(None, None, 2) for _ in shape)
        return tensor[index], array[index]
    if layout == "offset":
        index = tuple(slice(1, None) for _ in shape)
        return tensor[index], array[index]
    if layout == "expanded":
        return tensor.expand(shape), np.broadcast_to(array, shape)
    return tensor, array


Call = tuple[Callable[[], Any], Any]
CASES: dict[str, Callable[[Draw], Call]] = {}


def case(name: str, types: tuple[str, ...] = FLOATS) -> Callable[[Any], Any]:
    """Add a case: it draws a call and gives it with what is expected."""

    def add(make: Callable[[Draw], Call]) -> Callable[[Draw], Call]:
        def typed(draw: Draw) -> Call:
            draw.kind = draw.pick(types)
            return make(draw)

        assert name not in CASES
        CASES[name] = typed
        return make

    return add


def _each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    return np.vectorize(function, otypes=[np.float64])


def variant(draw: Draw, name: str, expected: np.ndarray, *tensors: Any) -> Callable[[], Any]:
    """The call as a function, as a method, or with a strided ``out=``."""
    function = find(name)
    how = draw.pick(["function", "method", "out"])
    if how == "method" and hasattr(tensors[0], name):
        return lambda: getattr(tensors[0], name)(*tensors[1:])
    if how == "out":
        result = function(*tensors)
        room = torch.zeros([2 * n for n in result.shape], dtype=result.dtype)
        out = room[tuple(slice(None, None, 2) for _ in result.shape)]
        return lambda: function(*tensors, out=out)
    return lambda: function(*tensors)


def find(name: str) -> Any:
    found: Any = torch
    for part in name.split("."):
        found = getattr(found, part)
    return found


# -- one operand --

# name, reference, smallest and largest argument
UNARY: list[tuple[str, Any, float, float]] = [
    ("abs", np.abs, -9, 9), ("neg", np.negative, -9, 9), ("exp", np.exp, -9, 9),
    ("exp2", np.exp2, -9, 9), ("expm1", np.expm1, -5, 5), ("log", np.log, 0.01, 9),
    ("log2", np.log2, 0.01, 9), ("log10", np.log10, 0.01, 9), ("log1p", np.log1p, -0.9, 9),
    ("sqrt", np.sqrt, 0, 9), ("rsqrt", lambda x: 1 / np.sqrt(x), 0.1, 9),
    ("sin", np.sin, -9, 9), ("cos", np.cos, -9, 9), ("tan", np.tan, -1.4, 1.4),
    ("asin", np.arcsin, -1, 1), ("acos", np.arccos, -1, 1), ("atan", np.arctan, -9, 9),
    ("sinh", np.sinh, -5, 5), ("cosh", np.cosh, -5, 5), ("tanh", np.tanh, -5, 5),
    ("asinh", np.arcsinh, -9, 9), ("acosh", np.arccosh, 1, 9), ("atanh", np.arctanh, -0.9, 0.9),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), -9, 9), ("floor", np.floor, -9, 9),
    ("ceil", np.ceil, -9, 9), ("trunc", np.trunc, -9, 9), ("round", np.rint, -9, 9),
    ("frac", lambda x: x - np.trunc(x), -9, 9), ("sign", lambda x: np.sign(np.nan_to_num(x)), -9, 9),
    ("square", np.square, -9, 9), ("reciprocal", lambda x: 1 / x, 0.1, 9),
    ("deg2rad", np.deg2rad, -9, 9), ("rad2deg", np.rad2deg, -9, 9),
    ("erf", _each(math.erf), -3, 3), ("erfc", _each(math.erfc), -3, 3),
    ("lgamma", _each(lambda x: math.lgamma(x) if x > 0 and x != math.inf else math.inf), 0.1, 9),
    ("sinc", np.sinc, -3, 3), ("i0", _each(np.i0), -5, 5), ("relu", lambda x: np.maximum(x, 0), -9, 9),
    ("special.entr", lambda x: -x * np.log(x), 0.1, 9),
    ("special.ndtr", _each(lambda x: math.erfc(-x / math.sqrt(2)) / 2), -4, 4),
    ("special.i0e", lambda x: _each(np.i0)(x) * np.exp(-np.abs(x)), -5, 5),
    ("special.logit", lambda x: np.log(x / (1 - x)), 0.05, 0.95),
    ("nn.functional.silu", lambda x: x / (1 + np.exp(-x)), -6, 6),
    ("nn.functional.softplus", lambda x: np.log1p(np.exp(x)), -6, 6),
    ("nn.functional.hardtanh", lambda x: np.clip(x, -1, 1), -6, 6),
    ("nn.functional.relu6", lambda x: np.clip(x, 0, 6), -9, 9),
    ("nn.functional.elu", lambda x: np.where(x > 0, x, np.expm1(x)), -6, 6),
    ("nn.functional.gelu", lambda x: x * _each(lambda y: math.erfc(-y / math.sqrt(2)) / 2)(x), -4, 4),
    ("nn.functional.leaky_relu", lambda x: np.where(x > 0, x, x * 0.01), -9, 9),
    ("nn.functional.softsign", lambda x: x / (1 + np.abs(x)), -9, 9),
]  # fmt: skip
EXACT = {"floor", "ceil", "trunc", "round", "frac", "sign", "abs", "neg", "relu"}
WITHOUT_OUT = ("relu", "nn.functional.")


def _unary(name: str, reference: Any, low: float, high: float) -> None:
    @case(name)
    def make(draw: Draw) -> Call:
        x = draw.operand(draw.shape(), None, low, high, special=name in EXACT)
        expected = reference(x.array) if x.array.size else x.array
        if name.startswith(WITHOUT_OUT):
            return lambda: find(name)(x.tensor), expected
        return variant(draw, name, expected, x.tensor), expected


for _facts in UNARY:
    _unary(*_facts)

QUESTIONS: list[tuple[str, Any]] = [
    ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite),
    ("isposinf", np.isposinf), ("isneginf", np.isneginf), ("signbit", np.signbit),
    ("logical_not", np.logical_not),
]  # fmt: skip


def _question(name: str, reference: Any) -> None:
    @case(name)
    def make(draw: Draw) -> Call:
        x = draw.operand(draw.shape(), special=True)
        return lambda: find(name)(x.tensor), reference(x.array)


for _facts in QUESTIONS:
    _question(*_facts)


@case("nan_to_num", ("float32", "float64"))
def nan_to_num(draw: Draw) -> Call:
    x = draw.operand(draw.shape(), special=True)
    expected = np.nan_to_num(x.array, nan=1.5, posinf=9.0, neginf=-9.0)
    return lambda: torch.nan_to_num(x.tensor, 1.5, 9.0, -9.0), expected


# -- two operands that broadcast --


def _pairs(draw: Draw) -> tuple[tuple[int, ...], tuple[int, ...]]:
    whole = draw.shape()
    cut = draw.number(0, len(whole))
    part = tuple(1 if draw.number(0, 2) == 0 else n for n in whole[cut:])
    return (whole, part) if draw.number(0, 1) else (part, whole)


ANY = (*FLOATS, *INTS)
BINARY: list[tuple[str, Any, tuple[str, ...], float, float]] = [
    ("add", np.add, ANY, -9, 9), ("sub", np.subtract, ANY, -9, 9),
    ("mul", np.multiply, ANY, -9, 9), ("div", np.divide, ANY, 0.5, 9),
    ("maximum", np.maximum, ANY, -9, 9), ("minimum", np.minimum, ANY, -9, 9),
    ("fmax", np.fmax, ANY, -9, 9), ("fmin", np.fmin, ANY, -9, 9),
    ("eq", np.equal, ANY, -3, 3), ("ne", np.not_equal, ANY, -3, 3), ("lt", np.less, ANY, -3, 3),
    ("le", np.less_equal, ANY, -3, 3), ("gt", np.greater, ANY, -3, 3),
    ("ge", np.greater_equal, ANY, -3, 3), ("logical_and", np.logical_and, ANY, -1, 1),
    ("logical_or", np.logical_or, ANY, -1, 1), ("logical_xor", np.logical_xor, ANY, -1, 1),
    ("remainder", np.remainder, INTS, 1, 9), ("fmod", np.fmod, INTS, 1, 9),
    ("floor_divide", np.floor_divide, INTS, 1, 9), ("bitwise_and", np.bitwise_and, INTS, -9, 9),
    ("bitwise_or", np.bitwise_or, INTS, -9, 9), ("bitwise_xor", np.bitwise_xor, INTS, -9, 9),
    ("bitwise_left_shift", np.left_shift, INTS, 0, 3), ("gcd", np.gcd, INTS, -9, 9),
    ("bitwise_right_shift", np.right_shift, INTS, 0, 3), ("lcm", np.lcm, INTS, 0, 9),
    ("pow", np.power, ("float32", "float64"), 0.1, 4), ("atan2", np.arctan2, FLOATS, -9, 9),
    ("hypot", np.hypot, FLOATS, -9, 9), ("logaddexp", np.logaddexp, FLOATS, -9, 9),
    ("logaddexp2", np.logaddexp2, FLOATS, -9, 9), ("copysign", np.copysign, FLOATS, -9, 9),
    ("xlogy", lambda x, y: x * np.log(y), FLOATS, 0.1, 9),
    ("special.xlog1py", lambda x, y: x * np.log1p(y), FLOATS, 0.1, 9),
    ("float_power", np.power, ("float32", "float64", "int32"), 1, 4),
    ("heaviside", np.heaviside, FLOATS, -2, 2),
]  # fmt: skip


def _binary(name: str, reference: Any, types: tuple[str, ...], low: float, high: float) -> None:
    @case(name, types)
    def make(draw: Draw) -> Call:
        first, second = (draw.operand(shape, None, low, high) for shape in _pairs(draw))
        expected = reference(first.array, second.array)
        if name in ("add", "mul", "sub", "maximum", "eq", "lt") and draw.number(0, 3) == 0:
            mixed = draw.operand(second.array.shape, draw.pick(ANY), low, high)
            compares = name in ("eq", "lt")
            expected = reference(*_promoted(first, mixed, compares))
            return lambda: find(name)(first.tensor, mixed.tensor), expected
        return variant(draw, name, expected, first.tensor, second.tensor), expected


def _promoted(a: Operand, b: Operand, compares: bool) -> tuple[np.ndarray, np.ndarray]:
    """Two operands of different types in the type that they are combined in.

    Arithmetic takes a number without dimensions as it is; comparisons round it first.
    """
    common = str(torch.result_type(a.tensor, b.tensor)).removeprefix("torch.")
    kind = "float64" if common in FLOATS else common
    rounded = []
    for x in (a, b):
        if common in ("float16", "bfloat16") and (compares or x.tensor.dim()):
            rounded.append(x.tensor.to(getattr(torch, common)).double().numpy())
        else:
            rounded.append(x.array.astype(kind))
    return rounded[0], rounded[1]


for _facts in BINARY:
    _binary(*_facts)


@case("igamma", ("float32", "float64"))
def igamma(draw: Draw) -> Call:
    # for a whole a, 1 - exp(-x) * sum of x^k / k!
    shape = draw.shape()
    a = draw.number(1, 6)
    x = draw.operand(shape, None, 0.1, 9)
    rest = sum(x.array**k / math.factorial(k) for k in range(a)) * np.exp(-x.array)
    order = torch.full(shape, float(a), dtype=x.tensor.dtype)
    if draw.number(0, 1):
        return lambda: torch.special.gammaincc(order, x.tensor), rest
    return lambda: torch.igamma(order, x.tensor), 1 - rest


POLYNOMIALS: list[tuple[str, Any]] = [
    ("chebyshev_polynomial_t", chebyshev.chebval), ("hermite_polynomial_h", hermite.hermval),
    ("hermite_polynomial_he", hermite_e.hermeval), ("laguerre_polynomial_l", laguerre.lagval),
    ("legendre_polynomial_p", legendre.legval),
]  # fmt: skip


def _polynomial(name: str, reference: Any) -> None:
    @case(f"special.{name}", ("float64",))
    def make(draw: Draw) -> Call:
        x, order = draw.operand(draw.shape(), None, -2, 2), draw.number(0, 12)
        expected = reference(x.array, [0.0] * order + [1.0])
        return lambda: find(f"special.{name}")(x.tensor, order), expected


for _facts in POLYNOMIALS:
    _polynomial(*_facts)


# -- three operands, and operands with numbers --


@case("where", (*ANY, "bool"))
def where(draw: Draw) -> Call:
    shape, other = _pairs(draw)
    a, b, c = draw.operand(shape), draw.operand(other), draw.operand(shape, "bool")
    return lambda: torch.where(c.tensor, a.tensor, b.tensor), np.where(c.array, a.array, b.array)


@case("addcmul")
def addcmul(draw: Draw) -> Call:
    shape, other = _pairs(draw)
    a, b, c = (draw.operand(s) for s in (shape, other, shape))
    return (
        lambda: torch.addcmul(a.tensor, b.tensor, c.tensor, value=2),
        a.array + 2 * b.array * c.array,
    )


@case("addcdiv")
def addcdiv(draw: Draw) -> Call:
    shape, other = _pairs(draw)
    a, b, c = (draw.operand(s, None, 1, 5) for s in (shape, other, shape))
    return lambda: torch.addcdiv(a.tensor, b.tensor, c.tensor), a.array + b.array / c.array


@case("lerp")
def lerp(draw: Draw) -> Call:
    shape, other = _pairs(draw)
    a, b = draw.operand(shape), draw.operand(other)
    return lambda: torch.lerp(a.tensor, b.tensor, 0.25), a.array + 0.25 * (b.array - a.array)


@case("clamp", ANY)
def clamp(draw: Draw) -> Call:
    x = draw.operand(draw.shape())
    low, high = draw.number(0, 2), draw.number(0, 4)
    expected = np.minimum(np.maximum(x.array, low), high)
    return lambda: x.tensor.clamp(low, high), expected


@case("add.alpha", ("float32", "float64", "int64"))
def add_alpha(draw: Draw) -> Call:
    shape, other = _pairs(draw)
    a, b, alpha = draw.operand(shape), draw.operand(other), draw.number(-3, 3)
    return lambda: torch.add(a.tensor, b.tensor, alpha=alpha), a.array + alpha * b.array


@case("rsub", ("float32", "float64", "int64"))
def rsub(draw: Draw) -> Call:
    x, n = draw.operand(draw.shape()), draw.number(-4, 4)
    return lambda: n - x.tensor, n - x.array


@case("in-place", ("float32", "float64"))
def in_place(draw: Draw) -> Call:
    shape, other = _pairs(draw)
    whole = np.broadcast_shapes(shape, other)
    x, y = draw.operand(whole), draw.operand(other, None, 1, 5)
    name, reference = draw.pick([
        ("add_", np.add), ("mul_", np.multiply), ("sub_", np.subtract), ("div_", np.divide),
        ("copysign_", np.copysign), ("fmod_", np.fmod),
    ])  # fmt: skip
    target = x.tensor.clone()
    return lambda: getattr(target, name)(y.tensor), reference(x.array, y.array)


# -- reductions and scans --

REDUCTIONS: list[tuple[str, Any, tuple[str, ...], bool]] = [
    # the last says whether nothing can be reduced
    ("sum", np.sum, ("float32", "float64", "int64", "int32", "bool"), True),
    ("mean", np.mean, ("float32", "float64"), False),
    ("amax", np.max, ANY, False), ("amin", np.min, ANY, False),
    ("nansum", np.nansum, ("float32", "float64"), True),
    ("nanmean", np.nanmean, ("float32", "float64"), False),
    ("count_nonzero", np.count_nonzero, ANY, True),
    ("linalg.vector_norm", lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis, keepdims=keepdims)),
     ("float32", "float64"), True),
    ("logsumexp", lambda x, axis, keepdims: np.log(np.sum(np.exp(x), axis, keepdims=keepdims)),
     ("float32", "float64"), False),
    ("var", lambda x, axis, keepdims: np.var(x, axis, ddof=0, keepdims=keepdims),
     ("float32", "float64"), False),
    ("std", lambda x, axis, keepdims: np.std(x, axis, ddof=0, keepdims=keepdims),
     ("float32", "float64"), False),
]  # fmt: skip


def _reduction(name: str, reference: Any, types: tuple[str, ...], may_be_empty: bool) -> None:
    @case(name, types)
    def make(draw: Draw) -> Call:
        x = draw.operand(draw.shape(1, 4, nonempty=not may_be_empty))
        rank = x.array.ndim
        dims = sorted({draw.number(0, rank - 1) for _ in range(draw.number(1, rank))})
        keep = bool(draw.number(0, 1))
        given = [d - rank if draw.number(0, 1) else d for d in dims]
        function = find(name)
        if name == "count_nonzero":
            expected = reference(x.array, axis=tuple(dims))
            return lambda: function(x.tensor, given), expected
        expected = reference(x.array, axis=tuple(dims), keepdims=keep)
        facts = {"correction": 0} if name in ("var", "std") else {}
        return lambda: function(x.tensor, dim=given, keepdim=keep, **facts), expected


for _facts in REDUCTIONS:
    _reduction(*_facts)

ALONG: list[tuple[str, Any, tuple[str, ...]]] = [
    ("prod", np.prod, ("float32", "float64", "int64")), ("all", np.all, ("bool", "float32", "int32")),
    ("any", np.any, ("bool", "float32", "int32")), ("argmax", np.argmax, ANY),
    ("argmin", np.argmin, ANY), ("cumsum", np.cumsum, ("float32", "float64", "int64")),
    ("cumprod", np.cumprod, ("float64", "int64")),
    ("diff", lambda x, axis: np.diff(x, axis=axis), ("float32", "float64", "int64")),
    ("logcumsumexp", lambda x, axis: np.log(np.cumsum(np.exp(x), axis)), ("float32", "float64")),
    ("flip", lambda x, axis: np.flip(x, axis), (*ANY, "bool")),
    ("softmax", lambda x, axis: np.exp(x) / np.exp(x).sum(axis, keepdims=True), ("float32", "float64")),
    ("log_softmax", lambda x, axis: x - np.log(np.exp(x).sum(axis, keepdims=True)),
     ("float32", "float64")),
]  # fmt: skip


def _along(name: str, reference: Any, types: tuple[str, ...]) -> None:
    @case(name, types)
    def make(draw: Draw) -> Call:
        x = draw.operand(draw.shape(1, 4, nonempty=True))
        dim = draw.number(0, x.array.ndim - 1)
        given = (dim,) if name == "flip" else dim
        return (
            lambda: (
                find(name)(x.tensor, dim=given) if name != "flip" else torch.flip(x.tensor, given)
            ),
            reference(x.array, axis=dim),
        )


for _facts in ALONG:
    _along(*_facts)


def _with_places(name: str, values: Any, places: Any, types: tuple[str, ...]) -> None:
    @case(name, types)
    def make(draw: Draw) -> Call:
        x = draw.operand(draw.shape(1, 4, nonempty=True))
        dim = draw.number(0, x.array.ndim - 1)
        short = name.split(".")[0]
        found = values(x.array, dim)
        if places is None:
            return lambda: getattr(torch, short)(x.tensor, dim=dim)[0], found
        return lambda: tuple(getattr(torch, short)(x.tensor, dim=dim)), (
            found,
            places(x.array, dim),
        )


_with_places("max.dim", np.max, np.argmax, ANY)
_with_places("min.dim", np.min, np.argmin, ANY)
_with_places("cummax", np.maximum.accumulate, None, ANY)
_with_places("cummin", np.minimum.accumulate, None, ANY)
_with_places("sort", np.sort, None, ("float32", "float64", "int64", "int32", "uint8"))
_with_places(
    "median",
    lambda x, d: np.take(np.sort(x, d), (x.shape[d] - 1) // 2, d),
    None,
    ("float32", "float64", "int64"),
)


@case("aminmax", ("float32", "float64", "int64"))
def aminmax(draw: Draw) -> Call:
    x = draw.operand(draw.shape(1, 3, nonempty=True))
    dim = draw.number(0, x.array.ndim - 1)
    expected = (x.array.min(dim), x.array.max(dim))
    return lambda: tuple(torch.aminmax(x.tensor, dim=dim)), expected


@case("argsort", ("float32", "int64", "int8"))
def argsort(draw: Draw) -> Call:
    x = draw.operand(draw.shape(1, 3))
    dim = draw.number(0, x.array.ndim - 1)
    expected = np.argsort(x.array, axis=dim, kind="stable")
    return lambda: torch.argsort(x.tensor, dim=dim, stable=True), expected


@case("topk", ("float32", "float64", "int64"))
def topk(draw: Draw) -> Call:
    x = draw.operand(draw.shape(1, 3, nonempty=True))
    dim = draw.number(0, x.array.ndim - 1)
    k = draw.number(1, x.array.shape[dim])
    ordered = np.flip(np.sort(x.array, dim), dim)
    return lambda: torch.topk(x.tensor, k, dim=dim)[0], np.take(ordered, range(k), dim)


@case("kthvalue", ("float32", "float64", "int64"))
def kthvalue(draw: Draw) -> Call:
    x = draw.operand(draw.shape(1, 3, nonempty=True))
    dim = draw.number(0, x.array.ndim - 1)
    k = draw.number(1, x.array.shape[dim])
    return lambda: torch.kthvalue(x.tensor, k, dim)[0], np.take(np.sort(x.array, dim), k - 1, dim)


@case("quantile", ("float32", "float64"))
def quantile(draw: Draw) -> Call:
    x, q = draw.operand(draw.shape(1, 3, nonempty=True)), draw.number(0, 8) / 8
    dim = draw.number(0, x.array.ndim - 1)
    return lambda: torch.quantile(x.tensor, q, dim), np.quantile(x.array, q, dim)


@case("layer_norm", ("float32", "float64"))
def layer_norm(draw: Draw) -> Call:
    x = draw.operand((*draw.shape(0, 3), draw.number(2, 20)))
    mean, var = (f(x.array, axis=-1, keepdims=True) for f in (np.mean, np.var))
    expected = (x.array - mean) / np.sqrt(var + 1e-3)
    return lambda: torch.nn.functional.layer_norm(x.tensor, x.tensor.shape[-1:], eps=1e-3), expected


# -- views and rearrangements --


def _moved(name: str, make: Callable[[Draw, Operand], Call], least: int = 1) -> None:
    @case(name, (*ANY, "bool"))
    def built(draw: Draw) -> Call:
        return make(draw, draw.operand(draw.shape(least, 4, nonempty=name in NONEMPTY)))


NONEMPTY = {
    "select",
    "narrow",
    "rot90",
    "index_select",
    "take",
    "gather",
    "take_along_dim",
    "unfold",
}


def _order(draw: Draw, rank: int) -> list[int]:
    return list(draw.data.draw(st.permutations(range(rank))))


def _dim(draw: Draw, x: Operand) -> int:
    return draw.number(0, x.array.ndim - 1)


def permute(draw: Draw, x: Operand) -> Call:
    order = _order(draw, x.array.ndim)
    return lambda: x.tensor.permute(order), x.array.transpose(order)


def transpose(draw: Draw, x: Operand) -> Call:
    a, b = _dim(draw, x), _dim(draw, x)
    return lambda: x.tensor.transpose(a, b), np.swapaxes(x.array, a, b)


def movedim(draw: Draw, x: Operand) -> Call:
    a, b = _dim(draw, x), _dim(draw, x)
    return lambda: torch.movedim(x.tensor, a, b), np.moveaxis(x.array, a, b)


def roll(draw: Draw, x: Operand) -> Call:
    shift, dim = draw.number(-7, 7), _dim(draw, x)
    return lambda: torch.roll(x.tensor, shift, dim), np.roll(x.array, shift, dim)


def reshape(draw: Draw, x: Operand) -> Call:
    shape = (x.array.shape[0], x.array.size // max(x.array.shape[0], 1))
    return lambda: x.tensor.reshape(shape), x.array.reshape(shape)


def flatten(draw: Draw, x: Operand) -> Call:
    first = _dim(draw, x)
    shape = (*x.array.shape[:first], math.prod(x.array.shape[first:]))
    return lambda: torch.flatten(x.tensor, first), x.array.reshape(shape)


def unsqueeze(draw: Draw, x: Operand) -> Call:
    dim = draw.number(0, x.array.ndim)
    return lambda: x.tensor.unsqueeze(dim), np.expand_dims(x.array, dim)


def squeeze(draw: Draw, x: Operand) -> Call:
    return lambda: x.tensor.squeeze(), x.array.squeeze()


def expand(draw: Draw, x: Operand) -> Call:
    shape = (draw.number(0, 3), *x.array.shape)
    return lambda: x.tensor.expand(shape), np.broadcast_to(x.array, shape)


def narrow(draw: Draw, x: Operand) -> Call:
    dim = _dim(draw, x)
    start = draw.number(0, x.array.shape[dim] - 1)
    length = draw.number(0, x.array.shape[dim] - start)
    expected = np.take(x.array, range(start, start + length), dim)
    return lambda: x.tensor.narrow(dim, start, length), expected


def select(draw: Draw, x: Operand) -> Call:
    dim = _dim(draw, x)
    place = draw.number(-x.array.shape[dim], x.array.shape[dim] - 1)
    return lambda: x.tensor.select(dim, place), np.take(x.array, place, dim)


def tile(draw: Draw, x: Operand) -> Call:
    counts = [draw.number(0, 3) for _ in range(draw.number(1, 4))]
    return lambda: torch.tile(x.tensor, counts), np.tile(x.array, counts)


def repeat(draw: Draw, x: Operand) -> Call:
    counts = [draw.number(0, 3) for _ in range(x.array.ndim + draw.number(0, 1))]
    return lambda: x.tensor.repeat(counts), np.tile(x.array, counts)


def repeat_interleave(draw: Draw, x: Operand) -> Call:
    count, dim = draw.number(0, 3), _dim(draw, x)
    return lambda: x.tensor.repeat_interleave(count, dim), np.repeat(x.array, count, dim)


def subscript(draw: Draw, x: Operand) -> Call:
    index = []
    for n in x.array.shape[: draw.number(0, x.array.ndim)]:
        start, step = draw.number(0, n), draw.number(1, 3)
        index.append(slice(start, draw.number(start, n), step))
    return lambda: x.tensor[tuple(index)], x.array[tuple(index)]


def contiguous(draw: Draw, x: Operand) -> Call:
    return lambda: x.tensor.contiguous(), x.array


def clone(draw: Draw, x: Operand) -> Call:
    return lambda: x.tensor.clone(), x.array


def cat(draw: Draw, x: Operand) -> Call:
    dim = _dim(draw, x)
    shape = list(x.array.shape)
    shape[dim] = draw.number(0, 4)
    y = draw.operand(tuple(shape))
    given = [x, y, x][: draw.number(1, 3)]
    return (
        lambda: torch.cat([t.tensor for t in given], dim),
        np.concatenate([t.array for t in given], dim),
    )


def stack(draw: Draw, x: Operand) -> Call:
    dim, y = draw.number(0, x.array.ndim), draw.operand(x.array.shape)
    return lambda: torch.stack([x.tensor, y.tensor], dim), np.stack([x.array, y.array], dim)


def joined(name: str) -> Any:
    def make(draw: Draw, x: Operand) -> Call:
        y = draw.operand(x.array.shape)
        return (
            lambda: getattr(torch, name)([x.tensor, y.tensor]),
            getattr(np, name)([x.array, y.array]),
        )

    return make


def chunk(draw: Draw, x: Operand) -> Call:
    dim, step = _dim(draw, x), draw.number(1, 4)
    length = x.array.shape[dim]
    cuts = list(range(step, max(length, 1), step))
    return lambda: tuple(torch.split(x.tensor, step, dim)), tuple(np.split(x.array, cuts, dim))


def tensor_split(draw: Draw, x: Operand) -> Call:
    dim, parts = _dim(draw, x), draw.number(1, 4)
    expected = tuple(np.array_split(x.array, parts, dim))
    return lambda: tuple(torch.tensor_split(x.tensor, parts, dim)), expected


def unbind(draw: Draw, x: Operand) -> Call:
    dim = _dim(draw, x)
    return lambda: tuple(torch.unbind(x.tensor, dim)), tuple(np.moveaxis(x.array, dim, 0))


def masked_fill(draw: Draw, x: Operand) -> Call:
    mask, value = draw.operand(x.array.shape, "bool"), draw.number(0, 1)
    expected = np.where(mask.array, x.array.dtype.type(value), x.array)
    return lambda: x.tensor.masked_fill(mask.tensor, value), expected


def nonzero(draw: Draw, x: Operand) -> Call:
    return lambda: torch.nonzero(x.tensor), np.argwhere(x.array)


def _index(draw: Draw, shape: tuple[int, ...], limit: int) -> Operand:
    return draw.operand(shape, "int64", 0, limit - 1)


def index_select(draw: Draw, x: Operand) -> Call:
    dim = _dim(draw, x)
    index = _index(draw, (draw.number(0, 6),), min(x.array.shape[dim], 9))
    expected = np.take(x.array, index.array, dim)
    return lambda: torch.index_select(x.tensor, dim, index.tensor), expected


def take(draw: Draw, x: Operand) -> Call:
    index = _index(draw, draw.shape(), min(x.array.size, 9))
    return lambda: torch.take(x.tensor, index.tensor), np.take(x.array, index.array)


def gather(draw: Draw, x: Operand) -> Call:
    dim = _dim(draw, x)
    shape = list(x.array.shape)
    shape[dim] = draw.number(0, 5)
    index = _index(draw, tuple(shape), min(x.array.shape[dim], 9))
    expected = np.take_along_axis(x.array, index.array, dim)
    return lambda: torch.gather(x.tensor, dim, index.tensor), expected


def indexed(draw: Draw, x: Operand) -> Call:
    index = _index(draw, draw.shape(1, 2), min(max(x.array.shape[0], 1), 9))
    if not x.array.shape[0]:
        index = _index(draw, (0,), 1)
    return lambda: x.tensor[index.tensor], x.array[index.array]


for _name, _make in (
    ("permute", permute), ("transpose", transpose), ("movedim", movedim), ("roll", roll),
    ("reshape", reshape), ("flatten", flatten), ("unsqueeze", unsqueeze), ("squeeze", squeeze),
    ("expand", expand), ("narrow", narrow), ("select", select), ("tile", tile), ("repeat", repeat),
    ("repeat_interleave", repeat_interleave), ("subscript", subscript), ("cat", cat),
    ("contiguous", contiguous), ("clone", clone), ("stack", stack), ("hstack", joined("hstack")),
    ("vstack", joined("vstack")), ("dstack", joined("dstack")), ("split", chunk),
    ("column_stack", joined("column_stack")), ("tensor_split", tensor_split), ("unbind", unbind),
    ("masked_fill", masked_fill), ("nonzero", nonzero), ("index_select", index_select),
    ("take", take), ("gather", gather), ("index", indexed),
):  # fmt: skip
    _moved(_name, _make)


def _matrix(name: str, call: Any, reference: Any, least: int = 2, most: int = 4) -> None:
    @case(name, (*ANY, "bool"))
    def make(draw: Draw) -> Call:
        x, k = draw.operand(draw.shape(least, most)), draw.number(-3, 3)
        return lambda: call(x.tensor, k), reference(x.array, k)


_matrix("tril", torch.tril, np.tril)
_matrix("triu", torch.triu, np.triu)
_matrix("rot90", lambda x, k: torch.rot90(x, k), lambda x, k: np.rot90(x, k))
_matrix("diag", torch.diag, np.diag, 1, 1)
_matrix("diagonal", lambda x, k: torch.diagonal(x, 0), lambda x, k: np.diagonal(x, 0))
_matrix("fliplr", lambda x, k: torch.fliplr(x), lambda x, k: np.fliplr(x))
_matrix("flipud", lambda x, k: torch.flipud(x), lambda x, k: np.flipud(x))
_matrix("t", lambda x, k: x.t(), lambda x, k: x.T, 2, 2)
_matrix("mT", lambda x, k: x.mT, lambda x, k: np.swapaxes(x, -1, -2))
_matrix("atleast_3d", lambda x, k: torch.atleast_3d(x), lambda x, k: np.atleast_3d(x), 2, 4)


@case("cast", (*ANY, "bool"))
def cast(draw: Draw) -> Call:
    x, kind = (
        draw.operand(draw.shape(), None, 0, 5),
        draw.pick(("int64", "uint8", "float64", "bool")),
    )
    return lambda: x.tensor.to(getattr(torch, kind)), x.array.astype(kind)


@case("isin", ("int64", "int32", "float32"))
def isin(draw: Draw) -> Call:
    x, y = draw.operand(draw.shape()), draw.operand(draw.shape(1, 1))
    return lambda: torch.isin(x.tensor, y.tensor), np.isin(x.array, y.array)


# -- creation --


@case("arange", ("float32", "float64", "int64"))
def arange(draw: Draw) -> Call:
    start, count, step = draw.number(-9, 9), draw.number(0, 40), draw.number(1, 4)
    kind = getattr(torch, draw.kind)
    expected = np.arange(start, start + count, step).astype(np.float64)
    return lambda: torch.arange(start, start + count, step, dtype=kind), expected


@case("linspace", ("float32", "float64"))
def linspace(draw: Draw) -> Call:
    first, last, count = draw.number(-9, 9), draw.number(-9, 9), draw.number(0, 40)
    kind = getattr(torch, draw.kind)
    return lambda: torch.linspace(first, last, count, dtype=kind), np.linspace(first, last, count)


@case("eye", ("float32", "int64", "bool"))
def eye(draw: Draw) -> Call:
    n, m = draw.number(0, 9), draw.number(0, 9)
    return lambda: torch.eye(n, m, dtype=getattr(torch, draw.kind)), np.eye(n, m)


@case("full", ("float32", "int64", "uint8"))
def full(draw: Draw) -> Call:
    shape, value = draw.shape(), draw.number(0, 9)
    return lambda: torch.full(shape, value, dtype=getattr(torch, draw.kind)), np.full(shape, value)


@case("zeros_like", ANY)
def zeros_like(draw: Draw) -> Call:
    x = draw.operand(draw.shape())
    return lambda: torch.zeros_like(x.tensor), np.zeros_like(x.array)


@case("ones_like", ANY)
def ones_like(draw: Draw) -> Call:
    x = draw.operand(draw.shape())
    return lambda: torch.ones_like(x.tensor), np.ones_like(x.array)


# -- products --

MATRIX_TYPES = ("float32", "float64", "int64", "bfloat16", "float16")


def _dims(draw: Draw, count: int) -> list[int]:
    return [draw.number(0, 5) if draw.number(0, 2) else draw.number(6, 50) for _ in range(count)]


@case("mm", MATRIX_TYPES)
def mm(draw: Draw) -> Call:
    n, k, m = _dims(draw, 3)
    a, b = draw.operand((n, k)), draw.operand((k, m))
    return variant(draw, "mm", None, a.tensor, b.tensor), a.array @ b.array


@case("bmm", MATRIX_TYPES)
def bmm(draw: Draw) -> Call:
    count, n, k, m = draw.number(0, 4), *_dims(draw, 3)
    a, b = draw.operand((count, n, k)), draw.operand((count, k, m))
    return variant(draw, "bmm", None, a.tensor, b.tensor), a.array @ b.array


@case("matmul", MATRIX_TYPES)
def matmul(draw: Draw) -> Call:
    n, k, m = _dims(draw, 3)
    batch, other = _pairs(draw)
    a = draw.operand((*batch[:2], n, k) if draw.number(0, 3) else (k,))
    b = draw.operand((*other[:2], k, m) if draw.number(0, 3) else (k,))
    try:
        expected = a.array @ b.array
    except ValueError:
        a, b = draw.operand((n, k)), draw.operand((k, m))
        expected = a.array @ b.array
    return lambda: torch.matmul(a.tensor, b.tensor), expected


@case("mv", MATRIX_TYPES)
def mv(draw: Draw) -> Call:
    n, k = _dims(draw, 2)
    a, b = draw.operand((n, k)), draw.operand((k,))
    return variant(draw, "mv", None, a.tensor, b.tensor), a.array @ b.array


@case("dot", MATRIX_TYPES)
def dot(draw: Draw) -> Call:
    (n,) = _dims(draw, 1)
    a, b = draw.operand((n,)), draw.operand((n,))
    return lambda: torch.dot(a.tensor, b.tensor), a.array @ b.array


@case("outer", MATRIX_TYPES)
def outer(draw: Draw) -> Call:
    n, m = _dims(draw, 2)
    a, b = draw.operand((n,)), draw.operand((m,))
    return lambda: torch.outer(a.tensor, b.tensor), np.outer(a.array, b.array)


@case("inner", ("float32", "float64", "int64"))
def inner(draw: Draw) -> Call:
    n, k, m = _dims(draw, 3)
    a, b = draw.operand((n, k)), draw.operand((m, k))
    return lambda: torch.inner(a.tensor, b.tensor), np.inner(a.array, b.array)


@case("kron", ("float32", "float64", "int64"))
def kron(draw: Draw) -> Call:
    a, b = (draw.operand(tuple(draw.number(1, 4) for _ in range(2))) for _ in range(2))
    return lambda: torch.kron(a.tensor, b.tensor), np.kron(a.array, b.array)


@case("addmm", ("float32", "float64", "int64"))
def addmm(draw: Draw) -> Call:
    n, k, m = _dims(draw, 3)
    c = draw.operand(draw.pick([(n, m), (m,), (1, m), (n, 1), ()]))
    a, b = draw.operand((n, k)), draw.operand((k, m))
    beta, alpha = draw.number(-2, 2), draw.number(-2, 2)
    return (
        lambda: torch.addmm(c.tensor, a.tensor, b.tensor, beta=beta, alpha=alpha),
        beta * c.array + alpha * (a.array @ b.array),
    )


@case("baddbmm", ("float32", "float64"))
def baddbmm(draw: Draw) -> Call:
    count, n, k, m = draw.number(0, 4), *_dims(draw, 3)
    c, a, b = (draw.operand(s) for s in ((count, n, m), (count, n, k), (count, k, m)))
    expected = 2 * c.array + 3 * (a.array @ b.array)
    return lambda: torch.baddbmm(c.tensor, a.tensor, b.tensor, beta=2, alpha=3), expected


@case("addmv", ("float32", "float64", "int64"))
def addmv(draw: Draw) -> Call:
    n, k = _dims(draw, 2)
    c, a, b = draw.operand((n,)), draw.operand((n, k)), draw.operand((k,))
    expected = 2 * c.array + a.array @ b.array
    return lambda: torch.addmv(c.tensor, a.tensor, b.tensor, beta=2), expected


@case("addr", ("float32", "float64", "int64"))
def addr(draw: Draw) -> Call:
    n, m = _dims(draw, 2)
    c, a, b = draw.operand((n, m)), draw.operand((n,)), draw.operand((m,))
    return (
        lambda: torch.addr(c.tensor, a.tensor, b.tensor, alpha=2),
        c.array + 2 * np.outer(a.array, b.array),
    )


@case("linear", ("float32", "float64", "bfloat16"))
def linear(draw: Draw) -> Call:
    k, m = _dims(draw, 2)
    x, w, b = draw.operand((*draw.shape(0, 2), k)), draw.operand((m, k)), draw.operand((m,))
    expected = x.array @ w.array.T + b.array
    return lambda: torch.nn.functional.linear(x.tensor, w.tensor, b.tensor), expected


@case("einsum", ("float32", "float64"))
def einsum(draw: Draw) -> Call:
    size = {letter: draw.number(1, 6) for letter in "abcd"}
    left, right = ("".join(_letters(draw)) for _ in range(2))
    everything = sorted({*left, *right})
    result = "".join(x for x in everything if draw.number(0, 1))
    a, b = (draw.operand(tuple(size[x] for x in term)) for term in (left, right))
    equation = f"{left},{right}->{result}"
    return (
        lambda: torch.einsum(equation, a.tensor, b.tensor),
        np.einsum(equation, a.array, b.array),
    )


def _letters(draw: Draw) -> list[str]:
    return [x for x in draw.data.draw(st.permutations("abcd")) if draw.number(0, 2)]


@case("tensordot", ("float32", "float64"))
def tensordot(draw: Draw) -> Call:
    shared, rest = draw.shape(0, 2), draw.shape(0, 2)
    a, b = draw.operand((*rest, *shared)), draw.operand((*shared, *rest))
    count = len(shared)
    return (
        lambda: torch.tensordot(a.tensor, b.tensor, dims=count),
        np.tensordot(a.array, b.array, count),
    )


@case("cdist", ("float32", "float64"))
def cdist(draw: Draw) -> Call:
    n, k, m = _dims(draw, 3)
    p = draw.pick([0.0, 1.0, 2.0, 3.0, math.inf])
    a, b = draw.operand((n, k)), draw.operand((m, k))
    gaps = np.abs(a.array[:, None] - b.array[None])
    if p == 0:
        expected = (gaps != 0).sum(-1)
    elif p == math.inf:
        expected = gaps.max(-1, initial=0)
    else:
        expected = (gaps**p).sum(-1) ** (1 / p)
    mode = "donot_use_mm_for_euclid_dist"
    return lambda: torch.cdist(a.tensor, b.tensor, p, compute_mode=mode), expected


# -- the runs --


def compare(found: Any, expected: Any, kind: str) -> None:
    """A result has the expected shape and, within the type's tolerance, the expected values."""
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            compare(one, other, kind)
        return
    expected = np.asarray(expected)
    assert tuple(found.shape) == expected.shape
    if not found.dtype.is_floating_point:
        np.testing.assert_array_equal(found.numpy(), expected.astype(found.numpy().dtype))
        return
    relative, absolute = TOLERANCE[str(found.dtype).removeprefix("torch.")]
    lowest = TOLERANCE.get(kind, (0.0, 0.0))
    values = found.double().numpy()
    finite = np.abs(expected[np.isfinite(expected)])
    scale = max(1.0, float(finite.max(initial=0.0)))
    np.testing.assert_allclose(
        values,
        expected.astype(np.float64),
        rtol=max(relative, lowest[0]),
        atol=max(absolute, lowest[1]) * scale,
    )


def run_example(name: str, data: st.DataObject) -> None:
    draw = Draw(data)
    with np.errstate(all="ignore"):
        call, expected = CASES[name](draw)
    compare(call(), expected, draw.kind)


def fuzz(name: str, examples: int, derandomize: bool) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=derandomize,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def body(data: st.DataObject) -> None:
        run_example(name, data)

    body()


def test_there_are_enough_cases():
    assert len(CASES) >= 150


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_few_calls(name):
    fuzz(name, 5, derandomize=True)


if SECONDS:

    def test_many_calls():
        stop = time.monotonic() + SECONDS
        while time.monotonic() < stop:
            for name in random.SystemRandom().sample(sorted(CASES), len(CASES)):
                if time.monotonic() < stop:
                    fuzz(name, 50, derandomize=False)
