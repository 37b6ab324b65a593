"""A function that goes along a dimension and carries values with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight._dynamo.exc import UncapturedHigherOrderOpError
from rushlight._higher_order_ops.operator import HigherOrderOperator
from rushlight._higher_order_ops.tracing import vjp_of
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["scan", "scan_op"]


class ScanOp(HigherOrderOperator):
    """`scan(combine_fn, init, xs, additional_inputs)` along the first dimension; carries, then results."""

    graph_names = ("scan_combine_graph",)
    argument_names = ("combine_fn", "init*", "xs*", "additional_input*")
    graph_titles = ("torch.scan",)

    def __init__(self) -> None:
        super().__init__("scan")

    def functions(self, args: Sequence[Any]) -> list[Callable[..., Any]]:
        return [args[0]]

    def inputs_of(self, index: int, args: Sequence[Any]) -> list[Any]:
        rest = args[3] if len(args) > 3 else ()
        return [*args[1], *(x[0].clone() for x in args[2]), *rest]

    def rebuilt(
        self, functions: Sequence[Any], args: Sequence[Any], captured: Sequence[Any] = ()
    ) -> tuple[Any, ...]:
        rest = args[3] if len(args) > 3 else ()
        return functions[0], list(args[1]), list(args[2]), (*rest, *captured)

    def eager(self, combine_fn: Any, init: Any, xs: Any, additional: Any = ()) -> Any:
        carry, rows = list(init), []
        count = len(carry)
        for row in zip(*(x.unbind(0) for x in xs)):
            found = combine_fn(*carry, *row, *additional)
            carry = list(found[:count])
            rows.append(found[count:])
        # A carry that nothing has changed is none of the program's tensors.
        carry = [x.clone() if any(x is y for y in init) else x for x in carry]
        return [*carry, *(rushlight.stack(parts) for parts in zip(*rows))]

    def fake(self, combine_fn: Any, init: Any, xs: Any, additional: Any = ()) -> Any:
        steps = xs[0].shape[0]
        found = combine_fn(*init, *(x[0].clone() for x in xs), *additional)
        count = len(init)
        check_carries(init, found[:count])
        return [*found[:count], *(x.new_empty((steps, *x.shape)) for x in found[count:])]

    def gradient(self, args: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        combine_fn, init, xs = args[:3]
        rest = [x.detach() for x in (args[3] if len(args) > 3 else ())]
        init, xs = [x.detach() for x in init], [x.detach() for x in xs]
        kept, given = len(init), len(init) + len(xs)

        def remember(*values: Any) -> Any:
            # The carries before each step are results, too.
            found = combine_fn(*values)
            return [*found[:kept], *(x.clone() for x in values[:kept])]

        before = self(remember, init, xs, tuple(rest))[kept:]
        step = vjp_of(combine_fn, given + len(rest))
        of_results = [x.flip(0) for x in grads[kept:]]
        sums = [rushlight.zeros_like(x) for x in rest]
        shared = len(rest)

        def backward(*values: Any) -> Any:
            carried, summed = values[:kept], values[kept : kept + shared]
            rows = values[kept + shared : kept + shared + kept + len(xs)]
            outs = values[kept + shared + kept + len(xs) :][: len(of_results)]
            fixed = values[kept + shared + kept + len(xs) + len(of_results) :]
            found = step(*rows, *fixed, *carried, *outs)
            added = [a + b for a, b in zip(summed, found[given:])]
            return [*found[:kept], *added, *found[kept:given]]

        rows = [x.flip(0) for x in (*before, *xs)]
        found = self(backward, [*grads[:kept], *sums], [*rows, *of_results], tuple(rest))
        along = [x.flip(0) for x in found[kept + shared :]]
        return [*found[:kept], *along, *found[kept : kept + shared]]


scan_op = ScanOp()


def check_carries(init: Sequence[Any], carry: Sequence[Any]) -> None:
    """Raise if values that are carried become others than they were."""
    if len(init) != len(carry):
        raise RuntimeError(
            f"Expected init and carry to have same number of outputs but got lhs:{len(init)} and rhs:{len(carry)}"
        )
    for one, other in zip(init, carry):
        kinds = [(tuple(x.shape), x.dtype, x.device) for x in (one, other)]
        if kinds[0] != kinds[1]:
            raise RuntimeError(
                f"Expected init and carry to have same metadata, but found {kinds[0]} and {kinds[1]}"
            )


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any,
    *,
    dim: int = 0,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """The last carry, and the stacked results, of a function that goes along a dimension.

    Args:
        combine_fn: takes a carry and an element; gives the next carry and a result
        init: the first carry: a nest of tensors
        xs: a nest of tensors, which are gone through
        dim: their dimension
        reverse: whether the last element comes first
    """
    if not callable(combine_fn):
        raise RuntimeError("Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(dim, int):
        raise RuntimeError("Dim must be an int, but got " + str(type(dim)))
    if not isinstance(reverse, bool):
        raise RuntimeError("Reverse must be a bool, but got " + str(type(reverse)))
    carries, carry_spec = pytree.tree_flatten(init)
    leaves, spec = pytree.tree_flatten(xs)
    if not leaves:
        return init, xs
    if not carries:
        raise RuntimeError("scan() operator requires init leaves.")
    if not all(isinstance(x, Tensor) for x in carries):
        raise RuntimeError(f"All init leaves must be a Tensor but got {carries}")
    if not all(isinstance(x, Tensor) for x in leaves):
        raise RuntimeError(f"All xs leaves must be a Tensor but got {leaves}")
    if any(x.dim() <= dim for x in leaves):
        raise RuntimeError(
            "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"
        )
    if any(x.shape[dim] == 0 for x in leaves):
        raise RuntimeError(
            "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"
        )
    if any(x.shape[dim] != leaves[0].shape[dim] for x in leaves):
        raise RuntimeError(
            f"All xs leaves must have the same scan dimension size, got {[x.shape[dim] for x in leaves]}"
        )
    rows = leaves if dim == 0 else [rushlight.movedim(x, dim, 0) for x in leaves]
    rows = [x.flip(0) for x in rows] if reverse else rows
    count = len(carries)
    out_spec: Any = None

    def step(*values: Any) -> list[Any]:
        nonlocal out_spec
        carry = pytree.tree_unflatten(list(values[:count]), carry_spec)
        row = pytree.tree_unflatten(list(values[count : count + len(leaves)]), spec)
        found = combine_fn(carry, row)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise UncapturedHigherOrderOpError(
                "Higher Order Operator: torch.ops.higher_order.scan: combine_fn needs to produce two pytrees, one "
                f"for the carries and one for the outputs, got {found}"
            )
        carried, spec_of_carry = pytree.tree_flatten(found[0])
        if spec_of_carry != carry_spec:
            raise RuntimeError(
                f"The tree structure of the inits and the carries are not identical: {carry_spec} and {spec_of_carry}"
            )
        check_carries(values[:count], carried)
        made, out_spec = pytree.tree_flatten(found[1])
        return [*carried, *made]

    found = scan_op(step, carries, rows, ())
    results = [x.flip(0) for x in found[count:]] if reverse else list(found[count:])
    carry = pytree.tree_unflatten(list(found[:count]), carry_spec)
    return carry, pytree.tree_unflatten(results, out_spec)
