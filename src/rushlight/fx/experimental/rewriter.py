"""Rewriting programs so that more of them can be traced: `assert` becomes a call."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from types import FunctionType
from typing import Any

import rushlight
import rushlight.fx.annotate
from rushlight.fx._symbolic_trace import Tracer
from rushlight.fx.graph import Graph
from rushlight.nn.modules.module import Module

__all__ = ["AST_Rewriter", "RewritingTracer"]


class AST_Rewriter(ast.NodeTransformer):
    """Changes the text of functions."""

    def rewrite(self, fn: FunctionType) -> FunctionType:
        """The function from its changed text."""
        source, _ = inspect.getsourcelines(fn)
        tree = ast.parse(textwrap.dedent("".join(source)))
        changed: Any = ast.fix_missing_locations(self.visit(tree))
        code = compile(changed, "", "exec")
        names = dict(fn.__globals__)
        before = set(names)
        exec(code, names)
        made = names.get(fn.__name__)
        if made is None:
            new = set(names) - before
            if len(new) != 1:
                raise AssertionError(f"Expected 1 new key, got {len(new)}")
            made = names[new.pop()]

        def keep_globals(one: FunctionType) -> FunctionType:
            """The same code among the names of the original."""
            copy = FunctionType(
                one.__code__, fn.__globals__, one.__name__, fn.__defaults__, fn.__closure__
            )
            functools.update_wrapper(copy, fn)
            copy.__kwdefaults__ = fn.__kwdefaults__
            return copy

        return keep_globals(made)

    def visit_Assert(self, node: ast.Assert) -> Any:
        """`assert x, "text"` as `torch._assert(x, "text")`."""
        call = ast.parse("torch._assert()", mode="eval").body
        if not isinstance(call, ast.Call):
            raise AssertionError(f"Expected ast.Call, got {type(call)}")
        text = node.msg if node.msg else ast.Constant(value="", kind=None)
        call.args = [node.test, text]
        return ast.copy_location(ast.Expr(value=call), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """`x: T = value` as `x = torch.fx.annotate.annotate(value, T)`."""
        if node.value is None:
            return node
        path: Any = ast.parse("torch.fx.annotate.annotate", mode="eval").body
        call = ast.Call(func=path, args=[node.value, node.annotation], keywords=[])
        return ast.copy_location(ast.Assign(targets=[node.target], value=call), node)


class RewritingTracer(Tracer):
    """Traces programs after `AST_Rewriter` has changed them."""

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        """The graph of a module or function."""
        return super().trace(_rewrite(root), concrete_args)


def _rewrite(fn: Any) -> Any:
    """A module whose submodules' programs are changed, or a changed function."""
    if not isinstance(fn, Module):
        return AST_Rewriter().rewrite(fn)

    class RewrittenModule(Module):
        """Has what the original has."""

        def __init__(self, original: Any) -> None:
            super().__init__()
            self.__dict__ = original.__dict__

    def changed(module: Any) -> Any:
        kind = type("RewrittenModule", (RewrittenModule,), {})
        kind.forward = AST_Rewriter().rewrite(type(module).forward)  # type: ignore[attr-defined]
        made: Any = kind(module)
        for name, inner in module._modules.items():
            if inner is not None and type(inner).__module__.partition(".")[0] not in _OWN:
                made._modules[name] = changed(inner)
        return made

    return changed(fn)


_OWN = (rushlight.__name__, "rushlight", "torch")
