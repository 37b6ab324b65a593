"""Batch normalisation for `vmap`: running statistics that all elements share cannot be kept up to date."""

from __future__ import annotations

from rushlight.nn import Module
from rushlight.nn.modules.batchnorm import _BatchNorm


def batch_norm_without_running_stats(module: Module) -> None:
    """Let a normalisation use the statistics of what it is given, always."""
    if isinstance(module, _BatchNorm) and module.track_running_stats:
        module.running_mean = None
        module.running_var = None
        module.num_batches_tracked = None
        module.track_running_stats = False


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Do so with all normalisations in a module, in place."""
    batch_norm_without_running_stats(root)
    for part in root.modules():
        batch_norm_without_running_stats(part)
    return root
