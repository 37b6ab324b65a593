"""`autograd.Function` within transformations: each layer treats the call as one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._C import _functorch
from rushlight._functorch.vmap import restore_vmap, unwrap_batched
from rushlight.autograd import function as functions
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.transforms.batch import Batch, VmapInfo
from rushlight.engine.transforms.differentiation import Differentiation
from rushlight.utils._pytree import (
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_unflatten,
)

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def apply_within(cls: Any, args: tuple[Any, ...], separate: bool) -> Any:
    """Call a function whose gradient the user writes, within transformations."""
    if layers.sees_whole():
        # What it computes is traced; its gradient is that of the operators.
        return functions._forward_only(cls, args, separate)
    if not separate and not _functorch.get_single_level_autograd_function_allowed():
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
            f"...), it must override the setup_context staticmethod. {_MORE}"
        )
    if not separate:
        return functions._apply(cls, args, separate)
    return custom_function_call(cls, *args)


def custom_function_call(cls: Any, *args: Any) -> Any:
    """What the innermost layer makes of a call."""
    layer = layers.top()
    if isinstance(layer, Differentiation):
        return _within_differentiation(layer, cls, args)
    if isinstance(layer, Batch):
        return _within_batch(layer, cls, args)
    return functions._apply(cls, args, True)


# -- differentiation --


def _within_differentiation(layer: Differentiation, cls: Any, args: tuple[Any, ...]) -> Any:
    """The call is one step of the layer; what it computes is computed by the layers below."""
    given = tuple(tree_map(layer.admitted, args))

    def compute(*values: Any) -> Any:
        inner = tuple(tree_map(layer.unwrapped, values))
        result = layers.lower(custom_function_call, cls, *inner)
        return wrap_outputs_maintaining_identity(
            result, inner, values, lambda one, _: layer.wrapped(one)
        )

    return functions._apply(cls, given, True, compute)


def wrap_outputs_maintaining_identity(
    outputs: Any,
    unwrapped_inputs: Any,
    orig_inputs: Any,
    wrap_fn: Callable[..., Any],
    out_dims: Any = None,
) -> Any:
    """Results in wrappers; what was given comes back as it was given."""
    known = {
        id(inner): given
        for inner, given in zip(tree_leaves(unwrapped_inputs), tree_leaves(orig_inputs))
        if isinstance(given, Tensor)
    }
    flat, spec = tree_flatten(outputs)
    flat_dims: Any = [None] * len(flat)
    if out_dims is not None:
        flat_dims = _broadcast_to_and_flatten(out_dims, spec)
        if flat_dims is None:
            raise RuntimeError(
                "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) "
                f"tuple. Expected out_dims={out_dims} to be compatible with the structure of `output`. "
                f"out_dims has structure {tree_flatten(out_dims)[1]} but output has structure {spec}. "
                f"{_MORE}"
            )
    made = []
    for place, one in enumerate(flat):
        if not isinstance(one, Tensor):
            made.append(one)
        elif id(one) in known:
            made.append(known[id(one)])
        else:
            made.append(wrap_fn(one, flat_dims[place]))
    return tree_unflatten(made, spec)


# -- batches --


def has_overridden_vmap_rule(autograd_function: Any) -> bool:
    """Whether a function has a `vmap` of its own."""
    return autograd_function.vmap is not functions.Function.vmap


def validate_vmap_returns_tuple_of_two_elements(result: Any) -> None:
    expected = (
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
        "compatible with the output."
    )
    if not isinstance(result, tuple):
        raise RuntimeError(f"{expected} Got a {type(result)} instead")
    if not len(result) == 2:
        raise RuntimeError(f"{expected} Got {len(result)} returns instead")


def _within_batch(layer: Batch, cls: Any, args: tuple[Any, ...]) -> Any:
    if cls.generate_vmap_rule:
        if has_overridden_vmap_rule(cls):
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an "
                "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the "
                f"overridden vmap staticmethod to avoid ambiguity. {_MORE}"
            )
    elif not has_overridden_vmap_rule(cls):
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override "
            f"and implement the vmap staticmethod or set generate_vmap_rule=True. {_MORE}"
        )
    flat, spec = tree_flatten(args)
    opened = [layer.opened(one) for one in flat]
    inner = tree_unflatten([value for value, _ in opened], spec)
    dims = tree_unflatten([dim for _, dim in opened], spec)
    if all(dim is None for _, dim in opened):
        return layers.lower(custom_function_call, cls, *args)
    if cls.generate_vmap_rule:
        made, out_dims = vmapify_autograd_function(cls, dims, layer.size, layer.randomness)
        outputs = layers.lower(custom_function_call, made, *inner)
        return wrap_outputs_maintaining_identity(outputs, inner, args, layer.closed, out_dims())
    info = VmapInfo(layer.size, layer.randomness)
    result = layers.lower(cls.vmap, info, dims, *inner)
    validate_vmap_returns_tuple_of_two_elements(result)
    outputs, found_dims = result
    return wrap_outputs_maintaining_identity(outputs, inner, args, layer.closed, found_dims)


def vmapify_autograd_function(
    autograd_function: Any, in_dims: Any, batch_size: int, randomness: str
) -> tuple[Any, Callable[[], Any]]:
    """A function on whole batches, whose gradient and tangent follow from those of a function on elements.

    The second result tells the dimensions of the batch in its results, after it has been called.
    """
    known: dict[str, Any] = {}

    def forward(*operands: Any) -> Any:
        outputs, out_dims = restore_vmap(
            autograd_function.forward, in_dims, batch_size, randomness
        )(*operands)
        known["out_dims"] = out_dims
        return outputs

    def setup_context(ctx: Any, inputs: Any, outputs: Any) -> None:
        def inner(inputs: Any, outputs: Any) -> None:
            wrapped = CtxCustomSave(ctx, _functorch.current_level())
            autograd_function.setup_context(wrapped, inputs, outputs)
            ctx._pt_saved_tensors_bdims = wrapped._pt_saved_tensors_bdims
            ctx._pt_saved_for_forward_bdims = wrapped._pt_saved_for_forward_bdims

        restore_vmap(inner, (in_dims, known["out_dims"]), batch_size, randomness)(inputs, outputs)
        ctx._pt_input_shapes = tuple(
            None if not isinstance(one, Tensor) else _without(one, dim)
            for one, dim in zip(tree_leaves(inputs), _broadcast(in_dims, inputs))
        )

    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        def inner(saved: Any, grads: Any) -> Any:
            return autograd_function.backward(CtxWithSavedTensors(ctx, saved), *grads)

        dims = known["out_dims"]
        out_dims = dims if isinstance(dims, tuple) else (dims,)
        found, found_dims = restore_vmap(
            inner, (ctx._pt_saved_tensors_bdims, out_dims), batch_size, randomness
        )(ctx.saved_tensors, grad_outputs)
        return reductify(found, found_dims, in_dims, batch_size, ctx._pt_input_shapes)

    def jvp(ctx: Any, *tangents: Any) -> Any:
        def inner(saved: Any, given: Any) -> Any:
            return autograd_function.jvp(CtxWithSavedTensors(ctx, saved), *given)

        found, found_dims = restore_vmap(
            inner,
            (ctx._pt_saved_for_forward_bdims, get_tangents_in_dims(in_dims, tangents)),
            batch_size,
            randomness,
        )(ctx.saved_for_forward, tangents)
        return reductify(found, found_dims, known["out_dims"], batch_size)

    body = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(setup_context),
        "backward": staticmethod(backward),
        "jvp": staticmethod(jvp),
        "generate_vmap_rule": True,
    }
    made = type(f"Vmapped{autograd_function.__name__}", (functions.Function,), body)
    return made, lambda: known["out_dims"]


def _without(x: Any, dim: int | None) -> Any:
    size = x.shape
    return tuple(size) if dim is None else (*size[:dim], *size[dim + 1 :])


def _broadcast(dims: Any, tree: Any) -> list[Any]:
    found = _broadcast_to_and_flatten(dims, tree_flatten(tree)[1])
    assert found is not None
    return found


def get_tangents_in_dims(input_dims: Any, tangents: Any) -> Any:
    """The dimensions of the batch in tangents: those of the inputs, where there are tangents."""
    flat_dims, spec = tree_flatten(input_dims, is_leaf=lambda x: x is None)
    flat = tree_flatten(tangents, is_leaf=lambda x: x is None)[0]
    return tree_unflatten([None if t is None else d for d, t in zip(flat_dims, flat)], spec)


# -- contexts --


class WrappedCtx:
    """A context in front of another one: what it does not know itself is the other's."""

    _pt_reserved_attrs: tuple[str, ...] = ("_pt_reserved_attrs", "_pt_inner_ctx")

    def __init__(self, ctx: Any) -> None:
        if not isinstance(ctx, WrappedCtx):
            reserved = type(self)._pt_reserved_attrs
            for name in reserved:
                if hasattr(ctx, name):
                    raise RuntimeError(
                        f"PyTorch reserves the {reserved} field on ctx. Please name your fields on ctx "
                        "something else to avoid name collision."
                    )
        self._pt_inner_ctx = ctx

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pt_inner_ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self)._pt_reserved_attrs:
            self.__dict__[name] = value
            return
        setattr(self._pt_inner_ctx, name, value)


