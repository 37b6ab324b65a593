"""Functions whose gradient the user writes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.autograd import forward, inplace, saved
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.node import Grads, Node
from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]


class FunctionCtx:
    """What `forward` leaves for `backward`."""

    _to_save: tuple[Any, ...] = ()
    _to_save_for_forward: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _without_grad: tuple[Any, ...] = ()
    _materializes = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs or outputs; `saved_tensors` gives them back if nobody has changed them."""
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`."""
        for tensor in tensors:
            if not (isinstance(tensor, Tensor) or tensor is None):
                raise TypeError("save_for_forward expects all arguments to be tensors")
        self._to_save_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs `forward` has changed in place."""
        self._dirty = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically "
            "tracked. Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient."""
        self._without_grad = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros for gradients that did not arrive; else None."""
        self._materializes = value


class BackwardCFunction(FunctionCtx, Node):
    """The context of a call, and its node in the graph."""

    _forward_cls: Any = None
    needs_input_grad: tuple[bool, ...] = ()
    # For each argument of `apply`, whether it is a tensor.
    _is_tensor: Sequence[bool] = ()

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        kept = self.saved
        if kept is None:
            raise nodes.freed()
        if kept == () and self._to_save:
            return self._to_save
        return tuple(saved.unpack(item, self) for item in kept)

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def saved_for_forward(self) -> tuple[Any, ...]:
        return self._to_save_for_forward

    def apply(self, *grads: Any) -> Any:
        """Call the user's backward."""
        function = self._forward_cls
        if function.backward is not Function.backward and function.vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        backward = function.vjp if function.vjp is not Function.vjp else function.backward
        return backward(self, *grads)

    def run(self, grads: Grads) -> Grads:
        if self.saved is None:
            raise nodes.freed()
        given: list[Any] = list(grads)
        if self._materializes:
            for place, (grad, (size, dtype)) in enumerate(zip(grads, self.outputs)):
                if grad is None and dtype.category >= dtypes.FLOATING:
                    given[place] = creation.zeros(list(size), dtype)
        found = self.apply(*(given[place] for place in self._places))
        found = found if type(found) is tuple else (found,)
        if type(found[0]) is list and len(found) == 1:
            found = tuple(found[0])
        return self._of_tensors(found)

    def _of_tensors(self, found: tuple[Any, ...]) -> Grads:
        """What was returned for arguments that are tensors."""
        wanted = len(self._is_tensor)
        name = type(self).__name__
        if len(found) > wanted and all(f is None for f in found[wanted:]):
            found = found[:wanted]
        if len(found) != wanted:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {wanted}, got "
                f"{len(found)})"
            )
        grads = []
        for place, (item, is_tensor) in enumerate(zip(found, self._is_tensor)):
            if not is_tensor:
                if item is not None:
                    raise RuntimeError(
                        f"function {name} returned a gradient different from None at position "
                        f"{place + 1}, but the corresponding forward input was not a Variable"
                    )
                continue
            if item is not None and not isinstance(item, Tensor):
                raise TypeError(f"expected Variable or None (got {type(item).__name__})")
            grads.append(item)
        return tuple(grads)

    # Which outputs of `forward` are tensors, as positions among all of them.
    _places: tuple[int, ...] = ()


class FunctionMeta(type):
    """Gives each function its class of nodes."""

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        cls._backward_cls = type(  # type: ignore[attr-defined]
            f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls}
        )
        super().__init__(name, bases, attributes)


class _SingleLevelFunction(metaclass=FunctionMeta):
    """A function with a gradient of its own, for the innermost transformation only.

    Subclasses define the static methods `forward` and `backward`. `forward` takes a context first,
    or, if there is a `setup_context(ctx, inputs, output)`, only the inputs. `apply` calls it.
    """

    generate_vmap_rule = False
    _backward_cls: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, "
            "so you should invoke them on the class itself. Instantiating an autograd function will "
            "raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Leave in the context what `backward` needs."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the inputs from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Another name of `backward`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs from those of the inputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The function over a batch."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap static method or "
            "set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function and record the call."""
        args, separate = _arguments(cls, args, kwargs)
        return _apply(cls, args, separate)


class Function(_SingleLevelFunction):
    """A function with a gradient of its own.

    Subclasses define the static methods `forward` and `backward`. `forward` takes a context first,
    or, if there is a `setup_context(ctx, inputs, output)`, only the inputs. `apply` calls it.
    """

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function and record the call, in each transformation around it."""
        args, separate = _arguments(cls, args, kwargs)
        if state.thread.layers:
            from rushlight._functorch import autograd_function

            return autograd_function.apply_within(cls, args, separate)
        return _apply(cls, args, separate)


def _arguments(
    cls: type[_SingleLevelFunction], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], bool]:
    """The arguments by position, and whether the context is set up apart."""
    separate = cls.setup_context is not _SingleLevelFunction.setup_context
    if kwargs and not separate:
        raise TypeError(f"{cls.__name__}.apply() takes no keyword arguments")
    if separate and (kwargs or _has_defaults(cls.forward)):
        args = _bound(cls.forward, args, kwargs)
    return args, separate


def _has_defaults(forward: Callable[..., Any]) -> bool:
    """Whether arguments of a function may be left out, which `setup_context` gets all the same."""
    function = getattr(forward, "__func__", forward)
    return bool(
        getattr(function, "__defaults__", None) or getattr(function, "__kwdefaults__", None)
    )


def _bound(forward: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, ...]:
    import inspect

    given = inspect.signature(forward).bind(*args, **kwargs)
    given.apply_defaults()
    return given.args


def _forward_only(cls: Any, args: tuple[Any, ...], separate: bool) -> Any:
    """What a function computes, as if its operators were called one by one."""
    ctx = cls._backward_cls()
    ctx._is_tensor = [isinstance(a, Tensor) for a in args]
    ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)  # type: ignore[attr-defined]
    if not separate:
        return cls.forward(ctx, *args)
    output = cls.forward(*args)
    cls.setup_context(ctx, args, output)
    return output


def _apply(
    cls: Any,
    args: tuple[Any, ...],
    separate: bool,
    compute: Callable[..., Any] | None = None,
) -> Any:
    """Call a function and record the call; ``compute`` is what its `forward` is to the caller."""
    ctx = cls._backward_cls()
    recording = state.thread.grad_enabled
    is_tensor, wants = [], []
    inputs: list[Tensor] = []
    found_edges: list[Any] = []
    for a in args:
        if isinstance(a, Tensor):
            edge, wanted = None, False
            if a._keys_ & keys.AUTOGRAD:
                edge, wanted = a._autograd_.edge, a._autograd_.wants_grad
            inputs.append(a)
            found_edges.append(edge)
            is_tensor.append(True)
            wants.append(wanted)
        else:
            is_tensor.append(False)
            wants.append(False)
    edges = tuple(found_edges)
    records = recording and any(edges)
    ctx._is_tensor, ctx.needs_input_grad = is_tensor, tuple(wants)
    ctx.seq = next(nodes.sequence)
    given = args
    if state.duals:
        given = tuple(forward.without_tangent(a) for a in args)
    state.set_grad(False)
    try:
        if separate:
            output = _with_originals((compute or cls.forward)(*given), given, args)
            cls.setup_context(ctx, args, output)
            _refuse_saved_as_is(ctx, args, output)
        else:
            output = cls.forward(ctx, *given)
    finally:
        state.set_grad(recording)
    if isinstance(output, list):
        raise TypeError(
            f"{cls.__name__}.forward: expected Tensor or tuple of Tensor (got list) for return "
            "value 0"
        )
    if records and not state.duals and _is_plain(ctx, output, inputs):
        _record_one(ctx, output, edges)
        return output
    several = isinstance(output, tuple)
    outputs = list(output) if several else [output]
    finished = _finish(ctx, args, given, inputs, edges, outputs, records)
    if state.duals:
        forward.custom_tangents(ctx, cls, args, given, finished)
    return tuple(finished) if several else finished[0]


def _with_originals(output: Any, given: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
    """Outputs with the arguments themselves in the place of what stood for them."""
    if given is args:
        return output
    known = {id(g): a for g, a in zip(given, args) if isinstance(g, Tensor)}
    if isinstance(output, tuple):
        return tuple(known.get(id(item), item) for item in output)
    return known.get(id(output), output)


def _refuse_saved_as_is(ctx: Any, args: tuple[Any, ...], output: Any) -> None:
    """Raise where an input that comes back is kept: its step is made after it has been kept."""
    items = output if isinstance(output, tuple) else (output,)
    dirty = {id(t) for t in ctx._dirty}
    inputs = {id(a) for a in args if isinstance(a, Tensor)} - dirty
    back = {id(item) for item in items} & inputs
    if back and any(id(t) in back for t in (*ctx._to_save, *ctx._to_save_for_forward)):
        raise RuntimeError(
            "An input that has been returned as-is as output is being saved for backward. This is not "
            "supported if you override setup_context. You should return and save a view of the input "
            "instead, e.g. with x.view_as(x) or setup ctx inside the forward function itself."
        )


def _is_plain(ctx: Any, output: Any, inputs: list[Tensor]) -> bool:
    """Whether there is one output, new, with a gradient: the usual case."""
    return (
        type(output) is Tensor
        and output._base is None
        and not ctx._dirty
        and not ctx._without_grad
        and output._dtype_.category >= dtypes.FLOATING
        and not _is_among(output, inputs)
    )


def _is_among(tensor: Any, tensors: list[Tensor]) -> bool:
    for other in tensors:  # noqa: SIM110  (twice as fast as `any`)
        if tensor is other:
            return True
    return False


def _record_one(ctx: Any, output: Tensor, edges: tuple[Any, ...]) -> None:
    """Make the only output a result of the node."""
    ctx.edges = edges
    ctx.outputs = (nodes.describe(output),)
    ctx._places = (0,)
    if ctx._to_save:
        _keep(ctx, {id(output): 0}, set())
    if nodes.when_made:
        nodes.when_made[0](ctx)
    metas.set_edge(output, (ctx, 0))


def _finish(
    ctx: Any,
    args: tuple[Any, ...],
    given: tuple[Any, ...],
    inputs: list[Tensor],
    edges: tuple[Any, ...],
    outputs: list[Any],
    records: bool,
) -> list[Any]:
    """Give the outputs their history, or none."""
    dirty = {id(t) for t in ctx._dirty}
    without = {id(t) for t in ctx._without_grad}
    own = {id(t): t for t in inputs}
    own.update({id(g): a for g, a in zip(given, args) if isinstance(g, Tensor)})
    ctx.edges = edges if records else ()
    returned = {id(o) for o in outputs}
    for tensor in ctx._dirty:
        if id(tensor) not in returned:
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the Function."
            )
    places: list[int] = []
    descriptions: list[tuple[Any, Any]] = []
    finished: list[Any] = []
    originals: dict[int, int] = {}
    for item in outputs:
        number = len(descriptions)
        places.append(number)
        if not isinstance(item, Tensor):
            finished.append(item)
            descriptions.append((None, dtypes.int64))
            continue
        descriptions.append(nodes.describe(item))
        originals[id(item)] = number
        made = item
        if id(item) in own and id(item) not in dirty:
            made = _given_back(item, own[id(item)], records)
        finished.append(made)
    ctx._places = tuple(places)
    ctx.outputs = tuple(descriptions)
    _keep(ctx, originals, without)
    if not records:
        for made in finished:
            # What would be recorded later is still no change of the function's own.
            if isinstance(made, Tensor) and made._base is not None and id(made) not in dirty:
                made._autograd_ = made._autograd_ or metas.ViewMeta(
                    made, None, None, metas.IN_FUNCTION
                )
        return finished
    if nodes.when_made:
        nodes.when_made[0](ctx)
    _give_history(ctx, outputs, finished, dirty, without)
    return finished


def _give_history(
    ctx: Any, outputs: list[Any], finished: list[Any], dirty: set[int], without: set[int]
) -> None:
    """Make tensors results of the node: those that `forward` gave, as they were finished."""
    with_history = [
        (item, made, place)
        for item, made, place in zip(outputs, finished, ctx._places)
        if isinstance(item, Tensor)
        and (id(item) in dirty or id(item) not in without)
        and made._dtype_.category >= dtypes.FLOATING
    ]
    kind = metas.IN_FUNCTION if len(with_history) == 1 else metas.ONE_OF_SEVERAL
    for item, made, place in with_history:
        if id(item) in dirty:
            _dirty(item, ctx, place)
        elif made._base is not None:
            made._autograd_ = metas.ViewMeta(made, (ctx, place), None, kind)
            made._keys_ |= metas.keys.AUTOGRAD
        else:
            metas.set_edge(made, (ctx, place))


def _given_back(item: Tensor, argument: Tensor, records: bool) -> Tensor:
    """Another tensor with the elements of one that was given; a view of it if that is recorded."""
    made = saved.shadow(item)
    made._base = argument if records and argument._base is None else argument._base
    return made


def _dirty(item: Tensor, ctx: Any, place: int) -> None:
    """An input that was changed in place becomes an output."""
    edge = metas.edge_of(item)
    if edge is not None and edge[0].is_leaf and item._base is None:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation."
        )
    inplace.check_inplace(item, True)
    if item._base is not None:
        inplace.rebase(item, ctx)
        return
    if edge is None:
        metas.note_views(item)
    inplace.move_retained(item._autograd_, (ctx, place))
    metas.set_edge(item, (ctx, place))


def _keep(ctx: Any, originals: dict[int, int], without: set[int]) -> None:
    """Keep what `save_for_backward` was given, outputs without their history."""
    kept: list[Any] = []
    for tensor in ctx._to_save:
        if tensor is None:
            kept.append(None)
        elif not isinstance(tensor, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {len(kept)} is of type "
                f"{type(tensor).__name__}"
            )
        elif id(tensor) in originals and id(tensor) not in without:
            kept.append(saved.SavedResult(tensor, originals[id(tensor)]))
        else:
            if tensor._keys_ & keys.INFERENCE and ctx.edges:
                saved.refuse_inference([tensor])
            kept.append((tensor, tensors.version(tensor)))
    ctx._to_save = ()
    ctx.saved = tuple(kept)
    if saved.hooks.active:
        ctx.saved = saved.pack_all(ctx.saved)


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Say that a `backward` cannot be differentiated: doing so raises."""

    @functools.wraps(function)
    def wrapper(ctx: Any, *args: Any) -> Any:
        recording = state.thread.grad_enabled
        state.set_grad(False)
        try:
            found = function(ctx, *args)
        finally:
            state.set_grad(recording)
        wants = recording and any(isinstance(a, Tensor) and metas.requires_grad(a) for a in args)
        if not wants:
            return found
        several = found if isinstance(found, tuple) else (found,)
        edges = tuple(metas.edge_of(a) for a in args if isinstance(a, Tensor))
        node = OnceNode(edges)
        made = []
        for item in several:
            if isinstance(item, Tensor) and item._dtype_.category >= dtypes.FLOATING:
                item = saved.shadow(item)
                node.outputs = (*node.outputs, nodes.describe(item))
                metas.set_edge(item, (node, len(node.outputs) - 1))
            made.append(item)
        return tuple(made) if isinstance(found, tuple) else made[0]

    return wrapper


class OnceNode(Node):
    """Stands behind the gradients of a function that can be differentiated once only."""

    def __init__(self, edges: tuple[Any, ...]) -> None:
        super().__init__()
        self.edges = edges
        self.seq = next(nodes.sequence)

    def run(self, grads: Grads) -> Grads:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


class InplaceFunction(Function):
    """A function that may work in place, chosen when it is made."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A function whose inputs and outputs may be nested lists of tensors."""

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("NestedIOFunction is a relic of the first autograd; use Function")
