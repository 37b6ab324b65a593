"""`assert_close`: whether two results are the same up to rounding, and if not, where."""

from __future__ import annotations

import cmath
import collections.abc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rushlight
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.sparse import parts_of
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass

_TOLERANCES: dict[Any, tuple[float, float]] = {
    dtypes.float16: (1e-3, 1e-5), dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5), dtypes.float64: (1e-7, 1e-7),
    dtypes.complex32: (1e-3, 1e-5), dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}  # fmt: skip
Message = str | Callable[[str], str] | None


@dataclass
class Options:
    """What `assert_close` was asked to look at."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool
    allow_subclasses: bool

    def tolerances(self, *kinds: Any) -> tuple[float, float]:
        """The tolerances given, or the widest that belong to the types."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        return default_tolerances(*kinds)


def default_tolerances(
    *inputs: Any, dtype_precisions: dict[dtypes.dtype, tuple[float, float]] | None = None
) -> tuple[float, float]:
    """The widest relative and absolute tolerance of tensors' types, or of types.

    Args:
        inputs: tensors or element types
        dtype_precisions: the tolerances of each type, where not the usual ones
    """
    known = _TOLERANCES if dtype_precisions is None else dtype_precisions
    kinds = [x if isinstance(x, dtypes.dtype) else x.dtype for x in inputs]
    found = [known.get(kind, (0.0, 0.0)) for kind in kinds]
    return max(r for r, _ in found), max(a for _, a in found)


