"""What functions do with masked tensors, before autograd: they compute with the elements and their history."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight import masked
from rushlight.masked.maskedtensor.core import MaskedTensor, is_masked_tensor, result
from rushlight.masked.maskedtensor.operators import REDUCTIONS

torch: Any = rushlight

# Functions that rows are normalised by.
NORMALISING = ("softmax", "log_softmax")


@functools.cache
def answers() -> dict[Any, Callable[..., Any]]:
    """What serves a function, a method or an operator."""
    found: dict[Any, Callable[..., Any]] = {}

    def serve(name: str, function: Callable[..., Any], *owners: Any) -> None:
        for owner in owners:
            if hasattr(owner, name):
                found[getattr(owner, name)] = function

    tensor = torch.Tensor
    for name in REDUCTIONS:
        serve(name, functools.partial(reduced, name), torch, tensor, torch.ops.aten)
    for name in NORMALISING:
        serve(name, functools.partial(normalised, name), torch, tensor, torch.nn.functional)
    serve("where", where, torch, tensor)
    serve("contiguous", contiguous, tensor)
    for name in ("to_dense", "to_sparse", "to_sparse_coo", "to_sparse_csr"):
        serve(name, functools.partial(laid_out, name), tensor)
    return found


# -- reductions --


def reduced(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A reduction of the elements that count; the result counts where any of them does."""
    if x.is_sparse:
        if args or kwargs:
            return NotImplemented
        return of_values(name, x)
    data, mask = x.get_data(), x.get_mask()
    if not args and not kwargs:
        return result(everything(name, data, mask), torch.any(mask))
    names = ("p", "dim", "keepdim", "dtype") if name == "norm" else ("dim", "keepdim", "dtype")
    settings = {k: v for k, v in (dict(zip(names, args)) | kwargs).items() if v is not None}
    degree: tuple[Any, ...] = (settings.pop("p", 2.0),) if name == "norm" else ()
    degree = tuple(2.0 if p == "fro" else p for p in degree)
    dim, keepdim = settings.get("dim"), settings.get("keepdim", False)
    if name == "all":
        made = torch.all(data.masked_fill(~mask, True), dim=dim, keepdim=keepdim)
    else:
        made = getattr(masked, name)(data, *degree, **settings, mask=mask)
    return result(made, any_of(mask, dim, keepdim))


def everything(name: str, data: Any, mask: Any) -> Any:
    """A reduction to one element."""
    if name == "all":
        return data.masked_fill(~mask, True).all()
    if name in ("argmin", "argmax"):
        return getattr(masked, name)(data, mask=mask)
    return getattr(masked, name)(data, *((2.0,) if name == "norm" else ()), mask=mask)


def of_values(name: str, x: Any) -> Any:
    """A reduction of all values of a sparse tensor that count."""
    data, mask = x.get_data(), x.get_mask().values()
    values = data.values()
    if name in ("argmin", "argmax") and x.is_sparse_coo():
        place = everything(name, values, mask)
        strides = torch.empty(data.shape, device="meta").stride()
        at = data.indices().select(1, int(place))
        made = (at * torch.tensor(strides)).sum()
    else:
        made = everything(name, values, mask)
    return result(made, torch.any(mask))


def any_of(mask: Any, dim: Any, keepdim: bool) -> Any:
    """Where a row of a mask has anything that counts."""
    if dim is None:
        dim = tuple(range(mask.dim()))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    for d in sorted((d % max(mask.dim(), 1) for d in dims), reverse=True):
        mask = torch.any(mask, dim=d, keepdim=keepdim)
    return mask


def normalised(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A softmax over the elements that count."""
    kwargs.pop("_stacklevel", None)
    names = list(inspect.signature(getattr(masked, name)).parameters)[1:]
    settings = dict(zip(("dim", "dtype"), args)) | kwargs
    settings = {k: v for k, v in settings.items() if k in names and v is not None}
    made = getattr(masked, name)(x.get_data(), **settings, mask=x.get_mask())
    return result(made, x.get_mask())


# -- choices and layouts --


def where(*args: Any, **kwargs: Any) -> Any:
    """Elements of one or the other, where a condition says so; what has no mask counts."""
    if len(args) != 3:
        raise ValueError(
            f"__torch_function__, torch.where: len(args) must be 3 but got {len(args)}"
        )
    if kwargs:
        raise ValueError(
            f"__torch_function__, torch.where: len(kwargs) must be 0 but got {len(kwargs)}"
        )
    condition, a, b = args
    condition = condition.get_data() if is_masked_tensor(condition) else condition
    data = [x.get_data() if is_masked_tensor(x) else x for x in (a, b)]
    masks = [
        x.get_mask() if is_masked_tensor(x) else torch.ones_like(d, dtype=torch.bool)
        for x, d in zip((a, b), data)
    ]
    return result(torch.where(condition, *data), torch.where(condition, *masks))


def contiguous(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The same elements one behind the other."""
    if x.is_sparse:
        raise ValueError("MaskedTensors with sparse data do not have contiguous")
    if x.is_contiguous():
        return x
    return result(x.get_data().contiguous(), x.get_mask().contiguous())


def laid_out(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    """The same elements in another layout; sparse ones have values where the mask is true."""
    if name == "to_sparse":
        name = "to_sparse_coo"
    wanted = {
        "to_dense": torch.strided, "to_sparse_coo": torch.sparse_coo,
        "to_sparse_csr": torch.sparse_csr,
    }[name]  # fmt: skip
    if name == "to_sparse_csr" and x.dim() != 2:
        raise ValueError(
            "Only 2D tensors can be converted to the SparseCsr layout but got shape: "
            f"{x._masked_data.size()}"
        )
    if x.layout is wanted:
        return x
    return _LaidOut.apply(x, name)


class _LaidOut(torch.autograd.Function):  # type: ignore[misc]
    """A masked tensor in another layout; the gradient comes back in its own."""

    @staticmethod
    def forward(ctx: Any, x: Any, name: str) -> Any:
        ctx.layout = x.layout
        data, mask = x._masked_data, getattr(x._masked_mask, name)()
        if name == "to_dense":
            return MaskedTensor(data.to_dense(), mask)
        mask = mask.coalesce() if mask.layout is torch.sparse_coo else mask
        return MaskedTensor(data.to_dense().sparse_mask(mask), mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        names = {torch.strided: "to_dense", torch.sparse_coo: "to_sparse_coo"}
        return laid_out(names.get(ctx.layout, "to_sparse_csr"), grad), None