class CtxWithSavedTensors(WrappedCtx):
    """A context with other saved tensors."""

    _pt_reserved_attrs = ("_pt_new_saved_tensors", *WrappedCtx._pt_reserved_attrs)

    def __init__(self, ctx: Any, new_saved_tensors: Sequence[Any]) -> None:
        super().__init__(ctx)
        self._pt_new_saved_tensors = new_saved_tensors

    @property
    def saved_tensors(self) -> Sequence[Any]:
        return self._pt_new_saved_tensors

    @property
    def saved_for_forward(self) -> Sequence[Any]:
        return self._pt_new_saved_tensors


class CtxCustomSave(WrappedCtx):
    """A context that saves whole batches, and remembers the dimensions of the batch in them."""

    _pt_reserved_attrs = (
        "_pt_saved_tensors_bdims",
        "_pt_saved_for_forward_bdims",
        "_pt_current_level",
        *WrappedCtx._pt_reserved_attrs,
    )

    def __init__(self, ctx: Any, current_level: int) -> None:
        super().__init__(ctx)
        self._pt_saved_tensors_bdims: Any = ()
        self._pt_saved_for_forward_bdims: Any = ()
        self._pt_current_level = current_level

    def save_for_backward(self, *tensors: Any) -> None:
        values, self._pt_saved_tensors_bdims = unwrap_batched(tensors, self._pt_current_level)
        self._pt_inner_ctx.save_for_backward(*values)

    def save_for_forward(self, *tensors: Any) -> None:
        values, self._pt_saved_for_forward_bdims = unwrap_batched(tensors, self._pt_current_level)
        self._pt_inner_ctx.save_for_forward(*values)


