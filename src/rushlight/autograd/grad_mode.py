"""Switching the recording of gradients on and off."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import grad_blocks, keys, objects, state
from rushlight.engine.dispatch.invalid_arguments import wrong_type

__all__ = [
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def is_grad_enabled() -> bool:
    """Whether operations of this thread are recorded."""
    return state.thread.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether this thread is within `inference_mode`."""
    return state.thread.inference


def _switch(mode: bool) -> None:
    """Switch recording on or off, as a program says; a transformation around it is told."""
    if state.active and state.thread.layers and mode is not state.thread.grad_enabled:
        state.thread.layers[-1].switched(mode)
    state.set_grad(mode)


def _recording_around() -> list[int]:
    """Whether what is around each transformation of this thread records."""
    return [layer.records for layer in state.thread.layers] if state.active else []


def _switch_back(mode: bool, around: list[int]) -> None:
    """End a block: transformations are told, and what is around them records as it did before.

    Within the forward pass of an `autograd.Function` that is not what the thread did.
    """
    _switch(mode)
    for layer, records in zip(state.thread.layers, around):
        layer.records = records


class Decorating:
    """A context manager that also decorates functions, generators and classes' constructors."""

    def clone(self) -> Decorating:
        return type(self)()

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        raise NotImplementedError

    def __call__(self, function: Callable[..., Any]) -> Any:
        if inspect.isclass(function):
            function.__init__ = self(function.__init__)  # type: ignore[misc, method-assign]
            return function
        if inspect.isgeneratorfunction(function):
            return self._generator(function)

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def _generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The mode holds while the generator runs, not while its user does."""

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            step: Callable[[], Any] = functools.partial(next, generator)
            while True:
                try:
                    with self.clone():
                        item = step()
                except StopIteration as end:
                    return end.value
                try:
                    sent = yield item
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    step = functools.partial(generator.throw, error)
                else:
                    step = functools.partial(generator.send, sent)

        return wrapped


class _GradMode(grad_blocks.Block, Decorating):  # type: ignore[misc]
    """A block in which recording is on or off. Most of them machine code enters and leaves."""

    _mode = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """``no_grad`` decorates with and without brackets."""
        made = object.__new__(cls)
        return made if function is None else made(function)

    def __reduce__(self) -> Any:
        return type(self), ()

    def __enter__(self) -> None:
        self._before = 0
        self._previous = state.thread.grad_enabled
        self._around = _recording_around()
        _switch(self._mode)

    def __exit__(self, *exception: object) -> None:
        if self._before:
            # Entered by machine code: there was nothing around it.
            _switch_back(self._before == grad_blocks.BEFORE_ON, [])
        else:
            _switch_back(self._previous, self._around)


class no_grad(_GradMode):
    """A block in which no gradients are recorded."""


class enable_grad(_GradMode):
    """A block in which gradients are recorded."""

    _mode = True


objects.when_started.append(lambda: grad_blocks.quicken(no_grad, enable_grad))


class set_grad_enabled(Decorating):
    """Switch recording on or off, at once and until the block ends."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise wrong_type("set_grad_enabled", "enabled", 1, "bool", mode)
        self.prev = state.thread.grad_enabled
        self.mode = mode
        self._around = _recording_around()
        _switch(mode)

    def __call__(self, function: Callable[..., Any]) -> Any:
        _switch_back(self.prev, self._around)
        return super().__call__(function)

    def clone(self) -> set_grad_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        _switch(self.mode)

    def __exit__(self, *exception: object) -> None:
        _switch_back(self.prev, self._around)


class inference_mode(Decorating):
    """A block whose tensors never take part in recording, and keep no versions."""

    def __new__(cls, mode: Any = True) -> Any:
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def clone(self) -> inference_mode:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        thread = state.thread
        inference, included = thread.inference, thread.included
        own = included & keys.INFERENCE
        state.set_inference(self.mode)
        thread.included = included | keys.INFERENCE if self.mode else included & ~keys.INFERENCE
        self._previous = inference, state.set_grad(not self.mode), own

    def __exit__(self, *exception: object) -> None:
        thread = state.thread
        inference, recording, included = self._previous
        # Other keys are others': their blocks may end before this one.
        thread.included = thread.included & ~keys.INFERENCE | included
        state.set_inference(inference)
        state.set_grad(recording)


def _enter_inference_mode(mode: bool) -> Decorating:
    """Begin such a block, in a graph. While a graph is traced its tensors are the trace's: they are only not recorded."""
    thread = state.thread
    is_traced = thread.layers or thread.modes
    block: Decorating = set_grad_enabled(not mode) if is_traced else inference_mode(mode)
    block.__enter__()
    return block


def _exit_inference_mode(block: Decorating) -> None:
    """End it, in a graph."""
    block.__exit__(None, None, None)


class set_multithreading_enabled(Decorating):
    """Whether backward passes may use several threads; they use the caller's."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def clone(self) -> set_multithreading_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None
