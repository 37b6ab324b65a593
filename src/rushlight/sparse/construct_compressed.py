"""`sparse_compressed_tensor`, and a function for each of the layouts that it knows."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import sparse as calls
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.ops.creation import from_data
from rushlight.sparse.construct import checking_invariants

_OPTIONS: dict[str, Any] = {
    "dtype": dtypes.dtype,
    "layout": layouts.layout,
    "device": (devices.device, str, int),
    "pin_memory": bool,
    "requires_grad": bool,
    "check_invariants": bool,
}
_TAIL = (
    "*, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool "
    "pin_memory = False, bool requires_grad = False, bool check_invariants = None)"
)


def _made(name: str, names: tuple[str, ...], args: Any, kwargs: dict[str, Any]) -> Tensor:
    """The tensor of a call, given the names of the indices and its layout among the options."""
    options = {key: kwargs.pop(key) for key in list(kwargs) if key in _OPTIONS}
    known = (*names, "values", "size")
    given = dict(zip(known, args))
    is_wrong = (
        len(args) > len(known)
        or set(kwargs) & set(given)
        or set(kwargs) - set(known)
        or any(v is not None and not isinstance(v, _OPTIONS[k]) for k, v in options.items())
    )
    given |= kwargs
    size = given.get("size")
    if is_wrong or not {*names, "values"} <= set(given) or not _is_size(size):
        shown = {k: v for k, v in options.items() if k != "layout" or "compressed" in name}
        raise _invalid(name, names, args, {**kwargs, **shown})
    dtype, device = options.get("dtype"), options.get("device")
    values = given["values"]
    if not isinstance(values, Tensor):
        values = from_data.tensor_from_data(values, dtype)
    if dtype is not None:
        values = copies.to_dtype(values, dtype)
    if device is not None:
        values = copies.to_device(values, devices.device(device), values._dtype_)
    compressed, plain = (_indices(given[key]) for key in names)
    layout = options.get("layout")
    with checking_invariants(options.get("check_invariants")):
        if size is None:
            made = calls.sparse_compressed_tensor_comp_plain_value(
                compressed, plain, values, layout=layout
            )
        else:
            made = calls.sparse_compressed_tensor_comp_plain_value_size(
                compressed, plain, values, size, layout=layout
            )
    if not options.get("requires_grad"):
        return made
    with state.recording(False):
        made = copies.detach(made)
    return made.requires_grad_()  # type: ignore[attr-defined, no-any-return]


def _is_size(size: Any) -> bool:
    return size is None or (
        isinstance(size, (tuple, list)) and all(isinstance(n, int) for n in size)
    )


def _indices(given: Any) -> Tensor:
    return given if isinstance(given, Tensor) else from_data.tensor_from_data(given, dtypes.int64)


def _invalid(name: str, names: Any, args: Any, kwargs: dict[str, Any]) -> TypeError:
    given = [type(a).__name__ for a in args]
    given += [f"{key}={type(value).__name__}" for key, value in kwargs.items()]
    head = ", ".join(f"object {key}" for key in (*names, "values"))
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({', '.join(given)}), but "
        f"expected one of:\n * ({head}, tuple of ints size, {_TAIL}\n * ({head}, {_TAIL}\n"
    )


def _of_layout(
    name: str, names: tuple[str, ...], layout: Any, args: Any, kwargs: dict[str, Any]
) -> Tensor:
    wanted = kwargs.pop("layout", None)
    if wanted not in (None, layout):
        raise RuntimeError(
            f"{name}: layout must be {layouts.title(layout)} but got {layouts.title(wanted)}"
        )
    return _made(name, names, args, {**kwargs, "layout": layout})


@asking
def sparse_csr_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """A matrix kept row by row: ``(crow_indices, col_indices, values, size=None)``.

    Args:
        crow_indices: where each row begins among the values, and where the last one ends
        col_indices: the column of each value
        values: the values
        size: the sizes of the batch, rows and columns, dense dimensions; found from the parts if not
            given
        dtype: the element type; that of the values if not given
        device: where the tensor is made
        requires_grad: whether operations on it are recorded
        check_invariants: also see that columns are in order in every row, and differ

    All may have dimensions of a batch in front, and the values dense ones behind.
    """
    names = ("crow_indices", "col_indices")
    return _of_layout("sparse_csr_tensor", names, layouts.sparse_csr, args, kwargs)


@asking
def sparse_csc_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """A matrix kept column by column: ``(ccol_indices, row_indices, values, size=None)``.

    The arguments are those of `sparse_csr_tensor` with rows and columns exchanged.
    """
    names = ("ccol_indices", "row_indices")
    return _of_layout("sparse_csc_tensor", names, layouts.sparse_csc, args, kwargs)


@asking
def sparse_bsr_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """A matrix of blocks kept row by row: ``(crow_indices, col_indices, values, size=None)``.

    The arguments are those of `sparse_csr_tensor`, with a block for each value: ``values`` has the size
    [count, rows of a block, columns of a block], and indices count blocks.
    """
    names = ("crow_indices", "col_indices")
    return _of_layout("sparse_bsr_tensor", names, layouts.sparse_bsr, args, kwargs)


@asking
def sparse_bsc_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """A matrix of blocks kept column by column: ``(ccol_indices, row_indices, values, size=None)``.

    The arguments are those of `sparse_bsr_tensor` with rows and columns exchanged, but not inside blocks.
    """
    names = ("ccol_indices", "row_indices")
    return _of_layout("sparse_bsc_tensor", names, layouts.sparse_bsc, args, kwargs)


@asking
def sparse_compressed_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """A tensor of the given layout: ``(compressed_indices, plain_indices, values, size=None)``.

    See `sparse_csr_tensor` and `sparse_bsr_tensor`; ``layout`` is one of the four compressed layouts.
    """
    names = ("compressed_indices", "plain_indices")
    return _made("sparse_compressed_tensor", names, args, kwargs)
