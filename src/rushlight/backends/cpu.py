"""The processor."""

from __future__ import annotations

from llvmlite import binding


def get_cpu_capability() -> str:
    """The widest vector instructions that kernels may use."""
    features = binding.get_host_cpu_features()
    for name, shown in (("avx512f", "AVX512"), ("avx2", "AVX2"), ("sve", "SVE256")):
        if features.get(name):
            return shown
    return "DEFAULT"
