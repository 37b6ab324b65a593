"""What `torch.compile` calls: a captured graph, its gradients, its loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._functorch.aot_autograd import aot_module_simplified, make_boxed_func
from rushlight._functorch.partitioners import min_cut_rematerialization_partition
from rushlight._inductor.chunks import remembered
from rushlight._inductor.lowering import lower
from rushlight.fx.graph_module import GraphModule


def compile_graph(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """The function of a graph of operators: its kernels as one remembered call."""
    return make_boxed_func(remembered(lower(graph)))


def compile_fx(module: GraphModule, inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """The function of a captured graph, with its gradients."""
    return aot_module_simplified(
        module,
        inputs,
        fw_compiler=compile_graph,
        partition_fn=min_cut_rematerialization_partition,
    )