# -- gradients of batches --


def reductify(
    grad_input: Any,
    grad_input_bdim: Any,
    input_bdim: Any,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Any = None,
) -> Any:
    """Gradients in the shapes of their inputs: what all elements share gets the sum."""
    grads = grad_input if isinstance(grad_input, tuple) else (grad_input,)
    grad_dims = grad_input_bdim if isinstance(grad_input_bdim, tuple) else (grad_input_bdim,)
    dims = input_bdim if isinstance(input_bdim, tuple) else (input_bdim,)
    shapes = target_shape_without_bdim_to_reduce_to or (None,) * len(dims)
    return tuple(
        reductify_leaf(one, one_dim, dim, batch_size, shape)
        for one, one_dim, dim, shape in zip(grads, grad_dims, dims, shapes)
    )


def reductify_leaf(
    grad_input: Any,
    grad_input_bdim: int | None,
    input_bdim: int | None,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Any = None,
) -> Any:
    """One gradient in the shape of its input."""
    if grad_input is None or (grad_input_bdim is None and input_bdim is None):
        return grad_input
    if input_bdim is None:
        return grad_input.sum(grad_input_bdim)
    if grad_input_bdim is None:
        grad_input = grad_input.unsqueeze(input_bdim)
        size = list(grad_input.shape)
        size[input_bdim] = batch_size
        grad_input, grad_input_bdim = grad_input.expand(size), input_bdim
    if target_shape_without_bdim_to_reduce_to is not None:
        # A gradient may be larger than its input, which was broadcast.
        from rushlight._functorch.apis import vmap

        return vmap(
            Tensor.sum_to_size,  # type: ignore[attr-defined]
            in_dims=(grad_input_bdim, None),
            out_dims=input_bdim,
        )(grad_input, target_shape_without_bdim_to_reduce_to)
    if input_bdim != grad_input_bdim:
        grad_input = grad_input.movedim(grad_input_bdim, input_bdim)
    return grad_input


__all__ = [
    "CtxCustomSave",
    "CtxWithSavedTensors",
    "VmapInfo",
    "custom_function_call",
    "reductify",
    "reductify_leaf",
]
