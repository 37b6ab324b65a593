"""From a module to the compiled graph behind it, without recording it again at each call."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight import _lazy, fx
from rushlight._lazy import computation, metrics
from rushlight._lazy.tensor_factory_functions import tensor_factory_functions

__all__ = ["extract_compiled_graph", "force_lazy_device", "get_fallback_ops"]


def force_lazy_device(model: fx.GraphModule) -> None:
    """Let a graph make its tensors on the lazy device.

    Args:
        model: the graph, which is changed
    """

    def lazy(value: Any) -> Any:
        return rushlight.device("lazy") if isinstance(value, rushlight.device) else value

    for node in model.graph.nodes:
        node.args = tuple(map(lazy, node.args))
        node.kwargs = {name: lazy(value) for name, value in node.kwargs.items()}
        names_one = any(
            isinstance(x, rushlight.device) for x in (*node.args, *node.kwargs.values())
        )
        if node.target in tensor_factory_functions and not names_one:
            node.kwargs = {**node.kwargs, "device": rushlight.device("lazy")}
    model.recompile()


def get_fallback_ops() -> list[str]:
    """The operators whose calls were not recorded, each as ``name=times``."""
    names = [name for name in metrics.counter_names() if name.startswith("aten::")]
    return [f"{name}={metrics.counter_value(name)}" for name in names]


def extract_compiled_graph(
    model: fx.GraphModule, example_inputs: Sequence[Any]
) -> Callable[..., list[Any]]:
    """A function that runs a graph on tensors on the CPU, compiled.

    What the graph changes of its arguments is copied to them. Sizes must be those of the examples.

    Args:
        model: the graph
        example_inputs: tensors like those that will come
    """
    _lazy.mark_step()
    arguments = [x.to("lazy") for x in example_inputs]
    places = {_lazy.get_tensor_id(x): k for k, x in enumerate(arguments)}
    on_device = copy.deepcopy(model).to("lazy")
    force_lazy_device(on_device)
    metrics.reset()
    results = on_device(*arguments)
    made_at_once = get_fallback_ops()
    metrics.reset()
    if made_at_once:
        raise RuntimeError(
            f"Fail to extract the compiled graph because of fallback: {','.join(made_at_once)}"
        )
    if not isinstance(results, (tuple, list)):
        results = (results,)
    wanted = [*arguments, *results]
    idents = [_lazy.get_tensor_id(x) for x in wanted]
    name = computation.get_graph_hash(wanted)
    inputs, constants = computation.get_tensors_ts_device_data_node(wanted)
    # Each block is computed once, also where several tensors show it.
    order = list(dict.fromkeys(idents))
    shapes = [(x.size(), x.stride(), x.storage_offset()) for x in wanted]
    _lazy.sync_multi(wanted, [])

    def run(*args: Any) -> list[Any]:
        given = [args[places[i]] if i in places else own for i, own in zip(inputs, constants)]
        made = dict(zip(order, computation.run_cached_graph(name, given)))
        shown = [made[i].as_strided(*shape) for i, shape in zip(idents, shapes)]
        for argument, value in zip(args, shown):
            if argument is not value:
                argument.copy_(value)
        return shown[len(args) :]

    return run
