"""Kernels of programs: Python loops over the elements of tensors, as machine code.

    @compiled
    def smoothed(out, x, share):
        for i in range(x.size(0)):
            for j in range(1, x.size(1) - 1):
                out[i, j] = x[i, j] + share * (x[i, j - 1] + x[i, j + 1])

    smoothed(out, x, 0.25)

The function is in the kernel language (`docs/low_level_language.md`): its tensors are `TensorAccessor` objects,
integers are words of 64 bits, and real numbers have the widest real type among the tensors. It is compiled
once for each combination of element types and numbers of dimensions, with all of LLVM's optimisation. Nobody
looks whether an index is inside.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight.engine.autograd import meta as metas
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core.tensor import Tensor, bump_version, data_pointer
from rushlight.engine.loops.expr import arg as argument
from rushlight.engine.loops.expr import convert
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.target import host_target
from rushlight.engine.native import machine
from rushlight.engine.native.lowlevel import (
    Pointer,
    Value,
    entry,
    extended,
    inlined,
    kernel_text,
    load,
    narrowed,
    store,
)
from rushlight.engine.native.lowlevel.functions import refused
from rushlight.engine.native.lowlevel.values import let, lifted

__all__ = ["TensorAccessor", "compiled"]

DOUBLE, FLOAT, WORD = "double", "float", "i64"


class _Element(NamedTuple):
    """How an element lies in memory, and as what it is computed with."""

    kind: str
    computed: str
    signed: bool = True
    # The expression type of half precision, which not all processors convert by themselves.
    half: str | None = None


_ELEMENTS = {
    dtypes.float64: _Element("double", DOUBLE),
    dtypes.float32: _Element("float", FLOAT),
    dtypes.float16: _Element("half", FLOAT, half="f16"),
    dtypes.bfloat16: _Element("i16", FLOAT, half="bf16"),
    dtypes.int64: _Element("i64", WORD),
    dtypes.int32: _Element("i32", WORD),
    dtypes.int16: _Element("i16", WORD),
    dtypes.int8: _Element("i8", WORD),
    dtypes.uint8: _Element("i8", WORD, False),
    dtypes.bool_: _Element("i8", WORD, False),
}


class TensorAccessor:
    """A tensor in a compiled function: ``x[i, j]``, ``x[i, j] = value``, ``x.size(0)``, ``x.stride(0)``.

    Elements of less than 32 bits are read as words or as single precision, and rounded when they are written.
    """

    def __init__(
        self, element: _Element, bytes_: int, base: Value, sizes: list[Any], strides: list[Any]
    ) -> None:
        self._element, self._bytes = element, bytes_
        self._base, self._sizes, self._strides = base, sizes, strides
        self.is_written = False

    def size(self, dim: int) -> Any:
        """The size of a dimension."""
        return self._sizes[dim]

    def stride(self, dim: int) -> Any:
        """How many elements lie between neighbours along a dimension."""
        step = self._strides[dim]
        return step // self._bytes

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self._sizes)

    def __getitem__(self, index: Any) -> Any:
        kind, wide, signed, half = self._element
        value = load(self._place(index), kind, self._bytes)
        if half is not None:
            return computed(_conversion(half, "f32"), 1, [value])[0]
        return value if kind == wide else extended(value, wide, signed)

    def put(self, index: Any, value: Any) -> None:
        """Write an element: ``x[index] = value``."""
        self.is_written = True
        kind, wide, _, half = self._element
        value = self.cast(value)
        if half is not None:
            (value,) = computed(_conversion("f32", half), 1, [value])
        elif kind != wide:
            value = narrowed(value, kind)
        store(self._place(index), value, self._bytes)

    def cast(self, value: Any) -> Any:
        """A number as one of the kind that the elements are computed with."""
        wide = self._element.computed
        if not isinstance(value, Value):
            return lifted(float(value) if wide != WORD else value, wide)
        if value.kind == wide:
            return value
        if value.kind == "i1":
            value = lifted(value, WORD)
        if value.kind == WORD:
            return value if wide == WORD else _converted("sitofp", value, wide)
        if wide == WORD:
            return _converted("fptosi", value, WORD)
        return narrowed(value, FLOAT) if value.kind == DOUBLE else extended(value, DOUBLE)

    def _place(self, index: Any) -> Value:
        index = index if isinstance(index, (tuple, list)) else (index,)
        if len(index) != len(self._strides):
            raise IndexError(
                f"{len(index)} indices for a tensor of {len(self._strides)} dimensions"
            )
        place = self._base
        for number, step in zip(index, self._strides):
            place = place + number * step
        return place


@functools.cache
def _conversion(source: str, target: str) -> Program:
    """The expression of a conversion, in operations that this processor has."""
    return Program([convert(argument(0, source), target)], host_target())


def _converted(how: str, value: Value, kind: str) -> Any:
    return let(kind, f"{how} {value} to {kind}")


class _TensorFacts(NamedTuple):
    """What of a tensor a compiled function is made for."""

    dtype: Any
    dims: int
    # Whether neighbours along the last dimension are neighbours in memory.
    is_dense: bool


class _Writer:
    """Writes the kernel for one combination of arguments."""

    def __init__(self, function: Callable[..., Any], facts: Sequence[Any]) -> None:
        self.function, self.facts = inlined(function), facts
        reals = [f.dtype for f in facts if isinstance(f, _TensorFacts)]
        widest = any(_ELEMENTS[kind].computed == DOUBLE for kind in reals)
        single = any(_ELEMENTS[kind].computed == FLOAT for kind in reals)
        self.real = FLOAT if single and not widest else DOUBLE
        self.accessors: list[TensorAccessor | None] = []

    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        """Make the arguments of words, and call the function on them."""
        given: list[Any] = []
        tensors = words = 0
        for fact in self.facts:
            if isinstance(fact, _TensorFacts):
                given.append(self._accessor(fact, data, sizes, strides, tensors, words))
                tensors, words = tensors + 1, words + fact.dims
                continue
            value = entry(sizes, words, DOUBLE if fact is float else WORD)
            is_single = fact is float and self.real == FLOAT
            given.append(narrowed(value, FLOAT) if is_single else value)
            words += 1
        self.accessors = [x if isinstance(x, TensorAccessor) else None for x in given]
        self.function(*given)

    def _accessor(
        self, fact: _TensorFacts, data: Pointer, sizes: Pointer, strides: Pointer, k: int, word: int
    ) -> TensorAccessor:
        bytes_ = fact.dtype.itemsize
        steps: list[Any] = [entry(strides, word + d, WORD) for d in range(fact.dims)]
        if fact.is_dense:
            steps[-1] = bytes_
        lengths = [entry(sizes, word + d, WORD) for d in range(fact.dims)]
        return TensorAccessor(_ELEMENTS[fact.dtype], bytes_, entry(data, k, "ptr"), lengths, steps)


class _Compiled(NamedTuple):
    """Machine code, and which of its arguments it writes."""

    call: Any
    written: tuple[int, ...]


class compiled:
    """A function in the kernel language, called with tensors, integers and real numbers; a decorator."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._made: dict[tuple[Any, ...], _Compiled] = {}

    def __call__(self, *args: Any) -> None:
        facts = tuple(map(self._facts, args))
        found = self._made.get(facts)
        if found is None:
            found = self._made[facts] = self._compile(facts)
        tensors = [a for a in args if isinstance(a, Tensor)]
        written = [args[k] for k in found.written]
        for tensor in written:
            if state.thread.grad_enabled and metas.requires_grad(tensor):
                raise RuntimeError(
                    f"{self.__name__}: a tensor that requires grad cannot be written by compiled "  # type: ignore[attr-defined]
                    "code outside of no_grad; make the function an operator with register_autograd"
                )
        sizes: list[Any] = []
        strides: list[int] = []
        for arg in args:
            if isinstance(arg, Tensor):
                sizes += arg._size_
                strides += [step * arg._dtype_.itemsize for step in arg._stride_]
            else:
                word = struct.unpack("q", struct.pack("d", arg))[0] if type(arg) is float else arg
                sizes.append(word)
                strides.append(0)
        data = [data_pointer(tensor) for tensor in tensors]
        found.call(_words(data), _words(sizes), _words(strides))
        for tensor in written:
            bump_version(tensor)

    def _facts(self, arg: Any) -> Any:
        if not isinstance(arg, Tensor):
            if type(arg) in (int, float):
                return type(arg)
            raise TypeError(
                f"{self.__name__}: arguments are tensors, integers and real numbers, not "  # type: ignore[attr-defined]
                f"{type(arg).__name__}"
            )
        if (
            arg._keys_ & ~(keys.AUTOGRAD | keys.INFERENCE) != keys.CPU
            or arg._dtype_ not in _ELEMENTS
        ):
            raise TypeError(
                f"{self.__name__}: tensors are strided, on the CPU, and of an element type among "  # type: ignore[attr-defined]
                f"{', '.join(str(kind) for kind in _ELEMENTS)}; not {arg._dtype_} on "
                f"{arg._storage_.device}"
            )
        is_dense = bool(arg._stride_) and arg._stride_[-1] == 1
        return _TensorFacts(arg._dtype_, len(arg._size_), is_dense)

    def _compile(self, facts: tuple[Any, ...]) -> _Compiled:
        writer, texts = _Writer(self._function, facts), []
        refused(self._function, lambda: texts.append(kernel_text(writer.run)))
        address = machine.address(texts[0], machine.FULLY)
        written = [k for k, x in enumerate(writer.accessors) if x is not None and x.is_written]
        return _Compiled(ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address), tuple(written))


def _words(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
