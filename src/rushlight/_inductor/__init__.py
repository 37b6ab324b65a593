"""The compiler's back end: graphs of operators become few loops.

`fusion` decides which nodes share a loop, `scalar_program` says what the loop computes for an element, `kernels` runs
it, `lowering` writes the graph anew with the loops in it, and `compile_fx` is what `torch.compile` calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rushlight._inductor import config as config

__all__ = [
    "aot_compile",
    "aoti_compile_and_package",
    "aoti_load_package",
    "compile",
    "cudagraph_mark_step_begin",
    "list_mode_options",
    "list_options",
    "standalone_compile",
]

# Modes are choices of settings.
_LITE = {
    "fallback_by_default": True, "selective_decompose": True, "reorder_for_peak_memory": False,
    "reorder_for_compute_comm_overlap": False, "triton.reorder_for_reducing_graph_partitions": False,
    "use_pre_grad_passes": False, "use_joint_graph_passes": False, "use_post_grad_passes": False, "use_dce": False,
    "allow_buffer_reuse": False,
}  # fmt: skip
_TUNED = {"max_autotune": True, "coordinate_descent_tuning": True}
_MODES: dict[str, dict[str, Any]] = {
    "default": {},
    "lite": _LITE,
    "reduce-overhead": {"triton.cudagraphs": True},
    "max-autotune-no-cudagraphs": _TUNED,
    "max-autotune": {**_TUNED, "triton.cudagraphs": True},
}


def compile(
    gm: Any, example_inputs: Sequence[Any], options: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """The function of a graph, with its gradients.

    Args:
        gm: the graph
        example_inputs: what it will be called with
        options: settings for this graph
    """
    from rushlight._inductor.compile_fx import compile_fx

    return compile_fx(gm, example_inputs, config_patches=options)


def standalone_compile(
    gm: Any, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None, **others: Any
) -> Callable[..., Any]:
    """The function of a graph without gradients that was captured by somebody else.

    Args:
        gm: the graph
        example_inputs: what it will be called with
        options: ``config_patches`` are settings for this graph
        others: accepted
    """
    return compile(gm, example_inputs, (options or {}).get("config_patches"))


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """The settings that a mode of `torch.compile` stands for, or those of all modes by their names.

    Args:
        mode: such as ``"max-autotune"``
        dynamic: accepted; they are the same for sizes that vary
    """
    if mode is None:
        return {name: dict(options) for name, options in _MODES.items()}
    if mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    return dict(_MODES[mode])


def list_options() -> list[str]:
    """The names of all settings."""
    from rushlight._inductor import config

    return list(config.get_config_copy())


def settings_for(
    mode: str | None, options: dict[str, Any] | None, dynamic: bool | None = None
) -> dict[str, Any]:
    """The settings that a call of `torch.compile` asks for; an error for those that there are not.

    Args:
        mode: a choice of settings by name
        options: settings
        dynamic: whether sizes vary
    """
    from rushlight._inductor import config

    found = {}
    chosen = {} if mode is None else list_mode_options(mode, dynamic)
    known = config.get_config_copy() if chosen or options else {}
    for key, value in {**chosen, **(options or {})}.items():
        name = key.replace("-", "_")
        if name not in known:
            raise RuntimeError(
                f"Unexpected optimization option {key}, known options are {list(known)}"
            )
        if not isinstance(value, config.get_type(name)):
            raise RuntimeError(
                f"Unexpected type of attr {key}, got {type(value).__name__} should be "
                f"{type(known[name]).__name__}"
            )
        found[name] = value
    return found


def cudagraph_mark_step_begin() -> None:
    """Say that a step begins: there are no graphs of CUDA whose memory would be used again."""


def aot_compile(*args: Any, **kwargs: Any) -> NoReturn:
    """There are no libraries ahead of time: kernels are compiled when sizes are known, and kept on disk."""
    raise NotImplementedError(
        "torch._inductor.aot_compile: kernels are compiled when they are first needed, and kept on disk; "
        "there is no shared library to be made ahead of time. torch.export.save keeps a program"
    )


aoti_compile_and_package = aoti_load_package = aot_compile
