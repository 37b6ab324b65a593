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
view_replay_for_aliased_outputs = True

patch = patcher(__name__)
