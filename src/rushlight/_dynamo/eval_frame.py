"""What compiled functions and modules are."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

from rushlight._capture import backends
from rushlight._capture.bytecode import SUPPORTED
from rushlight.engine.native.garbage import importing
from rushlight.nn import Module

__all__ = ["OptimizedModule", "is_dynamo_supported"]

# All functions that are compiled, to be reset.
_known: weakref.WeakSet[Any] = weakref.WeakSet()


def is_dynamo_supported() -> bool:
    """Whether functions can be captured under this version of Python."""
    return SUPPORTED


def unsupported(*args: Any) -> Any:
    """The first argument; ends a graph, for tests of what comes behind."""
    return args[0]


def _called(self: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A call of something that is no function."""
    return self(*args, **kwargs)


called: Any = _called


class OptimizedModule(Module):
    """A module that calls another one, compiled.

    Args:
        mod: the module
        compiled: calls it
    """

    _orig_mod: Module

    def __init__(self, mod: Module, compiled: Callable[..., Any]) -> None:
        super().__init__()
        self._orig_mod = mod
        self.__dict__["_compiled"] = compiled
        self.training = mod.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        # Not by its name: what modules hold is found in Python.
        own = self.__dict__
        return own["_compiled"](own["_modules"]["_orig_mod"], *args, **kwargs)

    @property
    def dynamo_ctx(self) -> Callable[[Any], Any]:
        """What compiles other functions in the same way."""
        return functools.partial(compiled, **self.__dict__["_compiled"]._settings)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_orig_mod", "training") or "_orig_mod" not in self.__dict__.get(
            "_modules", ()
        ):
            super().__setattr__(name, value)
            if name != "training" or "_orig_mod" not in self.__dict__.get("_modules", ()):
                return
        setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __len__(self) -> int:
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self._orig_mod)]

    def __reduce__(self) -> Any:
        return _again, (self._orig_mod, self.__dict__["_compiled"]._settings)


def _again(mod: Module, options: dict[str, Any]) -> Any:
    return compiled(mod, **options)


def compiled(
    target: Any, *, backend: Any = "inductor", fullgraph: bool = False, dynamic: bool | None = None,
    mode: str | None = None, options: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """What captures a function or a module, and runs its graphs.

    Args:
        target: the function or module
        backend: makes graphs functions
        fullgraph: refuse what is not one graph
        dynamic: whether sizes may vary
        mode: a choice of options by name
        options: for the back end
    """
    with importing():
        from rushlight._capture.programs import compiled_function
        from rushlight._capture.segments import Settings

    chosen = backends.lookup(backend)
    given: dict[str, Any] = {"options": options} if options and not callable(backend) else {}
    if callable(backend) and (mode or options):
        given = {k: v for k, v in (("mode", mode), ("options", options)) if v is not None}
    settings = Settings(functools.partial(chosen, **given) if given else chosen, fullgraph, dynamic)
    if isinstance(target, Module):
        made = compiled_function(called, settings)
        made._settings = {
            "backend": backend, "fullgraph": fullgraph, "dynamic": dynamic, "mode": mode,
            "options": options,
        }  # fmt: skip
        _known.add(made._captured)
        return OptimizedModule(target, made)
    if isinstance(target, types.FunctionType):
        inner = getattr(target, "_torchdynamo_orig_callable", None)
        function = inner if isinstance(inner, types.FunctionType) else target
        made = compiled_function(function, settings)
        bind: Callable[..., Any] = made
    elif isinstance(target, types.MethodType):
        made = compiled_function(target.__func__, settings)  # type: ignore[arg-type]
        bind = functools.partial(made, target.__self__)
    else:
        made = compiled_function(called, settings)
        bind = functools.partial(made, target)
    _known.add(made._captured)
    if bind is not made:
        captured = made._captured

        def bound_call(*args: Any, **kwargs: Any) -> Any:
            return bind(*args, **kwargs)

        if not inspect.isclass(target):
            functools.update_wrapper(bound_call, target)
        bound: Any = bound_call
        bound._captured = captured
        made = bound
    made._torchdynamo_orig_callable = target
    return made


def reset() -> None:
    """Forget all graphs."""
    for one in list(_known):
        one.forget()