def get_tolerances(*inputs: Any, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """The tolerances that were given, or those of the inputs if none was."""
    check_both_tolerances(rtol, atol)
    if rtol is not None and atol is not None:
        return rtol, atol
    return default_tolerances(*inputs)


def check_both_tolerances(rtol: float | None, atol: float | None) -> None:
    """Raise if only one tolerance was given."""
    if (rtol is None) is not (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )


class _Mismatch(Exception):
    """Two values differ. `path` says where in their containers."""

    def __init__(self, text: str, kind: type[Exception] = AssertionError) -> None:
        super().__init__(text)
        self.kind = kind
        self.path: list[Any] = []

    def text(self) -> str:
        where = "".join(f"[{key!r}]" for key in self.path)
        return f"{self}\n\nThe failure occurred for item {where}" if where else str(self)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise AssertionError unless two values are close: ``|a - e| <= atol + rtol * |e|``.

    Args:
        actual: tensors, numbers, arrays, or sequences and mappings of such
        expected: what they should be
        allow_subclasses: whether values of related types are compared
        rtol: the relative tolerance; by default it depends on the type
        atol: the absolute tolerance; given with ``rtol`` or not at all
        equal_nan: whether NaNs are equal
        check_device: whether devices must agree
        check_dtype: whether element types must agree
        check_layout: whether layouts must agree
        check_stride: whether strides must agree
        msg: what the error says instead, or a function of what it would say
    """
    check_both_tolerances(rtol, atol)
    options = Options(
        rtol,
        atol,
        equal_nan,
        check_device,
        check_dtype,
        check_layout,
        check_stride,
        allow_subclasses,
    )
    try:
        _compare(actual, expected, options)
    except _Mismatch as mismatch:
        text = mismatch.text()
        if mismatch.kind is AssertionError and msg is not None:
            text = msg(text) if callable(msg) else msg
        raise mismatch.kind(text) from None


def _compare(actual: Any, expected: Any, options: Options) -> None:
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if isinstance(actual, collections.abc.Mapping) and isinstance(
        expected, collections.abc.Mapping
    ):
        _compare_mappings(actual, expected, options)
    elif _is_sequence(actual) and _is_sequence(expected):
        _compare_sequences(actual, expected, options)
    elif actual is None or expected is None:
        if actual is not expected:
            raise _Mismatch(f"None mismatch: {actual} is not {expected}")
    elif isinstance(actual, (bool, np.bool_)) and isinstance(expected, (bool, np.bool_)):
        if bool(actual) is not bool(expected):
            raise _Mismatch(f"Booleans mismatch: {bool(actual)} is not {bool(expected)}")
    elif _is_number(actual) and _is_number(expected):
        _compare_numbers(actual, expected, options)
    elif related and _is_like_tensor(actual) and _is_like_tensor(expected):
        if not options.allow_subclasses and type(actual) is not type(expected):
            raise _unhandled(actual, expected)
        _compare_tensors(rushlight.as_tensor(actual), rushlight.as_tensor(expected), options)
    else:
        raise _unhandled(actual, expected)


def _unhandled(actual: Any, expected: Any) -> _Mismatch:
    return _Mismatch(
        f"No comparison pair was able to handle inputs of type {type(actual)} and "
        f"{type(expected)}.",
        TypeError,
    )


def _is_sequence(value: Any) -> bool:
    return isinstance(value, collections.abc.Sequence) and not isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, np.number)) and not isinstance(value, bool)


def _is_like_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def _within(pairs: Iterator[tuple[Any, Any, Any]], options: Options) -> None:
    for key, actual, expected in pairs:
        try:
            _compare(actual, expected, options)
        except _Mismatch as mismatch:
            mismatch.path.insert(0, key)
            raise


def _compare_sequences(actual: Any, expected: Any, options: Options) -> None:
    if len(actual) != len(expected):
        raise _Mismatch(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
    _within(((i, a, e) for i, (a, e) in enumerate(zip(actual, expected))), options)


def _compare_mappings(actual: Any, expected: Any, options: Options) -> None:
    if actual.keys() != expected.keys():
        missing = sorted(expected.keys() - actual.keys(), key=str)
        additional = sorted(actual.keys() - expected.keys(), key=str)
        raise _Mismatch(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {additional}"
        )
    _within(((key, actual[key], expected[key]) for key in sorted(expected, key=str)), options)


# -- numbers --


def _compare_numbers(actual: Any, expected: Any, options: Options) -> None:
    kinds = [_number_type(value) for value in (actual, expected)]
    if options.check_dtype and kinds[0] is not kinds[1]:
        raise _Mismatch(f"The (d)types do not match: {type(actual)} != {type(expected)}.")
    rtol, atol = options.tolerances(*(_DTYPES[kind] for kind in kinds))
    if _numbers_are_close(actual, expected, rtol, atol, options.equal_nan):
        return
    difference = abs(actual - expected)
    relative = difference / abs(expected) if expected else float("inf")
    raise _Mismatch(_scalar_text(actual, expected, difference, relative, rtol, atol))


_DTYPES = {int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}


def _number_type(value: Any) -> type:
    if isinstance(value, (int, np.integer)):
        return int
    return complex if isinstance(value, (complex, np.complexfloating)) else float


def _numbers_are_close(a: Any, e: Any, rtol: float, atol: float, equal_nan: bool) -> bool:
    if a == e:
        return True
    if cmath.isnan(a) and cmath.isnan(e):
        return equal_nan
    return cmath.isfinite(e) and bool(abs(a - e) <= atol + rtol * abs(e))


def _scalar_text(a: Any, e: Any, absolute: Any, relative: Any, rtol: float, atol: float) -> str:
    exact = rtol == atol == 0
    allowed = ["", ""] if exact else [f" (up to {atol} allowed)", f" (up to {rtol} allowed)"]
    return (
        f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {e} but got {a}.\n"
        f"Absolute difference: {absolute}{allowed[0]}\n"
        f"Relative difference: {relative}{allowed[1]}"
    )


# -- tensors --


def _compare_tensors(actual: Any, expected: Any, options: Options) -> None:
    _compare_attributes(actual, expected, options)
    rtol, atol = options.tolerances(actual.dtype, expected.dtype)
    with rushlight.no_grad():
        if actual.is_meta or expected.is_meta:
            return
        common = rushlight.promote_types(actual.dtype, expected.dtype)
        a, e = actual.detach().to(common), expected.detach().to(common)
        if a.device != e.device:
            a, e = a.cpu(), e.cpu()
        if a.is_nested and e.is_nested:
            _compare_nested(a, e, rtol, atol, options.equal_nan)
        elif a.layout is e.layout and a.layout is not rushlight.strided:
            _compare_parts(a, e, rtol, atol, options.equal_nan)
        else:
            _compare_elements(a.to_dense(), e.to_dense(), rtol, atol, options.equal_nan)


def _compare_elements(
    a: Any, e: Any, rtol: float, atol: float, equal_nan: bool, name: str = "Tensor-likes"
) -> None:
    a, e = _computable(a), _computable(e)
    matches = rushlight.isclose(a, e, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if not bool(matches.all()):
        raise _Mismatch(_tensor_text(a, e, matches, rtol, atol, name))


def _compare_nested(a: Any, e: Any, rtol: float, atol: float, equal_nan: bool) -> None:
    """Compare the elements of nested tensors, one behind the other."""
    mine, theirs = a.unbind(), e.unbind()
    shapes = [x.shape for x in mine], [x.shape for x in theirs]
    if shapes[0] != shapes[1]:
        raise _Mismatch(f"The shapes of the elements do not match: {shapes[0]} != {shapes[1]}")
    if a.layout is rushlight.jagged and a.is_contiguous() and e.is_contiguous():  # type: ignore[attr-defined]
        mine, theirs = [a.values()], [e.values()]
    for x, y in zip(mine, theirs):
        _compare_elements(x, y, rtol, atol, equal_nan)


def _compare_parts(a: Any, e: Any, rtol: float, atol: float, equal_nan: bool) -> None:
    """Compare the indices and the values of sparse tensors."""
    kind = f"Sparse {str(a.layout).rpartition('_')[2].upper()}"
    if a.is_sparse and a.is_coalesced() != e.is_coalesced():
        a, e = a.coalesce(), e.coalesce()
    if a._nnz() != e._nnz():
        raise _Mismatch(
            f"The number of specified values in {kind.replace('S', 's', 1)} tensors does not match: "
            f"{a._nnz()} != {e._nnz()}"
        )
    mine, theirs = parts_of(a).named(), parts_of(e).named()
    values = mine.pop("values"), theirs.pop("values")
    for name, indices in mine.items():
        _compare_elements(indices, theirs[name], 0, 0, False, f"{kind} {name}")
    _compare_elements(*values, rtol, atol, equal_nan, f"{kind} values")


def _compare_attributes(actual: Any, expected: Any, options: Options) -> None:
    checks = [
        ("is_nested", True), ("shape", not actual.is_nested), ("layout", options.check_layout), ("device", options.check_device),
        ("dtype", options.check_dtype),
    ]  # fmt: skip
    for name, wanted in checks:
        if not wanted:
            continue
        mine, theirs = getattr(actual, name), getattr(expected, name)
        if mine != theirs:
            raise _Mismatch(f"The values for attribute '{name}' do not match: {mine} != {theirs}.")
    if options.check_stride and actual.stride() != expected.stride():
        raise _Mismatch(
            f"The values for attribute 'stride()' do not match: {actual.stride()} != "
            f"{expected.stride()}."
        )


def _computable(value: Any) -> Any:
    """Types of eight bits have no arithmetic; compare them as wider ones."""
    if value.dtype.is_floating_point and value.dtype.itemsize == 1:
        return value.to(dtypes.float32)
    return value


def _tensor_text(a: Any, e: Any, matches: Any, rtol: float, atol: float, name: str) -> str:
    """The message for tensors that differ: how many elements, and the largest differences."""
    wide = a.dtype if a.dtype.is_floating_point or a.dtype.is_complex else dtypes.int64
    a, e = a.to(wide), e.to(wide)
    differences = (a - e).abs()
    relative = differences / e.abs()
    if a.dim() == 0:
        values = a.item(), e.item(), differences.item(), relative.item()
        return _scalar_text(*values, rtol, atol)
    # Where the values agree, the difference may still be NaN (of equal infinities).
    differences[matches] = 0
    relative[matches] = 0
    count, total = int((~matches).sum()), matches.numel()
    exact = rtol == atol == 0
    lines = [f"{name} are not {'equal' if exact else 'close'}!", ""]
    lines.append(f"Mismatched elements: {count} / {total} ({count / total:.1%})")
    for title, values, allowed in (
        ("absolute", differences, atol),
        ("relative", relative, rtol),
    ):
        flat = int(values.argmax())
        index = tuple(int(i) for i in np.unravel_index(flat, tuple(values.shape)))
        text = f"Greatest {title} difference: {values.reshape(-1)[flat].item()} at index {index}"
        lines.append(text if exact else f"{text} (up to {allowed} allowed)")
    return "\n".join(lines)
