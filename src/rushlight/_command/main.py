"""The `rushlight` command."""

from __future__ import annotations

import argparse
import ast
import os
import runpy
import sys
from typing import Any

from rushlight.engine.native import object_cache


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    parser = argparse.ArgumentParser(prog="rushlight", description="PyTorch in plain Python.")
    # Without its name it would be found by formatting a text, which loads what formats texts.
    commands = parser.add_subparsers(dest="command", required=True, prog="rushlight")
    explain = commands.add_parser("explain", help="show every layer of a call")
    explain.add_argument("call", help="a call, such as 'torch.add(a, b)'; a and b are 4x4 tensors")
    explain.add_argument("--html", metavar="FILE", help="write a page to be opened in a browser")
    explain.add_argument(
        "--kernels", action="store_true", help="show the kernels only: their source beside their IR"
    )
    explain.add_argument(
        "--compile",
        action="store_true",
        help="show what torch.compile makes of it; the call may be 'module:function', too",
    )
    explain.add_argument(
        "--grad", action="store_true", help="with --compile: the matrices want gradients"
    )
    explain.add_argument(
        "--picture", metavar="FILE", help="with --compile: write the graphs and the memory as SVG"
    )
    explain.add_argument(
        "--code", action="store_true", help="with --compile: show the bodies of loops and their IR"
    )
    explain.add_argument(
        "--max-autotune",
        action="store_true",
        help="with --compile: measure what the mode max-autotune measures, and show it",
    )
    explain.set_defaults(run=_explain)
    cache = commands.add_parser("cache", help="the compiled kernels kept on disk")
    cache.add_argument("action", choices=["info", "clear"])
    cache.set_defaults(run=_cache)
    run = commands.add_parser("run", help="run a PyTorch program without PyTorch")
    run.add_argument("-m", action="store_true", dest="is_module", help="the program is a module")
    run.add_argument("program", help="a script, or the name of a module after -m")
    run.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    run.set_defaults(run=_run)
    doctor = commands.add_parser("doctor", help="the names of torch that a program uses")
    doctor.add_argument("program", help="a script or a folder of scripts, which are not run")
    doctor.set_defaults(run=_doctor)
    options = parser.parse_args(arguments)
    status: int = options.run(options)
    return status


def _explain(options: argparse.Namespace) -> int:
    import rushlight as torch
    from rushlight._command.explain import explain, explain_page
    from rushlight._command.explain.side_by_side import side_by_side

    names: dict[str, Any] = {"torch": torch, "rushlight": torch}
    for offset, name in enumerate("abcxyz"):
        names[name] = torch.arange(16, dtype=torch.float32).reshape(4, 4) + (offset + 1)
        names[name].requires_grad_(options.grad)
    try:
        if options.compile:
            return _explain_compiled(options, names)
        tree = ast.parse(options.call, mode="eval").body
        function, args, kwargs = _call_of(tree, names)
    except SyntaxError as error:
        print(f"rushlight explain: {error.msg}: {options.call}", file=sys.stderr)
        return 2
    except (NameError, AttributeError) as error:
        print(f"rushlight explain: {error}", file=sys.stderr)
        return 2
    if options.kernels:
        print(side_by_side(function, *args, **kwargs))
        return 0
    if not options.html:
        print(explain(function, *args, **kwargs))
        return 0
    return _write(options.html, explain_page(function, *args, **kwargs))


def _write(path: str, page: str) -> int:
    """Write a page to a file."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    except OSError as error:
        print(f"rushlight explain: {path}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"written to {path}")
    return 0


def _explain_compiled(options: argparse.Namespace, names: dict[str, Any]) -> int:
    """Show what `torch.compile` makes of an expression, or of a function of a module."""
    import importlib
    import inspect

    from rushlight import alias
    from rushlight._command.explain.compiled import (
        explain_compiled,
        explain_compiled_page,
        explain_compiled_picture,
    )
    from rushlight._inductor import config

    module, colon, call = options.call.partition(":")
    if colon and all(part.isidentifier() for part in module.split(".")):
        # The module's `import torch` means rushlight.
        alias.install()
        sys.path.insert(0, os.getcwd())
        names = {**vars(importlib.import_module(module)), **names}
    else:
        call = options.call
    tree = ast.parse(call, mode="eval").body
    if isinstance(tree, (ast.Name, ast.Attribute)):
        # Each of its arguments is a matrix.
        function = eval(call, names)
        taken = inspect.signature(function).parameters.values()
        count = sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in taken)
        used = list("abcxyz"[:count])
    else:
        # The expression is the program, and the matrices in it are its arguments.
        found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        used = sorted(found & set("abcxyz"))
        function = eval(f"lambda {', '.join(used)}: {call}", names)
    args = [names[name] for name in used]
    with config.patch(max_autotune=options.max_autotune):
        if options.html:
            page = explain_compiled_page(function, *args, code=options.code)
            return _write(options.html, page)
        if options.picture:
            return _write(options.picture, explain_compiled_picture(function, *args))
        print(explain_compiled(function, *args, code=options.code))
    return 0


def _call_of(tree: ast.expr, names: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """The function and arguments of an expression; one that is no call is evaluated as a whole."""

    def value(node: ast.expr) -> Any:
        return eval(compile(ast.Expression(node), "<explain>", "eval"), names)

    if isinstance(tree, ast.Call) and all(k.arg for k in tree.keywords):
        kwargs = {k.arg: value(k.value) for k in tree.keywords if k.arg}
        return value(tree.func), [value(a) for a in tree.args], kwargs
    if isinstance(tree, ast.BinOp):
        import operator

        signs: dict[type, Any] = {
            ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
            ast.Div: operator.truediv, ast.Pow: operator.pow, ast.Mod: operator.mod,
        }  # fmt: skip
        if type(tree.op) in signs:
            return signs[type(tree.op)], [value(tree.left), value(tree.right)], {}
    code = compile(ast.Expression(tree), "<explain>", "eval")
    return lambda: eval(code, names), [], {}


def _run(options: argparse.Namespace) -> int:
    """Run a program whose `import torch` means rushlight."""
    from rushlight import alias

    alias.install()
    sys.argv = [options.program, *options.arguments]
    if options.is_module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        return 0
    if not os.path.isfile(options.program):
        print(f"rushlight run: no such file: {options.program}", file=sys.stderr)
        return 2
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.program)))
    runpy.run_path(options.program, run_name="__main__")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from rushlight._command import doctor

    return doctor.report(options.program)


def _cache(options: argparse.Namespace) -> int:
    if options.action == "clear":
        print(f"{object_cache.clear()} kernels removed from {object_cache.folder()}")
        return 0
    folder, count, size = object_cache.info()
    print(f"{folder}\n{count} kernels, {size / 1e6:.1f} MB")
    return 0
