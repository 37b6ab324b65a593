"""Arrays of numpy within graphs: each is a tensor of the graph that shares its memory.

What numpy does is done with the tensor, in the types that numpy itself says. What is not known here ends the graph, and numpy
does it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight import linalg
from rushlight._capture.breaks import Break
from rushlight.engine.core import device as devices
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.numpy_later import is_array, is_number, np

# Python's own numbers take the type of the arrays beside them.
_WEAK = (bool, int, float, complex)
# A larger array would be a long list in a graph.
MOST_ELEMENTS = 4096


@functools.cache
def dtypes() -> dict[Any, Any]:
    """The types of tensors, by those of arrays."""
    names = (
        "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128",
    )  # fmt: skip
    return {np.dtype(name): getattr(rushlight, name) for name in names}


@functools.cache
def _numpys() -> dict[Any, Any]:
    return {ours: theirs for theirs, ours in dtypes().items()}


def is_admitted(array: Any) -> bool:
    """Whether a tensor can share an array's memory."""
    return (
        type(array) is np.ndarray
        and array.dtype in dtypes()
        and array.dtype.isnative
        and array.flags.writeable
        and array.flags.aligned
        and all(n >= 0 and n % array.itemsize == 0 for n in array.strides)
    )


def share_memory(one: Any, other: Any) -> bool:
    """Whether arrays, or tensors on the host, may have elements in common."""
    (a, b), (c, d) = _extent(one), _extent(other)
    return bool(a < d and c < b)


def _extent(value: Any) -> tuple[int, int]:
    """The address of the first byte, and that behind the last."""
    if is_array(value):
        return np.lib.array_utils.byte_bounds(value)  # type: ignore[no-any-return]
    if value.layout is not rushlight.strided or value._storage_.device is not devices.cpu:
        return 0, 0
    begin = tensors.data_pointer(value)
    return begin, begin + sizes.storage_extent(value._size_, value._stride_, 0) * value.itemsize


