"""Differentiation as transformations: `vjp`, `jvp`, Jacobians, Hessians, `linearize`."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Sequence
from typing import Any

import rushlight
from rushlight._C import _functorch
from rushlight._C._functorch import (
    _grad_decrement_nesting,
    _grad_increment_nesting,
    _jvp_decrement_nesting,
    _jvp_increment_nesting,
    _unwrap_for_grad,
    _wrap_for_grad,
)
from rushlight._functorch.vmap import doesnt_support_saved_tensors_hooks
from rushlight.autograd import forward_ad
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.utils._pytree import (
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_unflatten,
    treespec_pprint,
)

_JVP = "jvp(f, primals, tangents)"

# How many forward-mode transformations run.
JVP_NESTING = 0


@contextlib.contextmanager
def enable_inplace_requires_grad(enabled: bool) -> Generator[None, None, None]:
    """A block in which `requires_grad_` may be called within transformations, or may not."""
    before = _functorch.get_inplace_requires_grad_allowed()
    _functorch.set_inplace_requires_grad_allowed(enabled)
    try:
        yield
    finally:
        _functorch.set_inplace_requires_grad_allowed(before)


def _create_differentiable(inps: Any, level: int | None = None) -> Any:
    """Let all tensors want a gradient."""

    def create(x: Any) -> Any:
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x._dtype_.category < dtypes.FLOATING:
            raise RuntimeError(
                "only Tensors of floating point dtype can require gradients"
                if x._dtype_.category < dtypes.FLOATING
                else ""
            )
        nodes.make_leaf(x)
        return x

    return tree_map(create, inps)


def _undo_create_differentiable(inps: Any, level: int | None = None) -> Any:
    """The values of tensors that are wrapped for a level."""

    def undo(x: Any) -> Any:
        if isinstance(x, Tensor):
            assert level is not None
            return _unwrap_for_grad(x, level)
        if isinstance(x, tuple):
            return tree_map(undo, tuple(x))
        raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")

    return tree_map(undo, inps)


def _wrap_tensor_for_grad(maybe_tensor: Any, level: int) -> Any:
    return _wrap_for_grad(maybe_tensor, level) if isinstance(maybe_tensor, Tensor) else maybe_tensor


def _wrap_all_tensors(tensor_pytree: Any, level: int) -> Any:
    return tree_map(functools.partial(_wrap_tensor_for_grad, level=level), tensor_pytree)


def _as_tuple(val: Any) -> tuple[Any, ...]:
    return val if isinstance(val, tuple) else (val,)


def _autograd_grad(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    grad_outputs: Sequence[Any] | None = None,
    retain_graph: bool = False,
    create_graph: bool = True,
) -> tuple[Any, ...]:
    """Gradients; zeros where an output does not depend on an input."""
    if grad_outputs is None:
        ends: Sequence[Any] = [out for out in outputs if out.requires_grad]
    else:
        pairs = [(out, grad) for out, grad in zip(outputs, grad_outputs) if out.requires_grad]
        ends, grad_outputs = ([one for one, _ in pairs], [other for _, other in pairs])
    if not ends:
        return tuple(rushlight.zeros_like(x) for x in inputs)  # type: ignore[attr-defined]
    found = rushlight.autograd.grad(
        ends,
        inputs,
        grad_outputs,
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
    )
    return tuple(
        rushlight.zeros_like(x) if one is None else one  # type: ignore[attr-defined]
        for one, x in zip(found, inputs)
    )


@contextlib.contextmanager
def grad_increment_nesting() -> Generator[int, None, None]:
    """A block within a reverse-mode differentiation; gives its level."""
    level = _grad_increment_nesting()
    try:
        yield level
    finally:
        _grad_decrement_nesting()


def enter_jvp_nesting() -> int:
    global JVP_NESTING
    level = _jvp_increment_nesting()
    JVP_NESTING += 1
    return level


def exit_jvp_nesting() -> None:
    global JVP_NESTING
    _jvp_decrement_nesting()
    JVP_NESTING -= 1


@contextlib.contextmanager
def jvp_increment_nesting() -> Generator[int, None, None]:
    """A block within a forward-mode differentiation; gives its level."""
    level = enter_jvp_nesting()
    try:
        yield level
    finally:
        exit_jvp_nesting()


# -- reverse mode --


def grad_and_value_impl(
    func: Callable[..., Any], argnums: Any, has_aux: bool, args: Any, kwargs: Any
) -> Any:
    """The gradient and the value, and what ``func`` gives besides."""
    with (
        _no_saved_hooks(),
        grad_increment_nesting() as level,
    ):
        with rushlight.enable_grad():
            args = _wrap_all_tensors(args, level)
            kwargs = _wrap_all_tensors(kwargs, level)
            wanted = _slice_argnums(args, argnums, as_tuple=False)
            tree_map_(functools.partial(_create_differentiable, level=level), wanted)
            output = func(*args, **kwargs)
            aux = None
            if has_aux:
                if not (isinstance(output, tuple) and len(output) == 2):
                    raise RuntimeError(
                        "grad_and_value(f)(*args): output of function f should be a tuple: (output, "
                        "aux) if has_aux is True"
                    )
                output, aux = output
            if not isinstance(output, Tensor):
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got "
                    f"{type(output)}"
                )
            if output.dim() != 0:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor "
                    f"with {output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            flat, spec = tree_flatten(wanted)
        # Higher derivatives are the matter of the layers around this one.
        found = _autograd_grad((output,), flat, create_graph=_keeps_histories(output))
        gradient = tree_unflatten([_unwrap_for_grad(one, level) for one in found], spec)
        value = _unwrap_for_grad(output, level)
        if has_aux:
            aux = _undo_create_differentiable(aux, level)
    return (gradient, (value, aux)) if has_aux else (gradient, value)


def _keeps_histories(output: Any) -> bool:
    """Whether steps of the backward pass have to be recorded for their own level: hooks may ask for it."""
    return False


def grad_impl(func: Callable[..., Any], argnums: Any, has_aux: bool, args: Any, kwargs: Any) -> Any:
    """The gradient, and what ``func`` gives besides."""
    found = grad_and_value_impl(func, argnums, has_aux, args, kwargs)
    if has_aux:
        gradient, (_, aux) = found
        return gradient, aux
    return found[0]


def _no_saved_hooks() -> Any:
    from rushlight._functorch.vmap import _NO_HOOKS
    from rushlight.autograd.graph import disable_saved_tensors_hooks

    return disable_saved_tensors_hooks(_NO_HOOKS)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The result of a function, and a function from gradients of it to gradients of the arguments.

    Args:
        func: gives tensors, or trees of them
        primals: its arguments
        has_aux: ``func`` gives a pair of the result and something that is passed on
    """
    return _vjp_with_argnums(func, *primals, has_aux=has_aux)


