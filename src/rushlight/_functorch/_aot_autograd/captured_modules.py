"""Modules of flat arguments, as captures make them, compiled with their gradients or found compiled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight._functorch._aot_autograd import autograd_cache
from rushlight._functorch._aot_autograd.schemas import AOTConfig
from rushlight.nn import Module
from rushlight.nn.utils import stateless
from rushlight.utils import _pytree as pytree

__all__ = ["AOT_COUNTER", "aot_module_simplified", "create_functional_call", "named_state"]

# Numbers of programs.
AOT_COUNTER = itertools.count()


def named_state(mod: Module) -> dict[str, Any]:
    """The parameters and the buffers of a module, by name."""
    return {
        **dict(mod.named_parameters(remove_duplicate=False)),
        **dict(mod.named_buffers(remove_duplicate=False)),
    }


def create_functional_call(
    mod: Module, params_spec: Any, params_len: int, store_orig_mod: bool = False, **unused: Any
) -> Callable[..., Any]:
    """A function of flat parameters and buffers and of a module's arguments."""

    def functional_call(*args: Any, **kwargs: Any) -> Any:
        named = pytree.tree_unflatten(list(args[:params_len]), params_spec)
        with stateless._reparametrize_module(mod, named):
            out = mod(*args[params_len:], **kwargs)
        if not isinstance(out, (tuple, list)):
            raise RuntimeError(
                "Graph output must be a (). This is so that we can avoid pytree processing of the outputs. "
                "Please change the module to have tuple outputs or use aot_module instead."
            )
        return out

    return functional_call


def aot_module_simplified(
    mod: Module,
    args: Sequence[Any],
    fw_compiler: Callable[..., Any],
    bw_compiler: Callable[..., Any] | None = None,
    partition_fn: Callable[..., Any] | None = None,
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
    keep_inference_input_mutations: bool = False,
    inference_compiler: Callable[..., Any] | None = None,
    **unused: Any,
) -> Callable[..., Any]:
    """`aot_function` for what captures programs: a module of flat arguments that gives a tuple, compiled now.

    Args:
        mod: the module; its parameters and buffers are the first arguments of graphs
        args: example arguments; fakes if sizes are to be symbols
        fw_compiler: makes a function of the forward graph
        bw_compiler: makes one of the backward graph
        partition_fn: cuts the joint graph in two; `default_partition` if None
        decompositions: what operators are traced as
        keep_inference_input_mutations: whether graphs without gradients may change arguments
        inference_compiler: for graphs without gradients
    """

    # Imported where a program is compiled: one that is found on disk has that behind it.
    def compile_program(keep: Any) -> Any:
        from rushlight._functorch._aot_autograd.graph_compile import compile_flat

        return compile_flat(lambda *args: list(call(*args)), full, config, keep)

    if partition_fn is None:
        from rushlight._functorch.partitioners import default_partition

        partition_fn = default_partition
    state = named_state(mod)
    flat, spec = pytree.tree_flatten(state)
    call = create_functional_call(mod, spec, len(flat))
    full = [*flat, *args]
    config = AOTConfig(
        fw_compiler=fw_compiler,
        bw_compiler=fw_compiler if bw_compiler is None else bw_compiler,
        inference_compiler=fw_compiler if inference_compiler is None else inference_compiler,
        partition_fn=partition_fn,
        decompositions=dict(decompositions or {}),
        num_params_buffers=len(flat),
        aot_id=next(AOT_COUNTER),
        keep_inference_input_mutations=keep_inference_input_mutations,
        dynamic_shapes=_has_symbols(full),
    )
    compiled = autograd_cache.AOTAutogradCache.load(mod, full, config, compile_program)
    plain = getattr(compiled, "plain", None)
    if plain is not None and not flat:
        return plain  # type: ignore[no-any-return]

    def forward(*runtime_args: Any) -> Any:
        return compiled([*flat, *runtime_args])

    forward.zero_grad = mod.zero_grad  # type: ignore[attr-defined]
    forward.named_parameters = mod.named_parameters  # type: ignore[attr-defined]
    forward.named_buffers = mod.named_buffers  # type: ignore[attr-defined]
    return forward


def _has_symbols(values: Sequence[Any]) -> bool:
    from rushlight._guards import detect_fake_mode

    found = detect_fake_mode(list(values))
    return found is not None and found.shape_env is not None