class Array:
    """An array, or a number, of numpy.

    Args:
        tensor: its elements
        is_number: whether it is a number, as numpy gives them where no dimensions are left
    """

    __array_ufunc__ = None

    def __init__(self, tensor: Tensor, is_number: bool = False) -> None:
        self.tensor: Any = tensor
        self.is_number = is_number

    # -- what is asked of it --

    @property
    def kind(self) -> type:
        """The class that programs see."""
        return self.dtype.type if self.is_number else np.ndarray  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        return _numpys()[self.tensor.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        return self.tensor.dim()  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def T(self) -> Array:
        return transpose(self)

    @property
    def real(self) -> Array:
        return Array(self.tensor.real, self.is_number) if self.tensor.is_complex() else self

    @property
    def imag(self) -> Array:
        if not self.tensor.is_complex():
            raise Break("the imaginary part of a real array")
        return Array(self.tensor.imag, self.is_number)

    def __len__(self) -> int:
        if not self.ndim:
            raise Break("the length of a number")
        return self.shape[0]

    def rows(self) -> list[Array]:
        """What a loop over it gives."""
        return [self[k] for k in range(len(self))]

    def _asked(self, *args: Any, **kwargs: Any) -> Any:
        raise Break("an element of an array is asked for")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __iter__ = _asked
    __array__ = __contains__ = __str__ = __repr__ = __format__ = _asked

    # -- parts --

    def __getitem__(self, key: Any) -> Array:
        parts = _subscript(key)
        found = self.tensor[tuple(parts)]
        whole = all(type(part) is int for part in parts) and len(parts) == self.ndim
        return Array(found, whole)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.is_number:
            raise Break("a number is written into")
        into = self.tensor[tuple(_subscript(key))]
        self.tensor[tuple(_subscript(key))] = _cast_into(self, value).expand(into.shape)


def _subscript(key: Any) -> list[Any]:
    """A subscript as tensors take it."""
    found = []
    for part in key if type(key) is tuple else (key,):
        if isinstance(part, Array):
            part = part.tensor
        elif is_number(part):
            part = part.item()
        elif is_array(part) or type(part) is list:
            array = np.asarray(part)
            if array.dtype.kind not in "biu":
                raise Break("a subscript of other objects")
            part = rushlight.tensor(
                array.tolist(), dtype=rushlight.bool if array.dtype.kind == "b" else rushlight.int64
            )
        elif isinstance(part, slice) and (part.step or 1) < 0:
            raise Break("a slice that goes back")
        found.append(part)
    return found


# -- types --


def _type_of(value: Any) -> Any:
    """What numpy's rules know an operand by."""
    if isinstance(value, Array):
        return value.dtype
    if type(value) in _WEAK:
        return type(value) if type(value) is not bool else np.dtype(bool)
    if is_number(value) or is_array(value):
        return value.dtype
    raise Break(f"a {type(value).__name__} beside an array")


def _tensor(value: Any, dtype: Any) -> Any:
    """An operand as a tensor of a type of numpy's."""
    kind = dtypes().get(dtype)
    if kind is None:
        raise Break(f"arrays of {dtype}")
    if isinstance(value, Array):
        return value.tensor.to(kind)
    if is_array(value):
        return rushlight.tensor(listed(value), dtype=kind)
    number = value.item() if is_number(value) else value
    return rushlight.tensor(number, dtype=kind)


def listed(array: Any) -> Any:
    """The elements of an array that was made within a graph, as the graph has them written down."""
    if array.size > MOST_ELEMENTS:
        raise Break("a large array that is made within a graph")
    return array.tolist()


def _cast_into(array: Array, value: Any) -> Any:
    """What is written into an array, in its type."""
    if (
        not isinstance(value, Array)
        and not is_array(value)
        and not isinstance(value, (*_WEAK, np.generic))
    ):
        raise Break(f"a {type(value).__name__} is written into an array")
    return _tensor(value, array.dtype)


def _like(function: Any, kind: Any, **kwargs: Any) -> Any:
    """The type that numpy gives, by what it makes of a small array."""
    return function(np.ones((1,), kind), **kwargs).dtype


def array_of(value: Any) -> Array:
    """What a function of numpy makes of an argument that it takes as an array."""
    if isinstance(value, Array):
        return value
    if is_array(value) or is_number(value) or type(value) in _WEAK:
        return Array(_tensor(value, np.dtype(_type_of(value))))
    if type(value) in (list, tuple):
        return FUNCTIONS["stack"](value)  # type: ignore[no-any-return]
    raise Break(f"a {type(value).__name__} as an array")


# -- elementwise functions --


def _elementwise(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """An elementwise function of numpy's, in the types that numpy resolves."""

    def call(*operands: Any) -> Array:
        ufunc = getattr(np, name)
        operands = tuple(array_of(x) if type(x) in (list, tuple) else x for x in operands)
        if len(operands) != ufunc.nin:
            raise Break(f"{name} with a place for its result")
        *kinds, made = ufunc.resolve_dtypes((*map(_type_of, operands), None))
        tensors = [_tensor(x, kind) for x, kind in zip(operands, kinds)]
        found = function(*tensors).to(dtypes()[made])
        is_operand = any(isinstance(x, Array) and found is x.tensor for x in operands)
        return Array(found.clone() if is_operand else found, found.dim() == 0)

    call.__name__ = name
    return call


def _of_fractions(function: Callable[..., Any]) -> Callable[..., Any]:
    """A division, which numpy makes of whole numbers and zeros, too."""

    def call(a: Any, b: Any) -> Any:
        if not a.is_floating_point():
            raise Break("whole numbers are divided")
        return function(a, b)

    return call


def _power(a: Any, b: Any) -> Any:
    if not (a.is_floating_point() or a.is_complex()):
        raise Break("powers of whole numbers")
    return rushlight.pow(a, b)


def _sign(a: Any) -> Any:
    if a.is_complex():
        raise Break("signs of complex numbers")
    return rushlight.where(a.isnan(), a, a.sign()) if a.is_floating_point() else a.sign()


def _real_only(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*tensors: Any) -> Any:
        if any(t.is_complex() for t in tensors):
            raise Break("complex numbers are ordered")
        return function(*tensors)

    return call


_SAME_NAME = (
    "add subtract multiply negative positive absolute sqrt square reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan "
    "arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh arctan2 hypot logaddexp logaddexp2 floor ceil trunc isnan isinf "
    "isfinite signbit logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor copysign "
    "deg2rad rad2deg"
)
_UFUNCS: dict[str, Callable[..., Any]] = {
    name: getattr(rushlight, name) for name in _SAME_NAME.split()
}
_UFUNCS |= {
    "divide": rushlight.true_divide, "floor_divide": _of_fractions(rushlight.floor_divide), "remainder": _of_fractions(rushlight.remainder),
    "fmod": _of_fractions(rushlight.fmod), "power": _power,
    "float_power": _power, "sign": _sign, "rint": rushlight.round, "fabs": rushlight.abs, "conjugate": rushlight.conj_physical,
    "invert": rushlight.bitwise_not, "radians": rushlight.deg2rad, "degrees": rushlight.rad2deg,
    "maximum": _real_only(rushlight.maximum), "minimum": _real_only(rushlight.minimum),
    "fmax": _real_only(rushlight.fmax), "fmin": _real_only(rushlight.fmin),
    "equal": rushlight.eq, "not_equal": rushlight.ne, "less": _real_only(rushlight.lt),
    "less_equal": _real_only(rushlight.le), "greater": _real_only(rushlight.gt), "greater_equal": _real_only(rushlight.ge),
}  # fmt: skip
UFUNCS = {name: _elementwise(name, function) for name, function in _UFUNCS.items()}


# -- reductions --


def _dims(array: Array, axis: Any) -> list[int]:
    if axis is None:
        return list(range(array.ndim))
    axes = axis if type(axis) is tuple else (axis,)
    if not all(type(n) is int and -array.ndim <= n < array.ndim for n in axes):
        raise Break("an axis that is not there")
    return [n % array.ndim for n in axes]


def _reduced(array: Array, found: Any, keepdims: bool) -> Array:
    return Array(found, found.dim() == 0 and not keepdims)


def _folds(name: str, one_by_one: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction along any dimensions, in the type that numpy gives."""

    def call(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
        array = array_of(a)
        told = {} if dtype is None else {"dtype": dtype}
        kind = dtypes()[_like(getattr(np, name), array.dtype, **told)]
        dims = _dims(array, axis)
        if not array.ndim or not dims:
            return Array(array.tensor.to(kind), True)
        return _reduced(array, one_by_one(array.tensor, dims, keepdims, kind), keepdims)

    call.__name__ = name
    return call


def _product(tensor: Any, dims: Sequence[int], keepdims: bool, kind: Any) -> Any:
    for dim in sorted(dims, reverse=True):
        tensor = tensor.prod(dim, keepdim=keepdims, dtype=kind)
    return tensor


def _extreme(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
        array = array_of(a)
        if array.tensor.is_complex() or not array.size:
            raise Break(f"{name} of such an array")
        dims = _dims(array, axis)
        return _reduced(
            array, function(array.tensor, dims, keepdims) if dims else array.tensor, keepdims
        )

    call.__name__ = name
    return call


def _place(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
        array = array_of(a)
        if array.tensor.is_complex() or not array.size or keepdims:
            raise Break(f"{name} of such an array")
        found = (
            function(array.tensor)
            if axis is None
            else function(array.tensor, _dims(array, axis)[0])
        )
        return _reduced(array, found, keepdims)

    call.__name__ = name
    return call


def _spread(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The deviation or the variance."""

    def call(a: Any, axis: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Array:
        array = array_of(a)
        kind = dtypes()[_like(getattr(np, name), array.dtype)]
        if kind.is_complex or array.tensor.is_complex() or not array.ndim:
            raise Break(f"{name} of such an array")
        dims = _dims(array, axis)
        found = function(array.tensor.to(kind), dims, correction=ddof, keepdim=keepdims)
        return _reduced(array, found, keepdims)

    call.__name__ = name
    return call


def _running(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, axis: int | None = None) -> Array:
        array = array_of(a)
        kind = dtypes()[_like(getattr(np, name), array.dtype)]
        tensor = array.tensor.reshape(-1) if axis is None else array.tensor
        return Array(function(tensor, 0 if axis is None else _dims(array, axis)[0], dtype=kind))

    call.__name__ = name
    return call


# -- shapes --


def _ints(values: Any) -> Any:
    """Sizes, as one argument or as several."""
    return values[0] if len(values) == 1 and type(values[0]) in (tuple, list) else values


def reshape(a: Any, *shape: Any, order: str = "C") -> Array:
    if order != "C":
        raise Break("elements in another order")
    return Array(
        array_of(a).tensor.reshape(*_ints(shape))
        if shape != ((),)
        else array_of(a).tensor.reshape(())
    )


def transpose(a: Any, *axes: Any) -> Array:
    array = array_of(a)
    order = _ints(axes)
    if not order or order == (None,):
        order = range(array.ndim - 1, -1, -1)
    return Array(array.tensor.permute(*order) if array.ndim else array.tensor, array.is_number)


def ravel(a: Any, order: str = "C") -> Array:
    return reshape(a, -1, order=order)


def copy(a: Any, order: str = "K") -> Array:
    array = array_of(a)
    return Array(array.tensor.clone(), array.is_number)


def astype(a: Any, dtype: Any) -> Array:
    array, kind = array_of(a), dtypes().get(np.dtype(dtype))
    if kind is None or (array.tensor.is_complex() and not kind.is_complex):
        raise Break(f"arrays of {dtype}")
    if not kind.is_floating_point and not kind.is_complex and array.tensor.is_floating_point():
        # Outside of the range processors differ.
        raise Break("fractions become whole numbers")
    return Array(array.tensor.to(kind, copy=True), array.is_number)


def _joined(arrays: Any) -> list[Any]:
    """Tensors of one type, as numpy joins arrays."""
    if type(arrays) not in (list, tuple) or not arrays:
        raise Break("what is joined is no list")
    found = [array_of(x) for x in arrays]
    kind = dtypes()[np.result_type(*(x.dtype for x in found))]
    return [x.tensor.to(kind) for x in found]


def concatenate(arrays: Any, axis: Any = 0) -> Array:
    tensors = _joined(arrays)
    if axis is None:
        return Array(rushlight.cat([t.reshape(-1) for t in tensors]))
    if len({t.dim() for t in tensors}) > 1 or not tensors[0].dim():
        raise Break("arrays that do not fit are joined")
    return Array(rushlight.cat(tensors, axis))


def stack(arrays: Any, axis: int = 0) -> Array:
    return Array(rushlight.stack(_joined(arrays), axis))


def where(condition: Any, x: Any, y: Any) -> Array:
    made = np.result_type(*(_type_of(v) if not isinstance(v, _WEAK) else v for v in (x, y)))
    chosen = rushlight.where(array_of(condition).tensor.bool(), _tensor(x, made), _tensor(y, made))
    return Array(chosen)


def round_(a: Any, decimals: int = 0) -> Array:
    array = array_of(a)
    if not array.tensor.is_floating_point() or decimals < 0:
        raise Break("such rounding")
    rint = UFUNCS["rint"]
    return rint(array) if not decimals else rint(array * 10.0**decimals) / 10.0**decimals  # type: ignore[operator, no-any-return]


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    array = array_of(x)
    if ord is not None or not array.ndim:
        raise Break("such a norm")
    kind = dtypes()[_like(np.linalg.norm, array.dtype)]
    tensor = array.tensor.to(array.tensor.dtype if array.tensor.is_complex() else kind)
    found = linalg.vector_norm(tensor, dim=_dims(array, axis), keepdim=keepdims)  # type: ignore[attr-defined]
    return _reduced(array, found, keepdims)


def _of_matrices(name: str) -> Callable[..., Any]:
    """A function of linear algebra, in the type that numpy computes in."""

    def call(*operands: Any) -> Array:
        found = [array_of(x) for x in operands]
        kind = dtypes()[np.result_type(*(x.dtype for x in found), np.float32)]
        if any(x.ndim < 2 for x in found) or any(x.dtype == np.float16 for x in found):
            raise Break(f"{name} of such arrays")
        made = getattr(linalg, name)(*(x.tensor.to(kind) for x in found))
        return Array(made, made.dim() == 0)

    call.__name__ = name
    return call


def clip(a: Any, a_min: Any = None, a_max: Any = None) -> Array:
    found = a
    if a_min is not None:
        found = UFUNCS["maximum"](found, a_min)
    if a_max is not None:
        found = UFUNCS["minimum"](found, a_max)
    return found if found is not a else copy(a)


def matmul(a: Any, b: Any) -> Array:
    left, right = array_of(a), array_of(b)
    kind = dtypes()[np.result_type(left.dtype, right.dtype)]
    if not left.ndim or not right.ndim or kind is rushlight.bool:
        raise Break("a product of such arrays")
    found = rushlight.matmul(left.tensor.to(kind), right.tensor.to(kind))
    return Array(found, found.dim() == 0)


def dot(a: Any, b: Any) -> Array:
    left, right = array_of(a), array_of(b)
    if not left.ndim or not right.ndim:
        return UFUNCS["multiply"](a, b)  # type: ignore[no-any-return]
    if max(left.ndim, right.ndim) > 2:
        raise Break("dot of more than two dimensions")
    return matmul(left, right)


def meshgrid(*xi: Any, indexing: str = "xy") -> tuple[Array, ...]:
    lines = [array_of(x).tensor.reshape(-1) for x in xi]
    # Each is a copy, while tensors of one line share its memory.
    return tuple(Array(t.clone()) for t in rushlight.meshgrid(*lines, indexing=indexing))


def einsum(formula: Any, *operands: Any) -> Array:
    if type(formula) is not str:
        raise Break("einsum without a formula")
    found = rushlight.einsum(formula, *_joined(operands))
    return Array(found, found.dim() == 0)


def _plain(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """A function that rearranges the elements of its first argument; its other ones have these names."""

    def call(a: Any, *args: Any, **kwargs: Any) -> Array:
        behind = [kwargs.pop(name) for name in names[len(args) :] if name in kwargs]
        if kwargs:
            raise Break(f"the argument {next(iter(kwargs))}")
        return Array(function(array_of(a).tensor, *args, *behind))

    return call


def _full_like(name: str) -> Callable[..., Any]:
    def call(a: Any, *value: Any, dtype: Any = None) -> Array:
        array = array_of(a)
        kind = array.tensor.dtype if dtype is None else dtypes()[np.dtype(dtype)]
        return Array(getattr(rushlight, name)(array.tensor, *value, dtype=kind))

    return call


def _squeezed(tensor: Any, axis: Any = None) -> Any:
    return tensor.squeeze() if axis is None else tensor.squeeze(axis)


def _flipped(tensor: Any, axis: Any = None) -> Any:
    axes = range(tensor.dim()) if axis is None else axis if type(axis) is tuple else (axis,)
    return rushlight.flip(tensor, tuple(axes))


def _rolled(tensor: Any, shift: Any, axis: Any = None) -> Any:
    return rushlight.roll(tensor, shift) if axis is None else rushlight.roll(tensor, shift, axis)


def _tiled(tensor: Any, reps: Any) -> Any:
    return rushlight.tile(tensor, (reps,) if type(reps) is int else reps)


def _sorted(a: Any, axis: Any = -1) -> Array:
    array = array_of(a)
    if array.tensor.is_complex() or not array.ndim or axis is None:
        raise Break("sort of such an array")
    return Array(rushlight.sort(array.tensor, axis).values)


def _at_least_2d(arrays: Any) -> list[Any]:
    return [t.reshape(1, -1) if t.dim() < 2 else t for t in _joined(arrays)]


def asarray(a: Any, dtype: Any = None) -> Array:
    array = array_of(a)
    if array.is_number:
        array = Array(array.tensor)
    return array if dtype is None or np.dtype(dtype) == array.dtype else astype(array, dtype)


def array(a: Any, dtype: Any = None) -> Array:
    found = asarray(a, dtype)
    return copy(found) if found is a else found


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **UFUNCS,
    "sum": _folds("sum", lambda t, dims, keep, kind: t.sum(dims, keepdim=keep, dtype=kind)),
    "mean": _folds("mean", lambda t, dims, keep, kind: t.to(kind).mean(dims, keepdim=keep)),
    "prod": _folds("prod", _product),
    "all": _folds("all", lambda t, dims, keep, kind: t.bool().all(tuple(dims), keepdim=keep)),
    "any": _folds("any", lambda t, dims, keep, kind: t.bool().any(tuple(dims), keepdim=keep)),
    "max": _extreme("max", rushlight.amax), "amax": _extreme("amax", rushlight.amax),
    "min": _extreme("min", rushlight.amin), "amin": _extreme("amin", rushlight.amin),
    "argmax": _place("argmax", rushlight.argmax), "argmin": _place("argmin", rushlight.argmin),
    "std": _spread("std", rushlight.std), "var": _spread("var", rushlight.var),
    "cumsum": _running("cumsum", rushlight.cumsum), "cumprod": _running("cumprod", rushlight.cumprod),
    "reshape": reshape, "transpose": transpose, "ravel": ravel, "copy": copy, "concatenate": concatenate, "stack": stack,
    "where": where, "clip": clip, "matmul": matmul, "dot": dot, "einsum": einsum, "meshgrid": meshgrid, "sort": _sorted,
    "vstack": lambda arrays: Array(rushlight.cat(_at_least_2d(arrays))),
    "swapaxes": _plain(rushlight.swapaxes, "axis1", "axis2"), "moveaxis": _plain(rushlight.moveaxis, "source", "destination"),
    "expand_dims": _plain(rushlight.unsqueeze, "axis"), "squeeze": _plain(_squeezed, "axis"), "flip": _plain(_flipped, "axis"),
    "roll": _plain(_rolled, "shift", "axis"), "tile": _plain(_tiled, "reps"), "tril": _plain(rushlight.tril, "k"),
    "triu": _plain(rushlight.triu, "k"), "diagonal": _plain(rushlight.diagonal, "offset", "axis1", "axis2"),
    "zeros_like": _full_like("zeros_like"), "ones_like": _full_like("ones_like"), "full_like": _full_like("full_like"),
    "asarray": asarray, "array": array, "ascontiguousarray": asarray,
    "round": round_, "around": round_, "linalg.norm": norm,
    "linalg.inv": _of_matrices("inv"), "linalg.det": _of_matrices("det"),
    "linalg.solve": _of_matrices("solve"),
    "linalg.cholesky": _of_matrices("cholesky"),
    "shape": lambda a: array_of(a).shape, "ndim": lambda a: array_of(a).ndim, "size": lambda a: array_of(a).size,
}  # fmt: skip
# Of these, methods of arrays with the same arguments behind the first.
METHODS = (
    "sum mean prod all any max min argmax argmin std var cumsum cumprod reshape transpose ravel copy clip dot squeeze swapaxes "
    "diagonal round"
)
_SIGNS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "matmul": "matmul",
}  # fmt: skip
_COMPARED = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
_UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def _add_methods() -> None:
    """Give arrays the methods that functions are, and signs."""

    def method(name: str) -> Callable[..., Any]:
        function = FUNCTIONS[name]

        def call(self: Array, *args: Any, **kwargs: Any) -> Any:
            return checked(function, self, *args, **kwargs)

        call.__name__ = name
        return call

    def swapped(name: str) -> Callable[..., Any]:
        function = FUNCTIONS[name]

        def call(self: Array, other: Any) -> Any:
            return function(other, self)

        return call

    def in_place(sign: str) -> Callable[..., Any]:
        function = FUNCTIONS[_SIGNS[sign]]

        def call(self: Array, other: Any) -> Any:
            found = function(self, other)
            if self.is_number:
                return found
            if not np.can_cast(found.dtype, self.dtype, "same_kind"):
                raise Break("an array takes no such numbers")
            self.tensor.copy_(found.tensor.to(self.tensor.dtype))
            return self

        return call

    for name in METHODS.split():
        setattr(Array, name, method(name))
    for sign, name in (*_SIGNS.items(), *_COMPARED.items(), *_UNARY.items()):
        setattr(Array, f"__{sign}__", method(name))
    for sign, name in _SIGNS.items():
        setattr(Array, f"__r{sign}__", swapped(name))
        setattr(Array, f"__i{sign}__", in_place(sign))
    Array.astype = astype  # type: ignore[attr-defined]
    Array.flatten = lambda self: Array(self.tensor.reshape(-1).clone())  # type: ignore[attr-defined]
    Array.__hash__ = Array._asked  # type: ignore[method-assign, assignment]


_add_methods()


def checked(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A function with numpy's name. Arguments that it lacks are numpy's own, or a fault of the program: both end the graph."""
    try:
        return function(*args, **kwargs)
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        raise Break(f"{function.__name__} of arrays: {error}") from None


def function_of(called: Any) -> Callable[..., Any] | None:
    """What stands for a function of numpy where it is given arrays of a graph."""
    name, home = getattr(called, "__name__", ""), np
    if called.__module__ == "numpy.linalg":
        found, home = FUNCTIONS.get(f"linalg.{name}"), np.linalg
    else:
        found = FUNCTIONS.get(name)
    return found if getattr(home, name, None) is called else None


def has_attribute(name: str) -> bool:
    """Whether an array of a graph has an attribute."""
    return hasattr(Array, name) and name not in ("tensor", "is_number", "kind", "rows", "_asked")