@doesnt_support_saved_tensors_hooks
def _vjp_with_argnums(
    func: Callable[..., Any], *primals: Any, argnums: Any = None, has_aux: bool = False
) -> Any:
    """`vjp`, with gradients of some arguments only."""
    with grad_increment_nesting() as level, rushlight.enable_grad():
        primals = _wrap_all_tensors(primals, level)
        if argnums is None:
            wanted = _create_differentiable(primals, level)
        else:
            wanted = _slice_argnums(primals, argnums, as_tuple=False)
            tree_map_(functools.partial(_create_differentiable, level=level), wanted)
        outputs = func(*primals)
        aux = None
        if has_aux:
            if not (isinstance(outputs, tuple) and len(outputs) == 2):
                raise RuntimeError(
                    "vjp(f, *primals): output of function f should be a tuple: (output, aux) if "
                    "has_aux is True"
                )
            outputs, aux = outputs
            aux = _undo_create_differentiable(aux, level)
        flat_outputs, outputs_spec = tree_flatten(outputs)
        assert_non_empty_tensor_output(flat_outputs, "vjp(f, *primals)")
        flat_wanted, wanted_spec = tree_flatten(wanted)
        results = _undo_create_differentiable(outputs, level)
        for out in flat_outputs:
            # A view of what was changed later finds its history while the level is there.
            metas.edge_of(out)
            if not (out.is_floating_point() or out.is_complex()):
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                    f"Tensor with dtype {out.dtype}"
                )

    def wrapper(
        cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:
        if create_graph is None:
            create_graph = rushlight.is_grad_enabled()  # type: ignore[attr-defined]
        flat_cotangents, cotangents_spec = tree_flatten(cotangents)
        if outputs_spec != cotangents_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                f"to the function. cotangents: {treespec_pprint(cotangents_spec)}, primal output: "
                f"{treespec_pprint(outputs_spec)}"
            )
        found = _autograd_grad(
            flat_outputs,
            flat_wanted,
            flat_cotangents,
            retain_graph=retain_graph,
            create_graph=create_graph,
        )
        # The level of the arguments may have ended, which leaves nothing but their values.
        found = tuple(_functorch.unwrap_if_dead(one) for one in found)
        return tree_unflatten(found, wanted_spec)

    return (results, wrapper, aux) if has_aux else (results, wrapper)


