"""Checkpoints: parts of a computation that are run again in the backward pass, to save memory."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight.autograd.function import Function
from rushlight.autograd.grad_mode import enable_grad, no_grad
from rushlight.engine.autograd import backward
from rushlight.engine.core.tensor import Tensor
from rushlight.utils._recomputation import CheckpointError, noop_context_fn, without_reentry
from rushlight.utils._selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from rushlight.utils._selective import (
    _CachedTorchDispatchMode as _CachedTorchDispatchMode,
)
from rushlight.utils._selective import (
    _CachingTorchDispatchMode as _CachingTorchDispatchMode,
)
from rushlight.utils._surroundings import Surroundings

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


class _Defaults:
    """What `set_checkpoint_early_stop` and `set_checkpoint_debug_enabled` have set."""

    early_stop: bool | None = None
    debug: bool | None = None


class DefaultDeviceType:
    """The kind of device whose random state checkpoints keep besides the host's."""

    _device_type = "cuda"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        DefaultDeviceType._device_type = device

    @staticmethod
    def get_device_type() -> str:
        return DefaultDeviceType._device_type


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Within the block, decide whether checkpoints stop as soon as all that is needed is there."""
    before, _Defaults.early_stop = _Defaults.early_stop, enable
    try:
        yield
    finally:
        _Defaults.early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Within the block, decide whether checkpoints note their operators for error messages."""
    before, _Defaults.debug = _Defaults.debug, enabled
    try:
        yield
    finally:
        _Defaults.debug = before


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function without keeping what its gradient needs: it is called again for that.

    Args:
        function: what to call
        args: its arguments
        use_reentrant: run a backward pass within the backward pass, which allows less; False lets
            saved tensors be recomputed when they are asked for
        context_fn: gives a context for each of the two calls
        determinism_check: "default" compares sizes and types of the tensors recomputed; "none"
        debug: show the operators of both calls where they differ
        early_stop: stop the second call when all that is needed is there
        kwargs: its keyword arguments; ``preserve_rng_state`` says whether the second call gets the
            random numbers of the first
    """
    if use_reentrant is None:
        warn_of_default("checkpoint")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        keeps = early_stop if _Defaults.early_stop is None else _Defaults.early_stop
        debugs = debug if _Defaults.debug is None else _Defaults.debug
        return without_reentry(
            function, args, kwargs, preserve, context_fn, determinism_check, debugs, keeps
        )
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug:
        raise ValueError(
            "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
        )
    return CheckpointFunction.apply(function, preserve, *args)


def warn_of_default(what: str) -> None:
    """Say that ``use_reentrant`` should be chosen."""
    if what == "checkpoint":
        text = (
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
            "exception. "
        )
    else:
        text = (
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be "
            "passed explicitly. In version 2.9 we will raise an exception if use_reentrant is not "
            "passed. "
        )
    warnings.warn(
        text
        + "use_reentrant=False is recommended, but if you need to preserve the current default "
        "behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
        "differences between the two variants.",
        stacklevel=3,
    )


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call functions one after the other, with a checkpoint for each of a number of segments.

    Args:
        functions: modules or functions, or a module of modules
        segments: how many checkpoints to divide them into; the last one is not checkpointed
        input: the argument of the first
        use_reentrant: see `checkpoint`
        kwargs: ``preserve_rng_state``
    """
    if use_reentrant is None:
        warn_of_default("checkpoint_sequential")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    chain = list(functions.children() if hasattr(functions, "children") else functions)
    size = len(chain) // segments
    starts = [size * k for k in range(segments)]
    for start, end in itertools.pairwise(starts):
        input = checkpoint(
            one_after_the_other(chain[start:end]), input,
            use_reentrant=use_reentrant, preserve_rng_state=preserve,
        )  # fmt: skip
    return one_after_the_other(chain[starts[-1] :])(input)


def one_after_the_other(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """A function that calls functions in turn, each with what the one before gave."""

    def run(input: Any) -> Any:
        for function in functions:
            input = function(input)
        return input

    return run


# -- with a backward pass in the backward pass --


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leaves with the elements of the inputs."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    return tuple(
        item.detach().requires_grad_(item.requires_grad) if isinstance(item, Tensor) else item
        for item in inputs
    )


def check_backward_validity(inputs: Sequence[Any]) -> None:
    """Warn if no input requires a gradient."""
    if not any(isinstance(item, Tensor) and item.requires_grad for item in inputs):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The devices besides the host that tensors are on, and their random states: there are none."""
    return [], []


def set_device_states(
    devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None
) -> None:
    """Set the random states of devices besides the host, as `get_device_states` gave them."""
    if len(devices):
        raise NotImplementedError(
            f"set_device_states: rushlight has no devices besides the host, but got {devices}"
        )


class CheckpointFunction(Function):
    """A call that is repeated, with gradients, when its backward is asked for."""

    @staticmethod
    def forward(ctx: Any, function: Any, preserve: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.function = function
        ctx.surroundings = Surroundings(preserve)
        ctx.places = [k for k, item in enumerate(args) if isinstance(item, Tensor)]
        ctx.others = [None if isinstance(item, Tensor) else item for item in args]
        ctx.save_for_backward(*(args[k] for k in ctx.places))
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        current = backward.running.passes[-1]
        if current.captures or not current.accumulate:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        args = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors):
            args[place] = tensor
        leaves = detach_variable(tuple(args))
        with ctx.surroundings.again(), enable_grad():
            outputs = ctx.function(*leaves)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        pairs = [
            (out, grad)
            for out, grad in zip(outputs, grads)
            if isinstance(out, Tensor) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        rushlight.autograd.backward([out for out, _ in pairs], [grad for _, grad in pairs])
        found = (item.grad if isinstance(item, Tensor) else None for item in leaves)
        return (None, None, *found)
