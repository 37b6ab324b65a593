"""Every operator with PyTorch's own samples of it, called again and again: where a repeated call takes longer.

The samples are small, so that what is timed is the way to the kernel and back. An operator's figure is that of its
slowest sample; those that take longer than PyTorch's are listed.
"""

from __future__ import annotations

import gc
import itertools
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

# Samples of an operator, calls before the clock runs, calls in a measurement, and measurements.
_SAMPLES, _WARM, _CALLS, _TURNS = 5, 10, 5, 3
# Seconds that one call may take; longer ones are other suites' matter, as are many elements.
_MOST_SECONDS = 1e-3
_MOST_ELEMENTS = 20_000
_LISTED = 40


def measure(only: str, rounds: int) -> dict[str, float]:
    """The worst ratio of each operator, forward; operators whose name contains ``only``."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    import rushlight

    torch.set_num_threads(1)
    rushlight.set_num_threads(1)
    warnings.simplefilter("ignore")
    ratios: dict[str, float] = {}
    for op in op_db:
        if only not in op.name or not op.supported_dtypes("cpu"):
            continue
        for ours, theirs in _calls(op, torch, rushlight):
            ratio = _ratio(ours, theirs, rounds)
            if ratio is not None:
                title = f"{op.name} {op.variant_test_name}".strip()
                ratios[title] = max(ratio, ratios.get(title, 0.0))
        gc.collect()
    slow = sorted((title for title in ratios if ratios[title] > 1), key=ratios.__getitem__)
    for title in slow[: -_LISTED - 1 : -1]:
        print(f"{title:60s} {ratios[title]:6.2f}")
    print(f"{len(slow)} of {len(ratios)} operators have a sample that takes longer")
    return ratios


def _calls(op: Any, torch: Any, rushlight: Any) -> Iterator[tuple[Callable[[], Any], ...]]:
    """A few of an operator's samples as calls of either library."""
    functions = [_found(library, op.name) for library in (rushlight, torch)]
    kinds = op.supported_dtypes("cpu")
    kind = torch.float32 if torch.float32 in kinds else sorted(kinds, key=str)[0]
    if None in functions:
        return
    for sample in itertools.islice(op.sample_inputs("cpu", kind), _SAMPLES):
        given = (sample.input, *sample.args), sample.kwargs
        try:
            there = _moved(given, torch, rushlight)
        except TypeError:
            # Something that has no counterpart here, such as a function of theirs.
            continue
        # Names as a program's text has them.
        named = [{sys.intern(k): v for k, v in kwargs.items()} for _, kwargs in (there, given)]
        yield tuple(
            _call(function, args, kwargs)
            for function, args, kwargs in zip(functions, (there[0], given[0]), named)
        )


def _call(function: Any, args: Any, kwargs: Any) -> Callable[[], Any]:
    return lambda: function(*args, **kwargs)


def _found(library: Any, path: str) -> Any:
    """A function by its name, or the method of that name."""
    found = library
    for name in path.split("."):
        found = getattr(found, name, None)
    return getattr(library.Tensor, path, None) if found is None else found


def _moved(value: Any, torch: Any, rushlight: Any) -> Any:
    """Arguments of PyTorch's as those of the other library."""
    match value:
        case None | bool() | int() | float() | complex() | str():
            return value
        case dict():
            return {key: _moved(item, torch, rushlight) for key, item in value.items()}
        case torch.Tensor():
            if value.layout is not torch.strided or value.numel() > _MOST_ELEMENTS:
                raise TypeError("a sparse or a large tensor")
            kind = getattr(rushlight, str(value.dtype).split(".")[-1])
            wide = value.detach().resolve_conj().resolve_neg()
            if value.dtype in (torch.bfloat16, torch.float16):
                wide = wide.float()
            return rushlight.from_numpy(wide.numpy().copy()).to(kind)
        case torch.dtype() | torch.memory_format() | torch.layout():
            return getattr(rushlight, str(value).split(".")[-1])
        case torch.device():
            return rushlight.device(str(value))
        case torch.Size():
            return rushlight.Size(value)
        case list() | tuple():
            if hasattr(value, "_fields"):
                raise TypeError("a named tuple")
            return type(value)(_moved(item, torch, rushlight) for item in value)
    raise TypeError(f"{type(value).__name__} has no counterpart")


def _ratio(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> float | None:
    """Our time by theirs; None for a call that is refused or that takes long."""
    try:
        if _once(theirs) > _MOST_SECONDS:
            return None
        for call in (ours, theirs):
            for _ in range(_WARM):
                call()
    except Exception:
        # What is right is the parity tests' matter.
        return None
    times: list[list[float]] = [[], []]
    for _ in range(min(rounds, _TURNS)):
        for side, call in enumerate((ours, theirs)):
            start = time.perf_counter()
            for _ in range(_CALLS):
                call()
            times[side].append(time.perf_counter() - start)
    return statistics.median(times[0]) / statistics.median(times[1])


def _once(call: Callable[[], Any]) -> float:
    call()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
