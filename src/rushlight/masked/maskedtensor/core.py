"""The class of tensors with a mask.

A masked tensor is a wrapper: its class is asked what each operator does, below autograd, and answers by calls on
the elements and on the mask (`operators.py`). Where a function means something else for elements that do not
count, such as a reduction, the class is asked before autograd, and computes with the elements and their history
(`functions.py`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor

__all__ = ["MaskedTensor", "is_masked_tensor"]

torch: Any = rushlight

_LAYOUTS = (torch.strided, torch.sparse_coo, torch.sparse_csr)
_TYPES = (
    torch.float16, torch.float32, torch.float64, torch.bool, torch.int8, torch.int16, torch.int32,
    torch.int64,
)  # fmt: skip
_PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. "
    "Please open a Github issue for features requests and see our documentation on the torch.masked "
    "module for further information about the project."
)
_WITH_HISTORY = (
    "It is not recommended to create a MaskedTensor with a tensor that requires_grad. To avoid this, "
    "you can use data.detach().clone()"
)


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether something is a tensor with a mask."""
    return isinstance(obj, MaskedTensor)


class MaskedTensor(Tensor):
    """A tensor of which only some elements count.

    Args:
        data: the elements, dense or sparse
        mask: where they count: truth values in the same shape and layout
        requires_grad: whether it wants a gradient
    """

    @staticmethod
    def __new__(cls: Any, data: Any, mask: Any, requires_grad: bool = False) -> Any:
        for name, given in (("data", data), ("mask", mask)):
            if is_masked_tensor(given) or not isinstance(given, Tensor):
                raise TypeError(f"{name} must be a Tensor")
        warnings.warn(_PROTOTYPE, UserWarning, stacklevel=2)
        if data.requires_grad:
            warnings.warn(_WITH_HISTORY, UserWarning, stacklevel=2)
        is_dense = data.layout is torch.strided
        return Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls, data.size(), data.stride() if is_dense else None, dtype=data.dtype,
            device=data.device, requires_grad=requires_grad,
        )  # fmt: skip

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        if data.layout is not mask.layout:
            raise TypeError("data and mask must have the same layout.")
        if data.layout is torch.sparse_coo:
            data, mask = data.coalesce(), mask.coalesce()
        if data.layout is not torch.strided and data._nnz() != mask._nnz():
            data = _at_places_of(data, mask)
        self._set_data_mask(data.clone(), mask.clone())

    def _set_data_mask(self, data: Any, mask: Any) -> None:
        self._masked_data, self._masked_mask = data, mask
        _check(data, mask)

    # -- parts --
    def get_data(self) -> Any:
        """The elements, those that do not count among them; gradients come back masked."""
        return _GetData.apply(self)

    def get_mask(self) -> Any:
        """Where elements count."""
        return self._masked_mask

    def to_tensor(self, value: Any) -> Any:
        """The elements, with a value in the place of those that do not count."""
        return self.get_data().masked_fill(~self.get_mask(), value)

    @property
    def layout(self) -> Any:
        return self._masked_data.layout

    def is_sparse_coo(self) -> bool:  # type: ignore[override]
        """Whether elements and mask have coordinates."""
        return self.layout is torch.sparse_coo

    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Whether elements and mask are rows with places."""
        return self.layout is torch.sparse_csr

    @property
    def is_sparse(self) -> bool:
        return self.is_sparse_coo() or self.is_sparse_csr()

    @staticmethod
    def _from_values(data: Any, mask: Any) -> Any:
        """A masked tensor that knows the history of its elements."""
        return _FromValues.apply(data, mask)

    @classmethod
    def unary(cls, fn: Callable[[Any], Any], data: Any, mask: Any) -> MaskedTensor:
        """A function of elements with a mask."""
        return MaskedTensor(fn(data), mask)

    # -- calls --
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from rushlight.masked.maskedtensor import functions

        kwargs = kwargs or {}
        known = functions.answers().get(func)
        if known is not None:
            return known(*args, **kwargs)
        return super().__torch_function__(func, types, args, kwargs)  # type: ignore[misc]

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from rushlight.masked.maskedtensor import operators

        return operators.call(func, args, kwargs or {})

    def __lt__(self, other: Any) -> Any:
        return MaskedTensor(self.get_data() < data_of(other), self.get_mask())

    # -- text --
    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        with torch.no_grad():
            data, mask = self._masked_data, self._masked_mask
            if not data.dim():
                return f"MaskedTensor({_number(data.item(), mask.item())}, {mask.item()})"
            if data.layout is not torch.strided:
                data, mask = data.to_dense(), mask.to_dense()
            lines = _indented(_text(data.tolist(), mask.tolist()))
        return f"MaskedTensor(\n{lines}\n)"

    __str__ = __repr__


def _number(value: Any, counts: bool) -> str:
    if not counts:
        return "--"
    return f"{value:8.4f}" if isinstance(value, float) else str(value)


def _text(data: Any, mask: Any) -> str:
    """Nested lists of numbers, with a dash for each that does not count."""
    if data and isinstance(data[0], list):
        parts = ",\n".join(_indented(_text(d, m)) for d, m in zip(data, mask))
        return f"[\n{parts}\n]"
    shown = [_number(d, True) for d in data]
    width = max((len(s) if m else 8 for s, m in zip(shown, mask)), default=0)
    return "[" + ", ".join(s if m else "--".rjust(width) for s, m in zip(shown, mask)) + "]"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _at_places_of(data: Any, mask: Any) -> Any:
    """A sparse tensor with a value where a mask has one."""
    return data.sparse_mask(mask)


def _check(data: Any, mask: Any) -> None:
    """Raise for a mask that is none for the elements."""
    if type(data) is not type(mask):
        raise TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
    if data.layout not in _LAYOUTS:
        raise TypeError(f"data layout of {data.layout} is not supported.")
    if data.layout is torch.sparse_coo and not tensors_match(data.indices(), mask.indices()):
        raise ValueError(
            "data and mask are both sparse COO tensors but do not have the same indices."
        )
    if data.layout is torch.sparse_csr and not (
        tensors_match(data.crow_indices(), mask.crow_indices())
        and tensors_match(data.col_indices(), mask.col_indices())
    ):
        raise ValueError(
            "data and mask are both sparse CSR tensors but do not share either crow or col indices."
        )
    if mask.dtype is not torch.bool:
        raise TypeError("mask must have dtype bool.")
    if data.dtype not in _TYPES:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if data.dim() != mask.dim():
        raise ValueError("data.dim() must equal mask.dim()")
    if data.size() != mask.size():
        raise ValueError("data.size() must equal mask.size()")


class _GetData(torch.autograd.Function):  # type: ignore[misc]
    """The elements of a masked tensor."""

    @staticmethod
    def forward(ctx: Any, source: Any) -> Any:
        ctx.mask = source._masked_mask
        return source._masked_data.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad if is_masked_tensor(grad) else result(grad, ctx.mask)


class _FromValues(torch.autograd.Function):  # type: ignore[misc]
    """A masked tensor over elements."""

    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any) -> Any:
        return MaskedTensor(data.detach(), mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None


class _Result(torch.autograd.Function):  # type: ignore[misc]
    """A masked tensor over what was computed with dense tensors: these get a dense gradient."""

    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any) -> Any:
        return wrapper(data.detach(), mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return (grad.to_tensor(0) if is_masked_tensor(grad) and not grad.is_sparse else grad), None


def wrapper(data: Any, mask: Any) -> Any:
    """A masked tensor over elements and a mask as they are."""
    made = MaskedTensor.__new__(MaskedTensor, data, mask)
    made._masked_data, made._masked_mask = data, mask
    return made


def result(data: Any, mask: Any) -> Any:
    """What a function gives that has computed with elements and their history."""
    return _Result.apply(data, mask)


def data_of(value: Any) -> Any:
    """The elements of a masked tensor without their history; anything else as it is."""
    return value._masked_data if is_masked_tensor(value) else value


def mask_of(value: Any) -> Any:
    """The mask of a masked tensor; None for anything else."""
    return value._masked_mask if is_masked_tensor(value) else None


def tensors_match(
    a: Any, b: Any, exact: bool = True, rtol: float = 1e-05, atol: float = 1e-08
) -> bool:
    """Whether two tensors of the same layout have equal elements, or near ones."""
    if is_masked_tensor(a) or is_masked_tensor(b):
        raise ValueError("Neither `a` nor `b` can be a MaskedTensor.")
    if a.layout is not b.layout:
        raise ValueError(f"`a` and `b` must have the same layout. Got {a.layout} and {b.layout}")
    if a.dtype is not b.dtype:
        b = b.type(a.dtype)
    parts = {
        torch.sparse_coo: ("values", "indices"),
        torch.sparse_csr: ("crow_indices", "col_indices", "values"),
    }.get(a.layout)
    if parts is not None:
        return all(tensors_match(getattr(a, p)(), getattr(b, p)(), exact) for p in parts)
    if a.dim() != b.dim():
        return False
    return bool((a == b).all() if exact else torch.allclose(a, b, rtol=rtol, atol=atol))


def masks_match(a: Any, b: Any) -> bool:
    """Whether two masked tensors count the same elements; what has no mask fits any."""
    if not (is_masked_tensor(a) and is_masked_tensor(b)):
        return True
    one, other = a.get_mask(), b.get_mask()
    return one is other or tensors_match(one, other)


_tensors_match, _masks_match = tensors_match, masks_match
_get_data, _maybe_get_mask = data_of, mask_of
