"""Settings of capture. Those that nothing reads are there for programs that set them."""

from __future__ import annotations

import types
from typing import Any

from rushlight._names.settings import other_names, patcher

# So many segments of a function may begin at one place, and so many may there be in all.
recompile_limit = 8
accumulated_recompile_limit = 256
# Whether it is an error to have more, or to have a second one at a place at all.
fail_on_recompile_limit_hit = False
error_on_recompile = False
# Whether a function runs as it is where its capture fails, or where nothing is to be captured at all.
suppress_errors = False
disable = False

# Sizes: whether they are numbers the first time, and symbols once they have varied; what the latter are.
assume_static_by_default = True
automatic_dynamic_shapes = True
automatic_dynamic_shapes_mark_as = "dynamic"
# Whether a size may be a number although it was said to vary.
allow_ignore_mark_dynamic = False
# Whether sizes of parameters, sizes of other tensors of modules, and integers are never symbols.
force_parameter_static_shapes = True
force_nn_module_property_static_shapes = True
specialize_int = False
allow_unspec_int_on_nn_module = False
# Whether elements that a program asks for, and sizes that elements decide, are symbols of a graph.
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
# Whether what a function does to objects of the program is done behind its graph.
replay_side_effects = True

# Read by nothing yet.
allow_empty_graphs = False
allow_rnn = False
allowed_functions_module_string_ignorelist: set[str] = set()
assume_dunder_attributes_remain_unchanged = True
automatic_dynamic_local_pgo = False
capture_autograd_function = True
capture_func_transforms = True
capture_sparse_compute = True
# Whether backward passes are compiled, too.
compiled_autograd = False
compiled_autograd_kwargs_override: dict[str, Any] = {}
cprofile = False
dead_code_elimination = True
debug_disable_compile_counter = False
debug_force_graph_break_on_leaf_return = False
debug_force_nested_calls = False
do_not_emit_runtime_asserts = False
dynamic_shapes = True
enable_aot_compile = True
enable_cpp_symbolic_shape_guards = False
enable_faithful_generator_behavior = True
enable_trace_contextlib = True
enable_trace_unittest = False
error_on_nested_fx_trace = True
error_on_nested_jit_trace = True
fake_tensor_cache_crosscheck_enabled = False
fake_tensor_cache_enabled = True
force_unspec_int_unbacked_size_like_on_torchrec_kjt = False
graph_break_on_nn_param_ctor = True
guard_nn_modules = True
guard_nn_modules_using_dict_tags = True
ignore_logger_methods: set[Any] = set()
ignore_logging_functions: set[Any] = set()
inject_BUILD_SET_unimplemented_TESTING_ONLY = False
inline_inbuilt_nn_modules = True
install_free_tensors = False
install_free_tensors_for_export = True
log_compilation_metrics = True
log_file_name: str | None = None
minimum_call_count = 1
nested_graph_breaks = True
numpy_default_complex = "complex128"
numpy_default_float = "float64"
numpy_default_int = "int64"
only_allow_pt2_compliant_ops = False
optimize_ddp = True
prefer_deferred_runtime_asserts_over_guards = False
prepare_freezing = False
raise_on_ctx_manager_usage = True
raise_on_unsafe_aot_autograd = False
record_runtime_overhead = True
reorderable_logging_functions: set[Any] = set()
replay_record_enabled = False
report_guard_failures = True
repro_after: str | None = None
repro_level = 2
rewrite_assert_with_torch_assert = True
run_gc_after_compile = False
skip_fsdp_guards = True
skip_nnmodule_hook_guards = False
skip_tensor_guards_with_matching_dict_tags = True
skip_torchrec = True
specialize_float = False
trace_autograd_ops = False
trace_numpy = True
track_nodes_for_deduplication = False
traceable_tensor_subclasses: set[Any] = set()
use_graph_deduplication = False
use_lamba_guard_for_object_aliasing = True
use_numpy_random_stream = False
verbose = False
verify_correctness = False
wrap_top_frame = False

patch = patcher(__name__)
other_names(
    __name__,
    {
        "cache_size_limit": "recompile_limit",
        "accumulated_cache_size_limit": "accumulated_recompile_limit",
        "fail_on_cache_limit_hit": "fail_on_recompile_limit_hit",
    },
)


def _values() -> dict[str, Any]:
    kinds = (types.FunctionType, types.ModuleType, type)
    return {
        name: value
        for name, value in globals().items()
        if not name.startswith("_") and not isinstance(value, kinds) and name not in _OTHERS
    }


_OTHERS = {"annotations", "Any", "other_names", "patch", "patcher"}


def get_config_copy() -> dict[str, Any]:
    """All settings."""
    return _values()


shallow_copy_dict = save_config_portable = get_config_copy


def load_config(settings: dict[str, Any]) -> None:
    """Take over settings that `get_config_copy` gave."""
    globals().update(settings)
