"""What operators do with masked tensors, below autograd: by what kind they are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.nested.derived import is_elementwise
from rushlight.masked.maskedtensor.core import (
    MaskedTensor,
    data_of,
    is_masked_tensor,
    mask_of,
    masks_match,
    tensors_match,
    wrapper,
)

torch: Any = rushlight

# Operators that move elements: what they do to these, they do to the mask.
_MOVING = frozenset(
    (
        "cat", "col2im", "expand", "im2col", "index", "select",
        "select_backward", "slice", "slice_backward", "split", "split_with_sizes", "stack", "t",
        "transpose", "permute", "unbind", "unfold", "unfold_backward", "unsqueeze", "squeeze",
        "flip", "roll", "gather", "index_select", "chunk", "narrow", "diagonal", "movedim",
    )
)  # fmt: skip
# Reductions that count.
REDUCTIONS = frozenset(
    ("sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "norm", "var", "std")
)
_OWN: dict[str, Callable[..., Any]] = {}


def call(op: Any, args: Any, kwargs: Any) -> Any:
    """What an operator gives."""
    name = op.packet_name
    own = _OWN.get(name)
    if own is not None:
        return own(op, *args, **kwargs)
    if is_elementwise(op):
        return elementwise(op, args, kwargs)
    if name in REDUCTIONS:
        return reduced(op, args, kwargs)
    if name in _MOVING:
        return moved(op, args, kwargs)
    warnings.warn(
        f"{name} is not implemented in __torch_dispatch__ for MaskedTensor.\n"
        "If you would like this operator to be supported, please file an issue for a feature request "
        "at https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code "
        "snippet.\nIn the case that the semantics for the operator are not trivial, it would be "
        "appreciated to also include a proposal for the semantics.",
        stacklevel=2,
    )
    return NotImplemented


def own(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what operators of these names do."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        _OWN.update(dict.fromkeys(names, function))
        return function

    return decorate


def mapped(given: Any, part: Callable[[Any], Any]) -> Any:
    """Arguments with a part of each masked tensor in its place."""
    if is_masked_tensor(given):
        return part(given)
    if type(given) in (list, tuple):
        return type(given)(mapped(x, part) for x in given)
    if type(given) is dict:
        return {name: mapped(x, part) for name, x in given.items()}
    return given


def wrapped(data: Any, mask: Any) -> Any:
    """Results with their masks."""
    if isinstance(data, (list, tuple)):
        return type(data)(wrapped(d, m) for d, m in zip(data, mask))
    return wrapper(data, mask) if isinstance(data, Tensor) else NotImplemented


# -- elementwise --


def elementwise(op: Any, args: Any, kwargs: Any) -> Any:
    """Elements at their places; masks, if there are several, must be the same."""
    tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
    first = next(x for x in tensors if is_masked_tensor(x))
    if not all(masks_match(first, x) for x in tensors):
        raise ValueError(
            "Input masks must match. If you need support for this, please open an issue on Github."
        )
    changes = op.schema.is_inplace
    if changes and not is_masked_tensor(args[0]):
        raise TypeError("a tensor without a mask cannot take elements that may not count")
    if changes:
        op = functional_of(op)
    data = on_values(op, args, kwargs, first)
    if changes:
        target = args[0]
        target._set_data_mask(data.to(target.dtype), target.get_mask())
        return target
    mask = first.get_mask()
    if mask.layout is torch.strided:
        mask = mask.expand_as(data)
    return wrapper(data, mask)


def functional_of(op: Any) -> Any:
    """The operator that gives what one in place writes."""
    packet = getattr(torch.ops.aten, op.packet_name.removesuffix("_"))
    return getattr(packet, op._overloadname)


def on_values(op: Any, args: Any, kwargs: Any, first: Any) -> Any:
    """An elementwise operator on elements; of sparse ones, on the values."""
    data = first._masked_data
    if data.layout is torch.strided:
        return op(*mapped(args, data_of), **mapped(kwargs, data_of))
    check_places(data, [x for x in args if isinstance(x, Tensor)])

    def values(x: Any) -> Any:
        found = data_of(x)
        is_sparse = isinstance(found, Tensor) and found.layout is not torch.strided  # type: ignore[attr-defined]
        return found.values() if is_sparse else found

    made = op(*map(values, args), **kwargs)
    if data.layout is torch.sparse_coo:
        return torch.sparse_coo_tensor(data.indices(), made, data.size(), is_coalesced=True)
    return torch.sparse_csr_tensor(data.crow_indices(), data.col_indices(), made, data.size())


def check_places(data: Any, operands: Any) -> None:
    """Raise for sparse operands that have values at other places."""
    parts = ("indices",) if data.layout is torch.sparse_coo else ("crow_indices", "col_indices")
    for x in map(data_of, operands):
        if x.layout is not data.layout:
            continue
        if x.size() != data.size():
            raise ValueError("input1 and input2 must have the same size for binary functions.")
        if not all(tensors_match(getattr(x, p)(), getattr(data, p)()) for p in parts):
            raise ValueError(
                f"{str(data.layout).removeprefix('torch.')} indices must match. If you need support "
                "for this, please open an issue on Github."
            )


# -- the same for elements and mask --


def moved(op: Any, args: Any, kwargs: Any) -> Any:
    """An operator that moves elements, and the mask with them."""
    data, mask = (op(*mapped(args, f), **mapped(kwargs, f)) for f in (data_of, mask_of))
    return wrapped(data, mask)


def reduced(op: Any, args: Any, kwargs: Any) -> Any:
    """A reduction of what counts, such as gradients ask for."""
    from rushlight.masked.maskedtensor import functions

    names = [argument.name for argument in op.schema.arguments]
    given = dict(zip(names, args)) | kwargs
    x = given.pop("self")
    wanted = {k: given[k] for k in ("dim", "keepdim", "dtype", "p") if given.get(k) is not None}
    with torch.no_grad():
        return functions.reduced(op.packet_name, x, **wanted)


# -- others --


@own("view", "_unsafe_view", "_reshape_alias")
def view(op: Any, x: Any, size: Any, *strides: Any) -> Any:
    """Other sizes: elements that have been moved need not lie as a view wants them."""
    return wrapper(data_of(x).reshape(size), mask_of(x).reshape(size))


@own("detach", "clone", "alias", "lift_fresh")
def copied(op: Any, x: Any, *rest: Any, **options: Any) -> Any:
    return MaskedTensor(op(data_of(x), *rest, **options), mask_of(x))


@own("ones_like", "zeros_like", "empty_like", "full_like", "rand_like", "randn_like")
def made_like(op: Any, x: Any, *rest: Any, **options: Any) -> Any:
    return MaskedTensor(op(data_of(x), *rest, **options), mask_of(x))


@own("new_zeros")
def new_zeros(op: Any, x: Any, size: Any, *rest: Any, **options: Any) -> Any:
    """Elements of which none counts."""
    data = op(data_of(x), size, *rest, **options)
    return wrapper(data, torch.zeros_like(data, dtype=torch.bool))


@own("new_empty_strided")
def new_strided(op: Any, x: Any, size: Any, stride: Any, **options: Any) -> Any:
    data = data_of(x)
    for place, (given, wanted) in enumerate(((size, data.size()), (stride, data.stride())), 1):
        if tuple(given) != tuple(wanted):
            which = ("size", "stride")[place - 1]
            raise ValueError(
                f"__torch_dispatch__, {op}: args[{place}] expected to be the same as data.{which}()"
            )
    return MaskedTensor(op(data, size, stride, **options), mask_of(x))


@own("_to_copy")
def converted(op: Any, x: Any, *rest: Any, **options: Any) -> Any:
    mask = op(mask_of(x), *rest, **(options | {"dtype": torch.bool}))
    return MaskedTensor(op(data_of(x), *rest, **options), mask)


@own("_local_scalar_dense")
def number(op: Any, x: Any) -> Any:
    if not mask_of(x):
        raise ValueError(f"__torch_dispatch__, {op}: expected a mask tensor")
    return op(data_of(x))


@own("copy_")
def copy_(op: Any, target: Any, source: Any, *rest: Any) -> Any:
    op(data_of(target), data_of(source), *rest)
    if is_masked_tensor(source) and not target._masked_mask.any():
        # Where nothing counts yet, what comes does.
        target._masked_mask.copy_(mask_of(source))
    return target


@own("where")
def where(op: Any, condition: Any, a: Any, b: Any) -> Any:
    """Elements of one or the other, and their masks; what has no mask counts."""

    def mask(x: Any) -> Any:
        return torch.ones_like(x, dtype=torch.bool) if mask_of(x) is None else mask_of(x)

    condition = data_of(condition)
    return MaskedTensor(op(condition, data_of(a), data_of(b)), op(condition, mask(a), mask(b)))


@own("_to_dense", "to_dense")
def to_dense(op: Any, x: Any, *rest: Any, **options: Any) -> Any:
    return MaskedTensor(data_of(x).to_dense(), mask_of(x).to_dense())


@own("_to_sparse", "to_sparse")
def to_sparse(op: Any, x: Any, *rest: Any, **options: Any) -> Any:
    mask = mask_of(x).to_sparse_coo().coalesce()
    return MaskedTensor(data_of(x).sparse_mask(mask), mask)


@own("_to_sparse_csr")
def to_sparse_csr(op: Any, x: Any, *rest: Any, **options: Any) -> Any:
    mask = mask_of(x).to_sparse_csr()
    return MaskedTensor(data_of(x).sparse_mask(mask), mask)


@own("_values", "values", "_indices", "indices")
def part(op: Any, x: Any) -> Any:
    found = op(data_of(x))
    return MaskedTensor(found, torch.ones_like(found, dtype=torch.bool))


@own("is_same_size")
def is_same_size(op: Any, x: Any, other: Any) -> Any:
    return data_of(x).is_same_size(data_of(other))


@own("_is_any_true")
def any_true(op: Any, x: Any) -> Any:
    return MaskedTensor(op(data_of(x) & mask_of(x)), torch.tensor(True))


@own("_softmax")
def softmax(op: Any, x: Any, dim: int, *rest: Any) -> Any:
    from rushlight import masked

    return MaskedTensor(masked.softmax(data_of(x), dim, mask=mask_of(x)), mask_of(x))