def error_if_complex(func_name: str, args: Any, is_input: bool) -> None:
    """Raise for a complex tensor among the arguments or results of a Jacobian."""
    for place, arg in enumerate(tree_leaves(args)):
        if isinstance(arg, Tensor) and arg.dtype.is_complex:
            which = "inputs" if is_input else "outputs"
            raise RuntimeError(
                f"{func_name}: Expected all {which} to be real but received complex tensor at flattened "
                f"input idx: {place}"
            )


def jacrev(
    func: Callable[..., Any],
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that gives the Jacobian of another one, row by row: in reverse mode.

    Args:
        func: gives tensors, or trees of them
        argnums: the place of the argument that the Jacobian is of, or a tuple of places
        has_aux: ``func`` gives a pair of the result and something that is passed on
        chunk_size: how many rows are computed at once; None for all
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func, updated=())
    def wrapper(*args: Any) -> Any:
        error_if_complex("jacrev", args, is_input=True)
        output, vjp_fn, *aux = _vjp_with_argnums(func, *args, argnums=argnums, has_aux=has_aux)
        flat_output, output_spec = tree_flatten(output)
        error_if_complex("jacrev", flat_output, is_input=False)
        counts = [out.numel() for out in flat_output]
        flat_primals, primals_spec = tree_flatten(_slice_argnums(args, argnums))
        rows = _rows(vjp_fn, flat_output, counts, output_spec, flat_primals, chunk_size, _preallocate_and_copy)  # fmt: skip
        # One tensor of all rows for each argument; the rows belong to the outputs in turns.
        parts = [rushlight.split(one, counts, dim=0) for one in rows]  # type: ignore[attr-defined]
        by_output = []
        for place, out in enumerate(flat_output):
            blocks = [
                part[place].view(out.shape + primal.shape)
                for part, primal in zip(parts, flat_primals)
            ]
            made = tree_unflatten(blocks, primals_spec)
            by_output.append(made[0] if isinstance(argnums, int) else made)
        found = tree_unflatten(by_output, output_spec)
        return (found, *aux) if has_aux else found

    return wrapper


def _rows(
    vjp_fn: Callable[..., Any],
    outputs: list[Any],
    counts: list[int],
    spec: Any,
    primals: list[Any],
    chunk_size: int | None,
    preallocates: bool,
) -> list[Any]:
    """The rows of a Jacobian, one tensor for each argument."""
    from rushlight._functorch.apis import vmap

    chunks: list[list[Any]] = []
    made: list[Any] = []
    done = 0
    for basis in _chunked_standard_basis_for_(outputs, counts, chunk_size=chunk_size):
        if chunk_size == 1:
            # What `vmap` cannot do can be done row by row.
            found = tree_leaves(vjp_fn(tree_unflatten([t.squeeze(0) for t in basis], spec)))
            found = [t.unsqueeze(0) for t in found]
        else:
            found = tree_leaves(vmap(vjp_fn)(tree_unflatten(basis, spec)))
        length = found[0].shape[0] if found else 0
        if not preallocates or length == sum(counts):
            chunks.append(found)
            continue
        if not made:
            made = [primal.new_zeros(sum(counts), *primal.shape) for primal in primals]
        for whole, part in zip(made, found):
            whole[done : done + length].copy_(part)
        done += length
    if made:
        return made
    if len(chunks) == 1:
        return chunks[0]
    return [rushlight.cat(parts, 0) for parts in zip(*chunks)]  # type: ignore[attr-defined]


def _chunked_standard_basis_for_(
    tensors: Sequence[Any], tensor_numels: Sequence[int], chunk_size: int | None = None
) -> Generator[tuple[Any, ...], None, None]:
    """The unit vectors of the space of some tensors, flattened and put one after the other, in chunks."""
    assert len(tensors) == len(tensor_numels) and tensors
    total = sum(tensor_numels)
    lengths = [total]
    if chunk_size is not None and total:
        lengths = [min(chunk_size, total - first) for first in range(0, total, chunk_size)]
    first = 0
    for length in lengths:
        begins, parts = 0, []
        for tensor, numel in zip(tensors, tensor_numels):
            block = tensor.new_zeros(length, numel)
            block.diagonal(first - begins).fill_(1)
            parts.append(block.view(length, *tensor.shape))
            begins += numel
        yield tuple(parts)
        first += length


