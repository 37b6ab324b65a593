"""Several modules called at once, each on a device by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight._utils import ExceptionWrapper, _get_device_index
from rushlight.nn.parallel._devices import has_accelerator

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj: Any) -> Any:
    """A tensor in an object, however it is put together; None if there is none."""
    if isinstance(obj, torch.Tensor):
        return obj
    if isinstance(obj, dict):
        obj = list(obj.items())
    if isinstance(obj, (list, tuple)):
        return next((x for x in map(get_a_var, obj) if x is not None), None)
    return None


def parallel_apply(
    modules: Sequence[Any], inputs: Sequence[Any], kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:  # fmt: skip
    """Each module's result for its inputs.

    Args:
        modules: what is called
        inputs: for each module, its arguments, or its only one
        kwargs_tup: for each module, its named arguments
        devices: for each module, its device; where its inputs are if None
    """
    count = len(modules)
    for what, given in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if given is not None and len(given) != count:
            raise AssertionError(
                f"The number of modules {count} is not equal to the number of {what} {len(given)}"
            )
    named = [{} for _ in modules] if kwargs_tup is None else kwargs_tup
    if not has_accelerator("parallel_apply", devices or ()):
        return [m(*_listed(x), **kwargs) for m, x, kwargs in zip(modules, inputs, named)]
    places = [_get_device_index(d, True) for d in devices or [None] * count]
    results: list[Any] = [None] * count
    modes = torch.is_grad_enabled(), torch.is_autocast_enabled("cuda")
    streams = [torch.cuda.current_stream(place) for place in places]

    def call(k: int) -> None:
        try:
            with (
                torch.cuda.stream(streams[k]), torch.set_grad_enabled(modes[0]),
                torch.autocast("cuda", enabled=modes[1]),
            ):  # fmt: skip
                results[k] = modules[k](*_listed(inputs[k]), **named[k])
        except Exception:
            # Raised again by the thread that has asked.
            results[k] = ExceptionWrapper(where=f"in replica {k} on device {places[k]}")

    if count == 1:
        call(0)
    else:
        threads = [threading.Thread(target=call, args=(k,)) for k in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for made in results:
        if isinstance(made, ExceptionWrapper):
            made.reraise()
    return results


def _listed(given: Any) -> Any:
    return given if isinstance(given, (list, tuple)) else (given,)
