"""The functions that are traced: what each pass puts around a program.

From the inside: `fn_input_mutations_to_outputs` or `fn_prepped_for_autograd` make changes of arguments results,
`create_joint` adds the backward pass, `create_functionalized_fn` follows changes, and
`aot_dispatch_subclass` takes tensors of classes apart.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight._functorch._aot_autograd.collect_metadata_analysis import needs_tangent
from rushlight._functorch._aot_autograd.functional_utils import from_fun, to_fun
from rushlight._functorch._aot_autograd.schemas import (
    MutationType,
    OutputType,
    SubclassCreationMeta,
    ViewAndMutationMeta,
)
from rushlight._functorch._aot_autograd.subclass_utils import (
    unwrap_tensor_subclasses,
    wrap_tensor_subclasses,
)
from rushlight._subclasses.functional_tensor import FunctionalTensorMode
from rushlight.engine.autograd import meta as metas
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental.proxy_tensor import get_proxy_mode
from rushlight.utils import _pytree as pytree

__all__ = [
    "aot_dispatch_subclass",
    "create_functionalized_fn",
    "create_joint",
    "fn_input_mutations_to_outputs",
    "fn_prepped_for_autograd",
]


def fn_input_mutations_to_outputs(
    fn: Callable[..., Any], meta: ViewAndMutationMeta, keeps_data_input_mutations: bool = False
) -> Callable[..., Any]:
    """A program that returns what has become of its arguments before its results."""

    def inner(*args: Any) -> Any:
        outs = pytree.tree_leaves(fn(*args))
        return (*(args[k] for k in meta.mutated_inp_runtime_indices), *outs)

    return inner


def fn_prepped_for_autograd(
    fn: Callable[..., Any], meta: ViewAndMutationMeta
) -> Callable[..., Any]:
    """A program that returns all that its graph does, and which of that has gradients.

    Arguments that it changes are not the leaves that gradients are wanted of.
    """

    def inner(*args: Any) -> Any:
        fresh = [_fresh(arg, info) for arg, info in zip(args, meta.input_info)]
        outs = pytree.tree_leaves(fn(*fresh))
        bases = []
        for out, info in zip(outs, meta.output_info):
            if info.output_type is OutputType.alias_of_intermediate_save_as_output:
                bases.append(out if out._base is None else out._base)
        changed = [(fresh[k], meta.input_info[k]) for k in meta.mutated_inp_runtime_indices]
        returned = [*(value for value, _ in changed), *outs, *bases]
        wanted = [
            *(info.mutates_data and metas.requires_grad(value) for value, info in changed),
            *(needs_tangent(info) for info in meta.output_info),
            *(True for _ in bases),
        ]
        return returned, wanted

    return inner


def _fresh(arg: Any, info: Any) -> Any:
    """What a program may change in the place of an argument."""
    if isinstance(arg, Tensor) and metas.requires_grad(arg):
        if info.mutates_data:
            return arg.clone()  # type: ignore[attr-defined]
        if info.mutates_metadata:
            return arg.view(arg.shape)  # type: ignore[attr-defined]
    return arg


def create_joint(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arguments and of gradients of results that gives results and gradients of arguments.

    Args:
        fn: gives results, and which of them have gradients
    """

    def inner(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        outs, wanted = fn(*primals)
        starts = [out for out, is_wanted in zip(outs, wanted) if is_wanted]
        if len(starts) != len(tangents):
            raise AssertionError(f"expected {len(starts)} tangents, got {len(tangents)}")
        pairs = [(out, grad) for out, grad in zip(starts, tangents) if metas.requires_grad(out)]
        leaves = [x for x in primals if isinstance(x, Tensor) and metas.requires_grad(x)]
        grads: Sequence[Any] = [None] * len(leaves)
        if leaves and pairs:
            with _nodes_of_backward_pass():
                grads = rushlight.autograd.grad(
                    [out for out, _ in pairs],
                    leaves,
                    grad_outputs=[grad for _, grad in pairs],
                    allow_unused=True,
                )
        found = dict(zip(map(id, leaves), grads))
        return outs, [found.get(id(x)) for x in primals]

    return inner


@contextlib.contextmanager
def _nodes_of_backward_pass() -> Iterator[None]:
    """Nodes that are made within the block know that they are of the backward pass."""
    tracing = get_proxy_mode()
    known = set() if tracing is None else set(tracing.tracer.graph.nodes)
    yield
    if tracing is not None:
        for node in tracing.tracer.graph.nodes:
            if node not in known:
                node.meta["partitioner_tag"] = "is_backward"


def create_functionalized_fn(
    fn: Callable[..., Any],
    args: Any,
    *,
    meta: ViewAndMutationMeta,
    aot_config: Any,
    trace_joint: bool,
) -> tuple[Callable[..., Any], Any]:
    """A function that computes what another one does and changes at most arguments, at its end."""
    if aot_config.disable_functionalization:
        return fn, args

    def run(*args: Any) -> Any:
        wrapped = pytree.tree_map(to_fun, args)
        with FunctionalTensorMode():
            outs = fn(*wrapped)
        before = args[0] if trace_joint else args
        after = wrapped[0] if trace_joint else wrapped
        for old, new, info in zip(before, after, meta.input_info):
            if info.mutation_type is MutationType.MUTATED_IN_GRAPH:
                with rushlight.no_grad():
                    old.copy_(from_fun(new))
        return pytree.tree_map(from_fun, outs)

    def joint(primals: Any, tangents: Any) -> Any:
        return run(primals, tangents)

    def forward(*args: Any) -> Any:
        return run(*args)

    return (joint if trace_joint else forward), args


def aot_dispatch_subclass(
    fn: Callable[..., Any],
    args: Any,
    input_metas: Sequence[int | SubclassCreationMeta],
    tangent_metas: Sequence[int | SubclassCreationMeta],
    trace_joint: bool,
) -> tuple[Callable[..., Any], Any, dict[str, Any]]:
    """A function of the parts of tensors that computes on the tensors.

    Returns:
        the function; its arguments; how results and gradients are put together of what it returns, known after it ran
    """
    from rushlight._functorch._aot_autograd.subclass_utils import create_subclass_meta

    known: dict[str, Any] = {}

    def joint(primals: Any, tangents: Any) -> Any:
        outs, grads = fn(
            _with_gradients(wrap_tensor_subclasses(primals, input_metas), args[0]),
            wrap_tensor_subclasses(tangents, tangent_metas),
        )
        known["outs"], known["grads"] = create_subclass_meta(outs), create_subclass_meta(grads)
        return unwrap_tensor_subclasses(outs), unwrap_tensor_subclasses(grads)

    def forward(*primals: Any) -> Any:
        outs = fn(*wrap_tensor_subclasses(primals, input_metas))
        known["outs"] = create_subclass_meta(outs)
        return tuple(unwrap_tensor_subclasses(outs))

    if trace_joint:
        given: Any = (unwrap_tensor_subclasses(args[0]), unwrap_tensor_subclasses(args[1]))
        return joint, given, known
    return forward, tuple(unwrap_tensor_subclasses(args)), known


def _with_gradients(values: list[Any], like: Sequence[Any]) -> list[Any]:
    """Values that want gradients as others do."""
    for value, other in zip(values, like):
        if isinstance(value, Tensor) and other.requires_grad and not value.requires_grad:  # type: ignore[attr-defined]
            value.requires_grad_()  # type: ignore[attr-defined]
    return values
