"""Derivatives of functions: products with vectors, Jacobians and Hessians."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight.autograd import forward_ad
from rushlight.autograd.grad_mode import enable_grad, is_grad_enabled
from rushlight.engine.core.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = tuple[Any, ...]


# -- arguments and results --


class Several:
    """Tensors that a program gave as one tensor or as a tuple, to be given back likewise."""

    def __init__(self, given: Any, what: str, function: str) -> None:
        self.is_tuple = isinstance(given, tuple)
        self.items: Tensors = given if self.is_tuple else (given,)
        for index, item in enumerate(self.items):
            if isinstance(item, Tensor):
                continue
            which = f"value at index {index}" if self.is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but "
                f"the {which} has type {type(item)}."
            )

    def like(self, items: Sequence[Any]) -> Any:
        return tuple(items) if self.is_tuple else items[0]


def prepared(items: Tensors, create_graph: bool) -> Tensors:
    """Tensors to differentiate by: part of the outer graph, or the start of a new one."""
    if not create_graph:
        return tuple(t.detach().requires_grad_() for t in items)
    return tuple(t.view_as(t) if t.requires_grad else t.clone().requires_grad_() for t in items)


def finished(found: Any, create_graph: bool) -> Any:
    """Results without their history, unless it is wanted."""
    if create_graph:
        return found
    if isinstance(found, tuple):
        return tuple(finished(item, False) for item in found)
    return found.detach()


def outputs_of(func: Any, inputs: Tensors, function: str) -> Several:
    return Several(func(*inputs), "outputs of the user-provided function", function)


def single_output(func: Any, inputs: Tensors, function: str) -> Several:
    """The output of a function that must give one number."""
    outputs = outputs_of(func, inputs, function)
    if outputs.is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs.items[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {function} should contain a single element"
        )
    return outputs


def vector(v: Any, like: Several, function: str, why: str) -> Tensors:
    """The vector of a product; ones if it is None and there is one number only."""
    if v is None:
        if len(like.items) != 1 or like.items[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {why}")
        return (rushlight.ones_like(like.items[0]),)
    given = Several(v, "v", function).items
    if like.is_tuple and len(given) != len(like.items):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like.items)} but got {len(given)}."
        )
    if not like.is_tuple and len(given) != 1:
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (item, other) in enumerate(zip(given, like.items)):
        if item.shape != other.shape:
            entry = f"Entry {index} in " if like.is_tuple else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {other.shape} but got {item.shape}."
            )
    return given


ONE_INPUT = "the input to the user-provided function is a single Tensor with a single element."
ONE_OUTPUT = "the user-provided function returns a single Tensor with a single element."


# -- strictness --


WHY_INDEPENDENT = {
    "outputs": (
        "Output {0} of the user-provided function does not require gradients. The outputs must be "
        "computed in a differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {0} is independent of the inputs of the user-provided "
        "function. This is not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with "
        "respect to input {0} is independent of the input. This is not allowed in strict mode. You "
        "should ensure that your function is twice differentiable and that the jacobian depends on "
        "the inputs (this would be violated by a linear function for example)."
    ),
}


INDEPENDENT = (
    "The {0} of the user-provided function is independent of input {1}. This is not allowed in "
    "strict mode when create_graph=True."
)


def require_dependence(items: Sequence[Any], what: str, strict: bool) -> None:
    """In strict mode, raise for results that no input takes part in."""
    if not strict:
        return
    for index, item in enumerate(items):
        if item is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {index}. This is "
                "not allowed in strict mode."
            )
        if not item.requires_grad:
            raise RuntimeError(WHY_INDEPENDENT[what].format(index))


def gradients(
    outputs: Sequence[Any], inputs: Sequence[Any], grads: Any = None, create_graph: bool = False
) -> Tensors:
    """Gradients, None for inputs that no output depends on."""
    grads = (None,) * len(outputs) if grads is None else grads
    pairs = [(o, g) for o, g in zip(outputs, grads) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    found: Tensors = rushlight.autograd.grad(
        [o for o, _ in pairs], inputs, [g for _, g in pairs],
        create_graph=create_graph, retain_graph=True, allow_unused=True,
    )  # fmt: skip
    return found


def zeros_for_none(found: Sequence[Any], like: Sequence[Any]) -> Tensors:
    return tuple(rushlight.zeros_like(t) if f is None else f for f, t in zip(found, like))


# -- products --


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """A function's value, and the product of a vector with its Jacobian.

    Args:
        func: takes tensors, gives a tensor or several
        inputs: where to differentiate
        v: as large as the outputs; may be None for a single number
        create_graph: record the derivatives, for higher ones
        strict: raise where an output does not depend on an input, instead of giving zeros
    """
    with enable_grad():
        given = Several(inputs, "inputs", "vjp")
        variables = prepared(given.items, create_graph)
        outputs = outputs_of(func, variables, "vjp")
        require_dependence(outputs.items, "outputs", strict)
        grads = vector(v, outputs, "vjp", ONE_OUTPUT)
    with rushlight.set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(outputs.items, variables, grads, create_graph)
        require_reached(found, strict)
        require_connected(found, strict and create_graph)
        product = zeros_for_none(found, variables)
    value = finished(outputs.items, create_graph)
    return outputs.like(value), given.like(finished(product, create_graph))


def require_reached(found: Sequence[Any], strict: bool) -> None:
    if strict:
        for index, item in enumerate(found):
            if item is None:
                raise RuntimeError(
                    f"The output of the user-provided function is independent of input {index}. "
                    "This is not allowed in strict mode."
                )


def require_connected(found: Sequence[Any], strict: bool, what: str = "jacobian") -> None:
    """With a graph wanted, raise for derivatives that are constant."""
    if strict:
        for index, item in enumerate(found):
            if item is None or not item.requires_grad:
                raise RuntimeError(INDEPENDENT.format(what, index))


def transposed_product(
    outputs: Sequence[Any], inputs: Sequence[Any], v: Sequence[Any], create_graph: bool,
    strict: bool,
) -> Tensors:  # fmt: skip
    """The Jacobian times a vector: the gradient, by its own gradient, of a backward pass."""
    probes = [rushlight.zeros_like(o, requires_grad=True) for o in outputs]
    back = gradients(outputs, inputs, probes, True)
    require_dependence(back, "grad_inputs", strict)
    return gradients(back, probes, v, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """A function's value, and the product of its Jacobian with a vector as large as the inputs.

    The other arguments are those of `vjp`.
    """
    with enable_grad():
        given = Several(inputs, "inputs", "jvp")
        variables = prepared(given.items, create_graph)
        tangents = vector(v, given, "jvp", ONE_INPUT)
        outputs = outputs_of(func, variables, "jvp")
        require_dependence(outputs.items, "outputs", strict)
        found = transposed_product(outputs.items, variables, tangents, create_graph, strict)
        require_connected(found, strict and create_graph)
        product = zeros_for_none(found, outputs.items)
    value = finished(outputs.items, create_graph)
    return outputs.like(value), outputs.like(finished(product, create_graph))


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The value of a function that gives one number, and the product of a vector with its Hessian.

    The other arguments are those of `vjp`; ``v`` is as large as the inputs.
    """
    with enable_grad():
        given = Several(inputs, "inputs", "vhp")
        tangents = vector(v, given, "vhp", ONE_INPUT)
        variables = prepared(given.items, create_graph)
        outputs = single_output(func, variables, "vhp")
        require_dependence(outputs.items, "outputs", strict)
        slopes = gradients(outputs.items, variables, None, True)
        require_dependence(slopes, "jacobian", strict)
        found = gradients(slopes, variables, tangents, create_graph)
        require_reached(found, strict)
        require_connected(found, strict and create_graph, "hessian")
        product = zeros_for_none(found, variables)
    value = finished(outputs.items, create_graph)
    return outputs.like(value), given.like(finished(product, create_graph))


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The value of a function that gives one number, and the product of its Hessian with a vector.

    The other arguments are those of `vhp`.
    """
    with enable_grad():
        given = Several(inputs, "inputs", "hvp")
        tangents = vector(v, given, "hvp", ONE_INPUT)
        variables = prepared(given.items, create_graph)
        outputs = single_output(func, variables, "hvp")
        require_dependence(outputs.items, "outputs", strict)
        slopes = gradients(outputs.items, variables, None, True)
        require_dependence(slopes, "jacobian", strict)
        slopes = zeros_for_none(slopes, variables)
        found = transposed_product(slopes, variables, tangents, create_graph, False)
        require_connected(found, strict and create_graph, "hessian")
        product = zeros_for_none(found, variables)
    value = finished(outputs.items, create_graph)
    return outputs.like(value), given.like(finished(product, create_graph))


# -- matrices --


def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """A function's Jacobian: sizes of an output, then sizes of an input.

    Args:
        func: takes tensors, gives a tensor or several
        inputs: where to differentiate
        create_graph: record the derivatives, for higher ones
        strict: raise where an output does not depend on an input, instead of giving zeros
        vectorize: allow ``strategy="forward-mode"``
        strategy: "reverse-mode", a pass per output element, or "forward-mode", a call per input
            element
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        refuse_forward(create_graph, strict, vectorize)
        return forward_jacobian(func, inputs)
    if vectorize and strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    with enable_grad():
        given = Several(inputs, "inputs", "jacobian")
        variables = prepared(given.items, create_graph)
        outputs = outputs_of(func, variables, "jacobian")
        require_dependence(outputs.items, "outputs", strict)
        blocks = [
            backward_rows(
                out, number if outputs.is_tuple else None, variables, create_graph, strict
            )
            for number, out in enumerate(outputs.items)
        ]
    rows = [given.like(finished(block, create_graph)) for block in blocks]
    return outputs.like(rows)