def _construct_standard_basis_for(
    tensors: Sequence[Any], tensor_numels: Sequence[int]
) -> tuple[Any, ...]:
    """All unit vectors of the space of some tensors."""
    return next(iter(_chunked_standard_basis_for_(tensors, tensor_numels, chunk_size=None)))


# -- places of arguments --


def _validate_and_wrap_argnum(argnum: int, num_args: int) -> int:
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if 0 <= argnum < num_args:
        return argnum
    if -num_args <= argnum < 0:
        return argnum + num_args
    raise RuntimeError(f"Got argnum={argnum}, but only {num_args} positional inputs")


def _check_unique_non_empty(argnums: Any) -> None:
    if isinstance(argnums, tuple):
        if len(argnums) == 0:
            raise RuntimeError("argnums must be non-empty")
        if len(set(argnums)) != len(argnums):
            raise RuntimeError(f"argnums elements must be unique, got {argnums}")


def _replace_args(old_args: tuple[Any, ...], new_args: tuple[Any, ...], argnums: Any) -> Any:
    """Arguments with others at some places."""
    if isinstance(argnums, int):
        if len(new_args) != 1:
            raise RuntimeError(f"new_args should be of size 1, was of size {len(new_args)}")
        argnums = (argnums,)
    elif not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    elif len(new_args) != len(argnums):
        raise RuntimeError(
            "new_args should have the same size as argnums. "
            f"Argnums size {len(argnums)}, new_args size {len(new_args)}"
        )
    places = [_validate_and_wrap_argnum(one, len(old_args)) for one in argnums]
    made = list(old_args)
    for place, new in zip(places, new_args):
        made[place] = new
    return tuple(made)


def _validate_and_wrap_argnums(argnums: Any, num_args: int) -> Any:
    if isinstance(argnums, int):
        return _validate_and_wrap_argnum(argnums, num_args)
    return tuple(_validate_and_wrap_argnum(one, num_args) for one in argnums)


