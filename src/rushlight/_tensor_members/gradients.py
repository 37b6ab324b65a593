"""The members of tensors that speak of gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd import saved
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state, wrapped
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.promotion import title


def _get_requires_grad(self: Any) -> bool:
    meta = self._autograd_
    return meta is not None and meta.wants_grad and bool(self._keys_ & keys.AUTOGRAD)


def _set_requires_grad(self: Any, requires_grad: bool) -> None:
    if not isinstance(requires_grad, bool):
        raise RuntimeError("requires_grad must be a bool")
    meta = self._autograd_
    leads_to_null_node = meta is not None and nodes.leads_to_null_node(meta.edge)
    if requires_grad == metas.requires_grad(self) and not (requires_grad and leads_to_null_node):
        return
    if not requires_grad and not metas.is_leaf(self):
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a "
            "computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach()."
        )
    if requires_grad and self._dtype_.category < dtypes.FLOATING:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    if requires_grad and self._keys_ & keys.INFERENCE and not state.thread.inference:
        raise RuntimeError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
        )
    # A call that ends so must not be repeated as the step that made the tensor.
    steps.Unrepeatable.note()
    base = self._base
    if requires_grad:
        nodes.make_leaf(self)
    elif meta is not None and not leads_to_null_node:
        meta.made = None
        nodes.end_leaf(meta)
        if base is not None and metas.requires_grad(base):
            meta.edge = (nodes.NullNode(self), 0)
        else:
            meta.edge = None
            if meta.tangent is None:
                self._keys_ &= ~keys.AUTOGRAD
    if base is None:
        nodes.follow_leaf(self, requires_grad)


def _get_grad(self: Any) -> Any:
    meta = self._autograd_
    if meta is None:
        return None
    if meta.grad is None and meta.node is not None and meta.retained is None:
        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
            "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
            "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf "
            "Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf "
            "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations.",
            UserWarning,
            stacklevel=2,
        )
    return meta.grad


def _set_grad(self: Any, grad: Any) -> None:
    if grad is None:
        if self._autograd_ is not None:
            self._autograd_.grad = None
        return
    if not isinstance(grad, Tensor):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(grad).__name__}"
        )
    if grad is self:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = self._dtype_
    if self._autograd_ is not None and self._autograd_.grad_dtype is not ...:
        wanted = self._autograd_.grad_dtype
    if wanted is not None and grad._dtype_ is not wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{_lower_name(grad._dtype_)}' to a tensor "
            f"with grad_dtype '{title(wanted)}'. The gradient must match the tensor's grad_dtype "
            "(defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
            "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the "
            "dtypes of a tensor and its gradient may break downstream systems that assume they "
            "match."
        )
    if grad._storage_.device != self._storage_.device:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{grad._storage_.device.type}' to a "
            f"tensor with device type '{self._storage_.device.type}'. Please ensure that the gradient "
            "and the tensor are on the same device"
        )
    if grad._size_ != self._size_:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad._size_)}' to a tensor of size "
            f"'{list(self._size_)}'. Please ensure that the gradient and the tensor are the same size"
        )
    metas.meta_of(self).grad = grad


def _lower_name(dtype: Any) -> str:
    name = title(dtype)
    return name[0].lower() + name[1:]


def refuse_within_transformations() -> None:
    """Raise where a transformed function wants a gradient of its own accord."""
    from rushlight._C import _functorch

    if not _functorch.get_inplace_requires_grad_allowed():
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using "
            "torch.autograd.functional.* APIs) inside of a function being transformed by a functorch "
            "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, "
            "vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
            "transformed instead."
        )


class GradientMembers:
    """Members of the tensor class; `_tensor.attach` puts them there."""

    requires_grad = property(_get_requires_grad, _set_requires_grad)
    grad = property(_get_grad, _set_grad, lambda self: _set_grad(self, None))
    _grad = grad

    def _begin_leaf(self: Any) -> Any:
        """The tensor, which has just been made and has no views, recorded from now on."""
        steps.Unrepeatable.note()
        nodes.make_leaf(self)
        return self

    def requires_grad_(self: Any, requires_grad: bool = True) -> Any:
        """Choose whether operations on the tensor are recorded."""
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                f"{type(requires_grad).__name__}"
            )
        if state.thread.layers:
            refuse_within_transformations()
        if requires_grad and self._dtype_.category < dtypes.FLOATING:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        _set_requires_grad(self, requires_grad)
        return self

    @property
    def is_leaf(self: Any) -> bool:
        return metas.is_leaf(self)

    @property
    def grad_fn(self: Any) -> Any:
        meta = self._autograd_
        edge = None if meta is None else meta.edge
        return None if edge is None or edge[0].is_leaf else edge[0]

    @property
    def output_nr(self: Any) -> int:
        edge = None if self._autograd_ is None else self._autograd_.edge
        return 0 if edge is None else edge[1]

    @property
    def grad_dtype(self: Any) -> Any:
        meta = self._autograd_
        return self._dtype_ if meta is None or meta.grad_dtype is ... else meta.grad_dtype

    @grad_dtype.setter
    def grad_dtype(self: Any, dtype: Any) -> None:
        if not metas.is_leaf(self):
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        metas.meta_of(self).grad_dtype = dtype

    @property
    def retains_grad(self: Any) -> bool:
        return self._autograd_ is not None and self._autograd_.retained is not None

    def retain_grad(self: Any) -> None:
        """Keep the gradient of a tensor that is not a leaf in its `grad`."""
        if not metas.requires_grad(self):
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        meta = self._autograd_
        if metas.is_leaf(self) or meta.retained is not None:
            return
        import weakref

        owner = weakref.ref(self)

        def keep(grad: Any) -> None:
            tensor = owner()
            if tensor is not None:
                found = tensor._autograd_
                found.grad = grad.clone() if found.grad is None else found.grad + grad

        edge = meta.edge
        meta.retained = (edge[0].add_retaining_hook(edge[1], keep), keep)

    def register_hook(self: Any, hook: Callable[[Any], Any]) -> Any:
        """Call ``hook(grad)`` when the tensor's gradient has been computed; it may replace it."""
        if not metas.requires_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        meta = self._autograd_
        edge = meta.edge
        if not metas.is_leaf(self):
            return edge[0].add_tensor_hook(edge[1], hook)
        edge[0].is_hooked = True
        if meta.hooks is None:
            meta.hooks = nodes.Hooks()
        return nodes.add_hook(meta.hooks, hook)

    def register_post_accumulate_grad_hook(self: Any, hook: Callable[[Any], Any]) -> Any:
        """Call ``hook(tensor)`` when a gradient has been added to the leaf's `grad`."""
        if not metas.requires_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not metas.is_leaf(self):
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        meta = self._autograd_
        if meta.post_hooks is None:
            meta.post_hooks = nodes.Hooks()
        return nodes.add_hook(meta.post_hooks, hook)

    @property
    def _cdata(self: Any) -> int:
        """A number that no other tensor has while this one lives."""
        return id(self)

    @property
    def _backward_hooks(self: Any) -> Any:
        return None if self._autograd_ is None else self._autograd_.hooks

    @_backward_hooks.setter
    def _backward_hooks(self: Any, hooks: Any) -> None:
        meta = metas.meta_of(self)
        meta.hooks = hooks
        if hooks is not None and meta.edge is not None:
            meta.edge[0].is_hooked = True

    def backward(
        self: Any,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradients of this tensor to the leaves that it was computed from.

        Args:
            gradient: the tensor's own gradient; None for a single number
            retain_graph: keep what was saved, for another pass
            create_graph: record the pass itself, for higher derivatives
            inputs: add to these tensors only
        """
        from rushlight import autograd

        autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def detach_(self: Any) -> Any:
        """Forget how the tensor was made."""
        meta = self._autograd_
        if self._base is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and "
                "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and "
                "hence detach_() cannot be called on these gradients. To fix this error, please "
                "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the "
                "solution."
            )
        if meta is not None:
            meta.edge, meta.made = None, None
            self._keys_ &= ~keys.AUTOGRAD
            nodes.follow_leaf(self, False)
        return self

    def is_inference(self: Any) -> bool:
        return bool(self._keys_ & keys.INFERENCE)

    @property
    def _version(self: Any) -> int:
        if self._keys_ & keys.INFERENCE:
            raise RuntimeError("Inference tensors do not track version counter.")
        return tensors.version(self)

    def _get_data(self: Any) -> Any:
        if self._keys_ & keys.PYTHON:
            return saved.shadow(self)
        if self._keys_ & keys.WRAPPED:
            if wrapped.goes_through_batch(self):
                raise RuntimeError("accessing `data` under vmap transform is not allowed")
            return saved.shadow(self)
        made = tensors.same_elements(self)
        made._base, made._counter_ = None, tensors.VersionCounter()
        return steps.View.note(self, made)

    def _set_data(self: Any, data: Any) -> None:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if wrapped.goes_through_batch(self):
            raise RuntimeError(
                "mutating directly with `.data` under vmap transform is not allowed."
            )
        if data._dtype_.category < dtypes.FLOATING and metas.requires_grad(self):
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex "
                "dtype"
            )
        counter = tensors.version(self)
        self._storage_ = data._storage_
        self._dtype_ = data._dtype_
        kept = self._keys_ & keys.AUTOGRAD
        self._keys_ = data._keys_ & ~keys.AUTOGRAD | kept
        self._size_, self._stride_, self._offset_ = data._size_, data._stride_, data._offset_
        self._numel_, self._flags_ = data._numel_, data._flags_ & ~objects.WRAPPED_NUMBER
        self._counter_ = tensors.VersionCounter(counter)
        if self._keys_ & keys.PYTHON and hasattr(self, "_take_data"):
            self._take_data(data)
        meta = self._autograd_
        if meta is not None and meta.edge is not None and meta.edge[0].is_leaf:
            meta.edge[0].outputs = (nodes.describe(self),)

    data = property(_get_data, _set_data)
