"""TorchScript's functions. Programs stay Python here, which the first use says."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, Final

from rushlight.compiler import say_once
from rushlight.engine.core.errors import JITException as Error
from rushlight.engine.core.tensor import Tensor
from rushlight.futures import Future
from rushlight.nn.modules.module import Module

__all__ = [
    "Attribute",
    "Error",
    "Final",
    "Future",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "export",
    "export_opnames",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "optimize_for_inference",
    "optimized_execution",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

_isinstance = isinstance


class ScriptModule(Module):
    """The class of compiled modules; `script` and `trace` give modules as they are."""


RecursiveScriptModule = TracedModule = TopLevelTracedModule = ScriptModule


class ScriptFunction:
    """The class of compiled functions; `script` and `trace` give functions as they are."""


class ScriptObject:
    """The class of objects whose class is compiled as a script or bound by C++: there are none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("torch.ScriptObject: rushlight compiles no TorchScript")


class CompilationUnit:
    """Compiled source text, which cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("torch.jit.CompilationUnit: rushlight compiles no TorchScript")


class TracerWarning(Warning):
    """What a tracer warns of."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Hear nothing of what the library's own code gives reason for: it gives none."""


class ScriptWarning(Warning):
    """What the script compiler warns of."""


class Attribute:
    """A value with its type, for attributes of modules."""

    def __init__(self, value: Any, type: Any) -> None:
        self.value, self.type = value, type


# -- compiling, which gives back what it gets --


def script(
    obj: Any = None,
    optimize: Any = None,
    _frames_up: int = 0,
    _rcb: Any = None,
    example_inputs: Any = None,
) -> Any:
    """A function, module or class as it is."""
    say_once("torch.jit.script")
    return obj


def _arguments(example: Any) -> tuple[Any, ...]:
    """An example as arguments: those in a list, or one alone."""
    return (example,) if _isinstance(example, (Tensor, dict)) else tuple(example)


def trace(func: Any = None, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A function or module as it is; it is called once with the example, to see that it runs."""
    say_once("torch.jit.trace")
    named = kwargs.get("example_kwarg_inputs")
    if func is None:
        return functools.partial(trace, example_inputs=example_inputs, **kwargs)
    if named is not None:
        func(**named)
    elif example_inputs is not None:
        func(*_arguments(example_inputs))
    return func


def trace_module(mod: Any, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
    """A module as it is; its methods are called once with the examples."""
    say_once("torch.jit.trace_module")
    for name, example in inputs.items():
        (mod if name == "forward" else getattr(mod, name))(*_arguments(example))
    return mod


def freeze(mod: Any, preserved_attrs: Any = None, **options: Any) -> Any:
    """The module as it is; it must be in evaluation mode."""
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() "
            "on your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """Gives the module back."""
    return mod


def script_if_tracing(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the function back: nothing is traced."""
    return fn


def script_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the method back."""
    return fn


def interface(obj: Any) -> Any:
    """Gives the class back."""
    return obj


# -- marks --


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Leave a method to Python: a decorator, with or without arguments."""
    return drop if callable(drop) else lambda fn: fn


def unused(fn: Any) -> Any:
    """Leave a method out of scripts."""
    return fn


def export(fn: Any) -> Any:
    """Compile a method although `forward` does not call it."""
    return fn


def annotate(the_type: Any, the_value: Any) -> Any:
    """A value whose type a script cannot see."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Python's, also for types with arguments such as ``list[int]``."""
    origin = getattr(target_type, "__origin__", None)
    return _isinstance(obj, target_type if origin is None else origin)


def _overload(func: Any) -> Any:
    """Mark a signature of a function; the last definition is the function."""
    return func


_overload_method = _overload


def is_scripting() -> bool:
    """Whether this runs in a script."""
    return False


def is_tracing() -> bool:
    """Whether a trace is being recorded."""
    return False


# -- the rest --


_script_if_tracing = script_if_tracing


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """Call a function; `wait` gives its result, which is there at once."""
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Any) -> Any:
    """The result of a future, once it is there."""
    return future.wait()


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Raises: there is no compiled form to write."""
    raise NotImplementedError(
        "torch.jit.save: rushlight has no TorchScript archives; save the state_dict with torch.save"
    )


def load(f: Any, map_location: Any = None, _extra_files: Any = None, **options: Any) -> Any:
    """Raises: TorchScript archives cannot be run."""
    raise NotImplementedError(
        "torch.jit.load: rushlight cannot run TorchScript archives; load a state_dict with torch.load"
    )


def export_opnames(m: Any) -> list[str]:
    """The operators of a script: none are known, as nothing is compiled."""
    return []


def optimized_execution(should_optimize: bool) -> Any:
    """A block in which everything goes on as before."""
    return contextlib.nullcontext()


class strict_fusion(contextlib.nullcontext[None]):
    """A block that must be fused, in a script."""


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Set how scripts are fused; what it was."""
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Scripts are not fused, so this changes nothing."""


def onednn_fusion_enabled() -> bool:
    """Whether oneDNN fuses operators: it does not."""
    return False
