"""Settings of tracing: kept, and read where the text beside them says so."""

from __future__ import annotations

from rushlight._names.settings import patcher

# Whether fakes may be on the meta device (`FakeTensorMode`).
fake_tensor_allow_meta = True
fake_tensor_propagate_real_tensors = False
fake_tensor_prefer_device_type: str | None = None
fake_tensor_allow_unsafe_data_ptr_access = True
functionalize_rng_ops = False
debug_assert = False
debug_partitioner = False
use_fake_tensor = True
static_weight_shapes = True
treat_parameters_as_free_to_save = True
cse = True
# Whether results that are views of arguments or of values of a graph are made by the views that led to them,
# and not by sizes and strides.
view_replay_for_aliased_outputs = True
# Whether gradients of results are expected with the strides of the results; otherwise in order.
guess_tangent_strides_as_outputs = True
disable_guess_zero_tangent_for_mutated_input_subclass = False
# Whether backward graphs are compiled with the forward ones, and not at their first call.
force_non_lazy_backward_lowering = False
backward_pass_autocast = "same_as_forward"
donated_buffer = True
enable_autograd_cache = True
strict_autograd_cache = False
max_dist_from_bw = 1000
ban_recompute_used_far_apart = True
ban_recompute_long_fusible_chains = True
ban_recompute_materialized_backward = True
ban_recompute_not_in_allowlist = True
ban_recompute_reductions = True
recompute_views = False
activation_memory_budget = 1.0
aggressive_recomputation = False
torch_compile_graph_format = "svg"
saved_tensors_hooks_filtering_mode = "donated"

patch = patcher(__name__)
