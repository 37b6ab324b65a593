"""How tensors are written, where PyTorch has it: `repr`, and the options that govern it."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, quantized, sparse, state, wrapped
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass


@dataclass
class PrinterOptions:
    """What `set_printoptions` chooses."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PRINT_OPTS = PrinterOptions()
_PROFILES = {
    "default": PrinterOptions(),
    "short": PrinterOptions(precision=2, edgeitems=2),
    "full": PrinterOptions(threshold=math.inf),
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are written.

    Args:
        precision: digits after the point
        threshold: tensors with more elements are abridged
        edgeitems: how many items an abridged dimension shows at either end
        linewidth: columns before a line is broken
        profile: "default", "short" or "full", as the starting point
        sci_mode: whether numbers have exponents; None decides by the numbers
    """
    changed = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    base = _PROFILES.get(profile.lower()) if profile is not None else None
    for name, value in changed.items():
        if base is not None:
            setattr(PRINT_OPTS, name, getattr(base, name))
        if value is not None:
            setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options that `set_printoptions` chose, by name."""
    return dataclasses.asdict(PRINT_OPTS)


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """A block with other options."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


class _Format:
    """One way of writing that suits all the given numbers."""

    def __init__(self, values: Any) -> None:
        import numpy as np

        self.is_floating = values.dtype.kind == "f"
        self.exponents = False
        self.whole = True
        self.width = 1
        if not self.is_floating:
            self.width = max((len(str(v)) for v in values.ravel().tolist()), default=1)
            return
        wide = values.astype(np.float64).ravel()
        finite = wide[np.isfinite(wide) & (wide != 0)]
        if not finite.size:
            return
        sizes = np.abs(finite)
        least, most = float(sizes.min()), float(sizes.max())
        self.whole = bool((finite == np.ceil(finite)).all())
        self.exponents = (
            most / least > 1000.0 or most > 1.0e8 or (not self.whole and least < 1.0e-4)
        )
        if PRINT_OPTS.sci_mode is not None:
            self.exponents = PRINT_OPTS.sci_mode
        self.width = max(1, max(len(self._number(v)) for v in finite.tolist()))

    def _number(self, value: float) -> str:
        if self.exponents:
            return f"{value:.{PRINT_OPTS.precision}e}"
        if not self.whole:
            return f"{value:.{PRINT_OPTS.precision}f}"
        # A point tells whole floating numbers from integers.
        return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"

    def __call__(self, value: Any) -> str:
        text = self._number(value) if self.is_floating else str(value)
        return text.rjust(self.width)


class _ComplexFormat:
    """The same for complex numbers: a way for each part."""

    def __init__(self, values: Any) -> None:
        self.real, self.imag = _Format(values.real), _Format(values.imag)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag).lstrip() + "j"
        sign = "" if imag[0] in "+-" else "+"
        return self.real(value.real) + sign + imag


def _edges(source: Any, cut: list[bool]) -> Any:
    """The elements that an abridged text shows, as a tensor of their own; the rest stays unread."""
    import numpy as np

    from rushlight.engine.ops import bridge

    edge = PRINT_OPTS.edgeitems
    shown = [
        np.r_[0:edge, size - edge : size] if is_cut else np.arange(size)
        for size, is_cut in zip(source._size_, cut)
    ]
    made = bridge.tensor_of(bridge.array(source)[np.ix_(*shown)], source._dtype_)
    made._keys_ |= source._keys_ & (keys.CONJUGATE | keys.NEGATIVE)
    return made


def _row(values: Any, indent: int, write: Any, is_cut: bool) -> str:
    items = [write(v) for v in values.tolist()]
    if is_cut:
        edge = PRINT_OPTS.edgeitems
        items[edge:edge] = [" ..."] if edge else ["..."]
    per_line = max(1, (PRINT_OPTS.linewidth - indent) // (write.width + 2))
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested(values: Any, indent: int, write: Any, cut: list[bool]) -> str:
    if values.ndim == 0:
        return str(write(values.item()))
    if values.ndim == 1:
        return _row(values, indent, write, cut[0])
    items = [_nested(item, indent + 1, write, cut[1:]) for item in values]
    if cut[0]:
        items.insert(PRINT_OPTS.edgeitems, "...")
    return "[" + ("," + "\n" * (values.ndim - 1) + " " * (indent + 1)).join(items) + "]"


_WIDENED = {
    dtypes.bfloat16: dtypes.float32,
    dtypes.complex32: dtypes.complex64,
    **dict.fromkeys(dtypes.FLOAT8, dtypes.float32),
}


def _contents(source: Any, indent: int) -> str:
    from rushlight.engine.calls import copy
    from rushlight.engine.ops import bridge

    if quantized.is_quantized(source):
        source = source.dequantize()
    source = tensors.same_elements(source)
    source._keys_ &= ~keys.AUTOGRAD
    source = source.cpu()
    is_abridged = source._numel_ > PRINT_OPTS.threshold
    cut = [is_abridged and size > 2 * PRINT_OPTS.edgeitems for size in source._size_]
    if any(cut):
        source = _edges(source, cut)
    if source._dtype_ in _WIDENED:
        source = copy.to_dtype(source, _WIDENED[source._dtype_])
    values = bridge.array(source.resolve_conj().resolve_neg())
    write = (_ComplexFormat if values.dtype.kind == "c" else _Format)(values)
    return _nested(values, indent, write, cut)


def _suffixes(source: Any) -> list[str]:
    """What the text says after the elements."""
    default = state.default_dtype()
    found = _sparse_suffixes(source) if sparse.is_sparse(source) else []
    if not source.is_cpu and not found:
        found.append(f"device='{source.device}'")
    if quantized.is_quantized(source):
        return _quantized_suffixes(source)
    if sparse.is_sparse(source):
        usual: tuple[Any, ...] = (default, _usual_complex(default), dtypes.int64, dtypes.bool_)
    elif (unknown := _has_no_elements(source)) or not source._numel_:
        # Nothing is there to tell the type by.
        usual = (default,)
        if unknown or len(source._size_) != 1:
            found.append(f"size={tuple(source._size_)}")
    else:
        usual = (default, _usual_complex(default), dtypes.int64, dtypes.bool_)
        if not PRINT_OPTS.edgeitems:
            found.append(f"size={tuple(source._size_)}")
    if source._dtype_ not in usual:
        found.append(f"dtype={source._dtype_}")
    if sparse.is_sparse(source):
        found.append(f"layout={source.layout}")
    try:
        step = source.grad_fn
    except RuntimeError:
        # A view that was made and changed where nothing was recorded.
        return [*found, "grad_fn=<Invalid>"]
    if step is not None:
        found.append(f"grad_fn=<{type(step).__name__}>")
    elif source.requires_grad:
        found.append("requires_grad=True")
    return found


def _has_no_elements(source: Any) -> bool:
    return source.is_meta or getattr(source, "_has_no_elements", False)


def _quantized_suffixes(source: Any) -> list[str]:
    """What is said of a quantized tensor: what its numbers mean."""
    found = quantized.quantizer_of(source)
    said = [
        f"size={tuple(source._size_)}",
        f"dtype={source._dtype_}",
        f"quantization_scheme={found.scheme}",
    ]
    if isinstance(found, quantized.PerTensor):
        return [*said, f"scale={found.scale}", f"zero_point={found.zero_point}"]
    return [*said, f"scale={found.scales}", f"zero_point={found.zero_points}", f"axis={found.axis}"]


def _usual_complex(default: dtypes.dtype) -> dtypes.dtype:
    return dtypes.complex128 if default is dtypes.float64 else dtypes.complex64


def text(source: Any, contents: str | None = None) -> str:
    """The text of a tensor; ``contents`` replaces that of its elements."""
    from rushlight.engine.dispatch import overrides_hook

    with overrides_hook.without_subclasses():
        if source._keys_ & keys.WRAPPED:
            return _text_of_wrapper(source)
        return _text(source, contents)


def _text_of_wrapper(source: Any) -> str:
    """What a wrapper within a transformation is wrapped for, and the text of what it stands for."""
    from rushlight.engine.dispatch import layers

    meaning = wrapped.meaning_of(source)
    with layers.without_layers():
        inner = text(meaning.value)
    lines = "\n".join("    " + line for line in inner.split("\n"))
    level = meaning.layer.level
    if meaning.dim is not None:
        return f"BatchedTensor(lvl={level}, bdim={meaning.dim}, value=\n{lines}\n)"
    kind = "FunctionalTensor" if meaning.layer.kind == "Functionalize" else "GradTrackingTensor"
    return f"{kind}(lvl={level}, value=\n{lines}\n)"


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """Elements' text and what follows it, broken into lines, up to the closing bracket."""
    pieces = [tensor_str]
    column = len(tensor_str) - tensor_str.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or column + len(suffix) + 2 > PRINT_OPTS.linewidth:
            pieces.append(",\n" + " " * indent + suffix)
            column = indent + len(suffix)
            force_newline = False
        else:
            pieces.append(", " + suffix)
            column += len(suffix) + 2
    return "".join([*pieces, ")"])


def _sparse_contents(source: Any, prefix: str) -> str:
    """The parts of a sparse tensor."""
    parts = sparse.parts_of(source)
    texts = []
    for name, part in parts.named().items():
        lead = f"{name}=tensor("
        if part._numel_ and not part.is_meta:
            text = _contents(part, len(prefix) + len(lead))
        else:
            text = f"{'...' if part.is_meta else '[]'}, size={tuple(part._size_)}"
        texts.append(f"{lead}{text})")
    return (",\n" + " " * len(prefix)).join(texts)


def _sparse_suffixes(source: Any) -> list[str]:
    """What is said of a sparse tensor as a whole."""
    parts = sparse.parts_of(source)
    size = f"size={tuple(source._size_)}"
    if source.is_meta:
        return [f"device='{source.device}'", size]
    return [size, f"nnz={sparse.count_of(parts)}"]


def _tensor_str(self: Any, indent: int) -> str:
    """The text of a tensor's elements; lines after the first begin after so many spaces."""
    return _contents(self, indent) if self._numel_ else "[]"


def _text(source: Any, contents: str | None) -> str:
    kind = type(source)
    is_parameter = getattr(source, "_is_param", False)
    plain = kind is Tensor or (is_parameter and kind.__name__ == "Parameter")
    prefix = ("tensor" if plain else kind.__name__) + "("
    indent = len(prefix)
    is_sparse = sparse.is_sparse(source)
    if contents is None and is_sparse:
        contents = _sparse_contents(source, prefix)
    elif contents is None:
        if source.is_meta:
            contents = "..."
        else:
            contents = _contents(source, indent) if source._numel_ else "[]"
    written = _add_suffixes(
        prefix + contents, _suffixes(source), indent, sparse.is_coordinates(source)
    )
    return f"Parameter({written})" if is_parameter and not plain else written
