"""Switches of the whole process, and the numbers of the namespace."""

from __future__ import annotations

import math
import warnings

from rushlight.engine.autograd import anomalies
from rushlight.engine.core import library_settings, state
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import plans
from rushlight.engine.native import threads

__all__ = [
    "are_deterministic_algorithms_enabled",
    "compiled_with_cxx11_abi",
    "e",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "inf",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_inference_mode_enabled",
    "is_warn_always_enabled",
    "nan",
    "newaxis",
    "pi",
    "set_anomaly_enabled",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_warn_always",
    "use_deterministic_algorithms",
]  # fmt: skip

e, pi, inf, nan = math.e, math.pi, math.inf, math.nan
newaxis = None


class _Settings:
    """What is chosen now."""

    fills = True
    matmul_precision = "highest"
    interop_threads = 1


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same results at every run. Kernels of the CPU give them anyway."""
    before = state.deterministic, state.deterministic_warns
    state.deterministic, state.deterministic_warns = bool(mode), bool(warn_only)
    if before != (state.deterministic, state.deterministic_warns):
        call_cache.forget_calls()
        # On a GPU, sums at positions of an index are planned in another way.
        plans.forget_all()
    _choose_filling()


def fill_uninitialized_memory(mode: bool) -> None:
    """Whether deterministic mode fills the memory that programs ask for without its content."""
    _Settings.fills = bool(mode)
    _choose_filling()


def fills_uninitialized_memory() -> bool:
    """Whether deterministic mode fills such memory."""
    return _Settings.fills


def _choose_filling() -> None:
    wanted = state.deterministic and _Settings.fills
    if wanted is not state.fills_memory:
        state.fills_memory = wanted
        call_cache.forget_calls()


def are_deterministic_algorithms_enabled() -> bool:
    """Whether operators whose results vary are refused."""
    return state.deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether operators whose results vary warn instead of raising."""
    return state.deterministic_warns


_DEBUG_MODES = ("default", "warn", "error")


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """The same as a level: 0 or "default", 1 or "warn", 2 or "error"."""
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                f"{debug_mode}"
            )
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}"
        )
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """0 for any operators, 1 to warn of those whose results vary, 2 to refuse them."""
    if not state.deterministic:
        return 0
    return 1 if state.deterministic_warns else 2


def set_float32_matmul_precision(precision: str) -> None:
    """How exact products of float32 matrices must be on a GPU; on the processor they always are exact."""
    if precision not in ("highest", "high", "medium"):
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current setFloat32"
            "MatmulPrecision call has no effect.",
            UserWarning,
            stacklevel=2,
        )
        return
    _Settings.matmul_precision = precision
    from rushlight.backends import cuda

    cuda.matmul.allow_tf32 = precision != "highest"


def get_float32_matmul_precision() -> str:
    """ "highest", "high" or "medium"; `torch.backends.cuda.matmul.allow_tf32` changes it, too."""
    allowed = library_settings.products.allow_tf32
    if allowed is (_Settings.matmul_precision == "highest"):
        _Settings.matmul_precision = "high" if allowed else "highest"
    return _Settings.matmul_precision


def set_flush_denormal(mode: bool) -> bool:
    """Whether tiny numbers were made zero: kernels keep them, so asking for it is refused."""
    return not mode


def get_num_interop_threads() -> int:
    """How many calls PyTorch would run side by side."""
    return _Settings.interop_threads


def set_num_interop_threads(number: int) -> None:
    """How many independent calls may run at once; they run in the callers' threads."""
    threads.check_count("set_num_interop_threads", number)
    _Settings.interop_threads = number


def set_warn_always(b: bool) -> None:
    """Whether warnings that come once per process come every time."""
    if state.warns_always is not bool(b):
        state.warns_always = bool(b)
        # A remembered call says nothing.
        state.busy(+1 if b else -1)


def is_warn_always_enabled() -> bool:
    """Whether warnings are given each time."""
    return state.warns_always


def is_anomaly_enabled() -> bool:
    """Whether `autograd.detect_anomaly` is on."""
    return anomalies.is_on()


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch `autograd.detect_anomaly` on or off for good."""
    anomalies.switch(mode, check_nan)


def is_anomaly_check_nan_enabled() -> bool:
    """Whether gradients that are not a number raise while it is."""
    return anomalies.checks_nan()


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode."""
    return bool(state.thread.inference)


def compiled_with_cxx11_abi() -> bool:
    """There is no compiled part, so it is compatible with either."""
    return True