def _slice_argnums(args: tuple[Any, ...], argnums: Any, as_tuple: bool = True) -> Any:
    """Some of the arguments."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    argnums = _validate_and_wrap_argnums(argnums, len(args))
    _check_unique_non_empty(argnums)
    if isinstance(argnums, int):
        return (args[argnums],) if as_tuple else args[argnums]
    return tuple(args[one] for one in argnums)


# -- what functions may take and give --


def assert_flat_tuple_of_tensors(elts: Any, api: str, argname: str) -> None:
    if not isinstance(elts, tuple):
        raise RuntimeError(f"{api}: Expected {argname} to be a tuple of Tensors, got {type(elts)}")
    for elt in elts:
        if not isinstance(elt, Tensor):
            raise RuntimeError(
                f"{api}: Expected {argname} to be a tuple of Tensors, got a tuple with an element of "
                f"type {type(elt)}"
            )
    if len(elts) == 0:
        raise RuntimeError(f"{api}: Expected {argname} to be a non-empty tuple of Tensors.")


def assert_non_empty_tensor_output(output: list[Any], api: str) -> None:
    if not output or (len(output) == 1 and output[0] is None):
        raise RuntimeError(
            f"{api}: Expected f to be a function that has non-empty output (got output = {output})"
        )
    for one in output:
        if not isinstance(one, Tensor):
            raise RuntimeError(
                f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(one)}"
            )


def assert_output_is_tensor_or_tensors(output: Any, api: str) -> None:
    if isinstance(output, Tensor):
        return
    if not isinstance(output, tuple):
        raise RuntimeError(
            f"{api}: Expected output of f to be a Tensor or Tensors, got {type(output)}"
        )
    if len(output) == 0:
        raise RuntimeError(f"{api}: Expected output of f to be a non-empty tuple of Tensors.")
    for out in output:
        if not isinstance(out, Tensor):
            raise RuntimeError(
                f"{api}: Expected output of f to be a Tensor or Tensors, got {type(out)} as an output"
            )


def assert_non_empty_list_of_tensors(output: list[Any], api: str, argname: str) -> None:
    if len(output) == 0:
        raise RuntimeError(f"{api}: Expected {argname} to contain at least one Tensor.")
    for out in output:
        if not isinstance(out, Tensor):
            raise RuntimeError(
                f"{api}: Expected {argname} to only contain Tensors, got {type(out)}"
            )


# -- forward mode --


def safe_unpack_dual(dual: Any, strict: bool) -> tuple[Any, Any]:
    """A result and its tangent, zeros if there is none."""
    if not isinstance(dual, Tensor):
        raise RuntimeError(
            f"{_JVP}: expected f(*args) to return only tensors, got unsupported type {type(dual)}"
        )
    primal, tangent = forward_ad.unpack_dual(dual)
    if tangent is None:
        if strict:
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
                "This is not allowed with strict=True."
            )
        tangent = rushlight.zeros_like(primal)  # type: ignore[attr-defined]
    return primal, tangent


def jvp(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """The result of a function and how it changes with its arguments along some tangents.

    Args:
        func: gives tensors, or trees of them
        primals: its arguments, a tuple
        tangents: a tangent for each tensor among the arguments, in the same tree
        strict: raise if a result does not depend on the arguments
        has_aux: ``func`` gives a pair of the result and something that is passed on
    """
    return _jvp_with_argnums(func, primals, tangents, argnums=None, strict=strict, has_aux=has_aux)


def _jvp_with_argnums(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    argnums: Any,
    *,
    strict: bool = False,
    has_aux: bool,
) -> Any:
    """`jvp`, with tangents of some arguments only."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    wanted = primals if argnums is None else _slice_argnums(primals, argnums)
    flat_primals, primals_spec = tree_flatten(wanted)
    flat_tangents, tangents_spec = tree_flatten(tangents)
    if primals_spec != tangents_spec:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if "
            "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{primals_spec} and tangents with structure {tangents_spec}"
        )
    assert_non_empty_list_of_tensors(flat_primals, _JVP, "primals")
    assert_non_empty_list_of_tensors(flat_tangents, _JVP, "tangents")
    with jvp_increment_nesting() as level, forward_ad._set_fwd_grad_enabled(True):
        block: Any = forward_ad.dual_level() if JVP_NESTING == 1 else contextlib.nullcontext()
        with block:
            flat_duals = [
                forward_ad.make_dual(_hidden(p, level), _hidden(t, level))
                for p, t in zip(flat_primals, flat_tangents)
            ]
            duals = tree_unflatten(flat_duals, primals_spec)
            if argnums is not None:
                duals = _replace_args(_wrap_all_tensors(primals, level), duals, argnums)
            result = func(*duals)
            aux = None
            if has_aux:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"{_JVP}: output of function f should be a tuple: (output, aux) if has_aux is "
                        "True"
                    )
                result, aux = result
                aux = _undo_create_differentiable(aux, level)
            flat_result, spec = tree_flatten(result)
            assert_non_empty_tensor_output(flat_result, _JVP)
            pairs = [safe_unpack_dual(one, strict) for one in flat_result]
            outputs = [_undo_create_differentiable(one, level) for one, _ in pairs]
            found = [_undo_create_differentiable(one, level) for _, one in pairs]
            made = tree_unflatten(outputs, spec), tree_unflatten(found, spec)
            return (*made, aux) if has_aux else made


def _hidden(tensor: Any, level: int) -> Any:
    """A tensor within a level, whose history and tangent there are its own."""
    return _wrap_for_grad(tensor, level)


def safe_unflatten(tensor: Any, dim: int, shape: Any) -> Any:
    """A dimension cut into several; into none, if it is of size 1."""
    return tensor.unflatten(dim, shape) if len(shape) else tensor.squeeze(dim)


