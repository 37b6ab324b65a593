"""Settings of PyTorch's compiler, kept and otherwise without effect."""

from __future__ import annotations

from rushlight._names.settings import patcher

cache_size_limit = 8
recompile_limit = 8
accumulated_cache_size_limit = 256
suppress_errors = False
verbose = False
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
optimize_ddp = True

# Whether backward passes are compiled, too.
compiled_autograd = False

patch = patcher(__name__)