def refuse_forward(create_graph: bool, strict: bool, vectorize: bool) -> None:
    if create_graph:
        raise NotImplementedError(
            "torch.autograd.functional.jacobian: `create_graph=True` and "
            '`strategy="forward-mode"` are not supported together (yet). Please either set '
            '`create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are '
            "not supported together (yet). Please either set `strict=False` or "
            '`strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly "
            "implemented for `vectorize=True`."
        )


def backward_rows(
    out: Any, number: int | None, inputs: Tensors, create_graph: bool, strict: bool
) -> Tensors:
    """The Jacobians of one output, made row by row."""
    rows: list[list[Any]] = [[] for _ in inputs]
    for direction in unit_tensors(out):
        found = gradients([out], inputs, [direction], create_graph)
        for place, grad in enumerate(found):
            if strict and grad is None:
                which = "Output" if number is None else f"Output {number}"
                raise RuntimeError(
                    f"{which} of the user-provided function is independent of input {place}. This is "
                    "not allowed in strict mode."
                )
            if strict and create_graph and not grad.requires_grad:
                raise RuntimeError(INDEPENDENT.format("jacobian", place))
            rows[place].append(rushlight.zeros_like(inputs[place]) if grad is None else grad)
    return tuple(stacked(r, (*out.shape, *t.shape), t) for r, t in zip(rows, inputs))


