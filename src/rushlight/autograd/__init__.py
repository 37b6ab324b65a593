"""Gradients of recorded computations."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.autograd import forward_ad, grad_mode
from rushlight.autograd.function import Function, NestedIOFunction
from rushlight.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.backward import run_backward
from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor

__all__ = [
    "Function",
    "NestedIOFunction",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "profiler",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

Edge = tuple[Any, int]


class SavedTensor:
    """A tensor that a node keeps; hooks that are set for it are `graph.saved_tensors_hooks`."""

    def __init__(self) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")


class _Root:
    """Where a pass begins: a tensor or a `graph.GradientEdge`."""

    def __init__(self, item: Any, index: int) -> None:
        self.tensor = item if isinstance(item, Tensor) else None
        if self.tensor is None:
            self.edge: Any = (item.node, item.output_nr)
            self.size, self.dtype = item.node.outputs[item.output_nr]
            return
        self.edge = metas.edge_of(item)
        self.size, self.dtype = item._size_, item._dtype_
        if self.edge is None or nodes.leads_to_null_node(self.edge):
            raise RuntimeError(
                f"element {index} of tensors does not require grad and does not have a grad_fn"
            )


def _gradient_of_root(root: _Root, grad: Any, batched: bool) -> Any:
    """The gradient to begin with: what was given, or one for a single number."""
    if grad is None:
        if root.tensor is None:
            size = root.size
            if len(size) and any(s != 1 for s in size):
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            return creation.ones(list(size), root.dtype)
        if root.tensor._numel_ != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if root.dtype.category != dtypes.FLOATING:
            raise RuntimeError(
                "grad can be implicitly created only for real scalar outputs but got "
                f"torch.{root.dtype._name}"
            )
        return rushlight.ones_like(root.tensor)
    if not isinstance(grad, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    size = grad._size_[1:] if batched else grad._size_
    if tuple(size) != tuple(root.size) and batched:
        raise RuntimeError(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the "
            "batch dimension. The sizes of the remaining dimensions are expected to match the shape "
            "of corresponding output, but a mismatch was detected: grad_output[0] has a shape of "
            f"{grad._size_} and output[0] has a shape of {root.size}. If you only want some tensors in "
            "`grad_output` to be considered batched, consider using vmap."
        )
    if tuple(size) != tuple(root.size):
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {grad._size_} and output[0] has a "
            f"shape of {root.size}."
        )
    if (grad._dtype_.category == dtypes.COMPLEX) != (root.dtype.category == dtypes.COMPLEX):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output[0] has a dtype of {grad._dtype_} and output[0] has a "
            f"dtype of {root.dtype}."
        )
    return grad


def _as_tuple(items: Any) -> tuple[Any, ...]:
    if isinstance(items, Tensor) or (hasattr(items, "node") and hasattr(items, "output_nr")):
        return (items,)
    return tuple(items)


def _given_grads(grads: Any, count: int) -> tuple[Any, ...]:
    if grads is None:
        return (None,) * count
    grads = (grads,) if isinstance(grads, Tensor) else tuple(grads)
    return grads


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of tensors to the `grad` of the leaves that they were computed from.

    Args:
        tensors: one tensor or several
        grad_tensors: the gradient of each of them; None for a single number
        retain_graph: keep what was saved, for another pass; like ``create_graph`` by default
        create_graph: record the pass itself, for higher derivatives
        inputs: add to these tensors only
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        grad_tensors = grad_variables if grad_tensors is None else grad_tensors
    if inputs is not None:
        inputs = _as_tuple(inputs)
        if len(inputs) == 0:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    items = _as_tuple(tensors)
    roots = [_Root(item, index) for index, item in enumerate(items)]
    given = _given_grads(grad_tensors, len(items))
    if len(given) != len(items):
        raise RuntimeError(f"got {len(items)} tensors and {len(given)} gradients")
    grads = [_gradient_of_root(root, grad, False) for root, grad in zip(roots, given)]
    keep = create_graph if retain_graph is None else retain_graph
    edges = None
    before = []
    if inputs is not None:
        # Those that steps have made keep their gradients from now on, in later passes too.
        for item in inputs:
            if isinstance(item, Tensor):
                item.retain_grad()  # type: ignore[attr-defined]
            before.append(item.grad if isinstance(item, Tensor) else None)  # type: ignore[attr-defined]
        edges = [_input_edge(item, index) for index, item in enumerate(inputs)]
    found = run_backward([r.edge for r in roots], grads, keep, create_graph, edges, accumulate=True)
    if inputs is not None:
        for item, grad, old in zip(inputs, found, before):
            if isinstance(item, Tensor) and not metas.is_leaf(item) and grad is not None:
                meta = metas.meta_of(item)
                if meta.grad is old:
                    meta.grad = grad if old is None else old + grad


def _input_edge(item: Any, index: int) -> Any:
    if not isinstance(item, Tensor):
        return (item.node, item.output_nr)
    edge = metas.edge_of(item)
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return (nodes.NullNode(item), 0) if nodes.leads_to_null_node(edge) else edge


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``; no `grad` is changed.

    Args:
        outputs: tensors, or edges of a graph
        inputs: tensors, or edges of a graph
        grad_outputs: the gradient of each output; None for a single number
        retain_graph: keep what was saved, for another pass; like ``create_graph`` by default
        create_graph: record the pass itself, for higher derivatives
        allow_unused: give None for inputs that the outputs do not depend on, instead of raising
        is_grads_batched: the first dimension of ``grad_outputs`` counts passes to be made at once
        materialize_grads: give zeros instead of None
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    items, wanted = _as_tuple(outputs), _as_tuple(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    roots = [_Root(item, index) for index, item in enumerate(items)]
    given = _given_grads(grad_outputs, len(items))
    if len(given) != len(items):
        raise RuntimeError(f"got {len(items)} tensors and {len(given)} gradients")
    grads = [_gradient_of_root(root, g, is_grads_batched) for root, g in zip(roots, given)]
    keep = create_graph if retain_graph is None else retain_graph
    edges = [_input_edge(item, index) for index, item in enumerate(wanted)]
    starts = [r.edge for r in roots]
    if is_grads_batched:
        found = _batched(starts, grads, keep, create_graph, edges)
    else:
        found = run_backward(starts, grads, keep, create_graph, edges, accumulate=False)
    for index, (item, one) in enumerate(zip(wanted, found)):
        if one is not None:
            continue
        if materialize_grads and isinstance(item, Tensor):
            found[index] = rushlight.zeros_like(item, requires_grad=create_graph)
        elif not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
    return tuple(found)


def _batched(
    starts: Sequence[Any], grads: Sequence[Any], keep: bool, create_graph: bool, edges: Any
) -> list[Any]:
    """One pass for all rows of the gradients at once."""
    from rushlight._C import _functorch

    count = next(g for g in grads if g is not None)._size_[0]
    level = _functorch._vmap_increment_nesting(count, "error")
    try:
        given = [None if g is None else _functorch._add_batch_dim(g, 0, level) for g in grads]
        found = run_backward(starts, given, keep, create_graph, edges, accumulate=False)
        return [
            None if one is None else _functorch._remove_batch_dim(one, level, count, 0)
            for one in found
        ]
    finally:
        _functorch._vmap_decrement_nesting()


from rushlight.autograd import anomaly_mode, functional, graph, profiler  # noqa: E402
from rushlight.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly  # noqa: E402
from rushlight.autograd.gradcheck import gradcheck, gradgradcheck  # noqa: E402
from rushlight.autograd.variable import Variable  # noqa: E402


def kineto_available() -> bool:
    """Whether PyTorch's library for traces of accelerators is there; it is not."""
    return False


def _profiler_enabled() -> bool:
    """Whether a profiler records."""
    from rushlight.profiler import _events

    return bool(_events.started)


def _disable_profiler() -> None:
    """Stop the profiler that was started last."""
    from rushlight.profiler import _events

    _events.started[-1].stop()


def __getattr__(name: str) -> Any:
    """What few programs ask for, loaded when they do."""
    if name == "DeviceType":
        from rushlight.autograd.profiler_util import DeviceType

        return DeviceType
    raise AttributeError(f"module 'rushlight.autograd' has no attribute '{name}'")
