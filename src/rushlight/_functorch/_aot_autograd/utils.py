"""Small things that all passes use: functions that take their arguments in a list, and nests of values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.utils import _pytree as pytree

__all__ = [
    "call_func_at_runtime_with_args",
    "create_tree_flattened_fn",
    "format_guard_bug_msg",
    "make_boxed_compiler",
    "make_boxed_func",
    "normalize_as_list",
    "strict_zip",
]

strict_zip = functools.partial(zip, strict=True)
# What is known of an input of a graph that may let go of it: how many bytes that gives back.
OWNED = "owned_bytes"


def make_boxed_func(f: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """A function that takes its arguments in a list, so that it can let go of them."""

    def g(args: list[Any]) -> Any:
        return f(*args)

    g._boxed_call = True  # type: ignore[attr-defined]
    # Where nothing is to be done around the call, it is made as it is.
    g.plain = f  # type: ignore[attr-defined]
    return g


def make_boxed_compiler(compiler: Callable[..., Any]) -> Callable[..., Any]:
    """A compiler whose functions take their arguments in a list."""

    @functools.wraps(compiler, updated=())
    def f(fx_g: Any, inps: Any) -> Any:
        made = compiler(fx_g, inps)
        return made if made is None else make_boxed_func(made)

    return f


def format_guard_bug_msg(number: int, expected: str) -> str:
    """The text of an error: a compiled program is called with what it was not compiled for."""
    return (
        f"At compilation time, graph {number} was compiled under the assumption that {expected}, but at "
        f"runtime this was not the case.  This indicates a guard bug in AOTAutograd or Dynamo, please file a "
        f"bug to PyTorch."
    )


def normalize_as_list(x: Any) -> list[Any]:
    """One or several values as a list."""
    if isinstance(x, tuple):
        return list(x)
    return x if isinstance(x, list) else [x]


def call_func_at_runtime_with_args(
    f: Callable[..., Any], args: list[Any] | tuple[Any, ...], steal_args: bool = True
) -> list[Any]:
    """Call what a compiler made, which takes its arguments in a list or one by one."""
    if getattr(f, "_boxed_call", False):
        return normalize_as_list(f(args if isinstance(args, list) else list(args)))
    return normalize_as_list(f(*args))


class PytreeThunk:
    """How results were nested, once they are known."""

    def __init__(self) -> None:
        self.spec: Any = None

    def set(self, spec: Any) -> None:
        if self.spec is not None and self.spec != spec:
            raise AssertionError(f"results were nested as {self.spec}, and now as {spec}")
        self.spec = spec

    def unflatten(self, x: Iterable[Any]) -> Any:
        return pytree.tree_unflatten(list(x), self.spec)


# What results of programs may be.
KNOWN_TYPES: tuple[type, ...]


def create_tree_flattened_fn(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
) -> tuple[Callable[..., Any], PytreeThunk]:
    """A function of flat arguments that gives flat results, and how these were nested."""
    spec = pytree.tree_flatten((args, kwargs or {}))[1]
    out_spec = PytreeThunk()

    def flat_fn(*flat_args: Any) -> Any:
        given, named = pytree.tree_unflatten(list(flat_args), spec)
        flat_out, nested = pytree.tree_flatten(fn(*given, **named))
        for value in flat_out:
            if not isinstance(value, KNOWN_TYPES):
                raise RuntimeError(
                    f"Found {type(value)} in output, which is not a known type. If this type holds tensors, "
                    f"you need to register a pytree for it. See "
                    f"https://github.com/pytorch/functorch/issues/475 for a brief explanation why. If you don't "
                    f"need to register a pytree, please leave a comment explaining your use case and we'll make "
                    f"this more ergonomic to deal with"
                )
        out_spec.set(nested)
        return flat_out

    return flat_fn, out_spec


def _known_types() -> tuple[type, ...]:
    import rushlight
    from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt

    simple = (int, float, complex, str, bool, type(None), rushlight.Size, SymInt, SymBool, SymFloat)
    return (
        *simple,
        rushlight.Tensor,
        rushlight.device,
        rushlight.Generator,
        rushlight.memory_format,
    )


KNOWN_TYPES = _known_types()