def stacked(rows: list[Any], size: tuple[int, ...], like: Any) -> Any:
    if not rows:
        return like.new_zeros(size)
    return rushlight.stack(rows).reshape(size)


def forward_jacobian(func: Callable[..., Any], inputs: Any) -> Any:
    """The Jacobian, made column by column from tangents."""
    given = Several(inputs, "inputs", "jacobian")
    outputs: Any = None
    columns: list[list[list[Any]]] = []
    for place, item in enumerate(given.items):
        columns.append([])
        for element in range(item.numel()):
            with forward_ad.dual_level():
                args = list(given.items)
                args[place] = forward_ad.make_dual(item.detach(), one_hot(item, element))
                outputs = outputs_of(func, tuple(args), "jacobian")
                tangents = [forward_ad.unpack_dual(o).tangent for o in outputs.items]
                filled = zeros_for_none(tangents, outputs.items)
                columns[-1].append([t.detach().clone() for t in filled])
    if outputs is None:
        outputs = outputs_of(func, given.items, "jacobian")
    blocks = []
    for number, out in enumerate(outputs.items):
        block = []
        for item, found in zip(given.items, columns):
            size = (*out.shape, *item.shape)
            parts = [c[number] for c in found]
            whole = rushlight.stack(parts, -1).reshape(size) if parts else out.new_zeros(size)
            block.append(whole)
        blocks.append(given.like(block))
    return outputs.like(blocks)


def unit_tensors(like: Any) -> Sequence[Any]:
    """For each element, a tensor that is one there and zero elsewhere."""
    count = like.numel()
    if not count:
        return ()
    (units,) = _construct_standard_basis_for((like,), (count,))
    return units.reshape(count, *like.shape).unbind(0)  # type: ignore[no-any-return]


def _construct_standard_basis_for(tensors: Tensors, tensor_numels: Sequence[int]) -> Tensors:
    """The columns of an identity matrix for the elements of all tensors, those of each in one block.

    Args:
        tensors: whose types, devices and classes the blocks have
        tensor_numels: how many elements each of them has
    """
    if len(tensors) != len(tensor_numels):
        raise AssertionError(
            f"Expected tensors and tensor_numels to have the same length, but got {len(tensors)} "
            f"and {len(tensor_numels)}"
        )
    if not tensors:
        raise AssertionError("Expected at least one tensor")
    rows = sum(tensor_numels)
    starts = itertools.accumulate(tensor_numels, initial=0)
    blocks = []
    for like, count, start in zip(tensors, tensor_numels, starts):
        block = like.new_zeros(rows, count)
        block.diagonal(-start).fill_(1)
        blocks.append(block)
    return tuple(blocks)


def one_hot(like: Any, place: int) -> Any:
    made = like.new_zeros(like.numel())
    made[place] = 1
    return made.reshape(like.shape)


def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Hessian of a function that gives one number.

    Args:
        func: takes tensors, gives a tensor with one element
        inputs: where to differentiate
        create_graph: record the derivatives, for higher ones
        strict: raise where a derivative does not depend on an input, instead of giving zeros
        vectorize: allow ``outer_jacobian_strategy="forward-mode"``
        outer_jacobian_strategy: how the Jacobian of the gradient is made
    """
    given = Several(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def slopes(*args: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            args = tuple(a.view_as(a).requires_grad_() for a in args)
        out = single_output(func, args, "hessian").items[0]
        require_dependence([out], "outputs", strict)
        found = gradients([out.reshape(())], args, None, True)
        require_dependence(found, "jacobian", strict)
        return given.like(zeros_for_none(found, args))

    return jacobian(
        slopes, inputs, create_graph=create_graph, strict=strict, vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )  # fmt: skip
