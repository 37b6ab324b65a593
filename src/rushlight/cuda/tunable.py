"""Choices between products' kernels by measuring: the settings are kept, and there is one kernel to choose from."""

from __future__ import annotations

import os
from typing import Any

__all__ = [
    "enable", "get_filename", "get_max_tuning_duration", "get_max_tuning_iterations", "get_results",
    "get_rotating_buffer_size", "get_validators", "is_enabled", "mgpu_tune_gemm_in_file", "read_file",
    "record_untuned_enable", "record_untuned_is_enabled", "set_filename", "set_max_tuning_duration",
    "set_max_tuning_iterations", "set_numerical_check_tolerances", "set_rotating_buffer_size", "tune_gemm_in_file",
    "tuning_enable", "tuning_is_enabled",
]  # fmt: skip


class _Settings:
    enabled = os.environ.get("PYTORCH_TUNABLEOP_ENABLED") == "1"
    tuning = os.environ.get("PYTORCH_TUNABLEOP_TUNING", "1") == "1"
    records = os.environ.get("PYTORCH_TUNABLEOP_RECORD_UNTUNED") == "1"
    duration = int(os.environ.get("PYTORCH_TUNABLEOP_MAX_TUNING_DURATION_MS", "30"))
    iterations = int(os.environ.get("PYTORCH_TUNABLEOP_MAX_TUNING_ITERATIONS", "100"))
    filename = os.environ.get("PYTORCH_TUNABLEOP_FILENAME", "tunableop_results.csv")
    buffer = -1
    tolerances = (False, 1e-5, 1e-5)


def enable(val: bool = True) -> None:
    """Use what was measured."""
    _Settings.enabled = bool(val)


def is_enabled() -> bool:
    """Whether what was measured is used."""
    return _Settings.enabled


def tuning_enable(val: bool = True) -> None:
    """Measure what is not known yet."""
    _Settings.tuning = bool(val)


def tuning_is_enabled() -> bool:
    """Whether what is not known is measured."""
    return _Settings.tuning


def record_untuned_enable(val: bool = True) -> None:
    """Write down products that were not measured."""
    _Settings.records = bool(val)


def record_untuned_is_enabled() -> bool:
    """Whether products that were not measured are written down."""
    return _Settings.records


def set_max_tuning_duration(duration: int) -> None:
    """Milliseconds that a measurement may take."""
    _Settings.duration = int(duration)


def get_max_tuning_duration() -> int:
    return _Settings.duration


def set_max_tuning_iterations(iterations: int) -> None:
    """How often a measurement runs a kernel."""
    _Settings.iterations = int(iterations)


def get_max_tuning_iterations() -> int:
    return _Settings.iterations


def set_filename(filename: str, insert_device_ordinal: bool = False) -> None:
    """Where results are kept."""
    if insert_device_ordinal:
        from rushlight.engine.cuda import context

        root, end = os.path.splitext(filename)
        filename = f"{root}{context.current()}{end}"
    _Settings.filename = filename


def get_filename() -> str:
    return _Settings.filename


def set_rotating_buffer_size(buffer_size: int) -> None:
    """How much memory measurements go around in, in MB."""
    _Settings.buffer = int(buffer_size)


def get_rotating_buffer_size() -> int:
    return _Settings.buffer


def set_numerical_check_tolerances(enable: bool, atol: float = 1e-5, rtol: float = 1e-5) -> None:
    """Compare results of kernels while they are measured."""
    _Settings.tolerances = (enable, atol, rtol)


def get_results() -> tuple[tuple[str, str, str, float], ...]:
    """What was measured: nothing, as there is one kernel."""
    return ()


def get_validators() -> tuple[tuple[str, str], ...]:
    """What results depend on."""
    from rushlight import __version__

    return (("PT_VERSION", __version__),)


def read_file(filename: str | None = None) -> bool:
    """Read results: none can be used."""
    return False


def tune_gemm_in_file(filename: str) -> None:
    raise NotImplementedError(
        "torch.cuda.tunable.tune_gemm_in_file is absent: there is one kernel for products"
    )


def mgpu_tune_gemm_in_file(filename_pattern: str, num_gpus: int) -> Any:
    raise NotImplementedError(
        "torch.cuda.tunable.mgpu_tune_gemm_in_file is absent: there is one kernel for products"
    )
