"""`explain`: every layer of a call, from the dispatch keys down to the machine code."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rushlight._command.explain import assembly, texts
from rushlight._command.explain.transformations import flow_text
from rushlight._command.explain.watching import Watched


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """What a call does, layer by layer, as text.

    The call is made once with every remembered plan forgotten, so that all of it can be watched,
    and then again a number of times for its time.

    Args:
        function: what to call, such as ``torch.add``
        args: its arguments
        kwargs: its keyword arguments
    """
    watched, result = watch(function, *args, **kwargs)
    parts = [
        ("call", texts.call_text(function, args, kwargs, result)),
        ("schema", "\n".join(texts.schema_text(op) for op in watched.operators.values())),
        ("keys", texts.keys_text((*args, *kwargs.values()))),
        ("transformations", flow_text(function, *args, **kwargs)),
        ("generated Python", _python_text(watched)),
        ("plan", "\n".join(line.text for s in watched.steps for line in texts.step_lines(s))),
        *_kernel_parts(watched),
        *texts.gradient_parts(result),
        ("time", time_text(function, *args, **kwargs)),
    ]
    return "\n\n".join(f"== {title} ==\n{text}" for title, text in parts if text)


def explain_page(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """What a call does as a page of HTML: the layers side by side, their lines linked.

    Args:
        function: what to call, such as ``torch.add``
        args: its arguments
        kwargs: its keyword arguments
    """
    from rushlight._command.explain import page

    watched, result = watch(function, *args, **kwargs)
    call = [
        texts.call_text(function, args, kwargs, result),
        f"keys: {texts.keys_text((*args, *kwargs.values()))}",
        time_text(function, *args, **kwargs),
    ]
    return page.page_of(call, texts.gradient_parts(result), watched)


def watch(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Watched, Any]:
    """Make a call again with all of it watched; what was seen, and what the call gave."""
    function(*args, **kwargs)
    watched = Watched()
    return watched, watched.call(lambda: function(*args, **kwargs))


def time_text(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """How long a call takes that is remembered."""
    seconds = _time_of(lambda: function(*args, **kwargs))
    return f"{seconds * 1e9:.0f} ns for the call once it is known"


def _python_text(watched: Watched) -> str:
    sources = []
    for code in watched.functions:
        lines = texts.source_of(code)
        if lines:
            sources.append("\n".join([f"# {texts.file_of(code)}", *lines]))
        else:
            sources.append(f"{code.co_name} ({code.co_filename})")
    return "\n\n".join(sources)


def _kernel_parts(watched: Watched) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    for number, kernel in enumerate(watched.kernels, 1):
        of = f" of kernel {number}" if len(watched.kernels) > 1 else ""
        lines = assembly.lines_of(kernel.ir, kernel.optimise)
        parts += [
            (f"expression{of}", kernel.expression),
            (f"LLVM IR{of}", kernel.ir.strip()),
            (f"assembly{of}", "\n".join(line.text for line in lines)),
        ]
    return parts


def _time_of(call: Callable[[], Any]) -> float:
    """Seconds per call, the best of a few rounds."""
    call()
    once = time.perf_counter()
    call()
    once = time.perf_counter() - once
    count = max(1, min(10_000, int(0.01 / max(once, 1e-9))))
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best