def jacfwd(
    func: Callable[..., Any],
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Callable[..., Any]:
    """A function that gives the Jacobian of another one, column by column: in forward mode.

    Args:
        func: gives tensors, or trees of them
        argnums: the place of the argument that the Jacobian is of, or a tuple of places
        has_aux: ``func`` gives a pair of the result and something that is passed on
        randomness: that of the `vmap` over the columns
    """
    from rushlight._functorch.apis import vmap

    @functools.wraps(func, updated=())
    def wrapper(*args: Any) -> Any:
        error_if_complex("jacfwd", args, is_input=True)
        primals = args if argnums is None else _slice_argnums(args, argnums)
        flat_primals, primals_spec = tree_flatten(primals)
        counts = [p.numel() for p in flat_primals]
        basis = tree_unflatten(_construct_standard_basis_for(flat_primals, counts), primals_spec)

        def push_jvp(one: Any) -> Any:
            output = _jvp_with_argnums(func, args, one, argnums=argnums, has_aux=has_aux)
            error_if_complex("jacfwd", output[0], is_input=False)
            return output[1:] if has_aux else output[1]

        results = vmap(push_jvp, randomness=randomness)(basis)
        aux = None
        if has_aux:
            # It is the same for all columns.
            results, aux = results
            aux = tree_map(lambda value: value[0], aux)
        outputs, spec = tree_flatten(results)
        found = []
        for out in outputs:
            columns = rushlight.split(out.movedim(0, -1), counts, dim=-1)  # type: ignore[attr-defined]
            blocks = [safe_unflatten(c, -1, p.shape) for c, p in zip(columns, flat_primals)]
            made = tree_unflatten(blocks, primals_spec)
            found.append(made[0] if isinstance(argnums, int) else made)
        jacobian = tree_unflatten(found, spec)
        return (jacobian, aux) if has_aux else jacobian

    return wrapper


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """A function that gives the second derivatives of another one: forward over reverse mode.

    Args:
        func: gives tensors, or trees of them
        argnums: the place of the argument, or a tuple of places
    """
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The result of a function, and its linear approximation there: from tangents to tangents.

    Args:
        func: gives tensors, or trees of them
        primals: its arguments
    """
    output, pull = vjp(func, *primals)
    flat_primals, primals_spec = tree_flatten(primals)
    shapes = [(p.shape, p.device, p.dtype) for p in flat_primals]
    # What is linear in gradients of the result is transposed once more, to be linear in tangents.
    zeros = tree_map(rushlight.zeros_like, output)  # type: ignore[attr-defined]
    _, push = vjp(pull, zeros)

    def jvp_fn(*tangents: Any) -> Any:
        flat, spec = tree_flatten(tangents)
        if spec != primals_spec:
            raise RuntimeError(
                f"Expected the tangents {spec} to have the same argspec as the primals {primals_spec}"
            )
        for place, (tangent, facts) in enumerate(zip(flat, shapes)):
            own = (tangent.shape, tangent.device, tangent.dtype)
            for what, have, wanted in zip(("shape", "device", "dtype"), own, facts):
                if have != wanted:
                    raise RuntimeError(
                        f"tangent:{place} with {what} {have} in flattened pytree doesn't match the "
                        f"{what} {wanted} of the corresponding primal."
                    )
        (made,) = push(tangents)
        return made

    return output, jvp_fn


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that computes what another one does without writing to any tensor on the way.

    What is written to arguments is written to them at the end.

    Args:
        func: takes and gives tensors, or trees of them
        remove: ``"mutations"``, or ``"mutations_and_views"`` to make copies of views, too
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid "
            'options are:\n     remove="mutations": all inplace and out= operators will be removed from '
            "the program, and replaced with their out-of-place equivalents.\n"
            '     remove="mutations_and_views": In addition to the above, all aliasing operators {view} '
            "will be replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @functools.wraps(func, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        _functorch._func_increment_nesting(remove == "mutations")
        layer: Any = layers.top()
        try:
            flat, spec = tree_flatten((args, kwargs))
            given = [layer.wrap(x) if isinstance(x, Tensor) else x for x in flat]
            own_args, own_kwargs = tree_unflatten(given, spec)
            results, results_spec = tree_flatten(func(*own_args, **own_kwargs))
            outputs = [layer.opened(x) for x in results]
            for before, after in zip(flat, given):
                if isinstance(before, Tensor) and layer.opened(after) is not before:
                    layers.lower(_functorch._propagate_functional_input_mutation, before, after)
            return tree_unflatten(outputs, results_spec)
        finally:
            _functorch._func_decrement_nesting()

    return wrapped


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """What a tensor stands for within transformations: the innermost of it, or one layer less.

    Args:
        tensor: the tensor
        recurse: go on to the tensor with memory
    """
    if not _functorch.is_functorch_wrapped_tensor(tensor):
        return tensor
    result = _functorch.get_unwrapped(tensor)
    return debug_unwrap(result) if recurse else result
