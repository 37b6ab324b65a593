"""Compilers that run, show or draw graphs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import rushlight
from rushlight._decomp import get_decompositions
from rushlight._functorch.aot_autograd import aot_function, aot_module, make_boxed_compiler
from rushlight._functorch.compile_utils import strip_overloads
from rushlight._functorch.partitioners import draw_graph, min_cut_rematerialization_partition
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.nn import Module

__all__ = [
    "DebugInterpreter",
    "debug_compile",
    "debug_nop",
    "default_decompositions",
    "draw_graph_compile",
    "memory_efficient_fusion",
    "nnc_jit",
    "nop",
    "print_compile",
    "simple_ts_compile",
    "ts_compile",
]

# Of PyTorch's list, the operators that are here: backward passes of elementwise functions have no names.
_NAMES = (
    "detach", "cudnn_batch_norm", "cudnn_batch_norm_backward", "masked_fill", "elu", "leaky_relu", "hardtanh",
    "hardswish", "hardsigmoid", "conj_physical", "is_same_size",
)  # fmt: skip
default_decompositions = get_decompositions(
    [getattr(rushlight.ops.aten, name) for name in _NAMES if hasattr(rushlight.ops.aten, name)]
)


def nop(fx_g: GraphModule, _: Any) -> GraphModule:
    """The graph itself: it runs as it is."""
    return fx_g


@make_boxed_compiler
def print_compile(fx_g: GraphModule, _: Any) -> GraphModule:
    """The graph itself, whose code is printed."""
    print(fx_g.code)
    return fx_g


class DebugInterpreter(Interpreter):
    """Runs a graph and compares each value with the fake that was traced for it."""

    def run_node(self, n: Any) -> Any:
        """The value of a node; AssertionError if it is not like its fake."""
        found = super().run_node(n)
        expected = n.meta.get("val")
        if isinstance(found, rushlight.Tensor) and isinstance(expected, rushlight.Tensor):
            self._check(n, found, expected)
        return found

    def _check(self, node: Any, found: Any, expected: Any) -> None:
        from rushlight.engine.core.symbolic import has_symbols

        if found.dtype is not expected.dtype:
            raise AssertionError(f"{node}: {found.dtype} != {expected.dtype}")
        if has_symbols((*expected.size(), *expected.stride())):
            return
        if found.size() != expected.size() or found.stride() != expected.stride():
            raise AssertionError(
                f"{node}: size {tuple(found.size())}, strides {found.stride()} are not those that were traced: "
                f"{tuple(expected.size())}, {expected.stride()}"
            )


@make_boxed_compiler
def debug_nop(fx_g: GraphModule, _: Any) -> Callable[..., Any]:
    """The graph, run value by value and compared with what was traced."""
    return DebugInterpreter(fx_g).run


def debug_compile(fx_g: GraphModule, inps: Any) -> GraphModule:
    """The graph itself, whose code is printed with the sizes of its arguments."""
    print(fx_g.code)
    print([tuple(x.shape) if isinstance(x, rushlight.Tensor) else x for x in inps])  # type: ignore[attr-defined]
    return fx_g


def _draw(fx_g: GraphModule, _: Any, name: str, clear_meta: bool) -> GraphModule:
    draw_graph(fx_g, name, clear_meta=clear_meta)
    return fx_g


def draw_graph_compile(name: str) -> Callable[..., Any]:
    """A compiler that draws a graph into a file and leaves it as it is."""
    return make_boxed_compiler(partial(_draw, name=name, clear_meta=True))


def _refuse(what: str) -> NoReturn:
    raise NotImplementedError(
        f"{what}: rushlight has no TorchScript compiler; use nop, or torch.compile"
    )


def ts_compile(fx_g: GraphModule, inps: Any) -> NoReturn:
    """Raises: there is no TorchScript compiler."""
    _refuse("functorch.compile.ts_compile")


def simple_ts_compile(fx_g: GraphModule, _: Any) -> NoReturn:
    """Raises: there is no TorchScript compiler."""
    strip_overloads(fx_g)
    _refuse("functorch.compile.simple_ts_compile")


def nnc_jit(f: Callable[..., Any]) -> NoReturn:
    """Raises: there is no TorchScript compiler."""
    _refuse("functorch.compile.nnc_jit")


def memory_efficient_fusion(fn: Callable[..., Any] | Module, **kwargs: Any) -> Any:
    """A function or a module whose backward pass computes again what is cheap to compute.

    Args:
        fn: the function or the module
        kwargs: of `aot_function`
    """
    settings: dict[str, Any] = {
        "fw_compiler": nop,
        "bw_compiler": nop,
        "partition_fn": min_cut_rematerialization_partition,
        "decompositions": default_decompositions,
    }
    settings.update(kwargs)
    return aot_module(fn, **settings) if isinstance(fn, Module) else aot_function(fn, **settings)
